package agreement

import (
	"fmt"
	"math"
	"slices"

	"compqa/stats"
)

// A BCa is a bias-corrected and accelerated bootstrap interval, with its corrections.
type BCa struct {
	Low, High         float64
	Level             float64
	Bias              float64 // z0, in standard normal units
	Acceleration      float64 // a
	LowTail, HighTail float64 // percentiles used instead of (1∓Level)/2
}

// BCaInterval corrects a percentile interval for bias and skewness (Efron 1987; DiCiccio and Efron 1996, equation 2.3). With z the standard
// normal quantile of (1∓level)/2 and U_i = mean - jackknife_i,
//
//	z0   = Φ⁻¹( (#{replicates < estimate} + #{replicates <= estimate}) / 2B )
//	a    = Σ U³ / (6 (Σ U²)^{3/2})
//	tail = Φ( z0 + (z0+z)/(1 - a(z0+z)) )
//
// The bounds are the percentiles (type 7) of the replicates at the two tails. Ties count half, so that statistics with few different values
// get no bias.
//
// replicates can be in any order. jackknife has the statistic without each unit (or cluster). If all replicates lie on one side of the
// estimate, the jackknife values do not vary, or the correction has no solution, the error wraps ErrUndefined. Equal bounds are
// ErrZeroWidth.
func BCaInterval(estimate float64, replicates, jackknife []float64, level float64) (BCa, error) {
	if err := stats.CheckLevel(level); err != nil {
		return BCa{}, fmt.Errorf("BCa: %w", err)
	}
	for _, values := range [][]float64{{estimate}, replicates, jackknife} {
		if err := stats.CheckFinite(values); err != nil {
			return BCa{}, fmt.Errorf("BCa: %w", err)
		}
	}
	if len(replicates) < 2 || len(jackknife) < 2 {
		return BCa{}, fmt.Errorf("BCa: %w: %d replicates, %d jackknife values", stats.ErrTooShort, len(replicates), len(jackknife))
	}
	sorted := slices.Clone(replicates)
	slices.Sort(sorted)
	b := BCa{Level: level}
	var err error
	if b.Bias, err = biasCorrection(estimate, sorted); err != nil {
		return BCa{}, fmt.Errorf("BCa: %w", err)
	}
	if b.Acceleration, err = acceleration(jackknife); err != nil {
		return BCa{}, fmt.Errorf("BCa: %w", err)
	}
	if b.LowTail, err = b.tail((1 - level) / 2); err != nil {
		return BCa{}, fmt.Errorf("BCa: %w", err)
	}
	if b.HighTail, err = b.tail((1 + level) / 2); err != nil {
		return BCa{}, fmt.Errorf("BCa: %w", err)
	}
	low := stats.Quantile(sorted, b.LowTail)
	high := stats.Quantile(sorted, b.HighTail)
	if low == high {
		return b, fmt.Errorf("BCa: %w", stats.ErrZeroWidth)
	}
	b.Low = low
	b.High = high
	return b, nil
}

// biasCorrection returns z0.
func biasCorrection(estimate float64, sorted []float64) (float64, error) {
	less, _ := slices.BinarySearch(sorted, estimate)
	atMost := less
	for atMost < len(sorted) && sorted[atMost] == estimate {
		atMost++
	}
	share := float64(less+atMost) / float64(2*len(sorted))
	if share == 0 || share == 1 {
		return 0, fmt.Errorf("%w: all replicates on one side of the estimate", stats.ErrUndefined)
	}
	return stats.NormalQuantile(share)
}

func acceleration(jackknife []float64) (float64, error) {
	if slices.Min(jackknife) == slices.Max(jackknife) {
		return 0, fmt.Errorf("%w: jackknife values do not vary", stats.ErrUndefined)
	}
	squares := 0.0
	cubes := 0.0
	for _, e := range stats.Deviations(jackknife) {
		squares += float64(e * e)
		cubes -= float64(e * e * e)
	}
	return cubes / (6 * squares * math.Sqrt(squares)), nil
}

// tail returns the corrected percentile for p.
func (b BCa) tail(p float64) (float64, error) {
	z, err := stats.NormalQuantile(p)
	if err != nil {
		return 0, err
	}
	z += b.Bias
	scale := 1 - float64(b.Acceleration*z)
	if scale <= 0 {
		return 0, fmt.Errorf("%w: acceleration %v too large for the level", stats.ErrUndefined, b.Acceleration)
	}
	return 0.5 * math.Erfc(-(b.Bias+z/scale)/math.Sqrt2), nil
}
