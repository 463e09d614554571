package stats

import (
	"fmt"
	"math"
)

// A Proportion is a share of successes, in [0, 1], with its interval.
type Proportion struct {
	Successes, N     int
	Share            float64 // Successes/N
	Low, High, Level float64
}

// The intervals below assume independent trials. For shares that cluster by
// question, use MeanInterval on the zeros and ones.
//
// All require 0 <= successes <= n and a level in (0, 1) (else ErrInvalidValue), and n of at least 1 (else ErrTooShort). Their bounds are
// within [0, 1].

// Wilson returns the score interval, the default for shares. On average it has the right coverage at any n, and it has a width even at 0
// and n successes. With z the (1+level)/2 quantile of the normal distribution and p̂ = successes/n:
//
//	( p̂ + z²/2n ± z·√( p̂(1-p̂)/n + z²/4n² ) ) / ( 1 + z²/n )
//
// Wilson 1927.
func Wilson(successes, n int, level float64) (prop Proportion, err error) {
	defer Wrap("Wilson interval", &err)
	prop, z, err := proportion(successes, n, level)
	if err != nil {
		return prop, err
	}
	prop.Low, prop.High = WilsonBounds(prop.Share, float64(n), z)
	// At 0 and n successes the formula gives 0 and 1, apart from rounding.
	switch successes {
	case 0:
		prop.Low = 0
	case n:
		prop.High = 1
	}
	return prop, nil
}

// WilsonBounds returns the score interval of a share p of n trials for the normal quantile z. n need not be a whole number.
func WilsonBounds(p, n, z float64) (low, high float64) {
	zz := z * z
	middle := (p + zz/(2*n)) / (1 + zz/n)
	half := z * math.Sqrt(p*(1-p)/n+zz/(4*n*n)) / (1 + zz/n)
	return max(0, middle-half), min(1, middle+half)
}

// proportion checks the arguments and returns the share and the normal quantile z for the level.
func proportion(successes, n int, level float64) (Proportion, float64, error) {
	prop := Proportion{Successes: successes, N: n, Level: level}
	if n == 0 {
		return prop, 0, ErrTooShort
	}
	if n < 0 || successes < 0 || successes > n {
		return prop, 0, fmt.Errorf("%w: %d successes in %d trials", ErrInvalidValue, successes, n)
	}
	prop.Share = float64(successes) / float64(n)
	if err := CheckLevel(level); err != nil {
		return prop, 0, err
	}
	lower, err := NormalQuantile((1 - level) / 2)
	return prop, -lower, err
}
