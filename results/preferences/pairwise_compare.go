package preferences

import (
	"maps"
	"slices"

	"compqa/results/dataset"
	"compqa/results/table"
	"compqa/stats"
)

// A PairwiseComparisonRow compares two judges on the pairs of a set that are valid in
// both orders for both judges: the numbers of pairs that only one of them has correct in
// both orders, McNemar's exact p-value, Holm's adjustment over the pairs of judges, and
// the difference of the shares with its clustered interval.
type PairwiseComparisonRow struct {
	Dataset    string       `csv:"dataset"`
	JudgeA     string       `csv:"judge_a"`
	MethodA    string       `csv:"method_a"`
	JudgeB     string       `csv:"judge_b"`
	MethodB    string       `csv:"method_b"`
	Pairs      int          `csv:"n_pairs"`
	OnlyA      int          `csv:"only_a_right"`
	OnlyB      int          `csv:"only_b_right"`
	P          table.Figure `csv:"p"`
	PAdjusted  table.Figure `csv:"p_adjusted"`
	Difference table.Figure `csv:"difference"` // A - B, of the shares that are correct in both orders
	CILow      table.Figure `csv:"ci_low"`
	CIHigh     table.Figure `csv:"ci_high"`
}

// comparisons compare all judges except hinted ones, by set.
func (b *preferenceBoard) comparisons() []PairwiseComparisonRow {
	var rows []PairwiseComparisonRow
	for _, set := range b.setRanges() {
		var of []PairwiseComparisonRow
		var p []float64
		right := make([]map[int]float64, len(b.Judges))
		for j := range b.Judges {
			right[j] = b.rightInBoth(j, set)
		}
		for i := range b.Judges {
			for k := i + 1; k < len(b.Judges); k++ {
				if b.Judges[i].Hinted || b.Judges[k].Hinted {
					continue
				}
				if r, ok := b.compareJudges(i, k, right[i], right[k]); ok {
					r.Dataset = b.setName(set)
					of, p = append(of, r), append(p, *r.P.Number)
				}
			}
		}
		adjusted, err := stats.Holm(p)
		if err != nil {
			b.Value(0, err)
			continue
		}
		for i := range of {
			of[i].PAdjusted = table.Number(adjusted[i])
		}
		rows = append(rows, of...)
	}
	return rows
}

// rightInBoth is, for each pair that is valid in both orders and has a known better
// answer, 1 if the judge is correct in both orders, otherwise 0.
func (b *preferenceBoard) rightInBoth(judge, set int) map[int]float64 {
	right := map[int]float64{}
	for _, j := range b.of(judge, set) {
		gold := b.Pairs[j.pair].Label
		if !j.both() || !gold.Decided() {
			continue
		}
		right[j.pair] = 0
		if j.combined() == gold {
			right[j.pair] = 1
		}
	}
	return right
}

func (b *preferenceBoard) compareJudges(i, k int, rightA, rightB map[int]float64) (PairwiseComparisonRow, bool) {
	r := PairwiseComparisonRow{JudgeA: b.Judges[i].Name, MethodA: b.Judges[i].Method, JudgeB: b.Judges[k].Name, MethodB: b.Judges[k].Method}
	var x, y []float64
	var clusters []int
	for _, pair := range slices.Sorted(maps.Keys(rightA)) {
		other, shared := rightB[pair]
		if !shared {
			continue
		}
		own := rightA[pair]
		x, y, clusters = append(x, own), append(y, other), append(clusters, b.Pairs[pair].Cluster)
		switch {
		case own > other:
			r.OnlyA++
		case other > own:
			r.OnlyB++
		}
	}
	if r.Pairs = len(x); r.Pairs == 0 {
		return r, false
	}
	p, err := stats.McNemar(r.OnlyA, r.OnlyB)
	if err != nil {
		b.Value(0, err)
		return r, false
	}
	r.P = table.Number(p)
	d, err := stats.PairedDifference(x, y, clusters, dataset.Confidence)
	r.Difference = table.Number(d.Value)
	r.CILow, r.CIHigh = table.FigureOf(b.Value(d.Low, err)), table.FigureOf(b.Value(d.High, err))
	return r, true
}
