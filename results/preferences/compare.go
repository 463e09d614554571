package preferences

import (
	"maps"
	"slices"

	"compqa/data"
	"compqa/results/dataset"
	"compqa/results/table"
	"compqa/stats"
)

// A PairwiseComparisonRow compares two judges on the pairs of a set that are valid in both orders for both judges: the
// numbers of pairs that one of them has correct in both orders in more of its rounds, the difference of the shares with its
// clustered interval, a p-value, and Holm's adjustment over its family. The p-value is McNemar's exact one where each
// cluster has one pair; else pairs depend on each other, and it is that of the clustered difference (stats.PairedDifference).
type PairwiseComparisonRow struct {
	Dataset string `csv:"dataset"`
	JudgeA  string `csv:"judge_a"`
	MethodA string `csv:"method_a"`
	JudgeB  string `csv:"judge_b"`
	MethodB string `csv:"method_b"`
	Pairs   int    `csv:"n_pairs"`
	OnlyA   int    `csv:"only_a_right"`
	OnlyB   int    `csv:"only_b_right"`
	table.PValue
	Difference stats.Figure `csv:"difference,ci_low,ci_high"` // A - B, of the shares that are correct in both orders
	floor      bool         // one of the two is a baseline, or the panel
}

func (r PairwiseComparisonRow) dataset() string { return r.Dataset }

// family has the comparisons that Holm's adjustment is over: baselines and the panel, which nobody asked, are not judges among others.
func (r PairwiseComparisonRow) family() [2]string {
	if r.floor {
		return [2]string{r.Dataset, dataset.KindFloor}
	}
	return [2]string{r.Dataset}
}

// comparisons compare all judges except hinted and degenerate ones, by set, also with baselines. A comparison of fewer than
// dataset.MinShared pairs, or dataset.MinQuestions clusters, has counts alone.
func (b *board) comparisons() (rows []PairwiseComparisonRow) {
	for groups := range b.bySet() {
		right := data.Each(groups, group.rightInBoth)
		for i, first := range groups {
			for k, second := range groups[i+1:] {
				floors := [2]bool{first.who.Kind == dataset.KindFloor, second.who.Kind == dataset.KindFloor}
				if floors[0] && floors[1] {
					continue
				}
				r := PairwiseComparisonRow{Dataset: first.Dataset, JudgeA: first.Judge, MethodA: first.Method, JudgeB: second.Judge,
					MethodB: second.Method, floor: floors[0] || floors[1] || first.Method == panel || second.Method == panel}
				var x, y dataset.Sample
				for _, pair := range slices.Sorted(maps.Keys(right[i])) {
					first := right[i][pair]
					if other, shared := right[i+1+k][pair]; shared {
						r.OnlyA += int(dataset.Indicator(first > other))
						r.OnlyB += int(dataset.Indicator(other > first))
						x.Add(first, b.Pairs[pair].Cluster)
						y.Add(other, b.Pairs[pair].Cluster)
					}
				}
				r.Pairs = len(x.Values)
				if r.Pairs == 0 {
					continue
				}
				b.test(&r, x, y)
				rows = append(rows, r)
			}
		}
	}
	b.Value(0, table.Adjust(rows, PairwiseComparisonRow.family, func(r *PairwiseComparisonRow) *table.PValue { return &r.PValue }))
	return rows
}

// test sets the difference of two judges and its p-value from the shares of rounds in which each is right on the same pairs, or what is
// lacking for them.
func (b *board) test(r *PairwiseComparisonRow, x, y dataset.Sample) {
	clusters := len(slices.Compact(slices.Sorted(slices.Values(x.Questions))))
	if lacking := dataset.TooFew(r.Pairs, "pairs", clusters); lacking != nil {
		r.Difference = stats.Lacking(lacking)
		r.P = r.Difference
		return
	}
	r.Difference, r.P = b.Difference(x, y)
	if clusters == r.Pairs {
		r.P = b.Figure(stats.McNemar(r.OnlyA, r.OnlyB))
	}
}

// rightInBoth is, for each pair that is valid in both orders and has a known better answer, the share of the judge's rounds
// in which it is correct in both orders. It is empty for a judge that is told the answer, or degenerate.
func (g group) rightInBoth() map[int]float64 {
	right := map[int]float64{}
	rounds := map[int]float64{}
	for _, j := range g.pairs {
		if c, both := j.choice(orderBoth); both && j.Label.Decided() && !g.who.Hinted && g.who.degenerate == "" {
			right[j.pair] += j.right(c)
			rounds[j.pair]++
		}
	}
	for pair, n := range rounds {
		right[pair] /= n
	}
	return right
}

// An InjectionRow is the effect of a bias on a judge: its accuracy on the original pairs and on the same pairs with the
// bias; each order is an observation, and pairs count once. Unchanged pairs have nothing that the bias could rewrite. The
// p-value is adjusted (Holm) over all judges and biases of the set.
type InjectionRow struct {
	JudgeOn
	Bias        string       `csv:"bias"`
	Adversarial bool         `csv:"adversarial"`
	N           int          `csv:"n"` // pairs
	Unchanged   int          `csv:"n_unchanged"`
	Accuracy    stats.Figure `csv:"accuracy"`
	Biased      stats.Figure `csv:"accuracy_biased"`
	Lost        stats.Figure `csv:"lost,lost_low,lost_high"`
	table.PValue
}

func (b *board) injections() []InjectionRow {
	rows := each(fair(b.groups), group.injection)
	b.Value(0, table.Adjust(rows, InjectionRow.dataset, func(r *InjectionRow) *table.PValue { return &r.PValue }))
	return rows
}

func (g group) injection() []InjectionRow {
	if g.set < 0 || g.Sets[g.set].Base == "" {
		return nil
	}
	plain := map[[2]int]judged{}
	for _, j := range g.who.pairs {
		plain[[2]int{j.pair, j.round}] = j
	}
	var original, biased dataset.Sample
	unchanged := map[int]bool{} // by pair
	for _, j := range g.pairs {
		base := plain[[2]int{g.Base[j.pair], j.round}]
		for _, order := range data.Orders {
			was, known := base.choice(order)
			is, valid := j.choice(order)
			if j.Label.Decided() && known && valid {
				original.Add(j.right(was), j.Cluster)
				biased.Add(j.right(is), j.Cluster)
				unchanged[j.pair] = j.Unchanged
			}
		}
	}
	if original.Values == nil {
		return nil
	}
	set := g.Sets[g.set]
	n := len(unchanged)
	maps.DeleteFunc(unchanged, func(_ int, is bool) bool { return !is })
	r := InjectionRow{JudgeOn: JudgeOn{g.Judge, g.Method, set.Base}, Bias: set.Bias, Adversarial: set.Adversarial, N: n,
		Unchanged: len(unchanged), Accuracy: g.Mean(original).Point(), Biased: g.Mean(biased).Point()}
	r.Lost, r.P = g.Difference(original, biased)
	return []InjectionRow{r}
}
