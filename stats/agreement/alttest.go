package agreement

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"compqa/stats"
)

// AltScoring is how a label is scored against the labels of the other annotators.
type AltScoring int

const (
	// Accuracy is the share of the others' labels that are the same.
	Accuracy AltScoring = iota
	// NegRMSE is minus the root mean square difference from the others' labels.
	NegRMSE
)

// AltTestOptions are the options of the alternative-annotator test. The zero value is
// what its authors recommend.
type AltTestOptions struct {
	Scoring       AltScoring
	Clusters      []int // question of each item; nil means independent items
	MinAnnotators int   // annotators that must be testable; 0 means 3
	MinItems      int   // items an annotator must share with another and the judge; 0 means 30
}

// altRate is the false discovery rate over annotators (Benjamini and Yekutieli).
const altRate = 0.05

// AltTestResult reports whether a judge can replace an annotator.
type AltTestResult struct {
	Advantage  float64        // ρ in [0, 1]: mean share of items on which the judge is at least as close to the others as the annotator
	TieRate    float64        // mean share of items on which both are as close; 1 is ρ = 1 without any merit
	Annotators []AltAnnotator // those tested
}

// AltAnnotator is the comparison of the judge with one annotator.
type AltAnnotator struct {
	Annotator          int // index in the argument
	Items, Clusters    int
	Advantage, TieRate float64
	Difference         float64 // share of items the annotator wins less the judge's, in [-1, 1]

	se       float64 // of Difference; 0 if it has none
	constant bool    // no item differs from another
}

// AltVerdict is the outcome of the test for one epsilon. The slices run in
// parallel with AltTestResult.Annotators.
type AltVerdict struct {
	WinningRate float64   // ω in [0, 1]: share of annotators the judge may replace
	Passes      bool      // ω is at least one half
	P           []float64 // NaN where there is no variation and nothing to decide by: that cannot win
	Wins        []bool
}

// NotEnoughDataError says that there are too few annotators or items for the
// alternative-annotator test. It wraps ErrUndefined.
type NotEnoughDataError struct {
	Testable, NeedAnnotators int // annotators with enough items, and how many it takes
	MostItems, NeedItems     int // items of the best covered annotator, and how many it takes
}

func (e *NotEnoughDataError) Error() string {
	return fmt.Sprintf("%v: not enough data: %d annotators share at least %d items (the most is %d), %d are needed",
		stats.ErrUndefined, e.Testable, e.NeedItems, e.MostItems, e.NeedAnnotators)
}

func (e *NotEnoughDataError) Unwrap() error { return stats.ErrUndefined }

// AltTest asks, annotator by annotator, whether the judge's labels are as close
// to the other annotators' as the left-out annotator's own. All raters are
// given over the same items, in the same order. On an item that at least
// two people and the judge labelled, with S the score of a label against
// the remaining people's labels,
//
//	W_judge = [S_judge >= S_j],  W_j = [S_j >= S_judge]     a tie counts for both
//	d = W_j - W_judge
//
//	ρ = mean over annotators of the mean of W_judge
//
// See At for the test. Scores are compared exactly, because both sides use the same operations.
// The error is *NotEnoughDataError for fewer testable annotators than MinAnnotators.
//
// Calderon, Reichart and Dror 2025 (arXiv:2501.10970).
func AltTest(judge Rater, humans []Rater, o AltTestOptions) (AltTestResult, error) {
	var result AltTestResult
	short := NotEnoughDataError{NeedAnnotators: o.MinAnnotators, NeedItems: o.MinItems}
	if o.MinAnnotators == 0 {
		short.NeedAnnotators = 3
	}
	if o.MinItems == 0 {
		short.NeedItems = 30
	}
	// A table of ratings checks lengths and values.
	if _, err := NewRatings(append([]Rater{judge}, humans...)...); err != nil {
		return result, fmt.Errorf("alternative-annotator test: %w", err)
	}
	if _, err := stats.NewGrouping(o.Clusters, len(judge.Values)); err != nil {
		return result, fmt.Errorf("alternative-annotator test: %w", err)
	}
	for j := range humans {
		a := o.leaveOut(j, judge, humans)
		short.MostItems = max(short.MostItems, a.Items)
		if a.Items >= short.NeedItems {
			result.Annotators = append(result.Annotators, a)
		}
	}
	if short.Testable = len(result.Annotators); short.Testable < short.NeedAnnotators {
		return result, fmt.Errorf("alternative-annotator test: %w", &short)
	}
	for _, a := range result.Annotators {
		result.Advantage += a.Advantage / float64(short.Testable)
		result.TieRate += a.TieRate / float64(short.Testable)
	}
	return result, nil
}

// rated reports whether the rater has a value for an item.
func (r Rater) rated(item int) bool { return r.Missing == nil || !r.Missing[item] }

// leaveOut compares annotator j with the judge on the items of both that another person labelled.
func (o AltTestOptions) leaveOut(j int, judge Rater, humans []Rater) AltAnnotator {
	a := AltAnnotator{Annotator: j}
	var d, others []float64
	var clusters []int
	ties := 0
	for item := range judge.Values {
		others = others[:0]
		for h, human := range humans {
			if h != j && human.rated(item) {
				others = append(others, human.Values[item])
			}
		}
		if len(others) == 0 || !humans[j].rated(item) || !judge.rated(item) {
			continue
		}
		own, its := o.Scoring.score(humans[j].Values[item], others), o.Scoring.score(judge.Values[item], others)
		switch {
		case its > own:
			a.Advantage++
			d = append(d, -1)
		case its == own:
			a.Advantage++
			ties++
			d = append(d, 0)
		default:
			d = append(d, 1)
		}
		if o.Clusters != nil {
			clusters = append(clusters, o.Clusters[item])
		}
	}
	if a.Items = len(d); a.Items == 0 {
		return a
	}
	a.Advantage, a.TieRate = a.Advantage/float64(a.Items), float64(ties)/float64(a.Items)
	se, err := stats.StandardErrors(d, clusters)
	a.Difference, a.Clusters = se.Mean, se.Clusters
	a.constant = se.Clusters > 1 && slices.Min(d) == slices.Max(d)
	if err == nil && se.CR1 > 1e-13 {
		a.se = se.CR1
	}
	return a
}

// score returns how close a label is to the others', the larger the closer.
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

// p is the one-sided p-value of a mean below epsilon.
func (a AltAnnotator) p(epsilon float64) (float64, error) {
	switch {
	case a.se > 0:
		return stats.StudentTCDF((a.Difference-epsilon)/a.se, float64(a.Clusters-1))
	case a.constant && a.Difference < epsilon:
		return 0, nil
	case a.constant && a.Difference > epsilon:
		return 1, nil
	}
	return math.NaN(), nil
}

// At is the outcome for an epsilon: what replacing a person by the judge may cost in the share of
// items won, as people are paid and the judge is nearly free: 0.2 against experts, 0.15 against
// skilled annotators, 0.1 against a crowd. It is a policy, so that all are reported.
//
// The judge may replace an annotator if the mean of d is below ε by a one-sided t-test, at false
// discovery rate 0.05 over annotators. With Clusters the standard error is CR1 and the degrees of
// freedom are G-1: items of one question are not independent, and the plain test says yes too often.
// If d never varies, its mean decides: p is 0 below ε, 1 above, and undefined at ε.
//
//	ω = share of annotators won;  the judge passes at ω >= 1/2
func (r AltTestResult) At(epsilon float64) (v AltVerdict, err error) {
	defined := make([]float64, len(r.Annotators))
	for i, a := range r.Annotators {
		p, failed := a.p(epsilon)
		err = errors.Join(err, failed)
		v.P = append(v.P, p)
		if defined[i] = p; math.IsNaN(p) {
			defined[i] = 1
		}
	}
	adjusted, failed := stats.BenjaminiYekutieli(defined)
	if err = errors.Join(err, failed); err != nil {
		return v, fmt.Errorf("alternative-annotator test at ε=%v: %w", epsilon, err)
	}
	won := 0.0
	for _, p := range adjusted {
		v.Wins = append(v.Wins, p <= altRate)
		if p <= altRate {
			won++
		}
	}
	v.WinningRate = won / float64(len(adjusted))
	v.Passes = v.WinningRate >= 0.5
	return v, nil
}
