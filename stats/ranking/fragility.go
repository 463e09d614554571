package ranking

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"compqa/stats"
)

// An Overtaking is the smallest set of matches found whose removal puts another item first.
type Overtaking struct {
	Leader  int   // the item that is first with all matches
	First   int   // the item that is first without them
	Matches []int // in ascending order
}

// mostChallengers is the number of items after the first that are tried as the new first.
const mostChallengers = 3

// FewestToOvertake looks for the fewest matches whose removal gives another item the greatest strength. It tries the next three items (see
// stats.Sums.Fewest; for arenas Huang, Shen, Wei and Broderick 2025). Matches with the same items, outcome and places are interchangeable.
// ok is false if a fifth of the matches is not enough, or if strengths do not exist.
func FewestToOvertake(items int, matches []Match) (o Overtaking, ok bool) {
	if _, err := countMatches(items, matches); err != nil {
		return o, false
	}
	alike := make([]Match, len(matches))
	for i, m := range matches {
		alike[i] = m.ordered()
	}
	numbers, kinds := stats.NumberLabels(alike)
	table, err := countMatches(items, kinds)
	if err != nil {
		return o, false
	}
	count, err := stats.NewSums(len(matches), nil, len(kinds), func(i int, add func(kind int, amount float64)) { add(numbers[i], 1) })
	if err != nil {
		return o, false
	}
	whole, _, err := table.weighted(kinds, count.SampleWeights).splitTies().maximum()
	if err != nil {
		return o, false
	}
	logs := func(weights []float64) []float64 {
		t := table.weighted(kinds, weights).splitTies()
		maximum := func() ([]float64, *mat.Cholesky, error) { return t.maximumNear(whole) }
		if slices.Contains(weights, 0) { // all results of a kind are removed, so strengths may not exist any more
			maximum = t.maximum
		}
		x, _, err := maximum()
		if err != nil {
			return nil
		}
		return x
	}
	order := make([]int, items)
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(whole[b], whole[a]) })
	o.Leader = order[0]
	challengers := order[1:min(items, mostChallengers+1)]
	o.Matches, ok = count.Fewest(len(matches)/5, func(weights []float64) []float64 {
		lead := make([]float64, len(challengers))
		left := logs(weights)
		for k, other := range challengers {
			lead[k] = math.NaN()
			if left != nil {
				lead[k] = left[other] - left[o.Leader] - 1e-9
			}
		}
		return lead
	})
	if ok {
		slices.Sort(o.Matches)
		o.First = floats.MaxIdx(logs(count.WeightsWithout(o.Matches))[:items])
	}
	return o, ok
}

// A Cycle is three items of which each is preferred over the next, and the last over the first, more than chance explains if the items had
// an order of strengths.
type Cycle struct {
	Items [3]int
	P     float64 // two-sided p-value, multiplied by the number of triads (Bonferroni)
}

// Cycles returns the triads of items that contradict every Bradley–Terry model, the smallest P first. λ_ij are the log odds of each pair
// by itself (saturated model, half a win added to each side). The model implies λ_ab + λ_bc + λ_ca = 0, so
//
//	z = (λ_ab + λ_bc + λ_ca) / √( Σ (1/(w_ij + ½) + 1/(w_ji + ½)) )
//
// is standard normal. A tie is half a win each way. Only triads whose three majorities form a cycle are returned (Kendall and Babington
// Smith 1940 for circular triads), if P is below level, for instance .05.
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
				sum := 0.0
				variance := 0.0
				met := true
				ahead := 0
				for _, pair := range [][2]int{{a, b}, {b, c}, {c, a}} {
					x := wins[pair[0]][pair[1]]
					y := wins[pair[1]][pair[0]]
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
