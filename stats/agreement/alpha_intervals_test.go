package agreement

import (
	"errors"
	"math"
	"slices"
	"testing"

	"compqa/stats"
	"compqa/stats/statstest"
)

// The bootstrap of grouped patterns is compared with a generic one, which computes alpha of each resampled table from scratch, on the same
// draws.
func TestAlphaBootstrapAgainstGeneric(t *testing.T) {
	rows := randomTable(stats.NewRNG(18, "alpha bootstrap"), 3, 60, 5, 1, 0.2)
	r := table(t, rows...)
	clusters := make([]int, 60)
	for u := range clusters {
		clusters[u] = u / 4
	}
	pairable := []int{}
	var pairedClusters []int
	for u, p := range r.unitPattern {
		if p != unpairable {
			pairable = append(pairable, u)
			pairedClusters = append(pairedClusters, clusters[u])
		}
	}
	for _, level := range levels {
		for name, c := range map[string]struct{ fast, generic []int }{
			"units": {nil, nil}, "clusters": {clusters, pairedClusters},
		} {
			o := stats.Resampling{Seed: 2, Name: "alpha", Resamples: 200}
			fast, err := AlphaBootstrap(r, level, c.fast, o)
			if err != nil {
				t.Fatal(err)
			}
			generic, err := rowBootstrap(len(pairable), c.generic, o, func(drawn []int) (float64, error) {
				resampled := make([][]float64, len(rows))
				for i := range rows {
					for _, u := range drawn {
						resampled[i] = append(resampled[i], rows[i][pairable[u]])
					}
				}
				a, err := Alpha(table(t, resampled...), level)
				return a.Alpha, err
			})
			if err != nil {
				t.Fatal(err)
			}
			for b := range generic.Replicates {
				statstest.Near(t, name+", "+string(level), fast.Replicates[b], generic.Replicates[b], 1e-12)
			}
			statstest.Near(t, "low", fast.Low, generic.Low, 1e-12)
			statstest.Near(t, "high", fast.High, generic.High, 1e-12)
			if below := fast.ShareBelow(AlphaTentative); below != generic.ShareBelow(AlphaTentative) || fast.Clusters != generic.Clusters {
				t.Errorf("%s, %v: P(alpha < 0.667) = %v over %d clusters", name, level, below, fast.Clusters)
			}
		}
	}
}

// Expected values are from an implementation in Python of everything from the seed to the interval: the generator, the definition of alpha
// in fractions, and numpy's quantile. An interval that was once printed must never change.
func TestAlphaBootstrapGolden(t *testing.T) {
	d, err := AlphaBootstrap(table(t, krippendorff2011...), Ordinal, nil, stats.Resampling{Seed: 1, Name: "alpha"})
	if err != nil {
		t.Fatal(err)
	}
	statstest.Near(t, "low", d.Low, 0.44695976091794265, 1e-14)
	statstest.Near(t, "high", d.High, 1, 0)
	statstest.Near(t, "P(alpha < 0.667)", d.ShareBelow(AlphaTentative), 0.186, 1e-15)
	statstest.Near(t, "P(alpha < 0.8)", d.ShareBelow(AlphaReliable), 0.439, 1e-15)
	if d.Clusters != 11 || d.Degenerate != 0 {
		t.Errorf("%d units, %d degenerate", d.Clusters, d.Degenerate)
	}
}

// A unit without a second rating is not part of the sample of units.
func TestAlphaBootstrapIgnoresSinglyRated(t *testing.T) {
	x := []float64{1, 2, 3, 4, 2, 2, 1, 4, 3, 1, 5}
	y := []float64{1, 2, 4, 4, 2, 1, 1, 4, 3, 2, none}
	with, err := AlphaBootstrap(table(t, x, y), Ordinal, nil, stats.Resampling{})
	if err != nil {
		t.Fatal(err)
	}
	without, err := AlphaBootstrap(table(t, x[:10], y[:10]), Ordinal, nil, stats.Resampling{})
	if err != nil || with.Low != without.Low || with.High != without.High {
		t.Errorf("[%v, %v] with, [%v, %v] without: %v", with.Low, with.High, without.Low, without.High, err)
	}
}

// Data of Hayes and Krippendorff: unit bootstrap, jackknife and KALPHA agree with another implementation, which has other random numbers,
// within simulation error.
func TestAlphaIntervalsHayesKrippendorff2007(t *testing.T) {
	r := hayesKrippendorff2007(t)
	units, err := AlphaBootstrap(r, Ordinal, nil, stats.Resampling{Resamples: 10_000})
	if err != nil {
		t.Fatal(err)
	}
	statstest.Near(t, "units, low", units.Low, 0.620, 0.01)
	statstest.Near(t, "units, high", units.High, 0.843, 0.01)
	kalpha, err := KALPHA(r, Ordinal, stats.Resampling{Resamples: 10_000})
	if err != nil {
		t.Fatal(err)
	}
	statstest.Near(t, "KALPHA, low", kalpha.Low, 0.716, 0.01)
	statstest.Near(t, "KALPHA, high", kalpha.High, 0.812, 0.01)
	jackknife, err := AlphaJackknife(r, Ordinal, nil, 0.95)
	if err != nil {
		t.Fatal(err)
	}
	statstest.Near(t, "jackknife, low", jackknife.Low, 0.651, 5e-4)
	statstest.Near(t, "jackknife, high", jackknife.High, 0.869, 5e-4)
}

// rowBootstrap is the bootstrap of a statistic of the drawn rows.
func rowBootstrap(n int, clusters []int, o stats.Resampling, statistic func(rows []int) (float64, error)) (stats.Distribution, error) {
	rows, err := stats.Units(n, clusters)
	if err != nil {
		return stats.Distribution{}, err
	}
	return rows.Bootstrap(o, func(weights []float64) []float64 {
		var drawn []int
		for row, times := range weights {
			drawn = append(drawn, slices.Repeat([]int{row}, int(times))...)
		}
		return []float64{stats.Defined(statistic(drawn))}
	}).Distribution(0)
}

func TestAlphaIntervalsRefuse(t *testing.T) {
	perfect := table(t, []float64{1, 2, 3, 1, 2, 3, 1, 2}, []float64{1, 2, 3, 1, 2, 3, 1, 2})
	rare := table(t, []float64{0, 0, 0, 0, 0, 0, 0, 1}, []float64{0, 0, 0, 0, 0, 0, 0, 1})
	one := table(t, []float64{1}, []float64{2})
	constant := table(t, []float64{4, 4}, []float64{4, 4})
	clusters := []int{1, 1, 1, 1, 1, 1, 1, 1}
	intervals := map[string]func(r *Ratings, clusters []int) error{
		"bootstrap": func(r *Ratings, clusters []int) error {
			_, err := AlphaBootstrap(r, Nominal, clusters, stats.Resampling{})
			return err
		},
		"jackknife": func(r *Ratings, clusters []int) error {
			_, err := AlphaJackknife(r, Nominal, clusters, 0.95)
			return err
		},
	}
	for name, interval := range intervals {
		statstest.RequireError(t, interval(perfect, nil), stats.ErrZeroWidth)
		statstest.RequireError(t, interval(one, nil), stats.ErrOneCluster)
		statstest.RequireError(t, interval(perfect, clusters), stats.ErrOneCluster)
		statstest.RequireError(t, interval(constant, nil), stats.ErrNoVariation)
		statstest.RequireError(t, interval(perfect, clusters[:3]), stats.ErrLength)
		// The only unit with another value is absent from a third of the resamples.
		want := stats.ErrDegenerate
		if name == "jackknife" {
			want = stats.ErrNoVariation
		}
		statstest.RequireError(t, interval(rare, nil), want)
	}
	_, err := AlphaStandardError(perfect, Ordinal, 0.95)
	statstest.RequireError(t, err, stats.ErrInvalidValue)
	_, err = AlphaStandardError(perfect, Interval, 0.95)
	statstest.RequireError(t, err, stats.ErrZeroWidth)
	_, err = AlphaStandardError(one, Interval, 0.95)
	statstest.RequireError(t, err, stats.ErrTooShort)
	_, err = AlphaStandardError(constant, Interval, 0.95)
	statstest.RequireError(t, err, stats.ErrNoVariation)
	_, err = AlphaJackknife(table(t, []float64{1, 2, 3}, []float64{1, 3, 3}), Interval, nil, 95)
	statstest.RequireError(t, err, stats.ErrInvalidValue)
	_, err = AlphaStandardError(table(t, []float64{1, -2}, []float64{1, 2}), Ratio, 0.95)
	statstest.RequireError(t, err, stats.ErrInvalidValue)
	_, err = KALPHA(constant, Interval, stats.Resampling{})
	statstest.RequireError(t, err, stats.ErrNoVariation)
	_, err = KALPHA(perfect, Interval, stats.Resampling{Level: 2})
	statstest.RequireError(t, err, stats.ErrInvalidValue)
}

// Alpha without each unit is compared with alpha of the shortened tables.
func TestAlphaLeaveOneOut(t *testing.T) {
	rows := randomTable(stats.NewRNG(19, "leave one out"), 3, 24, 6, 1, 0)
	for _, level := range levels {
		units, alpha, err := byCluster(table(t, rows...), level, nil)
		if err != nil {
			t.Fatal(err)
		}
		got := units.LeaveOut(alpha).ByFigure[0]
		n := 24.0
		variance := 0.0
		mean := stats.Mean(got)
		for u := range got {
			shorter := make([][]float64, len(rows))
			for i, row := range rows {
				shorter[i] = append(append([]float64(nil), row[:u]...), row[u+1:]...)
			}
			statstest.Near(t, string(level), got[u], mustAlpha(t, table(t, shorter...), level), 1e-13)
			variance += (got[u] - mean) * (got[u] - mean) * (n - 1) / n
		}
		est, err := AlphaJackknife(table(t, rows...), level, nil, 0.95)
		if err != nil {
			t.Fatal(err)
		}
		statstest.Near(t, "SE", est.SE, math.Sqrt(variance), 1e-13)
		statstest.Near(t, "width, t of 23 degrees of freedom", est.High-est.Low, 2*2.0686576*est.SE, 1e-7)
		if est.DF != 23 || est.Clusters != 24 {
			t.Errorf("got %+v", est)
		}
	}
	if e, err := AlphaJackknife(table(t, rows...), Nominal, make([]int, 24), 0.95); !errors.Is(err, stats.ErrOneCluster) {
		t.Errorf("one cluster: %v, %v", e, err)
	}
}

// On regular data the jackknife's and the linearised standard error equal the bootstrap's.
func TestAlphaIntervalsCompared(t *testing.T) {
	r := table(t, randomTable(stats.NewRNG(20, "compared"), 3, 300, 5, 1, 0.1)...)
	for _, level := range []Level{Nominal, Interval, Ratio} {
		units, err := AlphaBootstrap(r, level, nil, stats.Resampling{})
		if err != nil {
			t.Fatal(err)
		}
		jackknife, err := AlphaJackknife(r, level, nil, 0.95)
		if err != nil {
			t.Fatal(err)
		}
		linearised, err := AlphaStandardError(r, level, 0.95)
		if err != nil {
			t.Fatal(err)
		}
		statstest.Near(t, string(level)+", jackknife against bootstrap", jackknife.SE/units.SE, 1, 0.1)
		statstest.Near(t, string(level)+", linearised against jackknife", linearised.SE/jackknife.SE, 1, 0.02)
	}
}

func TestBCaRefuses(t *testing.T) {
	replicates := []float64{1, 2, 3, 4, 5, 6, 7, 8}
	jackknife := []float64{3, 4, 6}
	for name, c := range map[string]struct {
		estimate              float64
		replicates, jackknife []float64
		level                 float64
		want                  error
	}{
		"all above":        {0, replicates, jackknife, 0.9, stats.ErrUndefined},
		"all below":        {9, replicates, jackknife, 0.9, stats.ErrUndefined},
		"constant jack":    {4, replicates, []float64{0.1, 0.1, 0.1}, 0.9, stats.ErrUndefined},
		"no replicates":    {4, nil, jackknife, 0.9, stats.ErrTooShort},
		"no jackknife":     {4, replicates, nil, 0.9, stats.ErrTooShort},
		"equal replicates": {4, []float64{4, 4, 4}, jackknife, 0.9, stats.ErrZeroWidth},
		"NaN":              {math.NaN(), replicates, jackknife, 0.9, stats.ErrInvalidValue},
		"level":            {4, replicates, jackknife, 1, stats.ErrInvalidValue},
	} {
		if _, err := BCaInterval(c.estimate, c.replicates, c.jackknife, c.level); !errors.Is(err, c.want) {
			t.Errorf("%s: error %v, want %v", name, err, c.want)
		}
	}
	// Without bias and skewness, BCa is the percentile interval.
	b, err := BCaInterval(4.5, replicates, []float64{1, 2, 3}, 0.9)
	if err != nil {
		t.Fatal(err)
	}
	statstest.Near(t, "bias", b.Bias, 0, 1e-15)
	statstest.Near(t, "acceleration", b.Acceleration, 0, 1e-15)
	statstest.Near(t, "low", b.Low, 1.35, 1e-12)
	statstest.Near(t, "high", b.High, 7.65, 1e-12)
}
