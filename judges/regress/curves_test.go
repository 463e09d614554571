package regress

import (
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"compqa/stats"
)

// stepTable is y = 2 where the first input is above 0.5, 0 below, plus 1 where the
// second is above 3; the third is noise without a part. 400 rows.
func stepTable() (x, y [][]float64) {
	rng := stats.NewRNG(7, "steps")
	for range 400 {
		row := []float64{rng.Float64(), float64(rng.Intn(6)), rng.Float64()}
		out := 0.0
		if row[0] > 0.5 {
			out += 2
		}
		if row[1] > 3 {
			out++
		}
		x, y = append(x, row), append(y, []float64{out, 7})
	}
	return x, y
}

// Without noise the fit converges to the function: the cuts, the heights, the
// means, and nothing for the input that plays no part.
func TestCurvesFindSteps(t *testing.T) {
	x, y := stepTable()
	fitted, err := FitCurves(x, y, Options{Rounds: 2000, Rate: 0.1, Inputs: 1, Rows: 1, Shrink: 1e-9, Least: 1, Bins: 64})
	if err != nil {
		t.Fatal(err)
	}
	c := fitted[0]
	for _, row := range [][]float64{{0.1, 0, 0.5}, {0.9, 0, 0.5}, {0.1, 5, 0.5}, {0.9, 5, 0.2}} {
		want := 0.0
		if row[0] > 0.5 {
			want += 2
		}
		if row[1] > 3 {
			want++
		}
		if got := c.Predict(row); math.Abs(got-want) > 0.05 {
			t.Errorf("at %v: %v, want %v", row, got, want)
		}
	}
	mean := 0.0
	for i := range y {
		mean += y[i][0] / float64(len(y))
	}
	if math.Abs(c.Base-mean) > 1e-9 { // curves have mean 0, residuals too
		t.Errorf("base %v, want the mean %v", c.Base, mean)
	}
	for _, curve := range c.Curves {
		sum := 0.0
		for i := range x {
			sum += curve.At(x[i][curve.Input])
		}
		if math.Abs(sum) > 1e-6 {
			t.Errorf("curve of input %d has mean %v, want 0", curve.Input, sum/float64(len(x)))
		}
		if curve.Input == 1 && !slices.Contains(curve.Cuts, 3.5) { // half way between the values on either side
			t.Errorf("cuts %v, want 3.5 among them", curve.Cuts)
		}
	}
	if flat := fitted[1]; flat.Base != 7 || len(flat.Curves) != 0 {
		t.Errorf("a constant is fitted by %+v", flat)
	}
}

// One round of boosting by hand: 4 rows, outputs 0 0 1 1, one input 1 2 3 4. The
// best cut is 2.5; residuals are -½ and ½, means with one row of 0 added to each
// side ∓1/3, and half of them is taken: ∓1/6.
func TestCurvesByHand(t *testing.T) {
	fitted, err := FitCurves([][]float64{{1}, {2}, {3}, {4}}, [][]float64{{0}, {0}, {1}, {1}},
		Options{Rounds: 1, Rate: 0.5, Rows: 1, Inputs: 1, Shrink: 1, Least: 1, Bins: 32})
	if err != nil {
		t.Fatal(err)
	}
	want := Curves{Base: 0.5, Curves: []Curve{{Input: 0, Start: -1. / 6, Cuts: []float64{2.5}, Changes: []float64{1. / 3}}}}
	got := fitted[0]
	if got.Base != want.Base || len(got.Curves) != 1 || !slices.Equal(got.Curves[0].Cuts, want.Curves[0].Cuts) ||
		math.Abs(got.Curves[0].Start+1./6) > 1e-15 || math.Abs(got.Curves[0].Changes[0]-1./3) > 1e-15 {
		t.Errorf("%+v, want %+v", got, want)
	}
}

func TestCurvesOfTinyTables(t *testing.T) {
	for name, table := range map[string]struct{ x, y [][]float64 }{
		"one row":         {[][]float64{{1, 2}}, [][]float64{{3}}},
		"two equal rows":  {[][]float64{{1, 2}, {1, 2}}, [][]float64{{3}, {3}}},
		"two tied inputs": {[][]float64{{1}, {1}}, [][]float64{{2}, {4}}},
	} {
		fitted, err := FitCurves(table.x, table.y, Options{Rounds: 120, Rate: 0.05, Shrink: 2, Least: 1, Rows: 1, Inputs: 1, Bins: 32})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got := fitted[0].Predict(table.x[0]); got != 3 {
			t.Errorf("%s: %v, want the mean 3", name, got)
		}
	}
}

func TestCurvesAreReproducible(t *testing.T) {
	x, y := stepTable()
	fit := func(seed uint64) []Curves {
		fitted, err := FitCurves(x, y, Usual(seed))
		if err != nil {
			t.Fatal(err)
		}
		return fitted
	}
	if !reflect.DeepEqual(fit(3), fit(3)) {
		t.Error("the same seed gives another model")
	}
	if reflect.DeepEqual(fit(3), fit(4)) {
		t.Error("another seed gives the same model: nothing is random")
	}
	before := slices.Clone(x[0])
	fit(3)
	if !slices.Equal(before, x[0]) {
		t.Error("the inputs were changed")
	}
}

func TestFitsRefuse(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	ok := [][]float64{{1}, {2}}
	for name, of := range map[string]struct {
		x, y [][]float64
		want string
	}{
		"no rows":    {nil, nil, "inputs"},
		"fewer y":    {ok, ok[:1], "inputs"},
		"no inputs":  {[][]float64{{}, {}}, ok, "inputs"},
		"ragged":     {[][]float64{{1}, {1, 2}}, ok, "inputs"},
		"NaN":        {[][]float64{{1}, {nan}}, ok, "finite"},
		"infinite y": {ok, [][]float64{{1}, {inf}}, "finite"},
	} {
		if _, err := FitCurves(of.x, of.y, Usual(0)); err == nil || !strings.Contains(err.Error(), of.want) {
			t.Errorf("curves, %s: %v, want %q", name, err, of.want)
		}
		if _, err := FitLinear(of.x, of.y, 1); err == nil || !strings.Contains(err.Error(), of.want) {
			t.Errorf("linear, %s: %v, want %q", name, err, of.want)
		}
	}
	for _, penalty := range []float64{0, -1, nan, inf} {
		if _, err := FitLinear(ok, ok, penalty); err == nil || !strings.Contains(err.Error(), "penalty") {
			t.Errorf("a penalty of %v: %v", penalty, err)
		}
	}
}

// Cuts lie between neighbouring values; many values are cut into ranges of about
// as many rows each, and ties stay together.
func TestCuts(t *testing.T) {
	for _, of := range []struct {
		sorted []float64
		most   int
		want   []float64
	}{
		{[]float64{1}, 8, nil},
		{[]float64{2, 2, 2}, 8, nil},
		{[]float64{1, 2, 4}, 8, []float64{1.5, 3}},
		{[]float64{1, 2, 3, 4, 5, 6}, 3, []float64{2.5, 4.5}},
		{[]float64{1, 1, 1, 1, 1, 2, 3, 4}, 2, []float64{1.5}},
	} {
		if got := cutsOf(of.sorted, of.most); !slices.Equal(got, of.want) {
			t.Errorf("cuts of %v into %d: %v, want %v", of.sorted, of.most, got, of.want)
		}
	}
}

// The mean of models predicts the mean of their predictions.
func TestMean(t *testing.T) {
	x, y := stepTable()
	var models [][]Curves
	for seed := range uint64(3) {
		fitted, err := FitCurves(x[:200], y[:200], Options{120, 0.05, 0.7, 0.3, 2, 4, 10, seed})
		if err != nil {
			t.Fatal(err)
		}
		models = append(models, fitted)
	}
	mean := Mean([]Curves{models[0][0], models[1][0], models[2][0]})
	for _, row := range append(x, []float64{-5, -5, -5}, []float64{99, 99, 99}, []float64{0.5, 3.5, 0}) {
		want := 0.0
		for _, m := range models {
			want += m[0].Predict(row) / 3
		}
		if got := mean.Predict(row); math.Abs(got-want) > 1e-12 {
			t.Fatalf("mean at %v: %v, want %v", row, got, want)
		}
	}
}
