package results

import (
	"errors"
	"maps"
	"math"
	"slices"

	"compqa/data"
	"compqa/stats"
)

// A PairwiseComparisonRow sets two judges against each other on the pairs of a
// set that both decided in both orders: how many only one of them has right in
// both, McNemar's exact p-value, Holm's over the pairs of judges of the set, and
// the difference of their shares with its clustered interval.
type PairwiseComparisonRow struct {
	Dataset    string `csv:"dataset"`
	JudgeA     string `csv:"judge_a"`
	MethodA    string `csv:"method_a"`
	JudgeB     string `csv:"judge_b"`
	MethodB    string `csv:"method_b"`
	Pairs      int    `csv:"n_pairs"`
	OnlyA      int    `csv:"only_a_right"`
	OnlyB      int    `csv:"only_b_right"`
	P          Figure `csv:"p"`
	PAdjusted  Figure `csv:"p_adjusted"`
	Difference Figure `csv:"difference"` // A - B, of the shares that are right in both orders
	CILow      Figure `csv:"ci_low"`
	CIHigh     Figure `csv:"ci_high"`
}

// comparisons are those of all judges but hinted ones, set by set.
func (b *preferenceBoard) comparisons() []PairwiseComparisonRow {
	var rows []PairwiseComparisonRow
	for _, set := range b.setRanges() {
		var of []PairwiseComparisonRow
		var p []float64
		right := make([]map[int]float64, len(b.judges))
		for j := range b.judges {
			right[j] = b.rightInBoth(j, set)
		}
		for i := range b.judges {
			for k := i + 1; k < len(b.judges); k++ {
				if b.judges[i].Hinted || b.judges[k].Hinted {
					continue
				}
				if r, ok := b.compareJudges(i, k, right[i], right[k]); ok {
					r.Dataset = b.setName(set)
					of, p = append(of, r), append(p, *r.P.number)
				}
			}
		}
		adjusted, err := stats.Holm(p)
		if err != nil {
			b.value(0, err)
			continue
		}
		for i := range of {
			of[i].PAdjusted = figure(adjusted[i])
		}
		rows = append(rows, of...)
	}
	return rows
}

// rightInBoth says of each pair that a judge decided in both orders, and whose
// better answer is known, whether it is right in both.
func (b *preferenceBoard) rightInBoth(judge, set int) map[int]float64 {
	right := map[int]float64{}
	for _, j := range b.of(judge, set) {
		gold := b.pairs[j.pair].label
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
	r := PairwiseComparisonRow{JudgeA: b.judges[i].Name, MethodA: b.judges[i].Method, JudgeB: b.judges[k].Name, MethodB: b.judges[k].Method}
	var x, y []float64
	var clusters []int
	for _, pair := range slices.Sorted(maps.Keys(rightA)) {
		other, shared := rightB[pair]
		if !shared {
			continue
		}
		own := rightA[pair]
		x, y, clusters = append(x, own), append(y, other), append(clusters, b.pairs[pair].cluster)
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
		b.value(0, err)
		return r, false
	}
	r.P = figure(p)
	d, err := stats.PairedDifference(x, y, clusters, confidence)
	r.Difference = figure(d.Value)
	r.CILow, r.CIHigh = Figure{b.value(d.Low, err)}, Figure{b.value(d.High, err)}
	return r, true
}

// A PairwiseSliceRow is a judge's accuracy on a part of a set, each order being
// an observation: where the answer that people prefer is the longer one and
// where it is not (Con-J's Table 12), by domain, and length-controlled, which is
// the accuracy to be expected between answers of one length.
type PairwiseSliceRow struct {
	Judge    string `csv:"judge"`
	Method   string `csv:"method"`
	Dataset  string `csv:"dataset"`
	Slice    string `csv:"slice"` // chosen, domain, length
	Item     string `csv:"item"`  // longer, not longer; the domain; controlled
	N        int    `csv:"n"`
	Accuracy Figure `csv:"accuracy"`
	Low      Figure `csv:"accuracy_low"`
	High     Figure `csv:"accuracy_high"`
	Slope    Figure `csv:"length_slope"` // length controlled: log-odds of being right per unit of relative length
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
		pair := &b.pairs[j.pair]
		if !pair.label.Decided() {
			continue
		}
		better, other := pair.wordsA, pair.wordsB
		if pair.label == data.ChoiceB {
			better, other = other, better
		}
		length := float64(better-other) / math.Max(1, float64(better+other))
		for _, p := range []*preferenceRow{j.ab, j.ba} {
			if valid(p) {
				list = append(list, observed{p.choice == pair.label, length, j.pair})
			}
		}
	}
	return list
}

func (b *preferenceBoard) slices() []PairwiseSliceRow {
	var rows []PairwiseSliceRow
	for _, set := range b.setRanges() {
		for j, judge := range b.judges {
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
		right[i], length[i], clusters[i] = o.right, o.length, b.pairs[o.pair].cluster
	}
	controlled.N = len(of)
	s, err := stats.ShareAtZero(right, length, clusters, confidence)
	if err != nil && !errors.Is(err, stats.ErrUndefined) {
		b.value(0, err)
	}
	if err == nil {
		controlled.Accuracy, controlled.Low, controlled.High, controlled.Slope = figure(s.Value), figure(s.Low), figure(s.High), figure(s.Slope)
	}
	return []PairwiseSliceRow{longer, not, controlled}
}

func (b *preferenceBoard) domainSlices(base PairwiseSliceRow, of []observed) []PairwiseSliceRow {
	var domains []string
	for _, o := range of {
		if d := b.pairs[o.pair].domain; d != "" && !slices.Contains(domains, d) {
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
		b.fillSlice(&r, of, func(o observed) bool { return b.pairs[o.pair].domain == d })
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
			right, clusters = append(right, value), append(clusters, b.pairs[o.pair].cluster)
		}
	}
	r.N = len(right)
	r.Accuracy, r.Low, r.High = b.proportion(right, clusters)
}

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
