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

// Templates show a Shown as "section". The pages of the board and report.html use them.
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

// emphasized returns a text whose parts between two pairs of stars are bold.
func emphasized(text string) template.HTML {
	parts := strings.Split(string(isolated(text)), "**")
	for i := 1; i+1 < len(parts); i += 2 {
		parts[i] = "<b>" + parts[i] + "</b>"
	}
	return template.HTML(strings.Join(parts, ""))
}

// Runs of text that is written from right to left. A comma ends one, so that names in a list keep their order.
const fromRight = `\p{Arabic}\p{Hebrew}\p{Syriac}\p{Thaana}\p{Nko}`

var (
	rightToLeft = regexp.MustCompile(`[` + fromRight + `](?:[` + fromRight + `\p{M}\d _./-]*[` + fromRight + `\p{M}])?`)
	leftToRight = regexp.MustCompile(`\p{Latin}`)
)

// isolated returns a text in which names that are written from right to left do not change the order of the words around them. A text
// that is itself mostly written so stays whole.
func isolated(text string) template.HTML {
	text = template.HTMLEscapeString(Visible(text))
	runs := rightToLeft.FindAllString(text, -1)
	if runs == nil || len(leftToRight.FindAllString(text, -1)) < utf8.RuneCountInString(strings.Join(runs, "")) {
		return template.HTML(text)
	}
	return template.HTML(rightToLeft.ReplaceAllString(text, "<bdi>$0</bdi>"))
}

// Finder finds words in a text, whatever their case.
func Finder(words string) *regexp.Regexp { return regexp.MustCompile("(?i)" + regexp.QuoteMeta(words)) }

// Marked marks the words in the texts of a page, not in its tags.
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
	Address func(Target) string                                // "": no link
	Sort    func(s *Section, column string) (to, state string) // nil: columns are not sorted
	Level   int                                                // of its heading
	Folded  bool                                               // behind its title
	Tools   []Link                                             // what can be done with the table
	Marks   string                                             // what the marks after names mean
	Picture template.HTML                                      // the plot
	Styled  func(columns []Column) string                      // the class of a style that has what all cells of columns say; nil: cells do
}

// A Column is what all cells of a column say.
type Column struct {
	Label string // before a value in a narrow window; "": none
	Class string // of the span above the column, in a sheet
}

// marks are those that follow names, with their meanings.
var marks = [][2]string{{"†", "tuned on these scores"}, {"°", "imported: nothing shows who made them"},
	{"§", "degenerate, so it orders nothing"}}

// MarksOf explains the marks after names in the table of a section that are not explained yet, and adds them to explained. A mark that a
// text of the section explains is left out.
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

// A Link is a text with an address; Here: it is the page that is shown.
type Link struct {
	Text, Address string
	Here          bool
	Class         string
}

// A shownHead is the head of a column: where its name leads, how the column is sorted (ascending,
// descending), and its axis.
type shownHead struct {
	Class, Text, Whole, Address, Sort string
	Axis                              template.HTML
}

// mostQuoted is the number of characters of a quoted text that are shown before the whole one.
const mostQuoted = 280

// beginning returns the beginning of a quoted text, on one line.
func beginning(text string) string { return ShortTo(oneLine(text), mostQuoted) }

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// HeadCells returns the cells above the columns; that of an axis stands before its column.
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

// ticks returns the id of the lines of a column's axis.
func (s *Shown) ticks(column int) string { return fmt.Sprintf("%s-ticks-%d", s.Key(), column) }

// A shownCell is a cell as a page shows it; Head: it names its row. More is the muted end of a figure: its interval, or n.
type shownCell struct {
	Head                               bool
	Class, More, Address, Label, Whole string // Whole: the text, where a part is shown; why a figure is missing
	Text, Drawn                        template.HTML
}

// A shownRow is a row as a page shows it; Group is the heading above it.
type shownRow struct {
	*Row
	Group string
	Cells []shownCell
	Width int // in columns
}

// longest is the length of a word that is not broken, and of the name of a column; longestName is that of a name with such a word.
const longest, longestName = 24, 44

// Rows returns the rows of the table. They are computed here, because templates take several times as long.
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

// widestGrid is the number of columns of a heat table that fit on a phone.
const widestGrid = 6

// stacked reports whether the rows of a table are small grids on phones, in which each figure has its label.
func (t *Table) stacked() bool { return t.Look != "heat" || len(t.Header) > widestGrid }

// Class returns the class of a table on pages.
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

// Class returns the class of the table, with that of its columns.
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

// styled reports whether a style has what cells of columns say. The labels of lists are words of their questions, and other tables show
// labels elsewhere.
func (s *Shown) styled() bool {
	return s.Styled != nil && s.Table.stacked() && !s.Table.drawn() && s.Table.Look != "list" && s.Table.Look != "heat"
}

// label returns what stands before the values of a column in a narrow window.
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

// drawn reports whether a column is drawn.
func (t *Table) drawn() bool {
	for _, h := range t.Heads {
		if h.Axis != nil {
			return true
		}
	}
	return false
}

// row returns the cells of a row; name is the short form of its name, which differs from those of other names.
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
			if s.Table.Look == "sheet" && !styled { // whose figures are all of one look, in the colours of who gave them
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
			if shown.Head && name != text && !strings.Contains(text, " ") { // a name, and no question
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

// lacking returns why a figure or its interval is missing; "" if neither is.
func lacking(f stats.Figure) string {
	if f.Known && f.Why != nil {
		return "no interval: " + f.Reason()
	}
	return f.Reason()
}

// interval returns the end of a figure as pages show it: "16.0 to 17.8" in place of "[16.0, 17.8]".
func interval(text string) string {
	if bounds, is := strings.CutPrefix(text, "["); is {
		if low, high, two := strings.Cut(strings.TrimSuffix(bounds, "]"), ", "); two {
			return low + " to " + high
		}
	}
	return text
}

// Caption names the table for those who do not see the page. A table below the heading of its page has no
// title; its ID names it.
func (s *Shown) Caption() string { return cmp.Or(s.Title, s.Verdict, s.ID, "Table") }

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
