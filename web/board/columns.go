package board

import (
	"fmt"
	"html"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// columnStyles are the styles of columns of a site's tables. Without them each cell would repeat what its column says: the label that
// stands before a value in a narrow window, and whose values they are.
type columnStyles struct {
	names map[string]string // of the class of a table, by its columns
	css   strings.Builder
}

// A styledColumn is what all cells of a column say.
type styledColumn struct {
	label string // as it is in HTML
	class string // one of sides, or ""
}

var (
	stackedTable = regexp.MustCompile(`(?s)<table class="([\w -]*\bstacked\b[\w -]*)">(.*?<tbody>)(.*?)</table>`)
	cellTag      = regexp.MustCompile(`<t[dh]\b[^>]*>`)
	cellLabel    = regexp.MustCompile(` data-label="([^"]*)"`)
	cellClass    = regexp.MustCompile(`^<td class="([^"]*)"`)
)

// sides are the classes of the cells of score sheets (results/report); the first two change nothing but in other tables.
var sides = []string{"persons", "judges", "counting"}

// move moves the labels and the sides of cells from the tables of a page to the styles.
func (s *columnStyles) move(page string) string {
	return stackedTable.ReplaceAllStringFunc(page, func(table string) string {
		parts := stackedTable.FindStringSubmatch(table)
		classes := strings.Fields(parts[1])
		columns, same := columnsOf(parts[3])
		if !same || slices.Contains(classes, "list") || slices.Contains(classes, "heat") || slices.Contains(classes, "drawn") {
			return table // the labels of lists are words of their questions, and other tables show labels elsewhere
		}
		return fmt.Sprintf(`<table class="%s labels %s">%s%s</table>`, parts[1], s.name(columns), parts[2], eachCell(parts[3],
			func(place int, cell string) string {
				cell = cellLabel.ReplaceAllString(cell, "")
				if c := columns[place]; c.class != "" {
					cell = strings.Replace(cell, ` class="`+c.class+`"`, "", 1)
				}
				return cell
			}))
	})
}

// eachCell replaces the tags that begin the cells of rows; places in a row are from 1.
func eachCell(rows string, replace func(place int, cell string) string) string {
	list := strings.Split(rows, "<tr")
	for i, row := range list {
		place := 0
		list[i] = cellTag.ReplaceAllStringFunc(row, func(cell string) string {
			place++
			return replace(place, cell)
		})
	}
	return strings.Join(list, "<tr")
}

// columnsOf returns the columns of rows that have labels, by place; false unless all cells of a column have the same one.
func columnsOf(rows string) (columns map[int]styledColumn, same bool) {
	columns, same = map[int]styledColumn{}, true
	bare := map[int]bool{} // places of cells without a label
	eachCell(rows, func(place int, cell string) string {
		label, class := cellLabel.FindStringSubmatch(cell), ""
		if m := cellClass.FindStringSubmatch(cell); m != nil {
			class = m[1]
		}
		if !strings.HasPrefix(cell, "<td") {
			return cell
		}
		if label == nil {
			bare[place] = true
			return cell
		}
		if slices.Contains(strings.Fields(class), "key") {
			same = false
		}
		if !slices.Contains(sides, class) {
			class = ""
		}
		before, known := columns[place]
		switch {
		case !known:
			before = styledColumn{label[1], class}
		case before.label != label[1]:
			same = false
		case before.class != class:
			before.class = ""
		}
		columns[place] = before
		return cell
	})
	for place := range columns {
		same = same && !bare[place]
	}
	return columns, same && len(columns) > 0
}

// narrow is the width from which on cells show no labels (document.css).
const narrow = "@media (max-width: 800px)"

// name returns the class of tables with some columns, whose styles it writes for the first table.
func (s *columnStyles) name(columns map[int]styledColumn) string {
	key := fmt.Sprint(columns) // in the order of places
	if name, known := s.names[key]; known {
		return name
	}
	if s.names == nil {
		s.names = map[string]string{}
		fmt.Fprintf(&s.css, "\n%s { table.labels td::before { color: var(--quiet); font-weight: 400; font-size: 12.5px; } }\n", narrow)
	}
	name := fmt.Sprint("l", len(s.names)+1)
	s.names[key] = name
	var labels strings.Builder
	for _, place := range slices.Sorted(maps.Keys(columns)) {
		c := columns[place]
		cells := fmt.Sprintf("table.%s tbody td:nth-child(%d)", name, place)
		fmt.Fprintf(&labels, " %s::before { content: %s; }", cells, quotedInStyle(html.UnescapeString(c.label)+" "))
		if c.class == sides[2] {
			fmt.Fprintf(&s.css, "%s { color: var(--quiet); }\n", cells)
		}
	}
	fmt.Fprintf(&s.css, "%s {%s }\n", narrow, &labels)
	return name
}

// quotedInStyle returns a text as a string of CSS.
func quotedInStyle(text string) string {
	var b strings.Builder
	for _, r := range text {
		if r < ' ' || strings.ContainsRune(`"\<`, r) {
			fmt.Fprintf(&b, `\%x `, r)
		} else {
			b.WriteRune(r)
		}
	}
	return `"` + b.String() + `"`
}
