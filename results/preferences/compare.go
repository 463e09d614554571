package preferences

import (
	"maps"
	"slices"

	"compqa/data"
	"compqa/results/dataset"
	"compqa/results/table"
	"compqa/stats"
)

// A PValue is a p-value and Holm's adjustment of it.
type PValue struct {
	P         table.Figure `csv:"p"`
	PAdjusted table.Figure `csv:"p_adjusted"`
}

func (v *PValue) pValue() *PValue { return v }

// adjust sets the adjusted p-values of the rows of a set; unknown p-values are no part of the family.
func adjust[Row any, P interface {
	*Row
	pValue() *PValue
	setName() string
}](b *preferenceBoard, rows []Row, set string) {
	var family []*PValue
	var p []float64
	for i := range rows {
		if row := P(&rows[i]); row.setName() == set && row.pValue().P.Known() {
			family, p = append(family, row.pValue()), append(p, *row.pValue().P.Number)
		}
	}
	adjusted, err := stats.Holm(p)
	for i, v := range family {
		if err == nil {
			v.PAdjusted = table.Number(adjusted[i])
		}
	}
	b.Value(0, err)
}

// paired is the mean difference of paired values with its clustered interval.
func (b *preferenceBoard) paired(x, y []float64, clusters []int) (difference table.Bounded, p table.Figure) {
	d, err := stats.PairedDifference(x, y, clusters, dataset.Confidence)
	figure := func(v float64) table.Figure { return table.FigureOf(b.Value(v, err)) }
	return table.Bounded{Value: table.Number(d.Value), Low: figure(d.Low), High: figure(d.High)}, figure(d.P)
}

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

func (r PairwiseComparisonRow) setName() string { return r.Dataset }

// comparisons compare all judges except degenerate ones, by set. A comparison of fewer than
// dataset.MinShared pairs, or dataset.MinQuestions clusters, has counts alone.
func (b *preferenceBoard) comparisons() (rows []PairwiseComparisonRow) {
	for _, set := range b.setRanges() {
		right := make([]map[int]float64, len(b.Judges))
		for j := range b.Judges {
			right[j] = b.rightInBoth(j, set)
		}
		for i, a := range b.Judges {
			for k := i + 1; k < len(b.Judges); k++ {
				r := PairwiseComparisonRow{Dataset: b.setName(set), JudgeA: a.Name, MethodA: a.Method, JudgeB: b.Judges[k].Name,
					MethodB: b.Judges[k].Method}
				if b.compareJudges(&r, right[i], right[k]); r.Pairs > 0 {
					rows = append(rows, r)
				}
			}
		}
		adjust(b, rows, b.setName(set))
	}
	return rows
}

// rightInBoth is, for each pair that is valid in both orders and has a known better
// answer, the share of the judge's rounds in which it is correct in both orders. It is empty for a
// degenerate judge.
func (b *preferenceBoard) rightInBoth(judge, set int) map[int]float64 {
	right, rounds := map[int]float64{}, map[int]float64{}
	for _, j := range b.of(judge, set) {
		c, both := j.choice(orderBoth)
		if gold := b.Pairs[j.pair].Label; both && gold.Decided() && b.degenerate[judge] == "" {
			right[j.pair] += dataset.Indicator(c == gold)
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
		if other, shared := rightB[pair]; shared {
			r.OnlyA += int(dataset.Indicator(own > other))
			r.OnlyB += int(dataset.Indicator(other > own))
			x, y, clusters = append(x, own), append(y, other), append(clusters, b.Pairs[pair].Cluster)
		}
	}
	r.Pairs = len(x)
	if r.lacks = dataset.TooFew(r.Pairs, "pairs", len(slices.Compact(slices.Sorted(slices.Values(clusters))))); r.lacks == "" {
		r.P = table.FigureOf(b.Value(stats.McNemar(r.OnlyA, r.OnlyB)))
		r.Difference, _ = b.paired(x, y, clusters)
	}
}

// An InjectionRow is the effect of a bias on a judge: its accuracy on the original pairs
// and on the same pairs with the bias; each order is an observation. The p-value is
// adjusted (Holm) over all judges and biases of the set.
type InjectionRow struct {
	JudgeOn
	Bias        string        `csv:"bias"`
	Adversarial bool          `csv:"adversarial"`
	N           int           `csv:"n"`
	Accuracy    table.Figure  `csv:"accuracy"`
	Biased      table.Figure  `csv:"accuracy_biased"`
	Lost        table.Bounded `csv:"lost"`
	PValue
}

func (b *preferenceBoard) injections() (rows []InjectionRow) {
	b.each(func(judge, set int, on JudgeOn) {
		if set < 0 || b.Sets[set].Base == "" {
			return
		}
		of := b.Sets[set]
		on.Dataset = of.Base
		r := InjectionRow{JudgeOn: on, Bias: of.Bias, Adversarial: of.Adversarial}
		plain := map[[2]int]judged{}
		for _, j := range b.byJudge[judge] {
			plain[[2]int{j.pair, j.round}] = j
		}
		var before, after []float64
		var clusters []int
		for _, j := range b.of(judge, set) {
			base, pair := plain[[2]int{b.Base[j.pair], j.round}], b.Pairs[j.pair]
			for _, order := range data.Orders {
				is, valid := j.choice(order)
				was, known := base.choice(order)
				if pair.Label.Decided() && valid && known {
					before, after = append(before, dataset.Indicator(was == pair.Label)), append(after, dataset.Indicator(is == pair.Label))
					clusters = append(clusters, pair.Cluster)
				}
			}
		}
		if r.N = len(before); r.N > 0 {
			r.Accuracy, r.Biased = table.FigureOf(b.Moments(before).Mean), table.FigureOf(b.Moments(after).Mean)
			r.Lost, r.P = b.paired(before, after, clusters)
			rows = append(rows, r)
		}
	})
	for _, set := range b.Sets {
		adjust(b, rows, set.Name)
	}
	return rows
}
