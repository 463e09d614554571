package agreement

import (
	"errors"
	"math"
	"reflect"
	"slices"
	"testing"

	"compqa/stats"
	"compqa/stats/statstest"
)

func TestNewRatingsRefuses(t *testing.T) {
	nan := math.NaN()
	inf := math.Inf(1)
	for name, c := range map[string]struct {
		raters []Rater
		want   error
	}{
		"unequal units":    {[]Rater{{Values: []float64{1, 2}}, {Values: []float64{1}}}, stats.ErrLength},
		"unequal marks":    {[]Rater{{Values: []float64{1, 2}, Missing: []bool{true}}}, stats.ErrLength},
		"NaN":              {[]Rater{{Values: []float64{1, nan}}, {Values: []float64{1, 2}}}, stats.ErrInvalidValue},
		"plus infinity":    {[]Rater{{Values: []float64{1, 2}}, {Values: []float64{1, inf}}}, stats.ErrInvalidValue},
		"minus infinity":   {[]Rater{{Values: []float64{1, 2}}, {Values: []float64{-inf, 2}}}, stats.ErrInvalidValue},
		"NaN beside other": {[]Rater{{Values: []float64{nan, inf, -inf, 3}}}, stats.ErrInvalidValue},
	} {
		if _, err := NewRatings(c.raters...); !errors.Is(err, c.want) {
			t.Errorf("%s: error %v, want %v", name, err, c.want)
		}
	}
	// Among many different values, another way of coding is used.
	many := make([]float64, 3*4096)
	for i := range many {
		many[i] = 1 / float64(i+1)
	}
	for _, bad := range []float64{nan, math.Copysign(nan, -1), inf, -inf} {
		many[100] = bad
		if _, err := PairedRatings(many, many); !errors.Is(err, stats.ErrInvalidValue) {
			t.Errorf("%v among many: error %v", bad, err)
		}
	}
}

// The value of a missing rating is ignored.
func TestMissingIsNotAValue(t *testing.T) {
	missing := []bool{false, false, true}
	r, err := NewRatings(
		Rater{Values: []float64{1, 2, math.NaN()}, Missing: missing},
		Rater{Values: []float64{1, 3, 5}},
	)
	if err != nil {
		t.Fatal(err)
	}
	statstest.Near(t, "alpha", mustAlpha(t, r, Interval), mustAlpha(t, table(t, []float64{1, 2}, []float64{1, 3}), Interval), 0)
	if !slices.Equal(r.values, []float64{1, 2, 3, 5}) || r.raters != 2 || r.units != 3 {
		t.Errorf("got values %v, %d raters, %d units", r.values, r.raters, r.units)
	}
}

// With many different values, missing ratings are found by another way of coding. They give the same result as dropping the units.
func TestMissingAmongMany(t *testing.T) {
	rows := benchContinuous(2*4096, 2)
	missing := make([]bool, 2*4096)
	var x, y []float64
	for u := range missing {
		if missing[u] = u%5 == 0; missing[u] {
			rows[1][u] = math.Inf(1)
			continue
		}
		x = append(x, rows[0][u])
		y = append(y, rows[1][u])
	}
	r, err := NewRatings(Rater{Values: rows[0]}, Rater{Values: rows[1], Missing: missing})
	if err != nil {
		t.Fatal(err)
	}
	for _, level := range []Level{Nominal, Ordinal, Interval} {
		statstest.Near(t, string(level), mustAlpha(t, r, level), mustAlpha(t, table(t, x, y), level), 1e-12)
	}
}

func TestRatingsLeaveInputAlone(t *testing.T) {
	x := []float64{3, 1, 2, math.Copysign(0, -1)}
	before := slices.Clone(x)
	r, err := PairedRatings(x, x)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(x, before) || !math.Signbit(x[3]) {
		t.Error("the input was changed")
	}
	x[0] = 99
	if !slices.Equal(r.values, []float64{0, 1, 2, 3}) {
		t.Errorf("the table follows the slice it was built from: %v", r.values)
	}
}

func TestCheckDomain(t *testing.T) {
	r := table(t, []float64{1, 2}, []float64{1, 3})
	if err := r.CheckDomain([]float64{0, 1, 2, 3, 4}); err != nil {
		t.Error(err)
	}
	if err := r.CheckDomain([]float64{1, 2}); !errors.Is(err, stats.ErrOutOfDomain) {
		t.Errorf("3 on a scale of 1 and 2: error %v", err)
	}
}

// Codes are the positions of the values in ascending order.
func TestCodeRows(t *testing.T) {
	rng := stats.NewRNG(7, "coding")
	for _, distinctWanted := range []int{1, 2, 5, 4096, 4096 + 1, 3 * 4096} {
		x := make([]float64, 4*4096)
		for i := range x {
			x[i] = float64(rng.Intn(distinctWanted)-distinctWanted/2) / 8
			if i < distinctWanted {
				x[i] = float64(i-distinctWanted/2) / 8
			}
		}
		x[len(x)-1] = math.Copysign(0, -1)
		coded, distinct := codeRows([]Rater{{Values: x}})
		codes := coded[0]
		if !slices.IsSorted(distinct) || len(distinct) != distinctWanted {
			t.Fatalf("%d distinct values, sorted %v; want %d", len(distinct), slices.IsSorted(distinct), distinctWanted)
		}
		for i, c := range codes {
			if distinct[c] != x[i] {
				t.Fatalf("row %d: code %d stands for %v, not %v", i, c, distinct[c], x[i])
			}
		}
	}
}

// Grouping by packed counts and grouping by unit give the same patterns.
func TestGroupUnits(t *testing.T) {
	rows := randomTable(stats.NewRNG(8, "patterns"), 5, 300, 4, 1, 0.4)
	r := table(t, rows...)
	if got := len(r.patterns.size); got > 125 {
		t.Errorf("%d patterns of 300 units", got)
	}
	units := 0
	for u, p := range r.unitPattern {
		entries := appendUnitEntries(nil, r.codes, u)
		size := 0
		for _, e := range entries {
			size += int(e.count)
		}
		switch {
		case size < 2:
			if p != unpairable {
				t.Fatalf("unit %d has %d ratings and pattern %d", u, size, p)
			}
			units++
		case !slices.Equal(r.patterns.pattern(int(p)), entries):
			t.Fatalf("unit %d: pattern %v, ratings %v", u, r.patterns.pattern(int(p)), entries)
		}
	}
	for _, n := range r.patterns.units {
		units += int(n)
	}
	if units != 300 {
		t.Errorf("patterns and unpairable units make %d, not 300", units)
	}
}

// TestCodedRatings: a table from codes is that of the values.
func TestCodedRatings(t *testing.T) {
	want, err := NewRatings(Rater{Values: []float64{2, 5, 0, 2}, Missing: []bool{false, false, true, false}}, Rater{Values: []float64{2, 4, 5, 4}})
	if err != nil {
		t.Fatal(err)
	}
	got := CodedRatings([]float64{2, 4, 5}, [][]int32{{0, 2, Unrated, 0}, {0, 1, 2, 1}})
	if !reflect.DeepEqual(got, want) {
		t.Errorf(" got %+v\nwant %+v", got, want)
	}
	x, y := got.Pair(0, 1)
	if !slices.Equal(x, []float64{2, 5, 2}) || !slices.Equal(y, []float64{2, 4, 4}) || got.Pairable(2) || !got.Pairable(3) {
		t.Errorf("pairs %v, %v", x, y)
	}
	if given := got.Given(2); !slices.Equal(given, []float64{5}) {
		t.Errorf("ratings of one rater %v", given)
	}
	if single := CodedRatings([]float64{1, 2, 7}, [][]int32{{0, 1, 2}, {1, 1, Unrated}}).PairableValues(); !slices.Equal(single, []float64{1, 2}) {
		t.Errorf("values of pairable units %v", single)
	}
}
