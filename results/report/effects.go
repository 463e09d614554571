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

// A ScenarioRow is a rater's mean points of the answers under a scenario, in total or on a group of criteria (Nikishina et al., Figures 6
// and 7), over the ranked systems that have points by this rater under all of its scenarios, and the questions that do: the answers of one
// system or question more would look like a difference between scenarios.
type ScenarioRow struct {
	Group    string       `csv:"group"` // of criteria; allGroups: totals
	Scenario string       `csv:"scenario"`
	Judge    string       `csv:"judge"`
	N        int          `csv:"n"`         // answers
	Shared   int          `csv:"questions"` // with points under all scenarios
	Mean     stats.Figure `csv:"mean,low,high"`
	// its mean minus the mean of the other scenarios' means
	Difference stats.Figure `csv:"difference,difference_low,difference_high"`
}

var scenariosTable = table.Def[ScenarioRow]{File: "scenarios.csv"}

// allGroups stands for totals among groups of criteria.
const allGroups = "all"

// effectRaters returns people, if there are any, the judge that comes first, and then the others.
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

// raterName returns a judge's name; people have one.
func (t *Report) raterName(judge int) string {
	if t.People(judge) {
		return trust.People
	}
	return t.Judges[judge].Name
}

// scenarioRows returns by group, the totals first, scenario and rater. A rater with points under one scenario has none.
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
	cells := map[string][]int{} // of the systems with points under all scenarios
	for _, indices := range t.BySystem {
		if whole := data.Where(indices, scored); len(whole) == len(scenarios) {
			for _, cell := range whole {
				cells[t.Conditions[cell].Scenario] = append(cells[t.Conditions[cell].Scenario], cell)
			}
		}
	}
	shared := map[int]int{} // by question: the number of scenarios under which it has points
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

// contrast returns the weighted sum of the means of samples, clustered by question (see stats.Linearised).
func contrast(c *dataset.Calculator, samples []dataset.Sample, weights []float64) stats.Figure {
	var values [][]float64
	var questions []int
	few := false
	for _, s := range samples {
		values = append(values, s.Values)
		questions = append(questions, s.Questions...)
		few = few || s.Few()
	}
	_, linear := stats.Linearised(values, weights)
	figure := c.Mean(dataset.Sample{Values: linear, Questions: questions})
	figure.Few = few
	return figure
}

// scenarioFindings returns the order of the scenarios by each rater with points on enough questions, and for totals and each group of
// criteria the scenario that loses most.
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

// EffectSections returns what scenarios and aspects change, by people and judges.
func (t *Report) EffectSections() []table.Section {
	return slices.Concat(t.scenarioSection(true), t.aspectSection())
}

// scenarioSection has the means of scenarioRows, people next to judges; groups: of groups of criteria too.
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
			if !mean.Few { // else it says so
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

// An AspectRow is a rater's mean points of the answers to questions with an aspect and without (Nikishina et al., Table 4). Where people
// scored answers, judges' are of the same answers.
type AspectRow struct {
	Judge       string       `csv:"judge"`
	With        int          `csv:"n_with"` // answers
	Without     int          `csv:"n_without"`
	MeanWith    stats.Figure `csv:"mean_with,with_low,with_high"`
	MeanWithout stats.Figure `csv:"mean_without,without_low,without_high"`
	Difference  stats.Figure `csv:"difference,difference_low,difference_high"` // with minus without
	BeyondHuman stats.Figure `csv:"beyond_people,beyond_low,beyond_high"`      // the judge's difference minus people's
}

var aspectsTable = table.Def[AspectRow]{File: "aspects.csv"}

// aspectRows returns a row for each judge and person who scored answers with an aspect and answers without one.
func (t *Report) aspectRows() (rows []AspectRow, err error) {
	people := t.AnswerTotals(t.References()...)
	candidates := t.Candidates()
	var c dataset.Calculator
	for _, j := range t.effectRaters() {
		points := t.AnswerTotals(j)
		var totals, gaps [2]dataset.Sample // without and with an aspect
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

// aspectFindings say what people and judges take off for an aspect; without people there are none.
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
