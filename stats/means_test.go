package stats

import (
	"errors"
	"math"
	"testing"

	"compqa/stats/statstest"
)

// Four values in two clusters, by hand: the mean is 3, e = -2, -1, 0, 3, so Σe² = 14 and S = -3, 3.
//
//	CLT² = 14/12;  CR0² = 18/16;  CR1² = CR0²·2;  Miller² = 14/12 + (18-14)/16
//	CR2² = (9/(1/2) + 9/(1/2))/16;  a_c = (4/4)/(1/2) = 2, df = 16/(4+4 + 2·2·2) = 1
func TestStandardErrorsByHand(t *testing.T) {
	se, err := StandardErrors([]float64{1, 2, 3, 6}, []int{7, 7, -1, -1})
	if err != nil {
		t.Fatal(err)
	}
	if se.N != 4 || se.Clusters != 2 || se.Mean != 3 {
		t.Errorf("n %d, clusters %d, mean %v", se.N, se.Clusters, se.Mean)
	}
	statstest.WantRel(t, "CLT", se.CLT, math.Sqrt(14./12), 1e-15)
	statstest.WantRel(t, "CR0", se.CR0, math.Sqrt(18)/4, 1e-15)
	statstest.WantRel(t, "CR1", se.CR1, 1.5, 1e-15)
	statstest.WantRel(t, "Miller", se.Miller, math.Sqrt(14./12+4./16), 1e-15)
	statstest.WantRel(t, "CR2", se.CR2, 1.5, 1e-15)
	statstest.WantRel(t, "df", se.DFCR2, 1, 1e-15)

	est, err := MeanInterval([]float64{1, 2, 3, 6}, []int{7, 7, -1, -1}, 0.95)
	if err != nil {
		t.Fatal(err)
	}
	// Student's 97.5 % quantile with one degree of freedom is tan(0.475π).
	quantile := math.Tan(0.475 * math.Pi)
	statstest.WantRel(t, "low", est.Low, 3-1.5*quantile, 1e-13)
	statstest.WantRel(t, "high", est.High, 3+1.5*quantile, 1e-13)
	p, err := est.PValue(est.Low)
	if err != nil {
		t.Fatal(err)
	}
	statstest.WantRel(t, "p-value of the bound", p, 0.05, 1e-12)
}

// CR2's degrees of freedom are compared with the double sum of the definition.
func TestSatterthwaiteByDoubleSum(t *testing.T) {
	values := []float64{3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5}
	clusters := []int{0, 1, 1, 2, 2, 2, 2, 3, 3, 3, 0}
	sizes := []float64{2, 2, 4, 3}
	n := 11.
	var sum float64
	for c, m := range sizes {
		for d, k := range sizes {
			if c == d {
				sum += m * m
				continue
			}
			sum += (m * k / n) * (m * k / n) / ((1 - m/n) * (1 - k/n))
		}
	}
	se, err := StandardErrors(values, clusters)
	if err != nil {
		t.Fatal(err)
	}
	statstest.WantRel(t, "df", se.DFCR2, n*n/sum, 1e-13)
	if got := se.Recommended(); got != CR2 {
		t.Errorf("recommended for 4 unequal clusters: %s", got)
	}
}

func TestStandardErrorsOfSingletons(t *testing.T) {
	se, err := StandardErrors([]float64{2, 4, 4, 9}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, got := range map[string]float64{"Miller": se.Miller, "CR1": se.CR1, "CR2": se.CR2} {
		statstest.WantRel(t, name, got, se.CLT, 1e-14)
	}
	statstest.WantRel(t, "df", se.DFCR2, 3, 1e-14)
	if got := se.Recommended(); got != CR1 {
		t.Errorf("recommended for singletons: %s", got)
	}
}

func TestStandardErrorsProperties(t *testing.T) {
	values := []float64{3, 1, 4, 1, 5, 9, 2, 6, 5, 3}
	clusters := []int{0, 0, 1, 1, 1, 2, 2, 3, 4, 4}
	base, err := StandardErrors(values, clusters)
	if err != nil {
		t.Fatal(err)
	}
	same := func(name string, v []float64, c []int, factor, shift float64) {
		t.Helper()
		got, err := StandardErrors(v, c)
		if err != nil {
			t.Fatal(err)
		}
		statstest.WantRel(t, name+": mean", got.Mean, factor*base.Mean+shift, 1e-13)
		statstest.WantRel(t, name+": CR1", got.CR1, math.Abs(factor)*base.CR1, 1e-12)
		statstest.WantRel(t, name+": CR2", got.CR2, math.Abs(factor)*base.CR2, 1e-12)
		statstest.WantRel(t, name+": df", got.DFCR2, base.DFCR2, 1e-12)
	}
	relabelled := make([]int, len(clusters))
	reversed := make([]float64, len(values))
	reversedClusters := make([]int, len(values))
	affine := make([]float64, len(values))
	for i, c := range clusters {
		relabelled[i] = 1000 - 7*c
		reversed[len(values)-1-i] = values[i]
		reversedClusters[len(values)-1-i] = c
		affine[i] = -2*values[i] + 5
	}
	same("relabelled", values, relabelled, 1, 0)
	same("reversed", reversed, reversedClusters, 1, 0)
	same("affine", affine, clusters, -2, 5)
	// Copies within a cluster are not new evidence, although the plain standard error treats them as such.
	doubled := append(append([]float64(nil), values...), values...)
	same("doubled", doubled, append(append([]int(nil), clusters...), clusters...), 1, 0)
	plain, _ := StandardErrors(doubled, nil)
	statstest.WantRel(t, "plain error of the doubled data", plain.CLT, base.CLT*math.Sqrt(9./19), 1e-13)
}

func TestMeanIntervalRefuses(t *testing.T) {
	tenths := make([]float64, 30) // the mean is not exactly 0.1
	for i := range tenths {
		tenths[i] = 0.1
	}
	for name, c := range map[string]struct {
		values   []float64
		clusters []int
		level    float64
		want     error
		value    float64
	}{
		"nothing":            {nil, nil, 0.95, ErrTooShort, 0},
		"one value":          {[]float64{3}, nil, 0.95, ErrTooShort, 3},
		"one cluster":        {[]float64{1, 3}, []int{5, 5}, 0.95, ErrOneCluster, 2},
		"constant":           {tenths, nil, 0.95, ErrZeroWidth, 0.1},
		"zeros":              {[]float64{0, 0, 0}, nil, 0.95, ErrZeroWidth, 0},
		"residuals cancel":   {[]float64{0, 1, 0.3, 0.7, 0.1, 0.9}, []int{0, 0, 1, 1, 2, 2}, 0.95, ErrZeroWidth, 0.5},
		"NaN":                {[]float64{1, math.NaN()}, nil, 0.95, ErrInvalidValue, 0},
		"overflow":           {[]float64{1e200, -1e200}, nil, 0.95, ErrInvalidValue, 0},
		"infinity":           {[]float64{1, math.Inf(1)}, nil, 0.95, ErrInvalidValue, 0},
		"a label too few":    {[]float64{1, 2}, []int{1}, 0.95, ErrLength, 0},
		"a level of 1":       {[]float64{1, 2}, nil, 1, ErrInvalidValue, 1.5},
		"a level in percent": {[]float64{1, 2}, nil, 95, ErrInvalidValue, 1.5},
	} {
		est, err := MeanInterval(c.values, c.clusters, c.level)
		if !errors.Is(err, c.want) {
			t.Errorf("%s: error %v, want %v", name, err, c.want)
		}
		if math.Abs(est.Value-c.value) > 1e-15 || est.Low != 0 || est.High != 0 {
			t.Errorf("%s: %+v, want the value %v without bounds", name, est, c.value)
		}
		if _, err := est.PValue(0); !errors.Is(err, ErrZeroWidth) && est.SE == 0 {
			t.Errorf("%s: p-value without an interval: %v", name, err)
		}
	}
	se, _ := StandardErrors([]float64{1, 2}, nil)
	if _, err := se.Interval("sandwich", 0.95); !errors.Is(err, ErrInvalidValue) {
		t.Errorf("unknown method: %v", err)
	}
}
