package agreement

import (
	"errors"
	"math"
	"testing"

	"compqa/stats"
)

// bruteAlpha computes alpha by its definition over pairs.
func bruteAlpha(rows [][]float64, level Level) float64 {
	var units [][]float64
	counts := map[float64]float64{}
	n := 0.0
	for u := range rows[0] {
		var unit []float64
		for _, row := range rows {
			if row[u] != none {
				unit = append(unit, row[u])
			}
		}
		if len(unit) >= 2 {
			units = append(units, unit)
			for _, v := range unit {
				counts[v]++
				n++
			}
		}
	}
	distance := func(c, k float64) float64 {
		switch {
		case c == k:
			return 0
		case level == Nominal:
			return 1
		case level == Interval:
			return (c - k) * (c - k)
		case level == Ratio:
			return (c - k) * (c - k) / ((c + k) * (c + k))
		}
		sum := -(counts[c] + counts[k]) / 2
		for g, count := range counts {
			if g >= min(c, k) && g <= max(c, k) {
				sum += count
			}
		}
		return sum * sum
	}
	observed := 0.0
	expected := 0.0
	for _, unit := range units {
		for i, c := range unit {
			for j, k := range unit {
				if i != j {
					observed += distance(c, k) / float64(len(unit)-1)
				}
			}
		}
	}
	for c, nc := range counts {
		for k, nk := range counts {
			expected += nc * nk * distance(c, k)
		}
	}
	return 1 - (n-1)*observed/expected
}

// randomTable returns ratings on a grid of values, with a share of them missing.
func randomTable(rng *stats.RNG, raters, units, values int, step, missing float64) [][]float64 {
	rows := make([][]float64, raters)
	for i := range rows {
		rows[i] = make([]float64, units)
	}
	for u := range units {
		truth := rng.Intn(values)
		for i := range rows {
			v := truth
			if rng.Intn(3) == 0 {
				v = rng.Intn(values)
			}
			rows[i][u] = float64(v) * step
			if rng.Float64() < missing {
				rows[i][u] = none
			}
		}
	}
	return rows
}

// Alpha is compared with its definition, for few values (units are grouped) and many values (they are not).
func TestAlphaAgainstDefinition(t *testing.T) {
	rng := stats.NewRNG(4, "alpha definition")
	for trial := range 200 {
		raters := 2 + rng.Intn(5)
		units := 5 + rng.Intn(30)
		values := 2 + rng.Intn(60)
		rows := randomTable(rng, raters, units, values, 0.5, 0.3*rng.Float64())
		r := table(t, rows...)
		for _, level := range levels {
			if _, err := Alpha(r, level); errors.Is(err, stats.ErrUndefined) {
				continue
			}
			got := mustAlpha(t, r, level)
			want := bruteAlpha(rows, level)
			if math.Abs(got-want) > 1e-12 {
				t.Errorf("trial %d, %d × %d, %d values, %v: got %v, want %v", trial, raters, units, values, level, got, want)
			}
		}
	}
}
