package stats

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// Wilson is the score interval of a share p of n independent trials, at a level such as 0.95. It is
// within [0, 1], keeps its level on average at any n, and has width at shares of 0 and 1. With z the
// (1+level)/2 quantile of the normal distribution:
//
//	( p + z²/2n ± z·√( p(1-p)/n + z²/4n² ) ) / ( 1 + z²/n )
//
// Wilson 1927. For shares that cluster by question, use MeanInterval on the zeros and ones.
func Wilson(p, n, level float64) (low, high float64) {
	return WilsonBounds(p, n, distuv.UnitNormal.Quantile((1+level)/2))
}

// WilsonBounds is Wilson's interval for another quantile z, and n that need not be whole.
func WilsonBounds(p, n, z float64) (low, high float64) {
	zz := z * z
	middle := (p + zz/(2*n)) / (1 + zz/n)
	half := z * math.Sqrt(p*(1-p)/n+zz/(4*n*n)) / (1 + zz/n)
	if low, high = max(0, middle-half), min(1, middle+half); p == 0 {
		low = 0 // but for the rounding
	} else if p == 1 {
		high = 1
	}
	return low, high
}
