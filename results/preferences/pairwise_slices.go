package preferences

import (
	"errors"
	"math"
	"slices"

	"compqa/data"
	"compqa/results/dataset"
	"compqa/results/store"
	"compqa/results/table"
	"compqa/stats"
	"compqa/stats/ranking"
)

// A PairwiseSliceRow is a judge's accuracy on a part of a set; each order is an
// observation. The parts are pairs whose better answer is longer, or is not (Con-J,
// Table 12), and domains. The length-controlled accuracy is the expected accuracy for
// answers of equal length.
type PairwiseSliceRow struct {
	Judge    string       `csv:"judge"`
	Method   string       `csv:"method"`
	Dataset  string       `csv:"dataset"`
	Slice    string       `csv:"slice"` // chosen, domain, length
	Item     string       `csv:"item"`  // longer, not longer; the domain; controlled
	N        int          `csv:"n"`
	Accuracy table.Figure `csv:"accuracy"`
	Low      table.Figure `csv:"accuracy_low"`
	High     table.Figure `csv:"accuracy_high"`
	Slope    table.Figure `csv:"length_slope"` // length-controlled: log-odds of a correct choice per unit of relative length
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
		pair := &b.Pairs[j.pair]
		if !pair.Label.Decided() {
			continue
		}
		better, other := pair.WordsA, pair.WordsB
		if pair.Label == data.ChoiceB {
			better, other = other, better
		}
		length := float64(better-other) / math.Max(1, float64(better+other))
		for _, p := range []*store.PreferenceRow{j.ab, j.ba} {
			if valid(p) {
				list = append(list, observed{p.Choice == pair.Label, length, j.pair})
			}
		}
	}
	return list
}

func (b *preferenceBoard) slices() []PairwiseSliceRow {
	var rows []PairwiseSliceRow
	for _, set := range b.setRanges() {
		for j, judge := range b.Judges {
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
		right[i], length[i], clusters[i] = o.right, o.length, b.Pairs[o.pair].Cluster
	}
	controlled.N = len(of)
	s, err := ranking.ShareAtZero(right, length, clusters, dataset.Confidence)
	if err != nil && !errors.Is(err, stats.ErrUndefined) {
		b.Value(0, err)
	}
	if err == nil {
		controlled.Accuracy, controlled.Low, controlled.High, controlled.Slope = table.Number(s.Value), table.Number(s.Low), table.Number(s.High), table.Number(s.Slope)
	}
	return []PairwiseSliceRow{longer, not, controlled}
}

func (b *preferenceBoard) domainSlices(base PairwiseSliceRow, of []observed) []PairwiseSliceRow {
	var domains []string
	for _, o := range of {
		if d := b.Pairs[o.pair].Domain; d != "" && !slices.Contains(domains, d) {
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
		b.fillSlice(&r, of, func(o observed) bool { return b.Pairs[o.pair].Domain == d })
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
			right, clusters = append(right, value), append(clusters, b.Pairs[o.pair].Cluster)
		}
	}
	r.N = len(right)
	r.Accuracy, r.Low, r.High = b.share(right, clusters)
}
