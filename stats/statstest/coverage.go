package statstest

import (
	"compqa/data/sharedtest"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

const Nominal = 0.95

// FivePoints turns a standard normal number into a score of 1 to 5, symmetric
// about 3.
func FivePoints(z float64) float64 { return math.Max(1, math.Min(5, math.Round(3+1.1*z))) }

// Tally counts covered truths by method.
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

// Documented fails unless statistics.md has the share in its table.
func Documented(t *testing.T, setting, method string, share float64) {
	t.Helper()
	page, err := os.ReadFile(filepath.Join(sharedtest.ModuleRoot(t), "docs", "statistics.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, row, found := strings.Cut(string(page), fmt.Sprintf("| %s | %s | ", setting, method))
	figure, _, _ := strings.Cut(row, " ")
	printed, err := strconv.ParseFloat(figure, 64)
	if !found || err != nil || math.Abs(printed-share) > 0.002 {
		t.Errorf("%s: %s covers %.3f, which statistics.md doesn't say (it says %q)", setting, method, share, figure)
	}
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

// Between fails unless the method's coverage is in [low, high], and stands in the manual.
func (c *Tally) Between(t *testing.T, setting, method string, low, high float64) {
	t.Helper()
	Documented(t, setting, method, c.within(t, setting, method, low, high))
}

// within is a method's coverage; it fails unless that is in [low, high].
func (c *Tally) within(t *testing.T, setting, method string, low, high float64) (share float64) {
	t.Helper()
	share = float64(c.Covered[method]) / float64(c.Runs)
	width := ""
	if c.Width[method] > 0 {
		width = fmt.Sprintf("  mean width %.3f", c.Width[method]/float64(c.Runs))
	}
	t.Logf("%-50s %-30s %.3f%s", setting, method, share, width)
	if share < low || share > high {
		t.Errorf("%s: %s covers %.3f, want it in [%.2f, %.2f]", setting, method, share, low, high)
	}
	return share
}

func (c *Tally) Honest(t *testing.T, setting, method string) {
	t.Helper()
	c.Between(t, setting, method, 0.93, 0.97)
}

// TooNarrow fails unless a simplification that reports do not use covers less than below.
func (c *Tally) TooNarrow(t *testing.T, setting, method string, below float64) {
	t.Helper()
	c.within(t, setting, method, 0, below)
}

// Gauss draws from the standard normal distribution.
func Gauss(r interface{ Uint64() uint64 }) float64 {
	p := (float64(r.Uint64()>>12) + 0.5) / (1 << 52)
	return math.Sqrt2 * math.Erfinv(2*p-1)
}
