package paper

import "gonum.org/v1/gonum/floats"

// SheetPairs are score sheets of people and of a judge for the same answers, scores in the rubric's order.
type SheetPairs struct{ People, Judge [][]float64 }

func (p *SheetPairs) Add(person, judge []float64) {
	p.People, p.Judge = append(p.People, person), append(p.Judge, judge)
}

// Values are values of every sheet, one sheet after the other: AllScores, TotalOf, ScoreOf.
func (p SheetPairs) Values(of func(sheet []float64) []float64) (people, judge []float64) {
	for i := range p.People {
		people, judge = append(people, of(p.People[i])...), append(judge, of(p.Judge[i])...)
	}
	return people, judge
}

func AllScores(sheet []float64) []float64 { return sheet }

func TotalOf(sheet []float64) []float64 { return []float64{floats.Sum(sheet)} }

// ScoreOf is the score of one criterion, by its place in the rubric.
func ScoreOf(criterion int) func(sheet []float64) []float64 {
	return func(sheet []float64) []float64 { return sheet[criterion : criterion+1] }
}
