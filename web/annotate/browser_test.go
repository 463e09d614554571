package annotate

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"compqa/data/sharedtest"
	"compqa/web/annotate/project"
	"compqa/web/browsertest"
)

// TestSoakKeyboard: two people score by keyboard alone, and the owner sees their agreement. There is no console error, no violation of the
// content security policy, and no page wider than the screen; no attack in a text works.
func TestSoakKeyboard(t *testing.T) {
	sharedtest.Soak(t)
	const n = 12
	p, _ := newProject(t, n, project.Settings{})
	s := New(p, quiet())
	server := httptest.NewServer(s.Handler())
	t.Cleanup(server.Close)
	// The browser stops before the server: cleanups run last first.
	tab := browsertest.Start(t)
	ctx := tab.Context
	run := tab.Do
	for k, name := range []string{"anna", "ben"} {
		token := invite(t, p, name)
		tab.Open(server.URL+"/a/"+token, "button")
		tab.Click("button")
		tab.See("fieldset")
		if k == 0 {
			tab.Check("check", 1280)
		}
		for _, q := range s.Project.CheckQuestions() {
			tab.Click(fmt.Sprintf(`input[name="q-%s"][value="%s"]`, q.ID, q.Right))
		}
		tab.Click("button.main")
		tab.Until(`document.getElementById("sheet") !== null && document.querySelector(".row.here") !== null`)
		for i := range n {
			if k == 0 && i == 0 {
				tab.Do(chromedp.EmulateViewport(375, 800))
				tab.Until(`((small) => small.length > 0 ? (document.title = small.join()) && false : true)` + // for a finger
					`([...document.querySelectorAll(".lv > span, button")].filter((e) => e.checkVisibility() && e.offsetHeight < 40)` +
					`.map((e) => e.textContent + " " + e.offsetHeight))`)
				tab.Check("score", 320, 375, 1280, 1920)
			}
			before, err := chromedp.Run(ctx, chromedp.Location())
			if err != nil {
				t.Fatal(err)
			}
			for j, c := range p.Rubric.Criteria {
				digit := project.Points(c.Max())
				if j == 0 && (i+k)%2 == 0 {
					digit = "0"
				}
				run(chromedp.KeyEvent(digit))
				if j == 0 && (i+k)%2 == 0 {
					run(chromedp.KeyEvent("."))
				}
			}
			if i == 0 {
				run(chromedp.KeyEvent("m"))
			}
			run(chromedp.KeyEvent("\r"))
			tab.Until(fmt.Sprintf(`location.href !== %q && (document.title === "Done" || document.querySelector(".row.here") !== null)`, before))
		}
		tab.See(`form[action="/undo"]`)
	}
	tab.Open(server.URL+s.OwnerPath(), "button")
	tab.Click("button")
	tab.See("table")
	if text := tab.Text(); !strings.Contains(text, fmt.Sprintf("total\tinterval\t%d\t", n)) {
		t.Errorf("the owner's page:\n%s", text)
	}
	tab.Check("owner", 320, 1280, 1920)
	work, err := p.Work()
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range work {
		if !w.Done() || w.Active == 0 || w.Name == "anna" && w.Position == 1 && w.Last.View != "both" {
			t.Errorf("%+v", w)
		}
		if x := w.Last.Sheet.Scores()["1"]; x != 0.5 && x != 1 {
			t.Errorf("criterion 1 has %v points", x)
		}
	}
}

// TestSoakReload: after an immediate reload, the page has what was entered last, even a remark in the focused field. A person whose
// session has ended is told so.
func TestSoakReload(t *testing.T) {
	sharedtest.Soak(t)
	tab := browsertest.Start(t)
	tab.Allowed = "401"
	p, _ := newProject(t, 1, project.Settings{})
	s := New(p, quiet())
	server := httptest.NewServer(s.Handler())
	defer server.Close()
	admit(t, tab, p, server.URL, "anna")
	tab.Until(`document.querySelector(".row.here") !== null`)
	tab.Do(chromedp.KeyEvent("1"))
	tab.Type("#reason", "half a remark")
	tab.Do(chromedp.Reload())
	tab.Until(`document.getElementById("reason").value === "half a remark" && document.querySelectorAll("input[type=radio]:checked").length === 1 && document.getElementById("state").textContent.startsWith("Saved")`)
	if err := p.Revoke("anna"); err != nil {
		t.Fatal(err)
	}
	tab.Type("#reason", "!")
	tab.Until(`document.getElementById("state").textContent.startsWith("Your session has ended")`)
	tab.Stop()
}

// TestSoakHourOffline: the connection is lost for an hour on each of three items. The page keeps saying that the work is kept in the
// browser, and the item can be finished and submitted. When the connection is back, everything is stored, even if the tab was closed
// meanwhile. The hour does not count as active time.
func TestSoakHourOffline(t *testing.T) {
	sharedtest.Soak(t)
	tab := browsertest.Start(t)
	tab.Allowed = "net::ERR_" // which error it is depends on what the page was doing when the server went
	p, _ := newProject(t, 3, project.Settings{})
	s := New(p, quiet())
	server := httptest.NewServer(s.Handler())
	address := server.Listener.Addr().String()
	a := admit(t, tab, p, server.URL, "anna")
	const kept = `document.getElementById("state").textContent.startsWith("No connection. Your work is kept in this browser and sent again")`
	for item := range 3 {
		server.CloseClientConnections()
		server.Close()
		for i, c := range p.Rubric.Criteria {
			tab.Do(chromedp.KeyEvent(project.Points(c.Max())))
			if i%4 == 3 { // the clock goes on by 20 minutes, and drafts fail
				tab.Until(kept)
				tab.Do(chromedp.Evaluate[chromedp.Void](`Date.now = ((now) => () => now() + 20 * 60 * 1000)(Date.now)`))
			}
		}
		tab.Type("#reason", "written without a connection")
		if item == 1 { // the tab is closed before the last change was tried
			tab.Until(kept)
			tab.Type("#reason", " and closed")
			tab.Do(chromedp.Navigate("about:blank"))
		} else {
			tab.Click("footer > button.main")
			tab.Until(kept + ` && document.getElementById("state").textContent.endsWith("complete")`)
		}
		server = httptest.NewUnstartedServer(s.Handler())
		server.Listener.Close()
		var err error
		if server.Listener, err = listen(address); err != nil {
			t.Fatal(err)
		}
		server.Start()
		if item == 1 {
			tab.Open(server.URL+"/work", "#sheet .row.here")
			tab.Until(`document.getElementById("state").textContent === "Saved · complete"`)
			tab.Click("footer > button.main")
		}
		tab.Until(fmt.Sprintf(`document.title === "Done" || document.body.innerText.includes("%d of 3 done") && !!document.querySelector(".row.here")`, item+1))
	}
	server.Close()
	work, err := p.Work()
	if err != nil || len(work) != 3 {
		t.Fatalf("%+v, %v", work, err)
	}
	for i, w := range work {
		if !w.Done() || w.Last.Sheet.Reason != "written without a connection"+[]string{"", " and closed", ""}[i] || len(w.Last.Sheet.Values) != len(p.Rubric.Criteria) {
			t.Errorf("%+v", w)
		}
		if w.Annotator != a.ID || w.Active > 10*60_000 {
			t.Errorf("%d s of active time in an hour without the person", w.Active/1000)
		}
	}
}

// admit passes the check of the guidelines as an annotator and opens the first item.
func admit(t *testing.T, tab *browsertest.Tab, p *project.Project, at, name string) project.Annotator {
	t.Helper()
	token := invite(t, p, name)
	session, err := p.Start(token)
	if err != nil {
		t.Fatal(err)
	}
	a, err := p.Session(session)
	if err != nil {
		t.Fatal(err)
	}
	p.Comprehension(a.ID, true)
	tab.Do(chromedp.Navigate(at + "/a/" + token))
	tab.Click("button")
	tab.See("#sheet .row.here")
	return a
}

// TestSoakMouse: a whole sheet can be filled in with the mouse, on a desktop screen and on a phone. Every click, even a double click, sets
// exactly the level under it, although rows open and close.
func TestSoakMouse(t *testing.T) {
	sharedtest.Soak(t)
	for _, width := range []int64{1280, 375} {
		p, _ := newProject(t, 1, project.Settings{})
		server := httptest.NewServer(New(p, quiet()).Handler())
		t.Cleanup(server.Close)
		tab := browsertest.Start(t)
		tab.Do(chromedp.EmulateViewport(width, 800))
		admit(t, tab, p, server.URL, "anna")
		for i, c := range p.Rubric.Criteria {
			level := fmt.Sprintf(`input[name=c-%s][value="%s"]`, c.ID, project.Points(c.Max()))
			if i%2 == 0 {
				tab.DoubleClick(level)
			} else {
				tab.Click(level)
			}
			tab.Until(fmt.Sprintf(`document.querySelector('%s').checked && document.querySelectorAll("#sheet input:checked").length === %d`, level, i+1))
		}
		tab.Type("#reason", "by mouse")
		tab.Click("footer > button.main")
		tab.Until(`document.title === "Done"`)
		work, err := p.Work()
		if err != nil || !work[0].Done() || p.Rubric.Total(work[0].Last.Sheet.Scores()) != p.Rubric.Max() {
			t.Errorf("%d px: %+v, %v", width, work, err)
		}
		tab.Stop()
	}
}

// TestSoakPairsInBrowser: pairs by keyboard: a choice, a skip and a flag with reasons, undo, and a change by another tab.
func TestSoakPairsInBrowser(t *testing.T) {
	sharedtest.Soak(t)
	dir := t.TempDir()
	var items []project.Item
	for i := range 4 {
		items = append(items, project.Item{Kind: project.Pair, Source: fmt.Sprint(i), Cluster: fmt.Sprint(i), Role: project.Overlap, Content: project.Content{Question: "Which is better?", A: "good " + hostile, B: "bad " + hostile}})
	}
	p := createIn(t, dir, project.Settings{}, items)
	handler := New(p, quiet()).Handler()
	arrived := make(chan bool, 100)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost && strings.HasPrefix(r.URL.Path, "/item/") {
			arrived <- true
			time.Sleep(300 * time.Millisecond) // a key that follows at once comes before the reply
		}
		handler.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	// The browser stops before the server: cleanups run last first.
	tab := browsertest.Start(t)
	tab.Allowed = "409"
	a := admit(t, tab, p, server.URL, "anna")
	tab.Check("pair", 320, 1280, 1920)
	key := func(k string) { t.Helper(); tab.Do(chromedp.KeyEvent(k)) }
	at := func() string {
		t.Helper()
		address, err := chromedp.Run(tab.Context, chromedp.Location())
		if err != nil {
			t.Fatal(err)
		}
		return address
	}
	first := at()
	key("1")
	key("\r")
	tab.Until(fmt.Sprintf(`location.href !== %q && document.getElementById("sheet") !== null && document.querySelector(".row.here") !== null`, first))
	second := at()
	key("s")
	tab.Until(`document.getElementById("state").textContent.startsWith("Write a reason") && document.activeElement.id === "reason"`)
	tab.Type("#reason", "both are empty")
	tab.Click(`button[value="skip"]`)
	tab.Until(fmt.Sprintf(`location.href !== %q && document.querySelector(".row.here") !== null`, second))
	third := at()
	tab.Type("#reason", "names its model")
	tab.Click(`button[value="flag"]`)
	tab.Until(`document.getElementById("state").textContent.startsWith("Flagged")`)
	// Another tab submits the item in the meantime.
	blind := third[strings.LastIndex(third, "/")+1:]
	if _, err := p.Append(a.ID, project.Event{Item: blind, Kind: project.Submit, Sheet: chosen(project.Second), Nonce: "other", Revision: 1}); err != nil {
		t.Fatal(err)
	}
	tab.Click(`input[value="first"]`)
	tab.Until(`!document.getElementById("conflict").hidden && document.getElementById("theirs").textContent.includes("second")`)
	key("\r") // a fast Enter does nothing
	key("2")
	if e, err := p.Last(blind); err != nil || e.Revision != 2 {
		t.Errorf("after keys in a conflict: %+v, %v", e, err)
	}
	tab.Until(`!document.getElementById("conflict").hidden && document.querySelector('input[value="first"]').checked`)
	tab.Click("#keep-mine")
	tab.Until(`document.getElementById("conflict").hidden`)
	last := func(address, kind string) {
		t.Helper()
		for end := time.Now().Add(2 * time.Minute); ; time.Sleep(20 * time.Millisecond) {
			e, err := p.Last(address[strings.LastIndex(address, "/")+1:])
			if err == nil && e.Kind == kind {
				return
			}
			if time.Now().After(end) {
				t.Fatalf("%+v, %v; want %s", e, err, kind)
			}
		}
	}
	last(third, project.Draft) // this tab's choice, which is not submitted: the other tab's counts until it is undone
	for len(arrived) > 0 {
		<-arrived
	}
	key("u") // undoes this tab's choice
	tab.Until(`document.querySelector('input[value="first"]:checked') === null`)
	<-arrived // wait until this draft is stored before the next undo
	key("u")
	last(third, project.Undo)
	tab.Until(`document.getElementById("item").dataset.state === "undo" && document.querySelector(".row.here") !== null`)
	key("u") // undoes the skip before it
	tab.Until(fmt.Sprintf(`location.href === %q && document.querySelector(".row.here") !== null && document.getElementById("reason").value.endsWith("both are empty")`, second))
	last(second, project.Undo)
}

// TestSoakTableInBrowser: a contrastive table in the browser, and a whole sheet without JavaScript.
func TestSoakTableInBrowser(t *testing.T) {
	sharedtest.Soak(t)
	it := tableItem()
	it.Content.Rows[0].Attribute += hostile
	it.Content.Rows[0].Object2[0].Evidence[0].Quote = strings.Repeat("Server.CreateObject", 8) // one long word
	p := createIn(t, t.TempDir(), project.Settings{}, []project.Item{it})
	server := httptest.NewServer(New(p, quiet()).Handler())
	t.Cleanup(server.Close)
	// The browser stops before the server: cleanups run last first.
	tab := browsertest.Start(t)
	admit(t, tab, p, server.URL, "anna")
	tab.Check("table", 320, 1280, 1920)
	tab.Do(chromedp.EmulateViewport(1300, 900))
	tab.Until(`(([e]) => e.scrollWidth <= e.clientWidth)(document.querySelectorAll("#answer .scroll"))`) // no column is cut
	// When a row opens, the button under the mouse does not move.
	tab.Click("input[name=c-against][value=none]")
	tab.Until(`document.querySelector("input[name=c-against][value=none]").checked && document.querySelector(".row.here input").name === "c-against"`)
	tab.Script(false)
	tab.Open(server.URL+"/work", "#sheet")
	for name, value := range map[string]string{"row-1": "YES", "row-2": "OK", "same": "none", "against": "none"} {
		tab.Click(fmt.Sprintf("input[name=c-%s][value=%s]", name, value))
	}
	tab.Click("footer > button.main")
	tab.Until(`document.title === "Done"`)
	work, err := p.Work()
	if err != nil || len(work) != 1 || !work[0].Done() {
		t.Errorf("%+v, %v", work, err)
	}
}
