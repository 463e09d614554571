package trust_test

import (
	"math"
	"strings"
	"testing"

	"compqa/results/trust"
	"compqa/stats"
)

// side returns a side with points at the questions 0, 1, … under a scenario. At a question with NaN it has no point.
func side(name string, scenario int, points ...float64) (s trust.Side) {
	s.Name = name
	for q, v := range points {
		if !math.IsNaN(v) {
			s.Add(trust.Place{Pair: q, Scenario: scenario}, v)
		}
	}
	return s
}

func paired(t *testing.T, a, b trust.Side) trust.Difference {
	t.Helper()
	differences, err := trust.ComparePaired(a, b)
	if err != nil || len(differences) != 1 {
		t.Fatalf("%v, %+v", err, differences)
	}
	return differences[0]
}

// TestPaired: by hand. a and b share the questions 0, 1, 3, 4 and 5 under scenario 1, where a − b is 1 to 5. The mean is 3, the standard
// error √(10/4/5), and t's 97.5 % quantile with 4 degrees of freedom 2.7764451052. Only a has scenario 2. Raising a raises the difference
// by as much, raising b lowers it, and exchanging the sides changes its sign.
func TestPaired(t *testing.T) {
	none := math.NaN()
	both := func(raisedA, raisedB float64) (a, b trust.Side) {
		a = side("a", 1, 3+raisedA, 4+raisedA, 9, 5+raisedA, 6+raisedA, 7+raisedA)
		for _, p := range side("a", 2, 19, 19, 19).Points {
			a.Add(p.Place, p.Values...)
		}
		return a, side("b", 1, 2+raisedB, 2+raisedB, none, 2+raisedB, 2+raisedB, 2+raisedB, 8)
	}
	a, b := both(0, 0)
	d := paired(t, a, b)
	half := 2.7764451051977987 * math.Sqrt(10./4/5)
	if !near(d.Value.Value, 3) || !near(d.Value.Low, 3-half) || !near(d.Value.High, 3+half) || d.Value.N != 5 {
		t.Errorf("%+v, want 3 ± %v of 5 questions", d.Value, half)
	}
	if d.A != "a" || d.B != "b" || !near(d.First.Value, 5) || !near(d.Second.Value, 2) || !(d.P.Value > 0 && d.P.Value < .05) {
		t.Errorf("%+v", d)
	}
	for _, c := range []struct{ raisedA, raisedB, want float64 }{{10, 0, 13}, {0, 10, -7}} {
		a, b := both(c.raisedA, c.raisedB)
		if got := paired(t, a, b); !near(got.Value.Value, c.want) {
			t.Errorf("a raised by %v and b by %v: %v, want %v", c.raisedA, c.raisedB, got.Value.Value, c.want)
		}
	}
	if back := paired(t, b, a); !near(back.Value.Value, -3) || !near(back.Value.Low, -3-half) || back.A != "b" {
		t.Errorf("exchanged: %+v", back)
	}
}

func near(a, b float64) bool { return math.Abs(a-b) < 1e-12 }

// TestPairedTooFew: with four questions the figure is missing, however many scenarios there are. The sentence says why.
func TestPairedTooFew(t *testing.T) {
	var a, b trust.Side
	for q := range 4 {
		for scenario := range 3 {
			a.Add(trust.Place{Pair: q, Scenario: scenario}, float64(q+scenario*q))
			b.Add(trust.Place{Pair: q, Scenario: scenario}, 1)
		}
	}
	d := paired(t, a, b)
	if d.Value.Known || d.Value.Bounded || d.P.Known || d.Value.N != 4 {
		t.Errorf("%+v", d)
	}
	d.By = "j"
	if text := d.Finding().Text; !strings.Contains(text, "not known (4 questions; at least 5 are needed)") {
		t.Errorf("%s", text)
	}
	a.Add(trust.Place{Pair: 9}, 3)
	b.Add(trust.Place{Pair: 9}, 1)
	if d := paired(t, a, b); !d.Value.Known || d.Value.N != stats.FewClusters {
		t.Errorf("five questions: %+v", d)
	}
}

// TestPairedPlaces: several answers at a place count as their mean. Questions are clusters, whatever is asked about a pair and under
// whichever scenario. A side without scenarios is compared with the mean over the other side's scenarios.
func TestPairedPlaces(t *testing.T) {
	var a, b, c trust.Side
	for q := range 5 {
		for scenario := 1; scenario <= 2; scenario++ {
			for _, more := range []float64{0, 2} { // two answers
				a.Add(trust.Place{Pair: q, Scenario: scenario}, float64(q*scenario)+more)
			}
			b.Add(trust.Place{Pair: q, Scenario: scenario}, 0)
		}
		c.Add(trust.Place{Pair: q, Scenario: trust.NoScenario}, 0)
	}
	// means at the places are q·scenario + 1, or 1.5 q + 1 over both scenarios
	byScenario := paired(t, a, b)
	without := paired(t, a, c)
	if !near(byScenario.Value.Value, 4) || byScenario.Value.N != 5 || !near(without.Value.Value, 4) || without.Value.N != 5 {
		t.Errorf("%+v\n%+v", byScenario, without)
	}
	// the differences by question are 1, 2.5, 4, 5.5 and 7, with and without scenarios
	half := 2.7764451051977987 * math.Sqrt(22.5/4/5)
	if !near(without.Value.High, 4+half) || math.Abs(byScenario.Value.High-(4+half)) > 1e-9 {
		t.Errorf("%v and %v, want %v", without.Value.High, byScenario.Value.High, 4+half)
	}
	if d := paired(t, side("a", 1, 1, 2, 3, 4, 5), side("b", 2, 1, 2, 3, 4, 5)); d.Value.Known || d.Value.N != 0 {
		t.Errorf("no scenario of both: %+v", d)
	}
}

// TestApart: if both sides have all places, Apart equals Paired. If they have different questions, the difference is that of their means.
// Raising the first side raises the difference, and raising the second lowers it.
func TestApart(t *testing.T) {
	apart := func(a, b trust.Side) trust.Difference {
		d, err := trust.CompareIndependent(a, b)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	a := side("a", 1, 3, 4, 9, 5, 6, 7)
	b := side("b", 1, 2, 2, 5, 2, 7, 2)
	want := paired(t, a, b)
	got := apart(a, b)
	if !near(got.Value.Value, want.Value.Value) || !near(got.Value.Low, want.Value.Low) || !near(got.P.Value, want.P.Value) || got.Value.N != 6 {
		t.Errorf("%+v, paired %+v", got, want)
	}
	var other trust.Side
	for _, p := range side("", 1, 2, 2, 5, 2, 7, 2).Points {
		p.Pair += 100
		other.Add(p.Place, p.Values...)
	}
	for _, c := range []struct{ a, b, want float64 }{{0, 0, 34./6 - 20./6}, {10, 0, 10 + 14./6}, {0, 10, 14./6 - 10}} {
		raised := func(s trust.Side, by float64) (up trust.Side) {
			for _, p := range s.Points {
				up.Add(p.Place, p.Values[0]+by)
			}
			return up
		}
		if d := apart(raised(a, c.a), raised(other, c.b)); !near(d.Value.Value, c.want) || d.Value.N != 12 {
			t.Errorf("a raised by %v, b by %v: %+v, want %v", c.a, c.b, d.Value, c.want)
		}
	}
	if d := apart(side("a", 1, 1, 2, 3, 4), b); d.Value.Known || d.P.Known {
		t.Errorf("four questions: %+v", d)
	}
}
