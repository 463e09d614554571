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

// rounds has a row for each judge with several rounds, set and order.
func (b *preferenceBoard) rounds(overall []PairwiseRow) (rows []RoundsRow) {
	of := map[int][]int{} // by the first round
	for j, judge := range b.Judges {
		base, round := BaseOf(judge.Name)
		first := slices.IndexFunc(b.Judges, func(o store.PairwiseJudge) bool { return o.Name == base && o.Method == judge.Method })
		if round > 1 && first >= 0 {
			of[first] = append(of[first], j)
		}
	}
	for _, set := range b.setRanges() {
		for j := range b.Judges {
			if of[j] == nil {
				continue
			}
			for _, order := range []string{data.OrderAB, data.OrderBA, orderBoth} {
				if r := b.round(append([]int{j}, of[j]...), set, order, overall); r.Rounds > 1 {
					rows = append(rows, r)
				}
			}
		}
	}
	return rows
}

func (b *preferenceBoard) round(judges []int, set int, order string, overall []PairwiseRow) RoundsRow {
	r := RoundsRow{JudgeOn: b.on(judges[0], set), Order: order}
	var accuracies []float64
	choices := make([]map[int]data.Choice, len(judges))
	for k, j := range judges {
		for _, row := range overall {
			if row.judge == j && row.set == set && row.Order == order && row.Accuracy.Known() {
				accuracies = append(accuracies, *row.Accuracy.Value.Number)
			}
		}
		choices[k], _ = b.choices(j, set, order)
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
