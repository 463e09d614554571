package dataset

import (
	"compqa/data"
	"compqa/results/trust"
)

// AnswerTotals are the means of valid totals by answer, over repeats and judges.
type AnswerTotals struct {
	Sum []float64
	N   []int32
}

// AnswerTotals returns the mean total of each answer over the given judges, in points (0–19 of the built-in rubric).
func (x *Dataset) AnswerTotals(judges ...int) AnswerTotals { return x.pointsBy(judges, total) }

func total(s *data.Given) float64 { return s.Total }

// CriteriaTotals returns AnswerTotals on some criteria.
func (x *Dataset) CriteriaTotals(criteria []int, judges ...int) AnswerTotals {
	return x.pointsBy(judges, func(s *data.Given) (sum float64) {
		for _, c := range criteria {
			sum += s.Scores[c]
		}
		return sum
	})
}

// pointsBy returns the points in the sheets of judges; judge -1 has none.
func (x *Dataset) pointsBy(judges []int, points func(*data.Given) float64) (t AnswerTotals) {
	for _, j := range data.Where(judges, func(j int) bool { return j >= 0 }) {
		if !t.Any() {
			t = AnswerTotals{make([]float64, len(x.Answers)), make([]int32, len(x.Answers))}
		}
		for _, s := range x.Valid(j) {
			t.Sum[s.Item] += points(s)
			t.N[s.Item]++
		}
	}
	return t
}

// Any reports whether there are totals at all.
func (t AnswerTotals) Any() bool { return t.N != nil }

// Of returns the mean total of an answer; ok is false if it has none.
func (t AnswerTotals) Of(answer int) (total float64, ok bool) {
	if !t.Any() || t.N[answer] == 0 {
		return 0, false
	}
	return t.Sum[answer] / float64(t.N[answer]), true
}

// EachDifference calls each with first - second for the answers that have both.
func (x *Dataset) EachDifference(first, second AnswerTotals, each func(answer int, difference float64)) {
	for a, c := range x.ConditionOf {
		ours, ok := first.Of(a)
		theirs, too := second.Of(a)
		if ok && too && c >= 0 {
			each(a, ours-theirs)
		}
	}
}

// Items returns the answers in tables that a judge scored, with people's mean of those that they scored.
func (x *Dataset) Items(judge, people AnswerTotals) (all trust.Items) {
	x.eachItem(judge, people, func(_ int, item trust.Item) { all.List = append(all.List, item) })
	return all
}

// ItemsByCell returns the items of each cell.
func (x *Dataset) ItemsByCell(judge, people AnswerTotals) []trust.Items {
	cells := make([]trust.Items, len(x.Conditions))
	x.eachItem(judge, people, func(cell int, item trust.Item) { cells[cell].List = append(cells[cell].List, item) })
	return cells
}

// eachItem calls each with the items of answers in tables.
func (x *Dataset) eachItem(judge, people AnswerTotals, each func(cell int, item trust.Item)) {
	for a, cell := range x.ConditionOf {
		points, scored := judge.Of(a)
		if !scored || cell < 0 {
			continue
		}
		item := trust.Item{Place: trust.Place{Question: x.Question[a]}, System: x.Systems[x.Conditions[cell].System].Name, Judge: points}
		item.People, item.Known = people.Of(a)
		each(cell, item)
	}
}

// MeanTolerance is the largest difference of a recorded mean of people from the mean of their single sheets, in points: means are
// published with two decimals.
const MeanTolerance = .0051
