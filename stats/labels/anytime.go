package labels

import (
	"fmt"
	"math"

	"compqa/stats"
)

// A Sequence is a mean with a confidence sequence: with probability level, the population's mean is within the bounds at every n at once.
// So one may look at it after each value. N is the number of values.
type Sequence struct {
	Value, Low, High float64
	N                int
}

// MeanSequence returns the confidence sequence of the mean of values in [low, high], in the order in which they were drawn at random. With
// x the values scaled to [0, 1], bets λ_i that do not depend on x_i, and α = 1-level,
//
//	K⁺_t(m) = Π_{i≤t} (1 + min(λ_i, 1/(2m)) (x_i - m)),  K⁻_t(m) = Π_{i≤t} (1 - min(λ_i, 1/(2(1-m))) (x_i - m))
//	λ_i = √(2 ln(2/α) / (v_{i-1} i ln(1+i))),  v_i = (1/4 + Σ_{j≤i} (x_j - μ_j)²) / (i+1),  μ_i = (1/2 + Σ_{j≤i} x_j) / (i+1)
//
// a mean m is outside the bounds if one of the two has ever reached 2/α; each is a martingale if m is the true mean (Waudby-Smith and
// Ramdas 2024, theorem 3 with θ = 1/2 and c = 1/2, and equation 26 for λ; Ville 1939). K⁺ decreases and K⁻ increases with m, so each
// bound is found by bisection. The sequence is valid for every n. Values may exceed [low, high] only by rounding; else ErrInvalidValue.
func MeanSequence(values []float64, low, high, level float64) (s Sequence, err error) {
	if err := stats.CheckLevel(level); err != nil {
		return s, err
	}
	s = Sequence{Low: low, High: high, N: len(values)}
	if len(values) == 0 {
		return s, fmt.Errorf("confidence sequence: %w", stats.ErrTooShort)
	}
	if !(high > low) {
		return s, fmt.Errorf("confidence sequence in [%v, %v]: %w", low, high, stats.ErrInvalidValue)
	}
	x := make([]float64, len(values))
	mirrored := make([]float64, len(values))
	bets := make([]float64, len(values))
	sum := 0.5
	squares := 0.25
	for i, v := range values {
		if !(v >= low-1e-9 && v <= high+1e-9) {
			return s, fmt.Errorf("confidence sequence: value %v outside of [%v, %v]: %w", v, low, high, stats.ErrInvalidValue)
		}
		t := float64(i + 1)
		bets[i] = math.Sqrt(2 * math.Log(2/(1-level)) / (squares * math.Log(1+t)))
		x[i] = math.Min(1, math.Max(0, (v-low)/(high-low)))
		mirrored[i] = 1 - x[i]
		sum += x[i]
		e := x[i] - sum/(t+1)
		squares += e * e
	}
	s.Value = stats.Mean(values)
	limit := math.Log(2 / (1 - level))
	s.Low = low + (high-low)*lowest(x, bets, limit)
	s.High = high - (high-low)*lowest(mirrored, bets, limit)
	return s, nil
}

// lowest returns the least mean m for which K⁺ has never reached the limit, which is a logarithm.
func lowest(x, bets []float64, limit float64) float64 {
	outside := func(m float64) bool {
		log := 0.0
		for i, v := range x {
			log += math.Log1p(math.Min(bets[i], 1/(2*m)) * (v - m))
			if log >= limit {
				return true
			}
		}
		return false
	}
	low := 0.0
	high := 1.0
	for range 40 {
		if middle := (low + high) / 2; outside(middle) {
			low = middle
		} else {
			high = middle
		}
	}
	return low
}

// MixtureE returns the evidence against a difference of 0, valid at any number of looks. d is the estimate of a later mean minus that of a
// baseline, s its standard error, and I = 1/s² the information:
//
//	E = √(ρ/(ρ+I)) · exp(d² I² / (2 (ρ+I)))
//
// With n_0 values in the baseline and m later ones, I = 1/(σ²/n_0 + σ²/m) is the time of a Brownian motion d·I, because the increments
// of the later mean do not depend on earlier differences. So E is a martingale, and reaches 1/α with a probability of at most α (Robbins
// 1970; Johari, Koomen, Pekelis and Walsh 2022, section 4, for two samples). This holds for means of many values. prior is 1/√ρ, the
// size of a difference of interest; it must not depend on later values. E is 1 without a standard error.
func MixtureE(difference, se, prior float64) float64 {
	if !(se > 0) || !(prior > 0) {
		return 1
	}
	rho := 1 / (prior * prior)
	information := 1 / (se * se)
	return math.Sqrt(rho/(rho+information)) * math.Exp(difference*difference*information*information/(2*(rho+information)))
}

// leastChange returns the least difference for which MixtureE reaches limit:
//
//	d² = 2 (ρ+I) / I² · ln(limit · √((ρ+I)/ρ))
func leastChange(se, prior, limit float64) float64 {
	rho := 1 / (prior * prior)
	information := 1 / (se * se)
	return math.Sqrt(2*(rho+information)*math.Log(limit*math.Sqrt((rho+information)/rho))) / information
}
