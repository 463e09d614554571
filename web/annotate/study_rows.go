package annotate

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"

	"compqa/data"
	"compqa/results/dataset"
	"compqa/results/raters"
	"compqa/stats"
	"compqa/stats/agreement"
	"compqa/web/annotate/project"
)

// A studyAnswer is one person's choice on a pair, made before any table is shown or after seeing the table of a judge.
type studyAnswer struct {
	Rater, Pair, Cluster string
	project.StageChoice
}

// score returns the score of Yan et al. 2024, section 6.5: 1 for the better answer, 0 for a tie, −1 for the worse answer.
func (a studyAnswer) score() float64 {
	switch a.Choice {
	case a.Gold:
		return 1
	case data.ChoiceTie:
		return 0
	}
	return -1
}

// A studyRow sums up people's choices at one stage of a study: before any table, or with the tables of one judge. Gain is the mean
// difference between a score and the score that the same person had on the same pair before. Intervals are clustered by question.
type studyRow struct {
	Table   string       `csv:"table"` // the judge whose tables were shown, or noTable
	Raters  int          `csv:"raters"`
	Planned int          `csv:"planned"` // number of answers if each person answers everything
	N       int          `csv:"n"`
	Score   stats.Figure `csv:"score,score_low,score_high"` // mean of 1, 0 and −1
	Right   int          `csv:"right"`
	Ties    int          `csv:"ties"`
	Wrong   int          `csv:"wrong"`
	Better  int          `csv:"better"` // answers with a higher score than before; Worse: with a lower one
	Worse   int          `csv:"worse"`
	Gain    stats.Figure `csv:"gain,gain_low,gain_high"`
	Alpha   stats.Figure `csv:"alpha,alpha_low,alpha_high"` // nominal alpha between the people
}

// noTable is the value of studyRow.Table for the stage before any table is shown.
const noTable = "before"

// studyRows returns the row of the stage before any table and then one for each judge, by name. items has the number of pairs in each
// stage, by judge ("" for the stage before).
func studyRows(given []studyAnswer, items map[string]int) ([]studyRow, error) {
	type place struct{ rater, pair string }
	before := map[place]studyAnswer{}
	who := map[string]bool{}
	clusterOf := map[string]int{} // by pair
	clusters := stats.ClusterLabels(data.Each(given, func(a studyAnswer) string { return a.Cluster }))
	for i, a := range given {
		who[a.Rater] = true
		clusterOf[a.Pair] = clusters[i]
		if a.Judge == "" {
			before[place{a.Rater, a.Pair}] = a
		}
	}
	agreed, err := agreements(given, clusterOf)
	if err != nil {
		return nil, err
	}
	var rows []studyRow
	var c dataset.Calculator
	for _, judge := range slices.Sorted(maps.Keys(items)) {
		r := studyRow{Table: cmp.Or(judge, noTable), Raters: len(who), Planned: items[judge] * len(who)}
		var scores, gains dataset.Sample
		counts := map[float64]int{}
		answers := data.Where(given, func(a studyAnswer) bool { return a.Judge == judge })
		for _, a := range answers {
			scores.Add(a.score(), clusterOf[a.Pair])
			counts[a.score()]++
			if first, both := before[place{a.Rater, a.Pair}]; both && judge != "" {
				gain := a.score() - first.score()
				gains.Add(gain, clusterOf[a.Pair])
				r.Better, r.Worse = r.Better+int(dataset.Indicator(gain > 0)), r.Worse+int(dataset.Indicator(gain < 0))
			}
		}
		r.N = len(scores.Values)
		r.Right = counts[1]
		r.Ties = counts[0]
		r.Wrong = counts[-1]
		r.Score, r.Gain = c.Mean(scores), c.Mean(gains)
		r.Alpha = agreed[r.Table]
		rows = append(rows, r)
	}
	return rows, c.Err
}

// agreements returns, by stage, nominal alpha of people's choices on the same pairs.
func agreements(answers []studyAnswer, clusterOf map[string]int) (map[string]stats.Figure, error) {
	var values data.Collector
	for _, a := range answers {
		pair := values.Item(a.Pair, data.Rated{ID: a.Pair, Cluster: clusterOf[a.Pair]})
		values.Give(data.Rater{Name: a.Rater, Kind: data.KindPerson}, pair,
			data.Measured{ID: cmp.Or(a.Judge, noTable), Level: string(agreement.Nominal)},
			map[data.Choice]float64{data.ChoiceB: 1, data.ChoiceTie: 2}[a.Choice])
	}
	judgements := values.Judgements()
	stages := map[string]stats.Figure{}
	for _, t := range raters.ByItem(judgements, judgements.Everyone()...) {
		row := t.Among(t.Raters, raters.Options{Figures: raters.Alpha,
			Resampling: stats.Resampling{Seed: 1, Name: "study", Level: dataset.Confidence}})
		stages[t.Criterion] = row.Alpha
		if fault := row.Fault(); fault != nil {
			return nil, fault
		}
	}
	return stages, nil
}

// studied returns the rows of human_study.csv, or none if the study has no choices in stages.
func (e *export) studied() ([]studyRow, error) {
	if len(e.answers) == 0 {
		return nil, nil
	}
	rows, err := studyRows(e.answers, e.pairsAsked())
	if err != nil {
		return nil, fmt.Errorf("computing the study: %w", err)
	}
	return rows, nil
}

// printStudy prints the rows of human_study.csv, if there are any.
func printStudy(rows []studyRow, w io.Writer) error {
	if len(rows) == 0 {
		return nil
	}
	fmt.Fprintf(w, "Scores of human choices: 1 for the better answer, 0 for a tie, −1 for the other answer\n\n")
	if err := studyTable.Views[0].Section(rows).Table.Terminal(w); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "\n%s has the same\n", studyTable.File)
	return err
}
