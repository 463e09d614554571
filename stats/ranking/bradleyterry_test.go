package ranking

import (
	"errors"
	"math"
	"reflect"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"compqa/stats"
	"compqa/stats/statstest"
)

// repeated appends n equal matches, each on a new question.
func repeated(n int, m Match, matches []Match) []Match {
	for range n {
		m.Cluster = len(matches)
		matches = append(matches, m)
	}
	return matches
}

// randomMatches draws matches of items with strengths 1, 2, 3, …, some of them ties, with two matches on each question.
func randomMatches(items, count int, ties float64) []Match {
	rng := stats.NewRNG(11, "matches", uint64(items), uint64(count))
	matches := make([]Match, count)
	for i := range matches {
		a := rng.Intn(items)
		b := (a + 1 + rng.Intn(items-1)) % items
		m := Match{A: a, B: b, Cluster: i / 2}
		switch p := float64(a+1) / float64(a+b+2); {
		case rng.Float64() < ties:
			m.Outcome = Tie
		case rng.Float64() >= p:
			m.Outcome = SecondWins
		}
		matches[i] = m
	}
	return matches
}

// Two items, 3 wins to 1, by hand: p_1/p_2 = 3, and the information of the difference is 4·(3/4)(1/4) = 3/4, so the model's SE is
// √(4/3). The residuals are three times 1/4 and once -3/4, their squares sum to 3/4, and the sandwich with four questions is 4/3 ·
// (3/4)/(3/4)² = 16/9.
func TestBradleyTerryTwoItems(t *testing.T) {
	matches := repeated(3, Match{A: 0, B: 1}, nil)
	matches = repeated(1, Match{A: 1, B: 0}, matches)
	s, err := BradleyTerry(2, matches)
	if err != nil {
		t.Fatal(err)
	}
	statstest.WantRel(t, "strength", s.Strength()[0], math.Sqrt(3), 1e-14)
	statstest.WantRel(t, "model SE", modelSE(t, s, matches, 0, 1), math.Sqrt(4./3), 1e-14)
	d, err := s.Difference(0, 1, 0.95)
	if err != nil {
		t.Fatal(err)
	}
	statstest.WantRel(t, "difference", d.Value, math.Log(3), 1e-14)
	statstest.WantRel(t, "sandwich SE", d.SE, 4./3, 1e-14)
	one, err := s.Interval(0, 0.95)
	if err != nil {
		t.Fatal(err)
	}
	statstest.WantRel(t, "SE of a strength against the mean", one.SE, 2./3, 1e-14)
	if d.DF != 3 || d.Clusters != 4 || s.Tie != 0 {
		t.Errorf("%+v", d)
	}
}

// The fit solves the likelihood equations: expected wins equal wins.
func TestBradleyTerryExpectedWins(t *testing.T) {
	for _, ties := range []float64{0, 0.3} {
		matches := randomMatches(12, 400, ties)
		s, err := BradleyTerry(12, matches)
		if err != nil {
			t.Fatal(err)
		}
		surplus := make([]float64, 12)
		for _, m := range matches {
			won := [...]float64{FirstWins: 1, SecondWins: 0, Tie: 0.5}[m.Outcome]
			p := s.Strength()[m.A] / (s.Strength()[m.A] + s.Strength()[m.B])
			surplus[m.A] += won - p
			surplus[m.B] -= won - p
		}
		for i, v := range surplus {
			if math.Abs(v) > 1e-10 {
				t.Errorf("item %d wins %v more than expected", i, v)
			}
		}
		if sum := stats.Mean(s.Log); math.Abs(sum) > 1e-14 {
			t.Errorf("mean log strength %v", sum)
		}
	}
}

// Copies of matches on the same questions are not new evidence, although the model's own standard error treats them as such.
func TestBradleyTerryCopies(t *testing.T) {
	matches := randomMatches(5, 100, 0.2)
	once, err := BradleyTerry(5, matches)
	if err != nil {
		t.Fatal(err)
	}
	twice, err := BradleyTerry(5, append(matches, matches...))
	if err != nil {
		t.Fatal(err)
	}
	a, _ := once.Difference(0, 4, 0.95)
	b, _ := twice.Difference(0, 4, 0.95)
	statstest.WantRel(t, "difference", b.Value, a.Value, 1e-12)
	statstest.WantRel(t, "sandwich SE", b.SE, a.SE, 1e-12)
	statstest.WantRel(t, "model SE", modelSE(t, twice, append(matches, matches...), 0, 4), modelSE(t, once, matches, 0, 4)/math.Sqrt2, 1e-12)
}

// Exchanging sides, renaming items and reordering matches change nothing.
func TestBradleyTerryRelabelling(t *testing.T) {
	matches := randomMatches(6, 90, 0.2)
	base, err := BradleyTerry(6, matches)
	if err != nil {
		t.Fatal(err)
	}
	name := []int{3, 5, 0, 1, 4, 2}
	renamed := make([]Match, len(matches))
	for i, m := range matches {
		outcome := [...]Outcome{FirstWins: SecondWins, SecondWins: FirstWins, Tie: Tie}[m.Outcome]
		renamed[len(matches)-1-i] = Match{A: name[m.B], B: name[m.A], Outcome: outcome, Cluster: -m.Cluster}
	}
	other, err := BradleyTerry(6, renamed)
	if err != nil {
		t.Fatal(err)
	}
	for i := range name {
		if math.Abs(other.Log[name[i]]-base.Log[i]) > 1e-12 {
			t.Errorf("item %d: %v, renamed %v", i, base.Log[i], other.Log[name[i]])
		}
	}
	a, _ := base.Difference(1, 2, 0.95)
	b, _ := other.Difference(name[1], name[2], 0.95)
	statstest.WantRel(t, "sandwich SE", b.SE, a.SE, 1e-11)
}

func TestBradleyTerryNotConnected(t *testing.T) {
	for name, c := range map[string]struct {
		items   int
		matches []Match
		want    [][]int
	}{
		"no matches":           {3, nil, [][]int{{0}, {1}, {2}}},
		"never wins":           {3, []Match{{A: 0, B: 1}, {A: 1, B: 0}, {A: 0, B: 2}, {A: 1, B: 2}}, [][]int{{0, 1}, {2}}},
		"two groups":           {4, []Match{{A: 0, B: 2}, {A: 2, B: 0}, {A: 1, B: 3}, {A: 3, B: 1}}, [][]int{{0, 2}, {1, 3}}},
		"a chain":              {3, []Match{{A: 2, B: 1}, {A: 1, B: 0}}, [][]int{{0}, {1}, {2}}},
		"an item not compared": {3, []Match{{A: 0, B: 1, Outcome: Tie}}, [][]int{{0, 1}, {2}}},
	} {
		for model, fit := range map[string]func(int, []Match) (*Strengths, error){"Bradley-Terry": BradleyTerry, "Davidson": Davidson} {
			_, err := fit(c.items, c.matches)
			var unconnected *NotConnectedError
			if !errors.As(err, &unconnected) || !errors.Is(err, stats.ErrUndefined) || !reflect.DeepEqual(unconnected.Components, c.want) {
				t.Errorf("%s, %s: %v, want components %v", model, name, err, c.want)
			}
		}
	}
	// A cycle of wins and a tie connect the items.
	s, err := BradleyTerry(4, []Match{{A: 0, B: 1}, {A: 1, B: 2}, {A: 2, B: 0}, {A: 3, B: 0, Outcome: Tie}})
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range s.Log {
		if math.Abs(v) > 1e-12 {
			t.Errorf("item %d of a symmetric set has log strength %v", i, v)
		}
	}
}

func TestBradleyTerryRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		items int
		match Match
		want  error
	}{
		"one item":        {1, Match{A: 0, B: 0}, stats.ErrTooShort},
		"itself":          {2, Match{A: 1, B: 1}, stats.ErrInvalidValue},
		"out of range":    {2, Match{A: 0, B: 2}, stats.ErrInvalidValue},
		"negative":        {2, Match{A: -1, B: 1}, stats.ErrInvalidValue},
		"unknown outcome": {2, Match{A: 0, B: 1, Outcome: 3}, stats.ErrInvalidValue},
	} {
		if _, err := BradleyTerry(c.items, []Match{c.match}); !errors.Is(err, c.want) {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := Davidson(c.items, []Match{c.match}); !errors.Is(err, c.want) {
			t.Errorf("Davidson, %s: %v", name, err)
		}
	}
	oneQuestion := []Match{{A: 0, B: 1}, {A: 1, B: 0}}
	s, err := BradleyTerry(2, oneQuestion)
	if err != nil {
		t.Fatal(err)
	}
	if d, err := s.Difference(0, 1, 0.95); !errors.Is(err, stats.ErrOneCluster) || d.Low != 0 || d.High != 0 {
		t.Errorf("one question: %+v, %v", d, err)
	}
	if _, err := s.Interval(0, 0.95); !errors.Is(err, stats.ErrOneCluster) {
		t.Errorf("one question: %v", err)
	}
	if _, err := s.Difference(0, 2, 0.95); !errors.Is(err, stats.ErrInvalidValue) {
		t.Errorf("item out of range: %v", err)
	}
	if _, err := s.Interval(-1, 0.95); !errors.Is(err, stats.ErrInvalidValue) {
		t.Errorf("item out of range: %v", err)
	}
	// Each side won once on every question: the residuals cancel.
	cancelling := []Match{{A: 0, B: 1, Cluster: 1}, {A: 1, B: 0, Cluster: 1}, {A: 0, B: 1, Cluster: 2}, {A: 1, B: 0, Cluster: 2}}
	s, err = BradleyTerry(2, cancelling)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Difference(0, 1, 0.95); !errors.Is(err, stats.ErrZeroWidth) {
		t.Errorf("cancelling questions: %v", err)
	}
	if ranks, err := s.Ranks(0.95); err != nil || ranks[0] != (RankInterval{1, 2}) {
		t.Errorf("ranks of cancelling questions: %v, %v", ranks, err)
	}
}

// The sandwich approximates the jackknife by question.
func TestSandwichAgainstJackknife(t *testing.T) {
	const items, questions = 4, 200
	matches := randomMatches(items, 2*questions, 0.3)
	for name, fit := range map[string]func(int, []Match) (*Strengths, error){"Bradley-Terry": BradleyTerry, "Davidson": Davidson} {
		full, err := fit(items, matches)
		if err != nil {
			t.Fatal(err)
		}
		left := make([]float64, questions)
		for q := range left {
			s, err := fit(items, slices.DeleteFunc(slices.Clone(matches), func(m Match) bool { return m.Cluster == q }))
			if err != nil {
				t.Fatal(err)
			}
			left[q] = s.Log[0] - s.Log[3]
		}
		e := stats.Deviations(left)
		d, err := full.Difference(0, 3, 0.95)
		if err != nil {
			t.Fatal(err)
		}
		statstest.WantRel(t, name+": sandwich SE", d.SE, math.Sqrt(stats.Dot(e, e)*(questions-1)/questions), 0.03)
	}
}

// Strong dominance with one upset still has a maximum.
func TestBradleyTerryLopsided(t *testing.T) {
	var matches []Match
	for i := range 3 {
		matches = repeated(100000, Match{A: i, B: i + 1}, matches)
		matches = repeated(1, Match{A: i + 1, B: i}, matches)
	}
	s, err := BradleyTerry(4, matches)
	if err != nil {
		t.Fatal(err)
	}
	statstest.WantRel(t, "top against bottom", s.Log[0]-s.Log[3], 3*math.Log(100000), 1e-12)
}

// Gradients and second derivatives are compared with finite differences.
func TestLikelihoodDerivatives(t *testing.T) {
	matches := randomMatches(4, 60, 0.3)
	for _, size := range []int{4, 5, 6} { // Bradley–Terry, Davidson, Davidson and Beaver
		if size == 6 {
			for i := range matches {
				matches[i].Place = i%3 - 1
			}
		}
		table, err := countMatches(4, matches)
		if err != nil {
			t.Fatal(err)
		}
		x := []float64{0.3, -0.8, 0.1, 0.4, -0.2, 0.7}[:size]
		if size == 4 {
			table = table.splitTies()
		}
		at := func(i int, step float64) (value float64, grad *mat.VecDense) {
			moved := slices.Clone(x)
			moved[i] += step
			value, grad, _ = table.likelihood(moved)
			return value, grad
		}
		_, grad, information := table.likelihood(x)
		constant := 0.0 // the constant that is added to the information, whose rows would sum to 0 over the items
		for j := range 4 {
			constant += information.At(0, j) / 4
		}
		const h = 1e-5
		for i := range size {
			up, gradUp := at(i, h)
			down, gradDown := at(i, -h)
			if slope := (up - down) / (2 * h); math.Abs(slope-grad.AtVec(i)) > 1e-7 {
				t.Errorf("%d parameters: gradient %d is %v, by differences %v", size, i, grad.AtVec(i), slope)
			}
			for j := range size {
				curve := -(gradUp.AtVec(j) - gradDown.AtVec(j)) / (2 * h)
				if i < 4 && j < 4 {
					curve += constant
				}
				if math.Abs(curve-information.At(i, j)) > 1e-7 {
					t.Errorf("%d parameters: information %d,%d is %v, by differences %v", size, i, j, information.At(i, j), curve)
				}
			}
		}
	}
}

func BenchmarkBradleyTerry20Items1e4Matches(b *testing.B) {
	matches := randomMatches(20, 10_000, 0.2)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := BradleyTerry(20, matches); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkDavidson20Items1e4Matches(b *testing.B) {
	matches := randomMatches(20, 10_000, 0.2)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Davidson(20, matches); err != nil {
			b.Fatal(err)
		}
	}
}

// modelSE returns the standard error of log p_i - log p_j for independent matches and without split ties: from the inverse Fisher
// information, as most programs print it. It is too small if several matches share a question.
func modelSE(t *testing.T, s *Strengths, matches []Match, i, j int) float64 {
	t.Helper()
	table, err := countMatches(len(s.Log), matches)
	if err != nil {
		t.Fatal(err)
	}
	x := s.Log
	if s.Tie > 0 {
		x = append(slices.Clone(x), math.Log(s.Tie))
	} else {
		table = table.splitTies()
	}
	_, _, information := table.likelihood(x)
	var inverse mat.Dense
	if err := inverse.Inverse(information); err != nil {
		t.Fatal(err)
	}
	return math.Sqrt(inverse.At(i, i) + inverse.At(j, j) - 2*inverse.At(i, j))
}
