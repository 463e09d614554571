package recordtest

import (
	"math"
	"testing"

	"compqa/results/table"
)

// Near fails unless a table.Figure, or the value of a table.Bounded, is the wanted number.
func Near(t testing.TB, what string, of interface{ Known() bool }, want float64) {
	t.Helper()
	got, ok := of.(table.Figure)
	if !ok {
		bounded, _ := of.(table.Bounded)
		got = bounded.Value
	}
	if !got.Known() || math.Abs(*got.Number-want) > 1e-9 {
		t.Errorf("%s is %s, want %v", what, got.Text(12), want)
	}
}
