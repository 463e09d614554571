package preferences

import (
	"compqa/results/dataset"
	"compqa/results/store"
	"compqa/results/table"
	"compqa/stats"
)

// An InjectionRow is the effect of a bias on a judge: its accuracy on the original pairs
// and on the same pairs with the bias; each order is an observation. The p-value is
// adjusted (Holm) over all judges and biases of the set.
type InjectionRow struct {
	Judge       string       `csv:"judge"`
	Method      string       `csv:"method"`
	Dataset     string       `csv:"dataset"`
	Bias        string       `csv:"bias"`
	Adversarial bool         `csv:"adversarial"`
	N           int          `csv:"n"`
	Accuracy    table.Figure `csv:"accuracy"`
	Biased      table.Figure `csv:"accuracy_biased"`
	Lost        table.Figure `csv:"lost"`
	LostLow     table.Figure `csv:"lost_low"`
	LostHigh    table.Figure `csv:"lost_high"`
	P           table.Figure `csv:"p"`
	PAdjusted   table.Figure `csv:"p_adjusted"`
}

func (b *preferenceBoard) injections() []InjectionRow {
	var rows []InjectionRow
	for i, set := range b.Sets {
		if set.Base == "" {
			continue
		}
		for j, judge := range b.Judges {
			if judge.Hinted {
				continue
			}
			r := InjectionRow{Judge: judge.Name, Method: judge.Method, Dataset: set.Base, Bias: set.Bias, Adversarial: set.Adversarial}
			if b.injected(&r, j, i) {
				rows = append(rows, r)
			}
		}
	}
	for _, set := range b.Sets {
		b.adjustInjections(rows, set.Name)
	}
	return rows
}

func (b *preferenceBoard) injected(r *InjectionRow, judge, set int) bool {
	plain := map[int]judged{}
	for _, j := range b.byJudge[judge] {
		plain[j.pair] = j
	}
	var before, after []float64
	var clusters []int
	for _, j := range b.of(judge, set) {
		base, known := plain[b.Base[j.pair]]
		gold := b.Pairs[j.pair].Label
		if !known || !gold.Decided() {
			continue
		}
		for _, p := range [][2]*store.PreferenceRow{{base.ab, j.ab}, {base.ba, j.ba}} {
			if valid(p[0]) && valid(p[1]) {
				before, after = append(before, one(p[0].Choice == gold)), append(after, one(p[1].Choice == gold))
				clusters = append(clusters, b.Pairs[j.pair].Cluster)
			}
		}
	}
	if r.N = len(before); r.N == 0 {
		return false
	}
	r.Accuracy, r.Biased = table.FigureOf(b.Moments(before).Mean), table.FigureOf(b.Moments(after).Mean)
	d, err := stats.PairedDifference(before, after, clusters, dataset.Confidence)
	r.Lost = table.Number(d.Value)
	r.LostLow, r.LostHigh, r.P = table.FigureOf(b.Value(d.Low, err)), table.FigureOf(b.Value(d.High, err)), table.FigureOf(b.Value(d.P, err))
	return true
}

func one(yes bool) float64 {
	if yes {
		return 1
	}
	return 0
}

func (b *preferenceBoard) adjustInjections(rows []InjectionRow, dataset string) {
	var at []int
	var p []float64
	for i, r := range rows {
		if r.Dataset == dataset && r.P.Known() {
			at, p = append(at, i), append(p, *r.P.Number)
		}
	}
	adjusted, err := stats.Holm(p)
	if err != nil {
		b.Value(0, err)
		return
	}
	for k, i := range at {
		rows[i].PAdjusted = table.Number(adjusted[k])
	}
}
