package stats

import (
	"errors"
	"fmt"
)

// StrengthBootstrap is the distribution of Bradley–Terry strengths over
// resamples of questions.
type StrengthBootstrap struct {
	Log        []Distribution // of each item's log strength, measured from the mean of all
	Best       []float64      // share of resamples in which the item is the strongest; sums to 1, ties shared
	Resamples  int
	Degenerate int // resamples whose wins did not connect the items
}

// BootstrapBradleyTerry refits BradleyTerry to resamples of the questions
// (Match.Cluster), each with all of its matches: both orders, repeats and other
// pairs of one question are not fresh evidence, and rows resampled on their own
// give intervals that are too narrow. More than 1 % of degenerate resamples is
// ErrDegenerate, without intervals: Strengths.Interval is there then. Errors of
// the fit to all matches are returned as they are. One core, B·(matches + K³).
//
// Efron and Tibshirani 1993, section 8; the resampled unit is the question.
func BootstrapBradleyTerry(items int, matches []Match, o Resampling) (StrengthBootstrap, error) {
	full, err := BradleyTerry(items, matches)
	if err != nil {
		return StrengthBootstrap{}, err
	}
	labels := make([]int, len(matches))
	for i, m := range matches {
		labels[i] = m.Cluster
	}
	g, err := group(labels, len(matches))
	if err != nil {
		return StrengthBootstrap{}, fmt.Errorf("bootstrap of strengths: %w", err)
	}
	members := g.members()
	replicates := make([][]float64, items)
	best := make([]float64, items)
	o, err = o.each(g.count(), func(drawn []int) error {
		table := newMatchTable(items)
		for _, c := range drawn {
			for _, m := range members[c] {
				table.add(matches[m], 1)
			}
		}
		x, err := table.tiesAsHalves().fit(full.Log)
		if errors.Is(err, ErrUndefined) {
			return nil
		}
		if err != nil {
			return err
		}
		shareBest(best, x)
		for i, v := range x {
			replicates[i] = append(replicates[i], v)
		}
		return nil
	})
	if err != nil {
		return StrengthBootstrap{}, fmt.Errorf("bootstrap of strengths: %w", err)
	}
	result := StrengthBootstrap{Resamples: o.Resamples, Degenerate: o.Resamples - len(replicates[0])}
	for i := range items {
		d, err := o.summarise(replicates[i], g.count())
		if err != nil {
			return result, fmt.Errorf("strength of item %d: %w", i, err)
		}
		result.Log = append(result.Log, d)
		best[i] /= float64(o.Resamples - result.Degenerate)
	}
	result.Best = best
	return result, nil
}

// shareBest gives one point to the largest strength, or equal parts to those
// that tie for it.
func shareBest(points, strengths []float64) {
	var first []int
	for i, v := range strengths {
		switch {
		case len(first) == 0 || v > strengths[first[0]]:
			first = append(first[:0], i)
		case v == strengths[first[0]]:
			first = append(first, i)
		}
	}
	for _, i := range first {
		points[i] += 1 / float64(len(first))
	}
}
