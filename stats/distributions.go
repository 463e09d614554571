package stats

import (
	"fmt"
	"math"
	"sync"

	"gonum.org/v1/gonum/mathext"
)

// normalFromDF is the number of degrees of freedom above which Student's t is replaced by the normal distribution. At that point the 97.5 %
// quantiles differ by 2e-6. Far above it the continued fraction of the incomplete beta function does not converge (gonum 0.17.0 gives -816
// instead of -6.36 at 1e7 and p = 1e-10).
const normalFromDF = 1e6

// normalSurvival returns P(Z > x). It computes the tail directly: 1 minus the CDF has an error of 1.8 % at x = 8 and is 0 at x = 10.
func normalSurvival(x float64) float64 { return 0.5 * math.Erfc(x/math.Sqrt2) }

// NormalQuantile returns the x with P(Z <= x) = p, for p in (0, 1) (Wichura 1988, AS 241; relative error below 1e-15). For a small upper
// tail q, use -NormalQuantile(q), because 1-q has lost digits.
func NormalQuantile(p float64) (float64, error) {
	if !(p > 0 && p < 1) {
		return 0, fmt.Errorf("normal quantile of %v: %w: want a probability in (0, 1)", p, ErrInvalidValue)
	}
	return mathext.NormalQuantile(p), nil
}

// StudentTSurvival returns P(T > t) of Student's distribution with df degrees of freedom. df need not be a whole number, and
// Satterthwaite's is not:
//
//	P(T > t) = I_x(df/2, 1/2)/2,  x = df/(df+t²)          t > 0
//
// Abramowitz and Stegun 26.7.1. For t below 2.5 it uses the complementary form in t²/(df+t²), which is exact close to zero. Above 1e6
// degrees of freedom it is the normal tail. t may be infinite.
func StudentTSurvival(t, df float64) (float64, error) {
	if math.IsNaN(t) || !(df > 0) {
		return 0, fmt.Errorf("tail of Student's t at t=%v, df=%v: %w: want a number and df > 0", t, df, ErrInvalidValue)
	}
	if df > normalFromDF {
		return normalSurvival(t), nil
	}
	if t < 0 {
		return 1 - studentTTail(-t, df), nil
	}
	return studentTTail(t, df), nil
}

// studentTTail returns P(T > t) for t >= 0 and 0 < df <= normalFromDF.
func studentTTail(t, df float64) float64 {
	// (t/√df)² instead of t²/df, because the square of a large t can overflow.
	r := t / math.Sqrt(df)
	// For t < 2.5 the tail is above 0.006, and the complement loses at most two digits. The other form's power series would be slow there
	// and, for large df, have x rounded to 1.
	if t < 2.5 {
		return 0.5 - 0.5*mathext.RegIncBeta(0.5, df/2, r*r/(1+r*r))
	}
	return 0.5 * mathext.RegIncBeta(df/2, 0.5, 1/(1+r*r))
}

// studentTQuantile returns the t with P(T <= t) = p for p in (0, 1) and df > 0.
//
// It inverts the incomplete beta function. Below 1e-5, where gonum's inverse fails for many degrees of freedom, it bisects the tail. The
// relative error is below 1e-12 up to df = 1000 and below 1e-9 up to 1e6, down to p = 1e-300; the absolute error near the median is below
// 1e-14. For a small upper tail q, use -studentTQuantile(q, df). Results beyond 1e150 (tiny p with df below about 2) are ErrInvalidValue.
func studentTQuantile(p, df float64) (float64, error) {
	if !(p > 0 && p < 1) || !(df > 0) {
		return 0, fmt.Errorf("quantile of Student's t at p=%v, df=%v: %w: want p in (0, 1) and df > 0", p, df, ErrInvalidValue)
	}
	if df > normalFromDF {
		return NormalQuantile(p)
	}
	t := knownTail(math.Min(p, 1-p), df)
	if t > 1e150 {
		return 0, fmt.Errorf("quantile of Student's t at p=%v, df=%v: %w: beyond 1e150", p, df, ErrInvalidValue)
	}
	if p < 0.5 {
		return -t, nil
	}
	return t, nil
}

// tails caches the results of studentTQuantileTail for whole degrees of freedom, by both arguments. The intervals of a table need only a
// few of them, and each takes about 20 µs.
var tails sync.Map

// knownTail returns studentTQuantileTail, from the cache if possible.
func knownTail(q, df float64) float64 {
	if df != math.Trunc(df) {
		return studentTQuantileTail(q, df)
	}
	key := [2]float64{q, df}
	t, known := tails.Load(key)
	if !known {
		t, _ = tails.LoadOrStore(key, studentTQuantileTail(q, df))
	}
	return t.(float64)
}

// studentTQuantileTail solves P(T > t) = q for 0 < q <= 1/2.
func studentTQuantileTail(q, df float64) float64 {
	if q > 0.1 { // from the complement, which is exact close to zero
		x := mathext.InvRegIncBeta(0.5, df/2, 1-2*q)
		return math.Sqrt(df * x / (1 - x))
	}
	if q > 1e-5 {
		x := mathext.InvRegIncBeta(df/2, 0.5, 2*q)
		return math.Sqrt(df * (1 - x) / x)
	}
	high := 1.0
	for studentTTail(high, df) > q && high < 1e152 {
		high *= 4
	}
	return bisect(high/4, high, func(t float64) bool { return studentTTail(t, df) > q })
}
