package labels

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat/combin"
	"gonum.org/v1/gonum/stat/distuv"

	"compqa/stats"
)

// An Unread asks which verdicts of judges may stand unread: those of which their judge is sure enough, so that a person would differ from
// at most a share Alpha of those that nobody labelled. The answer is wrong with a probability of at most Delta, if the labelled items are a
// random sample of all items, or of known chances. Confidences need an order and nothing else.
//
// The question is that of Jung, Brahman and Choi ("Trust or Escalate", ICLR 2025, arXiv 2407.18370). What differs: they test thresholds
// from the top down and stop at the first that fails. Here all thresholds are tested at once at one level, and there may be no answer.
// They test a stream (binomial); here the items have an end (hypergeometric), unless Stream, Clusters or Chances are given. Thresholds
// never depend on labels. They test each judge of a cascade alone; here one test is about all that any judge decides.
//
// That a risk of Alpha at every threshold is the worst case for the level is not proved; the profiles of risk of TestSoakUnreadGuarantee
// show no worse one.
type Unread struct {
	Confidence [][]float64 // of each judge, the cheapest first, in each item; NaN: it has none, NotAsked: it was not asked yet
	Labelled   []int       // indexes of items that a person labelled, about which all judges were asked
	Wrong      [][]bool    // of each judge: whether the person differs, for each of Labelled
	Clusters   []int       // of each item; nil: every item is one of its own
	Chances    []float64   // with which each of Labelled was drawn, in (0, 1]; nil: all are equal
	Stream     bool        // the statement is on further items like these, without end
	OfAll      bool        // Alpha is the largest share of all items that may be both wrong and unread
	Sampled    bool        // judges after the first have thresholds from labelled items, because they are only asked about what is left
	Alpha      float64     // the largest share that may differ, in (0, 1)
	Delta      float64     // 1 minus the certainty, in (0, 1)
	Seed       uint64
}

// NotAsked is the confidence of a judge that was not asked about an item. No judge is less sure.
var NotAsked = math.Inf(-1)

// An UnreadAnswer is the answer to an Unread.
type UnreadAnswer struct {
	Steps   []Step  // that which leaves least unread first
	Widest  int     // the last of Steps that holds; -1: none does
	Pending int     // the step that would be Widest if the judges who were not asked yet are sure enough; -1: none
	Level   float64 // at which each step is tested
	Least   int     // labels without an error that a step needs
	Share   float64 // of the items that nobody labelled, those that stand unread at Widest, in [0, 1]; of a stream, of all items
	Used    []int   // indexes of Unread.Labelled: after thinning, and one of each cluster
	Odd     float64 // p-value that Used are a random sample by the first judge's confidences, adjusted for the number of steps
}

// A Step has a threshold for each judge: the first judge that is at least as sure as its threshold decides an item.
type Step struct {
	Judges   []Decided
	Labelled int     // used labels that a judge decides
	Wrong    int     // of these
	Counted  int     // the labels that Wrong is out of: Labelled or, with OfAll, all used ones
	Pool     int     // items that a judge decides, with labelled ones
	Unasked  int     // items that a judge who was not asked yet may decide
	P        float64 // as if unasked items were not decided
}

// A Decided is what a judge decides at a step.
type Decided struct {
	Threshold float64
	Least     float64 // the lowest confidence with which it decides; +Inf: it decides nothing
	Items     int     // with labelled ones
	Labelled  int     // used labels
	Wrong     int     // of these
}

// OddSample is the value of UnreadAnswer.Odd below which labels are not a random sample, so that nothing follows from them.
const OddSample = .01

// unreadSteps is the number of steps: equal shares of all confidences.
const unreadSteps = 10

// Answer computes the answer. With m labels that a step leaves unread, k of which are wrong, and M items there:
//
//	p = P(X ≤ k),  X hypergeometric: m draws of M items of which ⌊Alpha (M-m)⌋ + k + 1 are wrong
//	p = P(X ≤ k),  X binomial with m and Alpha, for a stream, chances and clusters
//	p = P(X ≤ k),  X binomial with all n used labels and Alpha, with OfAll
//
// The widest step with p at most the level (see unreadLevel), and with at least LeastUnread labels, is the answer. With OfAll steps are
// tested in their order, each at Delta, up to the first that fails (a fixed sequence). Labels with unequal chances π are each kept with
// the probability min(π)/π, then one label of each cluster, by the seed, before anything is counted.
func (u Unread) Answer() UnreadAnswer {
	s := UnreadAnswer{Widest: -1, Pending: -1, Level: u.Delta, Least: LeastUnread(u.Alpha, u.Delta), Odd: 1, Used: u.used()}
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
		s.Odd = odd(ofFirst, len(u.items()), len(s.Used))
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

// widest returns the last step that holds or, where items are unasked, may hold; -1: none does.
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

// mayHold reports whether a step has a p-value of at most a level for some number of the unasked items.
func (u Unread) mayHold(s Step, level float64) bool {
	if float64(s.Wrong) >= u.Alpha*float64(s.Labelled) {
		return false // as many are wrong as may be
	}
	for ; s.Unasked > 0; s.Unasked-- {
		s.Pool++
		if u.P(s.Wrong, s) <= level {
			return true
		}
	}
	return false
}

// steps returns a Step for each set of thresholds. A Step counts the used labels that the judges decide, and how many of these are wrong.
func (u Unread) steps(used []int) (steps []Step) {
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

// items returns the confidences of the first judge, one for each item.
func (u Unread) items() []float64 {
	if len(u.Confidence) == 0 {
		return nil
	}
	return u.Confidence[0]
}

// Decider returns the judge that decides an item at a step; -1: people do. If asked is false, this judge is to be asked first.
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

// ToAsk returns the items about which each judge is to be asked next: all labelled ones or, where these are done, what the judges before it
// leave at the pending step of an answer.
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

// labelsUnasked returns the labelled items about which each judge was not asked.
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

// P returns the p-value of a step if so many of its labels were wrong; see Answer. Unasked items count as undecided.
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

// labelled reports for each item whether it has a label.
func (u Unread) labelled() []bool {
	all := make([]bool, len(u.items()))
	for _, i := range u.Labelled {
		all[i] = true
	}
	return all
}

// share returns the share of unlabelled items, or of all items of a stream, that a step leaves unread.
func (u Unread) share(s Step) float64 {
	n := 0
	unread := 0
	for i, labelled := range u.labelled() {
		if !labelled || u.Stream {
			n++
			if judge, asked := u.Decider(s, i); judge >= 0 && asked {
				unread++
			}
		}
	}
	if n == 0 {
		return 0
	}
	return float64(unread) / float64(n)
}

// used returns the labels that count, after thinning and one of each cluster, in ascending order.
func (u Unread) used() (used []int) {
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

// thresholds returns the thresholds of all judges, by step. Of one judge they are the lowest confidences of the first tenth of all items,
// of two tenths, and so on; items with equal confidences stay together, and of at most ten different confidences all are thresholds. Of
// several judges, each is at least as sure as its threshold in at most a tenth, two tenths and so on of the items that it was asked about
// (of the labelled ones, if Sampled).
func (u Unread) thresholds() (all [][]float64) {
	if len(u.Confidence) == 1 {
		return single(u.Confidence[0])
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

// single returns the thresholds of one judge.
func single(confidence []float64) (all [][]float64) {
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

// odd returns the smallest two-sided hypergeometric p-value over steps but the last that n labels are a random sample of N items, times the
// number of these steps.
func odd(steps []Step, items, labelled int) float64 {
	smallest := 1.0
	for _, s := range steps[:max(0, len(steps)-1)] {
		below := hypergeometric(s.Labelled, items, s.Pool, labelled)
		above := 1 - hypergeometric(s.Labelled-1, items, s.Pool, labelled)
		smallest = min(smallest, 2*min(below, above)*float64(len(steps)-1))
	}
	return smallest
}

// LeastUnread is the smallest number of labels, all of them right, that show a share of errors below alpha with a certainty of 1-delta:
// (1-alpha)^m ≤ delta.
func LeastUnread(alpha, delta float64) int {
	m := 1
	for math.Pow(1-alpha, float64(m)) > delta {
		m++
	}
	return m
}

// EnoughUnread is the number of labels from a threshold on that are enough with a power of 80 %, where a share of errors is wrong, below
// alpha. The level of the test is delta/3, which is about that of ten thresholds together.
func EnoughUnread(alpha, delta, wrong float64) int {
	for m := LeastUnread(alpha, delta/3); ; m++ {
		if floats.Sum(binomial(mostWrong(delta/3, m, alpha), m, wrong)) >= .8 {
			return m
		}
	}
}

// Further is the number of labels more, drawn at random, with which a step of an answer holds with an even chance, where a share of them is
// wrong; 0: no number below most is enough.
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

// unreadLevel is the largest level, from delta divided by the number of steps to delta, at which all steps may be tested at once, whichever
// of those that pass is taken. Where alpha of the items are wrong at every step, errors up to each step are a walk of independent binomial
// numbers, since a step has the labels of those before it: the chance that the walk is anywhere at or below what the level allows is exact,
// and at most delta. m are the labels from each threshold on, ascending.
func unreadLevel(m []int, alpha, delta float64) float64 {
	low := delta / float64(len(m))
	high := delta
	most := max(0, mostWrong(high, m[len(m)-1], alpha))
	moves := make([][]float64, len(m)) // of the walk: 0, 1, … errors more
	below := make([][]float64, len(m)) // P(X ≤ 0), P(X ≤ 1), …, up to the first above high
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

// anywhere is the probability that a walk is at or below its bound at one step or more; moves are the probabilities of 0, 1, … errors
// more at each step, up to the largest bound.
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

// mostWrong returns the largest c with P(X ≤ c) ≤ level, X binomial with n and p; -1: none.
func mostWrong(level float64, n int, p float64) int { return mostWithin(level, cumulated(level, n, p)) }

// cumulated returns P(X ≤ 0), P(X ≤ 1), … up to the first above a level, or P(X ≤ n), X binomial with n and p.
func cumulated(level float64, n int, p float64) (all []float64) {
	sum := 0.0
	for c := 0; c <= n && sum <= level; c++ {
		sum += distuv.Binomial{N: float64(n), P: p}.Prob(float64(c))
		all = append(all, sum)
	}
	return all
}

// mostWithin returns the largest c of which the cumulated probability is at most a level; -1: none.
func mostWithin(level float64, cumulated []float64) int {
	for c, p := range cumulated {
		if p > level {
			return c - 1
		}
	}
	return len(cumulated) - 1
}

// binomial returns the probabilities of 0 … most successes of n, each with probability p in (0, 1).
func binomial(most, n int, p float64) []float64 {
	all := make([]float64, most+1)
	for k := range all {
		all[k] = distuv.Binomial{N: float64(n), P: p}.Prob(float64(k))
	}
	return all
}

// hypergeometric returns the probability of at most k marked items among draws from a population, of which some are marked; 0 if these are
// more than the population, which no labels can be drawn from.
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
