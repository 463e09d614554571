package bench

import (
	"encoding/xml"
	"fmt"
	"html"
	"io"
	"log"
	"maps"
	"math"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"compqa/web/board"
)

// A claim is what a sentence says about a judge: whether it can stand in for one person on a criterion, and but names a slice for which it
// cannot.
type claim struct{ judge, answer, criterion, but string }

var (
	canStandIn = regexp.MustCompile(`(\S+) can stand in for one person on ([^.:;(]+)`)
	canNot     = regexp.MustCompile(`(\S+) cannot stand in for a person on ([^.:;(]+)`)
	butNotFor  = regexp.MustCompile(`, but not for (\w+ \w+)`)
	notKnown   = regexp.MustCompile(`[Nn]ot known yet whether (\S+) can stand in for a person on ([^.:;(]+)`)
	tags       = regexp.MustCompile(`(?s)<style.*?</style>|<script.*?</script>|<[^>]*>`)
)

// claimsOf returns the claims in a rendered text. A sentence about several criteria makes one claim for each.
func claimsOf(text string) map[claim]bool {
	text = strings.ReplaceAll(text, "</h1>", ".</h1>") // a title ends a sentence
	text = strings.Join(strings.Fields(html.UnescapeString(tags.ReplaceAllString(text, " "))), " ")
	text = strings.ReplaceAll(text, ", which can ", " can ") // the sentence has named the judge to use before
	all := map[claim]bool{}
	for answer, pattern := range map[string]*regexp.Regexp{"yes": canStandIn, "no": canNot, "": notKnown} {
		for _, m := range pattern.FindAllStringSubmatch(text, -1) {
			but := ""
			if slice := butNotFor.FindStringSubmatch(m[2]); slice != nil {
				but = slice[1]
			}
			list, others, _ := strings.Cut(m[2], ", not on ") // one sentence may say yes for some criteria and no for others
			for _, part := range [][2]string{{answer, list}, {"no", others}} {
				for _, criterion := range []string{"quality", "style"} {
					if slices.Contains(strings.FieldsFunc(part[1], func(r rune) bool { return r == ',' || r == ' ' }), criterion) {
						all[claim{m[1], part[0], criterion, but}] = true
					}
				}
			}
		}
	}
	return all
}

// ratings writes a judge's log and people's scores. People give a true value with noise; the judge "log" gives it with its own noise and
// bias.
func ratings(t *testing.T, dir string, items, people int, noise, bias float64, criteria ...string) (judged, scores string) {
	t.Helper()
	rng := rand.New(rand.NewPCG(1, 65))
	var j, p strings.Builder
	fmt.Fprint(&j, "id")
	fmt.Fprint(&p, "id")
	for _, c := range criteria {
		fmt.Fprint(&j, ",", c)
		for k := range people {
			fmt.Fprintf(&p, ",%s_%s", c, []string{"ann", "ben", "cyn", "dan"}[k])
		}
	}
	point := func(x float64) float64 { return min(5, max(1, math.Round(x))) }
	for i := range items {
		fmt.Fprintf(&j, "\ni%d", i)
		fmt.Fprintf(&p, "\ni%d", i)
		for c := range criteria {
			truth := 3 + 1.1*rng.NormFloat64()
			fmt.Fprint(&j, ",", point(truth+bias*float64(1-c)+noise*rng.NormFloat64())) // only the first criterion has the bias
			for range people {
				fmt.Fprint(&p, ",", point(truth+.6*rng.NormFloat64()))
			}
		}
	}
	judged = filepath.Join(dir, "log.csv")
	scores = filepath.Join(dir, "people.csv")
	for name, text := range map[string]string{judged: j.String(), scores: p.String()} {
		if err := os.WriteFile(name, []byte(text+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return judged, scores
}

// reverseLast adds a column "part" to a log of one criterion with five points. It reverses the points in the last part, which has a tenth
// of the items.
func reverseLast(t *testing.T, log string) {
	t.Helper()
	rows := strings.Fields(string(fileContent(t, log)))
	for i := range rows[1:] {
		row := &rows[i+1]
		if id, point, _ := strings.Cut(*row, ","); i%10 == 9 {
			*row = id + "," + string('6'-point[0]+'0') + ",last"
		} else {
			*row += ",first"
		}
	}
	rows[0] += ",part"
	err := os.WriteFile(log, []byte(strings.Join(rows, "\n")+"\n"), 0o644)
	if err != nil {
		t.Fatal(err)
	}
}

// junitTexts returns the messages of all test cases in JUnit XML.
func junitTexts(t *testing.T, text string) string {
	t.Helper()
	var suites struct {
		Cases []struct {
			Output  string `xml:"system-out"`
			Failure struct {
				Message string `xml:"message,attr"`
			} `xml:"failure"`
		} `xml:"testsuite>testcase"`
	}
	if err := xml.Unmarshal([]byte(text), &suites); err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	var messages []string
	for _, c := range suites.Cases {
		messages = append(messages, c.Output+c.Failure.Message)
	}
	return strings.Join(messages, "\n")
}

// surfacesOf returns all rendered outputs about one validation: what validate prints, its page, its JSON and its JUnit XML. From the
// validation's record it renders what report prints, its pages and its JSON, and the pages of the web server.
func surfacesOf(t *testing.T, judged, people string, options ...string) map[string]string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "out")
	rendered := map[string]string{}
	run := func(name string, args ...string) {
		code, out, errs := compqa(args...)
		if code != exitDone && (code != exitGate || !slices.Contains(args, "--require")) {
			t.Fatalf("%v: exit %d: %s%s", args, code, out, errs)
		}
		rendered[name] = out
	}
	validate := append([]string{"validate", judged, "--people", people, "--scale", "1..5"}, options...)
	run("validate", append(validate, "--out", dir)...)
	run("validate --json", append(validate, "--out", filepath.Join(t.TempDir(), "json"), "--json")...)
	run("validate --format junit", append(validate, "--out", filepath.Join(t.TempDir(), "junit"), "--require", "yes", "--format", "junit")...)
	rendered["validate --format junit"] = junitTexts(t, rendered["validate --format junit"])
	run("report", "report", dir, "--out", filepath.Join(dir, "again"))
	run("report --json", "report", dir, "--out", filepath.Join(dir, "json"), "--json")
	for _, name := range []string{"validate --json", "report --json"} {
		rendered[name] = found(t, rendered[name])[0]
	}
	for name, file := range map[string]string{"report.html of validate": filepath.Join(dir, "report.html"),
		"report.html of report": filepath.Join(dir, "again", "report.html"), "report.md of report": filepath.Join(dir, "again", "report.md")} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		rendered[name] = string(text)
	}
	for path, page := range boardOf(t, dir, "/", "/judges", "/judges/log") {
		rendered["board "+path] = page
	}
	return rendered
}

// boardOf returns pages of a record from the web server.
func boardOf(t *testing.T, dir string, paths ...string) map[string]string {
	t.Helper()
	b, err := board.Open([]string{dir}, log.New(io.Discard, "", 0))
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	if err := b.Load(); err != nil {
		t.Fatal(err)
	}
	pages := map[string]string{}
	for _, path := range paths {
		w := httptest.NewRecorder()
		b.Handler("").ServeHTTP(w, httptest.NewRequest(http.MethodGet, "http://127.0.0.1"+path, nil))
		if w.Code != http.StatusOK {
			t.Fatalf("%s: %d\n%s", path, w.Code, w.Body)
		}
		pages[path] = w.Body.String()
	}
	return pages
}

// TestOneHeadline: all outputs about one record make the same claims about each judge and criterion. The cases cover yes, no and not known,
// one and two criteria, one and several people, and few items.
func TestOneHeadline(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name          string
		items, people int
		noise, bias   float64
		criteria      []string
		want          map[string]string // criterion to answer
		options       []string
		but           string // the slice for which the judge cannot stand in
	}{
		{"better", 80, 3, .3, 0, []string{"quality"}, map[string]string{"quality": "yes"}, nil, ""},
		{"too high", 200, 3, .6, 1.5, []string{"quality"}, map[string]string{"quality": "no"}, nil, ""},
		{"few", 12, 3, .6, 0, []string{"quality"}, map[string]string{"quality": ""}, nil, ""},
		{"one person", 60, 1, .6, 0, []string{"quality"}, map[string]string{"quality": ""}, nil, ""},
		{"two people", 200, 2, .4, 0, []string{"quality"}, map[string]string{"quality": "yes"}, nil, ""},
		{"open", 30, 2, .9, 0, []string{"quality"}, map[string]string{"quality": ""}, nil, ""},
		{"two criteria", 200, 3, .4, 2, []string{"quality", "style"}, map[string]string{"quality": "no", "style": "yes"}, nil, ""},
		{"four people", 60, 4, .3, 0, []string{"style"}, map[string]string{"style": "yes"}, nil, ""},
		// The same values as in "open", but --margin changes the answer. The record alone does not give this answer.
		{"margin", 30, 2, .9, 0, []string{"quality"}, map[string]string{"quality": "yes"}, []string{"--margin", ".9"}, ""},
		{"slice", 240, 3, .3, 0, []string{"quality"}, map[string]string{"quality": "yes"},
			[]string{"--margin", ".3", "--by", "part"}, "part last"},
	} {
		t.Run(c.name, func(t *testing.T) {
			judged, people := ratings(t, t.TempDir(), c.items, c.people, c.noise, c.bias, c.criteria...)
			if c.but != "" {
				reverseLast(t, judged)
			}
			want := map[claim]bool{}
			for criterion, answer := range c.want {
				want[claim{"log", answer, criterion, c.but}] = true
			}
			surfaces := surfacesOf(t, judged, people, c.options...)
			for _, name := range []string{"board /", "board /judges", "report.html of validate", "report.html of report"} {
				if title, _ := titled(t, surfaces[name]); title+"." != surfaces["validate --json"] {
					t.Errorf("%s begins with %q, and not %q", name, title, surfaces["validate --json"])
				}
			}
			if surfaces["report --json"] != surfaces["validate --json"] {
				t.Errorf("report --json begins with %q, and not %q", surfaces["report --json"], surfaces["validate --json"])
			}
			if !begins(surfaces["report"], surfaces["validate --json"]) {
				t.Errorf("report begins with %.200q", surfaces["report"])
			}
			for name, text := range surfaces {
				if got := claimsOf(text); !maps.Equal(got, want) {
					t.Errorf("%s claims %v, want %v", name, got, want)
				}
			}
		})
	}
}
