package report

import (
	"math/rand/v2"
	"slices"
	"testing"

	"compqa/data/sharedtest"
	"compqa/results/dataset"
	"compqa/results/raters"
	"compqa/stats"
)

// coverageOf counts in how many of 8,000 simulated benchmarks an interval contains the true value. It fails if the share is not between 93
// and 97 %, for a nominal 95 %.
func coverageOf(t *testing.T, what string, truth float64, simulate func(*rand.Rand) (low, high stats.Figure)) {
	t.Helper()
	const runs = 8000
	covered := 0
	for run := range runs {
		low, high := simulate(rand.New(stats.NewRNG(1, what, uint64(run))))
		if !low.Known || !high.Known {
			t.Fatalf("%s: no interval in run %d", what, run)
		}
		if low.Value <= truth && truth <= high.Value {
			covered++
		}
	}
	share := float64(covered) / runs
	t.Logf("%-70s %.3f", what, share)
	if share < 0.93 || share > 0.97 {
		t.Errorf("%s covers %.3f", what, share)
	}
}

// scenarioTotals simulates three scenarios with means 3, 5 and 10 over 30 questions. The second scenario has only the first half of the
// questions, and the third two answers to each. A question is equally hard in all scenarios.
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

// The intervals of means over scenarios, of contrasts and of shares have their nominal coverage.
func TestSoakCoverageOverScenarios(t *testing.T) {
	sharedtest.Soak(t)
	coverageOf(t, "mean of scenarios' means, 30 questions, unequal scenarios", 6, func(random *rand.Rand) (low, high stats.Figure) {
		var c dataset.Calculator
		totals, questions := scenarioTotals(random)
		e, err := stats.MeanInterval(c.OverScenarios(totals), questions, dataset.Confidence)
		return c.Figure(e.Low, err), c.Figure(e.High, err)
	})
	coverageOf(t, "contrast of two sorts of answers, 30 questions, unequal", 7, func(random *rand.Rand) (low, high stats.Figure) {
		totals, questions := scenarioTotals(random)
		values := append(slices.Clone(totals[0]), totals[2]...)
		inside := make([]bool, len(totals[0])+len(totals[2]))
		for i := range totals[2] {
			inside[len(totals[0])+i] = true
		}
		p := raters.Pairs{Clusters: append(slices.Clone(questions[:30]), questions[45:]...)}
		e := p.Contrast(values, inside, nil, dataset.Confidence).Figure()
		return e.Lower(), e.Upper()
	})
	coverageOf(t, "share of 0.2, 40 questions with 1 to 4 answers", 0.2, func(random *rand.Rand) (low, high stats.Figure) {
		var c dataset.Calculator
		var s dataset.Sample
		for q := range 40 {
			p := []float64{0.05, 0.35}[random.IntN(2)]
			for range 1 + random.IntN(4) {
				s.Add(dataset.Indicator(random.Float64() < p), q)
			}
		}
		e := c.Share(s, stats.ErrZeroWidth)
		return e.Lower(), e.Upper()
	})
}
