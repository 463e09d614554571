package bench

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"compqa/data"
	"compqa/results/report"
	"compqa/results/table"
	"compqa/scenarios/strum"
	"compqa/stats"
)

// A tableMade is the answer to a question with its contrastive table, or with the reason why there is none.
type tableMade struct {
	Question data.Question
	Sources  []data.Source
	Answer   data.Answer
	Choice   data.Choice // "" if the system makes no choice
}

// strumFiles returns the files that show tables: Markdown, JSON lines, and an HTML page without scripts or other files. The texts come from
// other people, so they are escaped and have no effect in Markdown or HTML.
func strumFiles(list []tableMade) map[string]func(io.Writer) error {
	var answers []any // one answer per line, in the format of files of answers
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
		"strum.html": func(w io.Writer) error {
			page, err := report.PageOf(strumTitle(list), data.Plural(len(list), "comparison", "comparisons"), strumDocument(list))
			if err == nil {
				_, err = io.WriteString(w, page)
			}
			return err
		},
	}
}

// A shownRow is a row of the page. It shows a statement about both objects only once.
type shownRow struct {
	data.ContrastRow
	Cells   [][]data.ContrastValue // first object, second object, and both if any row of the table has a statement about both
	Favours string                 // the name of the object, "neither", or "" without a contrast
}

// Rows returns the rows of the page.
func (m tableMade) Rows() (rows []shownRow) {
	if m.Answer.Table == nil {
		return nil
	}
	names := map[string]string{string(data.Object1): m.Question.Object1, string(data.Object2): m.Question.Object2,
		string(data.Neither): "neither"}
	for _, r := range m.Answer.Table.Rows {
		both := strum.Common(r)
		cells := [][]data.ContrastValue{strum.Except(r.Object1, both), strum.Except(r.Object2, both)}
		if m.Shared() {
			cells = append(cells, both)
		}
		rows = append(rows, shownRow{r, cells, names[r.Favours]})
	}
	return rows
}

// Shared reports whether any row has a statement about both objects.
func (m tableMade) Shared() bool {
	return slices.ContainsFunc(m.Answer.Table.Rows, func(r data.ContrastRow) bool { return len(strum.Common(r)) > 0 })
}

// Better returns the name of the object that the system chooses, "Neither" if it chooses neither, or "" if it makes no choice.
func (m tableMade) Better() string { return strum.ChosenName(m.Question, m.Choice) }

// Basis says in words on how many rows the choice is based.
func (m tableMade) Basis() string { return strum.Basis(m.Question, *m.Answer.Table) }

// Notes says in words that other sources dispute a value, and which sources support it without a quote.
func (m tableMade) Notes(v data.ContrastValue) string { return strum.Notes(v, m.number) }

// number returns the number of a source, counted from 1, or 0 if the source is not known.
func (m tableMade) number(id string) int {
	return 1 + slices.IndexFunc(m.Sources, func(s data.Source) bool { return s.ID == id })
}

// Reason says why the table has no rows.
func (m tableMade) Reason() string {
	return cmp.Or(m.Answer.Reason, "the sources contain no attribute to compare")
}

// A citedSource is a source with its number, counted from 1, and the quote that supports a value.
type citedSource struct {
	Number           int
	Name, URL, Quote string
}

// Quotes returns the quotes that support a value. Unknown sources are left out.
func (m tableMade) Quotes(v data.ContrastValue) (quotes []citedSource) {
	for _, e := range v.Evidence {
		if number := m.number(e.Source); number > 0 {
			quotes = append(quotes, m.cited(number, e.Quote))
		}
	}
	return quotes
}

// cited returns the source with this number. Its URL is left out unless it is a web address.
func (m tableMade) cited(number int, quote string) citedSource {
	source := m.Sources[number-1]
	s := citedSource{Number: number, Name: strum.NameOf(source), Quote: quote}
	if strings.HasPrefix(source.URL, "http://") || strings.HasPrefix(source.URL, "https://") {
		s.URL = source.URL
	}
	return s
}

// Cited returns the sources that are quoted in the table or contradict a value in it, each once, by number.
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

// markdown returns the tables in Markdown, one section for each comparison.
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
				cells = append(cells, m.cell(values, m.Notes))
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

// mark returns "≠" for a value that sources contradict. For any other value it returns Notes.
func (m tableMade) mark(v data.ContrastValue) string {
	if len(v.Conflicts) > 0 {
		return "≠"
	}
	return m.Notes(v)
}

// cell returns the text of a cell: each value with the numbers of its sources, and with the text that note returns for it.
func (m tableMade) cell(values []data.ContrastValue, note func(data.ContrastValue) string) string {
	var texts []string
	for _, v := range values {
		text := v.Value
		for _, s := range m.Quotes(v) {
			if number := fmt.Sprintf(" [%d]", s.Number); !strings.Contains(text[len(v.Value):], number) {
				text += number
			}
		}
		if notes := note(v); notes != "" {
			text += " (" + notes + ")"
		}
		texts = append(texts, text)
	}
	return strings.Join(texts, "; ")
}

// strumTitle returns the title of the page: for one comparison its choice, for several how many have a table.
func strumTitle(list []tableMade) string {
	if len(list) == 1 {
		return list[0].title()
	}
	made := data.Where(list, func(m tableMade) bool { return len(m.Rows()) > 0 })
	return fmt.Sprintf("%d of %d comparisons have a table", len(made), len(list))
}

// strumDocument returns the page. For each comparison it shows the choice and on how many rows it is based, the contrasts, and the quoted
// passages, which are folded.
func strumDocument(list []tableMade) table.Document {
	names := data.Each(list, func(m tableMade) string { return m.Question.Object1 + " or " + m.Question.Object2 })
	const most = 3
	if more := len(names) - most; more > 0 {
		names = append(names[:most], fmt.Sprintf("%d others", more))
	}
	d := table.Document{Title: strumTitle(list), Lead: plainText(data.List(names)), Foreign: true}
	for _, m := range list {
		lead := plainText(m.lead())
		if len(list) == 1 {
			d.Lead = lead
		} else {
			d.Sections = append(d.Sections, table.Section{ID: "comparison", Title: m.title(), Lead: lead})
		}
		if len(m.Rows()) > 0 {
			d.Sections = append(d.Sections, m.contrasts(), m.passages())
		}
	}
	return d
}

// plainText returns the text without **, which would begin bold text.
func plainText(text string) string { return strings.ReplaceAll(text, "**", "") }

// lead returns the sentences below the title of a comparison: how many rows favour neither object, and how many sentences of the sources
// are in no row. Without a table it says why there is none.
func (m tableMade) lead() string {
	rows := m.Rows()
	if len(rows) == 0 {
		return "There is no table: " + m.Reason() + "."
	}
	neither := len(data.Where(rows, func(r shownRow) bool { return r.Favours != m.Question.Object1 && r.Favours != m.Question.Object2 }))
	text := data.Plural(neither, "row favours", "rows favour") + " neither object."
	if t := m.Answer.Table; t.Sentences > 0 {
		text += fmt.Sprintf(" %d of %s of the sources are in no row.", t.Unused, data.Plural(t.Sentences, "sentence", "sentences"))
	}
	return text
}

// title returns the title of a comparison: the chosen object and how many rows favour each object. Without a choice, it has the numbers
// alone.
func (m tableMade) title() string {
	q := m.Question
	rows := m.Rows()
	name := q.Object1 + " or " + q.Object2
	if len(rows) == 0 {
		return name + ": no table"
	}
	favour := func(object string) int {
		return len(data.Where(rows, func(r shownRow) bool { return r.Favours == object }))
	}
	first := q.Object1
	second := q.Object2
	if m.Better() == second {
		first, second = second, first
	}
	if m.Better() == first {
		return fmt.Sprintf("%s: %d of %s for it, %d for %s", first, favour(first), data.Plural(len(rows), "row is", "rows are"), favour(second),
			second)
	}
	if m.Choice != "" {
		name = m.Better() + " of " + q.Object1 + " and " + q.Object2
	}
	return fmt.Sprintf("%s: %d of %s for %s, %d for %s", name, favour(first), data.Plural(len(rows), "row is", "rows are"), first,
		favour(second), second)
}

// contrasts returns the table of a comparison. A row has an attribute, what the sources say of each object, and the object that this
// favours. A value that sources contradict is marked with ≠; a line below the row says how many do.
func (m tableMade) contrasts() table.Section {
	q := m.Question
	header := []string{"attribute", q.Object1, q.Object2}
	if m.Shared() {
		header = append(header, "both")
	}
	view := table.New(len(header)+1, append(header, "favours")...)
	view.Look = "list"
	disputed := 0
	for _, r := range m.Rows() {
		name := table.Cell{Text: r.Attribute, Row: &table.Row{}}
		if r.Kind == data.RowImportant {
			name.Mark = " (no contrast)"
		}
		cells := []any{nil}
		for k, values := range r.Cells {
			cells = append(cells, m.cell(values, m.mark))
			for _, v := range values {
				if len(v.Conflicts) > 0 {
					name.Row.Below = append(name.Row.Below, table.Line{Value: "≠", Who: header[k+1], Text: v.Value + ": " + m.Notes(v)})
				}
			}
		}
		disputed += len(name.Row.Below)
		cells[0] = name
		view.Add(append(cells, cmp.Or(r.Favours, stats.Missing))...)
	}
	view.Foot = "[1] is the first source."
	if disputed > 0 {
		view.Foot += fmt.Sprintf(" ≠: sources contradict each other (%s).", data.Plural(disputed, "value", "values"))
	}
	if n := len(m.Answer.Table.Dropped); n > 0 {
		view.Foot += fmt.Sprintf(" %s left out; strum.json lists them.", data.Plural(n, "row or value is", "rows and values are"))
	}
	return table.Section{ID: "contrasts", Table: view}
}

// passages returns the folded list of sources, each with its quotes and the attributes that they are about.
func (m tableMade) passages() table.Section {
	view := table.New(4, "source", "title", "passage", "on")
	view.Look = "list"
	type shown struct {
		citedSource
		on string
	}
	var all []shown
	for _, r := range m.Rows() {
		for _, v := range slices.Concat(r.Object1, r.Object2) {
			for _, s := range m.Quotes(v) {
				all = append(all, shown{s, r.Attribute})
			}
		}
	}
	quoted := map[int]bool{}
	for _, s := range all {
		quoted[s.Number] = true
	}
	for _, s := range m.Cited() {
		if !quoted[s.Number] { // the source only contradicts a value
			all = append(all, shown{s, ""})
		}
	}
	slices.SortStableFunc(all, func(a, b shown) int { return a.Number - b.Number })
	all = slices.Compact(all) // a statement about both objects is in both cells
	for _, s := range all {
		name := table.Cell{Text: s.Name}
		if s.URL != "" {
			name.To = &table.Target{Page: s.URL}
		}
		view.Add(table.Cell{Text: fmt.Sprintf("[%d]", s.Number)}, name, s.Quote, s.on)
	}
	return table.Section{ID: "sources", Title: "Sources", Table: view, Fold: fmt.Sprintf("%s, %s", data.Plural(len(m.Cited()), "source",
		"sources"), data.Plural(len(all), "passage", "passages"))}
}
