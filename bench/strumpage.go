package bench

import (
	"cmp"
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

// A tableMade is the answer to a question with its table, or why there is none.
type tableMade struct {
	Question data.Question
	Sources  []data.Source
	Answer   data.Answer
	Choice   string // the better object, "Neither", or "" if the system does not choose
}

// strumFiles are the files with tables: Markdown, JSON lines, and one HTML page that needs no other file and no script. The
// texts come from other people: nothing in them has an effect in Markdown or HTML.
func strumFiles(list []tableMade) map[string]func(io.Writer) error {
	var answers []any // an answer on each line, as files of answers have it
	for _, m := range list {
		if m.Answer.Table != nil {
			answers = append(answers, struct {
				ID      string              `json:"id"`
				Object1 string              `json:"object1"`
				Object2 string              `json:"object2"`
				System  string              `json:"system"`
				Text    string              `json:"text"`
				Table   *data.ContrastTable `json:"table"`
			}{m.Answer.ID, m.Question.Object1, m.Question.Object2, m.Answer.System, m.Answer.Text, m.Answer.Table})
		}
	}
	return map[string]func(io.Writer) error{
		"strum.md":   table.Text(markdown(list)),
		"strum.json": table.Lines(answers),
		"strum.html": func(w io.Writer) error { return strumPage.Execute(w, list) },
	}
}

// Rows are the rows of the table.
func (m tableMade) Rows() []data.ContrastRow {
	if m.Answer.Table == nil {
		return nil
	}
	return m.Answer.Table.Rows
}

// Reason says why there are no rows.
func (m tableMade) Reason() string {
	return cmp.Or(m.Answer.Reason, "the sources contain no attribute to compare")
}

// A citedSource is a source with its number, from 1, and the quote that a value has from it.
type citedSource struct {
	Number           int
	Name, URL, Quote string
}

// Quotes are the quotes of a value from known sources.
func (m tableMade) Quotes(v data.ContrastValue) (quotes []citedSource) {
	for _, e := range v.Evidence {
		if at := slices.IndexFunc(m.Sources, func(s data.Source) bool { return s.ID == e.Source }); at >= 0 {
			s := citedSource{Number: at + 1, Name: strum.NameOf(m.Sources[at]), Quote: e.Quote}
			if url := m.Sources[at].URL; strings.HasPrefix(url, "http://") || strings.HasPrefix(url, "https://") {
				s.URL = url
			}
			quotes = append(quotes, s)
		}
	}
	return quotes
}

// Cited are the sources with quotes in the table, in their order.
func (m tableMade) Cited() []citedSource {
	var cited []citedSource
	for _, r := range m.Rows() {
		for _, v := range slices.Concat(r.Object1, r.Object2) {
			cited = append(cited, m.Quotes(v)...)
		}
	}
	slices.SortStableFunc(cited, func(a, b citedSource) int { return a.Number - b.Number })
	return slices.CompactFunc(cited, func(a, b citedSource) bool { return a.Number == b.Number })
}

// markdown is a section with a table for each comparison.
func markdown(list []tableMade) string {
	var b strings.Builder
	for _, m := range list {
		q := m.Question
		fmt.Fprintf(&b, "# %s or %s\n\n", table.EscapeMarkdown(q.Object1), table.EscapeMarkdown(q.Object2))
		if len(m.Rows()) == 0 {
			fmt.Fprintf(&b, "There is no table: %s.\n\n", table.EscapeMarkdown(m.Reason()))
			continue
		}
		t := table.New(3, "attribute", q.Object1, q.Object2)
		for _, r := range m.Rows() {
			t.Add(r.Attribute, m.cell(r.Object1), m.cell(r.Object2))
		}
		b.WriteString(t.Markdown())
		if m.Choice != "" {
			fmt.Fprintf(&b, "Better: %s\n\n", table.EscapeMarkdown(m.Choice))
		}
		b.WriteString("Sources:\n\n")
		for _, s := range m.Cited() {
			if s.URL != "" && s.URL != s.Name {
				s.Name += ", " + s.URL
			}
			fmt.Fprintf(&b, "%d. %s\n", s.Number, table.EscapeMarkdown(s.Name))
		}
		b.WriteString("\n")
	}
	return b.String()
}

// cell is the values of an object with the numbers of their sources.
func (m tableMade) cell(values []data.ContrastValue) string {
	var texts []string
	for _, v := range values {
		text := v.Value
		for _, s := range m.Quotes(v) {
			if number := fmt.Sprintf(" [%d]", s.Number); !strings.Contains(text[len(v.Value):], number) {
				text += number
			}
		}
		if notes := strum.Notes(v); notes != "" {
			text += " (" + notes + ")"
		}
		texts = append(texts, text)
	}
	return strings.Join(texts, "; ")
}

//go:embed strum.html
var strumPageText string

// strumPage is the HTML page. html/template escapes texts by their place.
var strumPage = template.Must(template.New("strum").Funcs(template.FuncMap{"notes": strum.Notes}).Parse(strumPageText))
