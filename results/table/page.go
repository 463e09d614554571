package table

import "strings"

// A Section is a part of a page. It is left out if its table has no rows.
type Section struct {
	Title, About string
	Table        *Table // nil: text only
}

// Page is a page in Markdown, or "" if all sections are left out. Intro and About are
// Markdown, titles plain text.
func Page(title, intro string, sections ...Section) string {
	var b strings.Builder
	paragraph := func(text string) {
		if text != "" {
			b.WriteString(strings.TrimRight(text, "\n") + "\n\n")
		}
	}
	for _, s := range sections {
		if s.Table != nil && s.Table.Rows == nil {
			continue
		}
		if s.Title != "" {
			paragraph("## " + EscapeMarkdown(s.Title))
		}
		paragraph(s.About)
		if s.Table != nil {
			b.WriteString(s.Table.Markdown())
		}
	}
	if b.Len() == 0 {
		return ""
	}
	body := strings.TrimRight(b.String(), "\n") + "\n"
	b.Reset()
	paragraph("# " + title)
	paragraph(intro)
	return b.String() + body
}

// A Grid is a table with rows and columns in the order in which their names first appear.
type Grid struct{ Table }

func NewGrid(words ...string) *Grid { return &Grid{Table{Words: len(words), Header: words}} }

// Set sets the cell of a row, which is named by its words.
func (g *Grid) Set(cell, column string, row ...string) {
	c := -1
	for i, name := range g.Header[g.Words:] {
		if name == column {
			c = g.Words + i
		}
	}
	if c < 0 {
		c, g.Header = len(g.Header), append(g.Header, column)
		for i := range g.Rows {
			g.Rows[i] = append(g.Rows[i], "")
		}
	}
	for i := len(g.Rows) - 1; i >= 0; i-- {
		if strings.Join(g.Rows[i][:g.Words], "\x00") == strings.Join(row, "\x00") {
			g.Rows[i][c] = cell
			return
		}
	}
	line := make([]string, len(g.Header))
	copy(line, row)
	line[c] = cell
	g.Add(line...)
}
