package stats

import (
	"errors"
	"math"
	"slices"
	"testing"

	"compqa/stats/statstest"
)

// Four p-values by hand, smallest first: 0.01, 0.02, 0.03, 0.5.
//
//	Bonferroni  4p
//	Holm        4·0.01, 3·0.02, max(0.06, 2·0.03), 0.5
//	BH          min(4·0.01, 2·0.02, 4/3·0.03) = 0.04 thrice, 0.5
//	BY          BH times 1 + 1/2 + 1/3 + 1/4 = 25/12
func TestAdjustmentsByHand(t *testing.T) {
	p := []float64{0.5, 0.02, 0.01, 0.03}
	for name, c := range map[string]struct {
		adjust func([]float64) ([]float64, error)
		want   []float64
	}{
		"Bonferroni":          {Bonferroni, []float64{1, 0.08, 0.04, 0.12}},
		"Holm":                {Holm, []float64{0.5, 0.06, 0.04, 0.06}},
		"Benjamini-Hochberg":  {BenjaminiHochberg, []float64{0.5, 0.04, 0.04, 0.04}},
		"Benjamini-Yekutieli": {BenjaminiYekutieli, []float64{1, 0.04 * 25 / 12, 0.04 * 25 / 12, 0.04 * 25 / 12}},
	} {
		got, err := c.adjust(p)
		if err != nil {
			t.Fatal(err)
		}
		for i := range c.want {
			statstest.WantRel(t, name, got[i], c.want[i], 1e-14)
		}
		if !slices.Equal(p, []float64{0.5, 0.02, 0.01, 0.03}) {
			t.Fatalf("%s changed its argument: %v", name, p)
		}
		for _, input := range [][]float64{nil, {0.3}, {0.2, 0.2, 0.2}, {0, 1}, {1, 1}} {
			got, err := c.adjust(input)
			if err != nil || len(got) != len(input) {
				t.Fatalf("%s of %v: %v, %v", name, input, got, err)
			}
			for i := range got {
				if got[i] < input[i] || got[i] > 1 || input[i] == input[0] && got[i] != got[0] {
					t.Errorf("%s of %v = %v", name, input, got)
				}
			}
		}
		for _, bad := range []float64{math.NaN(), -0.1, 1.1} {
			if _, err := c.adjust([]float64{0.5, bad}); !errors.Is(err, ErrInvalidValue) {
				t.Errorf("%s of %v: %v", name, bad, err)
			}
		}
	}
}
