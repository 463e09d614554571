package labels

import (
	"math"

	"compqa/stats"
)

// FewestForAlpha looks for the fewest labels without which Krippendorff's alpha of two raters at interval level is on the other side
// of a limit: one after the other the label whose removal moves alpha most, computed anew each time (Broderick, Giordano and Meager
// 2020 for the question). w are weights of labels; nil: equal. It is an upper bound: fewer may do. ok is false where no fifth of the
// labels does it.
func FewestForAlpha(x, y, w []float64, limit float64) (removed []int, ok bool) {
	sums := [6]float64{} // n, Σw, Σw(x+y), Σw(x²+y²), Σw(x-y)²
	weight := func(i int) float64 {
		if w == nil {
			return 1
		}
		return w[i]
	}
	part := func(i int) [6]float64 {
		u, d := weight(i), x[i]-y[i]
		return [6]float64{1, u, u * (x[i] + y[i]), u * (x[i]*x[i] + y[i]*y[i]), u * d * d}
	}
	add := func(i int, sign float64) {
		for k, v := range part(i) {
			sums[k] += sign * v
		}
	}
	alpha := func() float64 {
		mean, n := sums[2]/(2*sums[1]), 2*sums[0]
		spread := sums[3]/(2*sums[1]) - mean*mean
		return 1 - sums[4]/sums[1]/(2*spread*n/(n-1))
	}
	for i := range x {
		add(i, 1)
	}
	start := alpha()
	if math.IsNaN(start) || len(x) < leastTested {
		return nil, false
	}
	// Equal labels move alpha equally: the first that is left stands for all of them.
	kinds := make([][3]float64, len(x))
	for i := range x {
		kinds[i] = [3]float64{x[i], y[i], weight(i)}
	}
	numbers, distinct := stats.NumberLabels(kinds)
	equal := make([][]int, len(distinct))
	for i, k := range numbers {
		equal[k] = append(equal[k], i)
	}
	down, whole := start >= limit, sums
	for range min(len(x)/5, mostRemoved) {
		best, moved := -1, math.NaN()
		for k, left := range equal {
			if len(left) == 0 {
				continue
			}
			add(left[0], -1)
			a := alpha()
			if sums = whole; best < 0 || down && a < moved || !down && a > moved || a == moved && left[0] < equal[best][0] {
				best, moved = k, a
			}
		}
		add(equal[best][0], -1)
		whole, removed, equal[best] = sums, append(removed, equal[best][0]), equal[best][1:]
		if (moved >= limit) != down {
			return removed, true
		}
	}
	return nil, false
}

// mostRemoved bounds the time for many labels.
const mostRemoved = 200
