package agreement

import (
	"errors"
	"fmt"
	"strings"

	"compqa/data"
	"compqa/results/dataset"
	"compqa/results/raters"
	"compqa/stats"
	"compqa/stats/agreement"
)

// A UnitsRow says how well raters agree on one criterion of an annotation table. Units counts the units with a rating; pairable units have
// two or more, and alpha and raw agreement use only these. Intervals are at 95 %. If a figure is missing, Note has the reason.
//
// No row covers all criteria, because criteria differ in their scales and in how easily they are met. Besides, 15 ratings of one unit are
// not 15 units.
type UnitsRow struct {
	Criterion string       `csv:"criterion"`
	Level     string       `csv:"level"`
	Units     int          `csv:"units"`
	Pairable  int          `csv:"units_pairable"`
	Clusters  stats.Figure `csv:"clusters"` // clusters with a pairable unit; missing: the table has no clusters
	Raters    stats.Figure `csv:"raters"`   // missing: the file does not name raters
	Ratings   int          `csv:"ratings"`
	Missing   int          `csv:"missing"` // rows without a value

	Values       int          `csv:"values"`        // number of distinct values
	LargestShare stats.Figure `csv:"largest_share"` // share of ratings that have the most frequent value
	Agreement    stats.Figure `csv:"agreement"`     // share of equal pairs among pairs of ratings of one unit

	Alpha         stats.Figure `csv:"alpha,alpha_low,alpha_high"` // resampled by units, or by clusters if there are any
	Below0667     stats.Figure `csv:"p_below_0667"`               // probability that alpha is below .667
	Below0800     stats.Figure `csv:"p_below_0800"`
	Degenerate    stats.Figure `csv:"degenerate"` // number of resamples in which alpha is undefined
	JackknifeLow  stats.Figure `csv:"jackknife_low"`
	JackknifeHigh stats.Figure `csv:"jackknife_high"`

	GwetAC1    stats.Figure `csv:"gwet_ac1"`    // at nominal level
	GwetAC2    stats.Figure `csv:"gwet_ac2"`    // at ordinal level with ordinal weights, at interval and ratio level with quadratic ones
	Kappa      stats.Figure `csv:"kappa"`       // at nominal level: Cohen's kappa, mean over pairs of raters
	Spearman   stats.Figure `csv:"spearman"`    // at other levels: Spearman's rho, mean over pairs of raters
	RaterPairs stats.Figure `csv:"rater_pairs"` // number of pairs of raters in the mean

	Note string `csv:"note"`
}

const (
	// maxCategories is the greatest number of different values for Gwet's coefficients and kappa, whose tables are categories ×
	// categories. More values are measurements, not categories.
	maxCategories = 100
	// maxRaters is the greatest number of raters for which figures of all pairs of raters are computed.
	maxRaters = 200
	// minShared is the least number of common units on which a pair of raters is compared: rho of two units is always 1 or -1.
	minShared = 10
	// testedUnits is the least number of units with which the coverage of alpha's intervals was measured (see stats.AlphaBootstrap).
	testedUnits = 20
)

// Agree computes the agreement of raters on every criterion of a table. A value that does not fit the level or the scale is a
// *data.LineError.
func Agree(j *data.Judgements, o AgreeOptions) ([]UnitsRow, error) {
	var rows []UnitsRow
	for k := range j.Criteria {
		row, err := AgreeOn(j, k, o)
		if err != nil {
			return nil, err
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// AgreeOn computes the agreement of raters on one criterion. criterion is its index in j.Criteria.
func AgreeOn(j *data.Judgements, criterion int, o AgreeOptions) (row UnitsRow, err error) {
	r, err := newRated(j, criterion, o)
	if err != nil {
		return row, err
	}
	r.measure(o.Seed)
	if r.fault != nil {
		return row, fmt.Errorf("agreement on %q: %w", r.Criterion, r.fault)
	}
	r.Note = strings.Join(r.notes, "; ")
	return r.UnitsRow, nil
}

// measure fills in the figures, and notes why a figure is missing. If alpha is missing, it fills in only raw agreement.
func (r *rated) measure(seed uint64) {
	o := raters.Options{Level: r.level, Figures: raters.Alpha | raters.Gwet | raters.PairMeans,
		Resampling: stats.Resampling{Seed: seed, Name: "agree", Level: dataset.Confidence}}
	many := max(len(r.scale), r.Values) > maxCategories
	if many {
		o.Figures &^= raters.Gwet
	}
	if r.anonymous() != "" {
		o.Figures &^= raters.PairMeans
	}
	row := raters.Among(r.ratings, r.clusters, r.scale, o)
	if r.clusters != nil {
		r.Clusters = stats.Count(row.Clusters)
	}
	r.fault = row.Fault()
	r.Pairable, r.Agreement, r.Alpha = row.N, row.EqualPairs.Point(), row.Alpha
	if !row.Alpha.Known {
		r.because("agreement beyond chance", row.Alpha)
		return
	}
	r.because("interval", row.Alpha)
	r.Degenerate = row.Degenerate.Point()
	r.Below0667, r.Below0800 = row.BelowTentative.Point(), row.BelowReliable.Point()
	if row.Alpha.Bounded && row.Clusters < testedUnits {
		r.note("caution: there are %d %s; intervals were tested with %d or more", row.Clusters, r.resampled(), testedUnits)
	}
	r.jackknife(row, o)
	into := &r.GwetAC2
	if r.level == agreement.Nominal {
		into = &r.GwetAC1
	}
	*into = row.AC.Point()
	if many {
		r.note("Gwet's coefficient: for at most %d different values", maxCategories)
	}
	r.because("Gwet's coefficient", row.AC)
	r.pairwise(row)
}

// resampled returns what the bootstrap draws: "units" or "clusters".
func (r *rated) resampled() string {
	if r.clusters != nil {
		return "clusters"
	}
	return "units"
}

// jackknife fills in alpha's interval from leaving out single units or clusters. If alpha's own interval already comes from leaving out, it
// is the same.
func (r *rated) jackknife(row raters.Row, o raters.Options) {
	if row.Degenerate.Known {
		o.Intervals = raters.Jackknife
		o.Figures = raters.Alpha
		row = raters.Among(r.ratings, r.clusters, r.scale, o)
		if r.fault == nil {
			r.fault = row.Fault()
		}
	}
	r.because("jackknife, leaving one out", row.Alpha)
	r.JackknifeLow, r.JackknifeHigh = row.Alpha.Lower(), row.Alpha.Upper()
}

// anonymous returns why pairs of raters are not compared, or "" if they are.
func (r *rated) anonymous() string {
	switch {
	case !r.named:
		return "the file does not say who gave which rating"
	case r.raters > maxRaters:
		return fmt.Sprintf("for at most %d raters", maxRaters)
	case r.level == agreement.Nominal && r.Values > maxCategories:
		return fmt.Sprintf("for at most %d different values", maxCategories)
	}
	return ""
}

// pairwise fills in the mean kappa or rho over pairs of raters, which needs the raters' names. This figure is only descriptive; alpha,
// which uses all ratings at once, has an interval.
func (r *rated) pairwise(row raters.Row) {
	name := "spearman"
	into := &r.Spearman
	if r.level == agreement.Nominal {
		name = "kappa"
		into = &r.Kappa
	}
	if why := r.anonymous(); why != "" {
		r.note("%s: %s", name, why)
		return
	}
	r.RaterPairs, *into = stats.Count(row.Pairwise.N), row.Pairwise.Point()
	switch shared := row.Pairwise.N + row.Undefined; {
	case shared == 0:
		r.note("%s: no two raters have %d units in common", name, minShared)
	case row.Undefined > 0:
		r.note("%s: without %d of %d pairs of raters, whose ratings do not vary", name, row.Undefined, shared)
	}
}

func (r *rated) note(format string, args ...any) {
	r.notes = append(r.notes, fmt.Sprintf(format, args...))
}

// because notes the reason why a figure or its interval is missing, if it is. Some reasons of resampling get plainer words.
func (r *rated) because(what string, figure stats.Figure) {
	reason := figure.Reason()
	switch {
	case reason == "":
		return
	case errors.Is(figure.Why, stats.ErrOneCluster):
		reason = "there is only one " + strings.TrimSuffix(r.resampled(), "s")
	case errors.Is(figure.Why, stats.ErrZeroWidth):
		reason = "alpha is the same in all resamples"
	case errors.Is(figure.Why, stats.ErrDegenerate):
		reason = "in more than 1 % of the resamples the ratings do not vary"
	case errors.Is(figure.Why, stats.ErrNoVariation) && figure.Known:
		reason = "without one of the " + r.resampled() + " the ratings do not vary"
	case errors.Is(figure.Why, stats.ErrTooShort):
		reason = "there are too few units"
	}
	r.note("%s: %s", what, reason)
}
