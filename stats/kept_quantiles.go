package stats

import (
	"math"
	"sync/atomic"
)

// A keptTail is a quantile that has been solved for.
type keptTail struct{ q, df, t float64 }

// keptTails are the last ones: a leaderboard asks for the same two at each of
// thousands of comparisons, and solving for one takes longer than the rest of a
// comparison. Two that fall on one place drive each other out.
var keptTails [256]atomic.Pointer[keptTail]

// keptQuantileTail is studentTQuantileTail, solved once.
func keptQuantileTail(q, df float64) float64 {
	mixed := (math.Float64bits(q) ^ math.Float64bits(df)>>7) * 0x9e3779b97f4a7c15 // 2⁶⁴ by the golden ratio (Knuth 1998, 6.4)
	place := &keptTails[mixed>>56]
	if kept := place.Load(); kept != nil && kept.q == q && kept.df == df {
		return kept.t
	}
	t := studentTQuantileTail(q, df)
	place.Store(&keptTail{q, df, t})
	return t
}
