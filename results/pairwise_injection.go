package results

import (
	"compqa/stats"
)

// An InjectionRow says what a bias costs a judge: its accuracy on pairs as they
// are and on the same pairs with the bias in them, each order being an
// observation, and Holm's p-value over all judges and biases of the set.
type InjectionRow struct {
	Judge       string `csv:"judge"`
	Method      string `csv:"method"`
	Dataset     string `csv:"dataset"`
	Bias        string `csv:"bias"`
	Adversarial bool   `csv:"adversarial"`
	N           int    `csv:"n"`
	Accuracy    Figure `csv:"accuracy"`
	Biased      Figure `csv:"accuracy_biased"`
	Lost        Figure `csv:"lost"`
	LostLow     Figure `csv:"lost_low"`
	LostHigh    Figure `csv:"lost_high"`
	P           Figure `csv:"p"`
	PAdjusted   Figure `csv:"p_adjusted"`
}

func (b *preferenceBoard) injections() []InjectionRow {
	var rows []InjectionRow
	for i, set := range b.sets {
		if set.Base == "" {
			continue
		}
		for j, judge := range b.judges {
			if judge.Hinted {
				continue
			}
			r := InjectionRow{Judge: judge.Name, Method: judge.Method, Dataset: set.Base, Bias: set.Bias, Adversarial: set.Adversarial}
			if b.injected(&r, j, i) {
				rows = append(rows, r)
			}
		}
	}
	for _, set := range b.sets {
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
		base, known := plain[b.base[j.pair]]
		gold := b.pairs[j.pair].label
		if !known || !gold.Decided() {
			continue
		}
		for _, p := range [][2]*preferenceRow{{base.ab, j.ab}, {base.ba, j.ba}} {
			if valid(p[0]) && valid(p[1]) {
				before, after = append(before, one(p[0].choice == gold)), append(after, one(p[1].choice == gold))
				clusters = append(clusters, b.pairs[j.pair].cluster)
			}
		}
	}
	if r.N = len(before); r.N == 0 {
		return false
	}
	r.Accuracy, r.Biased = Figure{b.moments(before).Mean}, Figure{b.moments(after).Mean}
	d, err := stats.PairedDifference(before, after, clusters, confidence)
	r.Lost = figure(d.Value)
	r.LostLow, r.LostHigh, r.P = Figure{b.value(d.Low, err)}, Figure{b.value(d.High, err)}, Figure{b.value(d.P, err)}
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
		if r.Dataset == dataset && r.P.known() {
			at, p = append(at, i), append(p, *r.P.number)
		}
	}
	adjusted, err := stats.Holm(p)
	if err != nil {
		b.value(0, err)
		return
	}
	for k, i := range at {
		rows[i].PAdjusted = figure(adjusted[k])
	}
}
