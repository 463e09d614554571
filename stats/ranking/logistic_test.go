package ranking

import (
	"errors"
	"math"
	"slices"
	"testing"

	"compqa/stats"
)

func outcomesOf(pattern string) []bool {
	var success []bool
	for _, c := range pattern {
		success = append(success, c == '1')
	}
	return success
}

// With a covariate of two values the model is saturated: the share at 0 is that of the rows with x = 0, and the slope is the difference of
// the logits.
func TestShareAtZeroSaturated(t *testing.T) {
	success := outcomesOf("1110" + "110000")
	x := []float64{0, 0, 0, 0, 1, 1, 1, 1, 1, 1}
	got, err := ShareAtZero(success, x, nil, 0.95)
	if err != nil {
		t.Fatal(err)
	}
	logit := func(p float64) float64 { return math.Log(p / (1 - p)) }
	if math.Abs(got.Value-0.75) > 1e-12 || math.Abs(got.Slope-(logit(1.0/3)-logit(0.75))) > 1e-9 {
		t.Errorf("share %v, slope %v; want 0.75 and %v", got.Value, got.Slope, logit(1.0/3)-logit(0.75))
	}
	// In this model H⁻¹ is 1/(n₀p₀q₀) for the intercept, and Σr² over the rows with x = 0 is n₀p₀q₀, so that the sandwich
	// without its factor is the model's standard error.
	want := math.Sqrt(10.0 / 9 / (4 * 0.75 * 0.25))
	if math.Abs(got.SE-want) > 1e-9 || got.DF != 9 {
		t.Errorf("SE %v with %v degrees of freedom, want %v with 9", got.SE, got.DF, want)
	}
	if !(got.Low > 0 && got.Low < 0.75 && got.High > 0.75 && got.High < 1) {
		t.Errorf("interval [%v, %v] around 0.75", got.Low, got.High)
	}
	x = []float64{1, 1, 1, 1, 0, 0, 0, 0, 0, 0}
	if other, err := ShareAtZero(success, x, nil, 0.95); err != nil || math.Abs(other.Value-1.0/3) > 1e-12 || math.Abs(other.Slope+got.Slope) > 1e-9 {
		t.Errorf("the other way round: %+v, %v", other, err)
	}
}

// If a covariate is as often positive as negative for each outcome, the share at zero is the plain share.
func TestShareAtZeroWithoutEffect(t *testing.T) {
	success := outcomesOf("11111100")
	x := []float64{-1, 1, -1, 1, -2, 2, -1, 1}
	got, err := ShareAtZero(success, x, nil, 0.95)
	if err != nil || math.Abs(got.Value-0.75) > 1e-9 || math.Abs(got.Slope) > 1e-9 {
		t.Errorf("share %v, slope %v, %v; want 0.75 and 0", got.Value, got.Slope, err)
	}
}

// If every row occurs twice in its cluster, the standard error is that for the rows once, apart from the factor G/(G-1).
func TestShareAtZeroClusters(t *testing.T) {
	success := outcomesOf("1101001101")
	x := []float64{-1, 0.5, 2, 1, -0.5, 1, 0, -2, 1.5, 0.2}
	once, err := ShareAtZero(success, x, nil, 0.95)
	if err != nil {
		t.Fatal(err)
	}
	clusters := make([]int, 0, 20)
	for range 2 {
		for i := range x {
			clusters = append(clusters, i)
		}
	}
	twice, err := ShareAtZero(append(slices.Clone(success), success...), append(slices.Clone(x), x...), clusters, 0.95)
	if err != nil || math.Abs(twice.SE-once.SE) > 1e-9 || math.Abs(twice.Value-once.Value) > 1e-9 || twice.DF != once.DF {
		t.Errorf("twice: %+v, once: %+v, %v", twice, once, err)
	}
}

func TestShareAtZeroUndefined(t *testing.T) {
	for name, c := range map[string]struct {
		outcomes string
		x        []float64
		clusters []int
		want     error
	}{
		"none":        {"", nil, nil, stats.ErrTooShort},
		"one":         {"1", []float64{1}, nil, stats.ErrTooShort},
		"constant x":  {"1010", []float64{2, 2, 2, 2}, nil, stats.ErrConstant},
		"all right":   {"1111", []float64{1, 2, 3, 4}, nil, ErrSeparated},
		"separated":   {"0011", []float64{1, 2, 3, 4}, nil, ErrSeparated},
		"touching":    {"0011", []float64{1, 2, 2, 4}, nil, ErrSeparated},
		"one cluster": {"0101", []float64{1, 2, 3, 4}, []int{7, 7, 7, 7}, stats.ErrOneCluster},
		"NaN":         {"01", []float64{1, math.NaN()}, nil, stats.ErrInvalidValue},
		"lengths":     {"01", []float64{1}, nil, stats.ErrLength},
	} {
		if _, err := ShareAtZero(outcomesOf(c.outcomes), c.x, c.clusters, 0.95); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
}

// The unit of the covariate does not matter: for x·unit the share is the same, and the slope is divided by unit. The larger the slope, the
// more often the last steps to the maximum change the likelihood by less than its rounding.
func TestShareAtZeroUnits(t *testing.T) {
	r := stats.NewRNG(3, "units")
	success := make([]bool, 300)
	x := make([]float64, 300)
	for i := range x {
		x[i] = float64(r.Intn(2001)-1000) / 1000
		success[i] = r.Intn(100) < 55
	}
	want, err := ShareAtZero(success, x, nil, 0.95)
	if err != nil {
		t.Fatal(err)
	}
	for _, unit := range []float64{100, 0.02, 1e-3, 1e-5} {
		scaled := slices.Clone(x)
		for i := range scaled {
			scaled[i] *= unit
		}
		got, err := ShareAtZero(success, scaled, nil, 0.95)
		if err != nil || math.Abs(got.Value-want.Value) > 1e-9 || math.Abs(got.Slope*unit-want.Slope) > 1e-9 {
			t.Errorf("unit %v: share %v, slope·unit %v, %v; want %v, %v", unit, got.Value, got.Slope*unit, err, want.Value, want.Slope)
		}
	}
}
