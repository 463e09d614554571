package labels

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat/combin"
	"gonum.org/v1/gonum/stat/distuv"

	"compqa/stats"
)

// An Unread asks which verdicts of judges people need not read: verdicts of which their judge is so sure that a person would differ from at
// most a share Alpha of them. The share is among the items that nobody labelled. The answer is wrong with a probability of at most Delta,
// if the labelled items are a random sample of all items, or were drawn with known probabilities. Only the order of confidences matters.
//
// The question is that of Jung, Brahman and Choi ("Trust or Escalate", ICLR 2025, arXiv 2407.18370), with these differences. They test
// thresholds from the top down and stop at the first that fails; here all thresholds are tested at once, and there may be no answer. They
// test a stream of items (binomial); here the items are finite (hypergeometric), unless Stream, Clusters or Chances are given. Thresholds
// never depend on labels. They test each judge of a cascade by itself; here one test covers all that any judge decides.
//
// It is assumed, not proved, that a risk of Alpha at every threshold is the worst case for the level. The profiles of risk in
// TestSoakUnreadGuarantee include no worse one.
type Unread struct {
	Confidence [][]float64 // by judge, the cheapest first, and item; NaN: the judge has no confidence; NotAsked: it was not asked yet
	Labelled   []int       // indices of the items that a person labelled; all judges were asked about these
	Wrong      [][]bool    // by judge and entry of Labelled: the person differs from the judge
	Clusters   []int       // cluster of each item; nil: every item is a cluster
	Chances    []float64   // probability with which each entry of Labelled was drawn, in (0, 1]; nil: all are equal
	Stream     bool        // the answer is about further items like these, without end
	OfAll      bool        // Alpha is the largest share of all items whose verdict is both wrong and unread
	Sampled    bool        // judges after the first have thresholds from labelled items, being asked only about what is left
	Alpha      float64     // the largest share of wrong verdicts, in (0, 1)
	Delta      float64     // largest probability of a wrong answer, in (0, 1)
	Seed       uint64
}

// NotAsked is the confidence of a judge that was not asked about an item. It is below any other confidence.
var NotAsked = math.Inf(-1)

// An UnreadAnswer is the answer to an Unread.
type UnreadAnswer struct {
	Steps   []Step  // sorted by what the judges decide, the least first
	Widest  int     // index of the last step that holds, or -1
	Pending int     // index of the step that would be Widest if judges who were not asked yet are sure enough, or -1
	Level   float64 // level at which each step is tested
	Least   int     // number of labels that a step needs, if none of them is wrong
	Share   float64 // share of unlabelled items, in a stream of all items, that a judge decides at Widest, in [0, 1]
	Used    []int   // indices of the entries of Unread.Labelled that count: after thinning, one of each cluster
	Odd     float64 // p-value that Used is a random sample by the first judge's confidence, times the number of steps
}

// A Step has a threshold for each judge. The first judge whose confidence reaches its threshold decides an item; people read the others.
type Step struct {
	Judges   []Decided // by judge
	Labelled int       // used labels of items that a judge decides
	Wrong    int       // labels among Labelled from which the judge differs
	Counted  int       // number of labels that Wrong is out of: Labelled or, with OfAll, all used labels
	Pool     int       // items that a judge decides, including labelled items
	Unasked  int       // items for which a judge must be asked first
	P        float64   // p-value, with unasked items as not decided
}

// A Decided is what one judge decides at a step.
type Decided struct {
	Threshold float64
	Least     float64 // lowest confidence with which it decides; +Inf if it decides nothing
	Items     int     // items that it decides, including labelled items
	Unread    int     // unlabelled items that it decides; in a stream, all
	Labelled  int     // used labels among them
	Wrong     int     // labels from which it differs
}

// OddSample is the value of UnreadAnswer.Odd below which the labels are not a random sample, so that the answer is missing.
const OddSample = .01

// unreadSteps is the number of steps, which divide the confidences into equal shares.
const unreadSteps = 10

// Answer computes the answer. For a step with m used labels among the items that judges decide, k of them wrong, and M such items, the
// p-value is
//
//	p = P(X ≤ k),  X hypergeometric: m draws of M items of which ⌊Alpha (M-m)⌋ + k + 1 are wrong
//	p = P(X ≤ k),  X binomial with m and Alpha, for a stream, chances and clusters
//	p = P(X ≤ k),  X binomial with all n used labels and Alpha, with OfAll
//
// The answer is the widest step with a p-value of at most the level (see unreadLevel) and with at least LeastUnread labels. With OfAll,
// steps are instead tested in their order, each at level Delta, up to the first that fails (fixed sequence). Before counting, labels with
// unequal probabilities π are each kept with probability min(π)/π, and then one label of each cluster is kept. Seed determines which.
func (u Unread) Answer() UnreadAnswer {
	s := UnreadAnswer{Widest: -1, Pending: -1, Level: u.Delta, Least: LeastUnread(u.Alpha, u.Delta), Odd: 1, Used: u.usedLabels()}
	s.Steps = u.steps(s.Used)
	if len(s.Used) >= s.Least && len(slices.Concat(u.labelsUnasked()...)) > 0 {
		s.Pending = len(s.Steps) - 1
		return s
	}
	if u.Chances == nil {
		ofFirst := s.Steps
		if len(u.Confidence) > 1 {
			first := u
			first.Confidence = u.Confidence[:1]
			first.Wrong = u.Wrong[:1]
			ofFirst = first.steps(s.Used)
		}
		s.Odd = randomSampleP(ofFirst, len(u.items()), len(s.Used))
	}
	var counts []int
	for _, step := range s.Steps {
		if step.Counted >= s.Least {
			counts = append(counts, step.Labelled)
		}
	}
	if len(counts) == 0 || s.Odd < OddSample {
		return s
	}
	if !u.OfAll {
		s.Level = unreadLevel(counts, u.Alpha, u.Delta)
	}
	widest := u.widest(s)
	if widest >= 0 && s.Steps[widest].Unasked > 0 {
		s.Pending = widest
	} else {
		s.Widest = widest
	}
	if s.Widest >= 0 {
		s.Share = u.share(s.Steps[s.Widest])
	}
	return s
}

// widest returns the index of the last step that holds or, if items are unasked, may hold. It returns -1 if there is none.
func (u Unread) widest(s UnreadAnswer) int {
	if u.OfAll {
		for i, step := range s.Steps {
			if step.P > s.Level {
				return i - 1
			}
		}
		return len(s.Steps) - 1
	}
	for i, step := range slices.Backward(s.Steps) {
		if step.Labelled >= s.Least && (step.P <= s.Level || u.mayHold(step, s.Level)) {
			return i
		}
	}
	return -1
}

// mayHold reports whether a step has a p-value of at most level for some number of decided items among the unasked ones.
func (u Unread) mayHold(s Step, level float64) bool {
	if float64(s.Wrong) >= u.Alpha*float64(s.Labelled) {
		return false // more labels are wrong than a passing step can have
	}
	for ; s.Unasked > 0; s.Unasked-- {
		s.Pool++
		if u.P(s.Wrong, s) <= level {
			return true
		}
	}
	return false
}

// steps returns a Step for each set of thresholds, with the counts of items and used labels.
func (u Unread) steps(used []int) (steps []Step) {
	labelled := u.labelled()
	for _, thresholds := range u.thresholds() {
		step := Step{}
		for _, threshold := range thresholds {
			step.Judges = append(step.Judges, Decided{Threshold: threshold, Least: math.Inf(1)})
		}
		for i := range u.items() {
			judge, asked := u.Decider(step, i)
			switch {
			case !asked:
				step.Unasked++
			case judge >= 0:
				d := &step.Judges[judge]
				d.Least = min(d.Least, u.Confidence[judge][i])
				d.Items++
				step.Pool++
				if !labelled[i] || u.Stream {
					d.Unread++
				}
			}
		}
		for _, k := range used {
			judge, asked := u.Decider(step, u.Labelled[k])
			if judge < 0 || !asked {
				continue
			}
			step.Judges[judge].Labelled++
			step.Labelled++
			if u.Wrong[judge][k] {
				step.Judges[judge].Wrong++
				step.Wrong++
			}
		}
		step.Counted = step.Labelled
		if u.OfAll {
			step.Counted = len(used)
		}
		step.P = u.P(step.Wrong, step)
		steps = append(steps, step)
	}
	return steps
}

// items returns the confidences of the first judge, which has one for each item.
func (u Unread) items() []float64 {
	if len(u.Confidence) == 0 {
		return nil
	}
	return u.Confidence[0]
}

// Decider returns the judge that decides an item at a step, or -1 if people do. If asked is false, this judge must be asked first.
func (u Unread) Decider(s Step, item int) (judge int, asked bool) {
	for j, confidence := range u.Confidence {
		if confidence[item] == NotAsked {
			return j, false
		}
		if confidence[item] >= s.Judges[j].Threshold {
			return j, true
		}
	}
	return -1, true
}

// ToAsk returns, for each judge, the items to ask it about next. These are labelled items about which it was not asked. If there are none,
// they are the items that the judges before it leave at the pending step of the answer.
func (u Unread) ToAsk(s UnreadAnswer) [][]int {
	items := u.labelsUnasked()
	if s.Pending < 0 || len(slices.Concat(items...)) > 0 {
		return items
	}
	for i := range u.items() {
		if judge, asked := u.Decider(s.Steps[s.Pending], i); !asked {
			items[judge] = append(items[judge], i)
		}
	}
	return items
}

// labelsUnasked returns, for each judge, the labelled items about which it was not asked.
func (u Unread) labelsUnasked() [][]int {
	items := make([][]int, len(u.Confidence))
	for judge, confidence := range u.Confidence {
		for _, i := range u.Labelled {
			if confidence[i] == NotAsked {
				items[judge] = append(items[judge], i)
			}
		}
	}
	return items
}

// P returns the p-value of a step if this number of its labels were wrong; see Answer. Unasked items count as not decided.
func (u Unread) P(wrong int, s Step) float64 {
	switch unlabelled := s.Pool - s.Labelled; {
	case u.OfAll || u.Stream || u.Clusters != nil || u.Chances != nil:
		return min(1, floats.Sum(binomial(wrong, s.Counted, u.Alpha)))
	case unlabelled > 0:
		marked := int(math.Floor(u.Alpha*float64(unlabelled)+1e-9)) + wrong + 1
		return hypergeometric(wrong, s.Pool, marked, s.Labelled)
	}
	return 1
}

// labelled returns for each item whether it has a label.
func (u Unread) labelled() []bool {
	all := make([]bool, len(u.items()))
	for _, i := range u.Labelled {
		all[i] = true
	}
	return all
}

// share returns the share of unlabelled items, or in a stream of all items, that judges decide at a step.
func (u Unread) share(s Step) float64 {
	n := len(u.items())
	if !u.Stream {
		n -= len(u.Labelled)
	}
	if n == 0 {
		return 0
	}
	unread := 0
	for _, judge := range s.Judges {
		unread += judge.Unread
	}
	return float64(unread) / float64(n)
}

// usedLabels returns the labels that count, in ascending order: after thinning, one of each cluster.
func (u Unread) usedLabels() (used []int) {
	for k := range u.Labelled {
		used = append(used, k)
	}
	if u.Chances != nil && len(used) > 0 {
		rng := stats.NewRNG(u.Seed, "unread: thinning")
		least := slices.Min(u.Chances)
		used = slices.DeleteFunc(used, func(k int) bool { return rng.Float64() >= least/u.Chances[k] })
	}
	if u.Clusters != nil {
		rng := stats.NewRNG(u.Seed, "unread: one of a cluster")
		taken := map[int]bool{}
		rng.Shuffle(len(used), func(i, j int) { used[i], used[j] = used[j], used[i] })
		used = slices.DeleteFunc(used, func(k int) bool {
			before := taken[u.Clusters[u.Labelled[k]]]
			taken[u.Clusters[u.Labelled[k]]] = true
			return before
		})
		slices.Sort(used)
	}
	return used
}

// thresholds returns the thresholds of all judges for each step. With one judge, they are the lowest confidences of the surest tenth of the
// items, the surest two tenths, and so on. Items with equal confidences stay together; if there are at most ten different confidences, all
// are thresholds. With several judges, at most a tenth, two tenths and so on of the items that a judge was asked about reach its threshold.
// With Sampled, only labelled items are counted for judges after the first.
func (u Unread) thresholds() (all [][]float64) {
	if len(u.Confidence) == 1 {
		return singleJudgeSteps(u.Confidence[0])
	}
	all = make([][]float64, unreadSteps)
	labelled := u.labelled()
	for j, confidence := range u.Confidence {
		var sorted []float64
		for i, c := range confidence {
			if !math.IsNaN(c) && c != NotAsked && (j == 0 || !u.Sampled || labelled[i]) {
				sorted = append(sorted, c)
			}
		}
		slices.Sort(sorted)
		for step := range all {
			threshold := -math.MaxFloat64
			if last := len(sorted) - 1 - len(sorted)*(step+1)/unreadSteps; last >= 0 {
				threshold = math.Nextafter(sorted[last], math.Inf(1))
			}
			all[step] = append(all[step], threshold)
		}
	}
	return all
}

// singleJudgeSteps returns the thresholds of the steps for one judge.
func singleJudgeSteps(confidence []float64) (all [][]float64) {
	sorted := slices.Sorted(slices.Values(confidence))
	values := slices.Compact(slices.Clone(sorted))
	if len(values) > unreadSteps {
		values = values[:0]
		for step := range unreadSteps {
			values = append(values, sorted[(len(sorted)-1)*step/unreadSteps])
		}
		values = slices.Compact(values)
	}
	for _, v := range slices.Backward(values) {
		all = append(all, []float64{v})
	}
	return all
}

// randomSampleP returns the p-value for the hypothesis that the labels are a random sample of the items: the smallest two-sided
// hypergeometric p-value of all steps but the last, multiplied by their number.
func randomSampleP(steps []Step, items, labelled int) float64 {
	smallest := 1.0
	for _, s := range steps[:max(0, len(steps)-1)] {
		below := hypergeometric(s.Labelled, items, s.Pool, labelled)
		above := 1 - hypergeometric(s.Labelled-1, items, s.Pool, labelled)
		smallest = min(smallest, 2*min(below, above)*float64(len(steps)-1))
	}
	return smallest
}

// LeastUnread returns the smallest number m of labels that show a share of errors below alpha with a certainty of 1-delta if all of them
// are right: (1-alpha)^m ≤ delta.
func LeastUnread(alpha, delta float64) int {
	m := 1
	for math.Pow(1-alpha, float64(m)) > delta {
		m++
	}
	return m
}

// EnoughUnread returns the number of labels that suffice for a step to hold with a probability of 80 %, if wrong is the true share of
// errors. wrong must be below alpha. The level of the test is taken as delta/3, which is about that of ten steps tested together.
func EnoughUnread(alpha, delta, wrong float64) int {
	for m := LeastUnread(alpha, delta/3); ; m++ {
		if floats.Sum(binomial(mostWrong(delta/3, m, alpha), m, wrong)) >= .8 {
			return m
		}
	}
}

// Further returns the number of additional random labels with which a step of an answer holds with a probability of about one half, if the
// share wrong of them is wrong. It returns 0 if fewer than most labels are not enough.
func (u Unread) Further(a UnreadAnswer, s Step, wrong float64, most int) int {
	for n := 1; n < most; n += 1 + n/20 {
		grown := s
		more := n * s.Pool / len(u.items())
		grown.Labelled += more
		if u.OfAll {
			more = n
		}
		grown.Counted += more
		errors := min(more, mostWrong(.5, more, wrong)+1)
		if grown.Counted >= a.Least && u.P(s.Wrong+errors, grown) <= a.Level {
			return n
		}
	}
	return 0
}

// unreadLevel returns the largest level, between delta divided by the number of steps and delta, at which all steps can be tested at once
// so that any passing step can be used. m has the number of labels of each step, ascending.
//
// The worst case assumed is that alpha of the items are wrong at every step. Since each step has the labels of the steps before it, the
// numbers of errors are a random walk with independent binomial increments. The probability that the walk is anywhere at or below what the
// level allows is computed exactly, and is at most delta.
func unreadLevel(m []int, alpha, delta float64) float64 {
	low := delta / float64(len(m))
	high := delta
	most := max(0, mostWrong(high, m[len(m)-1], alpha))
	moves := make([][]float64, len(m)) // probabilities of 0, 1, … further errors, for each step
	below := make([][]float64, len(m)) // P(X ≤ 0), P(X ≤ 1), … up to the first above high, for each step
	before := 0
	for i, n := range m {
		moves[i], before = binomial(most, n-before, alpha), n
		below[i] = cumulated(high, n, alpha)
	}
	holds := func(level float64) bool {
		bounds := make([]int, len(m))
		for i := range m {
			bounds[i] = mostWithin(level, below[i])
		}
		return anywhere(moves, bounds) <= delta
	}
	if holds(high) {
		return high
	}
	for range 20 {
		if middle := (low + high) / 2; holds(middle) {
			low = middle
		} else {
			high = middle
		}
	}
	return low
}

// anywhere returns the probability that a walk is at or below its bound at some step. moves has, for each step, the probabilities of 0, 1,
// … further errors up to the largest bound.
func anywhere(moves [][]float64, bounds []int) float64 {
	walk := []float64{1}
	hit := 0.0
	for i, move := range moves {
		next := make([]float64, len(move))
		for k, p := range walk {
			for more, q := range move[:len(move)-k] {
				next[k+more] += p * q
			}
		}
		for k := range bounds[i] + 1 {
			hit += next[k]
			next[k] = 0
		}
		walk = next
	}
	return hit
}

// mostWrong returns the largest c with P(X ≤ c) ≤ level for a binomial X with n and p, or -1 if there is none.
func mostWrong(level float64, n int, p float64) int { return mostWithin(level, cumulated(level, n, p)) }

// cumulated returns P(X ≤ 0), P(X ≤ 1), … for a binomial X with n and p, up to the first value above level.
func cumulated(level float64, n int, p float64) (all []float64) {
	sum := 0.0
	for c := 0; c <= n && sum <= level; c++ {
		sum += distuv.Binomial{N: float64(n), P: p}.Prob(float64(c))
		all = append(all, sum)
	}
	return all
}

// mostWithin returns the largest c whose cumulated probability is at most level, or -1 if there is none.
func mostWithin(level float64, cumulated []float64) int {
	for c, p := range cumulated {
		if p > level {
			return c - 1
		}
	}
	return len(cumulated) - 1
}

// binomial returns the probabilities of 0, 1, … most successes in n trials, each with probability p in (0, 1).
func binomial(most, n int, p float64) []float64 {
	all := make([]float64, most+1)
	for k := range all {
		all[k] = distuv.Binomial{N: float64(n), P: p}.Prob(float64(k))
	}
	return all
}

// hypergeometric returns the probability of at most k marked items among random draws from a population in which some items are marked. It
// returns 0 if marked is more than population, which is impossible.
func hypergeometric(k, population, marked, draws int) float64 {
	x := max(0, draws-(population-marked))
	if marked > population || x > k {
		return 0
	}
	choose := func(n, k int) float64 { return combin.LogGeneralizedBinomial(float64(n), float64(k)) }
	log := choose(marked, x) + choose(population-marked, draws-x) - choose(population, draws)
	sum := math.Exp(log)
	for ; x < min(k, draws, marked); x++ {
		log += math.Log(float64(marked-x) * float64(draws-x) / (float64(x+1) * float64(population-marked-draws+x+1)))
		sum += math.Exp(log)
	}
	return min(1, sum)
}
