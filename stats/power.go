package stats

import (
	"fmt"
	"math"
	"slices"
)

// Design says how a comparison of two systems is going to be tested.
type Design struct {
	Alpha float64 // two-sided error of the first kind, in (0, 1); 0 means 0.05
	Power float64 // chance to find a difference that is there, in (0, 1); 0 means 0.8
}

// MinimumDetectable returns the smallest true difference, in the units of the
// score, that the design detects with its power if the standard error of the
// difference is se, with df degrees of freedom:
//
//	δ = ( t_{1-α/2, df} + t_{power, df} ) · SE
//
// With se and df from PairedDifference, the result accounts for clusters. It uses
// Student's quantiles instead of the normal ones of Miller 2024 (arXiv:2411.00640),
// which are too optimistic for few questions. The sum of the quantiles is within
// 1.2 % of the exact non-central t for df >= 5, and too small below (by 5 % at 2,
// 14 % at 1). It returns ErrZeroWidth for se = 0 and ErrInvalidValue for values
// that are not numbers.
func (d Design) MinimumDetectable(se, df float64) (float64, error) {
	sum, err := d.quantiles(df)
	if err != nil {
		return 0, fmt.Errorf("minimum detectable difference: %w", err)
	}
	if se == 0 {
		return 0, fmt.Errorf("minimum detectable difference: %w", ErrZeroWidth)
	}
	if !(se > 0) || math.IsInf(se, 1) {
		return 0, fmt.Errorf("minimum detectable difference: %w: standard error %v", ErrInvalidValue, se)
	}
	return sum * se, nil
}

// quantiles returns t_{1-α/2, df} + t_{power, df}.
func (d Design) quantiles(df float64) (float64, error) {
	alpha, power := d.Alpha, d.Power
	if alpha == 0 {
		alpha = 0.05
	}
	if power == 0 {
		power = 0.8
	}
	lower, err := studentTQuantile(alpha/2, df)
	if err != nil {
		return 0, err
	}
	upper, err := studentTQuantile(power, df)
	return upper - lower, err
}

// LabelsNeeded is the number of labelled items, those of the sample among them, that would give the
// interval of PPIMean a half width of at most half. With the standard error SE of the sample's n
// labels, of which the part B is the judge's on the other items,
//
//	n' = n·(SE² - B) / (half²/t² - B)
//
// with t of the clusters that n' labels have if they lie as those of the sample. Fewer than ten
// labelled clusters say too little about the variance: it is then that of the judge's values, which is
// about what a judge that is of no use would need. The number is at most that of all items.
//
// Errors as of PPIMean but for ErrTooShort; ErrInvalidValue for a half width that is not above 0, and
// ErrTooShort for fewer than two items.
func LabelsNeeded(s PPISample, half, level float64) (int, error) {
	fail := func(err error) (int, error) { return 0, fmt.Errorf("labels needed: %w", err) }
	all := slices.Concat(s.Judge, s.Unlabelled)
	switch {
	case !(half > 0):
		return fail(fmt.Errorf("%w: half width %v", ErrInvalidValue, half))
	case len(all) < 2:
		return fail(ErrTooShort)
	}
	if err := s.check(s.Clusters != nil || s.UnlabelledClusters != nil); err != nil {
		return fail(err)
	}
	e := Deviations(all)
	variance, judges, perCluster := Dot(e, e)/float64(len(e)-1), 0.0, 1.0 // of a label; B; labels in a cluster
	const enough = 10
	if p := newPPISums([]PPISample{s}); p.labelled >= enough {
		result, err := PPIMean(s, level)
		if err != nil {
			return fail(err)
		}
		if result.Lambda > 0 {
			judges = result.Lambda * result.Lambda * smallSample(p.others, 1) * smallSample(p.others, 1) * Dot(p.other, p.other)
		}
		n := float64(len(s.Human))
		variance, perCluster = n*(result.SE*result.SE-judges), n/float64(p.labelled)
	}
	needed := float64(len(all))
	for range 50 { // t depends on the number
		t, err := studentTQuantile((1+level)/2, max(1, needed/perCluster-2))
		if err != nil {
			return fail(err)
		}
		left := half*half/(t*t) - judges
		if left <= 0 {
			return len(all), nil
		}
		next := math.Ceil(variance / left)
		if next == needed {
			break
		}
		needed = next
	}
	return int(min(float64(len(all)), max(needed, 2))), nil
}
