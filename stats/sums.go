package stats

import (
	"encoding/binary"
	"fmt"
	"iter"
	"math"
	"slices"
)

// A Statistic computes one or more figures from weights: the number of units of each kind, or sums over the units. A figure that is not
// finite is undefined. A Statistic does not change the weights, and its next call may overwrite the returned figures.
type Statistic func(weights []float64) []float64

// Sums holds, for each cluster of a sample, what its units add to each weight: 1 to the weight of their kind, or values. From these sums,
// the weights of resamples of clusters, and of all clusters but one, are computed quickly: the time depends on the number of kinds in a
// cluster, not on its number of units.
type Sums struct {
	SampleWeights []float64 // weights of the whole sample

	raw     []float64 // sums over all units; the same as Whole without a design
	design  *design   // turns sums into weights; nil if sums are weights
	forms   []int32   // form of each cluster: clusters that add the same have one form
	entries []entry   // of all forms, one after the other
	ends    []int     // index after the last entry of each form
	parts   bool      // some amount is not a whole number; the last digit of sums then depends on the order of adding
}

// An entry is what one cluster adds to the weight with this index.
type entry struct {
	index  int32
	amount float64
}

// NewSums computes the Sums of some units. give adds what a unit contributes to a number of weights. clusters labels each unit; nil makes
// every unit a cluster. A unit that adds nothing does not count, and neither does a cluster of only such units. Different lengths are
// ErrLength.
func NewSums(units int, clusters []int, weights int, give func(unit int, add func(index int, amount float64))) (*Sums, error) {
	if clusters != nil && len(clusters) != units {
		return nil, fmt.Errorf("%w: %d cluster labels for %d units", ErrLength, len(clusters), units)
	}
	s := &Sums{SampleWeights: make([]float64, weights)}
	s.raw = s.SampleWeights
	var given []entry // of one unit
	add := func(index int, amount float64) {
		s.SampleWeights[index] += amount
		s.parts = s.parts || amount != math.Trunc(amount)
		given = append(given, entry{int32(index), amount})
	}
	forms := newForms(s, units)
	var labels []int // of the units that count
	if clusters != nil {
		labels = make([]int, 0, units)
	}
	for i := range units {
		given = given[:0]
		give(i, add)
		if len(given) == 0 {
			continue
		}
		forms.add(given)
		if clusters != nil {
			labels = append(labels, clusters[i])
		}
	}
	if clusters == nil || Different(labels) == len(s.forms) {
		return s, nil
	}
	g, err := NewGrouping(labels, len(s.forms))
	if err != nil {
		return s, err
	}
	ofUnits := *s
	s.entries = nil
	s.ends = nil
	forms = newForms(s, g.Count())
	place := make([]int, weights) // 1 + the index of a weight's entry for this cluster, or 0
	for _, members := range g.Members() {
		given = given[:0]
		for _, i := range members {
			for _, e := range ofUnits.cluster(i) {
				if place[e.index] == 0 {
					given = append(given, entry{index: e.index})
					place[e.index] = len(given)
				}
				given[place[e.index]-1].amount += e.amount
			}
		}
		for _, e := range given {
			place[e.index] = 0
		}
		forms.add(given)
	}
	return s, nil
}

// mostForms limits how many forms are remembered. If values vary more, clusters are seldom equal.
const mostForms = 1 << 14

// A forms remembers the forms of Sums, to find clusters that add the same.
type forms struct {
	*Sums
	ones  []int32          // 1 + the form that adds 1 to the weight with this index, or 0
	known map[string]int32 // other forms by their entries as bytes
	key   []byte
}

// newForms makes room for the forms of clusters.
func newForms(s *Sums, clusters int) *forms {
	s.forms = make([]int32, 0, clusters)
	return &forms{Sums: s, ones: make([]int32, len(s.SampleWeights)), known: map[string]int32{}}
}

// add adds a cluster with these entries.
func (f *forms) add(entries []entry) {
	if len(entries) == 1 && entries[0].amount == 1 {
		one := &f.ones[entries[0].index]
		if *one == 0 {
			*one = f.form(entries) + 1
		}
		f.forms = append(f.forms, *one-1)
		return
	}
	f.key = f.key[:0]
	for _, e := range entries {
		f.key = binary.LittleEndian.AppendUint32(f.key, uint32(e.index))
		f.key = binary.LittleEndian.AppendUint64(f.key, math.Float64bits(e.amount))
	}
	form, known := f.known[string(f.key)]
	if !known {
		form = f.form(entries)
		if len(f.known) < mostForms {
			f.known[string(f.key)] = form
		}
	}
	f.forms = append(f.forms, form)
}

// form adds a form with these entries, and returns its number.
func (s *Sums) form(entries []entry) int32 {
	s.entries = append(s.entries, entries...)
	s.ends = append(s.ends, len(s.entries))
	return int32(len(s.ends) - 1)
}

// AddUp is NewSums for units that add a value to each weight. values returns these values, or nil for a unit that does not count. The slice
// may be overwritten by the next call, since only sums are kept.
func AddUp(clusters []int, weights int, values func(unit int) []float64) *Sums {
	s, _ := NewSums(len(clusters), clusters, weights, func(unit int, add func(index int, amount float64)) { // lengths are equal
		for k, v := range values(unit) {
			add(k, v)
		}
	})
	return s
}

// Units is NewSums for n units that each have a weight of their own.
func Units(n int, clusters []int) (*Sums, error) {
	return NewSums(n, clusters, n, func(unit int, add func(index int, amount float64)) { add(unit, 1) })
}

// Clusters returns the number of clusters.
func (s *Sums) Clusters() int { return len(s.forms) }

// cluster returns the entries of a cluster.
func (s *Sums) cluster(c int) []entry { return s.formOf(int(s.forms[c])) }

// formOf returns the entries of a form.
func (s *Sums) formOf(form int) []entry {
	from := 0
	if form > 0 {
		from = s.ends[form-1]
	}
	return s.entries[from:s.ends[form]]
}

// Form returns the form of a cluster. Clusters of one form add the same to all weights.
func (s *Sums) Form(cluster int) int { return int(s.forms[cluster]) }

// Forms returns the number of forms.
func (s *Sums) Forms() int { return len(s.ends) }

// Entries iterates over the weights that a cluster of a form adds to, with the amounts.
func (s *Sums) Entries(form int) iter.Seq2[int, float64] {
	return func(yield func(int, float64) bool) {
		for _, e := range s.formOf(form) {
			if !yield(int(e.index), e.amount) {
				return
			}
		}
	}
}

// Replicates holds the figures of a sample, and the same figures of each resample, or without each cluster or group of clusters.
type Replicates struct {
	Values   []float64   // of the whole sample
	ByFigure [][]float64 // by figure, then replicate; NaN if undefined

	o        Resampling
	design   *design
	clusters int
	leftOut  bool  // each replicate leaves out clusters, instead of resampling
	err      error // why there are no resamples
}

func (s *Sums) replicates(values []float64, n int) *Replicates {
	r := &Replicates{Values: slices.Clone(values), ByFigure: make([][]float64, len(values)), clusters: s.Clusters(), design: s.design}
	for k := range r.ByFigure {
		r.ByFigure[k] = make([]float64, 0, n)
	}
	return r
}

// add appends the figures of one replicate. Infinite figures become NaN, undefined.
func (r *Replicates) add(values []float64) {
	for k, v := range values {
		if math.IsInf(v, 0) {
			v = math.NaN()
		}
		r.ByFigure[k] = append(r.ByFigure[k], v)
	}
}

// Samples with leastGrouped clusters or more leave out each of groupsLeftOut random groups of clusters, instead of each cluster. This keeps
// the time from growing with the product of clusters and kinds. The standard error of the standard error is then 2.2 %, as with 1,000
// resamples.
const (
	leastGrouped  = 2000
	groupsLeftOut = 1000
)

// grouped reports whether groups of clusters are left out instead of single clusters.
func (s *Sums) grouped() bool { return s.design == nil && s.Clusters() >= leastGrouped }

// Bootstrap draws as many clusters as there are, with replacement, and computes the figures of each resample (Davison and Hinkley 1997,
// section 3.8). With leastGrouped clusters or more it is LeaveOut, and Distribution then has Student's interval.
//
// With fewer than two clusters, or with impossible options, there are no resamples, and Distribution returns the reason as its error.
func (s *Sums) Bootstrap(o Resampling, figures Statistic) *Replicates {
	o, err := o.WithDefaults()
	if err == nil && s.grouped() {
		r := s.LeaveOut(figures)
		r.o = o
		return r
	}
	r := s.replicates(figures(s.SampleWeights), max(0, o.Resamples))
	r.o = o
	r.err = err
	switch {
	case err != nil:
		return r
	case s.Clusters() == 0:
		r.err = ErrTooShort
		return r
	case s.Clusters() == 1:
		r.err = ErrOneCluster
		return r
	}
	sums := make([]float64, len(s.raw))
	weights := s.scratch(sums)
	times := make([]float64, len(s.ends))
	for b := range o.Resamples {
		s.draw(sums, times, NewRNG(o.Seed, o.Name, uint64(b)))
		s.weigh(weights, sums)
		r.add(figures(weights))
	}
	return r
}

// scratch returns memory for the weights of sums. Without a design, the weights are the sums themselves.
func (s *Sums) scratch(sums []float64) []float64 {
	if s.design == nil {
		return sums
	}
	return make([]float64, len(s.SampleWeights))
}

// weigh computes weights, which scratch returned, from sums.
func (s *Sums) weigh(weights, sums []float64) {
	if s.design != nil {
		s.design.weigh(weights, sums)
	}
}

// draw sets sums to those of a resample: as many random clusters as there are. It sets times to how often each form is drawn, unless
// clusters must be added in the order in which they are drawn.
func (s *Sums) draw(sums, times []float64, rng *RNG) {
	clear(sums)
	clear(times)
	for range s.forms {
		form := s.forms[rng.Intn(len(s.forms))]
		if s.parts {
			s.addForm(sums, int(form), 1)
		} else {
			times[form]++
		}
	}
	for form, n := range times {
		if n > 0 {
			s.addForm(sums, form, n)
		}
	}
}

// addForm adds a form to sums a number of times.
func (s *Sums) addForm(sums []float64, form int, times float64) {
	for _, e := range s.formOf(form) {
		sums[e.index] += times * e.amount
	}
}

// LeaveOut computes the figures without each cluster. Samples with leastGrouped clusters or more and no design leave out each of
// groupsLeftOut random groups instead. The groups are the same for all samples with equally many clusters.
func (s *Sums) LeaveOut(figures Statistic) *Replicates {
	if !s.grouped() {
		return s.leaveEach(figures)
	}
	r := s.replicates(figures(s.SampleWeights), groupsLeftOut)
	r.leftOut = true
	order := make([]int, s.Clusters())
	for i := range order {
		order[i] = i
	}
	NewRNG(1, "groups of clusters").Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
	sums := make([]float64, len(s.raw))
	for group := range groupsLeftOut {
		copy(sums, s.raw)
		for i := group; i < len(order); i += groupsLeftOut {
			for _, e := range s.cluster(order[i]) {
				sums[e.index] -= e.amount
			}
		}
		r.add(figures(sums))
	}
	return r
}

// leaveEach computes the figures without each cluster, once for each form.
func (s *Sums) leaveEach(figures Statistic) *Replicates {
	r := s.replicates(figures(s.SampleWeights), s.Clusters())
	r.leftOut = true
	sums := slices.Clone(s.raw)
	weights := s.scratch(sums)
	first := make([]int, len(s.ends)) // 1 + the first cluster of each form, or 0
	for c, form := range s.forms {
		if like := first[form]; like > 0 {
			for k := range r.ByFigure {
				r.ByFigure[k] = append(r.ByFigure[k], r.ByFigure[k][like-1])
			}
			continue
		}
		first[form] = c + 1
		entries := s.cluster(c)
		for _, e := range entries {
			sums[e.index] -= e.amount
		}
		s.weigh(weights, sums)
		r.add(figures(weights))
		for _, e := range entries {
			sums[e.index] = s.raw[e.index]
		}
	}
	return r
}

// Minus returns the replicates of the difference between two samples: the figures of r minus those of other. Both must have been replicated
// in the same way. If the difference's interval excludes 0, the samples differ; overlapping intervals of the two samples do not test this.
func (r *Replicates) Minus(other *Replicates) *Replicates {
	d := &Replicates{o: r.o, clusters: r.clusters, leftOut: r.leftOut, err: r.err, ByFigure: make([][]float64, len(r.ByFigure))}
	if d.err == nil {
		d.err = other.err
	}
	for k, value := range r.Values {
		d.Values = append(d.Values, value-other.Values[k])
		for b, v := range r.ByFigure[k] {
			d.ByFigure[k] = append(d.ByFigure[k], v-other.ByFigure[k][b])
		}
	}
	return d
}

// Distribution returns the distribution of a figure over the resamples with its percentile interval, or with Jackknife's interval if
// clusters were left out. Errors, without an interval: ErrUndefined if the figure of the sample is undefined, ErrDegenerate if more than 1
// % of the resamples are, ErrZeroWidth for equal bounds, ErrOneCluster or ErrTooShort for fewer than two clusters, ErrInvalidValue for
// impossible options.
func (r *Replicates) Distribution(figure int) (Distribution, error) {
	err := r.err
	if err == nil && !IsFinite(r.Values[figure]) {
		err = errNoValue
	}
	if err != nil {
		return Distribution{}, fmt.Errorf("bootstrap: %w", err)
	}
	if r.leftOut {
		e, err := r.Jackknife(figure, r.o.Level)
		return Distribution{Low: e.Low, High: e.High, Level: e.Level, SE: e.SE, Clusters: e.Clusters, leftOut: e}, err
	}
	return r.o.Summarise(slices.DeleteFunc(slices.Clone(r.ByFigure[figure]), math.IsNaN), r.clusters)
}

// Jackknife returns a figure with Student's interval, from its values θ_(c) without each of G clusters, or groups of them (Tukey 1958):
//
//	SE² = (G-1)/G Σ_c (θ_(c) - mean)²,  df = G-1
//
// It is deterministic and symmetric. For a Sample, only clusters with labels count, and the strata determine df (see design.freedom). Fewer
// than two clusters are ErrOneCluster. A figure that is undefined, or undefined without one cluster, is ErrUndefined. Values that do not
// vary are ErrZeroWidth, with the value set.
func (r *Replicates) Jackknife(figure int, level float64) (est Estimate, err error) {
	defer Wrap("jackknife", &err)
	leftOut := r.ByFigure[figure]
	est = Estimate{Value: r.Values[figure], Level: level, Clusters: r.clusters}
	if r.design != nil {
		est.N = r.design.labels
		est.Clusters = r.design.clusters
	}
	if len(leftOut) < 2 {
		return est, ErrOneCluster
	}
	if !IsFinite(est.Value) {
		return est, errNoValue
	}
	if slices.ContainsFunc(leftOut, math.IsNaN) {
		return est, Reason("without one of the clusters the figure is undefined")
	}
	n := float64(len(leftOut))
	e := Deviations(leftOut)
	est.DF = n - 1
	est.SE = math.Sqrt((n - 1) / n * Dot(e, e))
	if est.SE < 1e-13 {
		est.SE = 0
		return est, ErrZeroWidth
	}
	if r.design != nil {
		est.DF = r.design.freedom(e)
	}
	return est, est.SetBounds()
}
