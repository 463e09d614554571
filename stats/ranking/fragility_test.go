package ranking

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// Item a wins 12 times over b, and b 10 times over a. Three wins of a must be removed (9 to 10); removing two gives a tie.
func TestFewestToOvertake(t *testing.T) {
	var matches []Match
	for i := range 22 {
		m := Match{A: 0, B: 1, Cluster: i}
		if i >= 12 {
			m.Outcome = SecondWins
		}
		matches = append(matches, m)
	}
	o, ok := FewestToOvertake(2, matches)
	if !ok || o.First != 1 || len(o.Matches) != 3 || o.Matches[2] >= 12 {
		t.Errorf("%+v, %t", o, ok)
	}
	if _, ok := FewestToOvertake(2, matches[:13]); ok {
		t.Error("12 of 13 wins are decided by a fifth of them")
	}
}

// The result is confirmed: without these matches another item is first, and with one of them fewer removed it is not.
func TestOvertakingIsConfirmed(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for range 20 {
		var matches []Match
		for k := range 300 {
			a := rng.IntN(4)
			m := Match{A: a, B: (a + 1 + rng.IntN(3)) % 4, Cluster: k}
			if rng.Float64() > 1/(1+math.Exp(0.1*float64(m.A-m.B))) {
				m.Outcome = SecondWins
			}
			matches = append(matches, m)
		}
		o, ok := FewestToOvertake(4, matches)
		if !ok {
			continue
		}
		before, _ := BradleyTerry(4, matches)
		after, err := BradleyTerry(4, slices.DeleteFunc(matches, func(m Match) bool { return slices.Contains(o.Matches, m.Cluster) }))
		for i := range 4 {
			if err != nil || before.Log[i] > before.Log[o.First] && after.Log[i] >= after.Log[o.First] && i == first(before.Log) {
				t.Errorf("%v → %v without %d: %d is not overtaken (%v)", before.Log, after.Log, len(o.Matches), i, err)
			}
		}
	}
}

func first(logs []float64) (best int) {
	for i, v := range logs {
		if v > logs[best] {
			best = i
		}
	}
	return best
}

// Rock beats scissors, scissors beat paper, paper beats rock: this is a cycle. An order with equally many matches is not.
func TestCycles(t *testing.T) {
	var cycle, order []Match
	for i := range 20 {
		won := []Outcome{FirstWins, SecondWins}[map[bool]int{true: 1}[i%5 == 0]]
		cycle = append(cycle, Match{A: 0, B: 1, Outcome: won, Cluster: i}, Match{A: 1, B: 2, Outcome: won, Cluster: i}, Match{A: 2, B: 0, Outcome: won, Cluster: i})
		order = append(order, Match{A: 0, B: 1, Outcome: won, Cluster: i}, Match{A: 1, B: 2, Outcome: won, Cluster: i}, Match{A: 0, B: 2, Outcome: won, Cluster: i})
	}
	if c := Cycles(3, cycle, 0.05); len(c) != 1 || c[0].Items != [3]int{0, 1, 2} {
		t.Errorf("%+v", c)
	}
	// by hand: λ = ln(16.5/4.5) each, z = 3λ/√(3(1/16.5 + 1/4.5)) = 4.23, p = 2.3e-5
	if p := Cycles(3, cycle, 0.05)[0].P; math.Abs(math.Log10(p)+4.63) > 0.03 {
		t.Errorf("p %v", p)
	}
	if c := Cycles(3, order, 0.05); len(c) != 0 {
		t.Errorf("an order is a cycle: %+v", c)
	}
}
