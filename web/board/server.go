package board

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"compqa/data"
	"compqa/results/store"
	"compqa/results/table"
	"compqa/web/progress"
	"compqa/web/shell"
)

// find is the page of a path; nil: there is none.
func (v *view) find() func() (page, error) {
	switch v.path {
	case "/":
		return v.home
	case "/agreement":
		return v.agreement
	case "/compare":
		return v.comparison
	case "/answers":
		return v.answers
	case "/questions":
		return v.questionList
	case "/judges":
		return v.judgeList
	case "/pairs":
		return v.pairs
	case "/comparisons":
		return v.comparisons
	case "/details":
		return v.details
	case "/docs":
		return v.manualList
	case "/runs":
		return v.runs
	}
	for prefix, show := range map[string]func(string) (page, error){"/answers/": v.answerPage, "/questions/": v.questionPage,
		"/judges/": v.judgePage,
		"/pairs/":  v.pairPage, "/details/": v.detailPage, "/docs/": v.manualPage} {
		if name, is := strings.CutPrefix(v.path, prefix); is && name != "" {
			name, err := url.PathUnescape(name)
			if err != nil {
				return nil
			}
			return func() (page, error) { return show(name) }
		}
	}
	return nil
}

// file is a file that all pages share, with its type; nil: there is none.
func file(path string) (content []byte, kind string) {
	switch path {
	case "/board.css":
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

// Handler returns the board's handler. hosts are additional host names of the server. owner is
// the token that a browser must send once; "": none.
func (b *Board) Handler(owner string, hosts ...string) http.Handler {
	return shell.Secure(hosts, shell.Owner(owner, http.HandlerFunc(b.serve)))
}

// serve answers a request. Names in paths are foreign and may look like ".." or "//", so the
// path is not cleaned; no file of this machine is behind it.
func (b *Board) serve(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "These pages are read-only.", http.StatusMethodNotAllowed)
		return
	}
	if r.URL.Path == "/events" {
		b.events(w, r)
		return
	}
	w.Header().Set("Cache-Control", "private, no-cache")
	if content, kind := file(r.URL.Path); content != nil {
		w.Header().Set("Content-Type", kind)
		b.tagged(w, r, "0", func() { w.Write(content) })
		return
	}
	v := b.view(b.shown.Load(), r.URL, nil)
	if v.path == "/live" {
		v.write(w, http.StatusOK, v.livePage())
		return
	}
	if v.s == nil {
		b.loading(w, v)
		return
	}
	b.tagged(w, r, strconv.Itoa(v.s.number), func() { b.page(w, v) })
}

// tagged answers with 304 if the browser has the version already.
func (b *Board) tagged(w http.ResponseWriter, r *http.Request, version string, send func()) {
	tag := `"` + b.token + "-" + version + `"`
	w.Header().Set("ETag", tag)
	if r.Header.Get("If-None-Match") == tag {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	send()
}

// page answers with a page or a picture.
func (b *Board) page(w http.ResponseWriter, v *view) {
	if name, is := strings.CutPrefix(v.path, "/plots/"); is {
		svg, err := v.drawing(strings.TrimSuffix(name, ".svg"))
		if err != nil || svg == nil {
			w.Header().Del("ETag")
			http.Error(w, "There is no such picture.", http.StatusNotFound)
			return
		}
		width := 720
		if v.get("width") == "360" {
			width = 360
		}
		w.Header().Set("Content-Type", "image/svg+xml")
		w.Write([]byte(svg.SVG(width)))
		return
	}
	show := v.find()
	if show == nil {
		v.missing(w, "There is no such page.")
		return
	}
	key := fmt.Sprint(v.Live.Since(v.s.version), " ", v.address)
	if html, known := b.pages.get(v.s.number, key); known {
		sendPage(w, http.StatusOK, html)
		return
	}
	p, err := show()
	var missing notFound
	switch {
	case errors.As(err, &missing):
		v.missing(w, missing.Error())
	case err != nil:
		b.Log.Printf("page %s: %v", v.path, err)
		w.Header().Del("ETag")
		v.write(w, http.StatusInternalServerError,
			page{Title: "The server failed", Sections: []part{words("",
				"The page cannot be computed. The terminal of the server shows the reason.")}})
	case v.get("as") != "":
		v.download(w, p)
	case v.get("table") != "" && p.alone(v.get("table")) == nil:
		v.missing(w, "There is no such table.")
	default:
		p.Notes = append(v.notes(), p.Notes...)
		if html := v.write(w, http.StatusOK, p); html != "" && p.Refresh == 0 {
			b.pages.put(v.s.number, key, html)
		}
	}
}

func (v *view) missing(w http.ResponseWriter, text string) {
	w.Header().Del("ETag")
	none := words("", text)
	none.Links = []table.Link{{Text: "Ranking", Address: "/"}, {Text: "All answers", Address: "/answers"}}
	v.write(w, http.StatusNotFound, page{Title: "Not found", Sections: []part{none}})
}

// download answers with one table of a page as CSV, Markdown or LaTeX.
func (v *view) download(w http.ResponseWriter, p page) {
	text, kind, err := p.tableAs(v.get("table"), v.get("as"))
	if err != nil {
		w.Header().Del("ETag")
		http.Error(w, err.Error(), http.StatusNotFound)
		return
	}
	w.Header().Set("Content-Type", kind)
	if v.get("as") == "csv" {
		w.Header().Set("Content-Disposition", `attachment; filename="`+slug(v.get("table"))+`.csv"`)
	}
	w.Write([]byte(text))
}

// tableAs is a table of a page in a format.
func (p page) tableAs(key, format string) (text, kind string, err error) {
	for _, of := range p.Sections {
		if of.Table == nil || of.Key() != key {
			continue
		}
		switch format {
		case "csv":
			var b strings.Builder
			err := of.Table.WriteCSV(&b)
			return b.String(), "text/csv; charset=utf-8", err
		case "md":
			return table.Printable(of.Table.Markdown()), "text/plain; charset=utf-8", nil
		case "tex":
			return of.Table.Latex(), "text/plain; charset=utf-8", nil
		}
	}
	return "", "", notFound("There is no such table.")
}

// loading is shown until the records are in memory.
func (b *Board) loading(w http.ResponseWriter, v *view) {
	if v.path != "/" && v.path != "/agreement" && v.find() == nil {
		v.missing(w, "There is no such page.")
		return
	}
	p := page{Title: "Loading", Refresh: 1}
	if fault := b.fault.Load(); fault != nil {
		p.Refresh = 5
		p.Title, p.Sections = "The record cannot be read", []part{words("", *fault)}
		v.write(w, http.StatusServiceUnavailable, p)
		return
	}
	if v.path == "/" {
		p, _ := v.lastReport(p)
		if p.Title = "Ranking"; p.Sections != nil {
			v.write(w, http.StatusOK, p)
			return
		}
	}
	p.Sections = []part{words("", "The record is being read. This page reloads automatically.")}
	v.write(w, http.StatusServiceUnavailable, p)
}

// notes say what is wrong with the data, and how old the figures are.
func (v *view) notes() []string {
	notes := append([]string(nil), v.s.faults...)
	for i := range notes {
		notes[i] = "Warning: " + notes[i]
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

// A liveView is the page of a run that is under way.
type liveView struct {
	progress.Progress
	Values map[string]string // texts by the key of their place
	Items  map[string]string // addresses of the results of a party, and of those with a status
	Status string
}

func viewOf(p progress.Progress) *liveView {
	v := &liveView{Progress: p, Values: map[string]string{}}
	v.Values["done"] = fmt.Sprintf("%d of %d", p.Done, p.Planned)
	if p.Parties == nil {
		v.Values["done"] = "Not yet counted:"
	}
	v.Values["invalid"] = strconv.Itoa(p.Invalid)
	v.Values["rate"] = table.Number(p.Rate).Text(1) + "/s"
	v.Values["cost"] = "$" + table.Number(p.Cost).Text(4)
	v.Values["left"] = table.None
	if p.Rate > 0 && p.Planned > p.Done {
		v.Values["left"] = (time.Duration(float64(p.Planned-p.Done)/p.Rate) * time.Second).String()
	}
	v.Values["changed"] = "none since this server started"
	v.Values["ended"] = "no run has ended yet"
	if ended, err := time.Parse(time.RFC3339Nano, p.Ended); err == nil {
		v.Values["ended"] = "the last run ended at " + ended.UTC().Format("2006-01-02 15:04:05") + " UTC"
	}
	if !p.Changed.IsZero() {
		v.Values["changed"] = p.Changed.UTC().Format("2006-01-02 15:04:05") + " UTC"
	}
	v.Values["waits"] = strings.Join(p.Waits, "\n")
	for _, y := range p.Parties {
		v.Values["done:"+y.Kind+":"+y.Name], v.Values["invalid:"+y.Kind+":"+y.Name] = strconv.Itoa(y.Done), strconv.Itoa(y.Invalid)
	}
	v.Status = v.Values["done"] + " done, " + v.Values["invalid"] + " not valid"
	return v
}

// itemsOf leads to the answers of a system, or to those that a judge scored.
func itemsOf(kind, name, status string) *table.Target {
	if kind == store.KindAnswer {
		return table.ToAnswers("system", name, "status", status, "judge", "", "scenario", "")
	}
	return table.ToAnswers("judge", name, "status", status, "scenario", "")
}

// livePage is the page "how is the run?".
func (v *view) livePage() page {
	now, _ := v.Live.Now()
	shown := viewOf(now)
	shown.Items = map[string]string{}
	for _, y := range now.Parties {
		shown.Items[y.Kind+":"+y.Name] = v.target(*itemsOf(y.Kind, y.Name, ""))
	}
	for _, r := range now.Reasons {
		shown.Items[r.Kind+":"+r.Name+":"+string(r.Status)] = v.target(*itemsOf(r.Kind, r.Name, string(r.Status)))
	}
	whole := words("Progress", "")
	whole.Live = shown
	return page{Title: "Live", Live: "/events", Sections: []part{whole}}
}

// events sends the state of the run whenever it changes, as server-sent events. Each is
// complete, so that a browser that was away has missed nothing.
func (b *Board) events(w http.ResponseWriter, r *http.Request) {
	control := http.NewResponseController(w)
	control.SetReadDeadline(time.Time{}) // the server's would end the stream
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-store")
	for {
		now, changed := b.Live.Now()
		shown := viewOf(now)
		text, err := json.Marshal(map[string]any{"values": shown.Values, "status": shown.Status})
		if err != nil {
			return
		}
		control.SetWriteDeadline(time.Now().Add(30 * time.Second))
		if _, err := w.Write(bytes.Join([][]byte{[]byte("data: "), text, []byte("\n\n")}, nil)); err != nil || control.Flush() != nil {
			return
		}
		select {
		case <-r.Context().Done():
			return
		case <-changed:
		case <-time.After(15 * time.Second): // so that a closed connection is noticed
		}
	}
}
