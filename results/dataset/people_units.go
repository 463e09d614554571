package dataset

import (
	"compqa/data"
)

// AnswerTotals are the means of valid totals by answer, over repeats and judges.
type AnswerTotals struct {
	Sum []float64
	N   []int32
}

// AnswerTotals returns the mean total of each answer over the given judges, in points (0–19 of the built-in rubric).
func (x *Dataset) AnswerTotals(judges ...int) AnswerTotals { return x.pointsBy(judges, total) }

func total(s *data.Given) float64 { return s.Total }

// CriteriaTotals are AnswerTotals on some criteria.
func (x *Dataset) CriteriaTotals(criteria []int, judges ...int) AnswerTotals {
	return x.pointsBy(judges, func(s *data.Given) (sum float64) {
		for _, c := range criteria {
			sum += s.Scores[c]
		}
		return sum
	})
}

// pointsBy are the points in the sheets of judges; judge -1 has none.
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

// Of is the mean total of an answer; ok is false if it has none.
func (t AnswerTotals) Of(answer int) (total float64, ok bool) {
	if !t.Any() || t.N[answer] == 0 {
		return 0, false
	}
	return t.Sum[answer] / float64(t.N[answer]), true
}

// EachDifference calls each with first - second for the answers that have both.
func (x *Dataset) EachDifference(first, second AnswerTotals, each func(answer int, difference float64)) {
	for a, c := range x.CellOf {
		ours, ok := first.Of(a)
		theirs, too := second.Of(a)
		if ok && too && c >= 0 {
			each(a, ours-theirs)
		}
	}
}

// A Labelling is the answers of one cell that a judge scored, split by whether they have human scores.
type Labelling struct {
	Human, Judge, Others       []float64
	Questions, OthersQuestions []int
}

// Labellings are the labellings of all cells.
func (x *Dataset) Labellings(people, judge AnswerTotals) []Labelling {
	labellings := make([]Labelling, len(x.Cells))
	for a, c := range x.CellOf {
		points, ok := judge.Of(a)
		if !ok || c < 0 {
			continue
		}
		l := &labellings[c]
		if human, ok := people.Of(a); ok {
			l.Human, l.Judge, l.Questions = append(l.Human, human), append(l.Judge, points), append(l.Questions, x.Question[a])
		} else {
			l.Others, l.OthersQuestions = append(l.Others, points), append(l.OthersQuestions, x.Question[a])
		}
	}
	return labellings
}

// MeanTolerance is the largest difference of a recorded mean of people from the mean of their single sheets, in points: means are
// published with two decimals.
const MeanTolerance = .0051
