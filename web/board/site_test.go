package board

import (
	"strings"
	"testing"

	"compqa/results/table"
)

// TestColumnStyles: text that all cells of a column share is in the site's style sheet, once for all tables with these columns. Lists
// repeat it in each cell.
func TestColumnStyles(t *testing.T) {
	s := Site{styles: map[string]string{}}
	shown := func(look string) string {
		view := table.New(1, "of", `a "b\"`, "c")
		view.Look = look
		view.Spans = []table.Span{{Columns: 1}, {Text: "judges", Columns: 1, Class: "judges"}, {Text: "rules", Columns: 1, Class: "counting"}}
		view.Add("1", "2", table.Cell{Text: "3", Class: "differs"})
		var b strings.Builder
		section := &table.Shown{Section: &table.Section{Table: view}, Styled: s.styled}
		if err := table.Templates.ExecuteTemplate(&b, "table", section); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	moved := shown("sheet")
	if !strings.Contains(moved, `class="sheet stacked labels l1"`) || !strings.Contains(moved, `<td>2</td><td class="differs">3</td>`) {
		t.Error(moved)
	}
	if again := shown("sheet"); again != moved {
		t.Errorf("another name for the same columns: %s", again)
	}
	css := s.css.String()
	for _, want := range []string{`table.l1 tbody > :not(.below) > td:nth-child(2)::before { content: "a \22 b\5c \22  "; }`,
		`table.l1 tbody > :not(.below) > td:nth-child(3)::before { content: "c "; }`,
		"table.l1 tbody > :not(.below) > td:nth-child(3) { color: var(--quiet); }"} {
		if strings.Count(css, want) != 1 {
			t.Errorf("%s is not once in %s", want, css)
		}
	}
	if list := shown("list"); !strings.Contains(list, `data-label="c"`) || strings.Contains(list, "labels") {
		t.Error(list)
	}
	if plain := shown(""); !strings.Contains(plain, `class="stacked labels l2"`) || !strings.Contains(plain, `<td class="n differs">3</td>`) {
		t.Error(plain)
	}
}
