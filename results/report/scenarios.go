package report

import (
	"fmt"
	"slices"
	"strings"

	"compqa/data"
	"compqa/results/dataset"
	"compqa/results/leaderboard"
	"compqa/results/table"
	"compqa/stats"
)

// OrderSections returns whether the prompt and the judge change the order of the ranked systems: their points by scenario, and their ranks
// by each judge. It leaves out a section with nothing to compare.
func (t *Report) OrderSections() (sections []table.Section) {
	places := ranked(t.Leaderboard.Places)
	prompts := t.promptSection(places)
	judges := t.judgeOrderSection(places)
	if prompts.Table != nil && judges.Table != nil {
		prompts.Pane = table.Left
		judges.Pane = table.Right
	}
	return data.Where([]table.Section{prompts, judges}, func(s table.Section) bool { return s.Table != nil })
}

// fewScored is the number of answers scored by people below which a cell is marked.
const fewScored = 10

// promptSection returns the points of each system by scenario. They are predicted human points if these order the ranking, else the
// headline judge's points. Systems without points in any scenario, such as people's answers, are left out.
func (t *Report) promptSection(places []leaderboard.Place) table.Section {
	scenarios := data.Where(t.Scenarios(), func(s string) bool { return s != data.NoScenario })
	if len(scenarios) < 2 {
		return table.Section{}
	}
	s := table.Section{ID: "prompts", Title: "Does the prompt change the order?"}
	s.Table = table.New(1, append([]string{"system"}, data.Each(scenarios, dataset.ScenarioName)...)...)
	s.Lead = "Points by scenario, of " + strings.ReplaceAll(t.Leaderboard.Headline, "**", "") + "."
	if t.predicted() {
		s.Lead = fmt.Sprintf("Points that people would give, by scenario. ○ people scored fewer than %d answers.", fewScored)
	}
	s.Table.Look = "heat"
	low := t.Rubric.Max()
	high := t.Rubric.Min()
	for _, place := range places {
		for _, scenario := range scenarios {
			if value, _ := t.scenarioPoints(place.System, scenario); value.Known {
				low = min(low, value.Value)
				high = max(high, value.Value)
			}
		}
	}
	for _, place := range places {
		row := []any{t.Leaderboard.SystemCell(place.System)}
		known := false
		for _, scenario := range scenarios {
			value, n := t.scenarioPoints(place.System, scenario)
			if !value.Known {
				row = append(row, table.Cell{Text: stats.Missing, Class: "heat"})
				continue
			}
			cell := table.Figured(value.Point(), 1)
			cell.Value, cell.Class, known = value, table.Heat(value.Point(), low, high), true
			cell.To = table.ToAnswers("system", place.System, "scenario", scenario)
			if n.Known && n.Value < fewScored {
				cell.Mark = " ○"
			}
			row = append(row, cell)
		}
		if known {
			s.Table.Add(row...)
		}
	}
	if len(s.Table.Rows) < 2 {
		return table.Section{}
	}
	return s
}

// judgeOrderSection returns the rank of each system by each judge's own points, next to its rank on the board. If the judge ranks the same
// systems, a rank that differs by at least two places is marked.
func (t *Report) judgeOrderSection(places []leaderboard.Place) table.Section {
	rankOf := func(judge, system string) stats.Figure {
		if r := t.Leaderboard.At[dataset.PlanKey{Judge: judge, System: system, Scenario: dataset.AllScenarios}]; r != nil {
			return r.Rank
		}
		return stats.Figure{}
	}
	var judges []string
	whole := map[string]bool{} // whether the judge ranks all places
	for _, j := range t.Judges {
		n := len(data.Where(places, func(p leaderboard.Place) bool { return rankOf(j.Name, p.System).Known }))
		if j.Kind != dataset.KindFloor && j.Kind != dataset.KindHuman && n > 1 {
			judges = append(judges, j.Name)
			whole[j.Name] = n == len(places)
		}
	}
	first := t.Leaderboard.Judge
	if t.Leaderboard.By == leaderboard.ByHumanPoints {
		first = "people"
	}
	judges = slices.DeleteFunc(judges, func(name string) bool { return name == first })
	if len(judges) == 0 || len(places) < 3 {
		return table.Section{}
	}
	view := table.New(1, append([]string{"system", first}, judges...)...)
	view.Look = "heat"
	for i, name := range judges {
		view.SetHead(i+2, func(h *table.Head) { h.Mark, h.To = t.Mark(name, ""), table.ToJudge(name) })
	}
	for _, place := range places {
		cell := table.Figured(place.Rank, 0)
		cell.Class = "heat key"
		row := []any{t.Leaderboard.SystemCell(place.System), cell}
		for _, name := range judges {
			rank := rankOf(name, place.System)
			cell := table.Figured(rank, 0)
			cell.Class = "heat h0"
			if rank.Known && whole[name] {
				if worse := rank.Value - place.Rank.Value; worse >= 2 {
					cell.Class = "heat down"
					cell.Mark = " ▼"
				} else if worse <= -2 {
					cell.Class = "heat up"
					cell.Mark = " ▲"
				}
			}
			row = append(row, cell)
		}
		view.Add(row...)
	}
	return table.Section{ID: "orders", Title: "Does the judge change the order?", Table: view, Lead: "Rank by each judge's own points. " +
		"▲ two or more places better, ▼ worse than with " + first + ".", Verdict: strings.Join(t.Quality.OrderFindings().Texts(), " ")}
}
