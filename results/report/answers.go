package report

import (
	"cmp"
	"slices"
	"strings"

	"compqa/data"
	"compqa/results/dataset"
	"compqa/results/judgequality"
	"compqa/results/leaderboard"
	"compqa/results/store"
	"compqa/results/table"
	"compqa/results/trust"
	"compqa/stats"
)

// ShortAnswers answers the questions that readers of the ranking ask next. A finding is split at its colon: the first part is the short
// answer.
func (t *Report) ShortAnswers() (all []table.Answer) {
	add := func(question, text, more string) {
		short := text
		rest := ""
		if colon := strings.Index(text, ":"); colon >= 0 && colon < len(text)-1 {
			short = text[:colon+1]
			rest = text[colon+1:]
		}
		all = append(all, table.Answer{Question: question, Short: short, Text: strings.TrimSpace(rest + " " + more)})
	}
	decisions := data.Where(t.Quality.Decisions, func(d *trust.Decision) bool { return d.Criterion != judgequality.Totals })
	switch {
	case len(decisions) > 0:
		f := trust.InPlace(decisions)
		all = append(all, table.Answer{Question: "Can a judge replace people?", Short: f.Text,
			Text: strings.TrimSpace(strings.ReplaceAll(t.agreeing(), "**", "") + " " + t.lenient())})
	case t.References() == nil && len(t.Scorers()) > 0:
		f := trust.NoPeople()
		all = append(all, table.Answer{Question: "Can a judge replace people?", Short: "Not known.",
			Text: f.Text + " " + data.Capital(f.Next) + "."})
	}
	if p := t.prompts(); p.Gains != nil {
		add("Does the prompt matter?", p.Finding().Text, "")
	}
	if f := t.cheaper(); f.Text != "" {
		all = append(all, table.Answer{Question: "Does a cheaper one do?", Short: f.Text})
	}
	all = append(all, table.Answer{Question: "What is missing?", Text: t.ran()})
	return all
}

// scenarioPoints returns a system's points in a scenario. If human points order the ranking, points are those that people would give, and
// people is the number of answers that people scored. Otherwise points are the headline judge's, and people is missing.
func (t *Report) scenarioPoints(system, scenario string) (points, people stats.Figure) {
	r := t.Leaderboard.At[dataset.PlanKey{Judge: t.Leaderboard.Headline, System: system, Scenario: scenario}]
	switch {
	case r == nil:
		return points, people
	case t.predicted():
		return r.HumanMean, r.NHuman
	}
	return r.Points(), people
}

// prompts returns how much the prompt changes the points of the ranked systems that have points in every scenario. With fewer than two such
// systems or two scenarios, it has no gains.
func (t *Report) prompts() (p trust.Prompts) {
	scenarios := data.Where(t.Scenarios(), func(s string) bool { return s != data.NoScenario })
	var systems []map[string]float64
	var means []float64
	for _, place := range ranked(t.Leaderboard.Places) {
		points := map[string]float64{}
		for _, scenario := range scenarios {
			if value, _ := t.scenarioPoints(place.System, scenario); value.Known {
				points[scenario] = value.Value
			}
		}
		if len(points) == len(scenarios) {
			systems = append(systems, points)
			means = append(means, place.Points.Value)
		}
	}
	if len(scenarios) < 2 || len(systems) < 2 {
		return p
	}
	mean := func(scenario string) float64 {
		return stats.Mean(data.Each(systems, func(points map[string]float64) float64 { return points[scenario] }))
	}
	byMean := slices.SortedStableFunc(slices.Values(scenarios), func(a, b string) int { return cmp.Compare(mean(a), mean(b)) })
	worst := byMean[0]
	best := byMean[len(byMean)-1]
	for _, points := range systems {
		p.Gains = append(p.Gains, points[best]-points[worst])
	}
	p.Best, p.Worst, p.Low, p.High = dataset.ScenarioName(best), dataset.ScenarioName(worst), slices.Min(means), slices.Max(means)
	return p
}

// cheaper returns a finding about the cheapest system that may also be first, if its answers cost less than those of the first system.
func (t *Report) cheaper() (f table.Finding) {
	ranked := ranked(t.Leaderboard.Places)
	price := func(system string) float64 {
		paid := table.First(t.Quality.Paid, func(r judgequality.CostRow) bool { return r.Kind == store.KindAnswer && r.Name == system })
		if !paid.Cost.Known || paid.Unpriced > 0 {
			return -1
		}
		return paid.Cost.Value / float64(max(1, t.counted(store.KindAnswer, "", system, "").planned))
	}
	if len(ranked) < 2 || price(ranked[0].System) <= 0 {
		return f
	}
	first := price(ranked[0].System)
	least := first
	for _, place := range ranked[1:] {
		if cost := price(place.System); mayBeFirst(place) && cost >= 0 && cost < least {
			least = cost
			f = trust.Cheaper(t.SystemName(place.System), t.SystemName(ranked[0].System), cost, first)
		}
	}
	return f
}

// predicted reports whether the ranking uses human points, which are predicted.
func (t *Report) predicted() bool { return t.Leaderboard.By == leaderboard.ByHumanPoints }
