package table

import (
	"encoding/json"
	"reflect"
	"strings"

	"compqa/data"
	"compqa/stats"
)

// A Finding is a conclusion from a record. Package results/trust words each kind of finding once; terminal, pages and files only select
// findings and show their text. The first finding of a record is its headline everywhere.
type Finding struct {
	Claim   string         `json:"claim"`   // kind of the conclusion; it does not depend on the figures
	Subject string         `json:"subject"` // a judge, a system, two systems, or people
	Text    string         `json:"text"`    // one sentence
	Figures Rows[Measured] `json:"figures"` // the numbers in the sentence
	Next    string         `json:"next"`    // what would decide or repair it; "" if nothing
}

// A Measured is a figure with a name, which says for a difference what it is the difference of.
type Measured struct {
	Name  string       `csv:"name"`
	Value stats.Figure `csv:"value"`
	Low   stats.Figure `csv:"low"`
	High  stats.Figure `csv:"high"`
}

// Named returns a figure with a name.
func Named(name string, b stats.Figure) Measured {
	return Measured{name, b.Point(), b.Lower(), b.Upper()}
}

// Title returns the finding as the title of a page, without the full stop.
func (f Finding) Title() string { return strings.TrimSuffix(f.Text, ".") }

// Findings are conclusions, the most important first.
type Findings []Finding

// MarshalJSON writes the findings. Without findings it writes an empty list, not null.
func (all Findings) MarshalJSON() ([]byte, error) { return json.Marshal(append([]Finding{}, all...)) }

// JSONType returns the type that MarshalJSON writes, for JSON Schema.
func (Findings) JSONType() reflect.Type { return reflect.TypeFor[[]Finding]() }

// Headline returns the title of the first finding, or "".
func (all Findings) Headline() string {
	if len(all) == 0 {
		return ""
	}
	return all[0].Title()
}

// Texts returns the sentences of the findings.
func (all Findings) Texts() []string { return data.Each(all, func(f Finding) string { return f.Text }) }
