package judgequality

import (
	"errors"

	"compqa/data"
	"compqa/results/dataset"
	"compqa/stats/agreement"
)

// A standIn is what is known of whether a judge may stand in for an annotator:
// the outcome of the alternative-annotator test over totals, by question; and
// whether the judge agrees with an annotator as another annotator does.
type altTest struct {
	Annotators int
	Test       *agreement.AltTestResult      // nil: it cannot be said
	Lacks      *agreement.NotEnoughDataError // why; nil without annotators
	Besides    []ceilingRow
}

// A ceilingRow is the judge's agreement with an annotator less that of another
// annotator, on the sheets that all three have.
type ceilingRow struct {
	Annotator, Other string
	n                int
	Totals, within   dataset.Margin // of alpha: of totals, and within criteria
}

func newAltTest(x *dataset.Dataset, judge int) (altTest, error) {
	who := x.Annotators()
	s := altTest{Annotators: len(who)}
	if len(who) < 2 {
		return s, nil
	}
	var c dataset.Calculator
	rater, people, questions := totalsByItem(x, judge, who)
	test, err := agreement.AltTest(rater, people, agreement.AltTestOptions{Scoring: agreement.NegRMSE, Clusters: questions})
	if err == nil {
		s.Test = &test
	} else if !errors.As(err, &s.Lacks) {
		c.Value(0, err)
	}
	for _, a := range who {
		for _, b := range who {
			if a != b {
				s.Besides = append(s.Besides, beside(&c, x, judge, a, b))
			}
		}
	}
	return s, c.Err
}

// totalsByItem lines up the judge's and the annotators' totals: an item is what
// somebody scored once, an answer and a repeat.
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
		r := agreement.Rater{Values: make([]float64, len(items)), Missing: make([]bool, len(items))}
		for i := range r.Missing {
			r.Missing[i] = true
		}
		return r
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

// firstTotals are those of a judge's first verdicts, by answer, where these are
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

// beside compares the judge with annotator b, as raters of what a scored.
func beside(c *dataset.Calculator, x *dataset.Dataset, judge, a, b int) ceilingRow {
	r := ceilingRow{Annotator: x.Judges[a].Name, Other: x.Judges[b].Name}
	ours, theirs := common(x.NewRaterPair(dataset.Pairing{Name: x.Judges[judge].Name, Judge: judge, Reference: a, Kind: dataset.KindOfJudge}), x.NewRaterPair(dataset.Pairing{Name: r.Other, Judge: b, Reference: a, Kind: dataset.KindHuman}))
	r.n = len(ours.Pairs)
	of := func(ours, theirs dataset.LevelScores) dataset.Margin {
		d, err := agreement.AgreementDifference(ours.Reference, ours.Judge, theirs.Judge, ours.Questions, x.Resampling())
		return margin(c, d.Alpha, err)
	}
	r.Totals = of(ours.Totals(0), theirs.Totals(0))
	r.within = of(ours.WithinCriterion(0), theirs.WithinCriterion(0))
	return r
}
