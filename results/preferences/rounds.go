package preferences

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"compqa/data"
	"compqa/results/dataset"
	"compqa/results/table"
	"compqa/stats"
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

// rounds has a row for each order, if the judge has several rounds.
func (g group) rounds() (rows []RoundsRow) {
	for _, order := range orders {
		right, choices := map[int][]float64{}, map[int][]data.Choice{} // by round, and by pair
		for _, j := range g.pairs {
			c, valid := j.choice(order)
			if !valid {
				continue
			}
			choices[j.pair] = append(choices[j.pair], c)
			if j.Label.Decided() {
				right[j.round] = append(right[j.round], j.right(c))
			}
		}
		if len(right) < 2 {
			continue
		}
		var accuracies []float64
		for _, round := range slices.Sorted(maps.Keys(right)) {
			accuracies = append(accuracies, stats.Mean(right[round]))
		}
		m := g.Moments(accuracies)
		r := RoundsRow{JudgeOn: g.JudgeOn, Order: order, Rounds: m.N, Mean: table.FigureOf(m.Mean), SD: table.FigureOf(m.SD),
			Least: table.Number(slices.Min(accuracies)), Most: table.Number(slices.Max(accuracies))}
		same := 0
		for _, of := range choices {
			if len(of) == g.who.rounds {
				r.N++
				same += int(dataset.Indicator(slices.Min(of) == slices.Max(of)))
			}
		}
		r.Same = ratio(float64(same), r.N)
		rows = append(rows, r)
	}
	return rows
}
