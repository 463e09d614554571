package judgequality

import (
	"errors"

	"compqa/data"
	compared "compqa/results/agreement"
	"compqa/results/dataset"
	"compqa/stats/agreement"
)

// An altTest is whether a judge can replace an annotator: the result of the
// alternative-annotator test over totals, by question, and how the judge agrees with
// each annotator compared with the other annotators.
type altTest struct {
	Annotators int
	Test       *agreement.AltTestResult      // nil if there are not enough data
	Lacks      *agreement.NotEnoughDataError // what is missing; nil with fewer than two annotators
	// Ceilings compare the judge and another annotator (the floor) by the alpha of their totals with an
	// annotator (the reference), on the score sheets of all three.
	Ceilings []FloorRow
}

func newAltTest(c *dataset.Calculator, x *dataset.Dataset, judge int) altTest {
	who := x.Annotators()
	s := altTest{Annotators: len(who)}
	if len(who) < 2 {
		return s
	}
	rater, people, questions := totalsByItem(x, judge, who)
	test, err := agreement.AltTest(rater, people, agreement.AltTestOptions{Scoring: agreement.NegRMSE, Clusters: questions})
	if err == nil {
		s.Test = &test
	} else if !errors.As(err, &s.Lacks) {
		c.Value(0, err)
	}
	for _, a := range who {
		for _, b := range who {
			if a != b && x.Degenerate[judge] == "" {
				s.Ceilings = append(s.Ceilings, ceiling(c, x, judge, a, b))
			}
		}
	}
	return s
}

// totalsByItem aligns the totals of the judge and the annotators. An item is an
// answer and a repeat.
func totalsByItem(x *dataset.Dataset, judge int, who []int) (rater agreement.Rater, people []agreement.Rater, questions []int) {
	type item struct{ answer, repeat int }
	items, first := map[item]int{}, FirstTotals(x, judge)
	add := func(r *agreement.Rater, total float64, ok bool) {
		r.Values, r.Missing = append(r.Values, total), append(r.Missing, !ok)
	}
	people = make([]agreement.Rater, len(who))
	for k, j := range who {
		for _, s := range x.Valid(j) {
			i, known := items[item{s.Answer, s.Repeat}]
			if !known {
				i, questions = len(items), append(questions, x.Question[s.Answer])
				items[item{s.Answer, s.Repeat}] = i
				total, ok := first[s.Answer]
				add(&rater, total, ok)
				for p := range people {
					add(&people[p], 0, false)
				}
			}
			people[k].Values[i], people[k].Missing[i] = s.Total, false
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

// ceiling compares the judge with annotator b as raters of what a scored.
func ceiling(c *dataset.Calculator, x *dataset.Dataset, judge, a, b int) FloorRow {
	ours, theirs := common(x.NewRaterPair(dataset.Pairing{Name: x.Judges[judge].Name, Judge: judge, Reference: a, Kind: dataset.KindOfJudge}),
		x.NewRaterPair(dataset.Pairing{Name: x.Judges[b].Name, Judge: b, Reference: a, Kind: dataset.KindHuman}))
	r := FloorRow{Judge: x.Judges[judge].Name, Reference: x.Judges[a].Name, Floor: x.Judges[b].Name, N: len(ours.Pairs)}
	if r.Lacks = dataset.TooFew(r.N, "answers", objectPairs(ours)); r.Lacks != "" {
		return r
	}
	own, other := compared.NewLevel(ours.Totals(0), x.Resampling()), compared.NewLevel(theirs.Totals(0), x.Resampling())
	d, err := own.Over(other)
	r.Alpha = margin(c, d.Alpha, err)
	return r
}
