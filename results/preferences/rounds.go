package preferences

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"compqa/data"
	"compqa/results/dataset"
	"compqa/results/store"
	"compqa/results/table"
)

// Round is the name of a judge's further round, from 2.
func Round(judge string, round int) string { return fmt.Sprintf("%s#%d", judge, round) }

// BaseOf is the judge that a name is a round of; round is 1 if it is none.
func BaseOf(name string) (judge string, round int) {
	at := strings.LastIndexByte(name, '#')
	if n, err := strconv.Atoi(name[at+1:]); at > 0 && err == nil && n > 1 {
		return name[:at], n
	}
	return name, 1
}

// A RoundsRow is the spread of a judge between rounds that differ in their samples alone (SC2,
// Table 2, has means of five).
type RoundsRow struct {
	JudgeOn
	Order  string       `csv:"order"`
	Rounds int          `csv:"rounds"` // with an accuracy
	Mean   table.Figure `csv:"mean"`   // of the rounds' accuracies
	SD     table.Figure `csv:"sd"`     // sample deviation between rounds
	Least  table.Figure `csv:"min"`
	Most   table.Figure `csv:"max"`
	N      int          `csv:"n"`    // pairs that are valid in all rounds
	Same   table.Figure `csv:"same"` // share of these with the same choice in all rounds
}

// pool makes the rounds of a judge one judge, whose preferences are those of all rounds: its figures are
// means over rounds, with intervals over clusters, and a round is in no comparison by itself.
func (b *preferenceBoard) pool(r store.PairwiseRecord) {
	judges := r.Judges
	r.Judges = nil
	at, round := make([]int, len(judges)), make([]int, len(judges))
	for j, judge := range judges {
		base, n := BaseOf(judge.Name)
		first := slices.IndexFunc(r.Judges, func(o store.PairwiseJudge) bool { return o.Name == base && o.Method == judge.Method })
		if n == 1 || first < 0 {
			first, n = len(r.Judges), 1
			r.Judges, b.repeats = append(r.Judges, judge), append(b.repeats, 0)
		}
		at[j], round[j], b.repeats[first] = first, n, max(b.repeats[first], n)
	}
	r.Prefs = slices.Clone(r.Prefs)
	for i := range r.Prefs {
		p := &r.Prefs[i]
		b.roundOf = append(b.roundOf, round[p.Judge])
		p.Judge = at[p.Judge]
	}
	cells := r.Cells
	r.Cells = nil
	for _, c := range cells {
		if base, n := BaseOf(c.Judge); n > 1 {
			same := func(o store.PairwiseCell) bool {
				return o.Judge == base && o.Method == c.Method && o.Dataset == c.Dataset && o.Order == c.Order
			}
			if first := slices.IndexFunc(r.Cells, same); first >= 0 {
				r.Cells[first].Planned += c.Planned
				continue
			}
		}
		r.Cells = append(r.Cells, c)
	}
	b.PairwiseRecord = &r
}

// rounds has a row for each judge with several rounds, set and order.
func (b *preferenceBoard) rounds() (rows []RoundsRow) {
	for _, set := range b.setRanges() {
		for j, repeats := range b.repeats {
			for _, order := range []string{data.OrderAB, data.OrderBA, orderBoth} {
				if r := b.round(j, set, order); repeats > 1 && r.Rounds > 1 {
					rows = append(rows, r)
				}
			}
		}
	}
	return rows
}

func mean(of []float64) float64 {
	sum := 0.
	for _, v := range of {
		sum += v
	}
	return sum / float64(len(of))
}

func (b *preferenceBoard) round(judge, set int, order string) RoundsRow {
	r := RoundsRow{JudgeOn: b.on(judge, set), Order: order}
	choices, _ := b.choices(judge, set, order)
	var accuracies []float64
	for k := range choices {
		var right []float64
		for pair, c := range choices[k] {
			if gold := b.Pairs[pair].Label; gold.Decided() {
				right = append(right, dataset.Indicator(c == gold))
			}
		}
		if len(right) > 0 {
			accuracies = append(accuracies, mean(right))
		}
	}
	if r.Rounds = len(accuracies); r.Rounds < 2 {
		return r
	}
	m := b.Moments(accuracies)
	r.Mean, r.SD = table.FigureOf(m.Mean), table.FigureOf(m.SD)
	r.Least, r.Most = table.Number(slices.Min(accuracies)), table.Number(slices.Max(accuracies))
	same := 0
	for i, c := range choices[0] {
		valid, alike := true, true
		for _, other := range choices[1:] {
			o, has := other[i]
			valid, alike = valid && has, alike && o == c
		}
		if valid {
			r.N++
			same += int(dataset.Indicator(alike))
		}
	}
	r.Same = ratio(float64(same), r.N)
	return r
}
