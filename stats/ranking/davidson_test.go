package ranking

import (
	"errors"
	"math"
	"testing"

	"compqa/stats"
	"compqa/stats/statstest"
)

// Two items with one win each and four ties are equal, and tie in v/(1+v) of
// matches: v = 2.
func TestDavidsonEqualItems(t *testing.T) {
	matches := []Match{{A: 0, B: 1}, {A: 1, B: 0}}
	matches = repeated(4, Match{A: 0, B: 1, Outcome: Tie}, matches)
	s, err := Davidson(2, matches)
	if err != nil {
		t.Fatal(err)
	}
	statstest.WantRel(t, "v", s.Tie, 2, 1e-13)
	statstest.WantRel(t, "strength", s.Strength()[0], 1, 1e-13)
}

// The fit reproduces what the model can: every item's wins and half ties, and
// the number of ties.
func TestDavidsonExpectedOutcomes(t *testing.T) {
	matches := randomMatches(8, 300, 0.3)
	s, err := Davidson(8, matches)
	if err != nil {
		t.Fatal(err)
	}
	p := s.Strength()
	points, ties := make([]float64, 8), 0.0
	for _, m := range matches {
		root := 2 * s.Tie * math.Sqrt(p[m.A]*p[m.B])
		total := p[m.A] + p[m.B] + root
		won := [...]float64{FirstWins: 1, SecondWins: 0, Tie: 0.5}[m.Outcome]
		points[m.A] += won - (p[m.A]+root/2)/total
		points[m.B] += 1 - won - (p[m.B]+root/2)/total
		ties -= root / total
		if m.Outcome == Tie {
			ties++
		}
	}
	for i, v := range append(points, ties) {
		if math.Abs(v) > 1e-9 {
			t.Errorf("sum %d differs from its expectation by %v", i, v)
		}
	}
	if d, err := s.Difference(0, 7, 0.95); err != nil || d.High >= 0 || modelSE(t, s, matches, 0, 7) <= 0 {
		t.Errorf("strength 1 against 8: %+v, %v", d, err)
	}
}

func TestDavidsonWithoutTies(t *testing.T) {
	matches := randomMatches(5, 100, 0)
	bt, err := BradleyTerry(5, matches)
	if err != nil {
		t.Fatal(err)
	}
	s, err := Davidson(5, matches)
	if err != nil {
		t.Fatal(err)
	}
	if s.Tie != 0 || s.Log[0] != bt.Log[0] {
		t.Errorf("v %v, log strengths %v, want 0 and %v", s.Tie, s.Log, bt.Log)
	}
}

func TestDavidsonTieParameter(t *testing.T) {
	tie := Match{A: 0, B: 1, Outcome: Tie}
	for name, c := range map[string]struct {
		items   int
		matches []Match
		exists  bool
	}{
		"ties only":                        {2, []Match{tie, tie}, false},
		"one side only":                    {2, []Match{tie, {A: 0, B: 1}, {A: 0, B: 1}}, false},
		"a win each way":                   {2, []Match{tie, {A: 0, B: 1}, {A: 1, B: 0}}, true},
		"a cycle of two wins and one tie":  {3, []Match{tie, {A: 1, B: 2}, {A: 2, B: 0}}, true},
		"a cycle of one win and two ties":  {3, []Match{tie, {A: 1, B: 2, Outcome: Tie}, {A: 2, B: 0}}, false},
		"an item that only ties":           {3, []Match{{A: 0, B: 1}, {A: 1, B: 0}, {A: 2, B: 0, Outcome: Tie}}, true},
		"a ladder, ties between the rungs": {3, []Match{{A: 0, B: 2}, tie, {A: 1, B: 2, Outcome: Tie}}, false},
	} {
		s, err := Davidson(c.items, c.matches)
		if c.exists && (err != nil || !stats.IsFinite(s.Tie) || s.Tie <= 0) {
			t.Errorf("%s: %v", name, err)
		}
		if !c.exists && !errors.Is(err, ErrTieParameter) {
			t.Errorf("%s: %v, want ErrTieParameter", name, err)
		}
	}
}

// Small random sets of results, of which many have no maximum: each is either
// refused beforehand or fitted to the end. (Where a maximum is claimed and does
// not exist, Newton's method runs away and reports ErrNotConverged.)
func TestDavidsonExistence(t *testing.T) {
	fitted, refused := 0, 0
	for seed := range uint64(3000) {
		rng := stats.NewRNG(seed, "small results")
		items := 2 + rng.Intn(4)
		matches := make([]Match, 1+rng.Intn(4*items))
		for i := range matches {
			a := rng.Intn(items)
			matches[i] = Match{A: a, B: (a + 1 + rng.Intn(items-1)) % items, Outcome: Outcome(rng.Intn(3)), Cluster: i}
		}
		s, err := Davidson(items, matches)
		var unconnected *NotConnectedError
		switch {
		case err == nil:
			fitted++
			for _, v := range s.Log {
				if !(math.Abs(v) < 50) {
					t.Fatalf("seed %d: strengths %v", seed, s.Log)
				}
			}
		case errors.As(err, &unconnected) || errors.Is(err, ErrTieParameter):
			refused++
			if table, _ := countMatches(items, matches); unconnected == nil {
				// Refused for the tie parameter: climbing all the same must not arrive.
				if x, _, err := likelihood(table.likelihood).maximise(make([]float64, items+1)); err == nil && math.Abs(x[items]) < 5 {
					t.Errorf("seed %d: refused, yet there is a maximum at %v of %+v", seed, x, matches)
				}
			}
		default:
			t.Errorf("seed %d: %v of %+v", seed, err, matches)
		}
	}
	if fitted < 500 || refused < 500 {
		t.Errorf("%d fitted, %d refused: the sample is one-sided", fitted, refused)
	}
}
