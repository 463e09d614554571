package table

import (
	"cmp"
	"embed"
	"fmt"
	"html"
	"html/template"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"compqa/data"
	"compqa/stats"
)

//go:embed document.html
var documentHTML embed.FS

// Templates renders a Shown with the template "section". The pages of compqa serve and report.html use it.
var Templates = template.Must(template.New("").Funcs(template.FuncMap{
	"visible": Visible, "isolated": isolated, "blocks": blocks, "bold": emphasized, "begin": beginning, "begun": func(text string) bool {
		return beginning(text) != oneLine(text)
	}, "words": func(text string) string { return data.Plural(len(data.Words(text)), "word", "words") },
	"hits": func(text, words string) template.HTML {
		return Marked(template.HTML(template.HTMLEscapeString(Visible(text))), words)
	}, "linked": func(address, text string) Link {
		return Link{Text: text,
			Address: address}
	},
}).ParseFS(documentHTML, "document.html"))

// emphasized returns a text as HTML in which the parts between ** are bold.
func emphasized(text string) template.HTML {
	parts := strings.Split(string(isolated(text)), "**")
	for i := 1; i+1 < len(parts); i += 2 {
		parts[i] = "<b>" + parts[i] + "</b>"
	}
	return template.HTML(strings.Join(parts, ""))
}

// fromRight are the scripts that are written from right to left.
const fromRight = `\p{Arabic}\p{Hebrew}\p{Syriac}\p{Thaana}\p{Nko}`

var (
	rightToLeft = regexp.MustCompile(`[` + fromRight + `](?:[` + fromRight + `\p{M}\d _./-]*[` + fromRight + `\p{M}])?`)
	leftToRight = regexp.MustCompile(`\p{Latin}`)
)

// isolated returns a text as HTML, in which right-to-left names do not change the order of the words around them. A text that is mostly
// right-to-left is left unchanged.
func isolated(text string) template.HTML {
	text = template.HTMLEscapeString(Visible(text))
	runs := rightToLeft.FindAllString(text, -1)
	if runs == nil || len(leftToRight.FindAllString(text, -1)) < utf8.RuneCountInString(strings.Join(runs, "")) {
		return template.HTML(text)
	}
	return template.HTML(rightToLeft.ReplaceAllString(text, "<bdi>$0</bdi>"))
}

// Finder returns an expression that finds words in a text, in any case.
func Finder(words string) *regexp.Regexp { return regexp.MustCompile("(?i)" + regexp.QuoteMeta(words)) }

// Marked marks the occurrences of words in the texts of a page, but not in its tags.
func Marked(page template.HTML, words string) template.HTML {
	if words == "" {
		return page
	}
	found := Finder(words)
	out := strings.Builder{}
	for rest := string(page); rest != ""; {
		text := rest
		tag := ""
		if index := strings.IndexByte(rest, '<'); index >= 0 {
			end := index + strings.IndexByte(rest[index:], '>') + 1
			text = rest[:index]
			tag = rest[index:end]
		}
		rest = rest[len(text)+len(tag):]
		text = html.UnescapeString(text)
		for span := found.FindStringIndex(text); span != nil; span = found.FindStringIndex(text) {
			out.WriteString(template.HTMLEscapeString(text[:span[0]]) + "<mark>" + template.HTMLEscapeString(text[span[0]:span[1]]) + "</mark>")
			text = text[span[1]:]
		}
		out.WriteString(template.HTMLEscapeString(text) + tag)
	}
	return template.HTML(out.String())
}

// A Shown is a section as a page shows it.
type Shown struct {
	*Section
	Address func(Target) string                                // address of a link; "" for no link
	Sort    func(s *Section, column string) (to, state string) // link and state of a column's sorting; nil if columns cannot be sorted
	Level   int                                                // level of its heading
	Folded  bool                                               // collapsed behind its title
	Tools   []Link                                             // links to actions on the table
	Marks   string                                             // explains the marks after names
	Picture template.HTML                                      // the plot as HTML
	Styled  func(columns []Column) string                      // class of a style with what all cells of columns share; nil: cells have it
}

// A Column has what all cells of a column have in common.
type Column struct {
	Label string // text before each value in a narrow window, or ""
	Class string // class of the span above the column, in a score sheet
}

// marks are the marks that follow names, with their meanings.
var marks = [][2]string{{"†", "tuned on these scores"}, {"°", "imported: nothing shows who made them"},
	{"§", "degenerate, so it orders nothing"}}

// MarksOf explains the marks in the table of a section that explained does not contain yet, and adds them to it. It leaves out marks that a
// note or the text of the section explains.
func (s *Section) MarksOf(explained map[string]bool) string {
	if s.Table == nil {
		return ""
	}
	used := ""
	for _, h := range s.Table.Heads {
		used += h.Mark
	}
	for _, row := range s.Table.Rows {
		for _, cell := range row {
			used += cell.Mark
		}
	}
	var texts []string
	for _, mark := range marks {
		if !strings.Contains(used, mark[0]) || explained[mark[0]] {
			continue
		}
		explained[mark[0]] = true
		noted := slices.ContainsFunc(s.Notes, func(n Note) bool { return strings.HasPrefix(n.Text, mark[0]+" ") })
		if !noted && !strings.Contains(s.About, mark[0]+" ") {
			texts = append(texts, mark[0]+" "+mark[1]+".")
		}
	}
	return strings.Join(texts, " ")
}

// A Link is a text with an address. Here is true if the address is the current page.
type Link struct {
	Text, Address string
	Here          bool
	Class         string
}

// A shownHead is the head of a column: text, link, state of sorting (ascending, descending, or ""), and axis.
type shownHead struct {
	Class, Text, Whole, Address, Sort string
	Axis                              template.HTML
}

// mostQuoted is the number of characters that are shown of a longer quoted text.
const mostQuoted = 280

// beginning returns the first mostQuoted characters of a text, on one line.
func beginning(text string) string { return ShortTo(oneLine(text), mostQuoted) }

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// HeadCells returns the head of each column. An axis has a head of its own before that of its column.
func (s *Shown) HeadCells() (heads []shownHead) {
	for c := range s.Table.Header {
		head := s.Table.Heads[c]
		h := shownHead{Text: s.Table.Heading(c)}
		if short := shortMiddle(h.Text, longest); short != h.Text {
			h.Text, h.Whole = short, h.Text
		}
		if head.Aside {
			h.Class = "aside"
		} else if c >= s.Table.Words && s.Table.Look != "sheet" {
			h.Class = "n"
		}
		if s.Sort != nil {
			h.Address, h.Sort = s.Sort(s.Section, s.Table.Header[c])
		} else if head.To != nil {
			h.Address = s.Address(*head.To)
		}
		if head.Axis != nil {
			heads = append(heads, shownHead{Class: "drawing", Axis: head.Axis.head(s.Table.Header[c], s.ticks(c))})
		}
		heads = append(heads, h)
	}
	return heads
}

// ticks returns the ID of the symbol with the lines of a column's axis.
func (s *Shown) ticks(column int) string { return fmt.Sprintf("%s-ticks-%d", s.Key(), column) }

// A shownCell is a cell as a page shows it. Head is true for the name of the row. More is the part of a figure that is shown muted: its
// interval, or n.
type shownCell struct {
	Head                               bool
	Class, More, Address, Label, Whole string // Whole is the full text of a shortened name, or why a figure is missing
	Text, Drawn                        template.HTML
}

// A shownRow is a row as a page shows it. Group is the heading above it, or "".
type shownRow struct {
	*Row
	Group string
	Cells []shownCell
	Width int // number of cells
}

// longest is the largest length of a word, or of a heading, that is shown in full. longestName is that of a name that contains a longer
// word.
const longest, longestName = 24, 44

// Rows returns the rows of the table. They are computed here and not in the template, which would take several times as long.
func (s *Shown) Rows() []shownRow {
	rows := make([]shownRow, len(s.Table.Rows))
	group := ""
	names := ShortNames(data.Each(s.Table.Rows, func(row []Cell) string { return Visible(row[s.Table.Key].String()) }), longestName)
	for i, cells := range s.Table.Rows {
		row := cells[s.Table.Key].Row
		if row == nil {
			row = &Row{}
		}
		rows[i] = shownRow{Row: row, Cells: s.row(cells, names[i])}
		rows[i].Width = len(rows[i].Cells)
		if row.Group != group {
			group = row.Group
			rows[i].Group = row.Group
		}
	}
	return rows
}

// widestGrid is the largest number of columns of a heat table that fits on a phone.
const widestGrid = 6

// stacked reports whether phones show each row as a small grid, in which each figure has its label.
func (t *Table) stacked() bool { return t.Look != "heat" || len(t.Header) > widestGrid }

// Class returns the CSS classes of a table.
func (t *Table) Class() string {
	class := t.Look
	if t.stacked() {
		class += " stacked"
	}
	if t.drawn() {
		class += " drawn"
	}
	return strings.TrimSpace(class)
}

// Class returns the CSS classes of the table, with the class of the style of its columns if there is one.
func (s *Shown) Class() string {
	class := s.Table.Class()
	if s.styled() {
		columns := make([]Column, len(s.Table.Header))
		for c := range columns {
			columns[c].Label = s.Table.label(c)
			if s.Table.Look == "sheet" && columns[c].Label != "" {
				columns[c].Class = s.Table.spanOf(c)
			}
		}
		class += " labels " + s.Styled(columns)
	}
	return class
}

// styled reports whether a style can hold what the cells of columns have in common. Lists have questions as labels, and tables with
// drawings or heat show labels elsewhere.
func (s *Shown) styled() bool {
	return s.Styled != nil && s.Table.stacked() && !s.Table.drawn() && s.Table.Look != "list" && s.Table.Look != "heat"
}

// label returns the text before the values of a column in a narrow window, or "".
func (t *Table) label(column int) string {
	if !t.stacked() || column == t.Key || t.Heads[column].Aside {
		return ""
	}
	return shortMiddle(t.Heading(column), longest)
}

// spanOf returns the class of the span above a column.
func (t *Table) spanOf(column int) string {
	for _, span := range t.Spans {
		column -= span.Columns
		if column < 0 {
			return span.Class
		}
	}
	return ""
}

// drawn reports whether any column has a drawing.
func (t *Table) drawn() bool {
	for _, h := range t.Heads {
		if h.Axis != nil {
			return true
		}
	}
	return false
}

// row returns the cells of a row. name is the short form of the row's name, which is unique in the table.
func (s *Shown) row(cells []Cell, name string) []shownCell {
	row := make([]shownCell, 0, len(cells))
	styled := s.styled()
	for c, cell := range cells {
		text := Visible(cell.String())
		shown := shownCell{Head: c == s.Table.Key, Class: cell.Class}
		if !styled {
			shown.Label = s.Table.label(c)
		}
		if s.Table.Heads[c].Aside {
			shown.Class = "aside"
		} else if c >= s.Table.Words && c != s.Table.Key {
			if s.Table.Look == "sheet" && !styled { // figures of a sheet have the colours of who gave them
				shown.Class = strings.TrimSuffix(s.Table.spanOf(c)+" "+cell.Class, " ")
			} else if s.Table.Look != "sheet" {
				shown.Class = strings.TrimSuffix("n "+cell.Class, " ")
			}
			if index := strings.IndexAny(text, "[("); index > 1 && text[index-1] == ' ' && (cell.Value.Known || text[index] == '[') {
				text, shown.More = text[:index-1], interval(text[index:])
			}
			shown.Whole = lacking(cell.Value)
		} else if slices.ContainsFunc(strings.Fields(text), func(word string) bool { return len(word) > longest }) {
			shown.Class = strings.TrimSuffix("long "+cell.Class, " ")
			if shown.Head && name != text && !strings.Contains(text, " ") { // a name, not a question
				text, shown.Whole = name, text
			}
		}
		shown.Text = isolated(text)
		if cell.To != nil && cell.Text != "" && cell.Text != stats.Missing {
			shown.Address = s.Address(*cell.To)
		}
		if cell.Drawn != nil && cell.Drawn.Picture != "" {
			shown.Class = "picture"
			shown.Drawn = cell.Drawn.Picture
		}
		if axis := s.Table.Heads[c].Axis; axis != nil {
			row = append(row, shownCell{Class: "drawing", Drawn: axis.draw(cell, s.ticks(c))})
		}
		row = append(row, shown)
	}
	return row
}

// lacking returns why a figure or its interval is missing, or "".
func lacking(f stats.Figure) string {
	if f.Known && f.Why != nil {
		return "no interval: " + f.Reason()
	}
	return f.Reason()
}

// interval returns an interval as pages show it: "[16.0, 17.8]" becomes "16.0 to 17.8". Other text is unchanged.
func interval(text string) string {
	if bounds, is := strings.CutPrefix(text, "["); is {
		if low, high, two := strings.Cut(strings.TrimSuffix(bounds, "]"), ", "); two {
			return low + " to " + high
		}
	}
	return text
}

// Caption returns the name of the table for screen readers: the title of the section, or else its verdict or ID.
func (s *Shown) Caption() string { return cmp.Or(s.Title, s.Verdict, s.ID, "Table") }

// Visible replaces characters that are invisible, or that change the order or look of the text around them, with their code points, as
// "[U+200B]".
func Visible(text string) string {
	return escaped(text, func(r rune) bool {
		return r >= 0x202A && r <= 0x202E || r >= 0x2066 && r <= 0x2069 || r == 0x200E || r == 0x200F || r == 0x061C || r == 0x200B ||
			r == 0x2060 || r == 0xFEFF || r >= 0xE0000 && r <= 0xE007F || r < ' ' && r != '\n' && r != '\t' && r != '\r' || r == 0x7F
	}, "[U+%04X]")
}

// Style is the CSS of pages with sections: those of compqa serve, and report.html.
//
//go:embed document.css
var Style string
