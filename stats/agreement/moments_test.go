package agreement

import (
	"errors"
	"math"
	"testing"

	"compqa/stats"
)

func closeTo(t *testing.T, what string, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > 1e-12 {
		t.Errorf("%s is %v, want %v", what, got, want)
	}
}

// By hand. For (1,2,3,4) and (1,2,4,3), the deviations have sums of squares 5 and 5 and sum of products 4, so r = 0.8 and n = 2/1.8. With a
// third variable, (4,3,2,1), r is 0.8, -1 and -0.8 with mean -1/3, and n = 3/(1-2/3) = 9. Noise of 1/3, a fifth of each variance of 5/3,
// leaves (4/3 - 1/3)/(5/3 - 1/3) = 3/4.
func TestEffectiveJudges(t *testing.T) {
	up := []float64{1, 2, 3, 4}
	swapped := []float64{1, 2, 4, 3}
	down := []float64{4, 3, 2, 1}
	for _, c := range []struct {
		errors         [][]float64
		noise, mean, n float64
	}{
		{[][]float64{up, swapped}, 0, 0.8, 2 / 1.8},
		{[][]float64{up, up}, 0, 1, 1},
		{[][]float64{up, {1, -1, -1, 1}}, 0, 0, 2},
		{[][]float64{up, swapped, down}, 0, -1.0 / 3, 9},
		{[][]float64{up, swapped}, 1.0 / 3, 0.75, 2 / 1.75},
	} {
		mean, n, err := judgesOf(c.errors, c.noise)
		if err != nil {
			t.Fatal(err)
		}
		closeTo(t, "the mean correlation", mean, c.mean)
		closeTo(t, "the number of judges", n, c.n)
	}
	for name, c := range map[string]struct {
		errors [][]float64
		noise  float64
		want   error
	}{
		"no judge": {nil, 0, stats.ErrTooShort}, "one judge": {[][]float64{up}, 0, stats.ErrTooShort},
		"no unit": {[][]float64{{}, {}}, 0, stats.ErrTooShort}, "one unit": {[][]float64{{1}, {2}}, 0, stats.ErrTooShort},
		"constant": {[][]float64{up, {1, 1, 1, 1}}, 0, stats.ErrConstant}, "only noise": {[][]float64{up, swapped}, 2, stats.ErrConstant},
		"opposites": {[][]float64{up, down}, 0, stats.ErrUndefined}, "lengths": {[][]float64{up, {1, 2}}, 0, stats.ErrLength},
	} {
		if _, _, err := judgesOf(c.errors, c.noise); !errors.Is(err, c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// By hand. Correlations 0.8, -1, -0.8 have mean -1/3 and squares 0.64, 1, 0.64, so d = 9/(3 + 2·2.28). If one impression decides all
// criteria, d = 1; for unrelated criteria (rows of a Hadamard matrix), d = K. A constant criterion is left out and counted.
func TestSpread(t *testing.T) {
	up := []float64{1, 2, 3, 4}
	swapped := []float64{1, 2, 4, 3}
	down := []float64{4, 3, 2, 1}
	for _, c := range []struct {
		values   [][]float64
		mean, d  float64
		constant int
	}{
		{[][]float64{up, swapped, down}, -1.0 / 3, 9 / 7.56, 0},
		{[][]float64{up, {2, 2, 2, 2}, {2, 4, 6, 8}, {0, 1, 2, 3}}, 1, 1, 1},
		{[][]float64{{1, 1, 0, 0}, {1, 0, 1, 0}, {1, 0, 0, 1}}, 0, 3, 0},
	} {
		s, err := spreadOf(c.values)
		if err != nil {
			t.Fatal(err)
		}
		closeTo(t, "the mean correlation", s.MeanCorrelation, c.mean)
		closeTo(t, "the number of criteria", s.Effective, c.d)
		if s.Constant != c.constant {
			t.Errorf("%d criteria are constant, want %d", s.Constant, c.constant)
		}
	}
	for name, values := range map[string][][]float64{"none": nil, "two": {up, down}, "two and a constant": {up, down, {1, 1, 1, 1}}, "no unit": {{}, {}, {}}, "one unit": {{1}, {2}, {3}}} {
		if _, err := spreadOf(values); !errors.Is(err, stats.ErrTooShort) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := spreadOf([][]float64{up, down, {1, math.NaN(), 2, 3}}); !errors.Is(err, stats.ErrInvalidValue) {
		t.Errorf("NaN: %v", err)
	}
}

func momentsOf(values [][]float64) (Moments, error) {
	if len(values) == 0 {
		return NewMoments(nil, nil)
	}
	return NewMoments(values, make([]int, len(values[0])))
}

func judgesOf(errors [][]float64, noise float64) (mean, n float64, err error) {
	m, err := momentsOf(errors)
	if err != nil {
		return 0, 0, err
	}
	return m.Judges(m.SampleWeights, noise)
}

func spreadOf(values [][]float64) (Spread, error) {
	m, err := momentsOf(values)
	if err != nil {
		return Spread{}, err
	}
	return m.Spread(m.SampleWeights)
}

// Correlations from sums over clusters are compared with those of the drawn units, for values that are not exact in binary. The first
// variable is constant in the first two clusters.
func TestMomentsOfResamples(t *testing.T) {
	rng := stats.NewRNG(3, "criteria")
	clusters := []int{7, 7, 7, 3, 3, 3, 3, 1, 1, 1}
	values := make([][]float64, 5)
	for k := range values {
		for range clusters {
			values[k] = append(values[k], 4+rng.Float64()/3)
		}
	}
	for i, c := range clusters {
		if c != 1 {
			values[0][i] = 5.0 / 3
		}
	}
	g, _ := stats.NewGrouping(clusters, len(clusters))
	s, err := NewMoments(values, clusters)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ drawn, varying []int }{
		{[]int{0, 1, 2}, []int{0, 1, 2, 3, 4}}, {[]int{0, 0, 2}, []int{0, 1, 2, 3, 4}}, {[]int{0, 1, 1}, []int{1, 2, 3, 4}},
	} {
		var rows []int
		for _, cluster := range c.drawn {
			rows = append(rows, g.Members()[cluster]...)
		}
		sum := 0.0
		pairs := 0.0
		for i, k := range c.varying {
			for _, l := range c.varying[:i] {
				r, err := Pearson(permuted(values[k], rows), permuted(values[l], rows))
				if err != nil {
					t.Fatal(err)
				}
				sum += r
				pairs++
			}
		}
		sums := make([]float64, len(s.SampleWeights))
		for _, cluster := range c.drawn {
			for k, v := range s.Entries(s.Form(cluster)) {
				sums[k] += v
			}
		}
		got, err := s.Spread(sums)
		if err != nil || got.Constant != 5-len(c.varying) {
			t.Errorf("%v: %+v, %v", c.drawn, got, err)
		}
		closeTo(t, "the mean correlation", got.MeanCorrelation, sum/pairs)
	}
}
