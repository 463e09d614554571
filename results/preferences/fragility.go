package preferences

import (
	"fmt"
	"strings"

	"compqa/data"
	"compqa/results/dataset"
	"compqa/stats"
	"compqa/stats/ranking"
)

// fragility says how few preferences must be left out to put another system first. It returns nil if the first system of the board is not
// the first one by s.matches.
func (s *systemBoard) fragility() (rows []dataset.Fragility) {
	o, ok := ranking.FewestToOvertake(len(s.systems), s.matches)
	if !ok || s.systems[o.Leader] != s.rows[0].System { // strengths that model the place of answers put another system first
		return nil
	}
	ids := data.Each(o.Matches, func(k int) string { return strings.Join(strings.Fields(s.ids[k]), "_") })
	return []dataset.Fragility{{What: "rank 1 of " + s.title(), Target: s.systems[o.First], Removed: len(ids), Of: len(s.matches),
		Items: strings.Join(ids, " "), Judge: s.heading(), First: s.rows[0].System}}
}

// doubts returns warnings about the ranking: few preferences decide the first place, or three systems beat each other in a cycle.
func (s *systemBoard) doubts() (text string) {
	for _, f := range s.fragility() {
		text += " " + strings.ToUpper(f.What[:1]) + f.Sentence("preference")[1:] + "."
	}
	if cycles := ranking.Cycles(len(s.systems), s.matches, 0.05); len(cycles) > 0 {
		c := cycles[0]
		p := "p below 0.001"
		if c.P >= 0.001 {
			p = "p " + stats.Number(c.P).Text(3)
		}
		names := data.Each(c.Items[:], func(i int) string { return s.systems[i] })
		text += fmt.Sprintf(" %s is preferred over %s, %s over %s and %s over %s (%s): one ranking does not describe these preferences.",
			names[0], names[1], names[1], names[2], names[2], names[0], p)
	}
	return text
}
