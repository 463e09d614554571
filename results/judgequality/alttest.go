package judgequality

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"compqa/data"
	compared "compqa/results/agreement"
	"compqa/results/dataset"
	"compqa/results/table"
	"compqa/stats/agreement"
)

// An AltTest is whether a judge can replace an annotator: the result of the
// alternative-annotator test over totals, by question, and how the judge agrees with
// each annotator compared with the other annotators.
type AltTest struct {
	Annotators int          `csv:"annotators"`
	StandIn    string       `csv:"stand_in"` // yes at epsilon …, no, not enough data
	Advantage  table.Figure `csv:"advantage"`
	TieRate    table.Figure `csv:"tie_rate"`
	Rates      string       `csv:"-"` // winning rates, or what the test needs
	// Ceilings compare the judge and another annotator (the floor) by the alpha of their totals with an
	// annotator (the reference), on the score sheets of all three.
	Ceilings []FloorRow `csv:"-"`
}

func newAltTest(c *dataset.Calculator, x *dataset.Dataset, judge int) AltTest {
	who := x.Annotators()
	s := AltTest{Annotators: len(who), StandIn: unknown, Rates: "needs 3 annotators"}
	if len(who) < 2 {
		return s
	}
	rater, people, questions := totalsByItem(x, judge, who)
	test, err := agreement.AltTest(rater, people, agreement.AltTestOptions{Scoring: agreement.NegRMSE, Clusters: questions})
	var lacks *agreement.NotEnoughDataError
	if errors.As(err, &lacks) {
		s.Rates = fmt.Sprintf("needs %d annotators with %d shared score sheets each; the largest number is %d", lacks.NeedAnnotators,
			lacks.NeedItems, lacks.MostItems)
	} else if c.Value(0, err) != nil {
		s.StandIn, s.Advantage, s.TieRate = no, table.Number(test.Advantage), table.Number(test.TieRate)
		var rates []string
		for _, v := range test.Verdicts { // the smallest epsilon first
			epsilon := " at epsilon " + table.Shortest(v.Epsilon)
			if rates = append(rates, fmt.Sprintf("%.2f%s", v.WinningRate, epsilon)); v.Passes && s.StandIn == no {
				s.StandIn = yes + epsilon
			}
		}
		s.Rates = strings.Join(rates, ", ")
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
	add := func(r *agreement.Rater, total float64, ok bool) {
		r.Values, r.Missing = append(r.Values, total), append(r.Missing, !ok)
	}
	var sheets []*dataset.Sheet
	for _, j := range who {
		sheets = append(sheets, x.Valid(j)...)
	}
	first := FirstTotals(x, judge)
	people = make([]agreement.Rater, len(who))
	for _, of := range table.Grouped(sheets, func(s *dataset.Sheet) [2]int { return [2]int{s.Answer, s.Repeat} }) {
		total, ok := first[of[0].Answer]
		add(&rater, total, ok)
		questions = append(questions, x.Question[of[0].Answer])
		for k, j := range who {
			if i := slices.IndexFunc(of, func(s *dataset.Sheet) bool { return s.Judge == j }); i >= 0 {
				add(&people[k], of[i].Total, true)
			} else {
				add(&people[k], 0, false)
			}
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
