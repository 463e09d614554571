package stats

import (
	"fmt"
	"math"
)

// Proportion is a share of successes in [0, 1] with its interval.
type Proportion struct {
	Successes, N     int
	Share            float64 // Successes/N
	Low, High, Level float64
}

// The intervals below assume independent trials. For shares that cluster by
// question, use MeanInterval on the zeros and ones.
//
// All take 0 <= successes <= n (ErrInvalidValue), n at least 1 (ErrTooShort) and a
// level in (0, 1) (ErrInvalidValue); their bounds stay within [0, 1].

// Wilson returns the score interval, the default for shares: it keeps its level
// on average at any n and has width at zero and n successes. With z the
// (1+level)/2 quantile of the normal distribution and p̂ = successes/n:
//
//	( p̂ + z²/2n ± z·√( p̂(1-p̂)/n + z²/4n² ) ) / ( 1 + z²/n )
//
// Wilson 1927.
func Wilson(successes, n int, level float64) (Proportion, error) {
	prop, z, err := proportion(successes, n, level)
	if err != nil {
		return prop, fmt.Errorf("Wilson interval: %w", err)
	}
	size := float64(n)
	zz := z * z
	middle := (prop.Share + zz/(2*size)) / (1 + zz/size)
	half := z * math.Sqrt(prop.Share*(1-prop.Share)/size+zz/(4*size*size)) / (1 + zz/size)
	prop.set(middle-half, middle+half)
	// At the ends the formula gives 0 and 1 but for the rounding.
	switch successes {
	case 0:
		prop.Low = 0
	case n:
		prop.High = 1
	}
	return prop, nil
}

func (p *Proportion) set(low, high float64) {
	p.Low, p.High = math.Max(0, low), math.Min(1, high)
}

// proportion checks the arguments and returns the share and z.
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
