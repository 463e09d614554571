package stats

import (
	"testing"

	"compqa/stats/statstest"
)

// Exact detectable differences in units of the standard error, for 5 % and 80 %,
// from the non-central t by quadrature (mpmath 1.3.0).
func TestMinimumDetectableAgainstNonCentralT(t *testing.T) {
	for df, exact := range map[float64]float64{5: 3.5139, 9: 3.14964, 19: 2.95359} {
		got, err := Design{}.MinimumDetectable(1, df)
		if err != nil {
			t.Fatal(err)
		}
		statstest.WantRel(t, "detectable difference", got, exact, 0.012)
	}
}
