package bench

import (
	"encoding/json"
	"fmt"
	"html"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"compqa/data"
)

// A finding is one of the conclusions in the output of --json.
type finding struct{ Text string }

func textsOf(all []finding) []string { return data.Each(all, func(f finding) string { return f.Text }) }

// found returns the texts of the findings in an output of --json.
func found(t *testing.T, text string) []string {
	t.Helper()
	var output struct{ Findings []finding }
	if err := json.Unmarshal([]byte(text), &output); err != nil || len(output.Findings) == 0 {
		t.Fatalf("no findings (%v) in\n%s", err, text)
	}
	return textsOf(output.Findings)
}

var titles = regexp.MustCompile(`(?s)<h1[^>]*>(.*?)</h1>(?:<p class="lead"[^>]*>(.*?)</p>)?`)

// titled returns the title and the lead of a page without tags.
func titled(t *testing.T, page string) (title, lead string) {
	t.Helper()
	found := titles.FindAllStringSubmatch(page, -1)
	if len(found) != 1 {
		t.Fatalf("%d titles in\n%s", len(found), page)
	}
	plain := func(text string) string {
		return strings.Join(strings.Fields(html.UnescapeString(tags.ReplaceAllString(text, ""))), " ")
	}
	return plain(found[0][1]), plain(found[0][2])
}

// begins reports whether the printed screen begins with text, whatever the width of the lines.
func begins(screen, text string) bool {
	return strings.HasPrefix(strings.Join(strings.Fields(screen), " "), strings.Join(strings.Fields(text), " "))
}

// TestOneHeadlineOfRun: for a run, the terminal, report.md, report.html, JSON and the board begin with the same words. The same is true of
// compare for each two systems on the terminal, in JSON and on the board, in either order and for each selected judge.
func TestOneHeadlineOfRun(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	must := func(args ...string) string {
		t.Helper()
		code, stdout, stderr := compqa(args...)
		if code != exitDone {
			t.Fatalf("%v: exit %d, %s%s", args, code, stdout, stderr)
		}
		return stdout
	}
	screen := must("run", "--config", "../compqa.yaml", "--limit", "6", "--out", dir)
	headline := found(t, must("report", dir, "--json"))[0]
	if !begins(screen, headline) || !begins(must("report", dir), headline) {
		t.Errorf("run prints\n%s\nnot %q first", screen, headline)
	}
	same := func(where, got, want string) {
		t.Helper()
		if got != strings.TrimSuffix(want, ".") {
			t.Errorf("%s says %q, and not %q", where, got, want)
		}
	}
	title, _ := titled(t, string(fileContent(t, filepath.Join(dir, "report.html"))))
	same("report.html", title, headline)
	first, _, _ := strings.Cut(string(fileContent(t, filepath.Join(dir, "report.md"))), "\n")
	same("report.md", strings.TrimPrefix(first, "# "), headline)
	board := boardOf(t, dir, "/")["/"]
	title, _ = titled(t, board)
	same("the board", title, headline)
	const order = "No person has scored these answers: this is the opinion of rules."
	for where, text := range map[string]string{"the terminal": strings.Join(strings.Fields(screen), " "), "the board": board,
		"report.html": string(fileContent(t, filepath.Join(dir, "report.html")))} {
		before, _, _ := strings.Cut(text, "scored by people") // the last column
		before = strings.Join(strings.Fields(html.UnescapeString(tags.ReplaceAllString(before, ""))), " ")
		if !strings.Contains(before, order) {
			t.Errorf("above the ranking, %s does not say %q:\n%s", where, order, before)
		}
	}
	compareSurfaces(t, dir, must, same)
}

// compareSurfaces checks that all outputs say the same about pairs of systems.
func compareSurfaces(t *testing.T, dir string, must func(...string) string, same func(where, got, want string)) {
	var paths []string
	pairs := [][2]string{{"reference", "extractive"}, {"extractive", "reference"}, {"template", "strum"}}
	judges := []string{"", "surface", "rules"}
	address := func(pair [2]string, judge string) string {
		query := url.Values{"a": {pair[0]}, "b": {pair[1]}}
		if judge != "" {
			query.Set("judge", judge)
		}
		return "/compare?" + query.Encode()
	}
	for _, pair := range pairs {
		for _, judge := range judges {
			paths = append(paths, address(pair, judge))
		}
	}
	pages := boardOf(t, dir, paths...)
	for _, pair := range pairs {
		headline := ""
		for _, judge := range judges {
			args := []string{"compare", dir, "--system", pair[0], "--with", pair[1]}
			if judge != "" {
				args = append(args, "--judge", judge)
			}
			findings := found(t, must(append(slices.Clone(args), "--json")...))
			if headline == "" {
				headline = findings[0]
			}
			title, lead := titled(t, pages[address(pair, judge)])
			same(address(pair, judge), title, headline)
			measured := func(text string) bool { // whether a text has a figure; the tables have these
				return strings.Contains(text, " minus ") || strings.Contains(text, " more points on ") || strings.Contains(text, " is clearly better on ")
			}
			same(address(pair, judge), strings.TrimSuffix(lead, "."), strings.Join(slices.DeleteFunc(slices.Clone(findings[1:]), measured), " "))
			if screen := must(args...); !begins(screen, findings[0]+" "+findings[1]) || !strings.Contains(screen, "first minus second") {
				t.Errorf("%v prints\n%s\nand not %q first", args, screen, findings)
			}
			difference := regexp.MustCompile(` is ([−+\d.]+) `).FindStringSubmatch(strings.Join(findings[1:], " "))
			_, rows, _ := strings.Cut(must(args...), "──\n") // the rows below the table's header
			if rows, _, _ = strings.Cut(rows, "\n\n"); difference == nil || !strings.Contains(rows, " "+difference[1]+" ") {
				t.Errorf("%v: the difference %q of the sentence is not in the table:\n%s", args, difference, rows)
			}
		}
	}
}

// TestOneHeadlineOfDatasheet: the terminal, the page and the JSON of a datasheet begin with the same words.
func TestOneHeadlineOfDatasheet(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	code, screen, stderr := compqa("datasheet", "rules", "--limit", "12", "--out", dir)
	if code != exitDone {
		t.Fatalf("exit %d, %s", code, stderr)
	}
	headline := found(t, string(fileContent(t, filepath.Join(dir, "datasheet.json"))))[0]
	title, _ := titled(t, string(fileContent(t, filepath.Join(dir, "datasheet.html"))))
	if title+"." != headline || !begins(screen, headline) {
		t.Errorf("%q is the title, %q the first finding, and the terminal says\n%s", title, headline, screen)
	}
}

// TestOneHeadlineOfPairs: on which system is preferred and how well a judge chooses, the terminal, the page, JSON and the board of pairs
// begin with the same words.
func TestOneHeadlineOfPairs(t *testing.T) {
	t.Parallel()
	var pairs, chosen strings.Builder
	for i := range 60 {
		choice := "a"
		if i%5 == 0 {
			choice = "b"
		}
		fmt.Fprintf(&pairs, `{"id": "p%d", "question": "q%d", "a": "text %d", "b": "other text %d", "label": "a", "system_a": "one", "system_b": "two"}`+"\n",
			i, i, i, i)
		for _, order := range []string{"ab", "ba"} {
			fmt.Fprintf(&chosen, `{"id": "p%d", "judge": "mine", "method": "direct", "order": %q, "status": "valid", "choice": %q}`+"\n", i, order, choice)
		}
	}
	folder := t.TempDir()
	dir := filepath.Join(t.TempDir(), "pairs")
	for name, text := range map[string]string{"pairs.jsonl": pairs.String(), "chosen.jsonl": chosen.String()} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	must := func(args ...string) string {
		t.Helper()
		code, stdout, stderr := compqa(args...)
		if code != exitDone {
			t.Fatalf("%v: exit %d, %s%s", args, code, stdout, stderr)
		}
		return stdout
	}
	must("pairwise", "import", "--config", emptyConfig(t), "--pairs", filepath.Join(folder, "pairs.jsonl"), "--in",
		filepath.Join(folder, "chosen.jsonl"), "--out", dir)
	findings := found(t, must("pairwise", "report", dir, "--json"))
	screen := must("pairwise", "report", dir)
	page, lead := titled(t, string(fileContent(t, filepath.Join(dir, "report.html"))))
	pages := boardOf(t, dir, "/", "/pairs")
	first, _ := titled(t, pages["/"])
	second, _ := titled(t, pages["/pairs"])
	for name, title := range map[string]string{"report.html": page, "the board": first, "the page of pairs": second} {
		if title+"." != findings[0] {
			t.Errorf("%s says %q, and not %q", name, title, findings[0])
		}
	}
	if !begins(screen, strings.Join(findings[:2], " ")) || !strings.HasPrefix(lead, findings[1]) {
		t.Errorf("the terminal begins\n%s\nand the page goes on with %q, not with %q", screen, lead, findings)
	}
	if text := strings.Join(findings, " "); !strings.Contains(text, "mine chooses the better answer of 80 % of pairs.") {
		t.Errorf("nothing on the judge in %q", text)
	}
}
