package table

import (
	"html/template"
	"strings"
	"testing"
)

// Hits are marked in texts in any case, but not in tags or across tags. Escaped text stays escaped.
func TestMarked(t *testing.T) {
	for _, test := range []struct{ words, page, want string }{
		{"strong", `<strong class="strong">Strong, STRONG</strong>`, `<strong class="strong"><mark>Strong</mark>, <mark>STRONG</mark></strong>`},
		{"über", "<p>Über &lt;über&gt;</p>", "<p><mark>Über</mark> &lt;<mark>über</mark>&gt;</p>"},
		{"<b>", "a &lt;B&gt; <b>c</b>", "a <mark>&lt;B&gt;</mark> <b>c</b>"},
		{"a.c", "abc a.c", "abc <mark>a.c</mark>"},
		{"", "<p>a</p>", "<p>a</p>"},
	} {
		if got := string(Marked(template.HTML(test.page), test.words)); got != test.want {
			t.Errorf("%q in %s: %s, want %s", test.words, test.page, got, test.want)
		}
	}
}

// Right-to-left names do not change the order of the words around them. A right-to-left text stays whole.
func TestIsolated(t *testing.T) {
	for text, want := range map[string]string{
		"No clear leader: نموذج and بحث may each be first": "No clear leader: <bdi>نموذج</bdi> and <bdi>بحث</bdi> may each be first",
		"the systems نموذج, بحث lead":                      "the systems <bdi>نموذج</bdi>, <bdi>بحث</bdi> lead",
		"أيهما أفضل Apple أم Microsoft للعمل اليومي":       "أيهما أفضل Apple أم Microsoft للعمل اليومي",
		"大模型 <b>": "大模型 &lt;b&gt;",
	} {
		if got := string(isolated(text)); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// On phones each figure of a row has its label. Long names are shortened, with the whole name as their title.
func TestStackedRows(t *testing.T) {
	long := strings.Repeat("a-very-long-name-", 5)
	view := New(1, "system", "points")
	view.Add(long, 3)
	shown := &Shown{Section: &Section{Table: view}, Address: func(Target) string { return "" }}
	cells := shown.Rows()[0].Cells
	if cells[0].Whole != long || len([]rune(string(cells[0].Text))) > longestName || cells[0].Label != "" || cells[1].Label != "points" {
		t.Errorf("%+v", cells)
	}
	view.Add(long[:40]+"x"+long[41:], 3) // in the middle
	both := shown.Rows()
	if both[0].Cells[0].Text == both[1].Cells[0].Text {
		t.Errorf("two names look the same: %s", both[0].Cells[0].Text)
	}
	if class := view.Class(); class != "stacked" {
		t.Errorf("class %q", class)
	}
	grid := New(1, "system", "a", "b")
	grid.Look = "heat"
	if class := grid.Class(); class != "heat" {
		t.Errorf("a heat table that fits on a phone has the class %q", class)
	}
	grid.Header = append(grid.Header, "c", "d", "e", "f")
	if class := grid.Class(); class != "heat stacked" {
		t.Errorf("a wide heat table has the class %q", class)
	}
}
