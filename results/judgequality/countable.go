package judgequality

import (
	"math"
	"slices"

	"compqa/data"
	"compqa/results/dataset"
	"compqa/results/store"
	"compqa/results/table"
	"compqa/rubric"
	"compqa/stats"
)

// A CountableRow counts how often a judge contradicts the recorded verdict of the judge
// rules on a countable criterion: the scores differ by more than half of the criterion's
// maximum, so a half point given by people is no contradiction. People are included
// because the counts contain errors, too.
type CountableRow struct {
	Judge        string        `csv:"judge"`
	Kind         string        `csv:"kind"` // judge, human
	Criterion    string        `csv:"criterion"`
	N            int           `csv:"n"` // verdicts
	Contradicted int           `csv:"contradicted"`
	Share        table.Bounded `csv:"share"`        // clustered by question
	Higher       int           `csv:"judge_higher"` // more points than the count allows
	Lower        int           `csv:"judge_lower"`
}

// countableCriteria are the criteria of the built-in rubric that a program can count: an
// explicit choice, near-repetitions, and 12 to 20 sentences.
var countableCriteria = []string{"7", "13", "15"}

// countingJudge is the judge whose verdicts are counts.
const countingJudge = "rules"

// countable is in the order of judges and criteria. It is empty without the counting
// judge or with another rubric.
func countable(x *dataset.Dataset) ([]CountableRow, error) {
	counting := slices.IndexFunc(x.Judges, func(p store.Participant) bool { return p.Name == countingJudge && p.Kind == dataset.KindEmbedded })
	if counting < 0 || x.Rubric.Name != rubric.CQA().Name {
		return nil, nil
	}
	counted := map[int]*dataset.Sheet{}
	for _, s := range x.Valid(counting) {
		counted[s.Answer] = s
	}
	var c dataset.Calculator
	var rows []CountableRow
	for j, p := range x.Judges {
		if j == counting || p.Kind == dataset.KindFloor {
			continue
		}
		for _, id := range countableCriteria {
			if r := contradictions(&c, x, j, id, counted); r.N > 0 {
				rows = append(rows, r)
			}
		}
	}
	return rows, c.Err
}

func contradictions(c *dataset.Calculator, x *dataset.Dataset, judge int, id string, counted map[int]*dataset.Sheet) CountableRow {
	r := CountableRow{Judge: x.Judges[judge].Name, Kind: dataset.KindOfJudge, Criterion: id}
	if x.People(judge) {
		r.Kind = dataset.KindHuman
	}
	at := slices.Index(x.Rubric.IDs(), id)
	limit := x.Rubric.Criteria[at].Max() / 2
	var values dataset.Sample
	for _, s := range x.SheetsOf(judge) {
		count := counted[s.Answer]
		if s.Status != data.Valid || count == nil {
			continue
		}
		difference := s.Scores[at] - count.Scores[at]
		contradicts := math.Abs(difference) > limit
		values.Add(dataset.Indicator(contradicts), x.Question[s.Answer])
		switch {
		case contradicts && difference > 0:
			r.Higher++
		case contradicts:
			r.Lower++
		}
	}
	e := c.Share(values, stats.ErrZeroWidth)
	r.N, r.Contradicted, r.Share = e.N, r.Higher+r.Lower, e.Bounded
	return r
}
