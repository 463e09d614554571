package preferences

import (
	"compqa/data"
	"compqa/results/dataset"
	"compqa/results/table"
)

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

func (b *preferenceBoard) injections() []InjectionRow {
	var rows []InjectionRow
	b.eachFair(func(judge, set int, on JudgeOn) {
		if set < 0 || b.Sets[set].Base == "" {
			return
		}
		of := b.Sets[set]
		on.Dataset = of.Base
		r := InjectionRow{JudgeOn: on, Bias: of.Bias, Adversarial: of.Adversarial}
		if b.injected(&r, judge, set); r.N > 0 {
			rows = append(rows, r)
		}
	})
	for _, set := range b.Sets {
		var family []*PValue
		for i := range rows {
			if rows[i].Dataset == set.Name {
				family = append(family, &rows[i].PValue)
			}
		}
		b.adjust(family)
	}
	return rows
}

func (b *preferenceBoard) injected(r *InjectionRow, judge, set int) {
	plain := map[[2]int]judged{}
	for _, j := range b.byJudge[judge] {
		plain[[2]int{j.pair, j.round}] = j
	}
	var before, after []float64
	var clusters []int
	for _, j := range b.of(judge, set) {
		base, pair := plain[[2]int{b.Base[j.pair], j.round}], b.Pairs[j.pair]
		for k, p := range j.by {
			was := base.by[k]
			if pair.Label.Decided() && p != nil && was != nil && p.Status == data.Valid && was.Status == data.Valid {
				before, after = append(before, dataset.Indicator(was.Choice == pair.Label)), append(after, dataset.Indicator(p.Choice == pair.Label))
				clusters = append(clusters, pair.Cluster)
			}
		}
	}
	if r.N = len(before); r.N > 0 {
		r.Accuracy, r.Biased = table.FigureOf(b.Moments(before).Mean), table.FigureOf(b.Moments(after).Mean)
		r.Lost, r.P = b.paired(before, after, clusters)
	}
}
