package statstest

import (
	"compqa/data/sharedtest"
	"fmt"
	"math"
	"testing"
)

const Nominal = 0.95

// FivePoints turns a standard normal number into a score from 1 to 5, symmetric about 3.
func FivePoints(z float64) float64 { return math.Max(1, math.Min(5, math.Round(3+1.1*z))) }

// A Tally counts, for each method, the intervals that contain the true value.
type Tally struct {
	Covered map[string]int
	Width   map[string]float64
	Runs    int
}

func NewTally(t *testing.T) *Tally {
	t.Helper()
	sharedtest.Soak(t)
	return &Tally{Covered: map[string]int{}, Width: map[string]float64{}}
}

func (c *Tally) Add(method string, low, high, truth float64) {
	c.Width[method] += high - low
	c.Hit(method, low <= truth && truth <= high)
}

func (c *Tally) Hit(method string, covered bool) {
	if covered {
		c.Covered[method]++
	}
}

// Between fails the test unless the coverage of a method is in [low, high].
func (c *Tally) Between(t *testing.T, setting, method string, low, high float64) {
	t.Helper()
	share := float64(c.Covered[method]) / float64(c.Runs)
	width := ""
	if c.Width[method] > 0 {
		width = fmt.Sprintf("  mean width %.3f", c.Width[method]/float64(c.Runs))
	}
	t.Logf("%-50s %-30s %.3f%s", setting, method, share, width)
	if share < low || share > high {
		t.Errorf("%s: %s covers %.3f, want it in [%.2f, %.2f]", setting, method, share, low, high)
	}
}

func (c *Tally) Honest(t *testing.T, setting, method string) {
	t.Helper()
	c.Between(t, setting, method, 0.93, 0.97)
}

func (c *Tally) TooNarrow(t *testing.T, setting, method string, below float64) {
	t.Helper()
	c.Between(t, setting, method, 0, below)
}

// Gauss draws from the standard normal distribution.
func Gauss(r interface{ Uint64() uint64 }) float64 {
	p := (float64(r.Uint64()>>12) + 0.5) / (1 << 52)
	return math.Sqrt2 * math.Erfinv(2*p-1)
}
