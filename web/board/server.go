package board

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"compqa/data"
	"compqa/results/table"
	"compqa/web/shell"
)

// A route maps a path to a page: its title, the entry of the navigation that it belongs to, and the function that makes it. A path that
// ends with a slash is followed by a name.
type route struct {
	path, title, entry string
	computed           bool // needs the tables that are computed after the records are read
	show               func(v *view, name string) (page, error)
}

// routes lists all pages. Pages without an entry are linked at the end of every page.
var routes = []route{
	{"/", "Ranking", "/", true, (*view).home}, {"/ranking", "", "/", true, (*view).ranking}, {"/judges", "Judges", "/judges", true,
		(*view).judgesPage},
	{"/compare", "Compare", "/compare", true, (*view).comparison}, {"/answers", "Answers", "/answers", false, (*view).answers},
	{"/live", "Run", "/live", false, (*view).live},
	{"/questions", "Questions", "/answers", false, (*view).questionList}, {"/rubric", "Criteria", "/answers", false, (*view).criteriaPage},
	{"/pairs", "Pairs", "/compare", true, (*view).pairs},
	{"/details", "All tables", "", true, (*view).details}, {"/runs", "How it was made", "", false, (*view).recordsPage},
	{"/docs", "Manual", "", false, (*view).manualList},
	{"/comparisons", "", "/compare", false, (*view).comparisons}, {"/answers/", "", "/answers", false, (*view).answerPage},
	{"/questions/", "", "/answers", false, (*view).questionPage}, {"/judges/", "", "/judges", false, (*view).judgePage},
	{"/pairs/", "", "/compare", false, (*view).pairPage}, {"/details/", "", "", true, (*view).detailPage},
	{"/docs/", "", "", false, (*view).manualPage},
}

// page returns the page at the view's path. Until the records are loaded it returns the page "loading", and until all tables are computed
// the last report. It refuses unknown paths and unknown values of the selection. It then adds the selection and the links at the end of
// the page.
func (v *view) page() (page, error) {
	for _, r := range routes {
		name, below := strings.CutPrefix(v.path, r.path)
		if v.path != r.path && (r.path == "/" || !below || !strings.HasSuffix(r.path, "/")) {
			continue
		}
		name, err := url.PathUnescape(name)
		switch {
		case err != nil:
			return page{}, notFound("There is no such page.")
		case v.s == nil && r.path != "/live" && !strings.HasPrefix(r.path, "/docs"): // the manual and the live page need no loaded record
			return v.loading()
		case r.computed && v.s.report == nil:
			return v.lastReport(page{Title: cmp.Or(r.title, "Loading")})
		}
		if v.s != nil {
			if err := v.unknown(); err != nil {
				return page{}, err
			}
		}
		p, err := r.show(v, name)
		p.Select, p.Unused = v.selection(p.Fields)
		fold := func(title, says, text string, links []table.Link) {
			shown := textPart(title, text)
			shown.Folded = true
			shown.Fold = says
			shown.Links = links
			if p.Chapters() != nil {
				shown.Chapter = &table.Chapter{Title: title, Says: says}
				shown.Title = ""
				shown.Fold = ""
				shown.Folded = false
			}
			p.Sections = append(p.Sections, shown)
		}
		if v.tableLinks != nil && v.get("table") == "" {
			fold("Sort, download", data.Plural(len(v.tableLinks), "more table", "more tables"), "", v.tableLinks)
		}
		if lines := table.Terms(data.Each(p.Sections, func(s part) table.Section { return *s.Section })); lines != nil {
			fold(table.TermsTitle, data.Plural(len(lines), "word", "words"), strings.Join(lines, "\n"), nil)
		}
		if err != nil {
			return p, err
		}
		return p, v.unknownValues(p.Fields)
	}
	return page{}, notFound("There is no such page.")
}

// file returns the content and type of a file that all pages share, or nil.
func file(path string) (content []byte, kind string) {
	switch path {
	case styleAddress:
		content, _ = files.ReadFile("board.css")
		return append([]byte(table.Style), content...), "text/css; charset=utf-8"
	case "/board.js":
		content, _ = files.ReadFile("script.js")
		return content, "text/javascript; charset=utf-8"
	case "/favicon.svg":
		return []byte(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect width="16" height="16" rx="3" ` +
			`fill="#0b57a4"/><path d="M3 12V8h2v4zm4 0V3h2v9zm4 0V6h2v6z" fill="#fff"/></svg>`), "image/svg+xml"
	}
	return nil, ""
}

// A reply is the response to an address: a page, a picture, or a table as a file.
type reply struct {
	status           int
	kind, text, save string // save: the file name under which a browser saves the text
}

// htmlKind is the content type of pages.
const htmlKind = "text/html; charset=utf-8"

// Size returns the memory of a reply, in bytes.
func (r reply) Size() int { return len(r.text) }

// reply returns what the address asks for: a shared file, a plot, a table as a file (as=csv, md or tex), a single table, or a page.
func (v *view) reply() (reply, error) {
	if content, kind := file(v.path); content != nil {
		return reply{status: http.StatusOK, kind: kind, text: string(content)}, nil
	}
	if name, is := strings.CutPrefix(v.path, "/plots/"); is && v.s != nil {
		plot, err := v.drawing(strings.TrimSuffix(name, ".svg"))
		if err == nil && plot == nil {
			err = notFound("There is no such picture.")
		}
		if err != nil {
			return reply{}, err
		}
		width := 720
		if v.get("width") == "360" {
			width = 360
		}
		return reply{status: http.StatusOK, kind: "image/svg+xml", text: plot.SVG(width)}, nil
	}
	p, err := v.page()
	key := v.get("table")
	switch {
	case err != nil:
		return reply{}, err
	case p.Refresh > 0 && key != "":
		p.Status = http.StatusServiceUnavailable
	case v.get("as") != "":
		return p.tableAs(key, v.get("as"))
	case key != "" && p.onlyTable(key) == nil:
		return reply{}, notFound("There is no such table.")
	}
	return v.render(p)
}

// tableAs returns a table of the page, by its key, as a file in a format: csv, md or tex.
func (p page) tableAs(key, format string) (reply, error) {
	for _, section := range p.onlyTable(key) {
		switch r := (reply{status: http.StatusOK, kind: "text/plain; charset=utf-8"}); format {
		case "csv":
			var b strings.Builder
			err := section.Table.WriteCSV(&b)
			r.kind, r.text, r.save = "text/csv; charset=utf-8", b.String(), shell.Slug(key)+".csv"
			return r, err
		case "md":
			r.text = table.Printable(section.Table.Markdown())
			return r, nil
		case "tex":
			r.text = section.Table.Latex()
			return r, nil
		}
	}
	return reply{}, notFound("There is no such table.")
}

// Handler returns the HTTP handler of the board. hosts are further host names of the server. owner is the token that a browser must send
// once, or "" if none is needed.
func (b *Board) Handler(owner string, hosts ...string) http.Handler {
	return shell.Secure(hosts, &shell.Owner{Token: owner, Home: "/", Pages: http.HandlerFunc(b.serve)})
}

// serve answers a request. A name in the path may look like ".." or "//", so the path is not cleaned; it never names a file of this
// machine. If the browser already has the page, serve answers with status 304.
func (b *Board) serve(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		h.Set("Allow", "GET, HEAD")
		http.Error(w, "These pages are read-only.", http.StatusMethodNotAllowed)
		return
	}
	if r.URL.Path == "/events" {
		b.Live.Events(w, r, func() int {
			if s := b.current.Load(); s != nil && s.report != nil {
				return s.number
			}
			return 0
		})
		return
	}
	h.Set("Cache-Control", "private, no-cache")
	v := b.view(b.current.Load(), r.URL, nil)
	tag := ""
	if v.s != nil && v.path != "/live" {
		tag = `"` + b.token + "-" + strconv.Itoa(v.s.number) + `"`
	}
	if tag != "" && r.Header.Get("If-None-Match") == tag {
		h.Set("ETag", tag)
		w.WriteHeader(http.StatusNotModified)
		return
	}
	var answer reply
	var err error
	if tag != "" && v.s.report != nil {
		answer, err = b.replies.Get(v.s.number, fmt.Sprint(b.Live.Since(v.s.version), " ", v.address), v.reply)
	} else {
		answer, err = v.reply()
	}
	var refused refusal
	switch {
	case errors.As(err, &refused):
		none := textPart("", refused.text)
		none.Links = []table.Link{{Text: "Ranking", Address: "/"}, {Text: "All answers", Address: "/answers"}}
		title := map[int]string{http.StatusNotFound: "Not found", http.StatusBadRequest: "Wrong address"}[refused.status]
		answer, err = v.render(page{Title: title, Status: refused.status, Sections: []part{none}})
	case err != nil:
		b.Log.Printf("page %s: %v", v.path, err)
		answer, err = v.render(page{Title: "The server failed", Status: http.StatusInternalServerError, Sections: []part{textPart("",
			"The page cannot be computed. The terminal of the server shows the reason.")}})
	}
	if err != nil {
		b.Log.Printf("page %s: %v", v.path, err)
		http.Error(w, "The server failed.", http.StatusInternalServerError)
		return
	}
	if answer.status == http.StatusOK && tag != "" {
		h.Set("ETag", tag)
	}
	if answer.save != "" {
		h.Set("Content-Disposition", `attachment; filename="`+answer.save+`"`)
	}
	h.Set("Content-Type", answer.kind)
	h.Set("Content-Length", strconv.Itoa(len(answer.text)))
	w.WriteHeader(answer.status)
	io.WriteString(w, answer.text)
}

// loading returns the page that is shown until the records are loaded.
func (v *view) loading() (page, error) {
	p := page{Title: "Loading", Status: http.StatusServiceUnavailable, Refresh: 1}
	if fault := v.fault.Load(); fault != nil {
		p.Title, p.Refresh, p.Sections = "The record cannot be read", 5, []part{textPart("", *fault)}
		return p, nil
	}
	if last, _ := v.lastReport(page{Title: "Ranking"}); v.path == "/" && last.Sections != nil {
		return last, nil
	}
	p.Sections = []part{textPart("", "The record is being read. This page reloads automatically.")}
	return p, nil
}

// notes returns sentences on problems of the data and on the age of the figures.
func (v *view) notes() (notes []string) {
	if v.s == nil {
		return nil
	}
	for _, fault := range v.s.faults {
		notes = append(notes, "Warning: "+fault)
	}
	if v.static != nil {
		if limit := v.static.Limit; limit > 0 && limit < len(v.s.Answers) {
			notes = append(notes, fmt.Sprintf("This copy has %d pages. Numbers without a link belong to pages that are not in this copy.", limit))
		}
		return notes
	}
	if fresh := v.Live.Since(v.s.version); fresh > 0 {
		notes = append(notes, fmt.Sprintf("The figures are those of %s ago.", data.Plural(fresh, "result", "results")))
	}
	return notes
}
