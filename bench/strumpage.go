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
	Choice   data.Choice // "": the system does not choose
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

// A shownRow is a row of the page: a statement about both objects stands in it once.
type shownRow struct {
	data.ContrastRow
	Cells   [][]data.ContrastValue // of the first object, of the second, and of both where a row of the table has such statements
	Favours string                 // the object's name; "neither", or "" without a contrast
}

// Rows are the rows of the table.
func (m tableMade) Rows() (rows []shownRow) {
	if m.Answer.Table == nil {
		return nil
	}
	names := map[string]string{string(data.Object1): m.Question.Object1, string(data.Object2): m.Question.Object2,
		string(data.Neither): "neither"}
	for _, r := range m.Answer.Table.Rows {
		both := strum.Common(r)
		cells := [][]data.ContrastValue{strum.Without(r.Object1, both), strum.Without(r.Object2, both)}
		if m.Shared() {
			cells = append(cells, both)
		}
		rows = append(rows, shownRow{r, cells, names[r.Favours]})
	}
	return rows
}

// Shared reports whether a row has a statement about both objects.
func (m tableMade) Shared() bool {
	return slices.ContainsFunc(m.Answer.Table.Rows, func(r data.ContrastRow) bool { return len(strum.Common(r)) > 0 })
}

// Better is the name of the object that the system chooses, "Neither", or "".
func (m tableMade) Better() string { return strum.Named(m.Question, m.Choice) }

// Basis says on how many rows a choice rests.
func (m tableMade) Basis() string { return strum.Basis(m.Question, *m.Answer.Table) }

// Notes says that a value is disputed, and what supports it without a quote.
func (m tableMade) Notes(v data.ContrastValue) string { return strum.Notes(v, m.number) }

// number is that of a source, from 1; 0: it is not known.
func (m tableMade) number(id string) int {
	return 1 + slices.IndexFunc(m.Sources, func(s data.Source) bool { return s.ID == id })
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
		if number := m.number(e.Source); number > 0 {
			quotes = append(quotes, m.cited(number, e.Quote))
		}
	}
	return quotes
}

// cited is a source by its number.
func (m tableMade) cited(number int, quote string) citedSource {
	source := m.Sources[number-1]
	s := citedSource{Number: number, Name: strum.NameOf(source), Quote: quote}
	if strings.HasPrefix(source.URL, "http://") || strings.HasPrefix(source.URL, "https://") {
		s.URL = source.URL
	}
	return s
}

// Cited are the sources with quotes in the table, and those that contradict one, in their order.
func (m tableMade) Cited() []citedSource {
	var cited []citedSource
	for _, r := range m.Rows() {
		for _, v := range slices.Concat(r.Object1, r.Object2) {
			cited = append(cited, m.Quotes(v)...)
			for _, id := range v.Conflicts {
				if number := m.number(id); number > 0 {
					cited = append(cited, m.cited(number, ""))
				}
			}
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
		header := []string{"attribute", q.Object1, q.Object2}
		if m.Shared() {
			header = append(header, "both")
		}
		t := table.New(len(header)+1, append(header, "favours")...)
		for _, r := range m.Rows() {
			cells := []any{r.Attribute}
			for _, values := range r.Cells {
				cells = append(cells, m.cell(values))
			}
			t.Add(append(cells, r.Favours)...)
		}
		b.WriteString(t.Markdown())
		if m.Choice != "" {
			fmt.Fprintf(&b, "Better: %s\n\n", table.EscapeMarkdown(m.Better()))
		}
		fmt.Fprintf(&b, "%s\n\n", table.EscapeMarkdown(m.Basis()))
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
		if notes := m.Notes(v); notes != "" {
			text += " (" + notes + ")"
		}
		texts = append(texts, text)
	}
	return strings.Join(texts, "; ")
}

//go:embed strum.html
var strumPageText string

// strumPage is the HTML page. html/template escapes texts by their place.
var strumPage = template.Must(template.New("strum").Parse(strumPageText))
