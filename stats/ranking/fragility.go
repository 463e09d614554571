package ranking

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"compqa/stats"
)

// Overtaking is the smallest number of matches found whose removal puts another item first, and which they are.
type Overtaking struct {
	Leader  int   // the item that is first with all matches
	First   int   // the item that is first without them
	Matches []int // in ascending order
}

// mostChallengers bounds the items that are tried in the place of the first one.
const mostChallengers = 3

// FewestToOvertake looks for the fewest matches without which another item has the greatest strength: for each of the three next
// items, matches are removed in the order of their influence on the difference of log strengths,
//
//	r_m/I_first - r_m'/I_other,  r = points - expected points,  I_i = Σ_m P(1 - P) of the matches of i
//
// (one Newton step; Broderick, Giordano and Meager 2020, "An automatic finite-sample robustness metric"; of arenas Huang, Shen, Wei
// and Broderick 2025), and the model is fitted again to confirm each number. It is an upper bound: fewer may do. ok is false where
// no fifth of the matches or less does it, or strengths do not exist.
func FewestToOvertake(items int, matches []Match) (o Overtaking, ok bool) {
	whole, err := BradleyTerry(items, matches)
	if err != nil || items < 2 {
		return o, false
	}
	order := make([]int, items)
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(whole.Log[b], whole.Log[a]) })
	first := order[0]
	for _, other := range order[1:min(items, mostChallengers+1)] {
		by := influence(whole.Log, matches, first, other)
		overtaken := func(n int) bool {
			logs, err := logsWithout(items, matches, by[:n])
			return err == nil && logs[other] > logs[first]+1e-9
		}
		most := min(len(by), len(matches)/5)
		if ok {
			most = min(most, len(o.Matches)-1)
		}
		n, found := stats.Fewest(most, overtaken)
		if !found {
			continue
		}
		logs, err := logsWithout(items, matches, by[:n])
		if err != nil {
			continue
		}
		o, ok = Overtaking{first, floats.MaxIdx(logs), slices.Sorted(slices.Values(by[:n]))}, true
	}
	return o, ok
}

// influence are the matches whose removal brings other closer to first, the most influential first.
func influence(logs []float64, matches []Match, first, other int) (order []int) {
	information, moves := make([]float64, len(logs)), make([]float64, len(matches))
	expected := func(m Match) float64 { return 1 / (1 + math.Exp(logs[m.B]-logs[m.A])) }
	for _, m := range matches {
		p := expected(m)
		information[m.A] += p * (1 - p)
		information[m.B] += p * (1 - p)
	}
	points := map[Outcome]float64{FirstWins: 1, Tie: 0.5}
	for k, m := range matches {
		r := points[m.Outcome] - expected(m) // of A; B has -r
		for _, side := range []struct {
			item int
			r    float64
		}{{m.A, r}, {m.B, -r}} {
			switch side.item {
			case first:
				moves[k] += side.r / information[first]
			case other:
				moves[k] -= side.r / information[other]
			}
		}
		if moves[k] > 0 {
			order = append(order, k)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(moves[b], moves[a]) })
	return order
}

// logsWithout returns the log strengths that [BradleyTerry] fits without some matches.
func logsWithout(items int, matches []Match, removed []int) ([]float64, error) {
	out := make([]bool, len(matches))
	for _, k := range removed {
		out[k] = true
	}
	left := make([]Match, 0, len(matches))
	for k, m := range matches {
		if !out[k] {
			left = append(left, m)
		}
	}
	t, err := countMatches(items, left)
	if err != nil {
		return nil, err
	}
	x, _, err := t.splitTies().maximum()
	if err != nil {
		return nil, err
	}
	return x[:items], nil
}

// A Cycle is three items of which each is preferred over the next, and the last over the first, more than one order of strengths
// allows.
type Cycle struct {
	Items [3]int
	P     float64 // two-sided, times the number of triads (Bonferroni)
}

// Cycles are the triads that contradict every Bradley–Terry model, the most certain first: with the log odds λ_ij of each of
// three pairs by itself (the saturated model, half a win added to each side), the model says λ_ab + λ_bc + λ_ca = 0, and
//
//	z = (λ_ab + λ_bc + λ_ca) / √( Σ (1/(w_ij + ½) + 1/(w_ji + ½)) )
//
// is standard normal. A tie is half a win each way. Only triads whose three majorities form a cycle count (Kendall and Babington
// Smith 1940 for circular triads). level is that of p, for instance .05.
func Cycles(items int, matches []Match, level float64) (cycles []Cycle) {
	wins := make([][]float64, items)
	for i := range wins {
		wins[i] = make([]float64, items)
	}
	points := map[Outcome]float64{FirstWins: 1, Tie: 0.5}
	for _, m := range matches {
		wins[m.A][m.B] += points[m.Outcome]
		wins[m.B][m.A] += 1 - points[m.Outcome]
	}
	triads := 0.0
	for a := range items {
		for b := a + 1; b < items; b++ {
			for c := b + 1; c < items; c++ {
				sum, variance, met, ahead := 0.0, 0.0, true, 0
				for _, pair := range [][2]int{{a, b}, {b, c}, {c, a}} {
					x, y := wins[pair[0]][pair[1]], wins[pair[1]][pair[0]]
					met = met && x+y > 0
					sum += math.Log((x + 0.5) / (y + 0.5))
					variance += 1/(x+0.5) + 1/(y+0.5)
					ahead += cmp.Compare(x, y)
					if !met {
						break
					}
				}
				if !met {
					continue
				}
				triads++
				if ahead != 3 && ahead != -3 {
					continue
				}
				z := math.Abs(sum) / math.Sqrt(variance)
				p, err := stats.StudentTSurvival(z, math.MaxFloat64)
				cycle := Cycle{[3]int{a, b, c}, 2 * p}
				if ahead < 0 {
					cycle.Items = [3]int{a, c, b}
				}
				if err == nil {
					cycles = append(cycles, cycle)
				}
			}
		}
	}
	for k := range cycles {
		cycles[k].P = math.Min(1, cycles[k].P*triads)
	}
	cycles = slices.DeleteFunc(cycles, func(c Cycle) bool { return c.P >= level })
	slices.SortStableFunc(cycles, func(a, b Cycle) int { return cmp.Compare(a.P, b.P) })
	return cycles
}
