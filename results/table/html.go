package table

import (
	"cmp"
	"embed"
	"fmt"
	"html/template"
	"slices"
	"strings"
)

//go:embed document.html
var documentHTML embed.FS

// Templates show a Shown as "section". The pages of the board and report.html use them.
var Templates = template.Must(template.New("").Funcs(template.FuncMap{
	"visible": Visible, "blocks": blocks, "linked": func(address, text string) Link { return Link{Text: text, Address: address} },
}).ParseFS(documentHTML, "document.html"))

// A Shown is a section as a page shows it.
type Shown struct {
	*Section
	Address func(Target) string                                // "": no link
	Sort    func(s *Section, column string) (to, state string) // nil: columns are not sorted
	Level   int                                                // of its heading
	Folded  bool                                               // behind its title
	Tools   []Link                                             // what can be done with the table
	Picture template.HTML                                      // the plot
}

// A Link is a text with an address; Here: it is the page that is shown.
type Link struct {
	Text, Address string
	Here          bool
}

// A shownHead is the head of a column: where its name leads, how the column is sorted (ascending,
// descending), and the scale of its bars.
type shownHead struct{ Address, Sort, Scale string }

func (s *Shown) Column(c int) (h shownHead) {
	if s.Sort != nil {
		h.Address, h.Sort = s.Sort(s.Section, s.Table.Header[c])
	} else if to := s.Table.Heads[c].To; to != nil {
		h.Address = s.Address(*to)
	}
	if scale := s.Table.Heads[c].Scale; scale != nil {
		h.Scale = Shortest(scale[0]) + " to " + Shortest(scale[1])
	}
	return h
}

// A shownCell is a cell as a page shows it; Head: it names its row.
type shownCell struct {
	Head                 bool
	Class, Text, Address string
	Bar                  template.HTML
}

// longest is the length of a word that is not broken.
const longest = 24

// Row is a row of the table. It is computed here, because templates take several times as long.
func (s *Shown) Row(cells []Cell) []shownCell {
	row := make([]shownCell, len(cells))
	for c, cell := range cells {
		row[c] = shownCell{Head: c == s.Table.Key, Class: cell.Class, Text: Visible(cell.String())}
		if c >= s.Table.Words && c != s.Table.Key {
			row[c].Class = strings.TrimSuffix("n "+cell.Class, " ")
		} else if slices.ContainsFunc(strings.Fields(row[c].Text), func(word string) bool { return len(word) > longest }) {
			row[c].Class = strings.TrimSuffix("long "+cell.Class, " ")
		}
		if cell.To != nil && cell.Text != "" && cell.Text != None {
			row[c].Address = s.Address(*cell.To)
		}
		if scale := s.Table.Heads[c].Scale; scale != nil {
			row[c].Bar = bar(cell.Value, *scale)
		}
	}
	return row
}

// Caption names the table for those who do not see the page. A table below the heading of its page has no
// title; its ID names it.
func (s *Shown) Caption() string { return cmp.Or(s.Title, s.Verdict, s.ID, "Table") }

// Widths of a bar, in pixels.
const barWidth, barHeight = 240, 20

// bar draws a figure and its interval on a scale with its quarters. The cell has the numbers too, so it is
// hidden from screen readers.
func bar(b Bounded, scale [2]float64) template.HTML {
	at := func(v float64) float64 {
		return (min(max(v, scale[0]), scale[1]) - scale[0]) / (scale[1] - scale[0]) * barWidth
	}
	var s strings.Builder
	fmt.Fprintf(&s, `<svg class="bar" viewBox="0 0 %d %d" aria-hidden="true">`, barWidth, barHeight)
	for quarter := range 5 {
		x := float64(quarter) * barWidth / 4
		fmt.Fprintf(&s, `<path class="tick" d="M%.0f 0v%d"></path>`, x, barHeight)
	}
	if b.Interval() {
		low, high := at(*b.Low.Number), at(*b.High.Number)
		fmt.Fprintf(&s, `<rect class="range" x="%.1f" y="7" width="%.1f" height="6" rx="3"></rect>`, low, max(2, high-low))
	}
	if b.Known() {
		fmt.Fprintf(&s, `<rect class="value" x="%.1f" y="4" width="4" height="12"></rect>`, at(*b.Value.Number)-2)
	}
	return template.HTML(s.String() + "</svg>")
}

// Visible replaces invisible characters, and characters that change the order or the look of the
// text around them, with their code points.
func Visible(text string) string {
	return escaped(text, func(r rune) bool {
		return r >= 0x202A && r <= 0x202E || r >= 0x2066 && r <= 0x2069 || r == 0x200E || r == 0x200F || r == 0x061C || r == 0x200B ||
			r == 0x2060 || r == 0xFEFF || r >= 0xE0000 && r <= 0xE007F || r < ' ' && r != '\n' && r != '\t' && r != '\r' || r == 0x7F
	}, "[U+%04X]")
}

// Style is the style of pages with sections: the board's and report.html's.
//
//go:embed document.css
var Style string
