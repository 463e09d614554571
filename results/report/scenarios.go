package report

import (
	"maps"
	"slices"

	"compqa/results/dataset"
	"compqa/results/table"
)

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
	means, scenarios := map[string]map[string]dataset.Estimate{}, map[string]bool{}
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
	names = table.Where(names, func(name string) bool { return len(means[name]) > 1 })
	view := table.New(1, "scenario")
	for _, name := range names {
		view.Header = append(view.Header, "points by "+name, "answers")
	}
	for _, scenario := range slices.SortedFunc(maps.Keys(scenarios), dataset.CompareScenarios) {
		row := []any{scenario}
		for _, name := range names {
			mean := means[name][scenario]
			row = append(row, mean.Bounded, mean.N)
		}
		view.Add(row...)
	}
	return []table.Section{{ID: "scenarios", Title: "Scenarios", About: "Mean points of the answers under each scenario, over the ranked " +
		"systems that have points under all of them, with 95 % intervals, clustered by question (the paper's Figure 6).", Table: view}}
}

// scenarioMeans are a rater's means by scenario, over the ranked systems that have points under all scenarios that the rater
// has points for.
func (t *Report) scenarioMeans(points dataset.AnswerTotals) map[string]dataset.Estimate {
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
	means := map[string]dataset.Estimate{}
	for scenario, sample := range samples {
		means[scenario] = calculator.Mean(*sample)
	}
	return means
}
