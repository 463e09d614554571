package stats

import (
	"errors"
	"math"
	"testing"

	"compqa/stats/statstest"
)

// Differences 1, 0, 2, 1 in clusters of two: the mean is 1, e = 0, -1, 1, 0, S = -1, 1, and CR1 = √2/4·√2 = 1/2. So t = 2 with one
// degree of freedom and p = 1 - (2/π)·atan(2). Without clusters: √(2/12), three degrees of freedom.
func TestPairedDifferenceByHand(t *testing.T) {
	a := []float64{3, 2, 5, 2}
	b := []float64{2, 2, 3, 1}
	d, err := PairedDifference(a, b, []int{0, 0, 1, 1}, 0.95)
	if err != nil {
		t.Fatal(err)
	}
	statstest.WantRel(t, "difference", d.Value, 1, 1e-15)
	statstest.WantRel(t, "standard error", d.SE, 0.5, 1e-15)
	statstest.WantRel(t, "p", d.P, 1-2/math.Pi*math.Atan(2), 1e-13)
	plain, err := PairedDifference(a, b, nil, 0.95)
	if err != nil {
		t.Fatal(err)
	}
	statstest.WantRel(t, "plain standard error", plain.SE, math.Sqrt(2./12), 1e-15)

	back, err := PairedDifference(b, a, []int{0, 0, 1, 1}, 0.95)
	if err != nil {
		t.Fatal(err)
	}
	if back.Value != -d.Value || back.P != d.P || back.Low != -d.High {
		t.Errorf("exchanged systems: %+v against %+v", back, d)
	}
}

// The variance is SE_A² + SE_B² - 2 r SE_A SE_B.
func TestPairedDifferenceVariance(t *testing.T) {
	a := []float64{3, 2, 5, 2, 4, 4}
	b := []float64{2, 2, 3, 1, 4, 2}
	d, err := PairedDifference(a, b, nil, 0.95)
	if err != nil {
		t.Fatal(err)
	}
	seA, _ := StandardErrors(a, nil)
	seB, _ := StandardErrors(b, nil)
	r := correlation(a, b)
	want := math.Sqrt(seA.CLT*seA.CLT + seB.CLT*seB.CLT - 2*r*seA.CLT*seB.CLT)
	statstest.WantRel(t, "standard error", d.SE, want, 1e-13)
}

func TestPairedDifferenceRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		a, b     []float64
		clusters []int
		want     error
	}{
		"nothing":         {nil, nil, nil, ErrTooShort},
		"one item":        {[]float64{1}, []float64{2}, nil, ErrTooShort},
		"one question":    {[]float64{1, 2}, []float64{2, 5}, []int{0, 0}, ErrOneCluster},
		"equal systems":   {[]float64{1, 2, 3}, []float64{1, 2, 3}, nil, ErrZeroWidth},
		"always one more": {[]float64{1, 2, 3}, []float64{2, 3, 4}, nil, ErrZeroWidth},
		"lengths":         {[]float64{1, 2, 3}, []float64{2, 3}, nil, ErrLength},
		"NaN":             {[]float64{1, math.NaN()}, []float64{2, 3}, nil, ErrInvalidValue},
		"NaN in second":   {[]float64{1, 1}, []float64{2, math.NaN()}, nil, ErrInvalidValue},
	} {
		d, err := PairedDifference(c.a, c.b, c.clusters, 0.95)
		if !errors.Is(err, c.want) {
			t.Errorf("%s: error %v, want %v", name, err, c.want)
		}
		if d.P != 1 || d.Low != 0 || d.High != 0 {
			t.Errorf("%s: %+v has bounds or a p-value", name, d)
		}
	}
}
