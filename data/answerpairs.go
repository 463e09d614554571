package data

import (
	"cmp"
	"iter"
	"slices"
)

// An AnswerPlace is what two answers must have in common to be compared: the scenario, the index of the question in its set, the objects
// (PairKey), the aspect and the repeat.
type AnswerPlace struct {
	Scenario     string
	Question     int
	Pair, Aspect string
	Repeat       int
}

// compare orders places by scenario, question, objects, aspect and repeat.
func (p AnswerPlace) compare(other AnswerPlace) int {
	return cmp.Or(cmp.Compare(p.Scenario, other.Scenario), p.Question-other.Question, cmp.Compare(p.Pair, other.Pair),
		cmp.Compare(p.Aspect, other.Aspect), p.Repeat-other.Repeat)
}

// PairsOfAnswers yields pairs of answers of two different systems at the same place. Pairs are ordered by place, then by the order of
// answers. At most first pairs are yielded; 0 means all. at returns the place and the system of an answer.
func PairsOfAnswers[A any](answers []A, first int, at func(A) (place AnswerPlace, system string)) iter.Seq2[A, A] {
	byPlace := map[AnswerPlace][]A{}
	var places []AnswerPlace
	for _, a := range answers {
		place, _ := at(a)
		if byPlace[place] == nil {
			places = append(places, place)
		}
		byPlace[place] = append(byPlace[place], a)
	}
	slices.SortFunc(places, AnswerPlace.compare)
	return func(yield func(A, A) bool) {
		n := 0
		for _, place := range places {
			for i, a := range byPlace[place] {
				_, system := at(a)
				for _, b := range byPlace[place][i+1:] {
					if _, other := at(b); other == system {
						continue
					}
					if first > 0 && n == first || !yield(a, b) {
						return
					}
					n++
				}
			}
		}
	}
}
