package judgequality

import (
	"slices"

	"compqa/results/dataset"
	"compqa/results/table"
	"compqa/rubric"
	"compqa/stats/agreement"
)

// A WordingRow compares the words of two prompts: a judge that is asked in ours, and the same model asked in the authors',
// over the answers that both scored. It is a row of wordings.csv.
type WordingRow struct {
	Judge        string        `csv:"judge"`
	Authors      string        `csv:"authors"` // the judge with template: release
	N            int           `csv:"n"`
	Mean         table.Figure  `csv:"mean"`
	AuthorsMean  table.Figure  `csv:"authors_mean"`
	Difference   table.Bounded `csv:"difference,low,high"` // ours less theirs
	Pearson      table.Figure  `csv:"pearson"`
	Human        int           `csv:"n_human"`
	People       table.Figure  `csv:"pearson_human"`
	AuthorsHuman table.Figure  `csv:"authors_pearson_human"`
}

// wordings has a row for each judge that is asked in both words.
func (t *Tables) wordings(c *dataset.Calculator, people dataset.AnswerTotals) (rows []WordingRow) {
	for _, authors := range t.Declared.Judges {
		for _, own := range t.Declared.Judges {
			a, b := t.JudgeNamed(own.Name), t.JudgeNamed(authors.Name)
			same := own.Model == authors.Model && own.Provider == authors.Provider
			known := slices.ContainsFunc(rows, func(r WordingRow) bool { return r.Judge == own.Name && r.Authors == authors.Name })
			if authors.Template == rubric.Release && own.Template == "" && own.Model != "" && same && !known && a >= 0 && b >= 0 {
				rows = append(rows, t.wording(c, a, b, people))
			}
		}
	}
	return rows
}

func (t *Tables) wording(c *dataset.Calculator, judge, authors int, people dataset.AnswerTotals) WordingRow {
	r := WordingRow{Judge: t.Judges[judge].Name, Authors: t.Judges[authors].Name}
	ours, theirs := t.AnswerTotals(judge), t.AnswerTotals(authors)
	var differences dataset.Sample
	var x, y, scoredX, scoredY, human []float64
	t.EachDifference(ours, theirs, func(answer int, difference float64) {
		differences.Add(difference, t.Question[answer])
		a, _ := ours.Of(answer)
		b, _ := theirs.Of(answer)
		x, y = append(x, a), append(y, b)
		if p, scored := people.Of(answer); scored {
			scoredX, scoredY, human = append(scoredX, a), append(scoredY, b), append(human, p)
		}
	})
	r.N, r.Human = len(x), len(human)
	r.Mean, r.AuthorsMean = table.FigureOf(c.Moments(x).Mean), table.FigureOf(c.Moments(y).Mean)
	r.Difference = c.Mean(differences).Bounded
	correlation := func(a, b []float64) table.Figure { return table.FigureOf(c.Value(agreement.Pearson(a, b))) }
	r.Pearson, r.People, r.AuthorsHuman = correlation(x, y), correlation(scoredX, human), correlation(scoredY, human)
	return r
}
