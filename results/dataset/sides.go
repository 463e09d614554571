package dataset

import (
	"strings"

	"compqa/data"
	"compqa/results/trust"
)

// A Question is a pair of objects, and the aspect that it asks about where there are several questions about the pair; its
// letters' case does not count.
type Question struct{ Pair, Aspect string }

// String returns the pair, with the aspect in brackets.
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

// Places numbers the places of the answers of one record, or of two that are compared: equal pairs, questions and scenarios have equal
// numbers. They follow the order of all answers, whoever scored them, so that sums over them do not depend on what else is compared.
type Places struct {
	pairs, scenarios map[string]int
	asked            map[Question]int
	Named            []Question // by trust.Place.Asked
	placed           map[*Dataset][]trust.Place
}

// NewPlaces numbers the places of the answers of records.
func NewPlaces(records ...*Dataset) *Places {
	p := &Places{pairs: map[string]int{}, scenarios: map[string]int{data.NoScenario: trust.NoScenario}, asked: map[Question]int{},
		placed: map[*Dataset][]trust.Place{}}
	for _, x := range records {
		if p.placed[x] != nil {
			continue
		}
		question := Questions(x)
		for i := range x.Answers {
			q := question(&x.Answers[i])
			place := trust.Place{Question: number(p.pairs, q.Pair), Asked: number(p.asked, q), Scenario: number(p.scenarios, x.Answers[i].Scenario)}
			if place.Asked == len(p.Named) {
				p.Named = append(p.Named, q)
			}
			p.placed[x] = append(p.placed[x], place)
		}
	}
	return p
}

// Place returns that of an answer of a record.
func (p *Places) Place(x *Dataset, answer int) trust.Place { return p.placed[x][answer] }

// number returns that of a name, the next one where the name is new.
func number[Name comparable](numbers map[Name]int, name Name) int {
	if _, known := numbers[name]; !known {
		numbers[name] = len(numbers)
	}
	return numbers[name]
}

// Sides returns what a judge gave to the answers of each system, for trust.Paired. An answer that is planned counts once, with the means of
// what points gives for its valid sheets.
func (x *Dataset) Sides(judge int, places *Places, points func(*data.Given) []float64) []trust.Side {
	sides := make([]trust.Side, len(x.Systems))
	for s, system := range x.Systems {
		sides[s].Name = system.Name
	}
	sheets := x.Valid(judge)
	for from, to := 0, 0; from < len(sheets); from = to {
		answer := sheets[from].Item
		var given trust.Side // the sheets of the answer
		for to < len(sheets) && sheets[to].Item == answer {
			given.Add(trust.Place{}, points(sheets[to])...)
			to++
		}
		if cell := x.ConditionOf[answer]; cell >= 0 {
			sides[x.Conditions[cell].System].Add(places.placed[x][answer], given.Sorted().Points[0].Values...)
		}
	}
	for s := range sides {
		sides[s] = sides[s].Sorted()
	}
	return sides
}

// Under returns the points of a side under one scenario; "" or AllScenarios: under all.
func (p *Places) Under(s trust.Side, scenario string) trust.Side {
	if scenario == "" || scenario == AllScenarios {
		return s
	}
	n, known := p.scenarios[scenario]
	s.Points = data.Where(s.Points, func(point trust.Point) bool { return known && point.Scenario == n })
	return s
}
