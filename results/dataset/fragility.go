package dataset

import (
	"fmt"
	"strings"

	"compqa/data"
	"compqa/results/table"
)

// A Fragility says how few labels or preferences decide a result. It is a row of fragility.csv. Removed is an upper bound: fewer may be
// enough.
type Fragility struct {
	What    string `csv:"what"`
	Target  string `csv:"target"` // the result without the removed ones
	Removed int    `csv:"n_removed"`
	Of      int    `csv:"of"`
	Items   string `csv:"items"` // IDs of the removed ones, separated by spaces

	Judge string `csv:"-"` // whose points or preferences give the result
	First string `csv:"-"` // the system that is first with all of them
}

// FragilityTable says how few labels or preferences decide a result.
var FragilityTable = table.Def[Fragility]{File: "fragility.csv"}

// mostItemsNamed is the largest number of items that a sentence names.
const mostItemsNamed = 5

// Sentence describes the fragility in words. noun names what is removed, for instance "label".
func (f Fragility) Sentence(noun string) string {
	names := strings.Fields(f.Items)
	if more := len(names) - mostItemsNamed; more > 0 {
		names = append(names[:mostItemsNamed:mostItemsNamed], "…")
	}
	return fmt.Sprintf("%s would be %s without %d of %s, or even fewer (%s)", f.What, f.Target, f.Removed, data.Plural(f.Of, noun, noun+"s"),
		strings.Join(names, ", "))
}
