package stats

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mathext"
)

// Bonferroni adjusts p-values to control the probability of any false rejection, for tests with any dependence:
//
//	p̃_i = min(1, m·p_i)
//
// Holm is never less powerful; Bonferroni has simpler simultaneous intervals. Dunn 1961.
func Bonferroni(p []float64) ([]float64, error) {
	if _, err := ascendingOrder(p); err != nil {
		return nil, fmt.Errorf("Bonferroni adjustment: %w", err)
	}
	adjusted := make([]float64, len(p))
	for i, v := range p {
		adjusted[i] = min(1, v*float64(len(p)))
	}
	return adjusted, nil
}

// BenjaminiHochberg adjusts p-values to control the expected share of false rejections, for independent or positively dependent tests. It
// steps up from the largest p-value:
//
//	p̃_(i) = min_{j>=i} min(1, m·p_(j)/j)
//
// Benjamini and Hochberg 1995.
func BenjaminiHochberg(p []float64) ([]float64, error) {
	order, err := ascendingOrder(p)
	if err != nil {
		return nil, fmt.Errorf("Benjamini–Hochberg adjustment: %w", err)
	}
	return stepUp(p, order, 1), nil
}

// AgrestiCoull returns the normal interval after adding z²/2 successes and as many failures:
//
//	ñ = n + z²,  p̃ = (successes + z²/2)/ñ,  p̃ ± z·√( p̃(1-p̃)/ñ )
//
// It contains Wilson's interval, and is a little wider at the ends. Agresti and Coull 1998.
func AgrestiCoull(successes, n int, level float64) (Proportion, error) {
	prop, z, err := proportion(successes, n, level)
	if err != nil {
		return prop, fmt.Errorf("Agresti–Coull interval: %w", err)
	}
	size := float64(n) + z*z
	share := (float64(successes) + z*z/2) / size
	half := z * math.Sqrt(share*(1-share)/size)
	prop.set(share-half, share+half)
	return prop, nil
}

// ClopperPearson returns the exact interval. Its coverage is at least the level for every true share, so it is the widest:
//
//	low  = the p with P(X >= successes; n, p) = (1-level)/2
//	high = the p with P(X <= successes; n, p) = (1-level)/2
//
// They are quantiles of the Beta(successes, n-successes+1) and Beta(successes+1, n-successes) distributions, and 0 and 1 at the ends.
// Clopper and Pearson 1934.
func ClopperPearson(successes, n int, level float64) (Proportion, error) {
	prop, _, err := proportion(successes, n, level)
	if err != nil {
		return prop, fmt.Errorf("Clopper–Pearson interval: %w", err)
	}
	tail := (1 - level) / 2
	k := float64(successes)
	rest := float64(n - successes)
	prop.Low = 0
	prop.High = 1
	if successes > 0 {
		prop.Low = mathext.InvRegIncBeta(k, rest+1, tail)
	}
	if successes < n {
		// The upper limit for successes is 1 minus the lower limit for failures.
		prop.High = 1 - mathext.InvRegIncBeta(rest, k+1, tail)
	}
	return prop, nil
}

// NormalProportion returns the textbook interval p̂ ± z·√(p̂(1-p̂)/n), limited to [0, 1]. It is only for comparison, because its
// coverage is far below the level for shares near 0 and 1. At 0 and n successes, where it would have no width, it returns the share with
// ErrZeroWidth.
func NormalProportion(successes, n int, level float64) (Proportion, error) {
	prop, z, err := proportion(successes, n, level)
	if err != nil {
		return prop, fmt.Errorf("normal interval of a share: %w", err)
	}
	if successes == 0 || successes == n {
		return prop, fmt.Errorf("normal interval of %d successes in %d: %w", successes, n, ErrZeroWidth)
	}
	half := z * math.Sqrt(prop.Share*(1-prop.Share)/float64(n))
	prop.set(prop.Share-half, prop.Share+half)
	return prop, nil
}

func (p *Proportion) set(low, high float64) {
	p.Low = max(0, low)
	p.High = min(1, high)
}
