package annotate

import (
	"bufio"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"compqa/data"
	"compqa/data/sharedtest"
	"compqa/data/sources"
	"compqa/rubric"
	"compqa/stats"
	"compqa/web/annotate/project"
)

const hostile = "**Trams** last. <script>alert(1)</script> <img src=x onerror=alert(1)> ![p](http://evil.example/p.png) [c](javascript:alert(1)) \u202Egnp.exe <svg/onload=alert(1)>\n\n<iframe src=//evil.example></iframe>\n\n| a | b |\n|---|---|\n| 1 | \"><script>alert(2)</script> |\n"

// ordinary is the answer on pictures.
const ordinary = "Trams and buses both carry many people. They differ in **cost** and **capacity**.\n\n- **Cost**: a bus line needs no rails, so it is cheaper to start.\n- **Capacity**: a tram carries about 200 people, a bus about 80.\n- **Comfort**: trams run more smoothly.\n\n| | Tram | Bus |\n|---|---|---|\n| Life of a vehicle | 30 years | 12 years |\n| New route | years | weeks |\n\nFor a busy route a tram is the better choice; for a route that may change, a bus.\n"

// newProject makes a study of n answers by systems whose names no annotator may ever see.
func newProject(t testing.TB, n int, set project.Settings) (*project.Project, string) {
	t.Helper()
	dir := t.TempDir()
	var items []project.Item
	text := hostile
	question := "Question %d <b>x</b>?"
	if os.Getenv("COMPQA_SCREENSHOTS") != "" {
		text = ordinary
		question = "Which is better for a city, trams or buses? (%d)"
	}
	for i := range n {
		items = append(items, project.Item{Kind: project.Answer, Source: fmt.Sprintf("secretsystem/secretscenario/%d", i), Cluster: fmt.Sprint("q", i/2), Role: project.Overlap,
			Content: project.Content{Question: fmt.Sprintf(question, i), A: text}})
	}
	return createIn(t, dir, set, items), dir
}

// createIn makes a study of some items, by default with two people per item.
func createIn(t testing.TB, dir string, set project.Settings, items []project.Item) *project.Project {
	t.Helper()
	set.Rubric = rubric.CQA()
	set.Seed = max(set.Seed, 1)
	set.Kind = items[0].Kind
	set.People = max(set.People, 2)
	set.Width = 0.2
	if _, err := project.Create(dir, set, items); err != nil {
		t.Fatal(err)
	}
	p, err := project.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	return p
}

// chosen returns a sheet with a choice only.
func chosen(choice string) project.Sheet {
	return project.Sheet{Values: map[string]string{"choice": choice}}
}

func quiet() *log.Logger { return log.New(io.Discard, "", 0) }

// A browser is an HTTP client that records everything it receives.
type browser struct {
	t    testing.TB
	at   string
	http http.Client
	seen *strings.Builder
}

func newBrowser(t testing.TB, at string) *browser {
	jar, _ := cookiejar.New(nil)
	return &browser{t: t, at: at, http: http.Client{Jar: jar}, seen: &strings.Builder{}}
}

func (b *browser) do(r *http.Request) (int, string) {
	b.t.Helper()
	reply, err := b.http.Do(r)
	if err != nil {
		b.t.Fatal(err)
	}
	defer reply.Body.Close()
	body, _ := io.ReadAll(reply.Body)
	fmt.Fprintln(b.seen, reply.Request.URL, reply.Header, string(body))
	return reply.StatusCode, string(body)
}

func (b *browser) get(path string) (int, string) {
	r, _ := http.NewRequest("GET", b.at+path, nil)
	return b.do(r)
}

func (b *browser) post(path string, form url.Values) (int, string) {
	r, _ := http.NewRequest("POST", b.at+path, strings.NewReader(form.Encode()))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	return b.do(r)
}

// enter opens an invitation and passes the check of the guidelines.
func (b *browser) enter(s *Server, token string) {
	b.t.Helper()
	if code, _ := b.get("/work"); code != http.StatusUnauthorized {
		b.t.Fatalf("without a session: %d", code)
	}
	b.get("/a/" + token)
	if code, _ := b.get("/work"); code != http.StatusUnauthorized {
		b.t.Fatalf("the link alone starts a session: %d", code)
	}
	b.post("/a/"+token, nil)
	form := url.Values{}
	for _, q := range s.Project.CheckQuestions() {
		form.Set("q-"+q.ID, q.Right)
	}
	b.post("/check", form)
}

var hidden = regexp.MustCompile(`action="(/[^"]*item/[^"]+)"[^>]*><input type="hidden" name="revision" value="(\d+)"><input type="hidden" name="nonce" value="([^"]+)"`)

// sheet returns the page's form filled in with full points, minus less points on criterion 1, and its path.
func sheet(page string, less float64) (path string, form url.Values) {
	m := hidden.FindStringSubmatch(page)
	if m == nil {
		return "", nil
	}
	form = url.Values{"revision": {m[2]}, "nonce": {m[3]}, "kind": {"submit"}, "active_ms": {"1000"}, "view": {"rendered"}}
	for id, x := range rubric.CQA().Full() {
		if id == "1" {
			x -= less
		}
		form.Set("c-"+id, project.Points(x))
	}
	return m[1], form
}

// exported writes the export of all people's work to a folder.
func exported(t testing.TB, p *project.Project, dir string, names bool) Exported {
	t.Helper()
	report, err := Compute(p, Selection{})
	if err != nil {
		t.Fatal(err)
	}
	counts, err := Export(p, report, dir, io.Discard, names)
	if err != nil {
		t.Fatal(err)
	}
	return counts
}

func invite(t testing.TB, p *project.Project, name string) string {
	t.Helper()
	token, err := p.Invite(name)
	if err != nil {
		t.Fatal(err)
	}
	return token
}

// TestTwoPeopleWithoutScript: two people annotate everything without JavaScript. Nothing that they receive names a system, a scenario, a
// judge or the other person. The owner sees their agreement.
func TestTwoPeopleWithoutScript(t *testing.T) {
	p, dir := newProject(t, 12, project.Settings{Checks: project.Checks{Repeats: 3}})
	var clock atomic.Int64
	p.Now = func() time.Time { return time.Date(2026, 5, 1, 10, 0, 0, int(clock.Load()), time.UTC) }
	s := New(p, quiet())
	server := httptest.NewServer(s.Handler())
	defer server.Close()
	var all []*browser
	for k, name := range []string{"secretanna", "secretben"} {
		b := newBrowser(t, server.URL)
		b.enter(s, invite(t, p, name))
		for i := 0; ; i++ {
			_, page := b.get("/work")
			clock.Add(int64(1500 * time.Millisecond)) // simulate that the person needs some time
			path, form := sheet(page, 0.5*float64((i+k)%2))
			if path == "" {
				if !strings.Contains(page, "no more at the moment") || i < 12 {
					t.Fatalf("%s has no item after %d:\n%s", name, i, page)
				}
				break
			}
			if !strings.Contains(page, "<strong>Trams</strong> last.") {
				t.Fatalf("%s does not see the answer:\n%s", name, page)
			}
			if strings.Contains(page, "<script>alert") || strings.Contains(page, "<img") || strings.Contains(page, `href="javascript`) || strings.Contains(page, "<iframe") || strings.Contains(page, "\u202E") {
				t.Fatalf("the answer is not inert:\n%s", page)
			}
			switch i {
			case 0: // an incomplete sheet cannot be submitted
				form.Del("c-3")
				if code, again := b.post(path, form); code != 422 || !strings.Contains(again, `name="c-4" value="1" data-key="1" checked`) {
					t.Fatalf("incomplete sheet: %d\n%s", code, again)
				}
				form.Set("c-3", "1")
			case 1:
				form.Set("kind", "flag")
				form.Set("reason", "<script>alert(3)</script>")
				b.post(path, form)
				continue
			}
			if code, _ := b.post(path, form); code != 200 {
				t.Fatalf("submit: %d", code)
			}
		}
		b.get("/owner")
		b.get("/item/../../annotation.db")
		b.get("/item/%2e%2e%2fannotation.db")
		b.get("/nothing")
		b.post("/item/ffffffffffffffffffffffff", url.Values{"kind": {"submit"}, "revision": {"0"}, "nonce": {"n"}})
		b.post("/item/ffffffffffffffffffffffff", url.Values{"x": {strings.Repeat("x", 70<<10)}})
		all = append(all, b)
	}
	for _, b := range all {
		for _, word := range []string{"secret", "human:", "judge "} {
			if i := strings.Index(b.seen.String(), word); i >= 0 {
				t.Errorf("a response contains %q: …%s…", word, b.seen.String()[max(0, i-80):i+80])
			}
		}
	}
	// One person cannot open an item of the other.
	path := hidden.FindStringSubmatch(all[0].seen.String())[1]
	if code, _ := all[1].get(path); code != http.StatusNotFound {
		t.Errorf("the other person's item: %d", code)
	}
	owner := newBrowser(t, server.URL)
	owner.get(s.OwnerPath())
	_, page := owner.post(s.OwnerPath(), nil)
	if !strings.Contains(page, "<th scope=\"row\">total</th><td>interval</td><td class=\"n\">12</td>") || !strings.Contains(page, "secretanna") {
		t.Errorf("the owner's page:\n%s", page)
	}
	r, err := Compute(p, Selection{})
	if err != nil {
		t.Fatal(err)
	}
	if r.People[0].Self.items == 0 || r.People[0].Flags != 1 || r.People[0].TimeMS != 1500 {
		t.Errorf("people: %+v", r.People)
	}
	out := filepath.Join(dir, "sheets")
	counts := exported(t, p, out, true)
	if counts[project.VerdictsFile] != 24 {
		t.Fatalf("export: %v", counts)
	}
	verdicts, err := sources.ReadVerdicts(filepath.Join(out, project.VerdictsFile), rubric.CQA().IDs(), func(string) bool { return true }, sources.Options{})
	if err != nil || verdicts.Len() != 24 || verdicts.At(0).Judge != "human:secretanna" || verdicts.At(0).Status != data.Valid {
		t.Errorf("read again: %v, %v", verdicts, err)
	}
}

// TestRefused: requests from other sites, to another host, with large bodies or with guessed links are refused.
func TestRefused(t *testing.T) {
	p, _ := newProject(t, 2, project.Settings{})
	s := New(p, quiet())
	server := httptest.NewServer(s.Handler())
	defer server.Close()
	b := newBrowser(t, server.URL)
	b.enter(s, invite(t, p, "anna"))
	_, page := b.get("/work")
	path, form := sheet(page, 0)
	request := func(change func(*http.Request)) int {
		r, _ := http.NewRequest("POST", server.URL+path, strings.NewReader(form.Encode()))
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		change(r)
		code, _ := b.do(r)
		return code
	}
	for want, change := range map[int]func(*http.Request){
		http.StatusForbidden:          func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "cross-site") },
		http.StatusMisdirectedRequest: func(r *http.Request) { r.Host = "evil.example" },
		http.StatusRequestEntityTooLarge: func(r *http.Request) {
			r.Body = io.NopCloser(strings.NewReader("x=" + strings.Repeat("x", 70<<10)))
			r.ContentLength = -1
		},
		http.StatusOK: func(*http.Request) {},
	} {
		if code := request(change); code != want {
			t.Errorf("got %d, want %d", code, want)
		}
	}
	if code, _ := b.post("/work", nil); code != http.StatusNotFound && code != http.StatusMethodNotAllowed {
		t.Errorf("POST /work: %d", code)
	}
	if err := p.Revoke("anna"); err != nil {
		t.Fatal(err)
	}
	if code, _ := b.get("/work"); code != http.StatusUnauthorized {
		t.Errorf("revoked: %d", code)
	}
	link := "/a/" + invite(t, p, "ben")
	for range 20 {
		if code, _ := b.get(link); code != http.StatusOK {
			t.Fatalf("a valid link: %d", code)
		}
	}
	limited := false
	for range 20 {
		code, _ := b.get("/a/guess")
		limited = limited || code == http.StatusTooManyRequests
	}
	if !limited {
		t.Error("links can be guessed without a limit")
	}
}

// TestContact: a person who fails the check of the guidelines twice is told whom to contact.
func TestContact(t *testing.T) {
	for contact, want := range map[string]string{"": "write to the person who invited you and ask", "ada@example.org": "write to ada@example.org and ask"} {
		p, _ := newProject(t, 1, project.Settings{Contact: contact})
		server := httptest.NewServer(New(p, quiet()).Handler())
		defer server.Close()
		b := newBrowser(t, server.URL)
		b.post("/a/"+invite(t, p, "anna"), nil)
		for range project.MostTries {
			b.post("/check", url.Values{"q-source": {"wrong"}})
		}
		if code, page := b.get("/work"); code != http.StatusForbidden || !strings.Contains(page, want) {
			t.Errorf("contact %q: %d, %s", contact, code, page)
		}
	}
}

// TestTabsNoncesUndo: a second tab is shown both versions of a sheet, with and without JavaScript. A repeated nonce gets the same
// response, and undo reopens the last item.
func TestTabsNoncesUndo(t *testing.T) {
	p, _ := newProject(t, 3, project.Settings{})
	s := New(p, quiet())
	server := httptest.NewServer(s.Handler())
	defer server.Close()
	b := newBrowser(t, server.URL)
	b.enter(s, invite(t, p, "anna"))
	_, page := b.get("/work")
	path, first := sheet(page, 0)
	_, second := sheet(page, 0.5)
	second.Set("nonce", "another")
	b.post(path, first)
	if code, _ := b.post(path, first); code != 200 {
		t.Errorf("the same nonce: %d", code)
	}
	if code, page := b.post(path, second); code != http.StatusConflict || !strings.Contains(page, "The other version: introduction: 1") || !strings.Contains(page, `name="c-1" value="0.5" data-key="5" checked`) {
		t.Errorf("a stale tab: %d\n%s", code, page)
	}
	r, _ := http.NewRequest("POST", server.URL+path, strings.NewReader(second.Encode()))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Accept", "application/json")
	if code, body := b.do(r); code != http.StatusConflict || !strings.Contains(body, `"current":{"values":{"1":"1"`) || !strings.Contains(body, `"yours":{"values":{"1":"0.5"`) {
		t.Errorf("a stale tab with script: %d %s", code, body)
	}
	if _, page := b.post("/undo", nil); !strings.Contains(page, path) || !strings.Contains(page, `name="revision" value="2"`) {
		t.Errorf("undo shows another item:\n%s", page)
	}
}

// TestKill kills the server with kill -9 while eight clients submit. Every acknowledged sheet is on record.
func TestKill(t *testing.T) {
	if dir := os.Getenv("COMPQA_ANNOTATE_SERVE"); dir != "" {
		serveForKill(dir)
		return
	}
	n := 60
	if sharedtest.Soaking(t) {
		n = 2000
	}
	p, dir := newProject(t, n, project.Settings{})
	var tokens []string
	for i := range 8 {
		tokens = append(tokens, invite(t, p, fmt.Sprint("k", i)))
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestKill$")
	cmd.Env = append(os.Environ(), "COMPQA_ANNOTATE_SERVE="+dir)
	out, _ := cmd.StdoutPipe()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	address, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	at := strings.TrimSpace(address)
	var mu sync.Mutex
	acknowledged := map[string]bool{}
	var wait sync.WaitGroup
	for _, token := range tokens {
		session, err := p.Start(token)
		if err != nil {
			t.Fatal(err)
		}
		a, _ := p.Session(session)
		p.Comprehension(a.ID, true)
		wait.Go(func() {
			for {
				next, err := p.Next(a)
				if err != nil || next == "" {
					return
				}
				form := url.Values{"revision": {"0"}, "nonce": {"n" + next}, "kind": {"submit"}}
				for id, x := range rubric.CQA().Full() {
					form.Set("c-"+id, project.Points(x))
				}
				r, _ := http.NewRequest("POST", at+"/item/"+next, strings.NewReader(form.Encode()))
				r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
				r.Header.Set("Accept", "application/json")
				r.AddCookie(&http.Cookie{Name: annotatorCookie, Value: session})
				reply, err := http.DefaultClient.Do(r)
				if err != nil {
					return // the server was killed
				}
				body, err := io.ReadAll(reply.Body)
				reply.Body.Close()
				if err != nil {
					return
				}
				if reply.StatusCode != 200 {
					t.Errorf("%d %s", reply.StatusCode, body)
					return
				}
				mu.Lock()
				acknowledged["n"+next] = true
				if len(acknowledged) == n {
					cmd.Process.Kill() // of 2 n submits
				}
				mu.Unlock()
			}
		})
	}
	wait.Wait()
	cmd.Process.Kill()
	cmd.Wait()
	after, err := project.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer after.Close()
	there := map[string]bool{}
	work, err := after.Work()
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range work {
		if w.Done() {
			there["n"+w.Blind] = true
		}
	}
	lost := 0
	for nonce := range acknowledged {
		if !there[nonce] {
			lost++
		}
	}
	t.Logf("%d acknowledged, %d recorded, %d lost", len(acknowledged), len(there), lost)
	if lost > 0 || len(acknowledged) < n {
		t.Errorf("%d acknowledged of at least %d, %d lost", len(acknowledged), n, lost)
	}
}

// TestSoakKill is TestKill with all cases.
func TestSoakKill(t *testing.T) {
	sharedtest.Soak(t)
	TestKill(t)
}

func serveForKill(dir string) {
	p, err := project.Open(dir)
	if err != nil {
		panic(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	fmt.Printf("http://%s\n", l.Addr())
	go func() { time.Sleep(20 * time.Minute); os.Exit(1) }()
	http.Serve(l, New(p, quiet()).Handler())
}

// TestPairsAndAdjudication: sides of pairs are mapped back, gold and repeated items do not count for agreement, and the owner's decisions
// have a judge of their own.
func TestPairsAndAdjudication(t *testing.T) {
	dir := t.TempDir()
	var items []project.Item
	for i := range 40 {
		items = append(items, project.Item{Kind: project.Pair, Source: strconv.Itoa(i), Cluster: strconv.Itoa(i), Role: project.Overlap, Content: project.Content{Question: "?", A: "good", B: "bad"}})
	}
	p := createIn(t, dir, project.Settings{Seed: 3, Checks: project.Checks{Repeats: 2}}, items)
	shown := map[string]int{}
	for k, name := range []string{"x", "y"} {
		session, _ := p.Start(invite(t, p, name))
		a, _ := p.Session(session)
		for n := 0; ; n++ {
			blind, err := p.Next(a)
			if err != nil {
				t.Fatal(err)
			}
			if blind == "" {
				break
			}
			as, _ := p.Assignment(a.ID, blind)
			shown[as.Shown]++
			choice := project.First // always a
			if as.Shown == data.OrderBA {
				choice = project.Second
			}
			if k == 1 && n == 5 {
				choice = project.Tie
			}
			if _, err := p.Append(a.ID, project.Event{Item: blind, Kind: project.Submit, Sheet: chosen(choice), Nonce: blind}); err != nil {
				t.Fatal(err)
			}
		}
	}
	if shown["ab"] < 20 || shown["ba"] < 20 {
		t.Errorf("sides: %v", shown)
	}
	r, err := Compute(p, Selection{})
	if err != nil || len(r.Open) != 1 || r.Agreement[0].N != 40 {
		t.Fatalf("%+v, %v", r, err)
	}
	blind, err := p.ToAdjudicate(r.Open[0].Item)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Append(0, project.Event{Item: blind, Kind: project.Adjudicate, Sheet: chosen(project.First), Nonce: "o"}); err != nil {
		t.Fatal(err)
	}
	again, err := Compute(p, Selection{})
	if err != nil || again.Agreement[0].Alpha.Value != r.Agreement[0].Alpha.Value || !again.Open[0].Adjudicated {
		t.Errorf("adjudication changes agreement: %+v, %v", again, err)
	}
	exported(t, p, dir, true)
	known := func(id string) (data.Pair, bool) { return data.Pair{ID: id}, true }
	given, _, _, err := sources.ReadPreferences(filepath.Join(dir, project.PreferencesFile), known, sources.Options{})
	if err != nil || len(given) != 81 {
		t.Fatalf("%d preferences, %v", len(given), err)
	}
	for _, g := range given {
		if g.Choice != "a" && g.Choice != "tie" {
			t.Errorf("sides are not mapped back: %+v", g)
		}
	}
}

func TestEnough(t *testing.T) {
	for _, c := range []struct {
		n         int
		low, high stats.Figure
		want      bool
	}{{59, stats.Number(0.5), stats.Number(0.6), false}, {60, stats.Number(0.5), stats.Number(0.69), true},
		{60, stats.Number(0.5), stats.Number(0.71), false}, {90, stats.Figure{}, stats.Figure{}, false}} {
		if got := strings.HasPrefix(enoughText(c.n, stats.Bound(stats.Figure{}, c.low, c.high), 0.2), "enough"); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
}

func listen(address string) (net.Listener, error) {
	var err error
	for range 50 {
		var l net.Listener
		if l, err = net.Listen("tcp", address); err == nil {
			return l, nil
		}
		time.Sleep(20 * time.Millisecond)
	}
	return nil, err
}

// tableItem returns a table of two rows, of which the second has two values of one object.
func tableItem() project.Item {
	value := func(text string) data.ContrastValue {
		return data.ContrastValue{Value: text, Evidence: []data.Evidence{{Source: "secret", Quote: "a <i>lot</i>"}}}
	}
	return project.Item{Kind: project.Table, Source: "s", Cluster: "c", Role: project.Overlap, Content: project.Content{Question: "?", Object1: "tram", Object2: "bus",
		Rows: []data.ContrastRow{{Attribute: "price <b>", Object1: []data.ContrastValue{value("high")}, Object2: []data.ContrastValue{value("low")}},
			{Attribute: "cost", Object1: []data.ContrastValue{value("high"), value("not high")}}}}}
}

// TestContinuousScale: the page of a continuous scale explains its ends, and a number with a decimal comma is stored with a point.
func TestContinuousScale(t *testing.T) {
	dir := t.TempDir()
	scale := rubric.Rubric{Name: "r", Measurement: "interval", Criteria: []rubric.Criterion{{ID: "q", Group: "all", Name: "quality",
		Continuous: true, Levels: []rubric.Level{{Points: 0, Text: "use<less>"}, {Points: 1, Text: "1"}}}}}
	_, err := project.Create(dir, project.Settings{Rubric: scale, Seed: 1, Kind: project.Answer, People: 1, Width: 0.2},
		[]project.Item{{Kind: project.Answer, Source: "a", Cluster: "a", Role: project.Overlap, Content: project.Content{A: "text"}}})
	if err != nil {
		t.Fatal(err)
	}
	p, err := project.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	s := New(p, quiet())
	server := httptest.NewServer(s.Handler())
	defer server.Close()
	b := newBrowser(t, server.URL)
	b.enter(s, invite(t, p, "anna"))
	_, page := b.get("/work")
	path, form := sheet(page, 0)
	if !strings.Contains(page, "A number from 0 to 1 <span><b>0</b> use&lt;less&gt;</span></p>") {
		t.Errorf("the page of a continuous scale:\n%s", page)
	}
	for value, want := range map[string]int{"1,5": 422, "1,000": 422, "": 422} {
		wrong := url.Values{"kind": {"submit"}, "revision": form["revision"], "nonce": {"x" + value}, "c-q": {value}}
		if code, page := b.post(path, wrong); code != want {
			t.Errorf("%q: %d\n%s", value, code, page)
		}
	}
	b.post(path, url.Values{"kind": {"submit"}, "revision": form["revision"], "nonce": {"y"}, "c-q": {"0,80"}})
	work, err := p.Work()
	if err != nil || len(work) != 1 || !work[0].Done() || work[0].Last.Sheet.Values["q"] != "0.8" {
		t.Errorf("%+v, %v", work, err)
	}
}

// TestTable: the page of a table shows values and quotes, and data.ReadLabels reads the labels of its sheet.
func TestTable(t *testing.T) {
	dir := t.TempDir()
	p := createIn(t, dir, project.Settings{}, []project.Item{tableItem()})
	s := New(p, quiet())
	server := httptest.NewServer(s.Handler())
	defer server.Close()
	b := newBrowser(t, server.URL)
	b.enter(s, invite(t, p, "anna"))
	_, page := b.get("/work")
	path, form := sheet(page, 0)
	if !strings.Contains(page, "<li dir=\"auto\">high\n<br><q") || !strings.Contains(page, "a &lt;i&gt;lot&lt;/i&gt;") || strings.Contains(page, "secret") {
		t.Errorf("the page of a table:\n%s", page)
	}
	revision := form["revision"]
	post := func(want int, name string, more url.Values) {
		t.Helper()
		form := url.Values{"kind": {"submit"}, "revision": revision, "nonce": {name}}
		for k, v := range more {
			form[k] = v
		}
		if code, page := b.post(path, form); code != want {
			t.Errorf("%s: %d\n%s", name, code, page)
		}
	}
	all := url.Values{"c-row-1": {data.RowYes}, "c-row-2": {data.RowInconsistent}, "c-same": {"none"}, "c-against": {"marked"}}
	post(422, "no labels", nil)
	post(422, "a skip without a reason", url.Values{"kind": {"skip"}})
	post(422, "nothing is marked", all)
	post(200, "letters of three bytes", url.Values{"kind": {"draft"}, "reason": {strings.Repeat("理", 1000)}})
	revision = []string{"1"}
	all.Set("c-against-2-1-2", "1")
	post(200, "all", all)
	exported(t, p, dir, true)
	labels, err := data.ReadLabels(filepath.Join(dir, project.LabelsFile))
	if err != nil || len(labels) != 1 || labels[0].Answer != "s" || labels[0].Judge != "human:anna" {
		t.Fatalf("%v, %v", labels, err)
	}
	l := labels[0]
	if want := []data.RowLabel{{Label: data.RowYes}, {Label: data.RowInconsistent}}; !slices.Equal(l.Rows, want) || len(l.Partition) != 2 || !slices.Equal(l.Consistent[1].Object1, []int{1}) {
		t.Errorf("%+v", l)
	}
}
