package labels

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"

	"compqa/stats"
)

// A Variable is known of every unit, labelled or not. Level has the level of each unit, from 0, and Names the name of each level. Ordered
// says that neighbouring levels are similar.
type Variable struct {
	Name    string
	Level   []int
	Names   []string
	Ordered bool
}

// A Difference is a variable on which it depends whether units are labelled.
type Difference struct {
	Variable
	P     float64   // p-value, adjusted for the number of variables (Holm)
	Share []float64 // share of the units of each level that are labelled, in [0, 1]
	Units []int     // number of units of each level
}

// A Design says how labels were chosen, as far as the data show it.
type Design struct {
	Differences []Difference
	Least       float64 // the smallest adjusted p-value of the first round; 1 if nothing was tested
	Strata      []int   // stratum of each unit; all 0 if nothing differs; stats.NoStratum for units of a stratum without labels
	Unlabelled  []Hole  // strata without labels
}

// A Hole is a stratum without labels. It is described by levels of some variables.
type Hole struct {
	Variables, Levels []int // indices into Differences, and the level of each of these variables
	Units             int
}

const (
	leastTested  = 10   // labelled units, and unlabelled units, that a test needs
	leastStratum = 5    // labels that a stratum needs; strata with fewer are merged
	holeShare    = 0.02 // share of all units from which a level without labels is a hole instead of being merged
)

// FindDesign tests whether the labelled units are a random sample of all units. In each round, it tests every variable within the strata of
// the variables found before, at the given level (for instance 0.05, adjusted by Holm), and adds the most significant one. Then units are
// stratified by the variables found. Strata with fewer than 5 labels are merged with a neighbour; large strata without labels are returned
// as Unlabelled.
func FindDesign(labelled []bool, clusters []int, variables []Variable, level float64) (d Design) {
	d.Least = 1
	d.Strata = make([]int, len(labelled))
	n := 0
	for _, is := range labelled {
		n += count(is)
	}
	if n < leastTested || len(labelled)-n < leastTested {
		return d
	}
	rest := slices.DeleteFunc(slices.Clone(variables), func(v Variable) bool { return len(v.Names) < 2 })
	numbers, distinct := stats.NumberPlaces(clusters)
	cells := make([]int, len(labelled)) // cells of all variables found so far, not merged
	for len(rest) > 0 {
		p := make([]float64, len(rest))
		for k, v := range rest {
			p[k] = randomTest(labelled, numbers, len(distinct), v, cells)
		}
		adjusted, err := stats.Holm(p)
		if err != nil {
			return d
		}
		best := 0
		for k := range rest {
			if cmp.Or(cmp.Compare(adjusted[k], adjusted[best]), cmp.Compare(p[k], p[best])) < 0 {
				best = k
			}
		}
		if len(d.Differences) == 0 {
			d.Least = adjusted[best]
		}
		if adjusted[best] >= level {
			break
		}
		found := Difference{Variable: rest[best], P: adjusted[best]}
		found.Share, found.Units = shares(labelled, rest[best])
		for i, l := range found.Level {
			cells[i] = cells[i]*len(found.Names) + l
		}
		cells, _ = stats.NumberPlaces(cells)
		d.Differences, rest = append(d.Differences, found), slices.Delete(rest, best, best+1)
	}
	d.stratify(labelled)
	return d
}

func count(is bool) int {
	if is {
		return 1
	}
	return 0
}

// shares returns, for each level of a variable, the share of its units that are labelled, and the number of its units.
func shares(labelled []bool, v Variable) (share []float64, units []int) {
	share = make([]float64, len(v.Names))
	units = make([]int, len(v.Names))
	for i, l := range v.Level {
		share[l] += float64(count(labelled[i]))
		units[l]++
	}
	for l := range share {
		share[l] /= math.Max(1, float64(units[l]))
	}
	return share, units
}

// randomTest returns the p-value of the hypothesis that being labelled does not depend on a variable within strata. It is the score test of
// a logistic regression of "labelled" on the variable's levels, robust to clusters. z_i = l_i - l̄ is l_i, 1 if unit i is labelled and
// else 0, minus its mean in the stratum. x_i are the indicators of the levels minus their means in the stratum. With U_c = Σ_{i in c} z_i
// x_i for each cluster c,
//
//	T = U' (Σ_c U_c U_c')⁻ U,  U = Σ_c U_c,  T (G-k) / (k (G-1)) ~ F(k, G-k)
//
// with rank k and G clusters (Boos 1992, generalized score tests; Liang and Zeger 1986). It is 1 if the variable does not vary.
// Clusters and strata are numbered from 0, strata in order of first appearance.
func randomTest(labelled []bool, clusters []int, groups int, v Variable, strata []int) float64 {
	levels := len(v.Names) - 1 // the last level is determined by the others
	size := []float64{}
	marked := []float64{}
	means := [][]float64{}
	for i, s := range strata {
		if s == len(size) {
			size = append(size, 0)
			marked = append(marked, 0)
			means = append(means, make([]float64, levels))
		}
		size[s]++
		marked[s] += float64(count(labelled[i]))
		if l := v.Level[i]; l < levels {
			means[s][l]++
		}
	}
	sums := mat.NewDense(groups, levels, nil)
	for i, s := range strata {
		z := float64(count(labelled[i])) - marked[s]/size[s]
		row := sums.RawRowView(clusters[i])
		for l := range row {
			row[l] += z * (float64(count(v.Level[i] == l)) - means[s][l]/size[s])
		}
	}
	total := make([]float64, levels)
	for c := range groups {
		for l, u := range sums.RawRowView(c) {
			total[l] += u
		}
	}
	var spread mat.SymDense
	spread.SymOuterK(1, sums.T())
	var eigen mat.EigenSym
	if !eigen.Factorize(&spread, true) {
		return 1
	}
	var vectors mat.Dense
	eigen.VectorsTo(&vectors)
	values := eigen.Values(nil)
	rank := 0
	statistic := 0.0
	for k, value := range values {
		if value > 1e-9*values[len(values)-1] && value > 1e-12 {
			rank++
			along := mat.Dot(vectors.ColView(k), mat.NewVecDense(levels, total))
			statistic += along * along / value
		}
	}
	if rank == 0 || groups <= rank {
		return 1
	}
	k := float64(rank)
	g := float64(groups)
	return distuv.F{D1: k, D2: g - k}.Survival(statistic * (g - k) / (k * (g - 1)))
}

// stratify divides the units into strata by the levels of all variables found.
func (d *Design) stratify(labelled []bool) {
	units := make([]int, len(labelled))
	for i := range units {
		units[i] = i
	}
	parts := [][]int{units} // units of each stratum
	for k, found := range d.Differences {
		var next [][]int
		for _, units := range parts {
			next = append(next, d.split(k, found, units, labelled)...)
		}
		parts = next
	}
	for i := range d.Strata {
		d.Strata[i] = stats.NoStratum
	}
	for s, units := range parts {
		for _, i := range units {
			d.Strata[i] = s
		}
	}
}

// split divides the units of a stratum by the levels of a variable. A level without labels that is not a small part of all units is a hole.
// Other levels with fewer than 5 labels are merged: with a neighbouring level if the levels are ordered, else with the level with fewest
// labels.
func (d *Design) split(k int, found Difference, units []int, labelled []bool) (parts [][]int) {
	n := make([]int, len(found.Names))
	sizes := make([]int, len(found.Names))
	parts = make([][]int, len(found.Names))
	for _, i := range units {
		sizes[found.Level[i]]++
	}
	for l, size := range sizes {
		parts[l] = make([]int, 0, size)
	}
	for _, i := range units {
		l := found.Level[i]
		parts[l] = append(parts[l], i)
		n[l] += count(labelled[i])
	}
	for l := range parts {
		if n[l] == 0 && float64(len(parts[l])) >= max(leastStratum, holeShare*float64(len(labelled))) {
			d.Unlabelled = append(d.Unlabelled, Hole{Variables: []int{k}, Levels: []int{l}, Units: len(parts[l])})
			for j, before := range d.Differences[:k] {
				if level, same := levelOf(before, parts[l]), sameLevel(before, units); same {
					hole := &d.Unlabelled[len(d.Unlabelled)-1]
					hole.Variables = append(hole.Variables, j)
					hole.Levels = append(hole.Levels, level)
				}
			}
			parts[l] = nil
		}
	}
	type part struct {
		units []int
		n     int
	}
	var kept []part
	for l := range parts {
		if len(parts[l]) > 0 {
			kept = append(kept, part{parts[l], n[l]})
		}
	}
	for len(kept) > 1 {
		least := 0
		for j := range kept {
			if kept[j].n < kept[least].n {
				least = j
			}
		}
		if kept[least].n >= leastStratum {
			break
		}
		with := -1
		for j := range kept {
			near := !found.Ordered || j == least-1 || j == least+1
			if j != least && near && (with < 0 || kept[j].n < kept[with].n) {
				with = j
			}
		}
		kept[with] = part{slices.Concat(kept[with].units, kept[least].units), kept[with].n + kept[least].n}
		kept = slices.Delete(kept, least, least+1)
	}
	parts = parts[:0]
	for _, p := range kept {
		parts = append(parts, p.units)
	}
	return parts
}

func levelOf(v Difference, units []int) int { return v.Level[units[0]] }

func sameLevel(v Difference, units []int) bool {
	return !slices.ContainsFunc(units, func(i int) bool { return v.Level[i] != v.Level[units[0]] })
}
