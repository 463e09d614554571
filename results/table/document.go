package table

import (
	"html/template"
	"regexp"
	"slices"
	"strings"

	"compqa/data"
)

// A Document is what a report or a page says, as values. It is rendered as Markdown, HTML, and on
// the terminal; its tables also as CSV and LaTeX. Texts are plain: paragraphs are separated by an
// empty line, and a paragraph of lines that begin with "- " is a list.
type Document struct {
	ID, Title, Lead string
	Source          string // what it was computed from, where that is not the run
	Foreign         bool   // others wrote its words: none is explained
	Sections        []Section
}

// A Section is a part of a document. It is left out if it has neither rows nor a text.
type Section struct {
	ID, Title string
	Verdict   string // one sentence: what the section says
	About     string // how its figures are to be read
	Notes     []Note
	Table     *Table
	Plot      *Plot
	Pane      Pane   // on a page with two columns
	Lead      string // below the title: parts between ** are bold
	Keys      []Key  // of the marks that the table draws
	Figures   []Picture
	Fold      string // the section is behind its title and this text
	More      []Cell // links below the table
	Answers   []Answer
	Quote     string   // a text of others, such as an answer
	Beside    []Line   // the quote: who gave what to it
	Sides     []Side   // two texts, next to each other
	Listing   string   // a text that is shown as it is, such as a configuration
	Chapter   *Chapter // on a page, the section is in a fold with the others of the chapter
}

// A Side is a text of others with who chose it.
type Side struct {
	Line
	Quote string
}

// An Answer is that to a short question: first in a few words, then in full.
type Answer struct{ Question, Short, Text string }

// A Chapter is a fold of several sections, whose line says their result.
type Chapter struct{ Title, Says string }

// In puts sections into a chapter.
func (c *Chapter) In(sections ...Section) []Section {
	return data.Each(sections, func(s Section) Section {
		s.Chapter = c
		return s
	})
}

// A Note is a caveat, about one judge or system if it has a subject.
type Note struct{ Subject, Text string }

// A Plot is a picture, drawn for a width in pixels.
type Plot struct {
	Name, Alt string
	SVG       func(width int) string
}

// A Picture is a small drawing on a page, in the page's own style, with a line below it.
type Picture struct {
	Drawing template.HTML
	Name    string
	Caption string
}

// A Target is what a cell leads to: a page, the name of its subject, and a query of names and values; or the whole address of a page of
// others.
type Target struct {
	Page, Name string
	Query      []string
}

// ToJudge leads to the page of a judge, ToSystem to the answers of a system.
func ToJudge(name string) *Target { return &Target{Page: "judges", Name: name} }

// ToSystem leads to the answers of a system.
func ToSystem(name string) *Target { return ToAnswers("system", name) }

// ToAnswers leads to the answers that a query lets through.
func ToAnswers(query ...string) *Target { return &Target{Page: "answers", Query: query} }

// ToCounted leads to exactly the answers that a number counts: what is selected on a page does not narrow them.
func ToCounted(query ...string) *Target {
	return ToAnswers(append([]string{"judge", "", "scenario", "", "group", ""}, query...)...)
}

// Empty reports whether there is nothing to show. A section with a table is about its rows.
func (s *Section) Empty() bool {
	if s.Table != nil {
		return len(s.Table.Rows) == 0
	}
	return s.Plot == nil && s.Verdict == "" && s.About == "" && s.Notes == nil && s.Quote == "" && s.Listing == "" && s.Figures == nil &&
		s.Lead == "" && s.Answers == nil && s.Sides == nil
}

// Key returns the section's ID, or one made from its title.
func (s *Section) Key() string {
	if s.ID != "" {
		return s.ID
	}
	return strings.Trim(notKey.ReplaceAllString(strings.ToLower(s.Title), "-"), "-")
}

var notKey = regexp.MustCompile(`[^a-z0-9]+`)

// Shown returns the sections that are not empty.
func (d Document) Shown() []Section {
	return slices.DeleteFunc(slices.Clone(d.Sections), func(s Section) bool { return s.Empty() })
}

// judgeHeads are the heads of columns in which judges stand.
var judgeHeads = data.Among([]string{"judge", "against", "reference", "best", "authors' words", "preferences of", "grader",
	"judge a", "judge b"})

// NameJudges names the judges in the tables of sections for display: their marks follow them, in columns of judges and where a judge
// heads a column. A mark that is there already is not repeated.
func NameJudges(sections []Section, mark func(judge string) string) []Section {
	for _, s := range sections {
		if s.Table == nil {
			continue
		}
		for c, head := range s.Table.Header {
			if m := mark(head); c > 0 && !strings.HasSuffix(s.Table.Heads[c].Mark, m) {
				s.Table.SetHead(c, func(h *Head) { h.Mark += m })
			}
			for _, row := range s.Table.Rows {
				if !judgeHeads[head] || c >= len(row) {
					continue
				}
				if m := mark(row[c].Text); !strings.HasSuffix(row[c].Mark, m) {
					row[c].Mark += m
				}
			}
		}
	}
	return sections
}

// A block is a paragraph, or a list.
type block struct {
	Text  string
	Items []string
}

// blocks returns the parts of a text.
func blocks(text string) (list []block) {
	for part := range strings.SplitSeq(strings.TrimSpace(text), "\n\n") {
		if items, is := strings.CutPrefix(part, "- "); is {
			list = append(list, block{Items: strings.Split(items, "\n- ")})
		} else if part != "" {
			list = append(list, block{Text: part})
		}
	}
	return list
}

// Page returns a document in Markdown, "" if all its sections are left out.
func Page(title, lead string, sections ...Section) string {
	return Document{Title: title, Lead: lead, Sections: sections}.Markdown()
}

// Markdown returns the document as one page, "" if all its sections are left out.
func (d Document) Markdown() string {
	var b strings.Builder
	text := func(text string) {
		for _, part := range blocks(text) {
			if part.Items == nil {
				b.WriteString(EscapeMarkdown(part.Text) + "\n")
			}
			for _, item := range part.Items {
				b.WriteString("- " + EscapeMarkdown(item) + "\n")
			}
			b.WriteString("\n")
		}
	}
	shown := d.Shown()
	if len(shown) == 0 {
		return ""
	}
	b.WriteString("# " + EscapeMarkdown(d.Title) + "\n\n")
	plain := func(lead string) { text(strings.ReplaceAll(lead, "**", "")) }
	plain(d.Lead)
	for _, s := range shown {
		if s.Title != "" {
			b.WriteString("## " + EscapeMarkdown(s.Title) + "\n\n")
		}
		plain(s.Lead)
		text(s.Verdict)
		text(s.About)
		for _, a := range s.Answers {
			plain(strings.TrimSpace(a.Question + " " + a.Short + " " + a.Text))
		}
		if s.Quote != "" {
			b.WriteString("> " + EscapeMarkdown(s.Quote) + "\n\n")
		}
		for _, side := range s.Sides {
			b.WriteString(EscapeMarkdown(side.Who+" "+side.Text) + "\n\n> " + EscapeMarkdown(side.Quote) + "\n\n")
		}
		for _, note := range s.Notes {
			text(note.Text)
		}
		if s.Table != nil {
			b.WriteString(s.Table.Markdown())
			text(s.Table.Below())
		}
		if s.Listing != "" {
			b.WriteString("~~~~\n" + strings.ReplaceAll(s.Listing, "~~~~", "~ ~ ~") + "\n~~~~\n\n")
		}
	}
	return strings.TrimRight(b.String(), "\n") + "\n"
}
