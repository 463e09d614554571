package report

import (
	"maps"
	"slices"
	"strings"

	"compqa/data"
	"compqa/results/dataset"
	"compqa/results/table"
	"compqa/results/trust"
	"compqa/stats"
)

// A ScenarioRow is a rater's mean points in a scenario, in total or on a group of criteria (Nikishina et al., Figures 6 and 7). It covers
// only ranked systems and questions that have points by this rater in all scenarios. Otherwise, other systems or questions would look like
// a difference between scenarios.
type ScenarioRow struct {
	Group    string       `csv:"group"` // group of criteria, or allGroups for totals
	Scenario string       `csv:"scenario"`
	Judge    string       `csv:"judge"`
	N        int          `csv:"n"`         // number of answers
	Shared   int          `csv:"questions"` // questions with points in all scenarios
	Mean     stats.Figure `csv:"mean,low,high"`
	// Difference is the mean minus the mean of the other scenarios' means.
	Difference stats.Figure `csv:"difference,difference_low,difference_high"`
}

var scenariosTable = table.Def[ScenarioRow]{File: "scenarios.csv"}

// allGroups is the group of rows on totals.
const allGroups = "all"

// effectRaters returns people if they scored answers, then the headline judge, then the other judges that are not degenerate.
func (t *Report) effectRaters() (judges []int) {
	judges = append(judges, t.References()[:min(1, len(t.References()))]...)
	for _, j := range t.Scorers() {
		if t.Judges[j].Name == t.Leaderboard.Headline {
			judges = append(judges, j)
		}
	}
	for _, j := range t.Scorers() {
		if t.Judges[j].Name != t.Leaderboard.Headline && t.Degenerate[j] == "" {
			judges = append(judges, j)
		}
	}
	return judges
}

// raterName returns a judge's name, or "people" for people's scores.
func (t *Report) raterName(judge int) string {
	if t.People(judge) {
		return trust.People
	}
	return t.Judges[judge].Name
}

// scenarioRows returns the rows sorted by group (totals first), scenario and rater. A rater needs points in at least two scenarios.
func (t *Report) scenarioRows() (rows []ScenarioRow, err error) {
	judges := t.effectRaters()
	byRater := make([][]ScenarioRow, len(judges))
	err = data.SideBySide(len(judges), func(i int) error {
		var c dataset.Calculator
		byRater[i] = t.scenariosBy(&c, judges[i])
		return c.Err
	})
	for _, group := range append([]string{allGroups}, t.Groups...) {
		for _, scenario := range t.Scenarios() {
			for _, list := range byRater {
				rows = append(rows, data.Where(list, func(r ScenarioRow) bool { return r.Group == group && r.Scenario == scenario })...)
			}
		}
	}
	return rows, err
}

// scenariosBy returns the rows of one rater. It finds the scenarios with points, keeps the systems and then the questions that have points
// in all of them, and computes the means and differences.
func (t *Report) scenariosBy(c *dataset.Calculator, judge int) (rows []ScenarioRow) {
	tallies := t.Tallies(judge)
	candidates := t.Candidates()
	scored := func(cell int) bool {
		return len(tallies[cell].Totals) > 0 && t.Conditions[cell].Scenario != data.NoScenario && candidates[t.Conditions[cell].System]
	}
	var scenarios []string
	for cell := range t.Conditions {
		if scored(cell) && !slices.Contains(scenarios, t.Conditions[cell].Scenario) {
			scenarios = append(scenarios, t.Conditions[cell].Scenario)
		}
	}
	if len(scenarios) < 2 {
		return nil
	}
	slices.SortFunc(scenarios, dataset.CompareScenarios)
	cells := map[string][]int{} // conditions of the systems with points in all scenarios
	for _, indices := range t.BySystem {
		if whole := data.Where(indices, scored); len(whole) == len(scenarios) {
			for _, cell := range whole {
				cells[t.Conditions[cell].Scenario] = append(cells[t.Conditions[cell].Scenario], cell)
			}
		}
	}
	shared := map[int]int{} // by question: number of scenarios in which it has points
	for _, scenario := range scenarios {
		seen := map[int]bool{}
		for _, cell := range cells[scenario] {
			for _, q := range tallies[cell].Questions {
				seen[q] = true
			}
		}
		for q := range seen {
			shared[q]++
		}
	}
	maps.DeleteFunc(shared, func(_, n int) bool { return n < len(scenarios) })
	if len(shared) == 0 {
		return nil
	}
	for g, group := range append([]string{allGroups}, t.Groups...) {
		samples := make([]dataset.Sample, len(scenarios))
		for k, scenario := range scenarios {
			for _, cell := range cells[scenario] {
				values := tallies[cell].Totals
				if g > 0 {
					values = tallies[cell].Groups[g-1]
				}
				for i, v := range values {
					if q := tallies[cell].Questions[i]; shared[q] > 0 {
						samples[k].Add(v, q)
					}
				}
			}
		}
		for k, scenario := range scenarios {
			weights := slices.Repeat([]float64{-1 / float64(len(scenarios)-1)}, len(scenarios))
			weights[k] = 1
			rows = append(rows, ScenarioRow{Group: group, Scenario: scenario, Judge: t.Judges[judge].Name, N: len(samples[k].Values),
				Shared: len(shared), Mean: c.Mean(samples[k]), Difference: contrast(c, samples, weights)})
		}
	}
	return rows
}

// contrast returns the weighted sum of the samples' means, with an interval clustered by question (see stats.Linearised).
func contrast(c *dataset.Calculator, samples []dataset.Sample, weights []float64) stats.Figure {
	few := slices.ContainsFunc(samples, dataset.Sample.Few)
	questions := slices.Concat(data.Each(samples, func(s dataset.Sample) []int { return s.Questions })...)
	_, linear := stats.Linearised(data.Each(samples, func(s dataset.Sample) []float64 { return s.Values }), weights)
	figure := c.Mean(dataset.Sample{Values: linear, Questions: questions})
	figure.Few = few
	return figure
}

// scenarioFindings returns the order of scenarios by each rater that has enough questions. Then, for totals and for each group of criteria,
// it returns the scenario with the lowest points.
func (t *Report) scenarioFindings() (all table.Findings) {
	var orders []trust.ScenarioOrder
	scenarios := data.Where(t.scenarios, func(r ScenarioRow) bool { return !r.Mean.Few })
	for _, j := range t.effectRaters() {
		totals := data.Where(scenarios, func(r ScenarioRow) bool { return r.Group == allGroups && r.Judge == t.Judges[j].Name })
		slices.SortStableFunc(totals, func(a, b ScenarioRow) int { return stats.CompareFigures(a.Mean, b.Mean, -1) })
		if len(totals) > 0 {
			orders = append(orders, trust.ScenarioOrder{By: t.raterName(j), Questions: totals[0].Shared,
				Scenarios: data.Each(totals, func(r ScenarioRow) string { return dataset.ScenarioName(r.Scenario) })})
		}
	}
	if len(orders) == 0 {
		return nil
	}
	all = append(all, trust.ScenarioOrders(orders))
	for _, group := range append([]string{allGroups}, t.Groups...) {
		rows := data.Where(scenarios, func(r ScenarioRow) bool { return r.Group == group })
		first := data.Where(rows, func(r ScenarioRow) bool { return r.Judge == rows[0].Judge })
		lowest := slices.MinFunc(first, func(a, b ScenarioRow) int { return stats.CompareFigures(a.Mean, b.Mean, 1) })
		loss := trust.ScenarioLoss{Scenario: dataset.ScenarioName(lowest.Scenario)}
		if group != allGroups {
			loss.Group = group
		}
		for _, r := range rows {
			if r.Scenario == lowest.Scenario {
				loss.By = append(loss.By, trust.Effect{By: t.raterName(t.JudgeNamed(r.Judge)), Value: r.Difference, Questions: r.Shared})
			}
		}
		if f, ok := loss.Finding(); ok {
			all = append(all, f)
		}
	}
	return all
}

// EffectSections returns the tables on how points depend on the scenario and on the aspect, by people and judges.
func (t *Report) EffectSections() []table.Section {
	return slices.Concat(t.scenarioSection(true), t.aspectSection())
}

// scenarioSection returns the means of scenarios, with a column for each rater. If groups is true, it also has the means on groups of
// criteria.
func (t *Report) scenarioSection(groups bool) []table.Section {
	if len(t.scenarios) == 0 {
		return nil
	}
	judges := data.Where(t.effectRaters(), func(j int) bool {
		return slices.ContainsFunc(t.scenarios, func(r ScenarioRow) bool { return r.Judge == t.Judges[j].Name })
	})
	judges = judges[:min(len(judges), mostFigures)]
	view := table.New(2, append([]string{"points", "scenario"}, data.Each(judges,
		func(j int) string { return t.NameOfJudge(t.raterName(j)) })...)...)
	for _, group := range table.Grouped(t.scenarios, func(r ScenarioRow) [2]string { return [2]string{r.Group, r.Scenario} }) {
		name := group[0].Group
		if name == allGroups {
			name = "totals"
		} else if !groups {
			continue
		}
		row := []any{name, dataset.ScenarioName(group[0].Scenario)}
		for _, j := range judges {
			mean := table.First(group, func(r ScenarioRow) bool { return r.Judge == t.Judges[j].Name }).Mean
			if !mean.Few { // else the cell says that there are too few
				mean = mean.Point()
			}
			row = append(row, mean)
		}
		view.Add(row...)
	}
	return []table.Section{{ID: "scenarios", Title: "Scenarios", Verdict: strings.Join(t.scenarioFindings().Texts(), " "),
		About: "Mean points of the answers under each scenario, in total and by group of criteria, over the ranked systems and " +
			"the questions that a rater scored under all scenarios (the paper's Figures 6 and 7): scenarios that show arguments lack the " +
			"questions without any. Intervals, by question, numbers of questions, and groups are in tables/scenarios.csv.", Table: view}}
}

// An AspectRow compares a rater's mean points for answers to questions with and without an aspect (Nikishina et al., Table 4). If people
// scored answers, the row of a judge covers only these answers.
type AspectRow struct {
	Judge       string       `csv:"judge"`
	With        int          `csv:"n_with"` // number of answers to questions with an aspect
	Without     int          `csv:"n_without"`
	MeanWith    stats.Figure `csv:"mean_with,with_low,with_high"`
	MeanWithout stats.Figure `csv:"mean_without,without_low,without_high"`
	Difference  stats.Figure `csv:"difference,difference_low,difference_high"` // with minus without
	BeyondHuman stats.Figure `csv:"beyond_people,beyond_low,beyond_high"`      // the judge's difference minus people's
}

var aspectsTable = table.Def[AspectRow]{File: "aspects.csv"}

// aspectRows returns a row for each rater who scored answers to both kinds of questions.
func (t *Report) aspectRows() (rows []AspectRow, err error) {
	people := t.AnswerTotals(t.References()...)
	candidates := t.Candidates()
	var c dataset.Calculator
	for _, j := range t.effectRaters() {
		points := t.AnswerTotals(j)
		var totals, gaps [2]dataset.Sample // index 0 without an aspect, 1 with one
		for i, a := range t.Answers {
			value, given := points.Of(i)
			reference, rated := people.Of(i)
			if !given || t.ConditionOf[i] < 0 || !candidates[t.Conditions[t.ConditionOf[i]].System] || people.Any() && !rated {
				continue
			}
			side := int(dataset.Indicator(a.Aspect != ""))
			totals[side].Add(value, t.Question[i])
			gaps[side].Add(value-reference, t.Question[i])
		}
		r := AspectRow{Judge: t.Judges[j].Name, With: len(totals[1].Values), Without: len(totals[0].Values)}
		if min(r.With, r.Without) == 0 {
			continue
		}
		r.MeanWith, r.MeanWithout = c.Mean(totals[1]), c.Mean(totals[0])
		r.Difference = contrast(&c, totals[:], []float64{-1, 1})
		if people.Any() && !t.People(j) {
			r.BeyondHuman = contrast(&c, gaps[:], []float64{-1, 1})
		}
		rows = append(rows, r)
	}
	return rows, c.Err
}

// aspectFindings says how many points people and judges deduct for an aspect. Without people's scores it returns nil.
func (t *Report) aspectFindings() table.Findings {
	var a trust.Aspects
	for _, r := range t.aspects {
		effect := trust.Effect{By: t.raterName(t.JudgeNamed(r.Judge)), Value: r.Difference}
		if t.People(t.JudgeNamed(r.Judge)) {
			a.People = effect
			continue
		}
		a.Judges = append(a.Judges, effect)
		a.Gap = append(a.Gap, r.BeyondHuman)
	}
	f, ok := a.Finding()
	if !ok {
		return nil
	}
	return table.Findings{f}
}

func (t *Report) aspectSection() []table.Section {
	if len(t.aspects) == 0 {
		return nil
	}
	view := table.New(1, "scores of", "answers with", "mean with", "answers without", "mean without", "with minus without")
	for _, r := range t.aspects {
		view.Add(t.NameOfJudge(t.raterName(t.JudgeNamed(r.Judge))), r.With, r.MeanWith.Point(), r.Without, r.MeanWithout.Point(),
			table.Signed(r.Difference, 2))
	}
	about := "Answers to questions with and without an aspect (the paper's Table 4), with the 95 % interval of the difference, by question."
	if t.References() != nil {
		about += " The answers that people scored."
	}
	return []table.Section{{ID: "aspects", Title: "Aspects", Verdict: strings.Join(t.aspectFindings().Texts(), " "), About: about,
		Table: view}}
}
