package results

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"compqa/data"
	"compqa/stats"
)

// A UnitsRow is how well raters agree on one criterion of an annotation table. A
// unit counts when it has a rating, and is pairable when it has two or more;
// alpha and agreement are over the pairable ones. Intervals are of 95 %. What
// cannot be said is empty, and Note says why.
//
// There is no row over all criteria: they differ in their scales and how hard
// they are, and 15 ratings of one unit are not 15 units.
type UnitsRow struct {
	Criterion string `csv:"criterion"`
	Level     string `csv:"level"`
	Units     int    `csv:"units"`
	Pairable  int    `csv:"units_pairable"`
	Clusters  Figure `csv:"clusters"` // of the pairable units; empty: each is its own
	Raters    Figure `csv:"raters"`   // empty: the file does not name them
	Ratings   int    `csv:"ratings"`
	Missing   int    `csv:"missing"` // rows without a value

	Values       int    `csv:"values"`        // distinct ones
	LargestShare Figure `csv:"largest_share"` // of the ratings, that of the commonest value
	Agreement    Figure `csv:"agreement"`     // share of pairs of ratings of a unit that are equal

	Alpha         Figure `csv:"alpha"`
	AlphaLow      Figure `csv:"alpha_low"` // resampling units, or clusters
	AlphaHigh     Figure `csv:"alpha_high"`
	Below0667     Figure `csv:"p_below_0667"` // share of resamples with a lower alpha
	Below0800     Figure `csv:"p_below_0800"`
	Degenerate    Figure `csv:"degenerate"` // resamples without alpha
	JackknifeLow  Figure `csv:"jackknife_low"`
	JackknifeHigh Figure `csv:"jackknife_high"`

	GwetAC1    Figure `csv:"gwet_ac1"`    // nominal
	GwetAC2    Figure `csv:"gwet_ac2"`    // ordinal weights; at interval and ratio level quadratic ones
	Kappa      Figure `csv:"kappa"`       // nominal: mean of Cohen's over pairs of raters
	Spearman   Figure `csv:"spearman"`    // other levels: mean of rho over pairs of raters
	RaterPairs Figure `csv:"rater_pairs"` // pairs that the mean is over

	Note string `csv:"note"`
}

// AgreeOptions say how ratings are to be taken.
type AgreeOptions struct {
	Level string   // nominal, ordinal, interval, ratio; "" for what the table says, else ordinal
	Scale []string // all values that could be given; nil for those that were
	Seed  uint64
}

// Agree computes the agreement of raters on each criterion of a table. A value
// that does not fit the level or the scale is a *data.LineError.
func Agree(table data.Annotations, o AgreeOptions) ([]UnitsRow, error) {
	var rows []UnitsRow
	for _, of := range table.Criteria {
		r, err := newRated(table, of, o)
		if err != nil {
			return nil, err
		}
		row, err := r.row(o.Seed)
		if err != nil {
			return nil, fmt.Errorf("agreement on %q: %w", of.Criterion, err)
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// WriteUnitsRows writes the rows as CSV into a file, which has its name when it
// is complete.
func WriteUnitsRows(path string, rows []UnitsRow) error {
	return writeFile(path, func(w io.Writer) error { return WriteUnitsCSV(w, rows) })
}

// WriteUnitsCSV writes the rows as CSV.
func WriteUnitsCSV(w io.Writer, rows []UnitsRow) error { return writeCSV(w, rows) }

// rated are the ratings on one criterion as numbers: at nominal level the
// places of the labels among all of them, in alphabetical order.
type rated struct {
	criterion string
	level     stats.Level
	missing   int
	scale     []float64     // nil: the values that occur
	units     [][]rating    // in order of appearance, with a rating each
	clusters  []int         // of the units; nil: each is its own
	raters    int           // 0: they have no names
	counts    map[float64]int // ratings by value
}

type rating struct {
	rater int
	value float64
}

func newRated(table data.Annotations, of data.Annotated, o AgreeOptions) (*rated, error) {
	name := "ordinal"
	if o.Level != "" {
		name = o.Level
	} else if of.Level != "" {
		name = of.Level
	}
	level, err := stats.ParseLevel(name)
	if err != nil {
		return nil, err
	}
	r := &rated{criterion: of.Criterion, level: level, counts: map[float64]int{}}
	value, err := r.coding(table, of.Ratings, o.Scale)
	if err != nil {
		return nil, err
	}
	at, raters := map[string]int{}, map[string]int{}
	var clusters []string
	for _, rt := range of.Ratings {
		if rt.Value == "" {
			r.missing++
			continue
		}
		v, err := value(rt)
		if err != nil {
			return nil, err
		}
		u, ok := at[rt.Unit]
		if !ok {
			u = len(r.units)
			at[rt.Unit] = u
			r.units, clusters = append(r.units, nil), append(clusters, rt.Cluster)
		}
		who, ok := raters[rt.Rater]
		if !ok {
			who = len(raters)
			raters[rt.Rater] = who
		}
		r.units[u] = append(r.units[u], rating{who, v})
		r.counts[v]++
	}
	if table.Named {
		r.raters = len(raters)
	}
	if table.Clustered {
		r.clusters = stats.ClusterLabels(clusters)
	}
	return r, nil
}

// coding returns what makes a number of a rating's value, and sets the scale.
func (r *rated) coding(table data.Annotations, ratings []data.Rating, scale []string) (func(data.Rating) (float64, error), error) {
	var labels []string
	if r.level == stats.Nominal {
		labels = slices.Clone(scale)
		if scale == nil {
			for _, rt := range ratings {
				labels = append(labels, rt.Value)
			}
		}
		slices.Sort(labels)
		labels = slices.Compact(labels)
	}
	for i, v := range scale {
		x := float64(i)
		if r.level != stats.Nominal {
			var err error
			if x, err = strconv.ParseFloat(v, 64); err != nil {
				return nil, fmt.Errorf("the scale has %q; at %v level it is numbers", v, r.level)
			}
		}
		r.scale = append(r.scale, x)
	}
	slices.Sort(r.scale)
	return func(rt data.Rating) (float64, error) {
		if scale != nil && !slices.Contains(scale, rt.Value) {
			return 0, table.Errorf(rt, "the value is %s; the scale is %s", rt.Value, strings.Join(scale, ", "))
		}
		if r.level == stats.Nominal {
			place, _ := slices.BinarySearch(labels, rt.Value)
			return float64(place), nil
		}
		x, err := strconv.ParseFloat(rt.Value, 64)
		switch {
		case err != nil || math.IsNaN(x) || math.IsInf(x, 0):
			return 0, table.Errorf(rt, "the value is %s; at %v level it is a number (labels are nominal)", rt.Value, r.level)
		case r.level == stats.Ratio && x < 0:
			return 0, table.Errorf(rt, "the value is %s; at ratio level none is negative", rt.Value)
		}
		return x, nil
	}, nil
}

// table is the ratings without regard to who gave them, which neither alpha nor
// Gwet's coefficient depends on: as many columns as a unit has ratings at most,
// where a crowd's raters would be thousands.
func (r *rated) table() (*stats.Ratings, error) {
	most := 0
	for _, u := range r.units {
		most = max(most, len(u))
	}
	columns := make([]stats.Rater, most)
	for k := range columns {
		columns[k] = stats.Rater{Values: make([]float64, len(r.units)), Missing: make([]bool, len(r.units))}
		for u, given := range r.units {
			if k < len(given) {
				columns[k].Values[u] = given[k].value
			} else {
				columns[k].Missing[u] = true
			}
		}
	}
	return stats.NewRatings(columns...)
}

// notes are reasons why figures are missing, in order.
type notes []string

func (n *notes) add(format string, args ...any) { *n = append(*n, fmt.Sprintf(format, args...)) }

// because notes why a figure is missing, if it is.
func (n *notes) because(what string, err error) {
	for _, known := range []struct {
		reason error
		words  string
	}{
		{stats.ErrNoPairableUnits, "no unit has two ratings"},
		{stats.ErrNoVariation, "the ratings do not vary"},
		{stats.ErrOneCluster, "there is only one unit or cluster to resample"},
		{stats.ErrZeroWidth, "every resample gives the same alpha"},
		{stats.ErrDegenerate, "in more than 1 % of the resamples the ratings do not vary"},
		{stats.ErrTooShort, "there are too few units"},
	} {
		if errors.Is(err, known.reason) {
			n.add("%s: %s", what, known.words)
			return
		}
	}
}
