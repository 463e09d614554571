package project

import (
	"slices"
	"strconv"
	"strings"

	"compqa/data"
	"compqa/stats/agreement"
)

// A Rating is one value of a sheet, for agreement and means. If options are not numbers, Value is the index of the option, from 0.
type Rating struct {
	Criterion string  `csv:"criterion"`
	Part      string  `csv:"part"` // the row of a table, or the judge of an attachment
	Level     string  `csv:"-"`    // level of measurement
	Text      string  `csv:"value"`
	Value     float64 `csv:"number"`
	Number    bool    `csv:"-"` // Value is a number and has a mean, whatever the level

	Set agreement.Set `csv:"-"` // the options that are right, with the first choice first in Text; 0: only one may be right
}

// Criteria whose values are computed from a whole sheet.
const (
	Strength       = "choice with its strength" // −2: a clearly better, −1: a slightly, 0: equally good, 1: b slightly, 2: b clearly
	Total          = "total"
	Helps          = "helpful row, yes or no"
	Redundancy     = "redundancy"
	Contradictions = "contradicting values"
)

// Ratings returns the values of a sheet in the order of the fields, and then those computed from the whole sheet. shown is the order of
// the sides in the sheet; the ratings have them in order ab.
func (p *Project) Ratings(it Item, shown string, s Sheet) (list []Rating) {
	s = s.In(shown)
	fields := p.Fields(it)
	list = make([]Rating, 0, len(fields)+1)
	for _, f := range fields {
		text, given := s.Values[f.ID]
		if !given || f.Criterion == "" {
			continue
		}
		x, err := strconv.ParseFloat(text, 64)
		if err != nil {
			_, index := f.Option(text)
			x = float64(index)
		}
		rating := Rating{Criterion: f.Criterion, Part: f.Part, Level: f.Level, Text: asExported(text), Value: x}
		if p.SeveralRight(f) {
			rating.Set, rating.Text = f.accepted(text, s.Values[othersPrefix+f.ID], asExported)
		}
		list = append(list, rating)
	}
	if derived := FormOf(it.Kind).Derived; derived != nil {
		list = append(list, derived(p, it, s)...)
	}
	return list
}

// asExported returns an option as exports write it: the sides of a pair become a and b.
func asExported(option string) string {
	if choice := ChoiceOf(option, data.OrderAB); choice != "" && option != Bad {
		return string(choice)
	}
	return option
}

// tableFigures returns which rows of a table help, the share of redundant rows, and the number of values that contradict others.
func (p *Project) tableFigures(it Item, s Sheet) (list []Rating) {
	if len(s.Values) == 0 {
		return nil
	}
	l := Labels(it.Content, s)
	for i, row := range l.Rows {
		if row.Label != data.RowUnlabelled {
			helps := 0.0
			if row.Helps() {
				helps = 1
			}
			list = append(list, numberRating(Helps, strconv.Itoa(i+1), "nominal", helps))
		}
	}
	if l.Partition != nil {
		list = append(list, numberRating(Redundancy, "", "interval", 1-float64(len(l.Partition))/float64(len(it.Content.Rows))))
	}
	if l.Consistent != nil {
		removed := 0
		for i, kept := range l.Consistent {
			for k, values := range it.Content.Rows[i].Cells() {
				removed += len(values) - len(kept.Cells()[k])
			}
		}
		list = append(list, numberRating(Contradictions, "", "interval", float64(removed)))
	}
	return list
}

// Scores returns the numeric values of a sheet, by criterion. Where several options may be right, it uses the first choice.
func (s Sheet) Scores() data.Scores {
	scores := make(data.Scores, len(s.Values))
	for id, text := range s.Values {
		if x, err := strconv.ParseFloat(text, 64); err == nil && !strings.HasPrefix(id, othersPrefix) {
			scores[id] = x
		}
	}
	return scores
}

// ScoreSheet returns a sheet with the given scores.
func ScoreSheet(scores data.Scores) Sheet {
	s := Sheet{Values: map[string]string{}}
	for id, x := range scores {
		s.Values[id] = Points(x)
	}
	return s
}

// Values of the choice between the sides of a pair as shown, and of its strength.
const (
	First    = "first"
	Second   = "second"
	Tie      = "tie"
	Bad      = "bad" // both answers are bad
	Slightly = "slightly"
	Clearly  = "clearly"
)

// ChoiceOf turns the value of a choice between the sides as shown into a, b or tie. If both answers are bad, it returns a tie. It returns
// "" for any other value.
func ChoiceOf(value, shown string) data.Choice {
	var choice data.Choice
	switch value {
	case First:
		choice = data.ChoiceA
	case Second:
		choice = data.ChoiceB
	case Tie, Bad:
		choice = data.ChoiceTie
	}
	if shown == data.OrderBA {
		return choice.Swapped()
	}
	return choice
}

// Side is the inverse of ChoiceOf: it returns the value of a choice for an order of the sides.
func Side(choice data.Choice, shown string) string {
	if shown == data.OrderBA {
		choice = choice.Swapped()
	}
	return map[data.Choice]string{data.ChoiceA: First, data.ChoiceB: Second, data.ChoiceTie: Tie}[choice]
}

// In swaps the sides in the values of a sheet if shown is ba. So it converts between the order ab and the shown order, in either
// direction.
func (s Sheet) In(shown string) Sheet {
	if shown != data.OrderBA {
		return s
	}
	other := Sheet{Values: map[string]string{}, Reason: s.Reason, Stage: s.Stage}
	for id, value := range s.Values {
		if value == First || value == Second || strings.HasPrefix(id, othersPrefix) {
			value = turned(value)
		}
		other.Values[id] = value
	}
	return other
}

// Labels returns the labels of a contrastive table from a sheet. Partition and Consistent are nil where the sheet does not answer their
// question.
func Labels(c Content, s Sheet) (l data.Labels) {
	groups := map[string]int{}
	for i, row := range c.Rows {
		n := strconv.Itoa(i + 1)
		label := data.RowLabel{Label: data.RowUnlabelled}
		if text, given := s.Values["row-"+n]; given {
			label.Label = text
		}
		if text, given := s.Values["relevant-"+n]; given {
			label.Relevant = new(text == "yes")
		}
		l.Rows = append(l.Rows, label)
		as := n
		if other := s.Values["same-"+n]; other != "" && s.Values["same"] == "marked" {
			as = other
		}
		if group, known := groups[as]; known {
			l.Partition[group] = append(l.Partition[group], i+1)
			groups[n] = group
		} else {
			groups[n] = len(l.Partition)
			l.Partition = append(l.Partition, []int{i + 1})
		}
		var kept data.KeptValues
		for k, list := range []*[]int{&kept.Object1, &kept.Object2} {
			*list = []int{}
			for j := range row.Cells()[k] {
				if s.Values[againstID(i, k, j)] == "" || s.Values["against"] != "marked" {
					*list = append(*list, j+1)
				}
			}
		}
		l.Consistent = append(l.Consistent, kept)
	}
	if s.Values["same"] == "" && len(c.Rows) > 1 {
		l.Partition = nil
	}
	if s.Values["against"] == "" && hasRivals(c) {
		l.Consistent = nil
	}
	return l
}

// hasRivals reports whether any row has several values of an object, which could contradict each other.
func hasRivals(c Content) bool {
	return slices.ContainsFunc(c.Rows, func(row data.ContrastRow) bool { return len(row.Object1) > 1 || len(row.Object2) > 1 })
}

// LabelSheet returns a sheet with the given labels of a table: the inverse of Labels.
func LabelSheet(c Content, l data.Labels) Sheet {
	s := Sheet{Values: map[string]string{}}
	for i, row := range l.Rows {
		n := strconv.Itoa(i + 1)
		s.Values["row-"+n] = row.Label
		if row.Relevant != nil && *row.Relevant {
			s.Values["relevant-"+n] = "yes"
		} else if row.Relevant != nil {
			s.Values["relevant-"+n] = "no"
		}
	}
	if l.Partition != nil && len(c.Rows) > 1 {
		s.Values["same"] = "none"
		for _, group := range l.Partition {
			for _, row := range group {
				if first := slices.Min(group); row > first {
					s.Values["same"] = "marked"
					s.Values["same-"+strconv.Itoa(row)] = strconv.Itoa(first)
				}
			}
		}
	}
	if l.Consistent != nil && hasRivals(c) {
		s.Values["against"] = "none"
		for i, kept := range l.Consistent {
			for k, values := range c.Rows[i].Cells() {
				for j := range values {
					if !slices.Contains(kept.Cells()[k], j+1) {
						s.Values["against"], s.Values[againstID(i, k, j)] = "marked", "1"
					}
				}
			}
		}
	}
	return s
}
