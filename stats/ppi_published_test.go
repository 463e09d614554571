package stats

import (
	"fmt"
	"math"
	"slices"
)

// PublishedPPI is a prediction-powered mean as its authors print it.
type PublishedPPI struct {
	Value, SE        float64
	Low, High, Level float64
	Lambda           float64
}

// PublishedPPIMean computes the prediction-powered mean in the published form, for comparison with published tables. Use PPIMean for
// anything else. It treats the items as independent (clusters are ignored), divides by n, and uses the normal quantile:
//
//	θ  = λ·mean(F̃) + mean(Y - λF)
//	λ* = clip( cov(Y, F) / ((1+n/N)·var(F, F̃)), 0, 1 )
//	SE = √( λ²·var₀(F̃)/N + var₀(Y - λF)/n )
//
// with cov divided by n, var of both sets together divided by n+N-1, and var₀ divided by the count. lambda fixes λ; nil means that it is
// estimated. A constant judge has λ = 0, because any λ gives the classical mean; the authors' program returns NaN or rounding noise. Both
// sets must have a value (ErrTooShort), and an interval without width is ErrZeroWidth.
//
// Angelopoulos, Duchi and Zrnic 2023 (arXiv:2311.01453); agrees with ppi_py
// 0.2.3, whose default level is 0.90.
func PublishedPPIMean(s PPISample, level float64, lambda *float64) (PublishedPPI, error) {
	result := PublishedPPI{Level: level}
	err := s.check()
	if err == nil {
		err = CheckLevel(level)
	}
	if err == nil && (len(s.Human) == 0 || len(s.Unlabelled) == 0) {
		err = ErrTooShort
	}
	if err == nil && lambda != nil && !IsFinite(*lambda) {
		err = fmt.Errorf("%w: lambda %v", ErrInvalidValue, *lambda)
	}
	if err != nil {
		return result, fmt.Errorf("published prediction-powered mean: %w", err)
	}
	if lambda != nil {
		result.Lambda = *lambda
	} else {
		result.Lambda = s.publishedLambda()
	}
	n := float64(len(s.Human))
	others := float64(len(s.Unlabelled))
	rectifier := make([]float64, len(s.Human))
	scale := 0.0
	for i, y := range s.Human {
		rectifier[i] = y - float64(result.Lambda*s.Judge[i])
		scale = math.Max(scale, math.Abs(y))
	}
	r := Deviations(rectifier)
	f := Deviations(s.Unlabelled)
	result.Value = result.Lambda*Mean(s.Unlabelled) + Mean(rectifier)
	result.SE = math.Sqrt(result.Lambda*result.Lambda*Dot(f, f)/(others*others) + Dot(r, r)/(n*n))
	if !IsFinite(result.Value) || !IsFinite(result.SE) {
		return PublishedPPI{}, fmt.Errorf("published prediction-powered mean: %w: the squares of the values overflow", ErrInvalidValue)
	}
	if result.SE <= 1e-13*scale {
		return result, fmt.Errorf("published prediction-powered mean: %w", ErrZeroWidth)
	}
	z, err := NormalQuantile((1 - level) / 2)
	if err != nil {
		return result, fmt.Errorf("published prediction-powered mean: %w", err)
	}
	result.Low = result.Value + z*result.SE
	result.High = result.Value - z*result.SE
	return result, nil
}

// PValue returns the two-sided p-value, in [0, 1], of the hypothesis that the mean is null, by the normal distribution and with the same λ
// as the interval. The authors' program does not clip λ here, so that its p-value and interval can disagree. Without an interval, the
// error is ErrZeroWidth.
func (p PublishedPPI) PValue(null float64) (float64, error) {
	if p.Low == p.High {
		return 0, fmt.Errorf("published prediction-powered mean, p-value: %w", ErrZeroWidth)
	}
	return 2 * normalSurvival(math.Abs((p.Value-null)/p.SE)), nil
}

// publishedLambda returns the weight of the paper (section 6) for independent items, in [0, 1]:
//
//	λ = cov(Y, F) / ((1 + n/N) var(F, F̃)),  cov with divisor n, var of all n + N with n + N - 1
func (s PPISample) publishedLambda() float64 {
	if constant(s.Judge, s.Unlabelled) {
		return 0
	}
	n := float64(len(s.Human))
	others := float64(len(s.Unlabelled))
	covariance := Dot(Deviations(s.Human), Deviations(s.Judge)) / n
	pooled := Deviations(slices.Concat(s.Judge, s.Unlabelled))
	return math.Min(1, math.Max(0, covariance/((1+n/others)*Dot(pooled, pooled)/(n+others-1))))
}
