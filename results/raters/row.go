package raters

import (
	"errors"

	"compqa/stats"
	"compqa/stats/agreement"
)

// A Row is what is said of two raters, or of several. Which figures it has, Options say; a missing one says why.
type Row struct {
	Judge, Reference string
	N, Clusters      int            // units that both rated, or that two or more did; of pooled criteria sheets
	Pairs            int            // of values
	Lost             map[Reason]int // units of the reference without a value of the judge

	Level          agreement.Level // of Alpha
	Alpha          stats.Figure    // Krippendorff's
	AlphaNominal   stats.Figure
	AlphaOrdinal   stats.Figure
	BelowTentative stats.Figure // probability that alpha is below .667: share of the resamples, or by Student's t where clusters are left out
	BelowReliable  stats.Figure // … below .8

	Agreement stats.Figure    // share of equal values, in [0, 1]
	Accuracy  [3]stats.Figure // by Ties: share of equal values where the reference is not a tie
	Kappa     stats.Figure    // Cohen's, unweighted; of several raters Fleiss'
	Quadratic stats.Figure    // Cohen's with quadratic weights
	AC        stats.Figure    // Gwet's AC1 of two raters; of several AC1 at nominal level and else AC2
	TPR, TNR  stats.Figure    // of 1, the reference being right
	Precision stats.Figure
	F1        stats.Figure
	Constant  stats.Figure // share that is equal to the reference's most frequent value
	Chance    stats.Figure // share that is equal if the judge's values are in random order

	Spearman    stats.Figure
	Pearson     stats.Figure
	KendallTauB stats.Figure
	Difference  stats.Figure // judge minus reference, mean
	MAE         stats.Figure

	EqualPairs stats.Figure // of several raters: share of all pairs of ratings of one unit that are equal
	Degenerate stats.Figure // resamples in which alpha is undefined
	Pairwise   stats.Figure // mean over pairs of raters of kappa at nominal level, else of rho; N: pairs of raters
	Undefined  int          // pairs of raters that Pairwise is without, as their ratings do not vary

	replicates *stats.Replicates
}

// Figures name groups of figures of a row.
type Figures uint

const (
	Counts        Figures = 1 << iota // N, Clusters and Lost alone
	Alpha                             // Krippendorff's, at the level of the options
	Levels                            // alpha at nominal and ordinal level, too
	Shares                            // agreement and accuracy
	Categories                        // kappas, AC, floors and, on a scale of yes and no, rates
	Ranks                             // rho, r, tau-b
	RankIntervals                     // their intervals
	Differences                       // judge minus reference, MAE
	PairMeans                         // of several raters: mean over pairs of raters
	Compared                          // with the resamples of other rows of the same units; see Row.Over

	All = 1<<iota - 1 // all figures
)

// Ties say what a judge's tie is where the reference has a decision.
type Ties int

const (
	TiesWrong   Ties = iota // it is wrong
	TiesHalf                // it is half right
	TiesMissing             // it is left out
)

// Intervals say how an interval is made.
type Intervals int

const (
	// ByClusters is the rule of every surface, so that a figure has one interval: Jackknife below leastResampled clusters, and from there
	// on stats.Sums.Bootstrap: percentiles of resamples of clusters, or of many clusters leaving out groups of them. Shares have the
	// clustered interval of a mean, and where all values are equal Wilson's with one trial a cluster.
	ByClusters Intervals = iota
	// Jackknife leaves out clusters, whatever their number; rho has Student's t with the standard error of resamples of
	// clusters.
	Jackknife
	// NoIntervals computes figures alone.
	NoIntervals
)

// leastOfClass is the number of units of a class from which on its rates have intervals.
const leastOfClass = 5

// leastResampled is the number of clusters from which on intervals are percentiles of resamples: with 5 clusters these contain the figure
// in 71 % of samples and not in 95 %, with 10 items in 87 %.
const leastResampled = 50

// leavesOut reports whether intervals are made by leaving out clusters.
func (o Options) leavesOut(clusters int) bool {
	return o.Intervals == Jackknife || o.Intervals == ByClusters && clusters < leastResampled
}

// Options say what a row has. The zero value has every figure, with intervals at 95 %.
type Options struct {
	Figures    Figures          // 0: All
	Level      agreement.Level  // of alpha; "": the scale's
	Intervals  Intervals        //
	Resampling stats.Resampling // seed and name of the draws, and the level of intervals
	// EqualHasNone leaves a share of several raters without an interval where all units have the same: Wilson's is not used.
	EqualHasNone bool
}

func (o Options) wants(f Figures) bool { return o.Figures == 0 || o.Figures&f != 0 }

func (o Options) confidence() float64 {
	if o.Resampling.Level == 0 {
		return 0.95
	}
	return o.Resampling.Level
}

// mostCategories bounds kappas and cross tables: with more distinct values they are measurements, not categories.
const mostCategories = 21

// figures returns all figures of the row.
func (r *Row) figures() []*stats.Figure {
	figures := []*stats.Figure{&r.Agreement}
	for i := range r.Accuracy {
		figures = append(figures, &r.Accuracy[i])
	}
	figures = append(figures, r.categories()...)
	return append(figures, &r.Alpha, &r.AlphaNominal, &r.AlphaOrdinal, &r.BelowTentative, &r.BelowReliable, &r.Spearman, &r.Pearson,
		&r.KendallTauB, &r.Difference, &r.MAE, &r.EqualPairs, &r.Degenerate, &r.Pairwise)
}

// categories returns the figures of a cross table, without the agreement.
func (r *Row) categories() []*stats.Figure {
	return []*stats.Figure{&r.Kappa, &r.Quadratic, &r.AC, &r.Constant, &r.Chance, &r.TPR, &r.TNR, &r.Precision, &r.F1}
}

// lack says why figures are missing.
func lack(why error, figures ...*stats.Figure) {
	for _, f := range figures {
		*f = stats.Lacking(why)
	}
}

// Fault returns the first reason for a missing figure that data cannot excuse, such as a value that is not a number; nil if there is none.
func (r Row) Fault() error {
	for _, f := range r.figures() {
		if f.Why != nil && !errors.Is(f.Why, stats.ErrUndefined) {
			return f.Why
		}
	}
	return nil
}

// known returns a figure without bounds; with an error it is missing.
func known(value float64, err error) stats.Figure {
	if err != nil {
		return stats.Lacking(err)
	}
	return stats.Number(value)
}

// bound gives bounds to a figure that is known, or says why it has none.
func bound(f *stats.Figure, low, high float64, err error) {
	switch {
	case !f.Known:
	case err != nil:
		f.Why = err
	default:
		f.Low = low
		f.High = high
		f.Bounded = true
	}
}
