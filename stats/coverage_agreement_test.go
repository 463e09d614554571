package stats

import (
	"math"
	"testing"
)

// Two judges of equal merit, so that the true difference of their agreements with
// people is 0, on 50 questions with four answers each. Each errs in its own way,
// and on all answers to a question alike. A judge is said to beat a floor when
// the interval of the difference is above 0: that must be a rare mistake.
func TestCoverageOfAgreementDifference(t *testing.T) {
	const questions, runs = 50, 2000
	clusters := make([]int, questions*4)
	for u := range clusters {
		clusters[u] = u / 4
	}
	c := newTally(t)
	for run := range runs {
		reference, a, b := judgedAnswers(NewRNG(1, "coverage of differences", uint64(run)), questions)
		o := Resampling{Seed: uint64(run), Name: "coverage", Level: nominal}
		byQuestion, err := AgreementDifference(reference, a, b, clusters, o)
		if err != nil {
			t.Fatal(err)
		}
		byAnswer, err := AgreementDifference(reference, a, b, nil, o)
		if err != nil {
			t.Fatal(err)
		}
		c.runs++
		for name, of := range map[string]AgreementIntervals{"by question": byQuestion, "by answer": byAnswer} {
			c.add("alpha, "+name, of.Alpha.Low, of.Alpha.High, 0)
			c.add("Spearman, "+name, of.Spearman.Low, of.Spearman.High, 0)
			c.add("Pearson, "+name, of.Pearson.Low, of.Pearson.High, 0)
		}
		c.hit("alpha, not called better", byQuestion.Alpha.Low <= 0)
	}
	const setting = "difference of agreements, 50 questions × 4 answers"
	for _, figure := range []string{"alpha", "Spearman", "Pearson"} {
		c.honest(t, setting, figure+", by question")
		c.tooNarrow(t, setting, figure+", by answer", 0.90)
	}
	c.between(t, setting, "alpha, not called better", 0.96, 0.99)
}

// judgedAnswers are people's and two judges' scores of one to five points; what a
// judge gets wrong of a question it gets wrong of all its answers.
func judgedAnswers(rng *RNG, questions int) (reference, a, b []float64) {
	for range questions {
		difficulty, tasteA, tasteB := gauss(rng), gauss(rng), gauss(rng)
		for range 4 {
			quality := math.Sqrt(0.5)*difficulty + math.Sqrt(0.5)*gauss(rng)
			reference = append(reference, fivePoints(quality))
			a = append(a, fivePoints(quality+0.6*tasteA+0.3*gauss(rng)))
			b = append(b, fivePoints(quality+0.6*tasteB+0.3*gauss(rng)))
		}
	}
	return reference, a, b
}
