package compare

import (
	"compqa/data"
	"compqa/results/dataset"
	"compqa/results/table"
	"compqa/stats"
)

// A Choice counts how often a system chooses the same object with arguments and with the
// reversed arguments: a choice that does not follow the arguments. Nikishina et al. (appendix C)
// ask whether models prefer popular objects; here only the arguments differ.
type Choice struct {
	SystemA   string        `csv:"system_a"`
	SystemB   string        `csv:"system_b"`
	Scenario  string        `csv:"scenario"`  // dataset.AllScenarios: all that show arguments
	Answers   int           `csv:"answers"`   // pairs of valid answers whose arguments differ
	Undecided int           `csv:"undecided"` // of these, one of the two chooses no object
	Follow    int           `csv:"follow"`    // the choice changes with the arguments
	Keep      int           `csv:"keep"`      // the choice stays
	Share     table.Bounded `csv:"keep_share"`
}

// Reversed reports whether the arguments of exactly one of two runs are reversed.
func Reversed(a, b *dataset.Dataset) bool {
	return a.Declared.Arguments.Reverse != b.Declared.Arguments.Reverse
}

// AddChoices compares the final choices of two sides, of which one has reversed arguments, under
// the scenarios that show them. It adds nothing for imported answers. Shares are of the answers
// that choose in both, clustered by question.
func (c *Comparison) AddChoices(a, b Side) error {
	type place struct {
		pair, scenario string
		repeat         int
	}
	shows, reversed := a.ShowsArguments(), map[place]*dataset.AnswerRow{}
	answers := func(s Side, each func(place, *dataset.AnswerRow)) {
		for i := range s.Answers {
			row := &s.Answers[i]
			if cell := s.CellOf[i]; row.System == s.System && row.Status == data.Valid && row.Reading != nil && row.Asked != nil &&
				shows[row.Scenario] &&
				cell >= 0 && s.Systems[s.Cells[cell].System].Kind != dataset.KindImported {
				each(place{row.Pair, row.Scenario, row.Repeat}, row)
			}
		}
	}
	answers(b, func(at place, row *dataset.AnswerRow) { reversed[at] = row })
	var calculator dataset.Calculator
	for _, scenario := range append(a.Scenarios(), dataset.AllScenarios) {
		r := Choice{SystemA: a.System, SystemB: b.System, Scenario: scenario}
		var keep dataset.Sample
		question := map[string]int{}
		answers(a, func(at place, row *dataset.AnswerRow) {
			other := reversed[at]
			if other == nil || scenario != at.scenario && scenario != dataset.AllScenarios || !otherTexts(row.Asked, other.Asked) {
				return
			}
			r.Answers++
			before, after := chosen(row), chosen(other)
			if before == "" || after == "" {
				r.Undecided++
				return
			}
			if _, known := question[at.pair]; !known {
				question[at.pair] = len(question)
			}
			if data.SameName(before, after) {
				r.Keep++
			} else {
				r.Follow++
			}
			keep.Add(dataset.Indicator(data.SameName(before, after)), question[at.pair])
		})
		if r.Answers > 0 {
			r.Share = calculator.Share(keep, stats.ErrZeroWidth).Bounded
			c.Choices = append(c.Choices, r)
		}
	}
	return calculator.Err
}

// otherTexts reports whether the arguments of two questions differ in their texts.
func otherTexts(a, b *data.Question) bool {
	if len(a.Arguments) != len(b.Arguments) {
		return true
	}
	for i := range a.Arguments {
		if a.Arguments[i].Text != b.Arguments[i].Text {
			return true
		}
	}
	return false
}

// chosen is the name of the object that an answer chooses, or "".
func chosen(row *dataset.AnswerRow) string {
	switch row.Reading.Choice {
	case data.Object1:
		return row.Object1
	case data.Object2:
		return row.Object2
	}
	return ""
}
