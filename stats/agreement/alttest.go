package agreement

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"compqa/stats"
)

// An AltScoring says how a label is scored against the labels of the other annotators.
type AltScoring int

const (
	// Accuracy is the share of the others' labels that are the same.
	Accuracy AltScoring = iota
	// NegRMSE is minus the root mean square difference from the others' labels.
	NegRMSE
)

// AltTestOptions are the options of the alternative-annotator test. The zero value has the recommendations of its authors.
type AltTestOptions struct {
	// Epsilon is the share of items won that one gives up for replacing a person by the judge, since people are paid and the judge is
	// nearly free. The authors suggest 0.2 for experts, 0.15 for skilled annotators, 0.1 for a crowd. It is a matter of policy, so all
	// values are reported; nil means these three.
	Epsilon       []float64
	Scoring       AltScoring
	FDR           float64 // level of Benjamini and Yekutieli's adjustment over annotators; 0 means 0.05
	MinAnnotators int     // number of annotators that must be testable; 0 means 3
	MinItems      int     // number of items that an annotator must share with another and the judge; 0 means 30
	MinHumans     int     // number of people who must have labelled an item, at least 2; 0 means 2
	Clusters      []int   // question of each item; nil means independent items
}

// An AltTestResult says whether a judge can replace an annotator.
type AltTestResult struct {
	Advantage  float64        // ρ in [0, 1]: mean share of items on which the judge is at least as close to the others as the annotator
	TieRate    float64        // mean share of items on which both are equally close; if it is 1, ρ is 1 without any merit of the judge
	Annotators []AltAnnotator // the annotators that were tested
	Skipped    []int          // indices of annotators with fewer than MinItems items
	Verdicts   []AltVerdict   // one for each epsilon, in the given order
}

// An AltAnnotator is the comparison of the judge with one annotator.
type AltAnnotator struct {
	Annotator          int // index in the list of people
	Items, Clusters    int
	Advantage, TieRate float64
	Difference         float64 // share of items that the annotator wins minus the share that the judge wins, in [-1, 1]
}

// An AltVerdict is the result of the test for one epsilon. The slices have an entry for each of AltTestResult.Annotators.
type AltVerdict struct {
	Epsilon     float64
	WinningRate float64 // ω in [0, 1]: share of annotators that the judge may replace
	Passes      bool    // ω is at least one half
	P           []float64
	Undefined   []bool // d has no standard error, and its mean does not decide: P is 1
	Wins        []bool
}

// A NotEnoughDataError means that there are too few annotators or items for the alternative-annotator test. It wraps ErrUndefined.
type NotEnoughDataError struct {
	Testable, NeedAnnotators int // annotators with enough items, and how many are needed
	MostItems, NeedItems     int // items of the annotator with most items, and how many are needed
}

func (e *NotEnoughDataError) Error() string {
	return fmt.Sprintf("%v: not enough data: %d annotators share at least %d items (the most is %d), %d are needed",
		stats.ErrUndefined, e.Testable, e.NeedItems, e.MostItems, e.NeedAnnotators)
}

func (e *NotEnoughDataError) Unwrap() error { return stats.ErrUndefined }

// AltTest tests for each annotator whether the judge's labels are as close to the labels of the other annotators as this annotator's labels
// are. All raters have the same items in the same order. It uses the items that the judge and at least MinHumans people labelled. With S
// the score of a label against the labels of the remaining people,
//
//	W_judge = [S_judge >= S_j],  W_j = [S_j >= S_judge]     a tie counts for both
//	d = W_j - W_judge
//
// the judge may replace annotator j if the mean of d is below ε by a one-sided t-test, at false discovery rate FDR over annotators
// (Benjamini and Yekutieli). With Clusters, the standard error is CR1 and the degrees of freedom are G-1. Items of one question are not
// independent, and a test that ignores this passes too often.
//
//	ω = share of annotators won;  the judge passes at ω >= 1/2
//	ρ = mean over annotators of the mean of W_judge
//
// If d does not vary, its mean decides instead of the t-test: p is 0 below ε, 1 above, and undefined at ε. Scores are compared exactly,
// because both sides use the same operations. If fewer than MinAnnotators annotators are testable, the error is a *NotEnoughDataError.
// Exact.
//
// Calderon, Reichart and Dror 2025 (arXiv:2501.10970).
func AltTest(judge Rater, humans []Rater, o AltTestOptions) (result AltTestResult, err error) {
	defer stats.Wrap("alternative-annotator test", &err)
	if o.Epsilon == nil {
		o.Epsilon = []float64{0.1, 0.15, 0.2}
	}
	o.FDR = cmp.Or(o.FDR, 0.05)
	o.MinAnnotators = cmp.Or(o.MinAnnotators, 3)
	o.MinItems = cmp.Or(o.MinItems, 30)
	o.MinHumans = cmp.Or(o.MinHumans, 2)
	if err := o.check(judge, humans); err != nil {
		return result, err
	}
	eligible := o.eligibleItems(judge, humans)
	var tests []altStatistic
	short := NotEnoughDataError{NeedAnnotators: o.MinAnnotators, NeedItems: o.MinItems}
	for j := range humans {
		a, d, clusters := o.leaveOut(j, judge, humans, eligible)
		short.MostItems = max(short.MostItems, a.Items)
		if a.Items < o.MinItems {
			result.Skipped = append(result.Skipped, j)
			continue
		}
		test := newAltStatistic(d, clusters)
		a.Difference = test.mean
		a.Clusters = test.clusters
		result.Annotators = append(result.Annotators, a)
		tests = append(tests, test)
	}
	short.Testable = len(tests)
	if len(tests) < o.MinAnnotators {
		return result, &short
	}
	for _, a := range result.Annotators {
		result.Advantage += a.Advantage / float64(len(tests))
		result.TieRate += a.TieRate / float64(len(tests))
	}
	for _, epsilon := range o.Epsilon {
		v, err := o.verdict(epsilon, tests)
		if err != nil {
			return result, fmt.Errorf("at ε=%v: %w", epsilon, err)
		}
		result.Verdicts = append(result.Verdicts, v)
	}
	return result, nil
}

// check returns an error if an option is out of range, or if raters have different numbers of items.
func (o AltTestOptions) check(judge Rater, humans []Rater) error {
	if o.MinHumans < 2 || o.MinItems < 1 || o.MinAnnotators < 1 || !(o.FDR > 0 && o.FDR < 1) {
		return fmt.Errorf("%w: at least 2 people an item, 1 item, 1 annotator, and a rate in (0, 1)", stats.ErrInvalidValue)
	}
	for _, epsilon := range o.Epsilon {
		if !(epsilon >= 0 && epsilon < 1) {
			return fmt.Errorf("%w: ε is %v: want it in [0, 1)", stats.ErrInvalidValue, epsilon)
		}
	}
	n := len(judge.Values)
	if o.Clusters != nil && len(o.Clusters) != n {
		return fmt.Errorf("clusters: %w", stats.CheckLengths(len(o.Clusters), n))
	}
	return checkRaters(append([]Rater{judge}, humans...), n)
}

// eligibleItems returns the indices of the items that the judge and at least MinHumans people labelled.
func (o AltTestOptions) eligibleItems(judge Rater, humans []Rater) []int {
	var items []int
	for item := range judge.Values {
		people := 0
		for _, h := range humans {
			if h.rated(item) {
				people++
			}
		}
		if people >= o.MinHumans && judge.rated(item) {
			items = append(items, item)
		}
	}
	return items
}

// leaveOut compares annotator j with the judge on the items that both labelled. It returns d of each item, and its cluster (nil without
// clusters).
func (o AltTestOptions) leaveOut(j int, judge Rater, humans []Rater, eligible []int) (a AltAnnotator, d []float64, clusters []int) {
	a.Annotator = j
	d = make([]float64, 0, len(eligible))
	if o.Clusters != nil {
		clusters = make([]int, 0, len(eligible))
	}
	var others []float64
	for _, item := range eligible {
		if !humans[j].rated(item) {
			continue
		}
		others = others[:0]
		for h, human := range humans {
			if h != j && human.rated(item) {
				others = append(others, human.Values[item])
			}
		}
		person := o.Scoring.score(humans[j].Values[item], others)
		its := o.Scoring.score(judge.Values[item], others)
		d = append(d, float64(cmp.Compare(person, its)))
		if o.Clusters != nil {
			clusters = append(clusters, o.Clusters[item])
		}
	}
	a.Items = len(d)
	for _, difference := range d {
		if difference <= 0 {
			a.Advantage++
		}
		if difference == 0 {
			a.TieRate++
		}
	}
	n := float64(max(1, a.Items))
	a.Advantage = a.Advantage / n
	a.TieRate = a.TieRate / n
	return a, d, clusters
}

// score returns how close a label is to the other labels; larger is closer.
func (s AltScoring) score(label float64, others []float64) float64 {
	var sum float64
	for _, other := range others {
		switch {
		case s == NegRMSE:
			sum += float64((label - other) * (label - other))
		case label == other:
			sum++
		}
	}
	if s == NegRMSE {
		return -math.Sqrt(sum / float64(len(others)))
	}
	return sum / float64(len(others))
}

// An altStatistic holds the parts of one annotator's t-test that do not depend on ε.
type altStatistic struct {
	mean, se, df float64
	clusters     int
	constant     bool // d does not vary
}

// newAltStatistic computes the parts of the t-test from d. se is 0 if d has no standard error.
func newAltStatistic(d []float64, clusters []int) altStatistic {
	se, err := stats.StandardErrors(d, clusters)
	s := altStatistic{mean: se.Mean, clusters: se.Clusters, constant: se.Clusters > 1 && slices.Min(d) == slices.Max(d)}
	if err == nil && se.CR1 > 1e-13 {
		s.se = se.CR1
		s.df = float64(se.Clusters - 1)
	}
	return s
}

// verdict tests all annotators at one epsilon and adjusts their p-values. Without a standard error, the mean of d decides.
func (o AltTestOptions) verdict(epsilon float64, tests []altStatistic) (v AltVerdict, err error) {
	v.Epsilon = epsilon
	for _, s := range tests {
		p := 1.0
		defined := true
		switch {
		case s.se > 0:
			p, err = stats.StudentTSurvival((epsilon-s.mean)/s.se, s.df)
			if err != nil {
				return v, err
			}
		case s.constant && s.mean < epsilon:
			p = 0
		default:
			defined = s.constant && s.mean > epsilon
		}
		v.P = append(v.P, p)
		v.Undefined = append(v.Undefined, !defined)
	}
	adjusted, err := stats.BenjaminiYekutieli(v.P)
	won := 0
	for _, p := range adjusted {
		v.Wins = append(v.Wins, p <= o.FDR)
		if p <= o.FDR {
			won++
		}
	}
	v.WinningRate = float64(won) / float64(len(tests))
	v.Passes = v.WinningRate >= 0.5
	return v, err
}
