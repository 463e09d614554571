package board

import (
	"cmp"
	"embed"
	"fmt"
	"html/template"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"compqa/results/table"
	"compqa/web/shell"
)

//go:embed pages.html script.js board.css
var files embed.FS

var pages = template.Must(template.Must(table.Templates.Clone()).Funcs(template.FuncMap{"markdown": shell.Markdown}).ParseFS(files,
	"pages.html"))

// A page is what the template shows.
type page struct {
	Title    string
	Source   string // of the figures
	Nav      []table.Link
	Notes    []string   // above everything
	Refresh  int        // seconds after which a browser loads the page again; 0: it does not
	Select   *selection // whose points are shown
	Sections []part
	Live     string // the address of the events; "": the page does not change by itself
	Keys     bool   // j and k lead to the next and the previous case
	Style    string
	Script   string
	Icon     string
	Static   bool
}

// A part is a section of a document, and what only pages have.
type part struct {
	*table.Shown
	Plot    *picture
	Links   []table.Link
	Form    *form
	Prose   string // Markdown
	Columns []column
	Raw     *rawText
	Live    *liveView
}

// A picture has a table beside it that says the same. Small is for phones.
type picture struct{ Address, Small, Alt string }

// A form sends its fields as the query of an address.
type form struct {
	Action string
	Fields []field
	Button string
	Clear  string // the address without any filter
}

type field struct {
	Name, Label, Value string
	Options            []option // nil: a text
	Number, Hidden     bool
}

type option struct {
	Value, Text string
	Selected    bool
}

// A selection is a form; on a phone its values are shown, and lead to it.
type selection struct {
	form
	Values string
	Links  []table.Link // in place of the form on static pages
}

// A view is a request for a page: of a browser, or of the static site.
type view struct {
	*Board
	s       *snapshot
	address string // path and query
	path    string
	query   url.Values
	static  *Site  // nil: a browser asks
	first   string // the table of the page that has links to sort and to copy it
}

// view is a request for an address.
func (b *Board) view(s *snapshot, u *url.URL, static *Site) *view {
	return &view{Board: b, s: s, address: u.RequestURI(), path: u.EscapedPath(), query: u.Query(), static: static}
}

// selected are the fields of the selection, which stays while one walks through the pages.
var selected = []string{"judge", "scenario", "group", "set"}

// to is the address of a page with a query of names and values; empty values are left out. The
// selection is added, unless the query names its field. It is "" for a page that a static site does
// not have.
func (v *view) to(path string, query ...string) string {
	values := url.Values{}
	for _, name := range selected {
		if v.static == nil && v.get(name) != "" && !strings.Contains(path, ".css") && !strings.Contains(path, ".js") {
			values.Set(name, v.get(name))
		}
	}
	for i := 0; i+1 < len(query); i += 2 {
		if values.Del(query[i]); query[i+1] != "" {
			values.Set(query[i], query[i+1])
		}
	}
	address := path
	if len(values) > 0 {
		address += "?" + values.Encode()
	}
	if v.static != nil {
		return v.static.link(v.address, address)
	}
	return address
}

// get is a value of the query.
func (v *view) get(name string) string { return v.query.Get(name) }

// here is the address of this page with other values in its query.
func (v *view) here(query ...string) string {
	var pairs []string
	for name := range v.query {
		if at := slices.Index(query, name); at < 0 || at%2 == 1 {
			pairs = append(pairs, name, v.query.Get(name))
		}
	}
	return v.to(v.path, append(pairs, query...)...)
}

// target is the address of what a cell leads to.
func (v *view) target(to table.Target) string {
	if v.static != nil && to.Page == "comparisons" && (slices.Contains(to.Query, "against") || slices.Contains(to.Query, "show")) {
		return "" // too many pages
	}
	if v.static != nil && to.Page == "questions" {
		to.Query = nil
	}
	path := "/" + to.Page
	if to.Name != "" {
		path += "/" + url.PathEscape(to.Name)
	}
	return v.to(path, to.Query...)
}

// show shows a section: with links, sorted as the address says, with downloads. Only the first table
// of a page has links to sort and to copy it; the others have a link to a page of their own.
func (v *view) show(s table.Section) part {
	if s.Table != nil && len(s.Table.Rows) == 0 {
		s.Table = nil
	}
	viewer := table.Viewer{Address: v.target}
	if v.static == nil && s.Table != nil {
		key, descending := strings.CutPrefix(v.get("by"), "-")
		of, column, _ := strings.Cut(key, ".")
		if of == s.Key() {
			s.Table.Sort(column, descending)
		}
	}
	if v.first == "" && s.Table != nil {
		v.first = cmp.Or(v.get("table"), s.Key())
	}
	whole := s.Table != nil && v.static == nil && v.first == s.Key()
	if whole {
		viewer.Sort = func(s *table.Section, name string) (string, string) {
			at := s.Key() + "." + name
			key, descending := strings.CutPrefix(v.get("by"), "-")
			switch {
			case key != at && slices.Index(s.Table.Header, name) >= s.Table.Words:
				return v.here("by", "-"+at), ""
			case key == at && descending:
				return v.here("by", at), "descending"
			case key == at:
				return v.here("by", "-"+at), "ascending"
			}
			return v.here("by", at), ""
		}
	}
	p := part{Shown: viewer.Show(&s)}
	if s.Plot != nil {
		p.Plot = &picture{v.plotAddress(s.Plot.Name, "720"), v.plotAddress(s.Plot.Name, "360"), s.Plot.Alt}
		p.Tools = append(p.Tools, table.Link{Text: "Plot as SVG", Address: p.Plot.Address})
	}
	switch as := func(format string) string { return v.here("table", s.Key(), "as", format) }; {
	case whole:
		p.Tools = append(p.Tools, table.Link{Text: "CSV of this table", Address: as("csv")}, table.Link{Text: "Markdown", Address: as("md")},
			table.Link{Text: "LaTeX", Address: as("tex")})
	case s.Table != nil && v.static != nil:
		p.Tools = append(p.Tools, table.Link{Text: "CSV of this table", Address: as("csv")})
	case s.Table != nil:
		p.Tools = append(p.Tools, table.Link{Text: "Sort, download", Address: v.here("table", s.Key())})
	}
	return p
}

// alone leaves only a table on the page; nil: the page does not have it.
func (p *page) alone(key string) []part {
	p.Sections = table.Where(p.Sections, func(s part) bool { return s.Table != nil && s.Key() == key })
	for _, s := range p.Sections {
		s.Folded = false
	}
	return p.Sections
}

func (v *view) plotAddress(name, width string) string {
	return v.to("/plots/"+name+".svg", "of", v.path, "width", width)
}

// mostFolded is the number of rows of a folded table; larger ones have a page of their own.
const mostFolded = 40

// mostStatic is the number of rows of a table in a static copy, whose tables have no pages of their own.
const mostStatic = 12

// document shows all sections of a document; the later ones are folded.
func (v *view) document(d table.Document, open int) (list []part) {
	for i, s := range d.Shown() {
		var links []table.Link
		if v.static != nil && v.get("as") == "" && s.Table != nil && len(s.Table.Rows) > mostStatic {
			s.About = strings.TrimSpace(fmt.Sprintf("%s\n\nThe first %d of %d rows are shown; the CSV file has all of them.", s.About, mostStatic,
				len(s.Table.Rows)))
			cut := *s.Table
			cut.Rows = cut.Rows[:mostStatic]
			s.Table = &cut
		}
		if i >= open && s.Table != nil && len(s.Table.Rows) > mostFolded && v.static == nil && v.get("table") == "" {
			links = []table.Link{{Text: fmt.Sprintf("The table, with %d rows", len(s.Table.Rows)), Address: v.here("table", s.Key())}}
			s.Table = nil
		}
		p := v.show(s)
		p.Links = links
		p.Folded = i >= open && s.Title != ""
		if of, _, _ := strings.Cut(strings.TrimPrefix(v.get("by"), "-"), "."); of == s.Key() {
			p.Folded = false
		}
		list = append(list, p)
	}
	return list
}

// words is a part with a title and a text.
func words(title, text string) part {
	return part{Shown: &table.Shown{Section: &table.Section{Title: title, About: text}, Level: 2}}
}

// choice is a select field; "" stands for any.
func (v *view) choice(name, label, any string, values ...string) field {
	f := field{Name: name, Label: label}
	if any != "" {
		f.Options = append(f.Options, option{"", any, v.get(name) == ""})
	}
	for _, x := range values {
		f.Options = append(f.Options, option{x, x, v.get(name) == x})
	}
	return f
}

// A notFound is a page that does not exist.
type notFound string

func (e notFound) Error() string { return string(e) }

// write writes a page and returns it; "": it could not be rendered.
func (v *view) write(w http.ResponseWriter, status int, p page) string {
	html, err := v.render(p)
	if err != nil {
		v.Log.Printf("page %s: %v", v.path, err)
		http.Error(w, "The server failed.", http.StatusInternalServerError)
		return ""
	}
	sendPage(w, status, html)
	return html
}

func sendPage(w http.ResponseWriter, status int, html string) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Content-Length", strconv.Itoa(len(html)))
	w.WriteHeader(status)
	io.WriteString(w, html)
}

func (v *view) render(p page) (string, error) {
	p.Style, p.Icon, p.Static = v.to("/board.css"), v.to("/favicon.svg"), v.static != nil
	if p.Live != "" || p.Keys {
		p.Script = v.to("/board.js")
	}
	p.Source = v.source()
	for _, at := range navigation {
		if address := v.to(at.Address); address != "" {
			p.Nav = append(p.Nav, table.Link{Text: at.Text, Address: address, Here: at.Address == v.path || at.Address == "/pairs" &&
				v.path == "/comparisons" || at.Address != "/" && strings.HasPrefix(v.path, at.Address+"/")})
		}
	}
	var b strings.Builder
	err := pages.ExecuteTemplate(&b, "page", p)
	return b.String(), err
}

var navigation = []table.Link{{Text: "Ranking", Address: "/"}, {Text: "Agreement", Address: "/agreement"},
	{Text: "Judges", Address: "/judges"}, {Text: "Compare", Address: "/compare"}, {Text: "Cases", Address: "/answers"},
	{Text: "Questions", Address: "/questions"}, {Text: "Pairs", Address: "/pairs"}, {Text: "Details", Address: "/details"},
	{Text: "Live", Address: "/live"}, {Text: "How it was made", Address: "/runs"}, {Text: "Manual", Address: "/docs"}}
