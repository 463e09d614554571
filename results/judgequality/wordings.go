package judgequality

import (
	"slices"

	"compqa/results/dataset"
	"compqa/results/raters"
	"compqa/results/table"
	"compqa/rubric"
	"compqa/stats"
)

// A WordingRow compares two judges that ask the same model, on the answers that both scored. One uses the program's own prompt, the other
// the prompt of the authors' release. It is a row of wordings.csv.
type WordingRow struct {
	Judge        string       `csv:"judge"`
	Authors      string       `csv:"authors"` // the judge with "template: release"
	N            int          `csv:"n"`
	Mean         stats.Figure `csv:"mean"`
	AuthorsMean  stats.Figure `csv:"authors_mean"`
	Difference   stats.Figure `csv:"difference,low,high"` // own prompt minus the authors' prompt
	Pearson      stats.Figure `csv:"pearson"`
	Human        int          `csv:"n_human"`
	People       stats.Figure `csv:"pearson_human"`
	AuthorsHuman stats.Figure `csv:"authors_pearson_human"`
}

// WordingsTable compares judges with the same model asked in the authors' words.
var WordingsTable = table.Def[WordingRow]{File: "wordings.csv", Views: []table.View[WordingRow]{{Title: "The words of the prompt",
	About: "A judge asked in this program's words, and the same model asked in the words of the authors' release (template: " +
		"release), on the same answers: mean points, their difference with a 95 % interval, Pearson's r of the two, and of " +
		"each with human scores.",
	Words: 2, Shown: []string{"judge", "authors=authors' words", "n", "mean", "authors_mean=mean, authors", "difference+2",
		"pearson=r", "n_human=with human scores", "pearson_human=r, human", "authors_pearson_human=r, authors and human"}}}}

// wordings returns a row for each judge whose model is also asked with the authors' prompt.
func (t *Tables) wordings(c *dataset.Calculator, people dataset.AnswerTotals) (rows []WordingRow) {
	for _, authors := range t.Declared.Judges {
		for _, declared := range t.Declared.Judges {
			a := t.JudgeNamed(declared.Name)
			b := t.JudgeNamed(authors.Name)
			same := declared.Model == authors.Model && declared.Provider == authors.Provider
			known := slices.ContainsFunc(rows, func(r WordingRow) bool { return r.Judge == declared.Name && r.Authors == authors.Name })
			if authors.Template == rubric.Release && declared.Template == "" && declared.Model != "" && same && !known && a >= 0 && b >= 0 {
				rows = append(rows, t.wording(c, a, b, people))
			}
		}
	}
	return rows
}

// wording computes the row of a judge with another wording: its means and its correlation with the judge in the authors' wording, and the
// correlation of both with people on the answers that both scored.
func (t *Tables) wording(c *dataset.Calculator, judge, authors int, people dataset.AnswerTotals) WordingRow {
	r := WordingRow{Judge: t.Judges[judge].Name, Authors: t.Judges[authors].Name}
	answers, rater, theirs, _ := totals(t.boards.Dataset, judge, t.AnswerTotals(authors))
	_, _, human, _ := totals(t.boards.Dataset, judge, people)
	p := answers.Pairs(rater, theirs)
	r.N, r.Mean, r.AuthorsMean = len(p.Units), stats.FigureOf(c.Moments(p.Judge).Mean), stats.FigureOf(c.Moments(p.Reference).Mean)
	r.Difference = c.Mean(dataset.Sample{Values: p.JudgeMinusReference(), Questions: p.Clusters})
	correlation := func(judge, reference raters.Rater) (stats.Figure, int) {
		row := answers.Against(judge, reference, raters.Options{Figures: raters.Ranks, Intervals: raters.NoIntervals})
		c.Value(0, row.Fault())
		return row.Pearson.Point(), row.N
	}
	both := func(answer int) bool { return rater.Values[answer].Given() && theirs.Values[answer].Given() }
	r.Pearson, _ = correlation(rater, theirs)
	r.People, r.Human = correlation(rater, human.Only(both))
	r.AuthorsHuman, _ = correlation(theirs, human.Only(both))
	return r
}
