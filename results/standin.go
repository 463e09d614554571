package results

import (
	"errors"

	"compqa/data"
	"compqa/stats"
)

// A standIn is what is known of whether a judge may stand in for an annotator:
// the outcome of the alternative-annotator test over totals, by question; and
// whether the judge agrees with an annotator as another annotator does.
type standIn struct {
	annotators int
	test       *stats.AltTestResult  // nil: it cannot be said
	lacks      *stats.CannotSayError // why; nil without annotators
	besides    []ceilingRow
}

// A ceilingRow is the judge's agreement with an annotator less that of another
// annotator, on the sheets that all three have.
type ceilingRow struct {
	annotator, other string
	n                int
	totals, within   margin // of alpha: of totals, and within criteria
}

func (x *index) mayStandIn(judge int) (standIn, error) {
	who := x.annotators()
	s := standIn{annotators: len(who)}
	if len(who) < 2 {
		return s, nil
	}
	var c computer
	rater, people, questions := x.totalsByItem(judge, who)
	test, err := stats.AltTest(rater, people, stats.AltTestOptions{Scoring: stats.NegRMSE, Clusters: questions})
	if err == nil {
		s.test = &test
	} else if !errors.As(err, &s.lacks) {
		c.value(0, err)
	}
	for _, a := range who {
		for _, b := range who {
			if a != b {
				s.besides = append(s.besides, c.beside(x, judge, a, b))
			}
		}
	}
	return s, c.err
}

// totalsByItem lines up the judge's and the annotators' totals: an item is what
// somebody scored once, an answer and a repeat.
func (x *index) totalsByItem(judge int, who []int) (rater stats.Rater, people []stats.Rater, questions []int) {
	type item struct{ answer, repeat int }
	at := map[item]int{}
	var items []item
	for _, j := range who {
		for _, s := range x.valid(j) {
			key := item{s.Answer, s.Repeat}
			if _, ok := at[key]; !ok {
				at[key] = len(items)
				items = append(items, key)
				questions = append(questions, x.question[s.Answer])
			}
		}
	}
	blank := func() stats.Rater {
		r := stats.Rater{Values: make([]float64, len(items)), Missing: make([]bool, len(items))}
		for i := range r.Missing {
			r.Missing[i] = true
		}
		return r
	}
	for _, j := range who {
		r := blank()
		for _, s := range x.valid(j) {
			i := at[item{s.Answer, s.Repeat}]
			r.Values[i], r.Missing[i] = s.Total, false
		}
		people = append(people, r)
	}
	rater = blank()
	first := x.firstTotals(judge)
	for i, key := range items {
		if total, ok := first[key.answer]; ok {
			rater.Values[i], rater.Missing[i] = total, false
		}
	}
	return rater, people, questions
}

// firstTotals are those of a judge's first verdicts, by answer, where these are
// valid.
func (x *index) firstTotals(judge int) map[int]float64 {
	totals := map[int]float64{}
	last := unrecorded
	for _, s := range x.sheets(judge) {
		if s.Answer != last && s.Status == data.Valid {
			totals[s.Answer] = s.Total
		}
		last = s.Answer
	}
	return totals
}

// beside compares the judge with annotator b, as raters of what a scored.
func (c *computer) beside(x *index, judge, a, b int) ceilingRow {
	r := ceilingRow{annotator: x.Judges[a].Name, other: x.Judges[b].Name}
	ours, theirs := common(x.pair(pairing{x.Judges[judge].Name, judge, a, kindOfJudge}), x.pair(pairing{r.other, b, a, kindHuman}))
	r.n = len(ours.pairs)
	of := func(ours, theirs level) margin {
		d, err := stats.AgreementDifference(ours.reference, ours.judge, theirs.judge, ours.questions, x.resampling())
		return c.margin(d.Alpha, err)
	}
	r.totals = of(ours.totals(0), theirs.totals(0))
	r.within = of(ours.withinCriterion(0), theirs.withinCriterion(0))
	return r
}
