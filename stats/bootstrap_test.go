package stats

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"compqa/stats/statstest"
)

// meanOfRows is a statistic with a known distribution.
func meanOfRows(values []float64) func(rows []int) (float64, error) {
	return func(rows []int) (float64, error) {
		sum := 0.0
		for _, row := range rows {
			sum += values[row]
		}
		return sum / float64(len(rows)), nil
	}
}

// The standard deviation of the bootstrap of a mean is √(Σe²)/n exactly, in the
// limit of many resamples; of a mean over clusters of equal size, that of the
// cluster means.
func TestClusterBootstrapOfMean(t *testing.T) {
	values, clusters := make([]float64, 200), make([]int, 200)
	rng := NewRNG(17, "bootstrap of a mean")
	for i := range values {
		clusters[i] = 100 - i/10
		values[i] = float64(i/10%7) + rng.Float64()
	}
	for name, c := range map[string]struct {
		clusters []int
		se       float64
		drawn    int
	}{
		"rows":     {nil, math.Sqrt(Dot(Deviations(values), Deviations(values))) / 200, 200},
		"clusters": {clusters, clusterMeanSE(values, 10), 20},
	} {
		o := Resampling{Seed: 1, Name: name, Resamples: 20_000}
		d, err := ClusterBootstrap(200, c.clusters, o, meanOfRows(values))
		if err != nil {
			t.Fatal(err)
		}
		// The standard error of a standard deviation over 20,000 is 0.5 %.
		statstest.Near(t, name+": SE relative to the exact one", d.SE/c.se, 1, 0.02)
		statstest.Near(t, name+": width in SE", (d.High-d.Low)/(2*c.se), 1.96, 0.06)
		if d.Clusters != c.drawn || d.Degenerate != 0 || d.Level != 0.95 || len(d.Replicates) != 20_000 || !slices.IsSorted(d.Replicates) {
			t.Errorf("%s: %d clusters, %d degenerate, level %v", name, d.Clusters, d.Degenerate, d.Level)
		}
		statstest.Near(t, name+": below the mean", d.Below(Mean(values)), 0.5, 0.02)
	}
}

func clusterMeanSE(values []float64, size int) float64 {
	var means []float64
	for i := 0; i < len(values); i += size {
		means = append(means, Mean(values[i:i+size]))
	}
	e := Deviations(means)
	return math.Sqrt(Dot(e, e)) / float64(len(means))
}

// Whole clusters are drawn, in order, and as many as there are.
func TestClusterBootstrapRows(t *testing.T) {
	clusters := []int{7, 7, -1, 3, 3, 3}
	blocks := map[string]bool{"[0 1]": true, "[2]": true, "[3 4 5]": true}
	count := 0.0
	_, err := ClusterBootstrap(6, clusters, Resampling{Resamples: 50}, func(rows []int) (float64, error) {
		drawn := 0
		for len(rows) > 0 {
			size := map[int]int{0: 2, 2: 1, 3: 3}[rows[0]]
			if size == 0 || !blocks[fmt.Sprint(rows[:size])] {
				t.Fatalf("rows %v are not whole clusters", rows)
			}
			rows = rows[size:]
			drawn++
		}
		if drawn != 3 {
			t.Fatalf("%d clusters drawn", drawn)
		}
		count++
		return count, nil
	})
	if err != nil || count != 50 {
		t.Errorf("%v resamples, %v", count, err)
	}
}

// Resample b is the same in a run of ten and of a thousand, and for any caller.
func TestResamplesAreNumbered(t *testing.T) {
	draws := func(o Resampling) (all [][]int) {
		_, err := o.Each(5, func(drawn []int) error {
			all = append(all, slices.Clone(drawn))
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return all
	}
	few, many := draws(Resampling{Seed: 9, Name: "n", Resamples: 10}), draws(Resampling{Seed: 9, Name: "n"})
	for b := range few {
		if !slices.Equal(few[b], many[b]) {
			t.Errorf("resample %d: %v and %v", b, few[b], many[b])
		}
		rng := NewRNG(9, "n", uint64(b))
		for _, c := range few[b] {
			if want := rng.Intn(5); c != want {
				t.Errorf("resample %d draws %d, its stream %d", b, c, want)
			}
		}
	}
	if len(many) != 1000 {
		t.Errorf("%d resamples by default", len(many))
	}
	if other := draws(Resampling{Seed: 9, Name: "other", Resamples: 10}); slices.Equal(slices.Concat(other...), slices.Concat(few...)) {
		t.Error("two names have one stream")
	}
}

func TestBootstrapDegenerate(t *testing.T) {
	// Undefined in k of 1,000 resamples: 10 are counted, 11 refused.
	run := func(k int, failure func() (float64, error)) (Distribution, error) {
		calls := 0
		return ClusterBootstrap(5, nil, Resampling{}, func([]int) (float64, error) {
			if calls++; calls <= k {
				return failure()
			}
			return float64(calls), nil
		})
	}
	for name, failure := range map[string]func() (float64, error){
		"error":    func() (float64, error) { return 0, fmt.Errorf("x: %w", ErrConstant) },
		"NaN":      func() (float64, error) { return math.NaN(), nil },
		"infinity": func() (float64, error) { return math.Inf(1), nil },
	} {
		d, err := run(10, failure)
		if err != nil || d.Degenerate != 10 || len(d.Replicates) != 990 {
			t.Errorf("%s, 10: %d degenerate, %v", name, d.Degenerate, err)
		}
		d, err = run(11, failure)
		if !errors.Is(err, ErrDegenerate) || !errors.Is(err, ErrUndefined) || d.Degenerate != 11 || d.Low != 0 || d.High != 0 {
			t.Errorf("%s, 11: %+v, %v", name, d.Degenerate, err)
		}
	}
	broken := errors.New("broken")
	if _, err := run(1, func() (float64, error) { return 0, broken }); !errors.Is(err, broken) {
		t.Errorf("any other error stops: %v", err)
	}
}

func TestBootstrapRefuses(t *testing.T) {
	one := func([]int) (float64, error) { return 1, nil }
	for name, c := range map[string]struct {
		n        int
		clusters []int
		o        Resampling
		want     error
	}{
		"no rows":          {0, nil, Resampling{}, ErrTooShort},
		"one row":          {1, nil, Resampling{}, ErrOneCluster},
		"one cluster":      {3, []int{4, 4, 4}, Resampling{}, ErrOneCluster},
		"labels missing":   {3, []int{1, 2}, Resampling{}, ErrLength},
		"level":            {3, nil, Resampling{Level: 95}, ErrInvalidValue},
		"one resample":     {3, nil, Resampling{Resamples: 1}, ErrInvalidValue},
		"nothing to learn": {3, nil, Resampling{}, ErrZeroWidth},
	} {
		if _, err := ClusterBootstrap(c.n, c.clusters, c.o, one); !errors.Is(err, c.want) {
			t.Errorf("%s: error %v, want %v", name, err, c.want)
		}
	}
	if (Distribution{}).Below(1) != 0 {
		t.Error("no replicates are below anything")
	}
}

func TestClusterLabels(t *testing.T) {
	if got := ClusterLabels([]string{"b", "a", "b", "c"}); !slices.Equal(got, []int{0, 1, 0, 2}) {
		t.Errorf("got %v", got)
	}
}
