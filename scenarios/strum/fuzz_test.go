package strum

import (
	"strings"
	"testing"
	"unicode/utf8"

	"compqa/data"
	"compqa/llm/structured"
)

// FuzzOffline checks that a table's quotes are in its sources for any texts, and that swapping the objects swaps the cells.
func FuzzOffline(f *testing.F) {
	f.Add("Adler", "Bellevue", "The view is great, but Bellevue has none. The staff was rude.", "A bad view. A view!", "Adler is old, while Bellevue is new.")
	f.Add("a b", "b c", "a b c; a b while b c", "", "x")
	f.Fuzz(func(t *testing.T, object1, object2, first, second, argument string) {
		if data.SameName(object1, object2) || !utf8.ValidString(object1+object2+first+second+argument) {
			return
		}
		q := data.Question{ID: "q", Object1: object1, Object2: object2, Arguments: []data.Argument{{Text: argument, Favours: data.Object1}}}
		sources := append(SourcesOf(q), data.Source{ID: "a", Entity: "object1", Text: first}, data.Source{ID: "b", Entity: "object2", Text: second}, data.Source{ID: "c", Entity: "both", Text: first + second})
		table := Offline(q, sources)
		checkTable(t, q, sources, table)
		checkSwap(t, q, sources)
		Render(q, table, sources, true)
	})
}

// FuzzReply checks that any reply gives items or an error, and that an accepted partition is valid.
func FuzzReply(f *testing.F) {
	f.Add(`Here: {"groups": [{"center": 1, "members": [1, 2]}]}`, 2)
	f.Add(`{"groups": null}`, 0)
	f.Fuzz(func(t *testing.T, reply string, n int) {
		groups, err := items[grouping](reply, forms["values"], structured.Material{})
		if err != nil || n < 0 || n > 1000 || partition(groups, n) != nil {
			return
		}
		members := 0
		for _, g := range groups {
			members += len(g.Members)
		}
		if members != n {
			t.Errorf("%q: %d members of %d", reply, members, n)
		}
	})
}

// FuzzFind checks that a quote that is found is in the text, with the same words.
func FuzzFind(f *testing.F) {
	f.Add("Über  den\n Wolken", "den Wolken")
	f.Fuzz(func(t *testing.T, text, quote string) {
		e, found := Find(data.Source{Text: text}, quote)
		if found && (text[e.Start:e.End] != e.Quote || strings.Join(strings.Fields(e.Quote), " ") != strings.Join(strings.Fields(quote), " ")) {
			t.Errorf("%q in %q: %+v", quote, text, e)
		}
	})
}
