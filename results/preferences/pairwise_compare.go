package preferences

import (
	"maps"
	"slices"

	"compqa/results/dataset"
	"compqa/results/table"
	"compqa/stats"
)

// A PairwiseComparisonRow compares two judges on the pairs of a set that are valid in
// both orders for both judges: the numbers of pairs that one of them has correct in both
// orders in more of its rounds, McNemar's exact p-value, Holm's adjustment over the pairs of judges, and
// the difference of the shares with its clustered interval.
type PairwiseComparisonRow struct {
	Dataset string `csv:"dataset"`
	JudgeA  string `csv:"judge_a"`
	MethodA string `csv:"method_a"`
	JudgeB  string `csv:"judge_b"`
	MethodB string `csv:"method_b"`
	Pairs   int    `csv:"n_pairs"`
	OnlyA   int    `csv:"only_a_right"`
	OnlyB   int    `csv:"only_b_right"`
	PValue
	Difference table.Bounded `csv:"difference,ci_low,ci_high"` // A - B, of the shares that are correct in both orders
	lacks      string
}

// comparisons compare all judges except hinted and degenerate ones, by set. A comparison of fewer than
// dataset.MinShared pairs, or dataset.MinQuestions clusters, has counts alone.
func (b *preferenceBoard) comparisons() []PairwiseComparisonRow {
	var rows []PairwiseComparisonRow
	for _, set := range b.setRanges() {
		right := make([]map[int]float64, len(b.Judges))
		for j := range b.Judges {
			right[j] = b.rightInBoth(j, set)
		}
		first := len(rows)
		for i, a := range b.Judges {
			for k := i + 1; k < len(b.Judges); k++ {
				r := PairwiseComparisonRow{Dataset: b.setName(set), JudgeA: a.Name, MethodA: a.Method, JudgeB: b.Judges[k].Name,
					MethodB: b.Judges[k].Method}
				if b.compareJudges(&r, right[i], right[k]); r.Pairs > 0 {
					rows = append(rows, r)
				}
			}
		}
		var family []*PValue
		for i := range rows[first:] {
			family = append(family, &rows[first+i].PValue)
		}
		b.adjust(family)
	}
	return rows
}

// rightInBoth is, for each pair that is valid in both orders and has a known better
// answer, the share of the judge's rounds in which it is correct in both orders. It is empty for a
// judge that is told the answer, or degenerate.
func (b *preferenceBoard) rightInBoth(judge, set int) map[int]float64 {
	right, rounds := map[int]float64{}, map[int]float64{}
	for _, j := range b.of(judge, set) {
		if gold := b.Pairs[j.pair].Label; j.both() && gold.Decided() && !b.Judges[judge].Hinted && b.degenerate[judge] == "" {
			right[j.pair] += dataset.Indicator(j.combined() == gold)
			rounds[j.pair]++
		}
	}
	for pair, n := range rounds {
		right[pair] /= n
	}
	return right
}

func (b *preferenceBoard) compareJudges(r *PairwiseComparisonRow, rightA, rightB map[int]float64) {
	var x, y []float64
	var clusters []int
	for _, pair := range slices.Sorted(maps.Keys(rightA)) {
		own := rightA[pair]
		other, shared := rightB[pair]
		switch {
		case !shared:
			continue
		case own > other:
			r.OnlyA++
		case other > own:
			r.OnlyB++
		}
		x, y, clusters = append(x, own), append(y, other), append(clusters, b.Pairs[pair].Cluster)
	}
	r.Pairs = len(x)
	if r.lacks = dataset.TooFew(r.Pairs, "pairs", len(slices.Compact(slices.Sorted(slices.Values(clusters))))); r.lacks == "" {
		r.P = table.FigureOf(b.Value(stats.McNemar(r.OnlyA, r.OnlyB)))
		r.Difference, _ = b.paired(x, y, clusters)
	}
}
