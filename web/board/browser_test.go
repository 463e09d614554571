package board

import (
	"context"
	"encoding/csv"
	"fmt"
	"math"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"compqa/data"
	"compqa/data/sharedtest"
	"compqa/results/recordtest"
	"compqa/stats"
	"compqa/web/browsertest"
)

// TestSoakInBrowser opens each page with and without JavaScript, on small and large screens, in light and dark colours. checkPage has
// checked their HTML.
func TestSoakInBrowser(t *testing.T) {
	t.Parallel()
	sharedtest.Soak(t)
	b := whole(t)
	server := httptest.NewServer(b.Handler(""))
	t.Cleanup(server.Close)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	go b.Live.Watch(ctx)
	tab := browsertest.Start(t)
	for name, at := range map[string]string{"home": "/", "manual": "/docs/board", "compare": "/compare?a=plain&b=" + "%3Cb+onclick%3Dx%3E%22evil%22%3C%2Fb%3E+..%2F..%2F%2F", "answers": "/answers?sort=lowest", "questions": "/questions", "judges": "/judges", "judge": "/judges/judge",
		"pairs": "/pairs", "set": "/pairs?set=own", "comparisons": "/comparisons?show=flips", "pair": "/pairs/pair%202", "details": "/details", "points": "/details/points", "question page": "/questions/" + url.PathEscape(data.PairKey("thing 1", evil)), "case": "/answers/" + url.PathEscape(answerID("plain", 2)), "live": "/live", "runs": "/runs"} {
		tab.Open(server.URL+at, "main")
		tab.Check(name, 320, 640, 1280, 1920)
		tab.Axe(name)
		tab.Until(stops)
		tab.Until(targets)
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
	tab.Check("answer", 320, 640, 1280, 1920)
	tab.Axe("answer")
	tab.Click(`a[href^="/questions/"]`)
	tab.See("#choices tbody")
	tab.Do(chromedp.Evaluate[chromedp.Void](`document.querySelectorAll("details").forEach((e) => { e.open = true; })`))
	tab.Check("question", 320, 640, 1280, 1920)
	tab.Axe("question")
	tab.Do(chromedp.Navigate(server.URL + "/answers"))
	tab.Click("summary")
	tab.See("select[name=system]")
	tab.Click("details form button")
	tab.Until(`location.search.includes("system=")`)
	tab.Check("filter", 320)
}

// stops is JavaScript that is true if a page has at most 1.3 times as many tab stops as targets.
const stops = `(() => {
	const all = [...document.querySelectorAll("a[href], button, input:not([type=hidden]), select, textarea, summary, [tabindex='0']")].filter((e) => e.checkVisibility());
	return all.length <= 1.3 * new Set(all.map((e) => e.href || e)).size;
})()`

// targets is JavaScript that is true if links in tables and tools, and controls, are at least 24 pixels high. Links in sentences may be
// smaller.
const targets = `[...document.querySelectorAll("td a, th a, header a, .tools a, button, select, input, summary")]` +
	`.every((e) => !e.checkVisibility() || e.closest(".prose, .card div") || e.getBoundingClientRect().height >= 24)`

// TestSoakFirstScreenInBrowser: the ranking is on the first screen, also on a phone.
func TestSoakFirstScreenInBrowser(t *testing.T) {
	t.Parallel()
	sharedtest.Soak(t)
	address := served(t)
	tab := browsertest.Start(t)
	rankingFirst(tab, address)
	tab.Click("#selection > a") // on a phone the form is behind its values
	tab.See("#selection select")
}

// rankingFirst opens a page on two screen sizes, and checks that the first row of its first table is visible with its bar.
func rankingFirst(tab *browsertest.Tab, address string) {
	tab.T.Helper()
	for _, screen := range [][3]int64{{1280, 900, 420}, {375, 800, 560}} {
		tab.Do(chromedp.EmulateViewport(screen[0], screen[1]))
		tab.Open(address, "main")
		tab.Until(fmt.Sprintf(`document.querySelector("tbody tr:not(.group)").getBoundingClientRect().top <= %d`, screen[2]))
		tab.Until(`(([row, bar]) => bar.right <= innerWidth && bar.bottom <= row.bottom)` +
			`([document.querySelector("tbody tr:not(.group)"), document.querySelector("svg.lane")].map((e) => e.getBoundingClientRect()))`)
	}
}

// TestSoakFiguresInBrowser: the first figures of the judges' page, of an answer, and of a validation are near the top of the screen. The
// page of an answer has the totals of the score sheet next to the answer.
func TestSoakFiguresInBrowser(t *testing.T) {
	t.Parallel()
	sharedtest.Soak(t)
	address := served(t)
	tab := browsertest.Start(t)
	tab.Do(chromedp.EmulateViewport(1280, 900))
	for _, at := range []string{"/judges", "/answers/" + url.PathEscape(answerID("plain", 2))} {
		tab.Open(address+at, "main")
		tab.Until(`document.querySelector(".lead b").getBoundingClientRect().bottom <= 260`)
	}
	tab.Until(`((total, answer) => total.top < 420 && answer.top < 420 && answer.right < total.left)` +
		`(document.querySelector("tr.total th").getBoundingClientRect(), document.querySelector(".answer").getBoundingClientRect())`)
	tab.Open(address+"/judges", "main")
	tab.Until(`document.querySelector("svg.lane").getBoundingClientRect().bottom <= 420`)
}

// TestSoakComparisonInBrowser: on the page of two systems, each plot has at least 40 % of the width of its table, and no row is wider than
// the screen. On a phone, each figure except the drawn one says whose it is.
func TestSoakComparisonInBrowser(t *testing.T) {
	t.Parallel()
	sharedtest.Soak(t)
	tab := browsertest.Start(t)
	for _, width := range []int64{1280, 1000, 820, 375} {
		tab.Do(chromedp.EmulateViewport(width, 900))
		tab.Open(served(t)+"/compare?"+url.Values{"a": {"plain"}, "b": {evil}}.Encode(), "#criteria")
		tab.Until(`((plots) => plots.length > 15 && plots.every((p) => p.offsetWidth >= .4 * p.closest("table").offsetWidth))` +
			`([...document.querySelectorAll("td.drawing")])`)
		tab.Until(`[...document.querySelectorAll("table:has(.drawing) td")].every((c) => c.getBoundingClientRect().right <= innerWidth)`)
	}
	tab.Until(`((cells) => cells.length > 2 && cells.every((c) => getComputedStyle(c, "::before").content.startsWith('"' + c.dataset.label)))` +
		`([...document.querySelectorAll("#evidence td.n:not(.drawing + td)")])`)
}

// TestSoakPictures takes the screenshots of the manual, from the run in COMPQA_RUN (make pictures).
func TestSoakPictures(t *testing.T) {
	sharedtest.Soak(t)
	run := os.Getenv("COMPQA_RUN")
	if run == "" {
		t.Skip("COMPQA_RUN names no run whose pages are to be shown")
	}
	b := opened(t, run)
	if err := b.Load(); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(b.Handler(""))
	t.Cleanup(server.Close)
	tab := browsertest.Start(t)
	tab.Open(server.URL, "#ranking")
	tab.Check("ranking", 1280)
	tab.Open(server.URL+"/answers", "tbody")
	tab.Click("tbody tr:first-child a")
	tab.See("table.sheet")
	tab.Check("answer", 1280)
}

// served returns the address of a server for a complete record.
func served(t *testing.T) string {
	t.Helper()
	server := httptest.NewServer(whole(t).Handler(""))
	t.Cleanup(server.Close)
	return server.URL
}

// TestSoakQuestionsInBrowser answers eight questions about the results from the first page, with mouse and keyboard. The resulting address
// shows the same in another browser, and the CSV of the first table has its rows.
func TestSoakQuestionsInBrowser(t *testing.T) {
	t.Parallel()
	sharedtest.Soak(t)
	server := served(t)
	tab, other := browsertest.Start(t), browsertest.Start(t) // closed before the server
	for _, b := range []*browsertest.Tab{tab, other} {
		b.Do(chromedp.EmulateViewport(1280, 900))
	}
	link := func(text string) string { return fmt.Sprintf("a[data-test=%q]", text) }
	clicks := 0
	click := func(selector string) {
		t.Helper()
		clicks++
		tab.Click(selector)
	}
	// choose selects an option of the selection with two clicks: one opens the list, one chooses.
	choose := func(name, text string) {
		t.Helper()
		clicks += 2
		tab.Type("#selection select[name="+name+"]", text+"\r")
		tab.Until(`location.search.includes("` + name + `=")`)
	}
	// follow clicks on the first link with a text in a part of the page.
	follow := func(within, text string) {
		t.Helper()
		tab.Until(fmt.Sprintf(`((a) => a && (a.dataset.test = %[1]q))([...document.querySelectorAll(%[2]q)].find((a) => a.textContent.trim() === %[1]q)) === %[1]q`,
			text, within+" a"))
		click(link(text))
		tab.Until(fmt.Sprintf(`document.readyState === "complete" && !document.querySelector(%q)`, link(text))) // the next page is there
	}
	read := func(within string, texts ...string) {
		t.Helper()
		for _, text := range texts {
			tab.Until(fmt.Sprintf(`document.querySelector(%q)?.innerText.includes(%q)`, within, text))
		}
	}
	for _, question := range []struct {
		text   string
		answer func()
	}{
		{"Who leads, and is it certain?", func() {
			read("h1", "No clear leader: plain", `<b onclick=x>"evil"</b> ../..//`, "may each be first")
			read("#ranking tbody tr:first-child", "plain", "1")
		}},
		{"Who leads by the points of people?", func() {
			choose("judge", "people")
			read("h1", "Points by people")
			read("#ranking", "plain", "may each be first")
			read("#ranking tbody tr:first-child", "plain")
		}},
		{"What is known against this judge?", func() {
			read("#selection select", "judge") // the ranking is by its points
			follow("nav", "Judges")
			follow("tbody", "judge")
			read("h1", "judge")
			read("main", "Leniency", "incomplete")
		}},
		{"Which record is this, of when, and how large?", func() {
			read("header", "record", "ours", "1 Jan 1970", "24 answers", "115 verdicts", "2 people")
			follow("footer", "How it was made")
			read("main", "hash of the questions")
		}},
		{"Which answer has the fewest points, and what has it in it?", func() {
			follow("nav", "Answers")
			choose("sort", "fewest")
			read("main", "order: lowest")
			clicks++
			tab.Type("header input[name=text]", "iframe\r")
			read("main", "order: lowest", "answer contains: iframe")
			follow("thead", "words")
			click("tbody tr:first-child a")
			read(".answer", "sometext", "iframe")
		}},
		{"Which answers are not valid, and why?", func() {
			follow("#ranking tbody", "1 of 12")
			read("h1", "1 answer")
			click("tbody tr:first-child a")
			read("main", "Status: failed", "secret.example")
		}},
		{"Why did one system lose against the other?", func() {
			follow("nav", "Compare")
			click("#matrix tbody tr:first-child td a")
			read("main", "By criterion", "question by question")
			click("#questions tbody tr:first-child a")
			read("main", "Question 1 of", "Criteria, those that differ first", "Reason of", "somereason")
			tab.Until(`document.querySelector("section table tbody tr th").textContent.startsWith("≠")`)
		}},
		{"Which system is preferred in pairs, and where does the order decide?", func() {
			follow("footer", "Pairs")
			choose("set", "own")
			read("main", "5 pairs in 1 set")
			follow("#systems tbody", "plain")
			read("h1", "5 pairs, chosen by chooser (direct)")
			choose("show", "only where the order")
			read("h1", "1 pair, chosen by chooser (direct)")
			click("tbody tr:first-child a")
			read("main", "A: plain", "Pair 1 of 1", "≠ tie", "A shown first", "B shown first", "somereason")
		}},
	} {
		tab.Open(server, "main")
		question.answer()
		address, err := chromedp.Run(tab.Context, chromedp.Evaluate[string](`location.href`))
		if err != nil {
			t.Fatal(err)
		}
		other.Open(address, "main")
		other.Until(fmt.Sprintf(`document.body.innerText === %q`, tab.Text()))
		sameCSV(t, tab)
	}
	if clicks > 23 { // an earlier design needed 28
		t.Errorf("the eight questions take %d clicks", clicks)
	}
	// The selection stays.
	tab.Open(server+"/?judge=human", "main")
	for _, index := range []int{2, 3, 4, 5, 1} {
		tab.Click(fmt.Sprintf("header nav li:nth-child(%d) a", index))
		tab.Until(fmt.Sprintf(`location.search.includes("judge=human") && !!document.querySelector("nav li:nth-child(%d) [aria-current]")`, index))
	}
}

// numbers matches the numbers of a cell: a value, and the bounds of its interval.
var numbers = regexp.MustCompile(`[-+]?[0-9]*\.?[0-9]+(e-?[0-9]+)?`)

// sameCSV compares the page's downloadable table with its CSV, cell by cell.
func sameCSV(t *testing.T, tab *browsertest.Tab) {
	t.Helper()
	got, err := chromedp.Run(tab.Context, chromedp.Evaluate[struct {
		CSV   string
		Table [][]string
	}](`(async () => {
		const to = [...document.querySelectorAll("a")].find((a) => a.textContent === "CSV of this table");
		if (!to) return {CSV: "", Table: []};
		const rows = [...to.closest("section, details").querySelectorAll("tr:not(.below, .group, .spans)")];
		return {CSV: await (await fetch(to.href)).text(), Table: rows.map((r) => [...r.cells].filter((c) => !c.matches(".drawing")).map((c) => (c.title || c.textContent).trim()))};
	})()`, chromedp.EvalAwaitPromise))
	if err != nil || len(got.Table) == 0 {
		return
	}
	rows, err := csv.NewReader(strings.NewReader(got.CSV)).ReadAll()
	if err != nil || len(rows) != len(got.Table) {
		t.Errorf("%d rows of %d: %v\n%s", len(rows), len(got.Table), err, got.CSV)
		return
	}
	for i, shown := range got.Table {
		index := 0
		for c, text := range shown {
			names := []string{rows[i][index]}
			name := rows[0][index]
			if i == 0 {
				text = strings.TrimSuffix(text, " of 19") // the scale is on the page alone
			}
			for index++; index < len(rows[0]) && slices.Contains([]string{" low", " high", " deviation", " n", " as shown", " mark"}, strings.TrimPrefix(rows[0][index], name)); index++ {
				names = append(names, rows[i][index])
			}
			if text = strings.TrimRight(text, "†"); slices.Contains(names, text) || text == stats.Missing && names[0] == "" {
				continue
			}
			for k, number := range numbers.FindAllString(strings.ReplaceAll(text, "−", "-"), len(names)) {
				want, _ := strconv.ParseFloat(number, 64)
				_, decimals, _ := strings.Cut(number, ".")
				if v, err := strconv.ParseFloat(names[k], 64); err != nil || math.Abs(v-want) > 0.501*math.Pow(0.1, float64(len(decimals))) {
					t.Errorf("row %d, %s: the page has %q, the file %q", i, got.Table[0][c], text, names)
				}
			}
			if i == 0 || numbers.FindString(text) == "" {
				t.Errorf("row %d, %s: the page has %q, the file %q", i, got.Table[0][c], text, names)
			}
		}
		if index != len(rows[0]) {
			t.Errorf("the file has the columns %v, the page %v", rows[0], got.Table[0])
			return
		}
	}
}

// TestSoakWatchedInBrowser: a page follows a run to its end without reloading, even after the tab was offline.
func TestSoakWatchedInBrowser(t *testing.T) {
	sharedtest.Soak(t)
	t.Parallel()
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
	tab.Allowed = "net::ERR_"
	server.CloseClientConnections() // the connection comes back by itself
	r.verdicts(0, questions)
	tab.Until(`document.querySelector('[data-value="done"]').textContent === "116 of 120" && window.mark === 1`)
	tab.Until(`document.getElementById("status").textContent.startsWith("116 of 120")`)
	tab.Do(chromedp.Navigate("about:blank"))
}

// TestSoakSiteInBrowser: static pages work when opened as files. Their script sorts a table and copies it as Markdown.
func TestSoakSiteInBrowser(t *testing.T) {
	t.Parallel()
	sharedtest.Soak(t)
	tab := browsertest.Start(t)
	b := twoJudges(t)
	dir := t.TempDir()
	if err := (&Site{Texts: true}).Write(b, dir, nil); err != nil {
		t.Fatal(err)
	}
	tab.Allowed = "board.css" // axe-core asks for it, which a browser refuses for files
	tab.Open("file://"+filepath.Join(dir, "index.html"), "main")
	tab.Check("static", 320, 640, 1280)
	tab.Until(`document.querySelector("tbody tr th").textContent === "plain"`)
	tab.Click("thead th:nth-child(2) button")
	tab.Click("thead th:nth-child(2) button")
	tab.Until(`document.querySelector("tbody tr th").textContent === "third" && !!document.querySelector("thead th:nth-child(2)[aria-sort=descending]")`)
	tab.Click("thead th:nth-child(4) button")
	tab.Until(`((points) => points.every((x, i) => !i || x <= points[i - 1]))([...document.querySelector("tbody").rows].map((r) => parseFloat(r.cells[3].textContent)))`)
	tab.Click("#ranking a[download]")
	tab.Until(`fetch(document.querySelector("#ranking a[download]").href).then((r) => r.text()).then((text) => { window.text = text; }) && ` +
		`(window.text ?? "").includes("| third |")`)
	tab.Axe("static")
	tab.Click(`header a[href^="judges"]`)
	tab.Until(`document.querySelector("svg.lane circle").getBoundingClientRect().width > 8 && getComputedStyle(document.body).fontFamily.includes("system-ui")`)
	tab.Do(chromedp.NavigateBack())
	tab.Click(`tbody a[href^="answers-list/"]`)
	tab.See(`a[href^="../answers/"]`)
	tab.Click(`a[href^="../answers/"]`)
	tab.Until(`document.body.textContent.includes("sometext")`)
	if text := tab.Text(); strings.Contains(text, secret) {
		t.Error("the raw reply is on the page")
	}
	tab.Click(`a[href^="../questions/"]`)
	tab.See(`section table a[href^="../answers/"]`)
	tab.Axe("static question")
}

// TestSoakLongNamesInBrowser: 120 systems have names of up to 80 characters, in Arabic or Chinese, or without places to break. Still no
// page is wider than its screen, and the first row of a table is at the same place as with short names.
func TestSoakLongNamesInBrowser(t *testing.T) {
	t.Parallel()
	sharedtest.Soak(t)
	var rows []recordtest.Scored
	var systems []string
	for s := range 120 {
		name := []string{strings.Repeat("model-with-a-long-name_", 3) + "version-%03d",
			"نموذج لغوي كبير رقم %03d", "大型语言模型第%03d号版本", "m%03d", strings.Repeat("W", 76) + "-%03d"}[s%5]
		systems = append(systems, fmt.Sprintf(name, s))
		for n, judge := range []string{"first", "second", "human"} {
			rows = append(rows, recordtest.By(judge, systems[s], "1", recordtest.Sawtooth(6, 1+(s+n)%5)...))
		}
	}
	b := opened(t, recordtest.Of(map[string]string{"human": "human"}, rows...).Write(t, t.TempDir()))
	if err := b.Load(); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(b.Handler(""))
	t.Cleanup(server.Close)
	tab := browsertest.Start(t)
	compare := "/compare?" + url.Values{"a": {systems[0]}, "b": {systems[1]}}.Encode()
	for name, at := range map[string]string{"ranking": "/", "judges": "/judges", "judge": "/judges/first", "matrix": "/compare",
		"compare": compare, "names": "/compare?" + url.Values{"a": {systems[2]}, "b": {systems[4]}}.Encode(), "answers": "/answers",
		"questions": "/questions", "points": "/details/points", "live": "/live"} {
		tab.Open(server.URL+at, "main")
		tab.Check("long "+name, 320, 375, 1280)
		tab.Axe("long " + name)
	}
	rankingFirst(tab, server.URL)
}

// TestSoakFirstRowsInBrowser: the first row of a table is within 300 pixels of the top on a desktop and 500 on a phone, after at most 100
// words. On a phone, no part of a page scrolls sideways.
func TestSoakFirstRowsInBrowser(t *testing.T) {
	t.Parallel()
	sharedtest.Soak(t)
	address := served(t)
	tab := browsertest.Start(t)
	for _, screen := range [][3]int64{{1280, 900, 300}, {375, 800, 500}} {
		tab.Do(chromedp.EmulateViewport(screen[0], screen[1]))
		for _, at := range []string{"/", "/judges", "/compare", "/pairs?set=own", "/answers", "/live", "/details/points",
			"/compare?" + url.Values{"a": {"plain"}, "b": {evil}}.Encode()} {
			limit := screen[2]
			if strings.HasPrefix(at, "/pairs") {
				limit += 60 // the choice of one of several sets stands above it
			}
			tab.Open(address+at, "main")
			tab.Until(fmt.Sprintf(firstRow+".y <= %d", limit))
			tab.Until(firstRow + ".words <= 100")
			if screen[0] < 800 {
				tab.Until(`[...document.querySelectorAll("main *")].every((e) => !["auto", "scroll"].includes(getComputedStyle(e).overflowX) || ` +
					`e.scrollWidth <= e.clientWidth + 1)`)
			}
		}
	}
}

// firstRow is JavaScript that returns the position of the first row of a table, and the number of visible words before it.
const firstRow = `((row) => {
	const walker = document.createTreeWalker(document.querySelector("main"), NodeFilter.SHOW_TEXT);
	let words = 0;
	for (let text = walker.nextNode(); text && !row.contains(text); text = walker.nextNode()) {
		const parent = text.parentElement;
		if (!parent.closest("svg, option, .hidden") && parent.checkVisibility()) words += (text.data.match(/\S+/g) ?? []).length;
	}
	return {y: row.getBoundingClientRect().top + scrollY, words};
})([...document.querySelectorAll("main tbody tr:not(.group)")].find((e) => e.checkVisibility()))`
