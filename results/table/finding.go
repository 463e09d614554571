package table

import (
	"encoding/json"
	"reflect"
	"strings"

	"compqa/data"
	"compqa/stats"
)

// A Finding is one conclusion that a record allows. It is worded once, in results/trust; a terminal, a page and a file select findings and
// show their text. The first finding of a record is its headline everywhere.
type Finding struct {
	Claim   string         `json:"claim"`   // the kind of conclusion, in words that do not change with the figures
	Subject string         `json:"subject"` // what it is about: a judge, a system, two systems, or people
	Text    string         `json:"text"`    // one sentence
	Figures Rows[Measured] `json:"figures"` // the numbers of the sentence
	Next    string         `json:"next"`    // what would decide or repair it; "": nothing
}

// A Measured is a figure with its name, which says what a difference is of.
type Measured struct {
	Name  string       `csv:"name"`
	Value stats.Figure `csv:"value"`
	Low   stats.Figure `csv:"low"`
	High  stats.Figure `csv:"high"`
}

// Named returns a figure with its name.
func Named(name string, b stats.Figure) Measured {
	return Measured{name, b.Point(), b.Lower(), b.Upper()}
}

// Title returns the finding as the title of a page: without the full stop.
func (f Finding) Title() string { return strings.TrimSuffix(f.Text, ".") }

// Findings are conclusions, the most important first.
type Findings []Finding

// MarshalJSON writes the findings; none are an empty list.
func (all Findings) MarshalJSON() ([]byte, error) { return json.Marshal(append([]Finding{}, all...)) }

// JSONType returns the type that is written in place of Findings, for JSON Schema.
func (Findings) JSONType() reflect.Type { return reflect.TypeFor[[]Finding]() }

// Headline returns the first finding's title; "" without findings.
func (all Findings) Headline() string {
	if len(all) == 0 {
		return ""
	}
	return all[0].Title()
}

// Texts returns the sentences.
func (all Findings) Texts() []string { return data.Each(all, func(f Finding) string { return f.Text }) }
