package agreement

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"compqa/data"
	"compqa/results/dataset"
	"compqa/results/table"
	"compqa/stats"
	"compqa/stats/agreement"
)

// A UnitsRow says how well raters agree on one criterion of an annotation table. Units are those with a rating, pairable
// ones have two or more; alpha and raw agreement are over these. Intervals are of 95 %. A figure that cannot be said is
// missing, and Note has the reason.
//
// There is no row over all criteria: they differ in scale and in how easily they
// are met, and 15 ratings of one unit are not 15 units.
type UnitsRow struct {
	Criterion string       `csv:"criterion"`
	Level     string       `csv:"level"`
	Units     int          `csv:"units"`
	Pairable  int          `csv:"units_pairable"`
	Clusters  table.Figure `csv:"clusters"` // of pairable units; none: each unit is its own
	Raters    table.Figure `csv:"raters"`   // none: the file does not name them
	Ratings   int          `csv:"ratings"`
	Missing   int          `csv:"missing"` // rows without a value

	Values       int          `csv:"values"`        // distinct ones
	LargestShare table.Figure `csv:"largest_share"` // of the ratings that give the commonest value
	Agreement    table.Figure `csv:"agreement"`     // share of pairs of ratings of one unit that are equal

	Alpha         table.Bounded `csv:"alpha"`        // over resamples of units, or of clusters
	Below0667     table.Figure  `csv:"p_below_0667"` // share of the resamples with a lower alpha
	Below0800     table.Figure  `csv:"p_below_0800"`
	Degenerate    table.Figure  `csv:"degenerate"` // resamples without an alpha
	JackknifeLow  table.Figure  `csv:"jackknife_low"`
	JackknifeHigh table.Figure  `csv:"jackknife_high"`

	GwetAC1    table.Figure `csv:"gwet_ac1"`    // at nominal level
	GwetAC2    table.Figure `csv:"gwet_ac2"`    // at ordinal level with ordinal weights, above with quadratic ones
	Kappa      table.Figure `csv:"kappa"`       // at nominal level: Cohen's, mean over pairs of raters
	Spearman   table.Figure `csv:"spearman"`    // above: rho, mean over pairs of raters
	RaterPairs table.Figure `csv:"rater_pairs"` // that the mean is over

	Note string `csv:"note"`
}

const (
	// maxLeftOut is the most units or clusters that the jackknife leaves out one
	// by one. It is for small samples, and its time grows with their square.
	maxLeftOut = 10_000
	// maxCategories bounds Gwet's coefficients and kappa, whose tables are
	// categories × categories: beyond, values are measurements, not categories.
	maxCategories = 100
	// maxRaters bounds what is computed for every pair of raters.
	maxRaters = 200
	// minShared is the fewest units that a pair of raters is compared on: rho of two units is always 1 or -1.
	minShared = 10
	// testedUnits is the fewest units that the coverage of alpha's intervals has
	// been measured with (see stats.AlphaBootstrap).
	testedUnits = 20
)

// Agree computes the agreement of raters on every criterion of a table. A value
// that does not fit the level or the scale is a *data.LineError.
func Agree(view data.Annotations, o AgreeOptions) ([]UnitsRow, error) {
	var rows []UnitsRow
	for _, of := range view.Criteria {
		r, err := newRated(view, of, o)
		if err != nil {
			return nil, err
		}
		if r.alpha() {
			r.bootstrap(o.Seed)
			r.jackknife()
			r.gwet()
			r.pairwise()
		}
		if r.c.Err != nil {
			return nil, fmt.Errorf("agreement on %q: %w", of.Criterion, r.c.Err)
		}
		r.Note = strings.Join(r.notes, "; ")
		rows = append(rows, r.UnitsRow)
	}
	return rows, nil
}

// alpha reports whether there is one; without, nothing beyond raw agreement can be said.
func (r *rated) alpha() bool {
	result, err := agreement.Alpha(r.table, r.level)
	r.Pairable, r.Alpha.Value = result.Units, table.FigureOf(r.c.Value(result.Alpha, err))
	if r.Pairable > 0 {
		r.Agreement = table.Number(result.Agreement)
	}
	r.because("agreement beyond chance", err)
	return err == nil
}

func (r *rated) bootstrap(seed uint64) {
	d, err := agreement.AlphaBootstrap(r.table, r.level, r.clusters, stats.Resampling{Seed: seed, Name: "agree", Level: dataset.Confidence})
	r.because("bootstrap", err)
	if d.Resamples > 0 {
		r.Degenerate = table.Count(d.Degenerate)
	}
	if r.c.Value(0, err) == nil {
		return
	}
	r.Alpha.Low, r.Alpha.High = table.Number(d.Low), table.Number(d.High)
	r.Below0667, r.Below0800 = table.Number(d.Below(agreement.AlphaTentative)), table.Number(d.Below(agreement.AlphaReliable))
	if d.Clusters < testedUnits {
		r.note("caution: there are %d %s; intervals were tested with %d or more", d.Clusters, r.resampled(), testedUnits)
	}
}

// resampled names the units that the bootstrap draws.
func (r *rated) resampled() string {
	if r.clusters != nil {
		return "clusters"
	}
	return "units"
}

func (r *rated) jackknife() {
	if n := cmp.Or(r.Clusters, table.Count(r.Pairable)); *n.Number > maxLeftOut {
		r.note("jackknife: for at most %d %s", maxLeftOut, r.resampled())
		return
	}
	e, err := agreement.AlphaJackknife(r.table, r.level, r.clusters, dataset.Confidence)
	r.because("jackknife, leaving one out", err)
	r.JackknifeLow, r.JackknifeHigh = table.FigureOf(r.c.Value(e.Low, err)), table.FigureOf(r.c.Value(e.High, err))
}

func (r *rated) gwet() {
	if max(len(r.scale), r.Values) > maxCategories {
		r.note("Gwet's coefficient: for at most %d different values", maxCategories)
		return
	}
	into, weights := &r.GwetAC2, agreement.GwetQuadratic
	switch r.level {
	case agreement.Nominal:
		into, weights = &r.GwetAC1, agreement.GwetIdentity
	case agreement.Ordinal:
		weights = agreement.GwetOrdinal
	}
	g, err := agreement.GwetAC(r.table, r.scale, weights)
	r.because("Gwet's coefficient", err)
	*into = table.FigureOf(r.c.Value(g.AC, err))
}

// pairwise fills in what needs to know who gave a rating: the mean over pairs of raters, each pair counting the same (of
// kappa: Light 1971). It describes; alpha, which has an interval, uses all ratings at once.
func (r *rated) pairwise() {
	name, into, statistic := "spearman", &r.Spearman, agreement.Spearman
	if r.level == agreement.Nominal {
		name, into, statistic = "kappa", &r.Kappa, agreement.CohenKappa
	}
	switch {
	case !r.named:
		r.note("%s: the file does not say who gave which rating", name)
		return
	case r.raters > maxRaters:
		r.note("%s: for at most %d raters", name, maxRaters)
		return
	case r.level == agreement.Nominal && r.Values > maxCategories:
		r.note("%s: for at most %d different values", name, maxCategories)
		return
	}
	shared, sum, defined := 0, 0.0, 0
	r.eachPair(func(x, y []float64) {
		shared++
		if v := r.c.Value(statistic(x, y)); v != nil {
			sum += *v
			defined++
		}
	})
	r.RaterPairs = table.Count(defined)
	if defined > 0 {
		*into = table.Number(sum / float64(defined))
	}
	switch {
	case shared == 0:
		r.note("%s: no two raters have %d units in common", name, minShared)
	case defined < shared:
		r.note("%s: without %d of %d pairs of raters, whose ratings do not vary", name, shared-defined, shared)
	}
}

func (r *rated) note(format string, args ...any) {
	r.notes = append(r.notes, fmt.Sprintf(format, args...))
}

// because notes why a figure is undefined, if it is.
func (r *rated) because(what string, err error) {
	for _, known := range []struct {
		reason error
		words  string
	}{
		{stats.ErrNoPairableUnits, "no unit has two ratings"},
		{stats.ErrNoVariation, "the ratings do not vary"},
		{stats.ErrOneCluster, "there is only one " + strings.TrimSuffix(r.resampled(), "s")},
		{stats.ErrZeroWidth, "alpha is the same in all resamples"},
		{stats.ErrDegenerate, "in more than 1 % of the resamples the ratings do not vary"},
		{stats.ErrTooShort, "there are too few units"},
	} {
		if errors.Is(err, known.reason) {
			r.note("%s: %s", what, known.words)
			return
		}
	}
}
