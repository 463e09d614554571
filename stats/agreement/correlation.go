package agreement

import (
	"math"

	"compqa/stats"
)

// snap is the distance from ±1 below which a coefficient is taken as ±1. Without it, a rounding error of 1e-16 in a perfect correlation
// of three pairs would give p = 1e-8 instead of 0.
const snap = 1e-15

// Pearson returns the product-moment correlation of x and y, in [-1, 1],
//
//	r = Σ(x-x̄)(y-ȳ) / sqrt(Σ(x-x̄)² Σ(y-ȳ)²)
//
// Drop pairs with a missing value before, on both sides. It returns no p-value; show an interval from resampling.
//
// Fewer than two pairs are ErrTooShort, a constant variable is ErrConstant, NaN and infinities are ErrInvalidValue. Two pairs give ±1.
func Pearson(x, y []float64) (r float64, err error) {
	defer stats.Wrap("Pearson correlation", &err)
	if err := checkPairs(x, y, 2, stats.CheckFinite); err != nil {
		return 0, err
	}
	return productMoment(x, y, centred)
}

// productMoment returns the correlation of two lists. deviations returns the differences of a list from its mean. The two lists are handled
// in two goroutines, because sorting is slow: rho of 10⁶ different values takes 0.44 s of processor time, half in each goroutine.
func productMoment(x, y []float64, deviations func([]float64) []float64) (float64, error) {
	centred := make(chan []float64)
	go func() { centred <- deviations(x) }()
	dy := deviations(y)
	dx := <-centred
	sxx := stats.Dot(dx, dx)
	syy := stats.Dot(dy, dy)
	if sxx == 0 || syy == 0 {
		return 0, stats.ErrConstant
	}
	return bounded(stats.Dot(dx, dy) / math.Sqrt(sxx) / math.Sqrt(syy)), nil
}

// centred returns the differences of x from its mean, divided by its range, so that the squares of very large and very small numbers are
// finite. A constant gives 0.
func centred(x []float64) []float64 {
	low := x[0]
	high := x[0]
	for _, v := range x {
		low = min(low, v)
		high = max(high, v)
	}
	from := make([]float64, len(x))
	if low == high {
		return from
	}
	span := high/2 - low/2
	sum := 0.0
	for i, v := range x {
		from[i] = (v/2 - low/2) / span
		sum += from[i]
	}
	for range 2 { // the second pass removes the rounding error of the first
		mean := sum / float64(len(x))
		sum = 0
		for i := range from {
			from[i] -= mean
			sum += from[i]
		}
	}
	return from
}

// bounded returns r, or ±1 if r is within rounding of it.
func bounded(r float64) float64 {
	if math.Abs(r) > 1-snap {
		return math.Copysign(1, r)
	}
	return r
}

// Spearman returns Pearson's correlation of the mid-ranks of x and y. The shortcut 1-6Σd²/(n(n²-1)) is wrong for ties and is not used.
//
// Fewer than two pairs are ErrTooShort, a constant variable is ErrConstant, NaN is ErrInvalidValue; infinities have a rank. Two pairs give
// ±1.
func Spearman(x, y []float64) (r float64, err error) {
	defer stats.Wrap("Spearman correlation", &err)
	if err := checkPairs(x, y, 2, refuseNaN); err != nil {
		return 0, err
	}
	return productMoment(x, y, centredRanks)
}

// checkPairs returns an error unless x and y have the same length, at least least rows, and are both valid.
func checkPairs(x, y []float64, least int, valid func([]float64) error) error {
	if err := stats.CheckLengths(len(x), len(y)); err != nil {
		return err
	}
	if len(x) < least {
		return stats.ErrTooShort
	}
	if err := valid(x); err != nil {
		return err
	}
	return valid(y)
}
