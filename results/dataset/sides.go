package dataset

import (
	"strings"

	"compqa/data"
	"compqa/results/trust"
)

// A Question is a pair of objects, and the aspect that it asks about where there are several questions about the pair; its
// letters' case does not count.
type Question struct{ Pair, Aspect string }

// String is the pair, with the aspect in brackets.
func (q Question) String() string {
	if q.Aspect == "" {
		return q.Pair
	}
	return q.Pair + " (" + q.Aspect + ")"
}

// Questions names the question of an answer of a run. The aspect is that of the question that was asked: an imported answer's
// own may be another one.
func Questions(run *Dataset) func(*AnswerRow) Question {
	asked := map[string]int{}
	for _, q := range run.Run.Questions {
		asked[q.Pair()]++
	}
	return func(a *AnswerRow) Question {
		if a.Asked == nil || asked[a.Pair] < 2 {
			return Question{Pair: a.Pair}
		}
		return Question{a.Pair, strings.ToLower(a.Asked.Aspect)}
	}
}

// Places numbers the places of one record, or of two that are compared: equal pairs, questions and scenarios have equal numbers.
type Places struct {
	pairs, scenarios map[string]int
	asked            map[Question]int
	Named            []Question // by trust.Place.Asked
}

// Place is that of an answer to a question.
func (p *Places) Place(q Question, scenario string) trust.Place {
	if p.pairs == nil {
		p.pairs, p.scenarios, p.asked = map[string]int{}, map[string]int{data.NoScenario: trust.NoScenario}, map[Question]int{}
	}
	if _, known := p.asked[q]; !known {
		p.asked[q] = len(p.Named)
		p.Named = append(p.Named, q)
	}
	return trust.Place{Question: number(p.pairs, q.Pair), Asked: p.asked[q], Scenario: number(p.scenarios, scenario)}
}

// number is that of a name, the next one where the name is new.
func number(numbers map[string]int, name string) int {
	if _, known := numbers[name]; !known {
		numbers[name] = len(numbers)
	}
	return numbers[name]
}

// Sides are what a judge gave to the answers of each system, for trust.Paired. An answer that is planned counts once, with the means of
// what points gives for its valid sheets.
func (x *Dataset) Sides(judge int, places *Places, points func(*data.Given) []float64) []trust.Side {
	sides := make([]trust.Side, len(x.Systems))
	for s, system := range x.Systems {
		sides[s].Name = system.Name
	}
	question := Questions(x)
	sheets := x.Valid(judge)
	for from, to := 0, 0; from < len(sheets); from = to {
		answer := sheets[from].Item
		var of trust.Side // the sheets of the answer
		for to < len(sheets) && sheets[to].Item == answer {
			of.Add(trust.Place{}, points(sheets[to])...)
			to++
		}
		if cell := x.CellOf[answer]; cell >= 0 {
			row := &x.Answers[answer]
			sides[x.Cells[cell].System].Add(places.Place(question(row), row.Scenario), of.Sorted().Points[0].Values...)
		}
	}
	for s := range sides {
		sides[s] = sides[s].Sorted()
	}
	return sides
}

// Under are the points of a side under one scenario; "" or AllScenarios: under all.
func (p *Places) Under(s trust.Side, scenario string) trust.Side {
	if scenario == "" || scenario == AllScenarios {
		return s
	}
	n, known := p.scenarios[scenario]
	s.Points = data.Where(s.Points, func(point trust.Point) bool { return known && point.Scenario == n })
	return s
}
