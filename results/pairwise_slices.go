package results

import (
	"errors"
	"math"
	"slices"

	"compqa/data"
	"compqa/stats"
)

// A PairwiseSliceRow is a judge's accuracy on a part of a set, each order being
// an observation: where the answer that people prefer is the longer one and
// where it is not (Con-J's Table 12), by domain, and length-controlled, which is
// the accuracy to be expected between answers of one length.
type PairwiseSliceRow struct {
	Judge    string `csv:"judge"`
	Method   string `csv:"method"`
	Dataset  string `csv:"dataset"`
	Slice    string `csv:"slice"` // chosen, domain, length
	Item     string `csv:"item"`  // longer, not longer; the domain; controlled
	N        int    `csv:"n"`
	Accuracy Figure `csv:"accuracy"`
	Low      Figure `csv:"accuracy_low"`
	High     Figure `csv:"accuracy_high"`
	Slope    Figure `csv:"length_slope"` // length controlled: log-odds of being right per unit of relative length
}

// An observed is a valid preference on a pair with a known better answer.
type observed struct {
	right  bool
	length float64 // of the better answer less the other's, over their sum, in [-1, 1]
	pair   int
}

func (b *preferenceBoard) observedOf(judge, set int) []observed {
	var list []observed
	for _, j := range b.of(judge, set) {
		pair := &b.pairs[j.pair]
		if !pair.label.Decided() {
			continue
		}
		better, other := pair.wordsA, pair.wordsB
		if pair.label == data.ChoiceB {
			better, other = other, better
		}
		length := float64(better-other) / math.Max(1, float64(better+other))
		for _, p := range []*preferenceRow{j.ab, j.ba} {
			if valid(p) {
				list = append(list, observed{p.choice == pair.label, length, j.pair})
			}
		}
	}
	return list
}

func (b *preferenceBoard) slices() []PairwiseSliceRow {
	var rows []PairwiseSliceRow
	for _, set := range b.setRanges() {
		for j, judge := range b.judges {
			of := b.observedOf(j, set)
			if judge.Hinted || len(of) == 0 {
				continue
			}
			base := PairwiseSliceRow{Judge: judge.Name, Method: judge.Method, Dataset: b.setName(set)}
			rows = append(rows, b.lengthSlices(base, of)...)
			rows = append(rows, b.domainSlices(base, of)...)
		}
	}
	return rows
}

func (b *preferenceBoard) lengthSlices(base PairwiseSliceRow, of []observed) []PairwiseSliceRow {
	longer, not, controlled := base, base, base
	longer.Slice, longer.Item = "chosen", "longer"
	not.Slice, not.Item = "chosen", "not longer"
	controlled.Slice, controlled.Item = "length", "controlled"
	b.fillSlice(&longer, of, func(o observed) bool { return o.length > 0 })
	b.fillSlice(&not, of, func(o observed) bool { return o.length <= 0 })
	right, length, clusters := make([]bool, len(of)), make([]float64, len(of)), make([]int, len(of))
	for i, o := range of {
		right[i], length[i], clusters[i] = o.right, o.length, b.pairs[o.pair].cluster
	}
	controlled.N = len(of)
	s, err := stats.ShareAtZero(right, length, clusters, confidence)
	if err != nil && !errors.Is(err, stats.ErrUndefined) {
		b.value(0, err)
	}
	if err == nil {
		controlled.Accuracy, controlled.Low, controlled.High, controlled.Slope = figure(s.Value), figure(s.Low), figure(s.High), figure(s.Slope)
	}
	return []PairwiseSliceRow{longer, not, controlled}
}

func (b *preferenceBoard) domainSlices(base PairwiseSliceRow, of []observed) []PairwiseSliceRow {
	var domains []string
	for _, o := range of {
		if d := b.pairs[o.pair].domain; d != "" && !slices.Contains(domains, d) {
			domains = append(domains, d)
		}
	}
	if len(domains) < 2 {
		return nil
	}
	slices.Sort(domains)
	var rows []PairwiseSliceRow
	for _, d := range domains {
		r := base
		r.Slice, r.Item = "domain", d
		b.fillSlice(&r, of, func(o observed) bool { return b.pairs[o.pair].domain == d })
		rows = append(rows, r)
	}
	return rows
}

func (b *preferenceBoard) fillSlice(r *PairwiseSliceRow, of []observed, in func(observed) bool) {
	var right []float64
	var clusters []int
	for _, o := range of {
		if in(o) {
			value := 0.0
			if o.right {
				value = 1
			}
			right, clusters = append(right, value), append(clusters, b.pairs[o.pair].cluster)
		}
	}
	r.N = len(right)
	r.Accuracy, r.Low, r.High = b.proportion(right, clusters)
}
