package judgequality

import (
	"errors"

	"compqa/data"
	compared "compqa/results/agreement"
	"compqa/results/dataset"
	"compqa/results/table"
	"compqa/stats/agreement"
)

// An altTest is whether a judge can replace an annotator: the result of the
// alternative-annotator test over totals, by question, and how the judge agrees with
// each annotator compared with the other annotators.
type altTest struct {
	Annotators int
	Test       *agreement.AltTestResult      // nil if there are not enough data
	Lacks      *agreement.NotEnoughDataError // what is missing; nil with fewer than two annotators
	Ceilings   []ceilingRow
}

// A ceilingRow is the alpha of totals of the judge and an annotator minus that of
// another annotator and the same annotator, on the score sheets of all three.
type ceilingRow struct {
	Judge, Annotator, Other string
	N                       int
	Totals                  table.Bounded
	Lacks                   string // why there is no figure
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
			if a != b && x.Degenerate[judge] == "" {
				s.Ceilings = append(s.Ceilings, ceiling(&c, x, judge, a, b))
			}
		}
	}
	return s, c.Err
}

// Strictest is the passed verdict with the smallest epsilon, nil if none is passed.
func (s altTest) Strictest() *agreement.AltVerdict {
	var best *agreement.AltVerdict
	for i, v := range s.Test.Verdicts {
		if v.Passes && (best == nil || v.Epsilon < best.Epsilon) {
			best = &s.Test.Verdicts[i]
		}
	}
	return best
}

// totalsByItem aligns the totals of the judge and the annotators. An item is an
// answer and a repeat.
func totalsByItem(x *dataset.Dataset, judge int, who []int) (rater agreement.Rater, people []agreement.Rater, questions []int) {
	type item struct{ answer, repeat int }
	var items []item
	totals, first := map[item]map[int]float64{}, FirstTotals(x, judge)
	for _, j := range who {
		for _, s := range x.Valid(j) {
			key := item{s.Answer, s.Repeat}
			if totals[key] == nil {
				totals[key], items, questions = map[int]float64{}, append(items, key), append(questions, x.Question[s.Answer])
			}
			totals[key][j] = s.Total
		}
	}
	add := func(r *agreement.Rater, total float64, ok bool) {
		r.Values, r.Missing = append(r.Values, total), append(r.Missing, !ok)
	}
	people = make([]agreement.Rater, len(who))
	for _, key := range items {
		total, ok := first[key.answer]
		add(&rater, total, ok)
		for k, j := range who {
			total, ok := totals[key][j]
			add(&people[k], total, ok)
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
func ceiling(c *dataset.Calculator, x *dataset.Dataset, judge, a, b int) ceilingRow {
	ours, theirs := common(x.NewRaterPair(dataset.Pairing{Name: x.Judges[judge].Name, Judge: judge, Reference: a, Kind: dataset.KindOfJudge}),
		x.NewRaterPair(dataset.Pairing{Name: x.Judges[b].Name, Judge: b, Reference: a, Kind: dataset.KindHuman}))
	r := ceilingRow{Judge: x.Judges[judge].Name, Annotator: x.Judges[a].Name, Other: x.Judges[b].Name, N: len(ours.Pairs)}
	if r.Lacks = dataset.TooFew(r.N, "answers", objectPairs(ours)); r.Lacks != "" {
		return r
	}
	own, other := ours.Totals(0), theirs.Totals(0)
	d, err := compared.NewLevel(own, x.Resampling()).Over(compared.NewLevel(other, x.Resampling()))
	r.Totals = margin(c, d.Alpha, err)
	return r
}
