package dataset

import (
	"strings"

	"compqa/data"
	"compqa/results/trust"
)

// A Question is a pair of objects, and the aspect if several questions are about the pair. The aspect is in lower case.
type Question struct{ Pair, Aspect string }

// String returns the pair, followed by the aspect in brackets.
func (q Question) String() string {
	if q.Aspect == "" {
		return q.Pair
	}
	return q.Pair + " (" + q.Aspect + ")"
}

// Questions returns a function that returns the question of an answer. The aspect is the one of the question that was asked, because an
// imported answer may state another one.
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

// Places numbers the questions, object pairs and scenarios of answers, of one record or of two that are compared. Equal ones have equal
// numbers. Numbers follow the order of all answers, whoever scored them, so that sums do not depend on what else is compared.
type Places struct {
	pairs, scenarios map[string]int
	asked            map[Question]int
	Named            []Question // by the number trust.Place.Asked
	placed           map[*Dataset][]trust.Place
}

// NewPlaces numbers the places of all answers of the records.
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
			place := trust.Place{Pair: number(p.pairs, q.Pair), Question: number(p.asked, q), Scenario: number(p.scenarios,
				x.Answers[i].Scenario)}
			if place.Question == len(p.Named) {
				p.Named = append(p.Named, q)
			}
			p.placed[x] = append(p.placed[x], place)
		}
	}
	return p
}

// Place returns the place of an answer of a record.
func (p *Places) Place(x *Dataset, answer int) trust.Place { return p.placed[x][answer] }

// number returns the number of a name. A new name gets the next number.
func number[Name comparable](numbers map[Name]int, name Name) int {
	if _, known := numbers[name]; !known {
		numbers[name] = len(numbers)
	}
	return numbers[name]
}

// Sides returns the points that a judge gave to the answers of each system, for trust.ComparePaired. An answer in a table counts once, with
// the means over its valid sheets. points returns the values of a sheet.
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
			sides[x.Conditions[cell].System].Add(places.placed[x][answer], given.MeanByPlace().Points[0].Values...)
		}
	}
	for s := range sides {
		sides[s] = sides[s].MeanByPlace()
	}
	return sides
}

// Under returns the points of a side in one scenario, or all of them if scenario is "" or AllScenarios.
func (p *Places) Under(s trust.Side, scenario string) trust.Side {
	if scenario == "" || scenario == AllScenarios {
		return s
	}
	n, known := p.scenarios[scenario]
	s.Points = data.Where(s.Points, func(point trust.Point) bool { return known && point.Scenario == n })
	return s
}
