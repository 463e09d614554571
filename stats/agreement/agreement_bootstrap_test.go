package agreement

import (
	"errors"
	"math"
	"testing"

	"compqa/stats"
	"compqa/stats/statstest"
)

// The bootstrap of the table of pairs is compared with a generic bootstrap of the plain functions, on the same draws.
func TestAgreementBootstrapAgainstGeneric(t *testing.T) {
	rng := stats.NewRNG(21, "agreement")
	for name, rows := range map[string][][]float64{
		"scores":     randomTable(rng, 2, 300, 8, 0.5, 0),
		"continuous": benchContinuous(300, 2),
	} {
		x := rows[0]
		y := rows[1]
		clusters := make([]int, len(x))
		for i := range clusters {
			clusters[i] = i % 17
		}
		o := stats.Resampling{Seed: 3, Name: "agreement", Resamples: 200}
		got, err := agreementBootstrap(x, y, clusters, o)
		if err != nil {
			t.Fatal(err)
		}
		for what, c := range map[string]struct {
			got  interval
			want func(x, y []float64) (float64, error)
		}{
			"alpha":    {got.Alpha, intervalAlpha},
			"Spearman": {got.Spearman, Spearman},
			"Pearson":  {got.Pearson, Pearson},
		} {
			value, err := c.want(x, y)
			if err != nil || c.got.Err != nil {
				t.Fatal(err, c.got.Err)
			}
			statstest.Near(t, name+", "+what, c.got.Value, value, 1e-13)
			want, err := rowBootstrap(len(x), clusters, o, func(drawn []int) (float64, error) {
				return c.want(permuted(x, drawn), permuted(y, drawn))
			})
			if err != nil {
				t.Fatal(err)
			}
			for b := range want.Replicates {
				statstest.Near(t, name+", replicate of "+what, c.got.Replicates[b], want.Replicates[b], 1e-12)
			}
			statstest.Near(t, name+", low of "+what, c.got.Low, want.Low, 1e-12)
			statstest.Near(t, name+", high of "+what, c.got.High, want.High, 1e-12)
		}
	}
}

func intervalAlpha(x, y []float64) (float64, error) {
	r, err := PairedRatings(x, y)
	if err != nil {
		return 0, err
	}
	a, err := Alpha(r, Interval)
	return a.Alpha, err
}

func TestAgreementDifference(t *testing.T) {
	rng := stats.NewRNG(22, "difference")
	rows := randomTable(rng, 2, 400, 10, 1, 0)
	reference := rows[0]
	good := rows[1]
	bad := permuted(good, permutation(rng, 400))
	o := stats.Resampling{Name: "difference"}
	d, err := agreementDifference(reference, good, bad, nil, o)
	if err != nil {
		t.Fatal(err)
	}
	a, err := agreementBootstrap(reference, good, nil, o)
	if err != nil {
		t.Fatal(err)
	}
	b, err := agreementBootstrap(reference, bad, nil, o)
	if err != nil {
		t.Fatal(err)
	}
	for what, s := range map[string][3]interval{
		"alpha": {d.Alpha, a.Alpha, b.Alpha}, "Spearman": {d.Spearman, a.Spearman, b.Spearman}, "Pearson": {d.Pearson, a.Pearson, b.Pearson},
	} {
		statstest.Near(t, what, s[0].Value, s[1].Value-s[2].Value, 1e-14)
		statstest.Near(t, what+", mean over the same resamples", stats.Mean(s[0].Replicates), stats.Mean(s[1].Replicates)-stats.Mean(s[2].Replicates), 1e-12)
		if s[0].Err != nil || s[0].Low <= 0 {
			t.Errorf("%s: [%v, %v], %v; want above 0", what, s[0].Low, s[0].High, s[0].Err)
		}
	}
	// The difference of a judge from itself is 0 and has no interval.
	d, err = agreementDifference(reference, good, good, nil, o)
	if err != nil || d.Alpha.Value != 0 || !errors.Is(d.Alpha.Err, stats.ErrZeroWidth) {
		t.Errorf("against itself: %v, %v, %v", d.Alpha.Value, d.Alpha.Err, err)
	}
}

// A constant judge has no correlation, but alpha is defined.
func TestAgreementBootstrapConstant(t *testing.T) {
	x := []float64{1, 2, 3, 4, 5, 1, 2, 3, 4, 5, 3, 3}
	five := plus(make([]float64, len(x)), 5)
	got, err := agreementBootstrap(x, five, nil, stats.Resampling{})
	if err != nil {
		t.Fatal(err)
	}
	if got.Alpha.Err != nil || got.Alpha.Value >= 0 {
		t.Errorf("alpha %v, %v; want below 0", got.Alpha.Value, got.Alpha.Err)
	}
	statstest.RequireError(t, got.Spearman.Err, stats.ErrUndefined)
	statstest.RequireError(t, got.Pearson.Err, stats.ErrUndefined)
	got, err = agreementBootstrap(five, five, nil, stats.Resampling{})
	statstest.RequireError(t, err, nil)
	statstest.RequireError(t, got.Alpha.Err, stats.ErrUndefined)
	// With a constant judge, only alpha's difference is defined.
	got, err = agreementDifference(x, permuted(x, []int{1, 0, 2, 4, 3, 5, 6, 7, 8, 9, 10, 11}), five, nil, stats.Resampling{})
	statstest.RequireError(t, err, nil)
	statstest.RequireError(t, got.Pearson.Err, stats.ErrUndefined)
	if got.Alpha.Err != nil || got.Alpha.Low <= 0 {
		t.Errorf("alpha against the constant: [%v, %v], %v", got.Alpha.Low, got.Alpha.High, got.Alpha.Err)
	}
}

// Only one of sixteen rows differs. It is absent from a third of the resamples.
func TestAgreementBootstrapDegenerate(t *testing.T) {
	x := make([]float64, 16)
	y := make([]float64, 16)
	for i := range x {
		x[i] = float64(i)
	}
	y[3] = 1
	got, err := agreementBootstrap(x, y, nil, stats.Resampling{})
	statstest.RequireError(t, err, nil)
	statstest.RequireError(t, got.Pearson.Err, stats.ErrDegenerate)
	statstest.RequireError(t, got.Spearman.Err, stats.ErrDegenerate)
	if got.Alpha.Err != nil || got.Pearson.Degenerate < 300 || got.Pearson.Value == 0 {
		t.Errorf("%d degenerate, r %v, alpha %v", got.Pearson.Degenerate, got.Pearson.Value, got.Alpha.Err)
	}
}

// Without the one row that sets the scale, the other values differ by too little to square. Such a resample is degenerate, not NaN.
func TestAgreementBootstrapTinyDifferences(t *testing.T) {
	x := []float64{0, 1e-200, 0, 1e-200, 1, 0, 1e-200, 0}
	got, err := agreementBootstrap(x, x, nil, stats.Resampling{})
	statstest.RequireError(t, err, nil)
	for what, s := range map[string]interval{"alpha": got.Alpha, "Pearson": got.Pearson} {
		statstest.RequireError(t, s.Err, stats.ErrDegenerate)
		for _, v := range s.Replicates {
			statstest.Near(t, what, v, 1, 0)
		}
	}
}

func TestAgreementBootstrapRefuses(t *testing.T) {
	x := []float64{1, 2, 3}
	for name, c := range map[string]struct {
		x, y     []float64
		clusters []int
		want     error
	}{
		"nothing":     {nil, nil, nil, stats.ErrTooShort},
		"one row":     {x[:1], x[:1], nil, stats.ErrOneCluster},
		"one cluster": {x, x, []int{2, 2, 2}, stats.ErrOneCluster},
		"lengths":     {x, x[:2], nil, stats.ErrLength},
		"labels":      {x, x, []int{1}, stats.ErrLength},
		"NaN":         {x, []float64{1, math.NaN(), 3}, nil, stats.ErrInvalidValue},
		"infinity":    {[]float64{1, math.Inf(1), 3}, x, nil, stats.ErrInvalidValue},
	} {
		if _, err := agreementBootstrap(c.x, c.y, c.clusters, stats.Resampling{}); !errors.Is(err, c.want) {
			t.Errorf("%s: error %v, want %v", name, err, c.want)
		}
		if _, err := agreementDifference(c.x, c.y, c.x, c.clusters, stats.Resampling{}); !errors.Is(err, c.want) {
			t.Errorf("difference, %s: error %v, want %v", name, err, c.want)
		}
		if _, err := agreementDifference(c.x, c.x, c.y, c.clusters, stats.Resampling{}); !errors.Is(err, c.want) {
			t.Errorf("difference, second judge, %s: error %v, want %v", name, err, c.want)
		}
	}
}

func agreementDifference(reference, a, b []float64, clusters []int, o stats.Resampling) (intervals, error) {
	first, err := Resample(reference, a, clusters, o)
	if err != nil {
		return intervals{}, err
	}
	second, err := Resample(reference, b, clusters, o)
	if err != nil {
		return intervals{}, err
	}
	return intervalsOf(first.Minus(second))
}

// agreementBootstrap returns the figures for x and y with their intervals.
func agreementBootstrap(x, y []float64, clusters []int, o stats.Resampling) (intervals, error) {
	r, err := Resample(x, y, clusters, o)
	if err != nil {
		return intervals{}, err
	}
	return intervalsOf(r)
}

// An interval is a figure with its distribution, or the reason why there is none.
type interval struct {
	Value float64
	stats.Distribution
	Err error
}

type intervals struct{ Alpha, Spearman, Pearson interval }

// intervalsOf returns the intervals of Resample's figures. An error concerns all of them.
func intervalsOf(r *stats.Replicates) (intervals, error) {
	var all [3]interval
	for k, v := range r.Values {
		all[k].Value = v
		all[k].Distribution, all[k].Err = r.Distribution(k)
		if errors.Is(all[k].Err, stats.ErrOneCluster) {
			return intervals{}, all[k].Err
		}
	}
	return intervals{all[OfAlpha], all[OfSpearman], all[OfPearson]}, nil
}

// Leaving out groups of clusters gives the standard errors of 1,000 resamples of clusters, within the precision of both (2.2 % each), and
// the same bounds. Answers to one question are not treated as independent.
func TestGroupsOfClusters(t *testing.T) {
	const questions = 2000
	reference, judge, _ := judgedAnswers(stats.NewRNG(1, "groups"), questions)
	clusters := make([]int, len(judge))
	for i := range clusters {
		clusters[i] = i / 4
	}
	c, err := NewConfusion(reference, judge, nil, clusters, 0.95)
	if err != nil {
		t.Fatal(err)
	}
	figures, err := c.correlations()
	if err != nil {
		t.Fatal(err)
	}
	drawn := make([][]float64, 3)
	weights := make([]float64, len(c.pairs))
	for b := range 1000 {
		rng := stats.NewRNG(1, "draws", uint64(b))
		clear(weights)
		for range questions {
			for pair, n := range c.units.Entries(c.units.Form(rng.Intn(questions))) {
				weights[pair] += n
			}
		}
		for k, v := range figures(weights) {
			drawn[k] = append(drawn[k], v)
		}
	}
	for k, name := range []string{"alpha", "rho", "r"} {
		d, err := c.units.Bootstrap(stats.Resampling{Seed: 1, Name: "groups"}, figures).Distribution(k)
		if err != nil || d.Clusters != questions {
			t.Fatalf("%s: %d clusters, %v", name, d.Clusters, err)
		}
		want, err := stats.Resampling{Resamples: 1000, Level: 0.95}.Summarise(drawn[k], questions)
		if err != nil {
			t.Fatal(err)
		}
		if ratio := d.SE / want.SE; ratio < 0.9 || ratio > 1.1 || math.Abs(d.Low-want.Low) > want.SE/4 || math.Abs(d.High-want.High) > want.SE/4 {
			t.Errorf("%s: SE %v and %v, low %v and %v, high %v and %v", name, d.SE, want.SE, d.Low, want.Low, d.High, want.High)
		}
		middle := (d.Low + d.High) / 2
		if math.Abs(d.ShareBelow(middle)-0.5) > 1e-9 || math.Abs(d.ShareBelow(d.High)-0.975) > 1e-9 {
			t.Errorf("%s: below the middle %v, below the upper bound %v", name, d.ShareBelow(middle), d.ShareBelow(d.High))
		}
	}
}
