package stats

import (
	"errors"
	"math"
	"math/big"
	"testing"
)

// exactMcNemar computes the definition with whole numbers: twice the sum of binomial coefficients up to the smaller count, divided by 2ⁿ.
func exactMcNemar(first, second int) float64 {
	n := int64(first + second)
	sum := new(big.Int)
	for k := int64(0); k <= int64(min(first, second)); k++ {
		sum.Add(sum, new(big.Int).Binomial(n, k))
	}
	p := new(big.Rat).SetFrac(sum.Lsh(sum, 1), new(big.Int).Lsh(big.NewInt(1), uint(n)))
	v, _ := p.Float64()
	return math.Min(1, v)
}

func TestMcNemar(t *testing.T) {
	for first := range 40 {
		for second := range 40 {
			got, err := McNemar(first, second)
			if want := exactMcNemar(first, second); err != nil || math.Abs(got-want) > 1e-12*want {
				t.Errorf("McNemar(%d, %d) = %v (%v), want %v", first, second, got, err, want)
			}
		}
	}
	// By hand: (1 + 12 + 66) / 2¹¹.
	if p, _ := McNemar(10, 2); math.Abs(p-79.0/2048) > 1e-15 {
		t.Errorf("McNemar(10, 2) = %v, want 79/2048", p)
	}
	if p, _ := McNemar(600, 400); math.Abs(p/exactMcNemar(600, 400)-1) > 1e-9 {
		t.Errorf("McNemar(600, 400) = %v, want %v", p, exactMcNemar(600, 400))
	}
	for _, c := range [][2]int{{0, 0}, {1, 0}, {0, 1}, {1, 1}, {7, 7}} {
		if p, err := McNemar(c[0], c[1]); err != nil || p != 1 {
			t.Errorf("McNemar(%d, %d) = %v, %v, want 1", c[0], c[1], p, err)
		}
	}
	if _, err := McNemar(-1, 2); !errors.Is(err, ErrInvalidValue) {
		t.Errorf("a negative count: %v", err)
	}
}
