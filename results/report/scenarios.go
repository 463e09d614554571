package report

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"compqa/data"
	"compqa/results/dataset"
	"compqa/results/leaderboard"
	"compqa/results/table"
	"compqa/stats"
)

// OrderSections are whether the prompt and the judge change the order of the ranked systems: their points by scenario, and
// their ranks by each judge. A section is left out where there is nothing to compare.
func (t *Report) OrderSections() (sections []table.Section) {
	places := ranked(t.Places)
	prompts, judges := t.promptSection(places), t.judgeOrderSection(places)
	if prompts.Table != nil && judges.Table != nil {
		prompts.Pane, judges.Pane = table.Left, table.Right
	}
	return data.Where([]table.Section{prompts, judges}, func(s table.Section) bool { return s.Table != nil })
}

// fewScored is the number of answers below which people's points of a cell are marked.
const fewScored = 10

// promptSection has the points of each system by scenario: those that people would give where these order the ranking, else
// the headline judge's. Systems without a scenario, such as people's answers, are left out.
func (t *Report) promptSection(places []leaderboard.Place) table.Section {
	scenarios := data.Where(t.Scenarios(), func(s string) bool { return s != data.NoScenario })
	if len(scenarios) < 2 {
		return table.Section{}
	}
	s := table.Section{ID: "prompts", Title: "Does the prompt change the order?"}
	s.Table = table.New(1, append([]string{"system"}, scenarios...)...)
	s.Lead = "Points by scenario, of " + strings.ReplaceAll(t.Headline, "**", "") + "."
	byPeople := t.By == leaderboard.ByHumanPoints
	if byPeople {
		s.Lead = fmt.Sprintf("Points that people would give, by scenario. ○ people scored fewer than %d answers.", fewScored)
	}
	s.Table.Look = "heat"
	points := func(system, scenario string) (value stats.Figure, n stats.Figure) {
		r := t.At[dataset.PlanKey{Judge: t.Headline, System: system, Scenario: scenario}]
		switch {
		case r == nil:
			return value, n
		case byPeople:
			return r.HumanMean, r.NHuman
		}
		return r.Points(), n
	}
	low, high := t.Rubric.Max(), t.Rubric.Min()
	for _, place := range places {
		for _, scenario := range scenarios {
			if value, _ := points(place.System, scenario); value.Known {
				low, high = min(low, value.Value), max(high, value.Value)
			}
		}
	}
	for _, place := range places {
		row, known := []any{t.SystemCell(place.System)}, false
		for _, scenario := range scenarios {
			value, n := points(place.System, scenario)
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

// judgeOrderSection has the rank of each system by each judge's own points beside its rank on the board. A rank that is two
// places or more apart is marked where the judge ranks the same systems.
func (t *Report) judgeOrderSection(places []leaderboard.Place) table.Section {
	rankOf := func(judge, system string) stats.Figure {
		if r := t.At[dataset.PlanKey{Judge: judge, System: system, Scenario: dataset.AllScenarios}]; r != nil {
			return r.Rank
		}
		return stats.Figure{}
	}
	var judges []string
	whole := map[string]bool{} // the judge ranks all of the places
	for _, j := range t.Judges {
		n := len(data.Where(places, func(p leaderboard.Place) bool { return rankOf(j.Name, p.System).Known }))
		if j.Kind != dataset.KindFloor && j.Kind != dataset.KindHuman && n > 1 {
			judges = append(judges, j.Name)
			whole[j.Name] = n == len(places)
		}
	}
	first := map[bool]string{true: "people", false: t.Judge}[t.By == leaderboard.ByHumanPoints]
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
		own := table.Figured(place.Rank, 0)
		own.Class = "heat key"
		row := []any{t.SystemCell(place.System), own}
		for _, name := range judges {
			rank := rankOf(name, place.System)
			cell := table.Figured(rank, 0)
			cell.Class = "heat h0"
			if rank.Known && whole[name] {
				if worse := rank.Value - place.Rank.Value; worse >= 2 {
					cell.Class, cell.Mark = "heat down", " ▼"
				} else if worse <= -2 {
					cell.Class, cell.Mark = "heat up", " ▲"
				}
			}
			row = append(row, cell)
		}
		view.Add(row...)
	}
	return table.Section{ID: "orders", Title: "Does the judge change the order?", Table: view, Lead: "Rank by each judge's own points. " +
		"▲ two or more places better, ▼ worse than with " + first + "."}
}

// scenarioSection is the mean points of each scenario, by the headline judge and by people (Nikishina et al., Figure 6), where
// a rater has points under two scenarios at least. A rater's row counts the ranked systems that have points under all of its
// scenarios, because the answers of one system more would look like a difference between scenarios.
func (t *Report) scenarioSection() []table.Section {
	raters := map[string]dataset.AnswerTotals{}
	var names []string
	if judge := t.JudgeNamed(t.Headline); judge >= 0 && !t.People(judge) {
		names = append(names, t.Headline)
		raters[t.Headline] = t.AnswerTotals(judge)
	}
	if people := t.References(); people != nil {
		names = append(names, "people")
		raters["people"] = t.AnswerTotals(people...)
	}
	means, scenarios := map[string]map[string]stats.Figure{}, map[string]bool{}
	for _, name := range names {
		means[name] = t.scenarioMeans(raters[name])
		if len(means[name]) < 2 {
			continue
		}
		for scenario := range means[name] {
			scenarios[scenario] = true
		}
	}
	if len(scenarios) < 2 {
		return nil
	}
	names = data.Where(names, func(name string) bool { return len(means[name]) > 1 })
	view := table.New(1, "scenario")
	for _, name := range names {
		view.Header = append(view.Header, "points by "+name, "answers")
	}
	for _, scenario := range slices.SortedFunc(maps.Keys(scenarios), dataset.CompareScenarios) {
		row := []any{scenario}
		for _, name := range names {
			mean := means[name][scenario]
			row = append(row, mean, mean.N)
		}
		view.Add(row...)
	}
	return []table.Section{{ID: "scenarios", Title: "Scenarios", About: "Mean points of the answers under each scenario, over the ranked " +
		"systems that have points under all of them, with 95 % intervals, clustered by question (the paper's Figure 6).", Table: view}}
}

// scenarioMeans are a rater's means by scenario, over the ranked systems that have points under all scenarios that the rater
// has points for.
func (t *Report) scenarioMeans(points dataset.AnswerTotals) map[string]stats.Figure {
	candidates, has := t.Candidates(), map[int]map[string]bool{} // by system
	each := func(do func(system int, scenario string, total float64, question int)) {
		for i, a := range t.Answers {
			if total, scored := points.Of(i); scored && t.CellOf[i] >= 0 && candidates[t.Cells[t.CellOf[i]].System] {
				do(t.Cells[t.CellOf[i]].System, a.Scenario, total, t.Question[i])
			}
		}
	}
	all := map[string]bool{}
	each(func(system int, scenario string, _ float64, _ int) {
		if has[system] == nil {
			has[system] = map[string]bool{}
		}
		has[system][scenario], all[scenario] = true, true
	})
	samples := map[string]*dataset.Sample{}
	each(func(system int, scenario string, total float64, question int) {
		if len(has[system]) == len(all) {
			if samples[scenario] == nil {
				samples[scenario] = &dataset.Sample{}
			}
			samples[scenario].Add(total, question)
		}
	})
	var calculator dataset.Calculator
	means := map[string]stats.Figure{}
	for scenario, sample := range samples {
		means[scenario] = calculator.Mean(*sample)
	}
	return means
}
