package agreement

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"compqa/data"
	"compqa/results/dataset"
	"compqa/results/table"
	"compqa/stats"
	"compqa/stats/agreement"
)

// A UnitsRow says how well raters agree on one criterion of an annotation table.
// Units are those with a rating, pairable ones have two or more; alpha and raw
// agreement are over these. Intervals are of 95 %. A figure that cannot be said
// is missing, and Note has the reason.
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

	Alpha     table.Bounded `csv:"alpha"`        // over resamples of units, or of clusters
	Below0667 table.Figure  `csv:"p_below_0667"` // share of the resamples with a lower alpha
	Below0800 table.Figure  `csv:"p_below_0800"`

	Kappa      table.Figure `csv:"kappa"`       // at nominal level: Cohen's, mean over pairs of raters
	Spearman   table.Figure `csv:"spearman"`    // above: rho, mean over pairs of raters
	RaterPairs table.Figure `csv:"rater_pairs"` // that the mean is over

	Note string `csv:"note"`
}

const (
	// maxCategories bounds kappa, whose tables are categories × categories: beyond, values
	// are measurements, not categories.
	maxCategories = 100
	// maxRaters bounds what is computed for every pair of raters.
	maxRaters = 200
	// minShared is the fewest units that a pair of raters is compared on: rho of
	// two units is always 1 or -1.
	minShared = 10
	// testedUnits is the fewest units that the coverage of alpha's intervals has
	// been measured with (see stats.AlphaBootstrap).
	testedUnits = 20
)

// AgreeOptions say how the values of an annotation table are to be taken.
type AgreeOptions struct {
	Level string   // nominal, ordinal, interval, ratio; "" for what the table says, and else ordinal
	Scale []string // every value that could be given; nil for those that were
	Seed  uint64
}

// Agree computes the agreement of raters on every criterion of a table. A value
// that does not fit the level or the scale is a *data.LineError.
func Agree(view data.Annotations, o AgreeOptions) ([]UnitsRow, error) {
	var rows []UnitsRow
	for _, of := range view.Criteria {
		r, err := newRated(view, of, o)
		if err != nil {
			return nil, err
		}
		if err := r.fill(o.Seed); err != nil {
			return nil, fmt.Errorf("agreement on %q: %w", of.Criterion, err)
		}
		rows = append(rows, r.UnitsRow)
	}
	return rows, nil
}

// rated are the ratings on one criterion, as numbers, and the row that is computed from them.
type rated struct {
	UnitsRow
	level    agreement.Level
	units    [][]rating // those with a rating, in order of appearance
	clusters []int      // of the units; nil: each is its own
	named    bool       // raters can be told apart
	raters   int
	c        dataset.Calculator
}

// A rating is one of a unit's.
type rating struct {
	rater int
	value float64
}

func newRated(view data.Annotations, of data.Annotated, o AgreeOptions) (*rated, error) {
	r := &rated{UnitsRow: UnitsRow{Criterion: of.Criterion}, level: agreement.Ordinal, named: view.Named}
	for _, name := range []string{of.Level, o.Level} {
		if name == "" {
			continue
		}
		var err error
		if r.level, err = agreement.ParseLevel(name); err != nil {
			return nil, err
		}
	}
	r.Level = r.level.String()
	for _, v := range o.Scale {
		if _, err := parseNumber(v); err != nil && r.level != agreement.Nominal {
			return nil, fmt.Errorf("the scale has %q; at %v level it must contain numbers", v, r.level)
		}
	}
	units, raters, labels, counts := map[string]int{}, map[string]int{}, map[string]int{}, map[float64]int{}
	var clusters []string
	largest := 0
	for _, row := range of.Ratings {
		if row.Value == "" {
			r.Missing++
			continue
		}
		v, err := r.number(view, row, o.Scale, labels)
		if err != nil {
			return nil, err
		}
		u := numbered(units, row.Unit)
		if u == len(r.units) {
			r.units, clusters = append(r.units, nil), append(clusters, row.Cluster)
		}
		r.units[u] = append(r.units[u], rating{numbered(raters, row.Rater), v})
		r.Ratings++
		counts[v]++
		largest = max(largest, counts[v])
	}
	r.Units, r.Values, r.raters = len(r.units), len(counts), len(raters)
	if view.Clustered {
		r.clusters = stats.ClusterLabels(clusters)
	}
	if r.Ratings > 0 {
		r.LargestShare = table.Number(float64(largest) / float64(r.Ratings))
	}
	if r.named {
		r.Raters = table.Count(r.raters)
	}
	return r, nil
}

// numbered is the number of a name, by first appearance.
func numbered(known map[string]int, name string) int {
	n, ok := known[name]
	if !ok {
		n = len(known)
		known[name] = n
	}
	return n
}

func parseNumber(text string) (float64, error) {
	x, err := strconv.ParseFloat(text, 64)
	if err == nil && (math.IsNaN(x) || math.IsInf(x, 0)) {
		err = strconv.ErrRange
	}
	return x, err
}

// number makes a number of a value: at nominal level that of the label, where only equality counts.
// One that does not fit is an error with file and line.
func (r *rated) number(view data.Annotations, row data.Rating, scale []string, labels map[string]int) (float64, error) {
	if scale != nil && !slices.Contains(scale, row.Value) {
		return 0, view.Errorf(row, "the value is %s; it must be one of %s", row.Value, strings.Join(scale, ", "))
	}
	if r.level == agreement.Nominal {
		return float64(numbered(labels, row.Value)), nil
	}
	x, err := parseNumber(row.Value)
	switch {
	case err != nil:
		return 0, view.Errorf(row, "the value is %s; at %v level a number is needed (labels are nominal)", row.Value, r.level)
	case r.level == agreement.Ratio && x < 0:
		return 0, view.Errorf(row, "the value is %s; at ratio level it cannot be negative", row.Value)
	}
	return x, nil
}

// table is the ratings without regard to who gave them, on which alpha does not depend: it has as
// many columns as the most that a unit has ratings, where a crowd of raters would make thousands.
func (r *rated) table() (*agreement.Ratings, error) {
	var columns []agreement.Rater
	for u, of := range r.units {
		for k, given := range of {
			if k == len(columns) {
				columns = append(columns, agreement.Rater{Values: make([]float64, len(r.units)),
					Missing: slices.Repeat([]bool{true}, len(r.units))})
			}
			columns[k].Values[u], columns[k].Missing[u] = given.value, false
		}
	}
	return agreement.NewRatings(columns...)
}

// fill computes alpha, and, where there is one, its interval and the figures of pairs of raters.
func (r *rated) fill(seed uint64) error {
	ratings, err := r.table()
	if err != nil {
		return err
	}
	result, err := agreement.Alpha(ratings, r.level)
	var undefined *agreement.AlphaError
	if errors.As(err, &undefined) {
		result = agreement.AlphaResult{Agreement: undefined.Agreement, Units: undefined.Units}
	}
	r.Pairable, r.Alpha.Value = result.Units, table.FigureOf(r.c.Value(result.Alpha, err))
	if r.Pairable > 0 {
		r.Agreement = table.Number(result.Agreement)
	}
	drawn := "units"
	if r.clusters != nil {
		drawn = "clusters"
		pairable := map[int]bool{}
		for u, of := range r.units {
			if len(of) > 1 {
				pairable[r.clusters[u]] = true
			}
		}
		r.Clusters = table.Count(len(pairable))
	}
	if r.because("agreement beyond chance", drawn, err); err != nil {
		return r.c.Err
	}
	d, err := agreement.AlphaBootstrap(ratings, r.level, r.clusters, stats.Resampling{Seed: seed, Name: "agree", Level: dataset.Confidence})
	r.because("bootstrap", drawn, err)
	if r.c.Value(0, err) != nil {
		r.Alpha.Low, r.Alpha.High = table.Number(d.Low), table.Number(d.High)
		r.Below0667, r.Below0800 = table.Number(d.Below(agreement.AlphaTentative)), table.Number(d.Below(agreement.AlphaReliable))
		if d.Clusters < testedUnits {
			r.note("caution: there are %d %s; intervals were tested with %d or more", d.Clusters, drawn, testedUnits)
		}
	}
	r.pairwise()
	return r.c.Err
}

// pairwise fills in what needs to know who gave a rating: the mean over pairs of
// raters, each pair counting the same (of kappa: Light 1971). It describes;
// alpha, which has an interval, uses all ratings at once.
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
	given := make([][]float64, r.raters) // of every unit; NaN: none
	for k := range given {
		given[k] = slices.Repeat([]float64{math.NaN()}, len(r.units))
	}
	for u, of := range r.units {
		for _, x := range of {
			given[x.rater][u] = x.value
		}
	}
	shared, sum, defined := 0, 0.0, 0
	for k, a := range given {
		for _, b := range given[k+1:] {
			var x, y []float64
			for u := range a {
				if !math.IsNaN(a[u]) && !math.IsNaN(b[u]) {
					x, y = append(x, a[u]), append(y, b[u])
				}
			}
			if len(x) < minShared {
				continue
			}
			shared++
			if v := r.c.Value(statistic(x, y)); v != nil {
				sum += *v
				defined++
			}
		}
	}
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
	r.Note = strings.TrimPrefix(r.Note+"; "+fmt.Sprintf(format, args...), "; ")
}

// because notes why a figure is undefined, if it is.
func (r *rated) because(what, drawn string, err error) {
	for _, known := range []struct {
		reason error
		words  string
	}{
		{stats.ErrNoPairableUnits, "no unit has two ratings"},
		{stats.ErrNoVariation, "the ratings do not vary"},
		{stats.ErrOneCluster, "there is only one " + strings.TrimSuffix(drawn, "s")},
		{stats.ErrZeroWidth, "alpha is the same in all resamples"},
		{stats.ErrDegenerate, "in more than 1 % of the resamples the ratings do not vary"},
	} {
		if errors.Is(err, known.reason) {
			r.note("%s: %s", what, known.words)
			return
		}
	}
}
