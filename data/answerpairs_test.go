package data

import (
	"slices"
	"testing"
)

// TestPairsOfAnswers checks that answers at the same place are paired, in the order of places, and that answers of one system are not.
func TestPairsOfAnswers(t *testing.T) {
	type answer struct {
		id, system string
		place      AnswerPlace
	}
	second := AnswerPlace{Scenario: "1", Question: 10}
	first := AnswerPlace{Scenario: "1", Question: 2}
	answers := []answer{{"a", "s", second}, {"b", "t", second}, {"c", "s", second}, {"d", "s", first}, {"e", "u", first},
		{"f", "s", AnswerPlace{Scenario: "1", Question: 2, Repeat: 1}}}
	pairs := func(most int) (list []string) {
		for a, b := range PairsOfAnswers(answers, most, func(a answer) (AnswerPlace, string) { return a.place, a.system }) {
			list = append(list, a.id+b.id)
		}
		return list
	}
	if all := pairs(0); !slices.Equal(all, []string{"de", "ab", "bc"}) {
		t.Errorf("all: %q", all)
	}
	if some := pairs(2); !slices.Equal(some, []string{"de", "ab"}) {
		t.Errorf("the first two: %q", some)
	}
}
