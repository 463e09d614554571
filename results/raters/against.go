package raters

import (
	"errors"
	"slices"

	"compqa/stats"
	"compqa/stats/agreement"
)

// Against measures the agreement of a judge with a reference on the units that both rated. Options say which figures the row has. Figures
// that cannot be computed are missing with a reason.
func (t Table) Against(judge, reference Rater, o Options) (r Row) {
	p := t.Pairs(judge, reference)
	r = Row{Judge: judge.Name, Reference: reference.Name, N: len(p.Units), Pairs: len(p.Units), Clusters: stats.Different(p.Clusters),
		Lost: map[Reason]int{}}
	r.Level = o.Level
	if r.Level == "" {
		r.Level = t.Scale.Level
	}
	if t.Sheets != nil {
		sheets := make([]int, len(p.Units))
		for i, unit := range p.Units {
			sheets[i] = t.Sheets[unit]
		}
		r.N = stats.Different(sheets)
	}
	for i, v := range judge.Values {
		if reference.Values[i].Given() && !v.Given() {
			r.Lost[v.Missing()]++
		}
	}
	if r.N == 0 {
		lack(ErrMissing, r.figures()...)
		return r
	}
	m := measure{Row: &r, p: p, t: t, o: o, means: judge.Means}
	if t.Weighted() {
		err := m.weigh(judge, reference)
		if err != nil {
			lack(err, r.figures()...)
			return r
		}
	}
	m.alphas(judge, reference)
	if o.wants(Shares) {
		m.shares()
	}
	if o.wants(Categories) {
		m.categories()
	}
	if o.wants(Differences) {
		m.differences()
	}
	return r
}

// A measure computes the figures of a row of a judge and a reference.
type measure struct {
	*Row
	p     Pairs
	t     Table
	o     Options
	means bool // the judge's values are means over other units

	sample *stats.Sample        // if the table is weighted: the units that the judge rated; else nil
	free   bool                 // if the table is weighted: the judge's value is the same within each stratum
	cross  *agreement.Confusion // if the table is weighted: its cross table of reference and judge
}

// leavesOut reports whether intervals come from leaving out clusters, as they always do for a weighted table.
func (m *measure) leavesOut() bool { return m.sample != nil || m.o.leavesOut(m.Clusters) }

// confusion returns the cross table of reference and judge, weighted if the table is.
func (m *measure) confusion() (*agreement.Confusion, error) {
	if m.sample != nil {
		return m.cross, nil
	}
	return agreement.NewConfusion(m.p.Reference, m.p.Judge, m.t.Scale.Values, m.p.Clusters, m.o.confidence())
}

// flat returns ErrMeans if the order of the judge's values says nothing, else nil. Values that are means over other units differ within a
// criterion only because each leaves out its own cluster.
func (m *measure) flat() error {
	if m.means && (m.t.Centred || stats.Different(m.t.Criteria) < 2) {
		return ErrMeans
	}
	return nil
}

// unscaled returns the reason why equality of values says nothing, or nil: values without their means, or means over other units.
func (m *measure) unscaled() error {
	switch {
	case m.t.Centred:
		return ErrCentred
	case m.means:
		return ErrMeans
	}
	return nil
}

// alphas fills in alpha and the rank and linear correlations. These figures share their bootstrap resamples.
func (m *measure) alphas(judge, reference Rater) {
	if m.sample != nil {
		if m.o.wants(Alpha) {
			m.sampleAlpha(m.t, []Rater{judge, reference}, *m.sample)
		}
		if m.o.wants(Ranks | Rho) {
			m.sampleRanks()
		}
		return
	}
	flat := m.flat()
	ranks := m.o.wants(Ranks | Rho)
	var ratings *agreement.Ratings
	var failed error
	if m.o.wants(Alpha | Levels) {
		ratings, failed = agreement.PairedRatings(m.p.Reference, m.p.Judge)
	}
	alpha := func(level agreement.Level, none error) stats.Figure {
		if none != nil {
			return stats.MissingFigure(none)
		}
		if failed != nil {
			return stats.MissingFigure(failed)
		}
		a, err := agreement.Alpha(ratings, level)
		return known(a.Alpha, err)
	}
	if m.o.wants(Alpha) {
		m.Alpha = alpha(m.Level, nil)
	}
	if m.o.wants(Levels) {
		m.AlphaNominal = alpha(agreement.Nominal, m.unscaled())
		m.AlphaOrdinal = alpha(agreement.Ordinal, flat)
	}
	if ranks {
		figure := func(coefficient func(x, y []float64) (float64, error)) stats.Figure {
			if flat != nil {
				return stats.MissingFigure(flat)
			}
			return known(coefficient(m.p.Reference, m.p.Judge))
		}
		m.Spearman = figure(agreement.Spearman)
		if m.o.wants(Ranks) {
			m.Pearson, m.KendallTauB = figure(agreement.Pearson), figure(agreement.KendallTauB)
		}
	}
	if m.o.Intervals == NoIntervals {
		return
	}
	var resampled *stats.Replicates
	err := error(nil)
	if ranks && m.o.wants(RankIntervals) && (m.o.wants(Compared) || m.Spearman.Known || m.Pearson.Known) {
		resampled, err = agreement.Resample(m.p.Judge, m.p.Reference, m.p.Clusters, m.o.Resampling)
		if m.o.wants(Compared) {
			m.replicates = resampled
		}
		m.bootstrapRanks(resampled, err, flat)
	}
	if m.o.wants(Alpha) {
		m.boundAlpha(ratings, resampled, err)
	}
}

// boundAlpha gives alpha its interval. Below leastResampled clusters it leaves out clusters. Otherwise it uses the resamples in resampled
// if they exist and the level is interval, or draws its own. err says why resampled could not be drawn.
func (m *measure) boundAlpha(ratings *agreement.Ratings, resampled *stats.Replicates, err error) {
	if !m.Alpha.Known {
		return
	}
	var d stats.Distribution
	switch {
	case m.o.leavesOut(m.Clusters):
		m.boundJackknife(agreement.AlphaJackknife(ratings, m.Level, m.p.Clusters, m.o.confidence()))
		return
	case m.Level != agreement.Interval || resampled == nil && err == nil:
		d, err = agreement.AlphaBootstrap(ratings, m.Level, m.p.Clusters, m.o.Resampling)
	case err == nil:
		d, err = resampled.Distribution(agreement.OfAlpha)
	}
	m.boundBootstrap(d, err)
}

// boundJackknife gives alpha its interval from leaving out clusters, and the probabilities that alpha is below the customary thresholds.
func (r *Row) boundJackknife(e stats.Estimate, err error) {
	bound(&r.Alpha, max(-1, e.Low), min(1, e.High), err)
	if !r.Alpha.Bounded || !(e.SE > 0) {
		return
	}
	r.BelowTentative, r.BelowReliable = stats.Number(e.ProbabilityBelow(agreement.AlphaTentative)),
		stats.Number(e.ProbabilityBelow(agreement.AlphaReliable))
}

// boundBootstrap gives alpha its interval from resamples, and the probabilities that alpha is below the customary thresholds.
func (r *Row) boundBootstrap(d stats.Distribution, err error) {
	if d.Resamples > 0 {
		r.Degenerate = stats.Figure{Value: float64(d.Degenerate), Known: true}
	}
	bound(&r.Alpha, max(-1, d.Low), min(1, d.High), err)
	if r.Alpha.Bounded {
		r.BelowTentative = stats.Figure{Value: d.ShareBelow(agreement.AlphaTentative), Known: true}
		r.BelowReliable = stats.Figure{Value: d.ShareBelow(agreement.AlphaReliable), Known: true}
	}
}

// bootstrapRanks gives Spearman's rho and Pearson's r their intervals from resamples. err says why there are no resamples, and flat why
// order says nothing.
func (m *measure) bootstrapRanks(resampled *stats.Replicates, err, flat error) {
	for _, f := range []struct {
		into   *stats.Figure
		figure int
	}{{&m.Spearman, agreement.OfSpearman}, {&m.Pearson, agreement.OfPearson}} {
		if !f.into.Known {
			continue
		}
		var d stats.Distribution
		why := errors.Join(flat, err)
		if why == nil {
			d, why = resampled.Distribution(f.figure)
		}
		low := max(-1, d.Low)
		high := min(1, d.High)
		if m.o.leavesOut(m.Clusters) && why == nil {
			// Use Student's t with the resamples' standard error. With 40 clusters, percentiles of the resamples contain rho in 92.6 % of
			// samples, and this interval in 93.4 %.
			e := stats.Estimate{Value: f.into.Value, SE: d.SE, DF: float64(d.Clusters - 1), Level: m.o.confidence()}
			why = e.SetBounds()
			low = max(-1, e.Low)
			high = min(1, e.High)
		}
		bound(f.into, low, high, why)
	}
}

// shares fills in agreement and accuracy. Accuracy leaves out units on which the reference is tied, and counts a tie of the judge as wrong,
// as half right, or not at all (Ties).
func (m *measure) shares() {
	if err := m.unscaled(); err != nil {
		lack(err, &m.Agreement, &m.Accuracy[TiesWrong], &m.Accuracy[TiesHalf], &m.Accuracy[TiesMissing])
		return
	}
	if m.sample != nil {
		m.Agreement = m.cross.Agreement()
		return
	}
	same := make([]float64, len(m.p.Judge))
	for i, x := range m.p.Judge {
		same[i] = indicator(x == m.p.Reference[i])
	}
	m.Agreement = share(same, m.p.Clusters, m.o)
	if !m.t.Scale.Ties {
		m.Accuracy = [3]stats.Figure{m.Agreement, m.Agreement, m.Agreement}
		return
	}
	var right [3][]float64
	var clusters [3][]int
	for i, x := range m.p.Judge {
		if m.p.Reference[i] == m.t.Scale.Tie {
			continue
		}
		tie := x == m.t.Scale.Tie
		for ties, value := range [3]float64{same[i], max(same[i], indicator(tie)/2), same[i]} {
			if Ties(ties) != TiesMissing || !tie {
				right[ties] = append(right[ties], value)
				clusters[ties] = append(clusters[ties], m.p.Clusters[i])
			}
		}
	}
	for ties := range m.Accuracy {
		m.Accuracy[ties] = share(right[ties], clusters[ties], m.o)
	}
}

// share returns the mean of values in [0, 1] with its clustered interval. If all values are equal or there are too few, the interval is
// Wilson's, with one trial for each cluster.
func share(values []float64, clusters []int, o Options) stats.Figure {
	if len(values) == 0 {
		return stats.MissingFigure(ErrMissing)
	}
	e, err := stats.MeanInterval(values, clusters, o.confidence())
	f := stats.Figure{Value: e.Value, Known: true, N: len(values), Clusters: len(values)}
	if clusters != nil {
		f.Clusters = stats.Different(clusters)
	}
	f.Few = f.Clusters < stats.FewClusters
	if o.Intervals == NoIntervals {
		return f
	}
	low := max(0, e.Low)
	high := min(1, e.High)
	if errors.Is(err, stats.ErrUndefined) && !o.EqualHasNone {
		w, failed := stats.Wilson(int(e.Value*float64(f.Clusters)+0.5), f.Clusters, o.confidence())
		low = w.Low
		high = w.High
		err = failed
	}
	bound(&f, low, high, err)
	return f
}

func indicator(is bool) float64 {
	if is {
		return 1
	}
	return 0
}

// categories fills in the figures of a cross table: kappas, Gwet's AC1, agreement by chance and by a constant, and for yes and no the
// rates.
func (m *measure) categories() {
	if err := m.unscaled(); err != nil {
		lack(err, m.Row.categories()...)
		return
	}
	c, err := m.confusion()
	if err != nil || len(c.Categories) > mostCategories {
		lack(errors.Join(err, ErrCategories), m.Row.categories()...)
		return
	}
	if m.o.Intervals == NoIntervals && m.sample == nil {
		m.Kappa = known(agreement.CohenKappa(m.p.Reference, m.p.Judge))
		return
	}
	m.Agreement, m.AC = c.Agreement(), c.AC1()
	if m.leavesOut() {
		m.Kappa = c.Kappa(false)
	} else {
		m.Kappa = c.ResampledKappa(m.o.Resampling)
	}
	if m.t.Scale.Level != agreement.Nominal {
		m.Quadratic = c.Kappa(true)
	}
	m.rareKappa()
	ofReference, ofJudge, n, _ := c.Margins()
	m.Constant = stats.Figure{Value: slices.Max(ofReference) / n, Known: true}
	m.Chance = stats.Figure{Value: stats.Dot(ofReference, ofJudge) / (n * n), Known: true}
	if m.t.Scale.Rates {
		tpr, tnr, precision, f1 := c.Rates(1, m.free)
		yes, _ := slices.BinarySearch(c.Categories, 1)
		positive := 0.0
		judged := 0.0
		if yes < len(c.Categories) && c.Categories[yes] == 1 {
			positive = ofReference[yes]
			judged = ofJudge[yes]
		}
		m.TPR, m.TNR = frequent(tpr, positive), frequent(tnr, n-positive)
		m.Precision, m.F1 = frequent(precision, judged), frequent(f1, positive)
	}
}

// rareKappa removes the intervals of kappas on a scale of yes and no if the reference has fewer than leastOfClass units of yes or of no.
func (m *measure) rareKappa() {
	if !m.t.Scale.Rates {
		return
	}
	positive := 0.0
	for _, value := range m.p.Reference {
		positive += indicator(value == 1)
	}
	rarest := min(positive, float64(len(m.p.Reference))-positive)
	m.Kappa, m.Quadratic = frequent(m.Kappa, rarest), frequent(m.Quadratic, rarest)
}

// frequent returns a rate of a class, without its interval if the class has fewer than leastOfClass units.
func frequent(rate stats.Figure, units float64) stats.Figure {
	if !rate.Bounded || units >= leastOfClass {
		return rate
	}
	rate = rate.Point()
	rate.Why = ErrRare
	return rate
}

// differences fills in the mean of judge minus reference and the mean absolute difference.
func (m *measure) differences() {
	if m.sample != nil {
		m.sampleDifferences()
		return
	}
	m.MAE = known(agreement.MAE(m.p.Reference, m.p.Judge))
	if m.t.Centred {
		m.Difference = stats.MissingFigure(ErrCentred)
		return
	}
	m.Difference = known(agreement.MeanDifference(m.p.Reference, m.p.Judge)) // judge minus reference: the second argument minus the first
}

// Over returns how much better one judge agrees with a reference than another judge on the same units: the differences of alpha, rho and r.
// Both rows need the option Compared, so that their intervals come from the same resamples. A difference that is equal in all resamples has
// no interval. fault is an error that data cannot excuse.
func (r Row) Over(other Row) (alpha, spearman, pearson stats.Figure, fault error) {
	if r.replicates == nil || other.replicates == nil {
		alpha = stats.MissingFigure(r.Alpha.Why)
		if r.replicates != nil {
			alpha = stats.MissingFigure(other.Alpha.Why)
		}
		return alpha, alpha, alpha, nil
	}
	d := r.replicates.Minus(other.replicates)
	figure := func(k int) stats.Figure {
		x, err := d.Distribution(k)
		switch {
		case err == nil:
			return stats.WithInterval(d.Values[k], x.Low, x.High)
		case errors.Is(err, stats.ErrZeroWidth):
			return stats.Figure{Value: d.Values[k], Known: true, Why: err}
		case !errors.Is(err, stats.ErrUndefined):
			fault = err
		}
		return stats.MissingFigure(err)
	}
	return figure(agreement.OfAlpha), figure(agreement.OfSpearman), figure(agreement.OfPearson), fault
}
