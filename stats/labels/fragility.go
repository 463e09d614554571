package labels

import "math"

// FewestForAlpha looks for the fewest labels without which Krippendorff's alpha of two raters at interval level is on the other side
// of a limit: one after the other the label whose removal moves alpha most, computed anew each time (Broderick, Giordano and Meager
// 2020 for the question). w are weights of labels; nil: equal. It is an upper bound: fewer may do. ok is false where no fifth of the
// labels does it.
func FewestForAlpha(x, y, w []float64, limit float64) (removed []int, ok bool) {
	sums := [6]float64{} // n, Σw, Σw(x+y), Σw(x²+y²), Σw(x-y)²
	part := func(i int) [6]float64 {
		u := 1.0
		if w != nil {
			u = w[i]
		}
		d := x[i] - y[i]
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
	down, out := start >= limit, make([]bool, len(x))
	for range min(len(x)/5, mostRemoved) {
		best, moved := -1, math.NaN()
		for i := range x {
			if out[i] {
				continue
			}
			add(i, -1)
			if a := alpha(); best < 0 || down && a < moved || !down && a > moved {
				best, moved = i, a
			}
			add(i, 1)
		}
		add(best, -1)
		out[best], removed = true, append(removed, best)
		if (moved >= limit) != down {
			return removed, true
		}
	}
	return nil, false
}

// mostRemoved bounds the time for many labels.
const mostRemoved = 200
