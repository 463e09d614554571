package board

import (
	"context"
	"fmt"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"compqa/data/sharedtest"
	"compqa/web/browsertest"
)

// Each page with and without script, on small and large screens, light and dark. checkPage has
// looked at all of their elements.
func TestInBrowser(t *testing.T) {
	tab := browsertest.Start(t)
	b := whole(t)
	server := httptest.NewServer(b.Handler(""))
	t.Cleanup(server.Close)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	go b.Live.Watch(ctx)
	for name, at := range map[string]string{"home": "/", "agreement": "/agreement", "compare": "/compare?a=plain&b=" + "%3Cb+onclick%3Dx%3E%22evil%22%3C%2Fb%3E+..%2F..%2F%2F", "answers": "/answers?sort=lowest", "questions": "/questions", "judges": "/judges", "judge": "/judges/judge",
		"pairs": "/pairs", "set": "/pairs?set=own", "comparisons": "/comparisons?show=flips", "pair": "/pairs/pair%202", "details": "/details", "points": "/details/points", "live": "/live", "runs": "/runs"} {
		tab.Open(server.URL+at, "main")
		tab.Check(name, 320, 1280, 1920)
		tab.Axe(name)
		tab.Until(stops)
		with := tab.Text()
		if name == "live" {
			continue
		}
		tab.Script(false)
		tab.Open(server.URL+at, "main")
		if without := tab.Text(); without != with {
			t.Errorf("%s differs without script:\n%s", name, without)
		}
		tab.Script(true)
	}
	// The worst answer is three clicks away; keys suffice.
	tab.Open(server.URL, "main")
	tab.Click(`tbody tr:last-child a`)
	tab.See(`a[href^="/answers/"]`)
	tab.Do(chromedp.Evaluate[chromedp.Void](`document.querySelector('a[href^="/answers/"]').focus()`), chromedp.KeyEvent("\r"))
	tab.Until(`document.body.textContent.includes("sometext")`)
	tab.Check("answer", 320, 1280, 1920)
	tab.Axe("answer")
	tab.Click(`a[href^="/questions/"]`)
	tab.See(".wide")
	tab.Check("question", 320, 1280, 1920)
	tab.Axe("question")
	tab.Do(chromedp.Navigate(server.URL + "/answers"))
	tab.Click("summary")
	tab.See("select[name=system]")
	tab.Click("form button")
	tab.Until(`location.search.includes("system=")`)
	tab.Check("filter", 320)
}

// stops is true if a page has at most 1.3 times as many tab stops as targets.
const stops = `(() => {
	const all = [...document.querySelectorAll("a[href], button, input:not([type=hidden]), select, textarea, summary, [tabindex='0']")].filter((e) => e.checkVisibility());
	return all.length <= 1.3 * new Set(all.map((e) => e.href || e)).size;
})()`

// The ranking is on the first screen, on a phone too; a selection ranks again, and stays in the
// address.
func TestQuestionsInBrowser(t *testing.T) {
	tab := browsertest.Start(t)
	r := newRecord(t)
	r.answers(0, questions)
	r.verdicts(0, questions)
	r.close()
	b := opened(t, r.dir)
	if err := b.Load(); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(b.Handler(""))
	t.Cleanup(server.Close)
	for _, screen := range [][3]int64{{1280, 900, 420}, {375, 800, 560}} {
		tab.Do(chromedp.EmulateViewport(screen[0], screen[1]))
		tab.Open(server.URL, "main")
		tab.Until(fmt.Sprintf(`document.querySelector("tbody tr").getBoundingClientRect().top <= %d`, screen[2]))
		tab.Until(`(([row, bar]) => bar.right <= innerWidth && bar.bottom <= row.bottom)([document.querySelector("tbody tr"), document.querySelector("svg.bar")].map((e) => e.getBoundingClientRect()))`)
	}
	tab.Click("#selection > a") // on a phone the form is behind its values
	tab.See("#selection select")
	tab.Do(chromedp.EmulateViewport(1280, 900))
	tab.Open(server.URL, "#selection select")
	tab.Do(chromedp.Evaluate[chromedp.Void](`document.querySelector("select[name=judge]").value = "human"`))
	tab.Click("#selection button")
	tab.Until(`document.querySelector("h1").textContent === "Points by human"`)
	ranked := tab.Text()
	address, err := chromedp.Run(tab.Context, chromedp.Evaluate[string](`location.href`))
	if err != nil {
		t.Fatal(err)
	}
	other := browsertest.Start(t)
	other.Do(chromedp.EmulateViewport(1280, 900))
	other.Open(address, "main")
	if text := other.Text(); text != ranked {
		t.Errorf("%s shows in another browser:\n%s", address, text)
	}
	// The CSV of a view has the rows of its table.
	tab.Until(`fetch([...document.querySelectorAll("a")].find((a) => a.textContent === "CSV of this table").href).then((r) => r.text()).then((text) => { window.csv = text; }) && !!window.csv`)
	tab.Until(`window.csv.trim().split("\n").length === document.querySelectorAll("#ranking tbody tr").length + 1`)
	for _, at := range []int{2, 3, 4, 5, 6, 8, 10, 1} { // the selection stays
		tab.Click(fmt.Sprintf("header nav li:nth-child(%d) a", at))
		tab.Until(fmt.Sprintf(`location.search.includes("judge=human") && !!document.querySelector("nav li:nth-child(%d) [aria-current]")`, at))
	}
}

// A run is watched to its end without loading the page again, also when the tab was away.
func TestWatchedInBrowser(t *testing.T) {
	sharedtest.Soak(t)
	tab := browsertest.Start(t)
	r := newRecord(t)
	b := opened(t, r.dir)
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { b.Watch(ctx); close(done) }()
	defer func() { stop(); <-done }()
	server := httptest.NewServer(b.Handler(""))
	t.Cleanup(server.Close)
	tab.Open(server.URL+"/live", "main")
	tab.Until(`(window.mark = 1) && document.querySelector('[data-value="done"]').textContent === "0 of 120"`)
	r.answers(0, questions)
	tab.Until(`document.querySelector('[data-value="done"]').textContent === "24 of 120"`)
	tab.Allowed = "/events"
	server.CloseClientConnections() // the connection comes back by itself
	r.verdicts(0, questions)
	tab.Until(`document.querySelector('[data-value="done"]').textContent === "116 of 120" && window.mark === 1`)
	tab.Until(`document.getElementById("status").textContent.startsWith("116 of 120")`)
	tab.Do(chromedp.Navigate("about:blank"))
}

// The static pages work when a file is opened.
func TestSiteInBrowser(t *testing.T) {
	sharedtest.Soak(t)
	tab := browsertest.Start(t)
	b := whole(t)
	dir := t.TempDir()
	if err := (&Site{Texts: true}).Write(b, dir, nil); err != nil {
		t.Fatal(err)
	}
	tab.Open("file://"+filepath.Join(dir, "index.html"), "main")
	tab.Check("static", 320, 1280)
	tab.Click(`a[href^="agreement.html"]`)
	tab.Until(`document.querySelector(".plot img")?.naturalWidth > 0 && getComputedStyle(document.body).fontFamily.includes("system-ui")`)
	tab.Do(chromedp.NavigateBack())
	tab.Click(`tbody a[href^="answers-list/"]`)
	tab.See(`a[href^="../answers/"]`)
	tab.Click(`a[href^="../answers/"]`)
	tab.Until(`document.body.textContent.includes("sometext")`)
	if text := tab.Text(); strings.Contains(text, secret) {
		t.Error("the raw reply is on the page")
	}
}
