package preferences

import (
	"maps"
	"slices"

	"compqa/data"
	"compqa/results/dataset"
	"compqa/results/table"
	"compqa/stats"
)

// A PairwiseComparisonRow compares two judges on the pairs of a set for which both judges have valid choices in both orders. It counts the
// pairs that one judge gets right in both orders in more of its rounds than the other judge. It also has the difference of the shares of
// right pairs with an interval clustered by question, a p-value, and Holm's adjustment over its family. If each cluster has one pair, the
// p-value is that of McNemar's exact test. Otherwise pairs depend on each other, and the p-value is that of the clustered difference
// (stats.PairedDifference).
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
	Difference stats.Figure `csv:"difference,ci_low,ci_high"` // share of pairs that A gets right in both orders, minus that of B
	floor      bool         // one of the two is a baseline or the panel
}

func (r PairwiseComparisonRow) dataset() string { return r.Dataset }

// family returns the key of the comparisons that Holm's adjustment covers together: those of one set. Comparisons with a baseline or the
// panel form a family of their own.
func (r PairwiseComparisonRow) family() [2]string {
	if r.floor {
		return [2]string{r.Dataset, dataset.KindFloor}
	}
	return [2]string{r.Dataset}
}

// comparisons compares all judges of a set with each other and with baselines, except judges that are told the answer or degenerate. With
// fewer than dataset.MinShared pairs, or dataset.MinQuestions clusters, a row has only counts.
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

// test sets the difference of two judges and its p-value. x and y have, for the same pairs, the share of rounds in which each judge is
// right. With too few pairs or clusters, both figures say what is lacking.
func (b *board) test(r *PairwiseComparisonRow, x, y dataset.Sample) {
	clusters := len(slices.Compact(slices.Sorted(slices.Values(x.Questions))))
	if lacking := dataset.TooFew(r.Pairs, "pairs", clusters); lacking != nil {
		r.Difference = stats.MissingFigure(lacking)
		r.P = r.Difference
		return
	}
	r.Difference, r.P = b.Difference(x, y)
	if clusters == r.Pairs {
		r.P = b.Figure(stats.McNemar(r.OnlyA, r.OnlyB))
	}
}

// rightInBoth returns, by pair, the share of the judge's rounds in which it is right in both orders. Only pairs with a known better answer
// and valid choices in both orders count. The map is empty for a judge that is told the answer or degenerate.
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

// An InjectionRow measures the effect of an injected bias on a judge: its accuracy on the original pairs, and on the same pairs with the
// bias. Each order is an observation, but N counts pairs. Unchanged pairs contain nothing that the bias could rewrite. Holm's adjustment
// covers all judges and biases of the set.
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

// injection returns the effect of the bias of the group's set. It returns nil if the set has no bias, or if no pair is valid with and
// without it.
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
	if len(original.Values) == 0 {
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
