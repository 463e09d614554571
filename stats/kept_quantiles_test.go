package stats

import (
	"sync"
	"testing"
)

// What is kept is what would be solved for, whoever asks and whatever was asked
// before.
func TestKeptQuantiles(t *testing.T) {
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range 2 {
				for df := 1.0; df < 600; df += 0.75 {
					for _, q := range []float64{0.025, 1 - 0.8} {
						if got, want := keptQuantileTail(q, df), studentTQuantileTail(q, df); got != want {
							t.Errorf("quantile of %v with %v degrees of freedom: %v, solved for %v", q, df, got, want)
						}
					}
				}
			}
		})
	}
	all.Wait()
}
