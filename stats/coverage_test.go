package stats

import (
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// The tests of this file simulate benchmarks with a known truth and count how
// often nominal 95 % intervals hold it. What the package recommends must hold
// it in 93 to 97 % of simulations; the usual simplifications must not, so that
// nobody simplifies back to them. Everything is seeded: a failure is a change
// of the code. `go test -run Coverage -v` prints the table.

const nominal = 0.95

// tally counts covered truths by method.
type tally struct {
	hits  map[string]int
	width map[string]float64
	runs  int
}

func newTally(t *testing.T) *tally {
	t.Helper()
	skipSimulation(t)
	return &tally{hits: map[string]int{}, width: map[string]float64{}}
}

// skipSimulation leaves simulations out of -short runs, as under the race
// detector, where they take minutes and have nothing to race.
func skipSimulation(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("simulation: left out of -short")
	}
}

func (c *tally) add(method string, low, high, truth float64) {
	c.width[method] += high - low
	c.hit(method, low <= truth && truth <= high)
}

func (c *tally) hit(method string, covered bool) {
	if covered {
		c.hits[method]++
	}
}

// between fails unless the method's coverage is in [low, high].
func (c *tally) between(t *testing.T, setting, method string, low, high float64) {
	t.Helper()
	share := float64(c.hits[method]) / float64(c.runs)
	width := ""
	if c.width[method] > 0 {
		width = fmt.Sprintf("  mean width %.3f", c.width[method]/float64(c.runs))
	}
	t.Logf("%-50s %-30s %.3f%s", setting, method, share, width)
	documented(t, setting, method, share)
	if share < low || share > high {
		t.Errorf("%s: %s covers %.3f, want it in [%.2f, %.2f]", setting, method, share, low, high)
	}
}

// documented fails unless intervals.md has the share in its table.
func documented(t *testing.T, setting, method string, share float64) {
	t.Helper()
	page, err := os.ReadFile("intervals.md")
	if err != nil {
		t.Fatal(err)
	}
	_, row, found := strings.Cut(string(page), fmt.Sprintf("| %s | %s | ", setting, method))
	figure, _, _ := strings.Cut(row, " ")
	printed, err := strconv.ParseFloat(figure, 64)
	if !found || err != nil || math.Abs(printed-share) > 0.002 {
		t.Errorf("%s: %s covers %.3f, which intervals.md doesn't say (it says %q)", setting, method, share, figure)
	}
}

func (c *tally) honest(t *testing.T, setting, method string) {
	t.Helper()
	c.between(t, setting, method, 0.93, 0.97)
}

func (c *tally) tooNarrow(t *testing.T, setting, method string, below float64) {
	t.Helper()
	c.between(t, setting, method, 0, below)
}

// gauss draws from the standard normal distribution.
func gauss(r interface{ Uint64() uint64 }) float64 {
	p := (float64(r.Uint64()>>12) + 0.5) / (1 << 52)
	return math.Sqrt2 * math.Erfinv(2*p-1)
}

// fivePoints turns a standard normal number into a score of 1 to 5, symmetric
// about 3.
func fivePoints(z float64) float64 { return math.Max(1, math.Min(5, math.Round(3+1.1*z))) }

func z95(t *testing.T) float64 {
	t.Helper()
	z, err := normalQuantile((1 + nominal) / 2)
	if err != nil {
		t.Fatal(err)
	}
	return z
}

// Means of six answers a question, of intra-class correlation 0.4.
func TestCoverageOfMeans(t *testing.T) {
	const answers, icc, runs = 6, 0.4, 8000
	z := z95(t)
	for _, questions := range []int{10, 50} {
		c := newTally(t)
		for run := range runs {
			rng := NewRNG(1, "coverage of means", uint64(questions), uint64(run))
			var values []float64
			var clusters []int
			for q := range questions {
				difficulty := gauss(rng)
				for range answers {
					values = append(values, math.Sqrt(icc)*difficulty+math.Sqrt(1-icc)*gauss(rng))
					clusters = append(clusters, q)
				}
			}
			est, err := MeanInterval(values, clusters, nominal)
			if err != nil {
				t.Fatal(err)
			}
			se, err := StandardErrors(values, clusters)
			if err != nil {
				t.Fatal(err)
			}
			c.runs++
			c.add("MeanInterval", est.Low, est.High, 0)
			c.add("every answer a question, z", se.Mean-z*se.CLT, se.Mean+z*se.CLT, 0)
			c.add("CR0, z", se.Mean-z*se.CR0, se.Mean+z*se.CR0, 0)
		}
		setting := map[int]string{10: "mean, 10 questions × 6 answers", 50: "mean, 50 questions × 6 answers"}[questions]
		c.honest(t, setting, "MeanInterval")
		c.tooNarrow(t, setting, "every answer a question, z", 0.80)
		if questions == 10 {
			c.tooNarrow(t, setting, "CR0, z", 0.92)
		}
	}
}

// Unequal clusters: three questions carry most answers. CR2 with Satterthwaite's
// degrees of freedom holds where CR1 with G-1 does not.
func TestCoverageOfUnequalClusters(t *testing.T) {
	const runs, icc = 8000, 0.4
	c := newTally(t)
	for run := range runs {
		rng := NewRNG(1, "coverage of unequal clusters", uint64(run))
		var values []float64
		var clusters []int
		for q := range 10 {
			difficulty := gauss(rng)
			for range []int{20, 12, 12, 3, 3, 3, 3, 3, 3, 3}[q] {
				values = append(values, math.Sqrt(icc)*difficulty+math.Sqrt(1-icc)*gauss(rng))
				clusters = append(clusters, q)
			}
		}
		est, err := MeanInterval(values, clusters, nominal)
		if err != nil {
			t.Fatal(err)
		}
		se, _ := StandardErrors(values, clusters)
		plain, err := se.Interval(CR1, nominal)
		if err != nil {
			t.Fatal(err)
		}
		c.runs++
		c.add("MeanInterval (CR2)", est.Low, est.High, 0)
		c.add("CR1", plain.Low, plain.High, 0)
	}
	c.honest(t, "mean, 10 questions of 3 to 20 answers", "MeanInterval (CR2)")
	c.tooNarrow(t, "mean, 10 questions of 3 to 20 answers", "CR1", 0.91)
}

// A judge that correlates at 0.7 with people on five-point scores; 300 items
// without labels.
func TestCoverageOfPPI(t *testing.T) {
	const others, runs, r = 300, 8000, 0.7
	for _, n := range []int{10, 30} {
		c := newTally(t)
		for run := range runs {
			rng := NewRNG(1, "coverage of PPI", uint64(n), uint64(run))
			var s PPISample
			for i := range n + others {
				z := gauss(rng)
				human, judge := fivePoints(z), fivePoints(r*z+math.Sqrt(1-r*r)*gauss(rng))
				if i < n {
					s.Human, s.Judge = append(s.Human, human), append(s.Judge, judge)
				} else {
					s.Unlabelled = append(s.Unlabelled, judge)
				}
			}
			addPPI(t, c, s)
		}
		setting := map[int]string{10: "PPI, 10 labels, 300 others", 30: "PPI, 30 labels, 300 others"}[n]
		c.honest(t, setting, "PPIMean")
		c.tooNarrow(t, setting, "published form", map[int]float64{10: 0.90, 30: 0.93}[n])
		if c.width["PPIMean"] > 0.95*c.width["labels alone"] {
			t.Errorf("%s: PPI is as wide as the labels alone: %.3f against %.3f", setting, c.width["PPIMean"], c.width["labels alone"])
		}
	}
}

// Four systems answer each of 60 questions, scores correlate within a question;
// 30 questions have one labelled answer, and its other answers are unlabelled.
func TestCoverageOfClusteredPPI(t *testing.T) {
	const questions, answers, labelled, runs, icc, r = 60, 4, 30, 6000, 0.5, 0.7
	c := newTally(t)
	for run := range runs {
		rng := NewRNG(1, "coverage of clustered PPI", uint64(run))
		var s PPISample
		for q := range questions {
			difficulty, mood := gauss(rng), gauss(rng)
			for a := range answers {
				z := math.Sqrt(icc)*difficulty + math.Sqrt(1-icc)*gauss(rng)
				noise := math.Sqrt(icc)*mood + math.Sqrt(1-icc)*gauss(rng)
				human, judge := fivePoints(z), fivePoints(r*z+math.Sqrt(1-r*r)*noise)
				if a < 2 && q < labelled {
					s.Human, s.Judge = append(s.Human, human), append(s.Judge, judge)
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
	c.honest(t, setting, "PPIMean")
	c.tooNarrow(t, setting, "published form", 0.91)
}

// addPPI counts both forms, of people's mean 3.
func addPPI(t *testing.T, c *tally, s PPISample) {
	t.Helper()
	got, err := PPIMean(s, nominal)
	if err != nil {
		t.Fatal(err)
	}
	published, err := PublishedPPIMean(s, nominal, nil)
	if err != nil {
		t.Fatal(err)
	}
	c.runs++
	c.add("PPIMean", got.Low, got.High, 3)
	c.add("published form", published.Low, published.High, 3)
	c.add("labels alone", got.Classical.Low, got.Classical.High, 3)
}

// Alpha of two raters on 50 questions with four answers each, ordinal, whose
// quality and disagreement both correlate within a question.
func TestCoverageOfAlpha(t *testing.T) {
	const questions, runs = 50, 2000
	truth, err := Alpha(alphaRatings(t, NewRNG(1, "truth of alpha"), 50000), Ordinal)
	if err != nil {
		t.Fatal(err)
	}
	clusters := make([]int, questions*4)
	for u := range clusters {
		clusters[u] = u / 4
	}
	c := newTally(t)
	for run := range runs {
		ratings := alphaRatings(t, NewRNG(1, "coverage of alpha", uint64(run)), questions)
		o := Resampling{Seed: uint64(run), Name: "coverage", Level: nominal}
		add := func(method string, d Distribution, err error) {
			if err != nil {
				t.Fatal(err)
			}
			c.add(method, d.Low, d.High, truth.Alpha)
		}
		c.runs++
		d, err := AlphaBootstrap(ratings, Ordinal, clusters, o)
		add("AlphaBootstrap by question", d, err)
		d, err = AlphaBootstrap(ratings, Ordinal, nil, o)
		add("AlphaBootstrap by answer", d, err)
		d, err = KALPHA(ratings, Ordinal, o)
		add("KALPHA", d, err)
	}
	const setting = "ordinal alpha, 50 questions × 4 answers"
	c.honest(t, setting, "AlphaBootstrap by question")
	c.tooNarrow(t, setting, "AlphaBootstrap by answer", 0.90)
	c.tooNarrow(t, setting, "KALPHA", 0.85)
}

func alphaRatings(t *testing.T, rng *RNG, questions int) *Ratings {
	t.Helper()
	var x, y []float64
	for range questions {
		difficulty, taste := gauss(rng), gauss(rng)
		for range 4 {
			quality := math.Sqrt(0.5)*difficulty + math.Sqrt(0.5)*gauss(rng)
			x = append(x, fivePoints(quality+0.3*gauss(rng)))
			y = append(y, fivePoints(quality+0.6*taste+0.3*gauss(rng)))
		}
	}
	ratings, err := PairedRatings(x, y)
	if err != nil {
		t.Fatal(err)
	}
	return ratings
}

// Eight systems of nearly the same merit, so that their true ranks are 1 to 8
// and every false claim of a difference has even odds to contradict them, on 30
// questions with two answers each. All eight rank intervals must hold at once.
func TestCoverageOfRanks(t *testing.T) {
	const systems, questions, answers, runs = 8, 30, 2, 2000
	c := newTally(t)
	for run := range runs {
		rng := NewRNG(1, "coverage of ranks", uint64(run))
		scores, clusters := rankedScores(rng, systems, questions, answers, 1e-6)
		comparisons, ranks, err := CompareSystems(scores, clusters, nominal)
		if err != nil {
			t.Fatal(err)
		}
		c.runs++
		c.hit("CompareSystems", ranksHold(ranks))
		c.hit("every pair at 5 %", ranksHold(countingRanks(systems, comparisons, func(d Comparison) bool { return d.P <= 0.05 })))
		c.hit("t-tests of answers", ranksHold(countingRanks(systems, comparisons, func(d Comparison) bool { return d.PlainP <= 0.05 })))
	}
	const setting = "ranks of 8 nearly equal systems, 30 questions × 2"
	c.between(t, setting, "CompareSystems", 0.93, 1)
	c.tooNarrow(t, setting, "every pair at 5 %", 0.85)
	c.tooNarrow(t, setting, "t-tests of answers", 0.60)
}

// rankedScores draws systems' scores, better from the first to the last by a
// step each, of questions that are hard for all and of a system's own luck with
// a question.
func rankedScores(rng *RNG, systems, questions, answers int, step float64) ([]SystemScores, []int) {
	scores := make([]SystemScores, systems)
	var clusters []int
	for q := range questions {
		difficulty := gauss(rng)
		for s := range scores {
			luck := gauss(rng)
			for range answers {
				scores[s].Values = append(scores[s].Values, 2*difficulty+luck+0.7*gauss(rng)-step*float64(s))
			}
		}
		for range answers {
			clusters = append(clusters, q)
		}
	}
	return scores, clusters
}

// ranksHold says whether every system's interval has its true rank: 1, 2, ….
func ranksHold(ranks []RankInterval) bool {
	for i, r := range ranks {
		if r.Low > i+1 || r.High < i+1 {
			return false
		}
	}
	return true
}

// countingRanks are rank intervals from tests that are not adjusted.
func countingRanks(systems int, comparisons []Comparison, significant func(Comparison) bool) []RankInterval {
	ranks := slices.Repeat([]RankInterval{{1, systems}}, systems)
	for _, d := range comparisons {
		if !significant(d) {
			continue
		}
		above, below := d.A, d.B
		if d.Value < 0 {
			above, below = below, above
		}
		ranks[below].Low++
		ranks[above].High--
	}
	return ranks
}

// Whether two systems' own intervals overlap says nothing of whether they
// differ: of a difference that the paired interval finds nearly always, the
// overlap shows nearly nothing, as both systems find the same questions hard.
func TestCoverageOfOverlap(t *testing.T) {
	skipSimulation(t)
	const runs = 1000
	paired, apart := 0, 0
	for run := range runs {
		scores, clusters := rankedScores(NewRNG(1, "overlap", uint64(run)), 2, 30, 2, 1.2)
		comparisons, _, err := CompareSystems(scores, clusters, nominal)
		if err != nil {
			t.Fatal(err)
		}
		if comparisons[0].Low > 0 {
			paired++
		}
		first, err := MeanInterval(scores[0].Values, clusters, nominal)
		if err != nil {
			t.Fatal(err)
		}
		second, err := MeanInterval(scores[1].Values, clusters, nominal)
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

// Two systems compared six times a question, by judges who lean the same way.
func TestCoverageOfBradleyTerry(t *testing.T) {
	const questions, judgements, runs = 40, 6, 5000
	logit := func(p float64) float64 { return math.Log(p / (1 - p)) }
	c := newTally(t)
	z := z95(t)
	for run := range runs {
		rng := NewRNG(1, "coverage of strengths", uint64(run))
		var matches []Match
		for q := range questions {
			p := 0.2 + 0.7*rng.Float64() // of mean 0.55: item 0 wins 55 % overall
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
		d, err := s.Difference(0, 1, nominal)
		if err != nil {
			t.Fatal(err)
		}
		model := s.ModelSE(0, 1)
		c.runs++
		c.add("Strengths.Difference", d.Low, d.High, logit(0.55))
		c.add("every judgement a question, z", d.Value-z*model, d.Value+z*model, logit(0.55))
	}
	const setting = "log strengths, 40 questions × 6 judgements"
	c.honest(t, setting, "Strengths.Difference")
	c.tooNarrow(t, setting, "every judgement a question, z", 0.90)
}
