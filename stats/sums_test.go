package stats

import (
	"errors"
	"math"
	"slices"
	"testing"

	"compqa/stats/statstest"
)

// bootstrap returns the distribution of a statistic of the weights of rows.
func bootstrap(n int, clusters []int, o Resampling, statistic Statistic) (Distribution, error) {
	rows, err := Units(n, clusters)
	if err != nil {
		return Distribution{}, err
	}
	return rows.Bootstrap(o, statistic).Distribution(0)
}

// weightedMean is a statistic with a known distribution.
func weightedMean(values []float64) Statistic {
	return func(weights []float64) []float64 {
		sum := 0.0
		n := 0.0
		for row, w := range weights {
			sum += w * values[row]
			n += w
		}
		return []float64{sum / n}
	}
}

// For many resamples, the standard deviation of the bootstrap of a mean is exactly √(Σe²)/n. For a mean over clusters of equal size, it
// is that of the cluster means.
func TestBootstrapOfMean(t *testing.T) {
	values := make([]float64, 200)
	clusters := make([]int, 200)
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
		d, err := bootstrap(200, c.clusters, o, weightedMean(values))
		if err != nil {
			t.Fatal(err)
		}
		// The standard error of a standard deviation over 20,000 is 0.5 %.
		statstest.Near(t, name+": SE relative to the exact one", d.SE/c.se, 1, 0.02)
		statstest.Near(t, name+": width in SE", (d.High-d.Low)/(2*c.se), 1.96, 0.06)
		if d.Clusters != c.drawn || d.Degenerate != 0 || d.Level != 0.95 || len(d.Replicates) != 20_000 || !slices.IsSorted(d.Replicates) {
			t.Errorf("%s: %d clusters, %d degenerate, level %v", name, d.Clusters, d.Degenerate, d.Level)
		}
		statstest.Near(t, name+": below the mean", d.ShareBelow(Mean(values)), 0.5, 0.02)
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

// Each resample draws as many whole clusters as there are.
func TestBootstrapDrawsClusters(t *testing.T) {
	count := 0.0
	_, err := bootstrap(6, []int{7, 7, -1, 3, 3, 3}, Resampling{Resamples: 50}, func(w []float64) []float64 {
		if w[0] != w[1] || w[3] != w[4] || w[3] != w[5] || w[0]+w[2]+w[3] != 3 {
			t.Fatalf("weights %v are not those of three whole clusters", w)
		}
		count++
		return []float64{count}
	})
	if err != nil || count != 51 { // one more for the sample itself
		t.Errorf("%v calls, %v", count, err)
	}
}

// Resample b is the same in a run of ten and of a thousand, and for any caller.
func TestResamplesAreNumbered(t *testing.T) {
	units, err := Units(5, nil)
	if err != nil {
		t.Fatal(err)
	}
	draws := func(o Resampling) (all [][]float64) {
		units.Bootstrap(o, func(weights []float64) []float64 {
			all = append(all, slices.Clone(weights))
			return nil
		})
		return all[1:]
	}
	few := draws(Resampling{Seed: 9, Name: "n", Resamples: 10})
	many := draws(Resampling{Seed: 9, Name: "n"})
	for b := range few {
		if !slices.Equal(few[b], many[b]) {
			t.Errorf("resample %d: %v and %v", b, few[b], many[b])
		}
		rng := NewRNG(9, "n", uint64(b))
		want := make([]float64, 5)
		for range want {
			want[rng.Intn(5)]++
		}
		if !slices.Equal(few[b], want) {
			t.Errorf("resample %d has the weights %v, its stream %v", b, few[b], want)
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
	// The statistic is undefined in k of 1,000 resamples: 10 are counted, 11 are refused.
	run := func(k int, failure float64) (Distribution, error) {
		calls := -1 // the first is the sample
		return bootstrap(5, nil, Resampling{}, func([]float64) []float64 {
			if calls++; calls > 0 && calls <= k {
				return []float64{failure}
			}
			return []float64{float64(calls)}
		})
	}
	for _, failure := range []float64{math.NaN(), math.Inf(1), Defined(1, ErrConstant)} {
		d, err := run(10, failure)
		if err != nil || d.Degenerate != 10 || len(d.Replicates) != 990 {
			t.Errorf("%v, 10: %d degenerate, %v", failure, d.Degenerate, err)
		}
		d, err = run(11, failure)
		if !errors.Is(err, ErrDegenerate) || !errors.Is(err, ErrUndefined) || d.Degenerate != 11 || d.Low != 0 || d.High != 0 {
			t.Errorf("%v, 11: %+v, %v", failure, d.Degenerate, err)
		}
	}
}

func TestBootstrapRefuses(t *testing.T) {
	one := func([]float64) []float64 { return []float64{1} }
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
		"no resample":      {3, nil, Resampling{Resamples: -1}, ErrInvalidValue},
	} {
		if _, err := bootstrap(c.n, c.clusters, c.o, one); !errors.Is(err, c.want) {
			t.Errorf("%s: error %v, want %v", name, err, c.want)
		}
	}
	if (Distribution{}).ShareBelow(1) != 0 {
		t.Error("no replicates are below anything")
	}
}

// Sums of values by cluster, by hand: clusters 1 and 2 have (3, 1) and (4, 2). A unit that adds nothing does not count.
func TestLeaveOut(t *testing.T) {
	values := [][]float64{{1, 1}, {4, 2}, nil, {2, 0}}
	s := AddUp([]int{1, 2, 3, 1}, 2, func(i int) []float64 { return values[i] })
	r := s.LeaveOut(func(sums []float64) []float64 { return []float64{sums[0], sums[0] / sums[1]} })
	if s.Clusters() != 2 || !slices.Equal(r.Values, []float64{7, 7. / 3}) || !slices.Equal(r.ByFigure[0], []float64{4, 3}) ||
		!slices.Equal(r.ByFigure[1], []float64{2, 3}) {
		t.Errorf("%d clusters: %+v", s.Clusters(), r)
	}
	e, err := r.Jackknife(0, 0.95) // SE² = 1/2 · (1/4 + 1/4)
	if err != nil || e.SE != 0.5 || e.DF != 1 || e.Value != 7 {
		t.Errorf("%+v, %v", e, err)
	}
	// A figure that is undefined without some cluster has no interval. The figures of equal units are computed once.
	calls := 0
	kinds := []int{0, 1, 1, 1, 1}
	units, err := NewSums(5, nil, 2, func(i int, add func(int, float64)) { add(kinds[i], 1) })
	if err != nil {
		t.Fatal(err)
	}
	r = units.LeaveOut(func(weights []float64) []float64 { calls++; return []float64{weights[1] / weights[0]} })
	if _, err := r.Jackknife(0, 0.95); !errors.Is(err, ErrUndefined) || calls != 3 || len(r.ByFigure[0]) != 5 || r.ByFigure[0][4] != 3 {
		t.Errorf("%d calls, %+v, %v", calls, r, err)
	}
}

// With 2,000 clusters or more, random groups are left out, with each cluster in one of them. The standard error of a mean is that of the
// values, whatever their order. Its own standard error, for 1,000 groups, is 2.2 %.
func TestLeaveOutGroups(t *testing.T) {
	const n = leastGrouped + 700
	values := make([]float64, n)
	for i := range values {
		values[i] = float64(i % groupsLeftOut) // as for systems in turn
	}
	units, err := Units(n, nil)
	if err != nil {
		t.Fatal(err)
	}
	left := make([]float64, n)
	r := units.Bootstrap(Resampling{Seed: 1}, func(weights []float64) []float64 {
		for i, w := range weights {
			left[i] += 1 - w
		}
		return weightedMean(values)(weights)
	})
	if slices.Min(left) != 1 || slices.Max(left) != 1 || len(r.ByFigure[0]) != groupsLeftOut {
		t.Errorf("clusters are left out %v to %v times, in %d groups", slices.Min(left), slices.Max(left), len(r.ByFigure[0]))
	}
	want, err := MeanInterval(values, nil, 0.95)
	if err != nil {
		t.Fatal(err)
	}
	d, err := r.Distribution(0)
	if err != nil || d.Clusters != n || d.Resamples != 0 || len(d.Replicates) != 0 {
		t.Errorf("%+v, %v", d, err)
	}
	statstest.Near(t, "SE relative to that of a mean", d.SE/want.SE, 1, 0.06)
	statstest.Near(t, "probability of less than the mean", d.ShareBelow(want.Value), 0.5, 1e-9)
	e, err := units.LeaveOut(weightedMean(values)).Jackknife(0, 0.95)
	if err != nil || e.Low != d.Low || e.High != d.High || e.DF != groupsLeftOut-1 {
		t.Errorf("%+v, %v: not %+v", e, err, d)
	}
	difference, err := r.Minus(r).Distribution(0)
	if !errors.Is(err, ErrZeroWidth) {
		t.Errorf("%+v, %v: a sample differs from itself", difference, err)
	}
	_, err = units.Bootstrap(Resampling{Level: 95}, weightedMean(values)).Distribution(0)
	if !errors.Is(err, ErrInvalidValue) {
		t.Errorf("level 95: %v", err)
	}
}

func TestClusterLabels(t *testing.T) {
	if got := ClusterLabels([]string{"b", "a", "b", "c"}); !slices.Equal(got, []int{0, 1, 0, 2}) {
		t.Errorf("got %v", got)
	}
}

// What clusters add is kept once for all clusters that add the same, whichever weights they add to.
func TestEqualClustersAreKeptOnce(t *testing.T) {
	s := AddUp(ClusterLabels([]int{5, 5, 6, 7, 7, 8, 9}), 2, func(unit int) []float64 {
		return [][]float64{{1, .5}, {2, 0}, {3, .5}, {2, 0}, {1, .5}, {3, .5}, nil}[unit]
	})
	if s.Clusters() != 4 || len(s.ends) != 1 || len(s.entries) != 2 || !slices.Equal(s.SampleWeights, []float64{12, 2}) {
		t.Errorf("%d clusters, forms end at %v, entries %v, weights %v", s.Clusters(), s.ends, s.entries, s.SampleWeights)
	}
	for c := range s.Clusters() {
		if without := s.WeightsWithout([]int{c}); !slices.Equal(without, []float64{9, 1.5}) {
			t.Errorf("without cluster %d: %v", c, without)
		}
	}
}

// TestDifferent: labels are counted as NumberPlaces numbers them.
func TestDifferent(t *testing.T) {
	for _, labels := range [][]int{nil, {3}, {0, 2, 2, 0, 1}, {5, -1, 5}, {1 << 40, 7, 7}} {
		if _, names := NumberPlaces(labels); Different(labels) != len(names) {
			t.Errorf("%v: %d, want %d", labels, Different(labels), len(names))
		}
	}
}
