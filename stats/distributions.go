package stats

import (
	"fmt"
	"math"
	"sync"

	"gonum.org/v1/gonum/mathext"
)

// normalFromDF is the degree of freedom above which Student's t is taken for the normal distribution. At that point the
// 97.5 % quantiles differ by 2e-6; far above it the continued fraction of the incomplete beta no longer converges
// (gonum 0.17.0 gives -816 in place of -6.36 at 1e7 and p = 1e-10).
const normalFromDF = 1e6

// normalSurvival returns P(Z > x). It is computed from the tail itself: one
// minus the CDF is 1.8 % wrong at x = 8 and zero at x = 10.
func normalSurvival(x float64) float64 { return 0.5 * math.Erfc(x/math.Sqrt2) }

// NormalQuantile returns the x with P(Z <= x) = p, for p in (0, 1) (Wichura 1988, AS 241; relative error below 1e-15).
// For a small upper tail q ask for -NormalQuantile(q): 1-q has lost its digits.
func NormalQuantile(p float64) (float64, error) {
	if !(p > 0 && p < 1) {
		return 0, fmt.Errorf("normal quantile of %v: %w: want a probability in (0, 1)", p, ErrInvalidValue)
	}
	return mathext.NormalQuantile(p), nil
}

// StudentTSurvival returns P(T > t) of Student's distribution with df degrees
// of freedom (not necessarily whole, as Satterthwaite's are not):
//
//	P(T > t) = I_x(df/2, 1/2)/2,  x = df/(df+t²)          t > 0
//
// Abramowitz and Stegun 26.7.1. For t below 2.5 it uses the complementary form in t²/(df+t²), which is exact close to
// zero. Above 1e6 degrees of freedom it is the normal survival. t may be infinite.
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
	// (t/√df)² in place of t²/df: t may be so large that its square is not finite.
	r := t / math.Sqrt(df)
	// Here the tail is above 0.006 and loses two digits at most, while the power
	// series of the other form is slow and, for large df, has x rounded to 1.
	if t < 2.5 {
		return 0.5 - 0.5*mathext.RegIncBeta(0.5, df/2, r*r/(1+r*r))
	}
	return 0.5 * mathext.RegIncBeta(df/2, 0.5, 1/(1+r*r))
}

// studentTQuantile returns the t with P(T <= t) = p for p in (0, 1) and df > 0.
//
// It inverts the incomplete beta function, and below 1e-5, where gonum's inverse fails for many degrees of freedom, it
// bisects the tail. Relative error below 1e-12 up to df = 1000 and 1e-9 up to 1e6, down to p = 1e-300; absolute error
// below 1e-14 near the median. For a small upper tail q ask for -studentTQuantile(q, df). Results beyond 1e150 (tiny p
// with df below 2 or so) are ErrInvalidValue.
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

// tails has the results of studentTQuantileTail for whole degrees of freedom, by both arguments: the
// intervals of a table need only a few of them, and each takes about 20 µs.
var tails sync.Map

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
