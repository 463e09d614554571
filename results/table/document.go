package table

import (
	"html/template"
	"regexp"
	"slices"
	"strings"

	"compqa/data"
)

// A Document is the content of a report or page. It can be rendered as Markdown, as HTML and on the terminal, and its tables also as CSV
// and LaTeX. Texts are plain. An empty line separates paragraphs, and a paragraph whose lines begin with "- " is a list.
type Document struct {
	ID, Title, Lead string
	Source          string // what it was computed from, if not from the run
	Foreign         bool   // others wrote its texts, so their terms are not explained
	Sections        []Section
}

// A Section is a part of a document. It is left out if it has neither rows nor a text.
type Section struct {
	ID, Title string
	Verdict   string // what the section shows, in one sentence
	About     string // how to read its figures
	Notes     []Note
	Table     *Table
	Plot      *Plot
	Pane      Pane   // column on a page with two columns
	Lead      string // text below the title; parts between ** are bold
	Keys      []Key  // explain the marks that the table draws
	Figures   []Picture
	Fold      string // if set, the section is collapsed, with its title and this text as summary
	More      []Cell // links below the table
	Answers   []Answer
	Quote     string   // a text by others, such as an answer
	Beside    []Line   // next to the quote: who gave it which points
	Sides     []Side   // two texts next to each other
	Listing   string   // a text that is shown verbatim, such as a configuration
	Chapter   *Chapter // if set, a page shows the section in the collapsed chapter
}

// A Side is a quoted text, and who chose it.
type Side struct {
	Line
	Quote string
}

// An Answer answers a short question, in a few words (Short) and then in full (Text).
type Answer struct{ Question, Short, Text string }

// A Chapter is a collapsed group of sections. Says is its summary line.
type Chapter struct{ Title, Says string }

// In puts sections into a chapter.
func (c *Chapter) In(sections ...Section) []Section {
	return data.Each(sections, func(s Section) Section {
		s.Chapter = c
		return s
	})
}

// A Note is a caveat. If Subject is set, it is about this judge or system.
type Note struct{ Subject, Text string }

// A Plot is a picture. SVG draws it for a width in pixels.
type Plot struct {
	Name, Alt string
	SVG       func(width int) string
}

// A Picture is a small drawing in the style of the page, with a caption.
type Picture struct {
	Drawing template.HTML
	Name    string
	Caption string
}

// A Target is where a cell links to. It is a page, with the name of its subject and a query of alternating names and values. Or Page is the
// full address of another site's page.
type Target struct {
	Page, Name string
	Query      []string
}

// ToJudge returns a link to the page of a judge.
func ToJudge(name string) *Target { return &Target{Page: "judges", Name: name} }

// ToSystem returns a link to the answers of a system.
func ToSystem(name string) *Target { return ToAnswers("system", name) }

// ToAnswers returns a link to the answers that match a query.
func ToAnswers(query ...string) *Target { return &Target{Page: "answers", Query: query} }

// ToCounted returns a link to exactly the answers that a number counts. It overrides the current selection of the page.
func ToCounted(query ...string) *Target {
	return ToAnswers(append([]string{"judge", "", "scenario", "", "group", ""}, query...)...)
}

// Empty reports whether a section has nothing to show. A section with a table is empty if the table has no rows.
func (s *Section) Empty() bool {
	if s.Table != nil {
		return len(s.Table.Rows) == 0
	}
	return s.Plot == nil && s.Verdict == "" && s.About == "" && s.Notes == nil && s.Quote == "" && s.Listing == "" && s.Figures == nil &&
		s.Lead == "" && s.Answers == nil && s.Sides == nil
}

// Key returns the ID of the section, or one made from its title.
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

// judgeHeads are the headings of columns that contain names of judges.
var judgeHeads = data.Among([]string{"judge", "against", "reference", "best", "authors' words", "preferences of", "grader",
	"judge a", "judge b"})

// NameJudges appends marks to the names of judges in the tables of sections: in columns of judges, and in headings that are a judge. It
// does not repeat a mark.
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

// A block is a paragraph, or a list if Items is set.
type block struct {
	Text  string
	Items []string
}

// blocks splits a text into paragraphs and lists.
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

// Page returns a document as Markdown. It returns "" if all sections are empty.
func Page(title, lead string, sections ...Section) string {
	return Document{Title: title, Lead: lead, Sections: sections}.Markdown()
}

// Markdown returns the document as one page. It returns "" if all sections are empty.
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
