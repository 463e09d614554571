package table

import (
	"strings"
	"unicode"

	"github.com/mattn/go-runewidth"
)

// narrow measures the width of text independently of the locale, on which the width of "±" depends. A report then has the same
// bytes everywhere.
var narrow = &runewidth.Condition{StrictEmojiNeutral: true}

// Markdown returns a padded pipe table, followed by an empty line. Words are aligned left, and figures right. The heading of a group of
// rows is a row of its own, in bold.
func (t *Table) Markdown() string {
	lines, widths, groups := t.texts(), make([]int, len(t.Header)), t.groups()
	for _, group := range groups {
		widths[0] = max(widths[0], narrow.StringWidth(group))
	}
	for _, line := range lines {
		for c := range line {
			line[c] = EscapeMarkdown(line[c])
			widths[c] = max(3, widths[c], narrow.StringWidth(line[c])) // the rule below the header needs at least 3
		}
	}
	var b strings.Builder
	for i, line := range lines {
		if group := groups[i-1]; group != "" {
			b.WriteString("| " + narrow.FillRight(group, widths[0]) + " ")
			for _, width := range widths[1:] {
				b.WriteString("| " + strings.Repeat(" ", width) + " ")
			}
			b.WriteString("|\n")
		}
		for c, cell := range line {
			fill := narrow.FillLeft
			if t.isWords(c) {
				fill = narrow.FillRight
			}
			b.WriteString("| " + fill(cell, widths[c]) + " ")
		}
		b.WriteString("|\n")
		if i == 0 {
			for c, width := range widths {
				if t.isWords(c) {
					b.WriteString("| " + strings.Repeat("-", width) + " ")
				} else {
					b.WriteString("| " + strings.Repeat("-", width-1) + ": ")
				}
			}
			b.WriteString("|\n")
		}
	}
	return b.String() + "\n"
}

// groups returns the headings of groups of rows, in bold, by the index of the first row.
func (t *Table) groups() map[int]string {
	groups := map[int]string{}
	last := ""
	for i, row := range t.Rows {
		group := ""
		if line := row[t.Key].Row; line != nil {
			group = line.Group
		}
		if group != last && group != "" {
			groups[i] = "**" + EscapeMarkdown(group) + "**"
		}
		last = group
	}
	return groups
}

// EscapeMarkdown escapes a text for a table cell or a paragraph, and puts it on one line. Underscores inside words need no escape.
func EscapeMarkdown(text string) string {
	runes := []rune(strings.Join(strings.Fields(text), " "))
	word := func(i int) bool {
		return i >= 0 && i < len(runes) && (unicode.IsLetter(runes[i]) || unicode.IsDigit(runes[i]))
	}
	var b strings.Builder
	for i, r := range runes {
		switch r {
		case '&':
			b.WriteString("&amp;")
			continue
		case '<':
			b.WriteString("&lt;")
			continue
		case '\\', '`', '*', '|', '~':
			b.WriteByte('\\')
		case '[':
			if opensLink(runes[i:]) {
				b.WriteByte('\\')
			}
		case '_':
			if !word(i-1) || !word(i+1) {
				b.WriteByte('\\')
			}
		}
		b.WriteRune(r)
	}
	return b.String()
}

// opensLink reports whether a bracket opens a link ("[text](…" or "[text][…") and not an interval.
func opensLink(runes []rune) bool {
	for i, r := range runes {
		if r == ']' {
			return i+1 < len(runes) && (runes[i+1] == '(' || runes[i+1] == '[')
		}
	}
	return false
}
