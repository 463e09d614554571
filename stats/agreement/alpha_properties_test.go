package agreement

import (
	"errors"
	"math"
	"testing"

	"compqa/stats"
	"compqa/stats/statstest"
)

// forTables checks a property of alpha on random tables of many shapes.
func forTables(t *testing.T, name string, property func(t *testing.T, rng *stats.RNG, rows [][]float64)) {
	t.Helper()
	rng := stats.NewRNG(5, name)
	for range 50 {
		rows := randomTable(rng, 2+rng.Intn(4), 10+rng.Intn(40), 3+rng.Intn(40), 0.25, 0.2)
		if _, err := Alpha(table(t, rows...), Ratio); errors.Is(err, stats.ErrUndefined) {
			continue
		}
		property(t, rng, rows)
	}
}

// same checks that a change of the table does not change alpha.
func same(t *testing.T, what string, before, after [][]float64, levels ...Level) {
	t.Helper()
	for _, level := range levels {
		statstest.Near(t, what+", "+string(level), mustAlpha(t, table(t, after...), level), mustAlpha(t, table(t, before...), level), 1e-12)
	}
}

func applied(rows [][]float64, f func(float64) float64) [][]float64 {
	changed := make([][]float64, len(rows))
	for i, row := range rows {
		changed[i] = mapped(row, f)
	}
	return changed
}

func TestAlphaPermutations(t *testing.T) {
	forTables(t, "permutation", func(t *testing.T, rng *stats.RNG, rows [][]float64) {
		// Raters are exchanged within each unit: alpha does not depend on who gave a rating.
		shuffled := applied(rows, func(v float64) float64 { return v })
		for u := range rows[0] {
			rng.Shuffle(len(rows), func(i, j int) {
				shuffled[i][u], shuffled[j][u] = shuffled[j][u], shuffled[i][u]
			})
		}
		same(t, "raters", rows, shuffled, levels...)
		rng.Shuffle(len(rows[0]), func(i, j int) {
			for _, row := range shuffled {
				row[i], row[j] = row[j], row[i]
			}
		})
		same(t, "units", rows, shuffled, levels...)
	})
}

func TestAlphaTransformations(t *testing.T) {
	forTables(t, "transformation", func(t *testing.T, _ *stats.RNG, rows [][]float64) {
		relabelled := applied(rows, func(v float64) float64 { return math.Mod(v*28, 163) }) // one to one on quarters below 10.25
		same(t, "relabelling", rows, relabelled, Nominal)
		same(t, "monotone", rows, applied(rows, func(v float64) float64 { return math.Exp(v) - 7 }), Nominal, Ordinal)
		same(t, "affine", rows, applied(rows, func(v float64) float64 { return 100 - 3*v }), Nominal, Ordinal, Interval)
		same(t, "scale", rows, applied(rows, func(v float64) float64 { return v * 2.5 }), levels...)
	})
}

// A unit with one rating changes nothing, whatever the rating is.
func TestAlphaSinglyRatedUnit(t *testing.T) {
	forTables(t, "single", func(t *testing.T, _ *stats.RNG, rows [][]float64) {
		longer := make([][]float64, len(rows))
		for i, row := range rows {
			longer[i] = append(append([]float64(nil), row...), none, none)
		}
		longer[0][len(rows[0])] = 1e6
		same(t, "singly rated", rows, longer, levels...)
	})
}

// If every unit is repeated k times, D_o does not change, and D_e changes by its factor n/(n-1), so
//
//	1 - alpha' = (1 - alpha) (kn-1)/(k(n-1))
//
// This also holds at ordinal level, since all ranks are scaled alike.
func TestAlphaDuplication(t *testing.T) {
	forTables(t, "duplication", func(t *testing.T, _ *stats.RNG, rows [][]float64) {
		thrice := make([][]float64, len(rows))
		for i, row := range rows {
			for range 3 {
				thrice[i] = append(thrice[i], row...)
			}
		}
		for _, level := range levels {
			once, err := Alpha(table(t, rows...), level)
			if err != nil {
				t.Fatal(err)
			}
			n := float64(once.Ratings)
			want := 1 - (1-once.Alpha)*(3*n-1)/(3*(n-1))
			statstest.Near(t, string(level), mustAlpha(t, table(t, thrice...), level), want, 1e-12)
		}
	})
}

// With two values all levels give the same alpha, because there is only one distance.
func TestAlphaTwoValues(t *testing.T) {
	rows := randomTable(stats.NewRNG(6, "binary"), 3, 40, 2, 2, 0.2)
	want := mustAlpha(t, table(t, rows...), Nominal)
	for _, level := range levels {
		statstest.Near(t, string(level), mustAlpha(t, table(t, rows...), level), want, 1e-13)
	}
}
