package agreement

import (
	"testing"

	"compqa/stats"
)

// benchScores returns the data of the benchmarks: a rater sees the unit's true score, and sometimes errs by one point.
func benchScores(n, raters, values int) [][]float64 {
	rng := stats.NewRNG(1, "benchmark scores")
	rows := make([][]float64, raters)
	for r := range rows {
		rows[r] = make([]float64, n)
	}
	for u := range n {
		score := rng.Intn(values)
		for r := range rows {
			given := score
			if rng.Intn(4) == 0 {
				given = rng.Intn(values)
			}
			rows[r][u] = float64(given)
		}
	}
	return rows
}

func benchContinuous(n, raters int) [][]float64 {
	rng := stats.NewRNG(2, "benchmark continuous")
	rows := make([][]float64, raters)
	for r := range rows {
		rows[r] = make([]float64, n)
	}
	for u := range n {
		score := rng.Float64()
		for r := range rows {
			rows[r][u] = score + rng.Float64() - 0.5
		}
	}
	return rows
}

func asRaters(rows [][]float64) []Rater {
	raters := make([]Rater, len(rows))
	for i, row := range rows {
		raters[i].Values = row
	}
	return raters
}

func benchAlpha(b *testing.B, rows [][]float64, level Level) {
	b.ReportAllocs()
	for b.Loop() {
		r, err := NewRatings(asRaters(rows)...)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := Alpha(r, level); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkAlphaNominal5Raters1e6Units5Values(b *testing.B) {
	benchAlpha(b, benchScores(1_000_000, 5, 5), Nominal)
}

func BenchmarkAlphaOrdinal5Raters1e6Units5Values(b *testing.B) {
	benchAlpha(b, benchScores(1_000_000, 5, 5), Ordinal)
}

func BenchmarkAlphaInterval5Raters1e6Units5Values(b *testing.B) {
	benchAlpha(b, benchScores(1_000_000, 5, 5), Interval)
}

func BenchmarkAlphaRatio5Raters1e6Units5Values(b *testing.B) {
	benchAlpha(b, benchScores(1_000_000, 5, 5), Ratio)
}

func BenchmarkAlphaContinuous2Raters600Units(b *testing.B) {
	rows := benchContinuous(600, 2)
	for _, level := range []Level{Nominal, Ordinal, Interval} {
		b.Run(string(level), func(b *testing.B) { benchAlpha(b, rows, level) })
	}
	for _, row := range rows {
		for u := range row {
			row[u]++
		}
	}
	b.Run("ratio", func(b *testing.B) { benchAlpha(b, rows, Ratio) })
}

func BenchmarkAlphaContinuous2Raters1e5Units(b *testing.B) {
	benchAlpha(b, benchContinuous(100_000, 2), Ordinal)
}

func benchCorrelation(b *testing.B, rows [][]float64, f func(x, y []float64) (float64, error)) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := f(rows[0], rows[1]); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkPearson1e6(b *testing.B) {
	benchCorrelation(b, benchContinuous(1_000_000, 2), Pearson)
}

func BenchmarkSpearman1e6Continuous(b *testing.B) {
	benchCorrelation(b, benchContinuous(1_000_000, 2), Spearman)
}

func BenchmarkSpearman1e6FivePoints(b *testing.B) {
	benchCorrelation(b, benchScores(1_000_000, 2, 5), Spearman)
}

func BenchmarkKendallTauB1e6Continuous(b *testing.B) {
	benchCorrelation(b, benchContinuous(1_000_000, 2), KendallTauB)
}

func BenchmarkKendallTauB1e6FivePoints(b *testing.B) {
	benchCorrelation(b, benchScores(1_000_000, 2, 5), KendallTauB)
}

// This benchmark measures the time for one judge of the human evaluation: 15 criteria of 367 units, two raters, 1,000 resamples of units.
func BenchmarkAlphaBootstrapOrdinal1000x15Criteria367Units(b *testing.B) {
	tables := make([]*Ratings, 15)
	for c := range tables {
		rows := benchScores(367, 2, 3+c%3)
		r, err := PairedRatings(rows[0], rows[1])
		if err != nil {
			b.Fatal(err)
		}
		tables[c] = r
	}
	b.ReportAllocs()
	for b.Loop() {
		for _, r := range tables {
			if _, err := AlphaBootstrap(r, Ordinal, nil, stats.Resampling{Name: "alpha"}); err != nil {
				b.Fatal(err)
			}
		}
	}
}

func benchAgreementBootstrap(b *testing.B, rows [][]float64) {
	clusters := make([]int, len(rows[0]))
	for i := range clusters {
		clusters[i] = i % 40
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := agreementBootstrap(rows[0], rows[1], clusters, stats.Resampling{Name: "agreement"}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkAgreementBootstrap1000x4000Rows40ClustersScores(b *testing.B) {
	benchAgreementBootstrap(b, benchScores(4000, 2, 39))
}

func BenchmarkAgreementBootstrap1000x4000Rows40ClustersContinuous(b *testing.B) {
	benchAgreementBootstrap(b, benchContinuous(4000, 2))
}

func BenchmarkAlphaJackknifeOrdinal367Units(b *testing.B) {
	rows := benchScores(367, 2, 5)
	r, err := PairedRatings(rows[0], rows[1])
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := AlphaJackknife(r, Ordinal, nil, 0.95); err != nil {
			b.Fatal(err)
		}
	}
}
