package ranking

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"compqa/stats"
	"compqa/stats/statstest"
)

// Two items with one win each and four ties are equal. They tie in v/(1+v) of their matches, so v = 2.
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

// The fit reproduces every item's wins plus half ties, and the number of ties.
func TestDavidsonExpectedOutcomes(t *testing.T) {
	matches := randomMatches(8, 300, 0.3)
	s, err := Davidson(8, matches)
	if err != nil {
		t.Fatal(err)
	}
	p := s.Strength()
	points := make([]float64, 8)
	ties := 0.0
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

// Small random sets of results, many without a maximum: each is either refused before the fit, or fitted successfully. If a maximum were
// wrongly assumed to exist, Newton's method would diverge and return ErrNotConverged.
func TestDavidsonExistence(t *testing.T) {
	fitted := 0
	refused := 0
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
				// Refused because of the tie parameter: maximising must not converge either.
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

// A judge that prefers the first place (γ = 4) sees each of 600 pairs in both orders. The true odds of the first item against the second
// are 12.2 : 1 (shared/labels.md). With places in the model the strengths are close to it. Without, counting pairs with different choices
// as ties biases them.
func TestDavidsonPlaces(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 4))
	truth := math.Log(12.2)
	first := math.Log(4)
	var shown, pairs []Match
	for k := range 600 {
		var wins [2]bool // wins of item 0, shown first and shown second
		for order, place := range []int{1, -1} {
			wins[order] = rng.Float64() < winProbability(truth+float64(place)*first)
			m := Match{A: 0, B: 1, Cluster: k, Place: place}
			if !wins[order] {
				m.Outcome = SecondWins
			}
			shown = append(shown, m)
		}
		m := Match{A: 0, B: 1, Cluster: k}
		if !wins[0] {
			m.Outcome = SecondWins
		}
		if wins[0] != wins[1] {
			m.Outcome = Tie
		}
		pairs = append(pairs, m)
	}
	with, err := Davidson(2, shown)
	if err != nil {
		t.Fatal(err)
	}
	if d, _ := with.Difference(0, 1, 0.95); d.Low > truth || d.High < truth || d.High-d.Low > 1 {
		t.Errorf("with places %+v, truth %.3g", d, truth)
	}
	if f, err := with.FirstPlaceEffect(0.95); err != nil || f.Low > first || f.High < first || f.High-f.Low > 1 || f.Value < 0 {
		t.Errorf("place %+v, %v, truth %.3g", f, err, first)
	}
	without, err := Davidson(2, pairs)
	if err != nil {
		t.Fatal(err)
	}
	if odds := math.Exp(without.Log[0] - without.Log[1]); odds < 30 {
		t.Errorf("different choices as ties: odds %.3g, no distortion to correct", odds)
	}
	if _, err := without.FirstPlaceEffect(0.95); !errors.Is(err, stats.ErrUndefined) {
		t.Errorf("a place without places: %v", err)
	}
}

// By hand: shown first, item 0 wins 9 of 10; shown second, 5 of 10. The logits are ln 9 = d + g and 0 = d - g, so d = g = ln(9)/2. With the
// places exchanged, g changes its sign and d does not. With the items exchanged, d changes its sign.
func TestPlacesByHand(t *testing.T) {
	matches := func(place int, swapped bool) (all []Match) {
		for k := range 20 {
			m := Match{A: 0, B: 1, Cluster: k, Place: place}
			if k >= 10 {
				m.Place = -place
			}
			if k == 0 || k >= 15 {
				m.Outcome = SecondWins
			}
			if swapped {
				m = Match{A: 1, B: 0, Cluster: k, Place: -m.Place, Outcome: SecondWins - m.Outcome}
			}
			all = append(all, m)
		}
		return all
	}
	for _, c := range []struct {
		place   int
		swapped bool
	}{{1, false}, {-1, false}, {1, true}} {
		s, err := Davidson(2, matches(c.place, c.swapped))
		if err != nil {
			t.Fatal(err)
		}
		statstest.Near(t, "difference", s.Log[0]-s.Log[1], math.Log(9)/2, 1e-9)
		statstest.Near(t, "place", s.placeLog, float64(c.place)*math.Log(9)/2, 1e-9)
	}
	// With ties: the model is symmetric, so that a tie in each place only changes the tie parameter.
	both := matches(1, false)
	for _, place := range []int{1, -1} {
		both = append(both, Match{A: 0, B: 1, Outcome: Tie, Place: place})
	}
	s, err := Davidson(2, both)
	if err != nil || s.Tie <= 0 || s.placeLog <= 0 {
		t.Errorf("%+v, %v", s, err)
	}
	// The first place always wins, so that the place explains everything.
	for i := range both {
		both[i].Outcome = map[int]Outcome{1: FirstWins, -1: SecondWins}[both[i].Place]
	}
	if _, err := Davidson(2, both); !errors.Is(err, ErrNotConverged) {
		t.Errorf("always the first: %v", err)
	}
}
