package dataset

import (
	"compqa/data"
	"compqa/results/trust"
)

// AnswerTotals has the sum and the number of the valid totals of each answer, over repeats and judges.
type AnswerTotals struct {
	Sum []float64
	N   []int32
}

// AnswerTotals returns the totals that the judges gave to each answer, in points (0–19 with the built-in rubric).
func (x *Dataset) AnswerTotals(judges ...int) AnswerTotals { return x.pointsBy(judges, total) }

func total(s *data.Given) float64 { return s.Total }

// CriteriaTotals returns AnswerTotals with only the points on some criteria.
func (x *Dataset) CriteriaTotals(criteria []int, judges ...int) AnswerTotals {
	return x.pointsBy(judges, func(s *data.Given) (sum float64) {
		for _, c := range criteria {
			sum += s.Scores[c]
		}
		return sum
	})
}

// pointsBy sums the points of the valid sheets of the judges, by answer. It ignores judge -1.
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

// Any reports whether there are any totals.
func (t AnswerTotals) Any() bool { return t.N != nil }

// Of returns the mean total of an answer; ok is false if it has none.
func (t AnswerTotals) Of(answer int) (total float64, ok bool) {
	if !t.Any() || t.N[answer] == 0 {
		return 0, false
	}
	return t.Sum[answer] / float64(t.N[answer]), true
}

// EachDifference calls each with first minus second, for each answer in a table that has both.
func (x *Dataset) EachDifference(first, second AnswerTotals, each func(answer int, difference float64)) {
	for a, c := range x.ConditionOf {
		ours, ok := first.Of(a)
		theirs, too := second.Of(a)
		if ok && too && c >= 0 {
			each(a, ours-theirs)
		}
	}
}

// Items returns the answers in tables that a judge and people scored.
func (x *Dataset) Items(judge, people AnswerTotals) (all trust.Items) {
	x.eachItem(judge, people, func(_ int, item trust.Item) {
		if item.HasPeople {
			all.List = append(all.List, item)
		}
	})
	return all
}

// ItemsByCell returns the items of each condition.
func (x *Dataset) ItemsByCell(judge, people AnswerTotals) []trust.Items {
	cells := make([]trust.Items, len(x.Conditions))
	items := make([]int, len(x.Conditions))
	x.eachItem(judge, people, func(cell int, _ trust.Item) { items[cell]++ })
	for cell, n := range items {
		cells[cell].List = make([]trust.Item, 0, n)
	}
	x.eachItem(judge, people, func(cell int, item trust.Item) { cells[cell].List = append(cells[cell].List, item) })
	return cells
}

// eachItem calls each with the item of each answer in a table that the judge scored. cell is the index of its condition.
func (x *Dataset) eachItem(judge, people AnswerTotals, each func(cell int, item trust.Item)) {
	for a, cell := range x.ConditionOf {
		points, scored := judge.Of(a)
		if !scored || cell < 0 {
			continue
		}
		item := trust.Item{Place: trust.Place{Pair: x.Question[a]}, System: x.Systems[x.Conditions[cell].System].Name, Judge: points}
		item.People, item.HasPeople = people.Of(a)
		each(cell, item)
	}
}

// MeanTolerance is the largest difference, in points, between a recorded mean of people and the mean of their sheets. Published means have
// two decimals.
const MeanTolerance = .0051
