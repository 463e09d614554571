package stats

import (
	"fmt"
	"math"
	"slices"
)

// NoStratum is the stratum of units that labels give no information on. They do not count.
const NoStratum = -1

// A Sample is a population of units of which some are labelled, divided into strata for post-stratification.
type Sample struct {
	Strata    []int     // stratum of each unit, from 0; NoStratum for units that do not count
	Clusters  []int     // cluster of each unit
	Labelled  []bool    // for each unit
	Inclusion []float64 // probability with which each unit was labelled, in (0, 1]; nil: equal within a stratum
}

// Labels returns the indices of the labelled units that count.
func (s Sample) Labels() []int {
	units := make([]int, 0, len(s.Strata))
	for i, h := range s.Strata {
		if h != NoStratum && s.Labelled[i] {
			units = append(units, i)
		}
	}
	return units
}

// Weight returns the weight of each unit. A labelled unit of stratum h has N_h/N · (1/π_i) / Σ_{j labelled in h} 1/π_j, with N_h units
// in the stratum, so that the weights sum to 1 (Horvitz and Thompson 1952; Hájek 1971, within strata). Strata without labels are left out
// of N. Other units have weight 0.
func (s Sample) Weight() []float64 {
	weights := make([]float64, len(s.Strata))
	size := make([]float64, s.strata())
	inverse := make([]float64, s.strata())
	all := 0.0
	labels := s.Labels()
	for _, h := range s.Strata {
		if h != NoStratum {
			size[h]++
		}
	}
	for _, i := range labels {
		inverse[s.Strata[i]] += s.inverse(i)
	}
	for h := range size {
		if inverse[h] > 0 {
			all += size[h]
		}
	}
	for _, i := range labels {
		weights[i] = size[s.Strata[i]] / all * s.inverse(i) / inverse[s.Strata[i]]
	}
	return weights
}

// inverse returns 1/π of a labelled unit, or 1 if the probabilities within a stratum are equal.
func (s Sample) inverse(i int) float64 {
	if s.Inclusion == nil {
		return 1
	}
	return 1 / s.Inclusion[i]
}

// strata returns the number of strata.
func (s Sample) strata() (n int) {
	for _, h := range s.Strata {
		n = max(n, h+1)
	}
	return n
}

// Constant reports whether value is equal for all units of each stratum.
func (s Sample) Constant(value func(unit int) float64) bool {
	first := map[int]float64{}
	for i, h := range s.Strata {
		if h == NoStratum {
			continue
		}
		v, known := first[h]
		if !known {
			first[h] = value(i)
		} else if v != value(i) {
			return false
		}
	}
	return true
}

// Grouped returns the sample with its clusters merged into at most the given number, as equally as possible. Clusters with labels are
// spread first.
func (s Sample) Grouped(most int) Sample {
	numbers := map[int]int{}
	number := func(i int) int {
		n, known := numbers[s.Clusters[i]]
		if !known {
			n = len(numbers) % most
			numbers[s.Clusters[i]] = n
		}
		return n
	}
	for _, i := range s.Labels() {
		number(i)
	}
	clusters := make([]int, len(s.Clusters))
	for i := range clusters {
		clusters[i] = number(i)
	}
	s.Clusters = clusters
	return s
}

// A design turns sums over units, by stratum, into weights of kinds of units. The sums are, in this order: for each stratum the number of
// its units; for each stratum Σ 1/π of its labels; sums over all units; for each cell, a stratum and a kind, the sum of values/π of its
// labels.
type design struct {
	strata, all, kinds int
	cells              [][2]int  // stratum and kind of each cell
	rounding           []float64 // for each sum, the size of the rounding error that is left when all of it is subtracted
	homes              []int     // for each cluster, the stratum of its first label, or strata if it has no label
	labels, clusters   int       // labelled units, and clusters with a labelled unit
}

// NewSums computes the Sums of a sample. labelled adds what a labelled unit contributes to a number of kinds. every returns values of any
// unit, labelled or not; it can be nil.
//
// The weights of a Statistic are first those of the kinds, weighted as in Weight and scaled as if each labelled unit counted once. After
// them come the means of every's values over all units, times the number of labels. When clusters are left out or resampled, the weights
// are computed again (Rao and Wu 1985). Without labels the error is ErrTooShort.
func (s Sample) NewSums(kinds int, labelled func(unit int, add func(kind int, amount float64)),
	every func(unit int) []float64) (*Sums, error) {
	labels := s.Labels()
	if len(labels) == 0 {
		return nil, fmt.Errorf("weighted figures: %w: no labels", ErrTooShort)
	}
	d := &design{strata: s.strata(), kinds: kinds, labels: len(labels)}
	if every != nil {
		d.all = len(every(labels[0]))
	}
	cellOf := make([]int, d.strata*kinds) // 1 + the index of the cell, or 0
	var given []entry                     // what all labels add to cells, one label after the other
	ends := make([]int, len(labels))      // index after the last entry of each label
	for k, i := range labels {
		labelled(i, func(kind int, amount float64) {
			cell := &cellOf[s.Strata[i]*kinds+kind]
			if *cell == 0 {
				d.cells = append(d.cells, [2]int{s.Strata[i], kind})
				*cell = len(d.cells)
			}
			given = append(given, entry{int32(*cell - 1), s.inverse(i) * amount})
		})
		if k == 0 { // other labels usually add equally much
			given = slices.Grow(given, len(labels)*len(given))
		}
		ends[k] = len(given)
	}
	added := 0                  // number of entries that were added
	first := 2*d.strata + d.all // index of the first cell among the sums
	sums, err := NewSums(len(s.Strata), s.Clusters, first+len(d.cells), func(i int, add func(index int, amount float64)) {
		h := s.Strata[i]
		if h == NoStratum {
			return
		}
		add(h, 1)
		if every != nil {
			for k, v := range every(i) {
				add(2*d.strata+k, v)
			}
		}
		if s.Labelled[i] {
			add(d.strata+h, s.inverse(i))
			for _, e := range given[added:ends[0]] {
				add(first+int(e.index), e.amount)
			}
			added = ends[0]
			ends = ends[1:]
		}
	})
	if err != nil {
		return nil, err
	}
	d.find(s)
	for _, v := range sums.raw {
		d.rounding = append(d.rounding, 1e-12*math.Abs(v))
	}
	sums.design, sums.SampleWeights = d, make([]float64, kinds+d.all)
	sums.weigh(sums.SampleWeights, sums.raw)
	return sums, nil
}

// find sets homes, and the number of clusters with labels.
func (d *design) find(s Sample) {
	clusters := make([]int, 0, len(s.Strata))
	for i, h := range s.Strata {
		if h != NoStratum {
			clusters = append(clusters, s.Clusters[i])
		}
	}
	numbers, distinct := NumberPlaces(clusters)
	d.homes = slices.Repeat([]int{d.strata}, len(distinct))
	for i, h := range s.Strata {
		if h == NoStratum {
			continue
		}
		if home := &d.homes[numbers[0]]; s.Labelled[i] && *home == d.strata {
			*home = h
			d.clusters++
		}
		numbers = numbers[1:]
	}
}

// weigh computes weights from sums. The weights of kinds are NaN if no labelled unit is left.
func (d *design) weigh(weights, sums []float64) {
	clear(weights)
	factors := make([]float64, d.strata)
	units := 0.0
	total := 0.0
	for h := range factors {
		size := sums[h]
		inverse := sums[d.strata+h]
		units += size
		if inverse > d.rounding[d.strata+h] {
			total += size
			factors[h] = size / inverse
		}
	}
	first := 2*d.strata + d.all
	for k, cell := range d.cells {
		if v := sums[first+k]; math.Abs(v) > d.rounding[first+k] {
			weights[cell[1]] += factors[cell[0]] * v
		}
	}
	n := float64(d.labels)
	for k := range d.kinds {
		weights[k] *= n / total
	}
	for k, v := range sums[2*d.strata : 2*d.strata+d.all] {
		weights[d.kinds+k] = v * n / units
	}
	if total == 0 {
		for k := range d.kinds {
			weights[k] = math.NaN()
		}
	}
}

// freedom returns the degrees of freedom of a jackknife with deviations e, one for each cluster (Satterthwaite 1946):
//
//	V² / Σ_h (V_h² / (G_h - 1)),  V_h = Σ e² of the clusters whose first label is in stratum h
func (d *design) freedom(e []float64) float64 {
	counts := make([]float64, d.strata+1)
	squares := make([]float64, d.strata+1)
	for c, home := range d.homes {
		counts[home]++
		squares[home] += float64(e[c] * e[c])
	}
	total := 0.0
	parts := 0.0
	for h, v := range squares {
		total += v
		parts += v * v / max(1, counts[h]-1)
	}
	return max(1, total*total/parts)
}
