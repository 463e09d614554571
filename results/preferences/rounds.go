package preferences

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"compqa/data"
	"compqa/results/dataset"
	"compqa/results/store"
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

// pool makes the rounds of a judge one judge, whose preferences are those of all rounds: its figures are
// means over rounds, with intervals over clusters, and a round is in no comparison by itself.
func (b *board) pool(r store.PairwiseRecord) {
	judges := r.Judges
	r.Judges = nil
	at, round := make([]int, len(judges)), make([]int, len(judges))
	for j, judge := range judges {
		base, n := BaseOf(judge.Name)
		first := slices.IndexFunc(r.Judges, func(o store.PairwiseJudge) bool { return o.Name == base && o.Method == judge.Method })
		if n == 1 || first < 0 {
			first, n = len(r.Judges), 1
			r.Judges, b.repeats = append(r.Judges, judge), append(b.repeats, 1)
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
			if len(of) == g.repeats[g.judge] {
				r.N++
				same += int(dataset.Indicator(slices.Min(of) == slices.Max(of)))
			}
		}
		r.Same = ratio(float64(same), r.N)
		rows = append(rows, r)
	}
	return rows
}
