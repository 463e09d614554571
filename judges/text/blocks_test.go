package text

import (
	"strings"
	"testing"

	"compqa/judges/judgestest"
	"compqa/judges/text/lexical"
)

func TestBlocks(t *testing.T) {
	for _, c := range []struct {
		name, in string
		want     []string // kind, name and text of each block
	}{
		{"headings and paragraphs", "# Tea\n\nIt is hot.\n\n**Price**\nIt is cheap.\n\nSummary:\nAll is well.",
			[]string{"h Tea|", "p |It is hot.", "h Price|", "p |It is cheap.", "h Summary|", "p |All is well."}},
		{"labels", "**Price**: cheap.\n**Price:** cheap.\n*Price*: cheap.\nPrice: cheap.\n**Price** - cheap.\n**Price** (retail): cheap.",
			[]string{"p Price|cheap.", "p Price|cheap.", "p Price|cheap.", "p Price|cheap.", "p Price|cheap.", "p Price|cheap."}},
		{"no labels", "**Tea** is cheap.\n\nHere is what I think: tea.\n\nIt opens at 10:30 sharp. Note: closed on Monday.",
			[]string{"p |Tea is cheap.", "p |Here is what I think: tea.", "p |It opens at 10:30 sharp. Note: closed on Monday."}},
		{"lists", "- **Price**: low\n* Taste - good\n+ round\n• hot\n1. **Colour**: red\n2) blue\n(3) green\n-**Size:** small",
			[]string{"i Price|low", "i Taste|good", "i |round", "i |hot", "i Colour|red", "i |blue", "i |green", "i Size|small"}},
		{"tags and arguments in names", "- [generated] Price: low\n- Price [3]: low\n**Argument 2: Taste**\ngood\n\n**Argument 3:** bad",
			[]string{"i Price|low [generated]", "i Price|low", "h Taste|", "p |good", "p |Argument 3: bad"}},
		{"choice in one bold line", "**The better option: Tea**", []string{"h The better option|", "p |Tea"}},
		{"table", "| Aspect | Tea | Coffee |\n|---|:-:|---|\n| Price | low | high |",
			[]string{"r Aspect|Tea | Coffee", "r Price|low | high"}},
		{"fenced code", "Before.\n```go\nx. y. z.\n```\nAfter.", []string{"p |Before.", "p |After."}},
		{"nothing but a fence", "```\nTea is cheap.\n```", []string{"p |Tea is cheap."}},
		{"a fence that is never closed", "Before.\n```\nAfter.", []string{"p |Before.", "p |After."}},
		{"wrapped lines", "Tea is a drink that people everywhere have known for a very long\ntime, and it is cheap.\nIt is hot.",
			[]string{"p |Tea is a drink that people everywhere have known for a very long time, and it is cheap.", "p |It is hot."}},
		{"rules and quotations", "> Tea is hot.\n\n---\n\n***\n\nIt is good.", []string{"p |Tea is hot.", "p |It is good."}},
		{"empty", "", nil},
		{"blank", " \n\n  \n", nil},
	} {
		var got []string
		for _, b := range blocks(lexical.Normalise(c.in)) {
			got = append(got, string("hpir"[b.kind])+" "+b.name+"|"+b.text)
		}
		if strings.Join(got, "\n") != strings.Join(c.want, "\n") {
			t.Errorf("%s:\n got %q\nwant %q", c.name, got, c.want)
		}
	}
}

func TestFlattenedTextHasTheSameBlocks(t *testing.T) {
	for _, text := range []string{
		judgestest.FullAnswer,
		"**Summary**\n\nTea and coffee are drinks. Both are hot.\n\n**Main Aspects of Comparison**\n\n* **Price**: Tea is cheap [1].\n* **Taste**: Coffee is bitter [2, 3].\n\n**Best Option**\nTea",
		"Tea and coffee are drinks:\n\n1. Price: Tea is cheap.\n\n2. Taste: Coffee is strong.\n\n3. Effect: Both wake you up.\n\nOverall, tea is better.",
		"### Price\n- **Tea**: cheap.\n- **Coffee**: dear.\n\n### Taste\n- **Tea**: mild.\n- **Coffee**: strong.\n\n### Conclusion\nTea is cheaper.",
		"Main Aspects of Comparison:\n- Price: Tea is cheap.\n- Taste: Coffee is strong\n- Effect: Both wake you up\n\nThe Best Option: Tea",
		"| Aspect | Tea | Coffee |\n| --- | --- | --- |\n| Price | low | high |\n| Taste | mild | strong |\n\nIn summary, tea is cheaper.",
		"Tea is cheap. It is 5 * 3 times as cheap - or so they say - in 2010. Coffee is not.",
	} {
		want := describeBlocks(text)
		for how, flatten := range flattened {
			if got := describeBlocks(flatten(text)); got != want {
				t.Errorf("%s:\n got %s\nwant %s", how, got, want)
			}
		}
	}
}

func describeBlocks(text string) string {
	var b strings.Builder
	for _, x := range blocks(lexical.Normalise(text)) {
		b.WriteString(string("hpir"[x.kind]) + " " + x.name + "|" + x.text + "\n")
	}
	return b.String()
}

// Two spaces after each full stop are a habit, not the trace of an empty line.
func TestDoubleSpacingTypist(t *testing.T) {
	text := "Tea is cheap.  Coffee is not.  Both are hot.  Tea is mild.  Coffee is strong."
	if got := len(blocks(text)); got != 1 {
		t.Errorf("%d blocks, want 1", got)
	}
	if got := len(blocks("Tea is cheap. It is mild. It is hot.  Coffee is not.")); got != 2 {
		t.Errorf("%d blocks, want 2", got)
	}
}

// flattened are the ways in which answers lose their newlines: each newline becomes one space, as in the human table of the CompQA release,
// or two.
var flattened = map[string]func(string) string{
	"one space":  func(s string) string { return strings.ReplaceAll(s, "\n", " ") },
	"two spaces": func(s string) string { return strings.ReplaceAll(s, "\n", "  ") },
}
