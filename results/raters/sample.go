package raters

import (
	"math"
	"slices"

	"compqa/stats"
	"compqa/stats/agreement"
)

// Sample returns a sample of a weighted table for package stats: the units for which in is true. A unit counts as labelled if labelled is
// true for it, too. The sample has the units' strata, clusters and inclusion probabilities.
func (t Table) Sample(in, labelled func(unit int) bool) stats.Sample {
	s := stats.Sample{Strata: slices.Clone(t.Strata), Clusters: t.clusters(), Labelled: make([]bool, len(t.Units)), Inclusion: t.Inclusion}
	for i := range t.Units {
		if !in(i) {
			s.Strata[i] = stats.NoStratum
		}
		s.Labelled[i] = s.Strata[i] != stats.NoStratum && labelled(i)
	}
	return s
}

// mostGroups is the greatest number of groups into which clusters are merged when there are more than mostCategories different values. The
// time to leave out each group grows with their number.
const mostGroups = 200

// weigh sets m.sample to the units that the judge rated, and m.cross to the weighted cross table of the units that the reference rated,
// too. It returns ErrMissing if no unit that the reference rated has a stratum.
func (m *measure) weigh(judge, reference Rater) error {
	sample := m.t.Sample(func(i int) bool { return judge.Values[i].Given() }, func(i int) bool { return reference.Values[i].Given() })
	if len(sample.Labels()) == 0 {
		return ErrMissing
	}
	var x, y []float64
	for k, i := range m.p.Units {
		if m.t.Strata[i] != stats.NoStratum {
			x = append(x, m.p.Reference[k])
			y = append(y, m.p.Judge[k])
		}
	}
	c, err := agreement.NewSampleConfusion(x, y, m.t.Scale.Values, sample, m.o.confidence())
	if err == nil && len(c.Categories) > mostCategories {
		c, err = agreement.NewSampleConfusion(x, y, m.t.Scale.Values, sample.Grouped(mostGroups), m.o.confidence())
	}
	if err != nil {
		return err
	}
	m.sample, m.cross, m.free = &sample, c, sample.Constant(func(i int) float64 { return judge.Values[i].Number() })
	return nil
}

// sampleRanks fills in the rank correlation of a weighted sample, with an interval if that is wanted.
func (m *measure) sampleRanks() {
	err := m.flat()
	if err != nil {
		m.Spearman = stats.MissingFigure(err)
		return
	}
	without, err := m.cross.Replicates()
	if err != nil {
		m.Spearman = stats.MissingFigure(err)
		return
	}
	e, err := without.Jackknife(agreement.OfSpearman, m.o.confidence())
	m.Spearman = jackknifed(e, err)
	if !m.o.wants(RankIntervals) {
		m.Spearman = m.Spearman.Point()
	}
}

// jackknifed returns a coefficient in [-1, 1] with its interval from leaving out clusters. The figure is missing if the coefficient is
// undefined.
func jackknifed(e stats.Estimate, err error) stats.Figure {
	if !stats.IsFinite(e.Value) {
		return stats.MissingFigure(err)
	}
	f := stats.Number(e.Value)
	bound(&f, max(-1, e.Low), min(1, e.High), err)
	return f
}

// SetAlpha returns alpha of people's sets of right options, with the MASI distance. units has the sets of each item. The interval comes
// from leaving out clusters.
func SetAlpha(units [][]agreement.Set, clusters []int, level float64) stats.Figure {
	e, err := agreement.SetAlpha(units, clusters, agreement.MASI, level)
	if err != nil && e.N == 0 {
		return stats.MissingFigure(err)
	}
	return jackknifed(e, err)
}

// sampleAlpha fills in alpha of several raters, weighted to the sample, at nominal or interval level.
func (r *Row) sampleAlpha(t Table, raters []Rater, sample stats.Sample) {
	var values []float64
	for _, i := range sample.Labels() {
		values = append(values, givenBy(raters, i)...)
	}
	if len(values) == 0 {
		r.Alpha = stats.MissingFigure(ErrMissing)
		return
	}
	slices.Sort(values)
	distances := agreement.NewDistances(values, r.Level)
	kinds := len(distances.UnitSums(values[:1]))
	sums, err := sample.NewSums(kinds, func(i int, add func(kind int, amount float64)) {
		for k, v := range distances.UnitSums(givenBy(raters, i)) {
			if v != 0 {
				add(k, v)
			}
		}
	}, nil)
	if err != nil {
		r.Alpha = stats.MissingFigure(err)
		return
	}
	const confidence = 0.95
	e, err := sums.LeaveOut(func(sums []float64) []float64 { return []float64{distances.Alpha(sums)} }).Jackknife(0, confidence)
	r.Alpha = jackknifed(e, err)
}

// sampleDifferences fills in the weighted means of judge minus reference and of its absolute value.
func (m *measure) sampleDifferences() {
	weights := m.sample.Weight()
	sum := 0.0
	size := 0.0
	all := 0.0
	for k, d := range m.p.JudgeMinusReference() {
		w := weights[m.p.Units[k]]
		sum += w * d
		size += w * math.Abs(d)
		all += w
	}
	m.Difference, m.MAE = stats.Number(sum/all), stats.Number(size/all)
}
