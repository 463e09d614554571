package labels

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat/combin"
	"gonum.org/v1/gonum/stat/distuv"

	"compqa/stats"
)

// An Unread asks which verdicts of a judge may stand unread: those with a confidence of at least some threshold, so that a person would
// differ from at most a share Alpha of those that nobody labelled. The answer is wrong with a probability of at most Delta, if the
// labelled items are a random sample of all items, or of known chances. Confidences need an order and nothing else.
//
// The question is that of Jung, Brahman and Choi ("Trust or Escalate", ICLR 2025, arXiv 2407.18370). What differs: they test thresholds
// from the top down and stop at the first that fails. Here all thresholds are tested at once at one level, and there may be no answer.
// They test a stream (binomial); here the items have an end (hypergeometric), unless Stream, Clusters or Chances are given. Thresholds
// never depend on labels.
//
// That a risk of Alpha at every threshold is the worst case for the level is not proved; the profiles of risk of TestSoakUnreadGuarantee
// show no worse one.
type Unread struct {
	Confidence []float64 // of each item with a verdict
	Labelled   []int     // indexes of items that a person labelled
	Wrong      []bool    // whether the person differs, for each of Labelled
	Clusters   []int     // of each item; nil: every item is one of its own
	Chances    []float64 // with which each of Labelled was drawn, in (0, 1]; nil: all are equal
	Stream     bool      // the statement is on further items like these, without end
	Alpha      float64   // the largest share that may differ, in (0, 1)
	Delta      float64   // 1 minus the certainty, in (0, 1)
	Seed       uint64
}

// An UnreadAnswer is the answer to an Unread.
type UnreadAnswer struct {
	Steps  []Step  // the highest threshold first
	Widest int     // the last of Steps that holds; -1: none does
	Level  float64 // at which each step is tested
	Least  int     // labels without an error that a step needs
	Share  float64 // of the items that nobody labelled, those from the threshold of Widest on, in [0, 1]; of a stream, of all items
	Used   []int   // indexes of Unread.Labelled: after thinning, and one of each cluster
	Odd    float64 // p-value that Used are a random sample by their confidences, adjusted for the number of steps
}

// A Step is a threshold, with what it leaves unread.
type Step struct {
	Threshold float64
	Labelled  int // used labels from the threshold on
	Wrong     int // of these
	Pool      int // items from the threshold on, with labelled ones
	P         float64
}

// OddSample is the value of UnreadAnswer.Odd below which labels are no random sample, so that nothing follows from them.
const OddSample = .01

// unreadSteps is the number of thresholds: equal shares of all confidences.
const unreadSteps = 10

// Answer computes the answer. With m labels from a threshold on, k of which are wrong, and M items there:
//
//	p = P(X ≤ k),  X hypergeometric: m draws of M items of which ⌊Alpha (M-m)⌋ + k + 1 are wrong
//	p = P(X ≤ k),  X binomial with m and Alpha, for a stream, chances and clusters
//
// The widest threshold with p at most the level (see unreadLevel), and with at least LeastUnread labels, is the answer. Labels with unequal
// chances π are each kept with the probability min(π)/π, then one label of each cluster, by the seed, before anything is counted.
func (u Unread) Answer() UnreadAnswer {
	s := UnreadAnswer{Widest: -1, Level: u.Delta, Least: LeastUnread(u.Alpha, u.Delta), Odd: 1, Used: u.used()}
	var enough []int // steps
	for _, threshold := range thresholds(u.Confidence) {
		step := Step{Threshold: threshold, P: 1}
		for _, c := range u.Confidence {
			if c >= threshold {
				step.Pool++
			}
		}
		for _, k := range s.Used {
			if u.Confidence[u.Labelled[k]] >= threshold {
				step.Labelled++
				if u.Wrong[k] {
					step.Wrong++
				}
			}
		}
		step.P = u.P(step.Wrong, step)
		if step.Labelled >= s.Least {
			enough = append(enough, len(s.Steps))
		}
		s.Steps = append(s.Steps, step)
	}
	if u.Chances == nil {
		s.Odd = odd(s.Steps, len(u.Confidence), len(s.Used))
	}
	if len(enough) == 0 {
		return s
	}
	counts := make([]int, len(enough))
	for i, k := range enough {
		counts[i] = s.Steps[k].Labelled
	}
	s.Level = unreadLevel(counts, u.Alpha, u.Delta)
	for _, k := range enough {
		if s.Steps[k].P <= s.Level {
			s.Widest = k
		}
	}
	if s.Odd < OddSample {
		s.Widest = -1
	}
	if s.Widest >= 0 {
		s.Share = u.share(s.Steps[s.Widest].Threshold)
	}
	return s
}

// P is the p-value of a step if so many of its labels were wrong; see Answer.
func (u Unread) P(wrong int, s Step) float64 {
	switch unlabelled := s.Pool - s.Labelled; {
	case u.Stream || u.Clusters != nil || u.Chances != nil:
		return min(1, floats.Sum(binomial(wrong, s.Labelled, u.Alpha)))
	case unlabelled > 0:
		marked := int(math.Floor(u.Alpha*float64(unlabelled)+1e-9)) + wrong + 1
		return hypergeometric(wrong, s.Pool, marked, s.Labelled)
	}
	return 1
}

// share is the share of unlabelled items, or of all items of a stream, with a confidence of at least a threshold.
func (u Unread) share(threshold float64) float64 {
	labelled := make([]bool, len(u.Confidence))
	for _, i := range u.Labelled {
		labelled[i] = !u.Stream
	}
	n, above := 0, 0
	for i, c := range u.Confidence {
		if !labelled[i] {
			n++
			if c >= threshold {
				above++
			}
		}
	}
	if n == 0 {
		return 0
	}
	return float64(above) / float64(n)
}

// used are the labels after thinning, one of each cluster, in ascending order.
func (u Unread) used() (used []int) {
	for k := range u.Labelled {
		used = append(used, k)
	}
	if u.Chances != nil && len(used) > 0 {
		rng, least := stats.NewRNG(u.Seed, "unread: thinning"), slices.Min(u.Chances)
		used = slices.DeleteFunc(used, func(k int) bool { return rng.Float64() >= least/u.Chances[k] })
	}
	if u.Clusters != nil {
		rng, taken := stats.NewRNG(u.Seed, "unread: one of a cluster"), map[int]bool{}
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

// thresholds are the lowest confidences of the first tenth of all items, of two tenths, and so on, the highest first; items with equal
// confidences stay together. Of at most ten different confidences all are thresholds.
func thresholds(confidence []float64) []float64 {
	sorted := slices.Sorted(slices.Values(confidence))
	all := slices.Compact(slices.Clone(sorted))
	if len(all) > unreadSteps {
		all = all[:0]
		for step := range unreadSteps {
			all = append(all, sorted[(len(sorted)-1)*step/unreadSteps])
		}
		all = slices.Compact(all)
	}
	slices.Reverse(all)
	return all
}

// odd is the smallest two-sided hypergeometric p-value over steps but the last that n labels are a random sample of N items, times the
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
	m := max(1, int(math.Log(delta)/math.Log1p(-alpha)))
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

// unreadLevel is the largest level, from delta divided by the number of steps to delta, at which all steps may be tested at once, whichever
// of those that pass is taken. Where alpha of the items are wrong at every step, errors up to each step are a walk of independent binomial
// numbers, since a step has the labels of those before it: the chance that the walk is anywhere at or below what the level allows is exact,
// and at most delta. m are the labels from each threshold on, ascending.
func unreadLevel(m []int, alpha, delta float64) float64 {
	low, high := delta/float64(len(m)), delta
	most := max(0, mostWrong(high, m[len(m)-1], alpha))
	moves := make([][]float64, len(m))   // of the walk: 0, 1, … errors more
	chances := make([][]float64, len(m)) // of at most 0, 1, … errors
	before := 0
	for i, n := range m {
		moves[i], before = binomial(most, n-before, alpha), n
		chances[i] = floats.CumSum(make([]float64, most+1), binomial(most, n, alpha))
	}
	holds := func(level float64) bool {
		bounds := make([]int, len(m))
		for i, chance := range chances {
			for bounds[i] = -1; bounds[i] < most && chance[bounds[i]+1] <= level; {
				bounds[i]++
			}
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
	walk, hit := []float64{1}, 0.0
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

// mostWrong is the largest c with P(X ≤ c) ≤ level, X binomial with n and p; -1: none.
func mostWrong(level float64, n int, p float64) int {
	sum := 0.0
	for c := range n + 1 {
		sum += distuv.Binomial{N: float64(n), P: p}.Prob(float64(c))
		if sum > level {
			return c - 1
		}
	}
	return n
}

// binomial are the probabilities of 0 … most successes of n, each with probability p in (0, 1).
func binomial(most, n int, p float64) []float64 {
	all := make([]float64, most+1)
	for k := range all {
		all[k] = distuv.Binomial{N: float64(n), P: p}.Prob(float64(k))
	}
	return all
}

// hypergeometric is the probability of at most k marked items among draws from a population, of which some are marked; 0 if these are
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
