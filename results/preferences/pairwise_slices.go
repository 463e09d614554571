package preferences

import (
	"maps"
	"math"
	"slices"

	"compqa/data"
	"compqa/results/dataset"
	"compqa/results/table"
	"compqa/stats/ranking"
)

// A PairwiseSliceRow is a judge's accuracy on a part of a set; each order is an
// observation. The parts are pairs whose better answer is longer, or is not (Con-J,
// Table 12), and domains. The length-controlled accuracy is the expected accuracy for
// answers of equal length.
type PairwiseSliceRow struct {
	JudgeOn
	Slice    string        `csv:"slice"` // chosen, domain, length
	Item     string        `csv:"item"`  // longer, not longer; the domain; controlled
	N        int           `csv:"n"`
	Accuracy table.Bounded `csv:"accuracy"`
	Slope    table.Figure  `csv:"length_slope"` // length-controlled: log-odds of a correct choice per unit of relative length
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
		length := float64(pair.WordsA-pair.WordsB) / math.Max(1, float64(pair.WordsA+pair.WordsB))
		if pair.Label == data.ChoiceB {
			length = -length
		}
		for _, p := range j.valid() {
			list = append(list, observed{p.Choice == pair.Label, length, j.pair})
		}
	}
	return list
}

func (b *preferenceBoard) slices() []PairwiseSliceRow {
	var rows []PairwiseSliceRow
	b.eachFair(func(judge, set int, on JudgeOn) {
		of := b.observedOf(judge, set)
		if len(of) == 0 {
			return
		}
		slice := func(name, item string, in func(observed) bool) {
			var right dataset.Sample
			for _, o := range of {
				if in(o) {
					right.Add(dataset.Indicator(o.right), b.Pairs[o.pair].Cluster)
				}
			}
			rows = append(rows, PairwiseSliceRow{JudgeOn: on, Slice: name, Item: item, N: len(right.Values), Accuracy: b.share(right)})
		}
		slice("chosen", "longer", func(o observed) bool { return o.length > 0 })
		slice("chosen", "not longer", func(o observed) bool { return o.length <= 0 })
		rows = append(rows, b.controlled(on, of))
		domains := map[string]bool{}
		for _, o := range of {
			domains[b.Pairs[o.pair].Domain] = true
		}
		delete(domains, "")
		for _, d := range slices.Sorted(maps.Keys(domains)) {
			if len(domains) > 1 {
				slice("domain", d, func(o observed) bool { return b.Pairs[o.pair].Domain == d })
			}
		}
	})
	return rows
}

// controlled is the length-controlled accuracy.
func (b *preferenceBoard) controlled(on JudgeOn, of []observed) PairwiseSliceRow {
	right, length, clusters := make([]bool, len(of)), make([]float64, len(of)), make([]int, len(of))
	for i, o := range of {
		right[i], length[i], clusters[i] = o.right, o.length, b.Pairs[o.pair].Cluster
	}
	s, err := ranking.ShareAtZero(right, length, clusters, dataset.Confidence)
	figure := func(v float64) table.Figure { return table.FigureOf(b.Value(v, err)) }
	return PairwiseSliceRow{JudgeOn: on, Slice: "length", Item: "controlled", N: len(of),
		Accuracy: table.Bounded{Value: figure(s.Value), Low: figure(s.Low), High: figure(s.High)}, Slope: figure(s.Slope)}
}
