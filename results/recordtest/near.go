package recordtest

import (
	"math"
	"testing"

	"compqa/stats"
)

// Near fails unless a figure is the wanted number.
func Near(t testing.TB, what string, got stats.Figure, want float64) {
	t.Helper()
	if !got.Known || math.Abs(got.Value-want) > 1e-9 {
		t.Errorf("%s is %s, want %v", what, got.Text(12), want)
	}
}
