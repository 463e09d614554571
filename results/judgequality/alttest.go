package judgequality

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"compqa/data"
	"compqa/results/dataset"
	"compqa/results/table"
	"compqa/stats/agreement"
)

// epsilons are those of the alternative-annotator test (agreement.AltTestResult.At).
var epsilons = []float64{0.1, 0.15, 0.2}

// testAlternative makes the alternative-annotator test over totals, by question, and sets its results.
func (w *JudgeAssessment) testAlternative(x *dataset.Dataset, judge int) error {
	who := x.Annotators()
	w.Annotators, w.Rates, w.StandIn = len(who), "needs 3 annotators", unknown
	if w.Levels[withinCriterion].NotBeaten != nil {
		w.StandIn = no
	}
	if len(who) < 2 {
		return nil
	}
	rater, people, questions := totalsByItem(x, judge, who)
	test, err := agreement.AltTest(rater, people, agreement.AltTestOptions{Scoring: agreement.NegRMSE, Clusters: questions})
	var lacks *agreement.NotEnoughDataError
	if errors.As(err, &lacks) {
		w.Rates = fmt.Sprintf("needs %d annotators with %d shared score sheets each; the largest number is %d", lacks.NeedAnnotators,
			lacks.NeedItems, lacks.MostItems)
		return nil
	}
	if err != nil {
		return err
	}
	w.Advantage, w.TieRate = table.Number(test.Advantage), table.Number(test.TieRate)
	var rates []string
	strictest := no // epsilon of those passed
	for _, epsilon := range epsilons {
		v, err := test.At(epsilon)
		if err != nil {
			return err
		}
		rates = append(rates, fmt.Sprintf("%.2f at epsilon %s", v.WinningRate, table.Shortest(epsilon)))
		if v.Passes && strictest == no {
			strictest = "yes at epsilon " + table.Shortest(epsilon)
		}
	}
	w.Rates = strings.Join(rates, ", ")
	if w.StandIn != no && !w.few() {
		w.StandIn = strictest
	}
	return nil
}

// totalsByItem aligns the totals of the judge and the annotators. An item is an
// answer and a repeat.
func totalsByItem(x *dataset.Dataset, judge int, who []int) (rater agreement.Rater, people []agreement.Rater, questions []int) {
	type item struct{ answer, repeat int }
	at := map[item]int{}
	var items []item
	for _, j := range who {
		for _, s := range x.Valid(j) {
			key := item{s.Answer, s.Repeat}
			if _, ok := at[key]; !ok {
				at[key] = len(items)
				items = append(items, key)
				questions = append(questions, x.Question[s.Answer])
			}
		}
	}
	blank := func() agreement.Rater {
		return agreement.Rater{Values: make([]float64, len(items)), Missing: slices.Repeat([]bool{true}, len(items))}
	}
	for _, j := range who {
		r := blank()
		for _, s := range x.Valid(j) {
			i := at[item{s.Answer, s.Repeat}]
			r.Values[i], r.Missing[i] = s.Total, false
		}
		people = append(people, r)
	}
	rater = blank()
	first := FirstTotals(x, judge)
	for i, key := range items {
		if total, ok := first[key.answer]; ok {
			rater.Values[i], rater.Missing[i] = total, false
		}
	}
	return rater, people, questions
}

// FirstTotals are the totals of a judge's first verdicts, by answer, if these are
// valid.
func FirstTotals(x *dataset.Dataset, judge int) map[int]float64 {
	totals := map[int]float64{}
	last := dataset.Unrecorded
	for _, s := range x.SheetsOf(judge) {
		if s.Answer != last && s.Status == data.Valid {
			totals[s.Answer] = s.Total
		}
		last = s.Answer
	}
	return totals
}
