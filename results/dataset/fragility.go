package dataset

import (
	"fmt"
	"strings"

	"compqa/data"
	"compqa/results/table"
)

// A Fragility is how few labels or preferences decide a result: a row of fragility.csv. The number is an upper bound.
type Fragility struct {
	What    string `csv:"what"`
	Target  string `csv:"target"` // what would be without them
	Removed int    `csv:"n_removed"`
	Of      int    `csv:"of"`
	Items   string `csv:"items"` // their ids, with blanks between them

	Judge string `csv:"-"` // of whose points or preferences
	First string `csv:"-"` // the system that is first
}

// FragilityTable is how few results decide a statement.
var FragilityTable = table.Def[Fragility]{File: "fragility.csv"}

// mostItemsNamed is the number of items in a sentence.
const mostItemsNamed = 5

// Sentence says it in words. noun is what is left out, for instance label.
func (f Fragility) Sentence(noun string) string {
	names := strings.Fields(f.Items)
	if more := len(names) - mostItemsNamed; more > 0 {
		names = append(names[:mostItemsNamed:mostItemsNamed], "…")
	}
	return fmt.Sprintf("%s would be %s without %d of %s, or even fewer (%s)", f.What, f.Target, f.Removed, data.Plural(f.Of, noun, noun+"s"),
		strings.Join(names, ", "))
}
