package board

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"compqa/results/recordtest"
)

// TestTablesHavePages: with 120 systems no page is large. A table is split into pages that together have each system once, and its file
// has all. Further tables on a page link to pages of their own.
func TestTablesHavePages(t *testing.T) {
	t.Parallel()
	var rows []recordtest.Scored
	for s := range 120 {
		name := fmt.Sprintf("system-number-%03d", s)
		for n, judge := range []string{"first", "second", "third", "fourth"} {
			for _, scenario := range []string{"1", "2"} {
				rows = append(rows, recordtest.By(judge, name, scenario, recordtest.Sawtooth(6, 1+(s+n)%5)...))
			}
		}
	}
	b := opened(t, recordtest.Of(nil, rows...).Write(t, t.TempDir()))
	if err := b.Load(); err != nil {
		t.Fatal(err)
	}
	h := b.Handler("")
	seen := map[string]bool{}
	for at, pages := range map[string]int{"/": 3, "/?judge=second": 3, "/details/points": 3, "/details/points?table=by-scenario": 5, "/compare": 143,
		"/judges": 1, "/answers": 29, "/answers?sort=lowest": 29, "/questions": 1} {
		for page := 1; page <= min(pages, 3); page++ {
			_, body, _ := get(t, h, fmt.Sprintf("%s%spage=%d", at, map[bool]string{true: "&", false: "?"}[strings.Contains(at, "?")], page))
			if len(body) > 100_000 || pages > 1 && !strings.Contains(body, fmt.Sprintf("Page %d of %d", page, pages)) {
				t.Errorf("%s, page %d of %d: %d bytes", at, page, pages, len(body))
			}
			checkPage(t, at, body)
			if at == "/" {
				_, body, _ = strings.Cut(body, `<section id="ranking">`)
				body, _, _ = strings.Cut(body, "</section>")
				for _, m := range regexp.MustCompile(`<th scope="row"><a href="/answers\?system=([^"&]+)`).FindAllStringSubmatch(body, -1) {
					if seen[m[1]] {
						t.Errorf("%s is there twice", m[1])
					}
					seen[m[1]] = true
				}
			}
		}
	}
	if len(seen) != 120 {
		t.Errorf("%d systems on all pages of the ranking", len(seen))
	}
	_, file, _ := get(t, h, "/?table=ranking&as=csv&page=2")
	if lines := strings.Count(file, "\n"); lines != 121 {
		t.Errorf("the file has %d lines", lines)
	}
	_, body, _ := get(t, h, "/details/points")
	if !strings.Contains(body, "All 240 rows") {
		t.Error("a further table has all of its rows, or no page of its own")
	}
}
