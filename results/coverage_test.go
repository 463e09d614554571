package results

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"compqa/stats"
)

// coverageOf counts in how many of 8,000 simulated benchmarks an interval holds
// the truth, and fails unless it is honest, 93 to 97 % at a nominal 95 %, and as
// the page of intervals says.
func coverageOf(t *testing.T, what, method string, truth float64, simulate func(*rand.Rand) (low, high Figure)) {
	t.Helper()
	const runs = 8000
	covered := 0
	for run := range runs {
		low, high := simulate(rand.New(stats.NewRNG(1, what, uint64(run))))
		if !low.known() || !high.known() {
			t.Fatalf("%s: no interval in run %d", what, run)
		}
		if *low.number <= truth && truth <= *high.number {
			covered++
		}
	}
	share := float64(covered) / runs
	t.Logf("%-70s %.3f", what, share)
	if share < 0.93 || share > 0.97 {
		t.Errorf("%s covers %.3f", what, share)
	}
	page := string(must(os.ReadFile(filepath.Join("..", "stats", "intervals.md"))))
	_, row, _ := strings.Cut(page, fmt.Sprintf("| %s | %s | ", what, method))
	printed, _, _ := strings.Cut(row, " ")
	if got, err := strconv.ParseFloat(printed, 64); err != nil || math.Abs(got-share) > 0.002 {
		t.Errorf("%s covers %.3f, and intervals.md says %q", what, share, printed)
	}
}

// Three scenarios with means 3, 5 and 10 over 30 questions, of which the second
// has only the first half and the third two answers each; what is hard under one
// scenario is hard under all.
func scenarioTotals(random *rand.Rand) (totals [][]float64, questions []int) {
	totals = make([][]float64, 3)
	var hard [30]float64
	for q := range hard {
		hard[q] = random.NormFloat64()
	}
	add := func(scenario, q int, mean float64) {
		totals[scenario] = append(totals[scenario], mean+hard[q]+random.NormFloat64())
	}
	for q := range hard {
		add(0, q, 3)
		questions = append(questions, q)
	}
	for q := range 15 {
		add(1, q, 5)
		questions = append(questions, q)
	}
	for q := range hard {
		add(2, q, 10)
		add(2, q, 10)
		questions = append(questions, q, q)
	}
	return totals, questions
}

func TestCoverageOverScenarios(t *testing.T) {
	if testing.Short() {
		t.Skip("simulation: left out of -short")
	}
	coverageOf(t, "mean of scenarios' means, 30 questions, unequal scenarios", "linearised", 6, func(random *rand.Rand) (low, high Figure) {
		var c computer
		totals, questions := scenarioTotals(random)
		e, err := stats.MeanInterval(c.overScenarios(totals), questions, confidence)
		return Figure{c.value(e.Low, err)}, Figure{c.value(e.High, err)}
	})
	coverageOf(t, "contrast of two sorts of answers, 30 questions, unequal", "linearised", 7, func(random *rand.Rand) (low, high Figure) {
		var c computer
		totals, questions := scenarioTotals(random)
		e := c.contrast([]sample{{totals[2], questions[45:]}, {totals[0], questions[:30]}}, []float64{1, -1})
		return e.low, e.high
	})
	coverageOf(t, "share of 0.2, 40 questions with 1 to 4 answers", "cut to what a share can be", 0.2, func(random *rand.Rand) (low, high Figure) {
		var c computer
		var s sample
		for q := range 40 {
			p := []float64{0.05, 0.35}[random.IntN(2)]
			for range 1 + random.IntN(4) {
				s.add(indicator(random.Float64() < p), q)
			}
		}
		e := c.share(s)
		return e.low, e.high
	})
}
