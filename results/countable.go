package results

import (
	"math"
	"slices"

	"compqa/data"
	"compqa/rubric"
)

// A CountableRow says how often a judge contradicts the recorded verdict of the
// judge rules on a criterion that can be counted. Two contradict each other when
// they are more than half of the criterion's points apart: people's half point
// contradicts nobody. People are in the table too, because counting has its
// errors: what people contradict as often is not the judge's fault.
type CountableRow struct {
	Judge        string `csv:"judge"`
	Kind         string `csv:"kind"` // judge, human
	Criterion    string `csv:"criterion"`
	N            int    `csv:"n"` // verdicts
	Contradicted int    `csv:"contradicted"`
	Share        Figure `csv:"share"`
	Low          Figure `csv:"share_low"` // clustered by question
	High         Figure `csv:"share_high"`
	Higher       int    `csv:"judge_higher"` // contradicted by more points than the count allows
	Lower        int    `csv:"judge_lower"`
}

// countableCriteria of the built-in rubric say what a program can count: an
// explicit choice, near-repetitions, and 12 to 20 sentences.
var countableCriteria = []string{"7", "13", "15"}

// countingJudge is the judge whose verdicts are counts.
const countingJudge = "rules"

// countable is in the order of judges and criteria; there is none without the
// counting judge or with another rubric.
func (x *index) countable() ([]CountableRow, error) {
	counting := slices.IndexFunc(x.Judges, func(p Party) bool { return p.Name == countingJudge && p.Kind == kindEmbedded })
	if counting < 0 || x.Rubric.Name != rubric.CQA().Name {
		return nil, nil
	}
	counted := map[int]*Sheet{}
	for _, s := range x.valid(counting) {
		counted[s.Answer] = s
	}
	var c computer
	var rows []CountableRow
	for j, p := range x.Judges {
		if j == counting || p.Kind == kindFloor {
			continue
		}
		for _, id := range countableCriteria {
			if r := c.contradictions(x, j, id, counted); r.N > 0 {
				rows = append(rows, r)
			}
		}
	}
	return rows, c.err
}

func (c *computer) contradictions(x *index, judge int, id string, counted map[int]*Sheet) CountableRow {
	r := CountableRow{Judge: x.Judges[judge].Name, Kind: kindOfJudge, Criterion: id}
	if x.people(judge) {
		r.Kind = kindHuman
	}
	at := slices.Index(x.Rubric.IDs(), id)
	limit := x.Rubric.Criteria[at].Max() / 2
	var values sample
	for _, s := range x.sheets(judge) {
		count := counted[s.Answer]
		if s.Status != data.Valid || count == nil {
			continue
		}
		difference := s.Scores[at] - count.Scores[at]
		contradicts := math.Abs(difference) > limit
		values.add(indicator(contradicts), x.question[s.Answer])
		switch {
		case contradicts && difference > 0:
			r.Higher++
		case contradicts:
			r.Lower++
		}
	}
	e := c.share(values)
	r.N, r.Contradicted, r.Share, r.Low, r.High = e.n, r.Higher+r.Lower, e.value, e.low, e.high
	return r
}
