package stats

import (
	"math"
	"testing"

	"compqa/stats/statstest"
)

// A correctedCase is a simulated benchmark. Two systems answer each question, and some answers are labelled. A question can have labelled
// and unlabelled answers.
type correctedCase struct {
	name      string
	questions int
	labelled  float64 // share of the answers that are labelled
	binary    bool
	unequal   bool // 1 to 8 answers a question, else 4
}

// draw returns the samples of two systems whose true means differ by gap.
func (c correctedCase) draw(rng *RNG, gap float64) (samples [2]PPISample) {
	const icc, r = 0.4, 0.7
	for q := range c.questions {
		difficulty := statstest.Gauss(rng)
		mood := statstest.Gauss(rng)
		answers := 4
		if c.unequal {
			answers = 1 + rng.Intn(8)
		}
		for range answers {
			labelled := rng.Float64() < c.labelled
			for k := range samples {
				s := &samples[k]
				z := math.Sqrt(icc)*difficulty + math.Sqrt(1-icc)*statstest.Gauss(rng)
				noise := math.Sqrt(icc)*mood + math.Sqrt(1-icc)*statstest.Gauss(rng)
				human := z + gap*float64(1-k)
				judge := r*z + gap*float64(1-k)/2 + math.Sqrt(1-r*r)*noise
				if c.binary {
					human = indicator(z > 0.5)
					judge = indicator(r*z+math.Sqrt(1-r*r)*noise > 0.2)
				}
				if labelled {
					s.Human = append(s.Human, human)
					s.Judge = append(s.Judge, judge)
					s.Clusters = append(s.Clusters, q)
				} else {
					s.Unlabelled = append(s.Unlabelled, judge)
					s.UnlabelledClusters = append(s.UnlabelledClusters, q)
				}
			}
		}
	}
	return samples
}

func indicator(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// People labelled only some answers of a question; the judge scored all.
func TestSoakCoverageOfLabelsInPart(t *testing.T) {
	for _, c := range []correctedCase{
		{"20 questions × 4, 30 % labelled", 20, 0.3, false, false},
		{"60 questions of 1 to 8, 30 % labelled", 60, 0.3, false, true},
		{"40 questions × 4, yes or no, 30 % labelled", 40, 0.3, true, false},
		{"200 questions of 1 to 8, yes or no, 10 % labelled", 200, 0.1, true, true},
		{"500 questions of 1 to 8, yes or no, 30 % labelled", 500, 0.3, true, true},
	} {
		tally := statstest.NewTally(t)
		truth := 0.0
		if c.binary {
			truth = normalSurvival(0.5)
		}
		const runs = 4000
		for run := range runs {
			samples := c.draw(NewRNG(1, "partly labelled", uint64(run)), 0)
			mean, err := PPIMean(samples[0], statstest.Nominal)
			if err != nil {
				t.Fatal(err)
			}
			tally.Runs++
			tally.Add("PPIMean", mean.Low, mean.High, truth)
		}
		tally.Honest(t, c.name, "PPIMean")
	}
}
