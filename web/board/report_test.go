package board

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"compqa/data/sharedtest"
	"compqa/data/sources"
	"compqa/results/preferences"
	"compqa/results/report"
	"compqa/results/store"
	"compqa/results/validation"
	"compqa/web/browsertest"
)

// TestSoakReportInBrowser: report.html is one small file that opens without JavaScript and without a server. It passes axe-core, is no
// wider than a phone, and closes each element that it opens.
func TestSoakReportInBrowser(t *testing.T) {
	t.Parallel()
	sharedtest.Soak(t)
	r := newRecord(t)
	r.answers(0, questions)
	r.verdicts(0, questions)
	r.pairs()
	r.close()
	if _, err := report.Write([]string{r.dir}, "", preferences.Chapter); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(r.dir, report.ReportPage)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if len(text) > 1<<20 || strings.Contains(string(text), "<script") ||
		strings.Count(string(text), "http-equiv") != 1 || !strings.Contains(string(text), `http-equiv="Content-Security-Policy" content="default-src 'none'`) {
		t.Errorf("%d bytes, or a script", len(text))
	}
	checkNesting(t, string(text))
	tab := browsertest.Start(t)
	tab.Script(false)
	tab.Open("file://"+path, "h1")
	without := tab.Text()
	tab.Script(true)
	tab.Open("file://"+path, "h1")
	if with := tab.Text(); with != without || !strings.Contains(with, "and people differ most") || !strings.Contains(with, "Reproduce") {
		t.Errorf("the page differs without script, or lacks a part:\n%s", with)
	}
	rankingFirst(tab, "file://"+path)
	tab.Check("report", 320, 640, 1280)
	tab.Do(chromedp.EmulateViewport(1280, 900))
	tab.Axe("report")
}

// TestSoakPairsReportInBrowser: the page of pairs has its first row on the first screen. On a phone, it has no scrolling box and no
// rotated word, even with everything expanded. It passes axe-core.
func TestSoakPairsReportInBrowser(t *testing.T) {
	t.Parallel()
	sharedtest.Soak(t)
	r := &recorder{t: t, dir: filepath.Join(t.TempDir(), "record")}
	var err error
	r.store, err = store.Create(r.dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.close)
	r.pairs()
	r.close()
	if _, err := preferences.Write(r.dir, r.dir); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(r.dir, report.ReportPage)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	checkNesting(t, string(text))
	tab := browsertest.Start(t)
	rankingFirst(tab, "file://"+path)
	tab.Check("pairs report", 320, 375, 640, 1280)
	tab.Axe("pairs report")
	tab.Do(chromedp.EmulateViewport(375, 800))
	tab.Until(`!!document.querySelectorAll("details").forEach((d) => { d.open = true; }) || document.querySelectorAll("details.chapter").length >= 4`)
	tab.Check("open pairs report", 320, 375)
	tab.Do(chromedp.EmulateViewport(375, 800))
	tab.Until(`[...document.querySelectorAll(".scroll")].every((e) => e.scrollWidth <= e.clientWidth)`)
	tab.Until(`[...document.querySelectorAll("main *")].every((e) => getComputedStyle(e).writingMode === "horizontal-tb")`)
	tab.Axe("open pairs report")
}

var elements = regexp.MustCompile(`<(/?)([a-zA-Z][a-zA-Z0-9]*)((?:\s+[-a-zA-Z0-9:]+(?:="[^"<]*")?)*)\s*(/?)>|<`)

// checkNesting fails if an element is not closed in order, an attribute or id occurs twice, or a text contains "<".
func checkNesting(t *testing.T, page string) {
	t.Helper()
	_, page, _ = strings.Cut(page, "<!doctype html>\n")
	var open []string
	ids := map[string]bool{}
	for _, m := range elements.FindAllStringSubmatchIndex(page, -1) {
		part := func(n int) string {
			if m[2*n] < 0 {
				return ""
			}
			return page[m[2*n]:m[2*n+1]]
		}
		switch name := part(2); {
		case name == "":
			t.Errorf("a text has %q", page[m[0]:min(len(page), m[0]+60)])
		case part(1) == "/":
			if len(open) == 0 || open[len(open)-1] != name {
				t.Fatalf("</%s> closes %v", name, open)
			}
			open = open[:len(open)-1]
		case part(4) == "" && !regexp.MustCompile(`^(meta|link|br|hr|img|input|source|wbr)$`).MatchString(name):
			open = append(open, name)
		}
		given := map[string]bool{}
		for _, a := range regexp.MustCompile(`([-a-zA-Z0-9:]+)(?:="([^"]*)")?`).FindAllStringSubmatch(part(3), -1) {
			if given[a[1]] || a[1] == "id" && (ids[a[2]] || a[2] == "") {
				t.Errorf("%s has %s twice or without a name", part(0), a[0])
			}
			given[a[1]] = true
			ids[a[2]] = ids[a[2]] || a[1] == "id"
		}
	}
	if len(open) > 0 {
		t.Errorf("not closed: %v", open)
	}
}

// TestSoakValidationInBrowser: on the page of validate with several judges, the first figure and the first interval are near the top. The
// page passes axe-core and fits every screen.
func TestSoakValidationInBrowser(t *testing.T) {
	t.Parallel()
	sharedtest.Soak(t)
	dir := t.TempDir()
	log := "id,question,answer,judge,correct,polite,concise,complete\n"
	people := "id,correct_ann,polite_ann,concise_ann,complete_ann,correct_ben,polite_ben,concise_ben,complete_ben\n"
	for i := range 60 {
		for j := range 4 {
			log += fmt.Sprintf("%d,Is %d good?,It is good.,judge-with-a-long-name-%d,%d,%d,%d,%d\n", i, i, j, (i+j/2)%2, 1+(i+j)%5, i%2, 1+i*j%5)
		}
		people += fmt.Sprintf("%d,%d,%d,%d,%d,%d,%d,%d,%d\n", i, i%2, 1+i%5, i/2%2, 1+i/7%5, i%2, 1+(i+i%3/2)%5, i/3%2, 1+i/7%5)
	}
	read := func(name, content string, o sources.Options) *sources.Log {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
		of, err := sources.Read(path, o)
		if err != nil {
			t.Fatal(err)
		}
		return of
	}
	s, err := validation.NewStudy(read("log.csv", log, sources.Options{}), read("people.csv", people, sources.Options{People: true,
		Names: []string{"correct", "polite", "concise", "complete"}}), validation.Options{})
	if err != nil {
		t.Fatal(err)
	}
	result, err := s.Compute(nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := report.WritePages(dir, filepath.Join(dir, "tables"), "log.csv", result.Document("log.csv", "")); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, report.ReportPage))
	if err != nil {
		t.Fatal(err)
	}
	checkNesting(t, string(text))
	tab := browsertest.Start(t)
	tab.Do(chromedp.EmulateViewport(1280, 900))
	tab.Open("file://"+filepath.Join(dir, report.ReportPage), "main")
	tab.Until(`document.querySelector(".lead").getBoundingClientRect().bottom <= 260`)
	tab.Until(`document.querySelector("svg.lane").getBoundingClientRect().bottom <= 420`)
	tab.Check("validation", 320, 640, 1280)
	for _, width := range []int64{1000, 1200, 1280} { // the last column is not cut
		tab.Do(chromedp.EmulateViewport(width, 900))
		tab.Until(`[...document.querySelectorAll("#criteria .scroll")].every((e) => e.scrollWidth <= e.clientWidth + 1)`)
	}
	tab.Axe("validation")
}
