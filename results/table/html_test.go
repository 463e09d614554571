package table

import (
	"html/template"
	"testing"
)

// Hits are marked in texts, whatever their case, and neither in tags nor across them; what was escaped stays escaped.
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
