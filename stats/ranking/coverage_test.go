package ranking

import (
	"compqa/data/sharedtest"
	"math"
	"slices"
	"testing"

	"compqa/stats"
	"compqa/stats/statstest"
)

// Eight systems have nearly equal merit, with true ranks 1 to 8, on 30 questions with two answers each. All eight rank intervals must
// contain the true rank at once. Merits are so close that false claims of a difference would often contradict the true ranks.
func TestSoakCoverageOfRanks(t *testing.T) {
	const systems, questions, answers, runs = 8, 30, 2, 2000
	c := statstest.NewTally(t)
	for run := range runs {
		rng := stats.NewRNG(1, "coverage of ranks", uint64(run))
		scores, clusters := rankedScores(rng, systems, questions, answers, 1e-6)
		comparisons, err := compareAll(scores, clusters)
		if err != nil {
			t.Fatal(err)
		}
		byAnswer, err := compareAll(scores, nil)
		if err != nil {
			t.Fatal(err)
		}
		c.Runs++
		c.Hit("paired, adjusted", ranksHold(ranksOf(t, systems, comparisons, statstest.Nominal)))
		c.Hit("every pair at 5 %", ranksHold(countingRanks(systems, comparisons, func(d comparison) bool { return d.P <= 0.05 })))
		c.Hit("t-tests of answers", ranksHold(countingRanks(systems, byAnswer, func(d comparison) bool { return d.P <= 0.05 })))
	}
	const setting = "ranks of 8 nearly equal systems, 30 questions × 2"
	c.Between(t, setting, "paired, adjusted", 0.93, 1)
	c.TooNarrow(t, setting, "every pair at 5 %", 0.85)
	c.TooNarrow(t, setting, "t-tests of answers", 0.60)
}

// rankedScores draws scores of systems whose merit falls by step from each to the next. Questions differ in difficulty for all systems, and
// each system has random effects on each question.
func rankedScores(rng *stats.RNG, systems, questions, answers int, step float64) ([][]float64, []int) {
	scores := make([][]float64, systems)
	var clusters []int
	for q := range questions {
		difficulty := statstest.Gauss(rng)
		for s := range scores {
			luck := statstest.Gauss(rng)
			for range answers {
				scores[s] = append(scores[s], 2*difficulty+luck+0.7*statstest.Gauss(rng)-step*float64(s))
			}
		}
		for range answers {
			clusters = append(clusters, q)
		}
	}
	return scores, clusters
}

// A comparison is the paired difference of systems A and B.
type comparison struct {
	A, B int
	stats.Difference
}

// compareAll compares every pair of systems.
func compareAll(scores [][]float64, clusters []int) (all []comparison, err error) {
	for a := range scores {
		for b := a + 1; b < len(scores); b++ {
			d, err := stats.PairedDifference(scores[a], scores[b], clusters, statstest.Nominal)
			if err != nil {
				return nil, err
			}
			all = append(all, comparison{a, b, d})
		}
	}
	return all, nil
}

// ranksOf returns the rank intervals from the comparisons of systems.
func ranksOf(t *testing.T, systems int, comparisons []comparison, level float64) []RankInterval {
	t.Helper()
	var tests []PairTest
	for _, c := range comparisons {
		tests = append(tests, PairTest{A: c.A, B: c.B, Difference: c.Value, P: c.P})
	}
	ranks, err := RankIntervals(systems, tests, level)
	if err != nil {
		t.Fatal(err)
	}
	return ranks
}

// ranksHold reports whether every system's interval contains its true rank: 1, 2, ….
func ranksHold(ranks []RankInterval) bool {
	for i, r := range ranks {
		if r.Low > i+1 || r.High < i+1 {
			return false
		}
	}
	return true
}

// countingRanks returns rank intervals from tests that are not adjusted.
func countingRanks(systems int, comparisons []comparison, significant func(comparison) bool) []RankInterval {
	ranks := slices.Repeat([]RankInterval{{1, systems}}, systems)
	for _, d := range comparisons {
		if !significant(d) {
			continue
		}
		above := d.A
		below := d.B
		if d.Value < 0 {
			above, below = below, above
		}
		ranks[below].Low++
		ranks[above].High--
	}
	return ranks
}

// Overlap of two systems' own intervals does not show whether they differ. If both find the same questions hard, the paired interval nearly
// always shows a difference that the overlap nearly never shows.
func TestSoakCoverageOfOverlap(t *testing.T) {
	sharedtest.Soak(t)
	const runs = 1000
	paired := 0
	apart := 0
	for run := range runs {
		scores, clusters := rankedScores(stats.NewRNG(1, "overlap", uint64(run)), 2, 30, 2, 1.2)
		comparisons, err := compareAll(scores, clusters)
		if err != nil {
			t.Fatal(err)
		}
		if comparisons[0].Low > 0 {
			paired++
		}
		first, err := stats.MeanInterval(scores[0], clusters, statstest.Nominal)
		if err != nil {
			t.Fatal(err)
		}
		second, err := stats.MeanInterval(scores[1], clusters, statstest.Nominal)
		if err != nil {
			t.Fatal(err)
		}
		if first.Low > second.High {
			apart++
		}
	}
	t.Logf("a difference of 1.2, 30 questions: paired finds %.3f, intervals apart in %.3f", float64(paired)/runs, float64(apart)/runs)
	if paired < 900 || apart > 300 {
		t.Errorf("of %d, paired found %d, intervals were apart in %d", runs, paired, apart)
	}
}

// Two systems are compared six times on each question, by judges with similar preferences.
func TestSoakCoverageOfBradleyTerry(t *testing.T) {
	const questions, judgements, runs = 40, 6, 5000
	logit := func(p float64) float64 { return math.Log(p / (1 - p)) }
	c := statstest.NewTally(t)
	z := math.Sqrt2 * math.Erfinv(statstest.Nominal)
	for run := range runs {
		rng := stats.NewRNG(1, "coverage of strengths", uint64(run))
		var matches []Match
		for q := range questions {
			p := 0.2 + 0.7*rng.Float64() // with mean 0.55: item 0 wins 55 % overall
			for range judgements {
				m := Match{A: 0, B: 1, Cluster: q}
				if rng.Float64() >= p {
					m.Outcome = SecondWins
				}
				matches = append(matches, m)
			}
		}
		s, err := BradleyTerry(2, matches)
		if err != nil {
			t.Fatal(err)
		}
		d, err := s.Difference(0, 1, statstest.Nominal)
		if err != nil {
			t.Fatal(err)
		}
		model := modelSE(t, s, matches, 0, 1)
		c.Runs++
		c.Add("Strengths.Difference", d.Low, d.High, logit(0.55))
		c.Add("every judgement a question, z", d.Value-z*model, d.Value+z*model, logit(0.55))
	}
	const setting = "log strengths, 40 questions × 6 judgements"
	c.Honest(t, setting, "Strengths.Difference")
	c.TooNarrow(t, setting, "every judgement a question, z", 0.90)
}
