package summaries

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"compqa/data"
	"compqa/results/dataset"
	"compqa/results/table"
	"compqa/results/trust"
	"compqa/stats"
)

// An ablated is a system whose method uses critiques (checks of its own output), with the critiques that it uses.
type ablated struct {
	name, critiques string
	n               int    // number of critiques; "all" counts as the largest number
	others          string // all other settings, as text
}

// ablations returns groups of systems in the configuration that differ only in their critiques. Within a group, the system with the most
// critiques comes first (Gunel et al., Table 2).
func ablations(x *dataset.Dataset) (groups [][]ablated) {
	var config struct{ Models []map[string]any }
	if json.Unmarshal([]byte(x.Made[0].Config), &config) != nil {
		return nil
	}
	var all []ablated
	for _, m := range config.Models {
		if m["method"] == nil {
			continue
		}
		name, _ := m["name"].(string)
		a := ablated{name: name, critiques: "all", n: 1 << 20}
		if list, given := m["critiques"].([]any); given {
			names := data.Each(list, func(v any) string { return fmt.Sprint(v) })
			a.critiques = cmp.Or(strings.Join(names, ", "), "none")
			a.n = len(names)
		}
		delete(m, "name")
		delete(m, "critiques")
		a.others = fmt.Sprint(m) // Sprint sorts the keys of a map
		all = append(all, a)
	}
	groups = table.Grouped(all, func(a ablated) string { return a.others })
	groups = slices.DeleteFunc(groups, func(g []ablated) bool { return len(g) < 2 })
	for _, g := range groups {
		slices.SortStableFunc(g, func(a, b ablated) int { return b.n - a.n })
	}
	return groups
}

// difference returns a measure of one system minus that of another, by the headline judge (see trust.ComparePaired).
func (t *Tables) difference(system, other string, m measure) stats.Figure {
	places := dataset.NewPlaces(t.x)
	side := func(system string) (s trust.Side) {
		t.values(system, t.headline(), m, func(i int, values []float64) {
			for _, v := range values {
				s.Add(places.Place(t.x, i), v)
			}
		})
		return s
	}
	differences, err := trust.ComparePaired(side(system), side(other))
	if t.calc.Value(0, err) == nil {
		return stats.Figure{}
	}
	return differences[0].Value
}

// ablationTable shows the systems of ablations, and their differences from the system of their group with the most critiques.
func (t *Tables) ablationTable() *table.Table {
	view := table.New(2, "system", "critiques", "helpful", "difference", "redundancy", "difference", "inconsistency", "difference", "P@5",
		"difference")
	if t.headline() == "" {
		return view
	}
	for _, group := range ablations(t.x) {
		for _, a := range group {
			line := []any{a.name, a.critiques}
			for _, m := range mainMeasures {
				var difference stats.Figure
				if a.name != group[0].name {
					difference = t.difference(a.name, group[0].name, m)
				}
				line = append(line, t.row(a.name, t.headline(), m.name).Value, table.Signed(difference, 2))
			}
			view.Add(line...)
		}
	}
	return view
}
