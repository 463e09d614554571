package agreement

import (
	"math"
	"testing"

	"compqa/stats"
	"compqa/stats/statstest"
)

// Two judges have equal merit, so that the true difference of their agreement with people is 0, on 50 questions with four answers each.
// Each judge has its own errors, which are alike for all answers to a question. A judge is said to beat a baseline if the interval of the
// difference is above 0. That must be a rare error.
func TestSoakCoverageOfAgreementDifference(t *testing.T) {
	t.Parallel()
	const questions, runs = 50, 2000
	clusters := make([]int, questions*4)
	for u := range clusters {
		clusters[u] = u / 4
	}
	c := statstest.NewTally(t)
	for run := range runs {
		reference, a, b := judgedAnswers(stats.NewRNG(1, "coverage of differences", uint64(run)), questions)
		o := stats.Resampling{Seed: uint64(run), Name: "coverage", Level: statstest.Nominal}
		byQuestion, err := agreementDifference(reference, a, b, clusters, o)
		if err != nil {
			t.Fatal(err)
		}
		byAnswer, err := agreementDifference(reference, a, b, nil, o)
		if err != nil {
			t.Fatal(err)
		}
		c.Runs++
		for name, of := range map[string]intervals{"by question": byQuestion, "by answer": byAnswer} {
			c.Add("alpha, "+name, of.Alpha.Low, of.Alpha.High, 0)
			c.Add("Spearman, "+name, of.Spearman.Low, of.Spearman.High, 0)
			c.Add("Pearson, "+name, of.Pearson.Low, of.Pearson.High, 0)
		}
		c.Hit("alpha, not called better", byQuestion.Alpha.Low <= 0)
	}
	const setting = "difference of agreements, 50 questions × 4 answers"
	for _, figure := range []string{"alpha", "Spearman", "Pearson"} {
		c.Honest(t, setting, figure+", by question")
		c.TooNarrow(t, setting, figure+", by answer", 0.90)
	}
	c.Between(t, setting, "alpha, not called better", 0.96, 0.99)
}

// judgedAnswers returns people's and two judges' scores from one to five points. A judge's error on a question is the same for all its
// answers.
func judgedAnswers(rng *stats.RNG, questions int) (reference, a, b []float64) {
	for range questions {
		difficulty := statstest.Gauss(rng)
		tasteA := statstest.Gauss(rng)
		tasteB := statstest.Gauss(rng)
		for range 4 {
			quality := math.Sqrt(0.5)*difficulty + math.Sqrt(0.5)*statstest.Gauss(rng)
			reference = append(reference, statstest.FivePoints(quality))
			a = append(a, statstest.FivePoints(quality+0.6*tasteA+0.3*statstest.Gauss(rng)))
			b = append(b, statstest.FivePoints(quality+0.6*tasteB+0.3*statstest.Gauss(rng)))
		}
	}
	return reference, a, b
}

// Ordinal alpha of two raters on 50 questions with four answers each. Both quality and disagreement correlate within a question.
func TestSoakCoverageOfAlpha(t *testing.T) {
	t.Parallel()
	const questions, runs = 50, 2000
	truth, err := Alpha(alphaRatings(t, stats.NewRNG(1, "truth of alpha"), 50000), Ordinal)
	if err != nil {
		t.Fatal(err)
	}
	clusters := make([]int, questions*4)
	for u := range clusters {
		clusters[u] = u / 4
	}
	c := statstest.NewTally(t)
	for run := range runs {
		ratings := alphaRatings(t, stats.NewRNG(1, "coverage of alpha", uint64(run)), questions)
		o := stats.Resampling{Seed: uint64(run), Name: "coverage", Level: statstest.Nominal}
		add := func(method string, d stats.Distribution, err error) {
			if err != nil {
				t.Fatal(err)
			}
			c.Add(method, d.Low, d.High, truth.Alpha)
		}
		c.Runs++
		d, err := AlphaBootstrap(ratings, Ordinal, clusters, o)
		add("AlphaBootstrap by question", d, err)
		d, err = AlphaBootstrap(ratings, Ordinal, nil, o)
		add("AlphaBootstrap by answer", d, err)
		d, err = KALPHA(ratings, Ordinal, o)
		add("KALPHA", d, err)
	}
	const setting = "ordinal alpha, 50 questions × 4 answers"
	c.Honest(t, setting, "AlphaBootstrap by question")
	c.TooNarrow(t, setting, "AlphaBootstrap by answer", 0.90)
	c.TooNarrow(t, setting, "KALPHA", 0.85)
}

// Alpha, rho, r and kappa of a judge with people on 2,000 questions with four answers each. From this number of clusters on, groups are
// left out.
func TestSoakCoverageOfGroups(t *testing.T) {
	t.Parallel()
	const questions, runs = 2000, 2000
	figures := func(rng *stats.RNG, questions int) (r *stats.Replicates, kappa stats.Figure) {
		reference, judge, _ := judgedAnswers(rng, questions)
		clusters := make([]int, len(judge))
		for i := range clusters {
			clusters[i] = i / 4
		}
		o := stats.Resampling{Seed: 1, Name: "coverage", Level: statstest.Nominal}
		r, err := Resample(reference, judge, clusters, o)
		if err != nil {
			t.Fatal(err)
		}
		c, err := NewConfusion(reference, judge, nil, clusters, statstest.Nominal)
		if err != nil {
			t.Fatal(err)
		}
		return r, c.ResampledKappa(o)
	}
	truth, kappa := figures(stats.NewRNG(1, "truth of groups"), 400_000)
	c := statstest.NewTally(t)
	for run := range runs {
		r, k := figures(stats.NewRNG(1, "coverage of groups", uint64(run)), questions)
		c.Runs++
		for place, name := range []string{"alpha", "rho", "r"} {
			d, err := r.Distribution(place)
			if err != nil {
				t.Fatal(err)
			}
			c.Add(name, d.Low, d.High, truth.Values[place])
		}
		c.Add("kappa", k.Low, k.High, kappa.Value)
	}
	for _, name := range []string{"alpha", "rho", "r", "kappa"} {
		c.Honest(t, "2,000 questions × 4 answers, groups left out", name)
	}
}

func alphaRatings(t *testing.T, rng *stats.RNG, questions int) *Ratings {
	t.Helper()
	var x, y []float64
	for range questions {
		difficulty := statstest.Gauss(rng)
		taste := statstest.Gauss(rng)
		for range 4 {
			quality := math.Sqrt(0.5)*difficulty + math.Sqrt(0.5)*statstest.Gauss(rng)
			x = append(x, statstest.FivePoints(quality+0.3*statstest.Gauss(rng)))
			y = append(y, statstest.FivePoints(quality+0.6*taste+0.3*statstest.Gauss(rng)))
		}
	}
	ratings, err := PairedRatings(x, y)
	if err != nil {
		t.Fatal(err)
	}
	return ratings
}
