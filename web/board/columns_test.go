package board

import (
	"strings"
	"testing"
)

// A label that all cells of a column have moves to the styles; a table whose cells differ stays as it is.
func TestColumnStyles(t *testing.T) {
	table := func(classes, rows string) string {
		return `<table class="` + classes + `"><thead><tr><th>of</th><th>a</th></tr></thead><tbody>` + rows + `</tbody></table>`
	}
	rows := `<tr class="group"><th colspan="3">x</th></tr><tr><th>1</th><td class="judges" data-label="a &#34;b\&#34;">2</td>` +
		`<td class="counting" data-label="c">3</td></tr><tr class="below"><td colspan="3">why</td></tr>` +
		`<tr><th>1</th><td class="judges" data-label="a &#34;b\&#34;">4</td><td class="counting" data-label="c">5</td></tr>`
	var s columnStyles
	moved := s.move(table("sheet stacked", rows))
	if strings.Contains(moved, "data-label") || strings.Contains(moved, "counting") || !strings.Contains(moved, `class="sheet stacked labels l1"`) ||
		!strings.Contains(moved, `<tr class="below"><td colspan="3">why</td>`) || !strings.Contains(moved, "<td>4</td><td>5</td>") {
		t.Error(moved)
	}
	if again := s.move(table("sheet stacked", rows)); again != moved {
		t.Errorf("another name for the same columns: %s", again)
	}
	css := s.css.String()
	for _, want := range []string{`table.l1 tbody td:nth-child(2)::before { content: "a \22 b\5c \22  "; }`,
		`table.l1 tbody td:nth-child(3)::before { content: "c "; }`, "table.l1 tbody td:nth-child(3) { color: var(--quiet); }"} {
		if strings.Count(css, want) != 1 {
			t.Errorf("%s is not once in %s", want, css)
		}
	}
	for classes, rows := range map[string]string{
		"list stacked": `<tr><td data-label="a">1</td></tr>`,
		"stacked":      `<tr><th>1</th><td data-label="a">1</td></tr><tr><th>2</th><td data-label="b">1</td></tr>`,
		"n stacked":    `<tr><th>1</th><td data-label="a">1</td></tr><tr><th>2</th><td>1</td></tr>`,
		"key stacked":  `<tr><th>1</th><td class="key" data-label="a">1</td></tr>`,
		"other":        `<tr><th>1</th><td data-label="a">1</td></tr>`,
	} {
		if page := table(classes, rows); s.move(page) != page {
			t.Errorf("%s: %s", classes, s.move(page))
		}
	}
	mixed := s.move(table("stacked", `<tr><th>1</th><td class="n" data-label="a">1</td></tr><tr><th>2</th><td class="n more" data-label="a">1</td></tr>`))
	if strings.Contains(mixed, "data-label") || !strings.Contains(mixed, `<td class="n more">`) {
		t.Errorf("a class of single cells stays: %s", mixed)
	}
}
