package compare

import (
	"slices"

	"compqa/data"
	"compqa/results/dataset"
	"compqa/stats"
)

// People are the differences of two sides by people's scores: the total (criterion "-"), and each criterion of the sides' group.
// People score few questions of both systems, so each side is the mean of all its answers that they scored, scenario by
// scenario, over the scenarios in which they scored two answers or more of each; the interval is clustered by question (see
// stats.Linearised). ValidA and ValidB are the answers that count. Without such scenarios there are no rows.
func People(a, b Side) (rows []Row, err error) {
	if len(a.References()) == 0 {
		return nil, nil
	}
	reference := a.References()[0]
	type sheets map[string][]*data.Given // by scenario
	people := [2]sheets{{}, {}}
	for _, s := range a.Valid(reference) {
		answer := &a.Answers[s.Item]
		for i, side := range []Side{a, b} {
			if side.has(answer.System, answer.Scenario) {
				people[i][answer.Scenario] = append(people[i][answer.Scenario], s)
			}
		}
	}
	var scenarios []string
	for scenario, list := range people[0] {
		if len(list) > 1 && len(people[1][scenario]) > 1 {
			scenarios = append(scenarios, scenario)
		}
	}
	if scenarios == nil {
		return nil, nil
	}
	slices.SortFunc(scenarios, dataset.CompareScenarios)
	for k, criterion := range append([]string{"-"}, a.Rubric.IDs()...) {
		if k > 0 && a.Group != "" && a.Rubric.Criteria[k-1].Group != a.Group {
			continue
		}
		row := Row{Judge: a.Judges[reference].Name, SystemA: a.name(b), SystemB: b.name(a), Criterion: criterion}
		var samples [][]float64
		var weights, means []float64
		var questions []int
		asked := map[int]bool{}
		for i, side := range []Side{a, b} {
			sum, n := 0.0, 0
			for _, scenario := range scenarios {
				var values []float64
				for _, s := range people[i][scenario] {
					points := side.total(s)
					if k > 0 {
						points = s.Scores[k-1]
					}
					values, questions = append(values, points), append(questions, a.Question[s.Item])
					asked[a.Question[s.Item]] = true
				}
				sum, n = sum+stats.Mean(values), n+len(values)
				samples, weights = append(samples, values), append(weights, float64(2*i-1)/float64(len(scenarios)))
			}
			means = append(means, sum/float64(len(scenarios)))
			if i == 0 {
				row.ValidA = n
			} else {
				row.ValidB = n
			}
		}
		var calc dataset.Calculator
		_, values := stats.Linearised(samples, weights)
		e, missing := stats.MeanInterval(values, questions, dataset.Confidence)
		row.A, row.B, row.Questions = stats.Number(means[0]), stats.Number(means[1]), len(asked)
		row.Difference = calc.Interval(stats.Number(means[1]-means[0]), e.Low, e.High, missing)
		row.Difference.Few = len(asked) < stats.FewClusters
		if calc.Err != nil {
			return nil, calc.Err
		}
		rows = append(rows, row)
	}
	return rows, nil
}
