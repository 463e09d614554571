package board

import (
	"embed"
	"html/template"
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

var pages = template.Must(template.New("").Funcs(template.FuncMap{"markdown": shell.Markdown, "visible": table.Visible}).ParseFS(files, "pages.html"))

// A page is what the template shows.
type page struct {
	Title    string
	Nav      []cell
	Notes    []string // above everything
	Refresh  int      // seconds after which a browser loads the page again; 0: it does not
	Sections []section
	Live     string // the address of the events; "": the page does not change by itself
	Style    string
	Shell    string
	Script   string
	Icon     string
	Static   bool
}

// A section is a part of a page. What it lacks is left out.
type section struct {
	ID, Title string
	Fold      string // its summary; "": it is not folded
	Open      bool   // folded sections are closed at first
	Text      string // Markdown
	Lines     []string
	Items     []string // a list
	Plot      *picture
	Form      *form
	Grid      *grid
	Links     []cell
	Answer    *answerText
	Columns   []column
	Live      *liveView
}

// A picture has a table beside it that says the same.
type picture struct{ Address, Alt string }

// A cell is text, with a link where it has an address.
type cell struct {
	Text, Address string
	Class         string // differs, here, bad
}

// A grid is a table.
type grid struct {
	Caption string
	Words   int // the first columns are words, the others figures
	Header  []cell
	Rows    [][]cell
}

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
	Number             bool
}

type option struct {
	Value, Text string
	Selected    bool
}

// A view is a request for a page: of a browser, or of the static site.
type view struct {
	*Board
	s       *snapshot
	address string // path and query
	path    string
	query   url.Values
	static  *Site // nil: a browser asks
}

// view is a request for an address.
func (b *Board) view(s *snapshot, u *url.URL, static *Site) *view {
	return &view{Board: b, s: s, address: u.RequestURI(), path: u.EscapedPath(), query: u.Query(), static: static}
}

// to is the address of a page with a query of names and values; empty values are left out. It
// is "" for a page that a static site does not have.
func (v *view) to(path string, query ...string) string {
	values := url.Values{}
	for i := 0; i+1 < len(query); i += 2 {
		if query[i+1] != "" {
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
	values := url.Values{}
	for name, of := range v.query {
		values[name] = of
	}
	for i := 0; i+1 < len(query); i += 2 {
		values.Set(query[i], query[i+1])
	}
	var list []string
	for name := range values {
		list = append(list, name)
	}
	slices.Sort(list)
	var pairs []string
	for _, name := range list {
		pairs = append(pairs, name, values.Get(name))
	}
	return v.to(v.path, pairs...)
}

// gridOf shows a table; link is the address of a cell, nil: there are no links.
func gridOf(caption string, t *table.Table, link func(row []string, column int) string) *grid {
	g := &grid{Caption: caption, Words: t.Words}
	for i := range t.Header {
		g.Header = append(g.Header, cell{Text: t.Heading(i)})
	}
	for _, row := range t.Rows {
		var names []string
		for _, of := range row {
			names = append(names, of.Text)
		}
		cells := make([]cell, len(row))
		for i, of := range row {
			cells[i] = cell{Text: of.String(), Class: of.Class}
			if link != nil && of.Text != table.None && of.Text != "" {
				cells[i].Address = link(names, i)
			}
		}
		g.Rows = append(g.Rows, cells)
	}
	return g
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
	w.Write([]byte(html))
}

func (v *view) render(p page) (string, error) {
	p.Shell, p.Style, p.Icon, p.Static = v.to("/style.css"), v.to("/board.css"), v.to("/favicon.svg"), v.static != nil
	if p.Live != "" {
		p.Script = v.to("/board.js")
	}
	for _, at := range navigation {
		address := v.to(at.Address)
		if at.Address == v.path {
			at.Class = "here"
		}
		if at.Address = address; address != "" {
			p.Nav = append(p.Nav, at)
		}
	}
	var b strings.Builder
	err := pages.ExecuteTemplate(&b, "page", p)
	return b.String(), err
}

var navigation = []cell{{Text: "Ranking", Address: "/"}, {Text: "Agreement", Address: "/agreement"}, {Text: "Compare", Address: "/compare"}, {Text: "Answers", Address: "/answers"}, {Text: "Questions", Address: "/questions"},
	{Text: "Judges", Address: "/judges"}, {Text: "Pairs", Address: "/pairs"}, {Text: "Live", Address: "/live"}, {Text: "Runs", Address: "/runs"}, {Text: "Manual", Address: "/docs"}}
