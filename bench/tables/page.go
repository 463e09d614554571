// Package tables writes contrastive tables as Markdown, as JSON, and as one HTML page that
// needs no other file and no script. The texts come from other people:
// nothing in them has an effect in Markdown or HTML.
package tables

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"

	"compqa/data"
	"compqa/results/table"
	"compqa/scenarios/strum"
)

// A Made is the answer to a question with its table, or why there is none.
type Made struct {
	Question data.Question
	Sources  []data.Source
	Answer   data.Answer
	Choice   string // the better object, "Neither", or "" if the system does not choose
}

// Files are the files with tables.
func Files(list []Made) map[string]func(io.Writer) error {
	return map[string]func(io.Writer) error{
		"strum.md":   table.Text(markdown(list)),
		"strum.json": func(w io.Writer) error { return writeJSON(w, list) },
		"strum.html": func(w io.Writer) error { return page.Execute(w, shown(list)) },
	}
}

// writeJSON writes an answer on each line, as files of answers have it.
func writeJSON(w io.Writer, list []Made) error {
	e := table.JSONLines{W: w}
	for _, m := range list {
		if m.Answer.Table == nil {
			continue
		}
		if err := e.Encode(struct {
			ID      string              `json:"id"`
			Object1 string              `json:"object1"`
			Object2 string              `json:"object2"`
			System  string              `json:"system"`
			Text    string              `json:"text"`
			Table   *data.ContrastTable `json:"table"`
		}{m.Answer.ID, m.Question.Object1, m.Question.Object2, m.Answer.System, m.Answer.Text, m.Answer.Table}); err != nil {
			return err
		}
	}
	return nil
}

// A comparison is a table as the pages show it.
type comparison struct {
	Object1, Object2 string
	Choice           string
	Reason           string // why there are no rows
	Rows             []row
	Sources          []source
	Dropped          int
}

type row struct {
	Attribute, Kind string
	Cells           [2][]value
}

type value struct {
	Text   string
	Quotes []quote
	Notes  string // how many other sources support and contradict it
}

type quote struct {
	Text   string
	Number int // of the source
	Name   string
	URL    string
}

type source struct {
	Number    int
	Name, URL string
}

func shown(list []Made) (all []comparison) {
	for _, m := range list {
		c := comparison{Object1: m.Question.Object1, Object2: m.Question.Object2, Choice: m.Choice, Reason: m.Answer.Reason}
		if m.Answer.Table == nil {
			all = append(all, c)
			continue
		}
		numbers := map[string]int{}
		for i, s := range m.Sources {
			numbers[s.ID] = i + 1
		}
		cited := map[int]bool{}
		for _, r := range m.Answer.Table.Rows {
			shown := row{Attribute: r.Attribute, Kind: r.Kind}
			for k, values := range [2][]data.ContrastValue{r.Object1, r.Object2} {
				for _, v := range values {
					of := value{Text: v.Value, Notes: strum.Notes(v)}
					for _, e := range v.Evidence {
						n := numbers[e.Source]
						if n == 0 {
							continue
						}
						cited[n] = true
						s := m.Sources[n-1]
						of.Quotes = append(of.Quotes, quote{e.Quote, n, strum.NameOf(s), link(s.URL)})
					}
					shown.Cells[k] = append(shown.Cells[k], of)
				}
			}
			c.Rows = append(c.Rows, shown)
		}
		if c.Reason == "" && len(c.Rows) == 0 {
			c.Reason = "the sources contain no attribute to compare"
		}
		for i, s := range m.Sources {
			if cited[i+1] {
				c.Sources = append(c.Sources, source{i + 1, strum.NameOf(s), link(s.URL)})
			}
		}
		c.Dropped = len(m.Answer.Table.Dropped)
		all = append(all, c)
	}
	return all
}

// link is an address that a page links to; "": it does not.
func link(url string) string {
	if strings.HasPrefix(url, "http://") || strings.HasPrefix(url, "https://") {
		return url
	}
	return ""
}

// markdown is a section with a table for each comparison.
func markdown(list []Made) string {
	var b strings.Builder
	for _, c := range shown(list) {
		fmt.Fprintf(&b, "# %s or %s\n\n", table.EscapeMarkdown(c.Object1), table.EscapeMarkdown(c.Object2))
		if len(c.Rows) == 0 {
			fmt.Fprintf(&b, "There is no table: %s.\n\n", table.EscapeMarkdown(c.Reason))
			continue
		}
		var rows [][]string
		for _, r := range c.Rows {
			rows = append(rows, []string{r.Attribute, cell(r.Cells[0]), cell(r.Cells[1])})
		}
		b.WriteString(table.MarkdownTable(3, []string{"attribute", c.Object1, c.Object2}, rows))
		if c.Choice != "" {
			fmt.Fprintf(&b, "Better: %s\n\n", table.EscapeMarkdown(c.Choice))
		}
		b.WriteString("Sources:\n\n")
		for _, s := range c.Sources {
			text := s.Name
			if s.URL != "" && s.URL != s.Name {
				text += ", " + s.URL
			}
			fmt.Fprintf(&b, "%d. %s\n", s.Number, table.EscapeMarkdown(text))
		}
		b.WriteString("\n")
	}
	return b.String()
}

// cell is the values of an object with the numbers of their sources.
func cell(values []value) string {
	var texts []string
	for _, v := range values {
		var numbers []int
		for _, q := range v.Quotes {
			if !slices.Contains(numbers, q.Number) {
				numbers = append(numbers, q.Number)
			}
		}
		text := v.Text
		for _, n := range numbers {
			text += fmt.Sprintf(" [%d]", n)
		}
		if v.Notes != "" {
			text += " (" + v.Notes + ")"
		}
		texts = append(texts, text)
	}
	return strings.Join(texts, "; ")
}

//go:embed page.html
var pageText string

// page is the HTML page. html/template escapes texts by their place.
var page = template.Must(template.New("page").Parse(pageText))
