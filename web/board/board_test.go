package board

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"io"
	"io/fs"
	"log"
	"math"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"compqa/data"
	"compqa/data/sharedtest"
	"compqa/results/store"
	"compqa/rubric"
	"compqa/web/shell"
)

// attacks are texts that try to inject code into a page, or to look like something else.
var attacks = []string{
	"<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "[c](javascript:alert(1)) ![p](http://evil.example/p.png)", "<svg/onload=alert(1)>", `"><iframe src=//evil.example>`,
	"\u202Egnp.exe \u2066x\u2069", "a\u200Bb", "аpple (Cyrillic a)", "| a | b |\n|---|---|\n| 1 | \"><script>alert(2)</script> |", "</pre></details><form action=//evil.example>", "{{.}} {{template \"page\"}}", "\x1b[31mred\x07",
}

const (
	evil    = `<b onclick=x>"evil"</b> ../..//`
	secret  = "secretreply"
	address = "http://secret.example:1234"
)

// A recorder writes a record step by step.
type recorder struct {
	t     testing.TB
	dir   string
	store *store.Store
}

const questions = 12

// newRecord returns a recorder with two systems, a judge, a baseline judge and two people, for twelve questions.
func newRecord(t testing.TB) *recorder {
	t.Helper()
	r := &recorder{t: t, dir: filepath.Join(t.TempDir(), "record")}
	var err error
	if r.store, err = store.Create(r.dir); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.close() })
	text, err := json.Marshal(rubric.CQA())
	if err != nil {
		t.Fatal(err)
	}
	r.write(func(b store.Batch) error {
		_, err := b.BeginRun(store.Provenance{Program: "v0", Config: `{"providers":{"p":{"base_url":"` + address + `"}},"headline":"judge"}`, Dataset: "ours", DataHash: "d", Rubric: string(text), RubricHash: "r", Templates: "{}"}, time.Unix(0, 0))
		if err != nil {
			return err
		}
		systems := []store.Participant{{Name: "plain", Kind: "file"}, {Name: evil, Kind: "file"}}
		judges := []store.Participant{{Name: "judge", Kind: "file"}, {Name: "constant", Kind: "floor"}, {Name: "human:anna", Kind: "human", Family: "human:anna"}, {Name: "human:ben", Kind: "human", Family: "human:ben"}}
		var cells []store.PlanCell
		for _, s := range systems {
			cells = append(cells, store.PlanCell{Kind: store.KindAnswer, System: s.Name, Scenario: "1", Planned: questions, Fingerprint: "f"})
			for _, j := range judges {
				cells = append(cells, store.PlanCell{Kind: store.KindVerdict, Judge: j.Name, System: s.Name, Scenario: "1", Planned: questions, Fingerprint: "f"})
			}
		}
		return b.SetPlan(store.FromConfig, systems, judges, cells)
	})
	return r
}

func (r *recorder) write(do func(store.Batch) error) {
	r.t.Helper()
	if err := r.store.Write(do); err != nil {
		r.t.Fatal(err)
	}
}

// change runs an SQL statement on the record, as another program could.
func (r *recorder) change(query string, args ...any) {
	r.t.Helper()
	tx, err := r.store.Begin()
	if err != nil {
		r.t.Fatal(err)
	}
	_, err = tx.Exec(query, args...)
	if err := errors.Join(err, tx.Commit()); err != nil {
		r.t.Fatal(err)
	}
}

func (r *recorder) close() {
	if r.store != nil {
		if err := r.store.Close(); err != nil {
			r.t.Error(err)
		}
	}
	r.store = nil
}

func answerID(system string, q int) string {
	return data.AnswerID(system, "1", fmt.Sprintf("thing %d | %s", q, evil), 1)
}

// answers records the answers to some questions. Every twelfth one has failed.
func (r *recorder) answers(from, to int) {
	r.t.Helper()
	r.write(func(b store.Batch) error {
		for q := from; q < to; q++ {
			question := data.Question{ID: fmt.Sprintf("thing %d | %s", q, evil), Object1: fmt.Sprint("thing ", q), Object2: evil, Text: "Which? " + attacks[q%len(attacks)], Arguments: []data.Argument{{Text: attacks[q%len(attacks)], Favours: data.Object1}}}
			if err := b.Question(question, q); err != nil {
				return err
			}
			for _, system := range []string{"plain", evil} {
				a := data.Answer{ID: answerID(system, q), Question: question.ID, Object1: question.Object1, Object2: evil, System: system, Scenario: "1", Repeat: 1, Status: data.Valid, Text: "sometext " + attacks[q%len(attacks)]}
				if q == 11 && system == evil {
					a.Status = "failed"
					a.Text = ""
					a.Reason = address + " said " + attacks[0]
				}
				if err := b.Answer(a, store.Size{Words: 3, Sentences: 1}, nil); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// verdicts records the verdicts on some questions. The judge gives evil's answers one point too few on criterion 1, and its verdict on the
// first answer is invalid.
func (r *recorder) verdicts(from, to int) {
	r.t.Helper()
	all := rubric.CQA()
	r.write(func(b store.Batch) error {
		for q := from; q < to; q++ {
			for _, system := range []string{"plain", evil} {
				if q == 11 && system == evil {
					continue
				}
				for _, judge := range []string{"judge", "constant", "human:anna", "human:ben"} {
					v := data.Verdict{Answer: answerID(system, q), Judge: judge, Repeat: 1, Scores: all.Full(), Status: data.Valid, Reason: "somereason " + attacks[(q+1)%len(attacks)], Raw: secret + attacks[q%len(attacks)]}
					if judge != "constant" && q%2 == 0 {
						v.Scores["11"] = 0
					}
					if judge == "judge" && system == evil {
						v.Scores["1"] = 0
					}
					total := all.Total(v.Scores)
					v.Total = &total
					if judge == "judge" && q == 0 && system == evil {
						v.Status = "incomplete"
						v.Total = nil
						v.Reason = "it lacks criteria, says " + address
					}
					if err := b.Verdict(v, nil); err != nil {
						return err
					}
				}
			}
		}
		return nil
	})
}

// pairs records two sets of pairs, one of the two systems and one without systems, and the choices of a judge and a person. The choice is
// A in both orders, except on the third pair, where the answer shown first wins.
func (r *recorder) pairs() {
	r.t.Helper()
	own := store.PairSet{Name: "own", Source: "the run"}
	other := store.PairSet{Name: "other set", Source: "a file"}
	for q := range 5 {
		p := store.SetPair{Pair: data.Pair{ID: fmt.Sprint("pair ", q), Question: fmt.Sprint("Which thing ", q, "? ", attacks[q]), Label: data.ChoiceA,
			Cluster: fmt.Sprint(q), SystemA: "plain", SystemB: evil, AnswerA: answerID("plain", q), AnswerB: answerID(evil, q)}}
		own.Pairs = append(own.Pairs, p)
		other.Pairs = append(other.Pairs, store.SetPair{Pair: data.Pair{ID: fmt.Sprint("other ", q), Question: "Other?", A: "sometext 1",
			B: "sometext 2", Label: data.ChoiceB, Cluster: fmt.Sprint(q)}, WordsA: 2, WordsB: 2})
	}
	judges := []store.Participant{{Name: "chooser", Kind: "model", Method: "direct"},
		{Name: "human:anna", Kind: "human", Method: "annotation"}}
	r.write(func(b store.Batch) error {
		if _, err := b.BeginRun(store.Provenance{Part: store.PartPairs}, time.Unix(0, 0)); err != nil {
			return err
		}
		if err := b.PairSets([]store.PairSet{own, other}); err != nil {
			return err
		}
		var cells []store.PlanCell
		for _, j := range judges {
			for _, set := range []store.PairSet{own, other} {
				for _, order := range data.Orders {
					cells = append(cells, store.PlanCell{Kind: store.KindPreference, Judge: j.Name, Method: j.Method, Dataset: set.Name, Order: order, Planned: len(set.Pairs)})
					for q, p := range set.Pairs {
						f := data.Preference{ID: p.ID, Judge: j.Name, Method: j.Method, Order: order, Status: data.Valid, Choice: "a",
							Rationale: "somereason " + attacks[q]}
						if q == 2 && order == data.OrderBA {
							f.Choice = "b"
						}
						detail := map[string]any{"table": []map[string]string{{"aspect": attacks[q], "only_a": "x"}}}
						if err := b.Preference(f, store.PreferenceAbout{Fingerprint: "x", Detail: detail}, nil); err != nil {
							return err
						}
					}
				}
			}
		}
		return b.SetPlan(store.FromPairs, nil, judges, cells)
	})
}

func opened(t testing.TB, dirs ...string) *Board {
	t.Helper()
	b, err := Open(dirs, log.New(testWriter{t}, "", 0))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.Close() })
	return b
}

type testWriter struct{ t testing.TB }

func (w testWriter) Write(p []byte) (int, error) {
	w.t.Logf("%s", p)
	return len(p), nil
}

// whole returns the board of a complete record.
func whole(t testing.TB) *Board {
	t.Helper()
	r := newRecord(t)
	r.answers(0, questions)
	r.verdicts(0, questions)
	r.pairs()
	r.close()
	b := opened(t, r.dir)
	if err := b.Load(); err != nil {
		t.Fatal(err)
	}
	return b
}

func get(t testing.TB, h http.Handler, address string) (int, string, http.Header) {
	t.Helper()
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest("GET", "http://127.0.0.1"+address, nil))
	return w.Code, w.Body.String(), w.Result().Header
}

var (
	references = regexp.MustCompile(`(?:href|src)="([^"]*)"`)
	script     = regexp.MustCompile(`^<script src="(/|(\.\./)*)board\.js" defer>$`)
	tags       = regexp.MustCompile(`<[a-zA-Z/!][^>]*>`)
	ours       = regexp.MustCompile(`^</?(!doctype|html|head|meta|title|link|noscript|script|body|header|footer|strong|b|bdi|dl|dt|dd|small|mark|nav|ul|ol|li|a|main|h[1-4]|section|details|summary|p|div|form|label|select|option|input|button|table|caption|thead|tbody|tr|th|td|pre|code|em|del|blockquote|hr|br|span|img|article|svg|g|path|rect|line|circle|text|picture|source|figure|figcaption|symbol|use)( (html|charset|name|content|rel|href|src|defer|aria-[a-z]+|lang|dir|class|start|method|action|value|selected|placeholder|type|inputmode|scope|role|tabindex|id|alt|title|data-[a-z]+|http-equiv|style|align|colspan|viewBox|d|x|y|x1|x2|y1|y2|dy|cx|cy|r|width|height|rx|overflow|text-anchor|media|srcset)(="[^"<>]*"|=[\w-]+)?)*>$`)
)

// checkPage fails if a page contains foreign text that a browser would act on, or a table or picture without a name.
func checkPage(t *testing.T, at, page string) {
	t.Helper()
	for _, tag := range tags.FindAllString(page, -1) {
		if !ours.MatchString(tag) || strings.HasPrefix(tag, "<script") && !script.MatchString(tag) || strings.Contains(tag, "javascript:") || strings.Contains(tag, "evil.example") {
			t.Errorf("%s has %s", at, tag)
		}
	}
	if strings.ContainsAny(page, "\u202E\u2066\u200B\x1b\x07") {
		t.Errorf("%s has characters that change what is seen", at)
	}
	if n, named := strings.Count(page, "<table>"), strings.Count(page, "<table><caption"); n != named+strings.Count(page, "<table>\n<thead>") {
		t.Errorf("%s: %d of %d tables have a name", at, named, n)
	}
	for _, unnamed := range []string{`alt=""`, `aria-label=""`, `<caption class="hidden"></caption>`} {
		if strings.Contains(page, unnamed) {
			t.Errorf("%s has a picture, table or region without a name: %s", at, unnamed)
		}
	}
}

// TestNextSteps: the first page of a record without verdicts, or without people, says what to do next.
func TestNextSteps(t *testing.T) {
	t.Parallel()
	r := newRecord(t)
	r.answers(0, questions)
	r.change(`DELETE FROM parties WHERE kind = 'human'; DELETE FROM plan WHERE judge LIKE 'human%'`)
	b := opened(t, r.dir)
	for _, commands := range [][]string{{"compqa run --out " + r.dir, "compqa annotate init " + r.dir, "no system with a rank yet"},
		{"compqa annotate init " + r.dir, "compqa import --verdicts FILE"}} {
		if err := b.Load(); err != nil {
			t.Fatal(err)
		}
		for _, at := range []string{"/", "/judges"} {
			_, body, _ := get(t, b.Handler(""), at)
			for _, command := range commands {
				if !strings.Contains(body, command) && (at == "/" || strings.Contains(command, "annotate")) {
					t.Errorf("%s does not say %q:\n%s", at, command, body)
				}
			}
		}
		r.verdicts(0, questions)
		r.change(`DELETE FROM results WHERE kind = 'verdict' AND party LIKE 'human%'; DELETE FROM parties WHERE kind = 'human'; DELETE FROM plan WHERE judge LIKE 'human%'`)
	}
	r.close()
}

// TestPagesWithoutPeople: all pages work without people and without any verdict.
func TestPagesWithoutPeople(t *testing.T) {
	t.Parallel()
	r := newRecord(t)
	r.answers(0, questions)
	r.change(`DELETE FROM parties WHERE kind = 'human'; DELETE FROM plan WHERE judge LIKE 'human%'`)
	r.close()
	b := opened(t, r.dir)
	if err := b.Load(); err != nil {
		t.Fatal(err)
	}
	for _, at := range []string{"/", "/judges", "/compare", "/compare?a=plain&b=plain", "/answers", "/answers?sort=difference", "/answers?sort=lowest", "/questions", "/judges", "/judges/judge", "/pairs", "/live", "/runs", "/docs", "/docs/board", "/docs/validate", "/answers/" + url.PathEscape(answerID("plain", 1)), "/questions/" + url.PathEscape(data.PairKey("thing 1", evil))} {
		if code, body, _ := get(t, b.Handler(""), at); code != http.StatusOK {
			t.Errorf("%s: %d\n%s", at, code, body)
		} else {
			checkPage(t, at, body)
			if strings.Contains(strings.ReplaceAll(body, "evil.example/p.png", ""), ".png") {
				t.Errorf("%s names a picture that the program does not have", at)
			}
		}
	}
}

// TestJudgeApart: a judge that shares no answer with people has no plot against people.
func TestJudgeApart(t *testing.T) {
	t.Parallel()
	r := newRecord(t)
	r.answers(0, questions)
	r.verdicts(0, questions)
	r.change(`DELETE FROM results WHERE kind = 'verdict' AND party = 'judge'`)
	r.close()
	b := opened(t, r.dir)
	if err := b.Load(); err != nil {
		t.Fatal(err)
	}
	if _, body, _ := get(t, b.Handler(""), "/judges"); !strings.Contains(body, "answers scored again") {
		t.Error("self-agreement lacks its number of answers")
	}
	if code, body, _ := get(t, b.Handler(""), "/judges/judge"); code != http.StatusOK || strings.Contains(body, "<img") {
		t.Errorf("%d\n%s", code, body)
	}
	_, body, _ := get(t, b.Handler(""), "/questions/"+url.PathEscape(data.PairKey("thing 1", evil))+"?judge=judge")
	if !strings.Contains(body, `<td class="n" data-label="plain">not judged</td>`) || strings.Contains(body, "not valid") || strings.Contains(body, "differs\"") {
		t.Errorf("answers that a judge did not judge:\n%s", body)
	}
}

// TestPages: every page that a link leads to exists, and models contribute only text to it.
func TestPages(t *testing.T) {
	t.Parallel()
	h := whole(t).Handler("")
	queue := []string{"/"}
	seen := map[string]bool{"/": true}
	kinds := map[string]int{}
	queries := map[string]int{}
	for len(queue) > 0 {
		at := queue[0]
		queue = queue[1:]
		code, body, header := get(t, h, at)
		if code != http.StatusOK {
			t.Errorf("%s: %d", at, code)
		}
		if policy := header.Get("Content-Security-Policy"); !strings.Contains(policy, "default-src 'none'") {
			t.Errorf("%s has the policy %q", at, policy)
		}
		if !strings.HasPrefix(header.Get("Content-Type"), "text/html") {
			continue
		}
		kinds[kindOf(at)]++
		checkPage(t, at, body)
		for _, m := range references.FindAllStringSubmatch(body, -1) {
			to, _, _ := strings.Cut(html.UnescapeString(m[1]), "#")
			if to == "" || seen[to] || repeated(to) {
				continue
			}
			seen[to] = true
			if strings.Contains(to, "?") {
				if queries[kindOf(to)]++; queries[kindOf(to)] > 20 && !sharedtest.Soaking(t) {
					continue
				}
			}
			queue = append(queue, to)
		}
	}
	for _, kind := range []string{"", "compare", "answers", "questions", "judges", "pairs", "comparisons", "details", "live", "runs"} {
		if kinds[kind] == 0 {
			t.Errorf("no page under /%s: %v", kind, kinds)
		}
	}
	if kinds["answers"] < 2*questions || kinds["questions"] < questions {
		t.Errorf("pages: %v", kinds)
	}
	for at, want := range map[string]int{"/nothing": 404, "/answers/nothing": 404, "/answers/../../etc/passwd": 404, "/judges/nobody": 404, "/compare?a=plain&b=nobody": 404, "/answers?judge=x": 404, "/answers?criterion=99": 404, "/?judge=nobody": 404, "/?scenario=9": 404, "/?group=x": 404, "/compare?a=plain&b=plain&judge=nobody": 404, "/questions/" + url.PathEscape(data.PairKey("thing 1", evil)) + "?scenario=9": 404, "/?scenario=all": 200, "/answers?differs=much": 400, "/answers?points=x": 400, "/answers?system=nobody": 404, "/answers?status=x": 404, "/answers?sort=x": 404,
		"/pairs?set=x": 404, "/pairs/nothing": 404,
		"/comparisons?chosen_by=x": 404, "/comparisons?set=x": 404, "/answers?page=-1": 200, "/answers?page=99999999999": 200, "/plots/..%2f..%2fetc": 404, "/questions/%zz": 400, "/compare?a=plain&b=plain": 200} {
		u, err := url.ParseRequestURI(at)
		if err != nil {
			continue // net/http refuses such an address before the handler
		}
		if code, body, _ := get(t, h, u.String()); code != want {
			t.Errorf("%s: %d, want %d\n%s", at, code, want, body)
		}
	}
}

// TestSoakPages is TestPages with all cases.
func TestSoakPages(t *testing.T) {
	sharedtest.Soak(t)
	TestPages(t)
}

// kindOf returns the first part of an address.
func kindOf(address string) string {
	return strings.SplitN(strings.SplitN(address, "?", 2)[0]+"/", "/", 3)[1]
}

// repeated reports whether an address sorts or downloads a table of a page that a query selects. There are too many combinations to test
// all.
func repeated(address string) bool {
	u, err := url.Parse(address)
	if err != nil {
		return false
	}
	q := u.Query()
	about := u.Path == "/pairs" || u.Path == "/comparisons"
	if q.Has("set") && !about || (q.Has("set") || q.Has("chosen_by")) && (q.Has("by") || q.Has("table")) {
		return true
	}
	return q.Has("by") && len(q) > 1 || q.Has("as") && len(q) > 2
}

// comparedUnder returns a board of two systems, of which one answered under the given scenario and the other under scenario 1.
func comparedUnder(t *testing.T, scenario string) *Board {
	r := newRecord(t)
	r.answers(0, questions)
	r.verdicts(0, questions)
	for _, part := range []string{"answers", "plan"} {
		r.change(`UPDATE `+part+` SET scenario = ? WHERE system = ?`, scenario, evil)
	}
	r.close()
	b := opened(t, r.dir)
	if err := b.Load(); err != nil {
		t.Fatal(err)
	}
	return b
}

// TestCompareScenarios: systems without scenarios are compared on their page as in the list, with both answers to a question side by side.
// Systems that answered under different scenarios are not compared.
func TestCompareScenarios(t *testing.T) {
	t.Parallel()
	b := comparedUnder(t, data.NoScenario)
	page := func(at, want string) []string {
		t.Helper()
		code, body, _ := get(t, b.Handler(""), at)
		found := regexp.MustCompile(want).FindStringSubmatch(body)
		if code != http.StatusOK || found == nil {
			t.Fatalf("%s: %d, no %q\n%s", at, code, want, body)
		}
		return found
	}
	row := page("/compare", `(?s)<th scope="row"><a href="(/compare\?a=[^"]*)".*?<td[^>]*>[^<]*</td>\s*<td[^>]*>(\d+)</td>\s*<td[^>]*>([^<]*)<`)
	at := html.UnescapeString(row[1])
	page(at, `(?s)id="evidence".*?</td><td[^>]*>`+regexp.QuoteMeta(row[3])+`<`)
	page(at, `over the `+row[2]+` questions that both answered under the same scenarios`)
	pair := page(at, `<th scope="row"><a href="(/answers/[^"]*with=[^"]*)"`)
	next := page(html.UnescapeString(pair[1]), `<a href="/compare[^"]*" class="at">Question 1 of \d+ on which plain and[^<]*</a><a href="(/answers/[^"]*with=[^"]*)">Next \(j\)`)
	page(html.UnescapeString(next[1]), `Question 2 of \d+ on which plain and`)
	page("/compare?scenario=1", "There are no two systems")
	b = comparedUnder(t, "2")
	page("/compare", "There are no two systems")
}

// TestFilters checks which answers each filter selects.
func TestFilters(t *testing.T) {
	t.Parallel()
	b := whole(t)
	s := b.current.Load()
	list := func(query string) []entry {
		u, _ := url.Parse("/answers?" + query)
		v := b.view(s, u, nil)
		l, err := v.currentList()
		if err != nil {
			t.Fatal(err)
		}
		return l.entries
	}
	for query, want := range map[string]int{
		"": 24, "system=plain": 12, "status=failed": 1, "status=not-valid": 1, "judge=judge&status=incomplete": 1, "judge=judge&status=valid": 22,
		"criterion=1&points=0": 10, "criterion=1&points=1": 12, "criterion=11&points=0&judge=human:anna": 12, "points=19&judge=constant": 23, "differs=1": 10, "differs=2": 0, "question=thing+11": 2, "question=THING+3": 2, "question=thing+3+OR+%3Cb+onclick": 2, "system=plain&scenario=2": 0,
	} {
		if got := len(list(query)); got != want {
			t.Errorf("%q: %d answers, want %d", query, got, want)
		}
	}
	worst := list("sort=lowest")
	if a := s.Answers[worst[0].answer]; a.System != evil || worst[0].points != 16 {
		t.Errorf("the worst is %s with %v", a.System, worst[0].points)
	}
	if last := worst[len(worst)-1]; !math.IsNaN(last.points) {
		t.Errorf("answers without points come last, not %v", last.points)
	}
	if d := list("sort=difference")[0].difference(); d != -1 {
		t.Errorf("the largest difference is %v", d)
	}
}

// TestSite: static pages work from a folder, and do not contain what they must leave out.
func TestSite(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		texts bool
		limit int
	}{{true, 0}, {false, 0}, {true, 20}} {
		b := whole(t)
		b.Blind = true
		if err := b.Load(); err != nil {
			t.Fatal(err)
		}
		dir := t.TempDir()
		site := Site{Texts: test.texts, Limit: test.limit}
		if err := site.Write(b, dir, nil); err != nil {
			t.Fatal(err)
		}
		files := 0
		pages := 0
		found := false
		reasons := false
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			content, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			files++
			for _, kept := range []string{"anna", "ben", secret, "secret.example", b.Dirs[0]} {
				if strings.Contains(string(content), kept) || strings.Contains(path[len(dir):], kept) {
					t.Errorf("%s tells %q", path, kept)
				}
			}
			found = found || strings.Contains(string(content), "sometext")
			if folder := filepath.Base(filepath.Dir(path)); strings.Contains(string(content), "sometext") && folder != "answers" && folder != "pairs" {
				t.Errorf("%s repeats a text", path)
			}
			reasons = reasons || strings.Contains(string(content), "somereason")
			if strings.HasSuffix(path, ".html") {
				pages++
				checkPage(t, path, string(content))
			}
			for _, m := range references.FindAllStringSubmatch(string(content), -1) {
				to := html.UnescapeString(m[1])
				if id, here := strings.CutPrefix(to, "#"); here && regexp.MustCompile(`id="?`+regexp.QuoteMeta(id)+`[" ]`).Match(content) {
					continue
				}
				if _, err := os.Stat(filepath.Join(filepath.Dir(path), to)); err != nil || strings.Contains(to, ":") || strings.HasPrefix(to, "/") {
					t.Errorf("%s leads to %q, which is no file of the site", path, to)
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if files != site.Files || files < 3*questions && test.limit == 0 {
			t.Errorf("%d files, %d written", files, site.Files)
		}
		if left := strings.Contains(site.LeftOut(), "pages that other pages would link to"); test.limit > 0 && pages != test.limit || left != (test.limit > 0) {
			t.Errorf("%d pages at limit %d; left out: %s", pages, test.limit, site.LeftOut())
		}
		if (found != test.texts || reasons != test.texts) && test.limit == 0 {
			t.Errorf("texts: %v, found: %v, reasons: %v", test.texts, found, reasons)
		}
	}
}

// TestRequests: a page that the browser already has is not sent again until the data changes. Other methods, unknown hosts and browsers
// without the owner's token are refused.
func TestRequests(t *testing.T) {
	t.Parallel()
	b := whole(t)
	h := b.Handler("")
	_, _, header := get(t, h, "/judges")
	ask := func(h http.Handler, method, at string, set func(*http.Request)) *httptest.ResponseRecorder {
		r := httptest.NewRequest(method, "http://127.0.0.1"+at, nil)
		if set != nil {
			set(r)
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		return w
	}
	tagged := func(r *http.Request) { r.Header.Set("If-None-Match", header.Get("ETag")) }
	if w := ask(h, "GET", "/judges", tagged); w.Code != http.StatusNotModified || w.Body.Len() > 0 {
		t.Errorf("the same page again: %d", w.Code)
	}
	if err := b.Load(); err != nil {
		t.Fatal(err)
	}
	if w := ask(h, "GET", "/judges", tagged); w.Code != http.StatusOK {
		t.Errorf("after the data changed: %d", w.Code)
	}
	if w := ask(h, "POST", "/judges", nil); w.Code != http.StatusMethodNotAllowed {
		t.Errorf("POST: %d", w.Code)
	}
	if w := ask(h, "GET", "/", func(r *http.Request) { r.Host = "evil.example" }); w.Code != http.StatusMisdirectedRequest {
		t.Errorf("another host: %d", w.Code)
	}
	owned := b.Handler("token")
	if w := ask(owned, "GET", "/", nil); w.Code != http.StatusUnauthorized {
		t.Errorf("without a token: %d", w.Code)
	}
	if w := ask(owned, "GET", "/o/token", nil); w.Code != http.StatusOK || w.Header().Get("Set-Cookie") != "" {
		t.Errorf("a preview of the link: %d, %q", w.Code, w.Header().Get("Set-Cookie"))
	}
	w := ask(owned, "POST", "/o/token", nil)
	if w := ask(owned, "GET", "/", func(r *http.Request) { r.Header.Set("Cookie", strings.SplitN(w.Header().Get("Set-Cookie"), ";", 2)[0]) }); w.Code != http.StatusOK {
		t.Errorf("with the token: %d", w.Code)
	}
	if w := ask(owned, "POST", "/o/other", nil); w.Code != http.StatusUnauthorized {
		t.Errorf("another token: %d", w.Code)
	}
	for address, local := range map[string]bool{"127.0.0.1:1": true, "localhost:1": true, "[::1]:1": true, ":8086": false, "0.0.0.0:1": false, "192.168.1.2:1": false, "example.org:1": false} {
		if shell.Local(address) != local {
			t.Errorf("%s is local: %v", address, !local)
		}
	}
}

// An event is a server-sent event of the live page.
type event struct {
	Values map[string]string
	Status string
}

// TestLive: the live page follows a run to its end, also when rows are replaced, and pages say how old their figures are.
func TestLive(t *testing.T) {
	t.Parallel()
	r := newRecord(t)
	r.answers(0, 2)
	b := opened(t, r.dir)
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { b.Watch(ctx); close(done) }()
	defer func() { stop(); <-done }()
	server := httptest.NewServer(b.Handler(""))
	defer server.Close()
	asking, end := context.WithTimeout(ctx, time.Minute)
	defer end()
	request, _ := http.NewRequestWithContext(asking, "GET", server.URL+"/events", nil)
	reply, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer reply.Body.Close()
	lines := bufio.NewReader(reply.Body)
	until := func(key, want string) event {
		t.Helper()
		for {
			line, err := lines.ReadString('\n')
			if err != nil {
				t.Fatalf("before %s is %s: %v", key, want, err)
			}
			var e event
			if text, is := strings.CutPrefix(line, "data: "); !is || json.Unmarshal([]byte(text), &e) != nil || e.Values[key] != want {
				continue
			}
			return e
		}
	}
	until("done", "4 of 120")
	r.answers(2, questions)
	until("done:answer:plain", "12 of 12")
	r.verdicts(0, 6)
	if e := until("done", "72 of 120"); e.Values["invalid"] != "2" || e.Values["done:verdict:judge"] != "12 of 24" {
		t.Errorf("%v", e.Values)
	}
	r.verdicts(0, 6) // replaces verdicts
	r.verdicts(6, questions)
	if e := until("done", "116 of 120"); !strings.Contains(e.Status, "116 of 120 done, 2 not valid") {
		t.Errorf("%v", e.Status)
	}
	_, page, _ := get(t, b.Handler(""), "/live")
	checkPage(t, "/live", page)
	if !strings.Contains(page, "116 of 120") {
		t.Error("the page without script lacks the state")
	}
	if s := b.current.Load(); s != nil && len(s.Answers)+len(s.Sheets) < 116 {
		if _, page, _ := get(t, b.Handler(""), "/"); !strings.Contains(page, "results ago") {
			t.Error("old figures are shown as new ones")
		}
	}
}

// TestNothing: pages work before anything is recorded, and a folder without a record gives an error.
func TestNothing(t *testing.T) {
	t.Parallel()
	if _, err := Open([]string{t.TempDir()}, log.New(io.Discard, "", 0)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v", err)
	}
	dir := filepath.Join(t.TempDir(), "r")
	s, err := store.Create(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	b := opened(t, dir)
	h := b.Handler("")
	if code, body, _ := get(t, h, "/"); code != http.StatusServiceUnavailable || !strings.Contains(body, `http-equiv="refresh"`) {
		t.Errorf("%d %s", code, body)
	}
	for _, manual := range []string{"/docs", "/docs/board"} { // the manual needs no record
		if code, body, _ := get(t, h, manual); code != http.StatusOK || strings.Contains(body, `http-equiv="refresh"`) {
			t.Errorf("%s: %d %s", manual, code, body)
		}
	}
	err = b.loadAny()
	if err == nil || !strings.Contains(err.Error(), "nothing is recorded yet") {
		t.Errorf("%v", err)
	}
}

// TestLastReportHasItsHeadline: while a record is being read, a page shows the last report with its headline, which the style of prose
// would hide if it were a title.
func TestLastReportHasItsHeadline(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"report.html": "", "report.md": "# No clear leader\n\nText\n", "tables/columns.md": "", "tables/leaderboard.csv": ""} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	p, err := (&view{Board: &Board{Dirs: []string{dir}}}).lastReport(page{Title: "Ranking"})
	if err != nil || len(p.Sections) != 1 {
		t.Fatalf("%+v, %v", p, err)
	}
	shown, err := prose(p.Sections[0].Prose)
	if err != nil || !strings.Contains(string(shown), "<h2>No clear leader</h2>") {
		t.Errorf("%s, %v", shown, err)
	}
}
