package stats

import (
	"math"
	"testing"

	"compqa/stats/statstest"
)

// The tests of this file simulate benchmarks with a known truth, and count how often nominal 95 % intervals contain it. The recommended
// intervals must contain it in 93 to 97 % of simulations. The usual simplifications must not, so that nobody simplifies back to them.
// Everything is seeded, so a failure means that the code has changed. `go test -run Coverage -v` prints the table.

func z95(t *testing.T) float64 {
	t.Helper()
	z, err := NormalQuantile((1 + statstest.Nominal) / 2)
	if err != nil {
		t.Fatal(err)
	}
	return z
}

// Means of six answers to each question, with intra-class correlation 0.4.
func TestSoakCoverageOfMeans(t *testing.T) {
	const answers, icc, runs = 6, 0.4, 8000
	z := z95(t)
	for _, questions := range []int{10, 50} {
		c := statstest.NewTally(t)
		for run := range runs {
			rng := NewRNG(1, "coverage of means", uint64(questions), uint64(run))
			var values []float64
			var clusters []int
			for q := range questions {
				difficulty := statstest.Gauss(rng)
				for range answers {
					values = append(values, math.Sqrt(icc)*difficulty+math.Sqrt(1-icc)*statstest.Gauss(rng))
					clusters = append(clusters, q)
				}
			}
			est, err := MeanInterval(values, clusters, statstest.Nominal)
			if err != nil {
				t.Fatal(err)
			}
			se, err := StandardErrors(values, clusters)
			if err != nil {
				t.Fatal(err)
			}
			c.Runs++
			c.Add("MeanInterval", est.Low, est.High, 0)
			c.Add("every answer a question, z", se.Mean-z*se.CLT, se.Mean+z*se.CLT, 0)
			c.Add("CR0, z", se.Mean-z*se.CR0, se.Mean+z*se.CR0, 0)
		}
		setting := map[int]string{10: "mean, 10 questions × 6 answers", 50: "mean, 50 questions × 6 answers"}[questions]
		c.Honest(t, setting, "MeanInterval")
		c.TooNarrow(t, setting, "every answer a question, z", 0.80)
		if questions == 10 {
			c.TooNarrow(t, setting, "CR0, z", 0.92)
		}
	}
}

// Unequal clusters: three questions have most answers. CR2 with Satterthwaite's degrees of freedom has the right coverage, CR1 with G-1
// does not.
func TestSoakCoverageOfUnequalClusters(t *testing.T) {
	const runs, icc = 8000, 0.4
	c := statstest.NewTally(t)
	for run := range runs {
		rng := NewRNG(1, "coverage of unequal clusters", uint64(run))
		var values []float64
		var clusters []int
		for q := range 10 {
			difficulty := statstest.Gauss(rng)
			for range []int{20, 12, 12, 3, 3, 3, 3, 3, 3, 3}[q] {
				values = append(values, math.Sqrt(icc)*difficulty+math.Sqrt(1-icc)*statstest.Gauss(rng))
				clusters = append(clusters, q)
			}
		}
		est, err := MeanInterval(values, clusters, statstest.Nominal)
		if err != nil {
			t.Fatal(err)
		}
		se, _ := StandardErrors(values, clusters)
		plain, err := se.Interval(CR1, statstest.Nominal)
		if err != nil {
			t.Fatal(err)
		}
		c.Runs++
		c.Add("MeanInterval (CR2)", est.Low, est.High, 0)
		c.Add("CR1", plain.Low, plain.High, 0)
	}
	c.Honest(t, "mean, 10 questions of 3 to 20 answers", "MeanInterval (CR2)")
	c.TooNarrow(t, "mean, 10 questions of 3 to 20 answers", "CR1", 0.91)
}

// A judge that correlates at 0.7 with people on five-point scores, with 300 unlabelled items.
func TestSoakCoverageOfPPI(t *testing.T) {
	const others, runs, r = 300, 8000, 0.7
	for _, n := range []int{10, 30} {
		c := statstest.NewTally(t)
		for run := range runs {
			rng := NewRNG(1, "coverage of PPI", uint64(n), uint64(run))
			var s PPISample
			for i := range n + others {
				z := statstest.Gauss(rng)
				human := statstest.FivePoints(z)
				judge := statstest.FivePoints(r*z + math.Sqrt(1-r*r)*statstest.Gauss(rng))
				if i < n {
					s.Human = append(s.Human, human)
					s.Judge = append(s.Judge, judge)
				} else {
					s.Unlabelled = append(s.Unlabelled, judge)
				}
			}
			addPPI(t, c, s)
		}
		setting := map[int]string{10: "PPI, 10 labels, 300 others", 30: "PPI, 30 labels, 300 others"}[n]
		c.Honest(t, setting, "PPIMean")
		c.TooNarrow(t, setting, "published form", map[int]float64{10: 0.90, 30: 0.93}[n])
		if c.Width["PPIMean"] > 0.95*c.Width["labels alone"] {
			t.Errorf("%s: PPI is as wide as the labels alone: %.3f against %.3f", setting, c.Width["PPIMean"], c.Width["labels alone"])
		}
	}
}

// Four systems answer each of 60 questions, and scores correlate within a question. 30 questions have one labelled answer; all other
// answers are unlabelled.
func TestSoakCoverageOfClusteredPPI(t *testing.T) {
	const questions, answers, labelled, runs, icc, r = 60, 4, 30, 6000, 0.5, 0.7
	c := statstest.NewTally(t)
	for run := range runs {
		rng := NewRNG(1, "coverage of clustered PPI", uint64(run))
		var s PPISample
		for q := range questions {
			difficulty := statstest.Gauss(rng)
			mood := statstest.Gauss(rng)
			for a := range answers {
				z := math.Sqrt(icc)*difficulty + math.Sqrt(1-icc)*statstest.Gauss(rng)
				noise := math.Sqrt(icc)*mood + math.Sqrt(1-icc)*statstest.Gauss(rng)
				human := statstest.FivePoints(z)
				judge := statstest.FivePoints(r*z + math.Sqrt(1-r*r)*noise)
				if a < 2 && q < labelled {
					s.Human = append(s.Human, human)
					s.Judge = append(s.Judge, judge)
					s.Clusters = append(s.Clusters, q)
				} else {
					s.Unlabelled = append(s.Unlabelled, judge)
					s.UnlabelledClusters = append(s.UnlabelledClusters, q)
				}
			}
		}
		addPPI(t, c, s)
	}
	const setting = "PPI, 30 of 60 questions with labels, shared"
	c.Honest(t, setting, "PPIMean")
	c.TooNarrow(t, setting, "published form", 0.91)
}

// addPPI counts the coverage of both forms, for people's mean of 3.
func addPPI(t *testing.T, c *statstest.Tally, s PPISample) {
	t.Helper()
	got, err := PPIMean(s, statstest.Nominal)
	if err != nil {
		t.Fatal(err)
	}
	published, err := PublishedPPIMean(s, statstest.Nominal, nil)
	if err != nil {
		t.Fatal(err)
	}
	c.Runs++
	c.Add("PPIMean", got.Low, got.High, 3)
	c.Add("published form", published.Low, published.High, 3)
	c.Add("labels alone", got.Classical.Low, got.Classical.High, 3)
}
