package board

import (
	"cmp"
	"embed"
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"compqa/data"
	"compqa/results/dataset"
	"compqa/results/leaderboard"
	"compqa/results/preferences"
	"compqa/results/store"
	"compqa/results/table"
	"compqa/web/shell"
)

//go:embed pages.html script.js board.css
var files embed.FS

var pages = template.Must(template.Must(table.Templates.Clone()).Funcs(
	template.FuncMap{"markdown": answerText, "prose": prose, "marked": table.Marked}).ParseFS(files,
	"pages.html"))

// headingTag matches the tags of headings in a text from elsewhere.
var headingTag = regexp.MustCompile(`<(/?)h[1-6]>`)

// answerText renders an answer's Markdown as HTML. All its headings get one level, the one below the heading above the answer.
func answerText(level int, text string) (template.HTML, error) {
	whole, err := shell.Markdown(text)
	return template.HTML(headingTag.ReplaceAllString(string(whole), fmt.Sprintf("<${1}h%d>", level))), err
}

// prose renders Markdown as HTML. Wide tables scroll, also by keyboard.
func prose(text string) (template.HTML, error) {
	whole, err := shell.Markdown(text)
	parts := strings.Split(string(whole), "<table>")
	for n := 1; n < len(parts); n++ {
		parts[n] = fmt.Sprintf(`<div class="scroll" tabindex="0" role="region" aria-label="Table %d"><table>`, n) +
			strings.Replace(parts[n], "</table>", "</table></div>", 1)
	}
	return template.HTML(strings.Join(parts, "")), err
}

// A page has the values that the page template shows.
type page struct {
	Title    string
	Lead     string // text below the title; parts between ** are bold
	Status   int    // HTTP status; 0: OK
	Source   string // where the figures come from
	Nav      []table.Link
	Where    []table.Link // links to the previous page of a list, the list, and the next page
	Foot     []table.Link
	Search   *form
	Notes    []string     // shown above everything else
	Refresh  int          // seconds after which a browser reloads the page; 0: never
	Fields   []field      // fields of the selection besides those that narrow tables
	Select   *form        // the form of the selection, such as the judge
	Unused   string       // a sentence on the parts of the selection without effect here
	Choices  []table.Link // links that replace the form on static pages
	Sections []part
	Wide     string // CSS class of sections in two columns
	Live     string // address of server-sent events; "": the page does not update itself
	Figures  int    // number of the snapshot, on a page that updates itself
	Style    string
	Script   string
	Icon     string
	Static   bool
}

// A row of a page is one part, or several parts in two columns.
type row struct {
	table.Panes[part]
	Class string
}

// A chapter is a collapsible group of parts.
type chapter struct {
	*table.Chapter
	Parts []part
	Open  bool // expanded, because the address sorts one of its tables
}

// Chapters returns the parts that belong to chapters, by chapter. They follow all other parts.
func (p page) Chapters() []chapter {
	inFolds := data.Where(p.Sections, func(s part) bool { return s.Chapter != nil })
	return data.Each(table.Grouped(inFolds, func(s part) *table.Chapter { return s.Chapter }), func(parts []part) chapter {
		return chapter{parts[0].Chapter, parts, slices.ContainsFunc(parts, func(s part) bool { return s.Asked })}
	})
}

// Panes returns the parts outside chapters, arranged in rows.
func (p page) Panes() []row {
	open := data.Where(p.Sections, func(s part) bool { return s.Chapter == nil })
	return data.Each(table.InPanes(open, func(s part) table.Pane { return s.Pane }), func(r table.Panes[part]) row {
		return row{r, p.Wide}
	})
}

// A part is a section of a document, with fields that only pages need.
type part struct {
	*table.Shown
	Plot    *picture
	Links   []table.Link
	Form    *form
	Prose   string // Markdown
	Columns []column
	Answer  *column
	Live    *liveView
	Asked   bool // the address asks to sort its table
}

// A picture is a plot. A table next to it shows the same figures. Small is the address of the plot for phones.
type picture struct{ Address, Small, Alt string }

// A form submits its fields as the query of an address.
type form struct {
	Action string
	Fields []field
	Clear  string // the address without the filter
	Values string // the selected values; on a phone, a link to the form
}

type field struct {
	Name, Label, Value string
	Options            []option // nil: a text field
	Number, Hidden     bool
}

type option struct {
	Value, Text string
	Selected    bool
}

// A view is a request for a page, by a browser or for a static site.
type view struct {
	*Board
	s          *snapshot
	address    string // path and query
	path       string
	query      url.Values
	static     *Site           // nil: the request is by a browser
	firstTable string          // key of the page's table that can be sorted and downloaded
	tableLinks []table.Link    // links to pages where the other tables can be sorted and downloaded
	marks      map[string]bool // marks after names that the page already explains

	narrowable, narrowed map[string]bool       // by field of the selection: can narrow the page; has narrowed it
	ofJudge              bool                  // the page is about one judge, whatever judge is selected
	ofGroup              *dataset.AnswerTotals // cached points of the page's judge on the selected criteria
}

// view returns the view of an address.
func (b *Board) view(s *snapshot, u *url.URL, static *Site) *view {
	query := u.Query()
	if query.Get("scenario") == dataset.AllScenarios {
		query.Del("scenario")
	}
	return &view{Board: b, s: s, address: u.RequestURI(), path: u.EscapedPath(), query: query, static: static,
		narrowable: map[string]bool{}, narrowed: map[string]bool{}, marks: map[string]bool{}}
}

func (v *view) get(name string) string { return v.query.Get(name) }

// addressWith returns the address of this page with some values of its query changed: name, value, name, value.
func (v *view) addressWith(query ...string) string {
	var names []string
	for name := range v.query {
		names = append(names, name, v.get(name))
	}
	return v.to(v.path, append(names, query...)...)
}

// target returns the address of a link in a cell, or "" if a static site does not have the page.
func (v *view) target(to table.Target) string {
	if v.static != nil && to.Page == "comparisons" && (slices.Contains(to.Query, "against") || slices.Contains(to.Query, "show")) {
		return "" // a static site would have too many such pages
	}
	path := "/" + to.Page
	if v.static != nil && to.Page == "answers" && to.Name != "" {
		to.Query = nil // a static copy has one page per answer, whatever list leads to it
	}
	if to.Name != "" {
		path += "/" + url.PathEscape(to.Name)
	}
	return v.to(path, to.Query...)
}

// pageAddress returns the address of a page about something with a name, such as a judge.
func (v *view) pageAddress(page, name string) string {
	return v.target(table.Target{Page: page, Name: name})
}

// sortOrder returns the table and the column by which the address sorts.
func (v *view) sortOrder() (table, column string, descending bool) {
	key, descending := strings.CutPrefix(v.get("by"), "-")
	table, column, _ = strings.Cut(key, ".")
	return table, column, descending
}

// sorting returns the address that sorts a table by a column, and the present order by this column: "ascending", "descending" or "".
func (v *view) sorting(s *table.Section, name string) (to, state string) {
	sorted, column, descending := v.sortOrder()
	here := sorted == s.Key() && column == name
	to = s.Key() + "." + name
	if here && !descending || !here && slices.Index(s.Table.Header, name) >= s.Table.Words {
		to = "-" + to
	}
	if here {
		state = "ascending"
		if descending {
			state = "descending"
		}
	}
	return v.addressWith("by", to), state
}

// titled returns a section with addresses for its links.
func (v *view) titled(s *table.Section) *table.Shown {
	shown := &table.Shown{Section: s, Level: 2, Address: v.target}
	if v.static != nil {
		shown.Styled = v.static.styled
	}
	return shown
}

// sectionPart returns a section with links, sorting and downloads. Only the first table of a page can be sorted and downloaded there; the
// other tables have their own pages, which the end of the page links.
func (v *view) sectionPart(s table.Section) part {
	if s.Empty() {
		s.Table = nil
	}
	p := part{Shown: v.titled(&s)}
	p.Marks = s.MarksOf(v.marks)
	if s.Sides != nil || s.Chapter != nil {
		p.Level = 3
	}
	for _, cell := range s.More {
		p.Links = append(p.Links, table.Link{Text: cell.Text, Address: v.target(*cell.To)})
	}
	if s.Plot != nil {
		p.Plot = &picture{v.plotAddress(s.Plot.Name, "720"), v.plotAddress(s.Plot.Name, "360"), s.Plot.Alt}
		p.Tools = append(p.Tools, table.Link{Text: "Plot as SVG", Address: p.Plot.Address})
	}
	if s.Table == nil {
		return p
	}
	as := func(text, format string) {
		p.Tools = append(p.Tools, table.Link{Text: text, Address: v.addressWith("table", s.Key(), "as", format, "page", "")})
	}
	if v.static != nil {
		if key := v.path; key != "/compare" && (key != "/answers" || v.filtered() == nil) { // other pages have the rows of these tables
			as("CSV of this table", "csv")
		}
		return p
	}
	if key, column, descending := v.sortOrder(); key == s.Key() && s.ID != listTable { // the list of answers is sorted already
		s.Table.Sort(column, descending)
	}
	whole := v.get("as") != "" || s.Table.Look == "sheet"
	rows := s.Table.Rows
	v.firstTable = cmp.Or(v.firstTable, v.get("table"), s.Key())
	if v.firstTable != s.Key() {
		to := v.addressWith("table", s.Key(), "page", "")
		if len(rows) > mostBeside && !whole {
			s.Table = s.Table.With(rows[:mostBeside])
			p.Tools = append(p.Tools, table.Link{Text: fmt.Sprintf("All %d rows", len(rows)), Address: to})
		}
		v.tableLinks = append(v.tableLinks, table.Link{Text: cmp.Or(s.Title, s.ID), Address: to})
		return p
	}
	if len(rows) > perPage && !whole {
		s.Table = s.Table.With(nil)
		p.Links = append(v.pages(&s, len(rows), func(i int) { s.Table.Rows = append(s.Table.Rows, rows[i]) }), p.Links...)
	}
	p.Sort = v.sorting
	as("CSV of this table", "csv")
	as("Markdown", "md")
	as("LaTeX", "tex")
	return p
}

// onlyTable returns only the parts with a given table, or nil if the page does not have it.
func (p *page) onlyTable(key string) []part {
	p.Sections = data.Where(p.Sections, func(s part) bool { return s.Table != nil && s.Key() == key })
	for _, s := range p.Sections {
		s.Folded = false
		s.Chapter = nil
	}
	return p.Sections
}

func (v *view) plotAddress(name, width string) string {
	return v.to("/plots/"+name+".svg", "of", v.path, "width", width)
}

// The size of pages.
const (
	perPage     = 50   // rows of a list, or of the first table of a page
	mostBeside  = 20   // rows of a further table; the rest is on a page of its own
	mostAnswers = 60   // answers on the page of a question
	mostBegin   = 160  // characters of an answer shown before it is expanded
	mostFolded  = 40   // rows of a collapsed table; a larger table has a page of its own
	mostCells   = 1100 // cells of all tables of a document; further tables have pages of their own
	mostCopied  = 15   // answers of a filtered list in a static copy
	mostStatic  = 12   // rows of a table in a static copy, where tables have no pages of their own
)

// document returns all sections of a document. The first open sections are expanded, the later ones collapsed.
func (v *view) document(d table.Document, open int) (list []part) {
	cells := 0
	if d.ID != preferences.DocumentID { // the document of preferences names judges of pairs
		v.s.NameColumns(d.Sections)
	}
	for _, s := range v.narrow(d.Shown()) {
		if s.Empty() {
			continue
		}
		var links []table.Link
		if v.static != nil && v.get("as") == "" && s.Table != nil && len(s.Table.Rows) > mostStatic {
			s.About = strings.TrimSpace(fmt.Sprintf("%s\n\nThe first %d of %d rows are shown; the CSV file has all of them.", s.About, mostStatic,
				len(s.Table.Rows)))
			cut := *s.Table
			cut.Rows = cut.Rows[:mostStatic]
			s.Table = &cut
		}
		if s.Table != nil {
			cells += len(s.Table.Rows) * len(s.Table.Header)
		}
		if len(list) >= open && s.Table != nil && (len(s.Table.Rows) > mostFolded || cells > mostCells) && v.static == nil &&
			v.get("table") == "" {
			cells -= len(s.Table.Rows) * len(s.Table.Header)
			links = []table.Link{{Text: fmt.Sprintf("The table, with %d rows", len(s.Table.Rows)), Address: v.addressWith("table", s.Key())}}
			s.Table = nil
		}
		p := v.sectionPart(s)
		p.Links = append(p.Links, links...)
		p.Folded = s.Chapter == nil && len(list) >= open && s.Title != "" || s.Fold != ""
		if key, _, _ := v.sortOrder(); key == s.Key() {
			p.Folded = false
			p.Asked = true
		}
		list = append(list, p)
	}
	return list
}

// textPart returns a part that has only a title and a text.
func textPart(title, text string) part {
	return part{Shown: &table.Shown{Section: &table.Section{Title: title, About: text}, Level: 2}}
}

// options returns the options of a select field, given the value and text of each.
func (v *view) options(name string, list ...[2]string) (options []option) {
	for _, x := range list {
		options = append(options, option{x[0], x[1], v.get(name) == x[0]})
	}
	return options
}

// values returns the options of a select field whose texts are its values. any is the text of the empty value.
func (v *view) values(name, any string, values ...string) []option {
	list := data.Each(values, func(x string) [2]string { return [2]string{x, x} })
	return v.options(name, append([][2]string{{"", any}}, list...)...)
}

// choice returns a select field. any is the text of the empty value.
func (v *view) choice(name, label, any string, values ...string) field {
	return field{Name: name, Label: label, Options: v.values(name, any, values...)}
}

// A refusal is the error for an address that has no page, with its HTTP status.
type refusal struct {
	status int
	text   string
}

func (e refusal) Error() string { return e.text }

// notFound returns the refusal for something that does not exist.
func notFound(text string) error { return refusal{http.StatusNotFound, text} }

// unknownValues returns a refusal if the address has a value that a page's select fields do not offer.
func (v *view) unknownValues(fields []field) error {
	for _, f := range fields {
		x := v.get(f.Name)
		if _, err := strconv.ParseFloat(x, 64); f.Number && x != "" && err != nil {
			return refusal{http.StatusBadRequest, fmt.Sprintf("“%s” must be a number.", f.Name)}
		}
		if f.Options != nil && x != "" && !slices.ContainsFunc(f.Options, func(o option) bool { return o.Selected }) {
			return notFound(fmt.Sprintf("%s: there is no “%s”.", f.Label, data.Clip(x)))
		}
	}
	return nil
}

// render completes a page with what all pages have (notes, style, navigation, search), and renders it.
func (v *view) render(p page) (reply, error) {
	if p.Live == "" {
		p.Notes = append(v.notes(), p.Notes...)
	}
	p.Style, p.Icon, p.Static = v.to(styleAddress), v.to("/favicon.svg"), v.static != nil
	p.Script = v.to("/board.js")
	p.Source = v.source(p.Source)
	p.Nav = v.navigation(&p)
	if v.static == nil && v.s != nil {
		p.Search = &form{Action: "/answers", Fields: []field{{Name: "text", Label: "Search answers", Value: v.get("text")}}}
		if filtered := v.filtered(); v.path == "/answers" { // search within the filtered list
			for i := 0; i < len(filtered); i += 2 {
				if filtered[i] != "text" {
					p.Search.Fields = append(p.Search.Fields, field{Name: filtered[i], Value: filtered[i+1], Hidden: true})
				}
			}
		}
	}
	var b strings.Builder
	err := pages.ExecuteTemplate(&b, "page", p)
	// Make control characters visible, which texts from elsewhere may contain, on the whole page.
	return reply{status: cmp.Or(p.Status, http.StatusOK), kind: htmlKind, text: table.Visible(b.String())}, err
}

// navigation returns the links at the top, at most five. Pages that belong to none of them are linked at the foot. Pages without content
// are not linked.
func (v *view) navigation(p *page) (nav []table.Link) {
	entry, path, first := "", v.path, v.opening()
	if path == "/" {
		path = first
	}
	for _, r := range routes {
		if path == r.path || r.path != "/" && strings.HasSuffix(r.path, "/") && strings.HasPrefix(path, r.path) {
			entry = r.entry
		}
	}
	pairs := first == "/pairs" // pairs replace the ranking
	if pairs && entry == "/compare" {
		entry = first
	}
	for _, r := range routes {
		if r.title == "" || v.empty(r.path, first) {
			continue
		}
		to := r.path
		if pairs && r.path == first {
			r.entry = first
			to = "/"
		} else if to == "/" && first != "/" { // the record's first page is another one
			to = "/ranking"
		}
		address := v.to(to)
		switch link := (table.Link{Text: r.title, Address: address, Here: r.path == path}); {
		case address == "":
		case r.path == r.entry:
			link.Here = r.path == entry
			nav = append(nav, link)
			if pairs && r.path == first {
				slices.Reverse(nav) // pairs first, then the run
			}
		case v.static == nil || p.Foot == nil || !strings.HasPrefix(v.path, "/answers/"): // not on the thousands of answer pages of a copy
			p.Foot = append(p.Foot, link)
		}
	}
	return nav
}

// empty reports whether a page has nothing to show. first is the page on which the record opens.
func (v *view) empty(path, first string) bool {
	switch {
	case v.s == nil:
		return path == "/pairs"
	case path == "/pairs":
		return !v.hasPairs()
	case first == "/pairs" && slices.Contains([]string{"/", "/judges", "/compare", "/answers", "/questions"}, path):
		return true
	case path == "/":
		return !v.s.hasNamedSystems()
	}
	compared := func(r leaderboard.ComparisonRow) bool { return r.Questions > 0 }
	return path == "/compare" && v.s.report != nil && !slices.ContainsFunc(v.s.report.Leaderboard.Differences, compared)
}

// hasPairs reports whether a record has pairs.
func (v *view) hasPairs() bool {
	return slices.ContainsFunc(v.stores, func(s *store.Store) bool {
		has, err := s.HasPairs()
		return has || err != nil // the page will show the error
	})
}
