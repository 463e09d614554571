package trust

import (
	"cmp"
	"errors"
	"maps"
	"math"
	"slices"

	"compqa/data"
	"compqa/stats"
)

// NoScenario is the scenario of answers that were not given under a scenario, as those of another source.
const NoScenario = -1

// A Place identifies what was answered: a question, and the scenario under which it was answered.
type Place struct {
	Pair     int // number of the pair of objects, which is the cluster
	Question int // number of the question about the pair
	Scenario int
}

// Compare orders places by pair, question and scenario.
func (p Place) Compare(other Place) int {
	if p.Pair != other.Pair {
		return cmp.Compare(p.Pair, other.Pair)
	}
	if p.Question != other.Question {
		return cmp.Compare(p.Question, other.Question)
	}
	return cmp.Compare(p.Scenario, other.Scenario)
}

// A Point has the points of a side at one place, for each measure: for instance the total and each criterion.
type Point struct {
	Place
	Values []float64
}

// A Side is one of the two sides of a difference: a system, a run, a prompt or a judge.
type Side struct {
	Name   string
	Points []Point
}

// Add adds the points of an answer. Several answers at the same place count as their mean (see MeanByPlace).
func (s *Side) Add(place Place, values ...float64) { s.Points = append(s.Points, Point{place, values}) }

// MeanByPlace returns the side with one point for each place, in the order of places.
func (s Side) MeanByPlace() Side {
	ordered := true
	for i := range s.Points[min(1, len(s.Points)):] {
		ordered = ordered && s.Points[i].Compare(s.Points[i+1].Place) < 0
	}
	if ordered {
		return s
	}
	points := slices.Clone(s.Points)
	slices.SortStableFunc(points, func(a, b Point) int { return a.Compare(b.Place) })
	s.Points = make([]Point, 0, len(points))
	for from, to := 0, 0; from < len(points); from = to {
		for to < len(points) && points[to].Place == points[from].Place {
			to++
		}
		s.Points = append(s.Points, Point{points[from].Place, meanValues(points[from:to])})
	}
	return s
}

// measure returns the values of a measure.
func (s Side) measure(m int) []float64 {
	values := make([]float64, len(s.Points))
	for i := range s.Points {
		values[i] = s.Points[i].Values[m]
	}
	return values
}

// meanValues returns the mean of each measure.
func meanValues(points []Point) []float64 {
	if len(points) == 1 {
		return points[0].Values
	}
	means := make([]float64, len(points[0].Values))
	for m := range means {
		for _, p := range points {
			means[m] += p.Values[m]
		}
		means[m] /= float64(len(points))
	}
	return means
}

// scenarios reports whether any answer of the side was given under a scenario.
func (s Side) scenarios() bool {
	return slices.ContainsFunc(s.Points, func(p Point) bool { return p.Scenario != NoScenario })
}

// OverScenarios returns the side with its mean over scenarios at each question.
func (s Side) OverScenarios() Side {
	s.Points = slices.Clone(s.Points)
	for i := range s.Points {
		s.Points[i].Scenario = NoScenario
	}
	return s.MeanByPlace()
}

// CommonPlaces returns the points of both sides at the places that both have, in the same order. If only one side has scenarios, its mean
// over scenarios at each question is compared with the other side.
func CommonPlaces(first, second Side) (Side, Side) {
	if first.scenarios() != second.scenarios() {
		first = first.OverScenarios()
		second = second.OverScenarios()
	}
	first = first.MeanByPlace()
	if slices.EqualFunc(first.Points, second.Points, func(p, q Point) bool { return p.Place == q.Place }) {
		return first, second
	}
	second = second.MeanByPlace()
	most := min(len(first.Points), len(second.Points))
	a := Side{Name: first.Name, Points: make([]Point, 0, most)}
	b := Side{Name: second.Name, Points: make([]Point, 0, most)}
	for i, j := 0, 0; i < len(first.Points) && j < len(second.Points); {
		switch order := first.Points[i].Compare(second.Points[j].Place); {
		case order < 0:
			i++
		case order > 0:
			j++
		default:
			a.Points = append(a.Points, first.Points[i])
			b.Points = append(b.Points, second.Points[j])
			i++
			j++
		}
	}
	return a, b
}

// ComparePaired returns the first side minus the second, for each measure. It is the mean of
//
//	points of the first - points of the second
//
// over the places that both have (see CommonPlaces), so that the difficulty of a question or scenario cancels. The interval is Student's at
// 95 %, clustered by question. With fewer than stats.FewClusters questions the figure is missing. Systems, runs, prompts and judges are
// compared by no other function. Items.Difference is the same for means that are corrected by people's labels.
func ComparePaired(first, second Side) (differences []Difference, err error) {
	first, second = CommonPlaces(first, second)
	questions := make([]int, len(first.Points))
	n := 0
	for i := range first.Points {
		questions[i] = first.Points[i].Pair
		if i == 0 || questions[i] != questions[i-1] {
			n++
		}
	}
	if n == len(questions) {
		questions = nil // each place is a question of its own
	}
	measures := 1
	if n > 0 {
		measures = len(first.Points[0].Values)
	}
	for m := range measures {
		x := first.measure(m)
		y := second.measure(m)
		d := Difference{A: first.Name, B: second.Name, Value: stats.Figure{N: n}}
		if n > 0 {
			d.First, d.Second = stats.Number(stats.Mean(x)), stats.Number(stats.Mean(y))
		}
		paired, failed := stats.PairedDifference(x, y, questions, level)
		if failed != nil && !errors.Is(failed, stats.ErrUndefined) {
			return nil, failed
		}
		if n >= stats.FewClusters {
			d.Value.Value = paired.Value
			d.Value.Known = true
			if failed == nil {
				d.Value.Low, d.Value.High, d.Value.Bounded, d.P = paired.Low, paired.High, true, stats.Number(paired.P)
			}
		}
		differences = append(differences, d)
	}
	return differences, nil
}

// CompareIndependent returns the first side minus the second, in the first measure, for sides that share few places. It uses all points of
// both:
//
//	mean over scenarios of the first's means - mean over scenarios of the second's means
//
// The interval is Student's at 95 %, from residuals clustered by question (stats.Linearised), so that a question that both sides answered
// counts as a pair. Its degrees of freedom are at most those of the side with fewer questions. The figure is missing if a side has fewer
// than stats.FewClusters questions or only one value in a scenario, or if nothing varies.
func CompareIndependent(first, second Side) (Difference, error) {
	d := Difference{A: first.Name, B: second.Name}
	var samples [][]float64
	var weights []float64
	var questions []int
	fewest := math.Inf(1)
	for i, side := range []Side{first, second} {
		places := map[int][]int{} // by scenario
		asked := map[int]bool{}
		for k, p := range side.Points {
			places[p.Scenario] = append(places[p.Scenario], k)
			asked[p.Pair] = true
		}
		fewest = min(fewest, float64(len(asked)))
		for _, scenario := range slices.Sorted(maps.Keys(places)) {
			var values []float64
			for _, k := range places[scenario] {
				values = append(values, side.Points[k].Values[0])
				questions = append(questions, side.Points[k].Pair)
			}
			if len(values) < 2 {
				return d, nil
			}
			samples = append(samples, values)
			weights = append(weights, float64(1-2*i)/float64(len(places)))
		}
	}
	if fewest < stats.FewClusters {
		return d, nil
	}
	_, values := stats.Linearised(samples, weights)
	e, err := stats.MeanInterval(values, questions, level)
	if err == nil {
		e.DF = min(e.DF, fewest-1)
		err = e.SetBounds()
	}
	p := 0.0
	if err == nil {
		p, err = e.PValue(0)
	}
	switch {
	case errors.Is(err, stats.ErrUndefined):
		return d, nil
	case err != nil:
		return d, err
	}
	d.Value, d.P = stats.WithInterval(e.Value, e.Low, e.High), stats.Number(p)
	d.Value.N = len(data.Among(questions))
	return d, nil
}

// PairedUnits returns Paired of two lists of values of the same units, with the question of each unit.
func PairedUnits(first, second []float64, questions []int) (Difference, error) {
	err := stats.CheckLengths(len(first), len(second))
	if err != nil {
		return Difference{}, err
	}
	var a, b Side
	for i, q := range questions {
		place := Place{Pair: q, Question: i}
		a.Add(place, first[i])
		b.Add(place, second[i])
	}
	differences, err := ComparePaired(a, b)
	if err != nil {
		return Difference{}, err
	}
	return differences[0], nil
}
