package board

import (
	"cmp"
	"fmt"
	"html"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"compqa/data"
	"compqa/results/recordtest"
	"compqa/results/store"
)

// copy duplicates the rows of a table that meet a condition, with other values in some columns.
func (r *recorder) copy(from, where string, changes map[string]string) {
	r.t.Helper()
	columns, err := store.Select[string](r.store, `SELECT name FROM pragma_table_info(?)`, from)
	if err != nil {
		r.t.Fatal(err)
	}
	values := slices.Clone(columns)
	for i, name := range columns {
		columns[i] = `"` + name + `"`
		values[i] = cmp.Or(changes[name], columns[i])
	}
	r.change(`INSERT INTO ` + from + ` (` + strings.Join(columns, ",") + `) SELECT ` + strings.Join(values, ",") + ` FROM ` + from + ` WHERE ` +
		where)
}

// twoJudges returns the board of a complete record with a second judge and a third system. They copy the first judge's verdicts and the
// first system's answers.
func twoJudges(t *testing.T) *Board {
	t.Helper()
	r := newRecord(t)
	r.answers(0, questions)
	r.verdicts(0, questions)
	for from, column := range map[string]string{"parties": "name", "plan": "judge", "results": "party"} {
		r.copy(from, column+` = 'judge'`, map[string]string{column: "'second'"})
	}
	for from, column := range map[string]string{"parties": "name", "plan": "system", "answers": "system"} {
		changes := map[string]string{column: "'third'"}
		if from == "answers" {
			changes["id"] = `'third ' || id`
		}
		r.copy(from, column+` = 'plain'`, changes)
	}
	r.copy("results", `kind = 'verdict' AND subject IN (SELECT id FROM answers WHERE system = 'plain')`, map[string]string{"subject": `'third ' || subject`})
	r.close()
	b := opened(t, r.dir)
	if err := b.Load(); err != nil {
		t.Fatal(err)
	}
	return b
}

// TestSelection: a selection changes every page that it applies to, stays in all links between pages, and is named where it has no effect.
func TestSelection(t *testing.T) {
	t.Parallel()
	b := twoJudges(t)
	h := b.Handler("")
	group := b.current.Load().Groups[0]
	answer := url.PathEscape(answerID("plain", 1))
	question := url.PathEscape(data.PairKey("thing 1", evil))
	for at, want := range map[string][2]string{ // what is on the page, and what is not
		"/judges?judge=second":                                     {`<th scope="row"><a href="/judges/second`, `href="/judges/judge?`},
		"/judges?scenario=1":                                       {`<option value="1" selected>`, "without effect"},
		"/judges?group=" + url.QueryEscape(group):                  {`<th scope="row">introduction`, "conclusion follows"},
		"/judges/judge?judge=second":                               {"Judge judge</h1>", `name="judge"><option`},
		"/answers?group=" + url.QueryEscape(group):                 {"Points are those on " + group + ", by judge.", "without effect"},
		"/compare?group=" + url.QueryEscape(group):                 {"without effect on this page: criteria " + group + ".", `name="group"><option`},
		"/compare?a=plain&b=plain&group=" + url.QueryEscape(group): {"Mean points by judge on " + group, "without effect"},
		"/questions?judge=second":                                  {"Points are the mean by second", "without effect"},
		"/questions/" + question + "?judge=second":                 {"Points by second", "without effect"},
		"/answers/" + answer + "?group=" + url.QueryEscape(group):  {"Score sheet on " + group, "conclusion follows"},
		"/details/points?judge=second":                             {`href="/judges/second`, `href="/judges/judge?`},
		"/?scenario=1":                                             {`<option value="" selected>judge</option>`, "without effect"},
		"/runs?scenario=1":                                         {"without effect on this page: scenario 1.", `class="selection"`},
	} {
		code, body, _ := get(t, h, at)
		if code != http.StatusOK || !strings.Contains(body, want[0]) || strings.Contains(body, want[1]) {
			t.Errorf("%s: %d, %q: %v, %q: %v\n%s", at, code, want[0], strings.Contains(body, want[0]), want[1], strings.Contains(body, want[1]), body)
		}
		_, query, _ := strings.Cut(at, "?")
		asked, _ := url.ParseQuery(query)
		nav, _, _ := strings.Cut(body, "</header>")
		for _, m := range references.FindAllStringSubmatch(nav[strings.Index(nav, "<header>"):], -1) {
			to, _ := url.Parse(html.UnescapeString(m[1]))
			for _, name := range []string{"judge", "scenario", "group"} {
				if to.Query().Get(name) != asked.Get(name) {
					t.Errorf("%s: the link to %s loses %s", at, to, name)
				}
			}
		}
	}
}

// counts matches links with a number: as the whole text, in brackets at its end, or before "of".
var counts = regexp.MustCompile(`<a href="(/answers\?[^"]*)">(?:[^<]*(?:<small>)?[^<]*\()?(\d+)\)?(?: of \d+[^<]*)?(?:</small>)?</a>`)

var heading = regexp.MustCompile(`<h1[^>]*>([^<]*)</h1>`)

// TestCounts: a number that links to a list of answers is in the title of that list.
func TestCounts(t *testing.T) {
	t.Parallel()
	r := newRecord(t)
	r.answers(0, questions-1) // two answers are pending
	r.verdicts(0, questions-2)
	for _, sql := range []string{
		`UPDATE results SET status = 'refused', reason = 'no', content = NULL, total = NULL WHERE kind = 'verdict' AND party = 'judge' AND subject LIKE '%thing-3%'`,
		`UPDATE answers SET status = 'failed', text = '', reason = 'first' WHERE id IN (SELECT id FROM answers ORDER BY id LIMIT 1)`,
		`UPDATE answers SET status = 'failed', text = '', reason = 'second' WHERE id IN (SELECT id FROM answers ORDER BY id DESC LIMIT 2)`,
	} {
		r.change(sql)
	}
	r.close()
	b := opened(t, r.dir)
	if err := b.Load(); err != nil {
		t.Fatal(err)
	}
	h := b.Handler("")
	seen := 0
	for _, at := range []string{"/", "/?judge=judge", "/?judge=human", "/?judge=judge&scenario=1", "/judges?scenario=1", "/judges",
		"/judges/judge", "/judges/judge?scenario=1", "/judges/human:anna", "/details/failures", "/details/agreement", "/details/bias", "/live"} {
		_, body, _ := get(t, h, at)
		for _, m := range counts.FindAllStringSubmatch(body, -1) {
			seen++
			code, list, _ := get(t, h, html.UnescapeString(m[1]))
			title := heading.FindStringSubmatch(list)
			if code != http.StatusOK || title == nil || !regexp.MustCompile(`\b`+m[2]+`\b`).MatchString(title[1]) {
				t.Errorf("%s: %s leads to %q, %d: %s", at, m[2], title, code, m[1])
			}
		}
	}
	if seen < 20 {
		t.Errorf("%d numbers with links", seen)
	}
}

// TestWholeList: the downloaded file of a list has the rows of all its pages.
func TestWholeList(t *testing.T) {
	t.Parallel()
	r := newRecord(t)
	r.answers(0, perPage)
	r.close()
	b := opened(t, r.dir)
	if err := b.Load(); err != nil {
		t.Fatal(err)
	}
	_, page, _ := get(t, b.Handler(""), "/answers?page=2")
	to := regexp.MustCompile(`href="([^"]*as=csv[^"]*)"`).FindStringSubmatch(page)
	_, file, _ := get(t, b.Handler(""), html.UnescapeString(to[1]))
	if lines := strings.Count(file, "\n"); !strings.Contains(page, "Page 2 of 2") || lines != 2*perPage+1 {
		t.Errorf("%d lines: %s", lines, fmt.Sprint(to))
	}
}

// TestQuestionsHavePages: the list of questions is split into small pages. Together they have each question once, and a file has all.
func TestQuestionsHavePages(t *testing.T) {
	t.Parallel()
	r := newRecord(t)
	const last = 4 * perPage
	r.answers(0, last)
	r.close()
	b := opened(t, r.dir)
	if err := b.Load(); err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	link := regexp.MustCompile(`href="(/questions/[^"?]+)`)
	for index := 1; index <= 4; index++ {
		_, page, _ := get(t, b.Handler(""), fmt.Sprint("/questions?page=", index))
		for _, m := range link.FindAllStringSubmatch(page, -1) {
			seen[m[1]] = true
		}
		if !strings.Contains(page, fmt.Sprintf("Page %d of 4", index)) || !strings.Contains(page, "200 object pairs") || len(page) > 100_000 {
			t.Errorf("page %d: %d bytes", index, len(page))
		}
	}
	if len(seen) != last {
		t.Errorf("%d questions on all pages, want %d", len(seen), last)
	}
	_, file, _ := get(t, b.Handler(""), "/questions?table=questions&as=csv")
	if lines := strings.Count(file, "\n"); lines != last+1 {
		t.Errorf("the file has %d lines", lines)
	}
}

// TestNextFollowsTheList: the page of row n of a list links to that of row n + 1, whatever filter, order and page the list has. The list
// that an answer's page names contains the answer.
func TestNextFollowsTheList(t *testing.T) {
	t.Parallel()
	r := newRecord(t)
	r.answers(0, 3*questions)
	r.verdicts(0, questions)
	r.close()
	b := opened(t, r.dir)
	if err := b.Load(); err != nil {
		t.Fatal(err)
	}
	h := b.Handler("")
	row := regexp.MustCompile(`<th scope="row"><a href="(/answers/[^"]*)"`)
	next := regexp.MustCompile(`<a href="(/answers/[^"]*)">Next`)
	place := regexp.MustCompile(`<a href="(/answers[^"]*)" class="at">[^<]* (\d+) of \d+</a>`)
	for _, at := range []string{"/answers?", "/answers?sort=lowest&", "/answers?sort=highest&system=plain&", "/answers?sort=id&", "/answers?sort=difference&",
		"/answers?by=answers.words&", "/answers?by=-answers.question&", "/answers?by=answers.people&judge=human&", "/answers?text=sometext&"} {
		rows := []string{}
		for page := 1; page <= 2; page++ {
			_, body, _ := get(t, h, at+fmt.Sprint("page=", page))
			for _, m := range row.FindAllStringSubmatch(body, -1) {
				if to := html.UnescapeString(m[1]); !slices.Contains(rows, to) {
					rows = append(rows, to)
				}
			}
		}
		if len(rows) < 12 {
			t.Fatalf("%s: %d rows", at, len(rows))
		}
		for n, to := range rows {
			_, body, _ := get(t, h, to)
			where := place.FindStringSubmatch(body)
			if where == nil || where[2] != fmt.Sprint(n+1) {
				t.Fatalf("%s: row %d is %q", at, n+1, where)
			}
			m := next.FindStringSubmatch(body)
			if last := n+1 == len(rows); last != (m == nil) || m != nil && html.UnescapeString(m[1]) != rows[n+1] {
				t.Errorf("%s: after row %d comes %q", at, n+1, m)
			}
			if _, list, _ := get(t, h, html.UnescapeString(where[1])); !strings.Contains(html.UnescapeString(list), to) {
				t.Errorf("%s: the list of row %d, %s, lacks it", at, n+1, where[1])
			}
		}
	}
}

// TestCompareSigns: one system has more points on every answer. All figures are first minus second, so their sign changes with the order
// of the systems.
func TestCompareSigns(t *testing.T) {
	t.Parallel()
	r := newRecord(t)
	r.answers(0, questions)
	r.verdicts(0, questions)
	r.change(`UPDATE results SET content = json_set(content, '$."2"', 0, '$."1"', 0), total = total - json_extract(content, '$."2"') - json_extract(content, '$."1"') WHERE kind = 'verdict' AND subject IN (SELECT id FROM answers WHERE system = 'plain')`)
	r.close()
	b := opened(t, r.dir)
	if err := b.Load(); err != nil {
		t.Fatal(err)
	}
	for _, of := range []struct{ a, b, sign string }{{"plain", evil, "−"}, {evil, "plain", `\+`}} {
		code, body, _ := get(t, b.Handler(""), "/compare?"+url.Values{"a": {of.a}, "b": {of.b}}.Encode())
		body = html.UnescapeString(body)
		row := regexp.MustCompile(`(?s)specific aspects</th><td class="drawing">.*?</td><td[^>]*>` + of.sign + `[\d.]+[^/]*</td>`)
		if code != http.StatusOK || !row.MatchString(body) {
			t.Errorf("%s minus %s: %d, no sign %s\n%s", of.a, of.b, code, of.sign, body)
		}
	}
	_, body, _ := get(t, b.Handler(""), "/compare")
	body = html.UnescapeString(body)
	if ahead := regexp.MustCompile(`(?s)<th scope="row"><a href="[^"]*"><b.*?</th>.*?<td class="n heat[^"]*"><a[^>]*>\+`); !ahead.MatchString(body) {
		t.Errorf("the matrix does not have the better system first, with a plus:\n%s", body)
	}
}

// TestCompareEqualDifferences: if one system is better by the same amount on every question, the interval and the test are missing. The
// title agrees with the ranking that nothing is certain, and the bar shows on how many questions the system is better. Of 12 questions, 10
// have an answer and a verdict of both.
func TestCompareEqualDifferences(t *testing.T) {
	t.Parallel()
	r := newRecord(t)
	r.answers(0, questions)
	r.verdicts(0, questions)
	r.change(`UPDATE results SET (content, total) = (SELECT scores, total FROM verdicts ORDER BY total DESC LIMIT 1) WHERE kind = 'verdict'`)
	r.change(`UPDATE results SET total = total - json_extract(content, '$."2"'), content = json_set(content, '$."2"', 0)
		WHERE kind = 'verdict' AND subject IN (SELECT id FROM answers WHERE system = 'plain')`)
	r.close()
	b := opened(t, r.dir)
	if err := b.Load(); err != nil {
		t.Fatal(err)
	}
	for _, of := range []struct{ a, b string }{{"plain", evil}, {evil, "plain"}} {
		_, body, _ := get(t, b.Handler(""), "/compare?"+url.Values{"a": {of.a}, "b": {of.b}}.Encode())
		for _, want := range []string{": no clear difference, ", evil + " better on 10"} {
			if !strings.Contains(html.UnescapeString(body), want) {
				t.Errorf("no %q in\n%s", want, body)
			}
		}
	}
}

// TestPointsWithoutOrder: where a judge contradicts itself, and so ranks nobody, the page of the ranking still says whose points it shows.
func TestPointsWithoutOrder(t *testing.T) {
	t.Parallel()
	f := recordtest.Of(nil, recordtest.By("noise", "s", "1", recordtest.Sawtooth(48, 1)...), recordtest.By("noise", "t", "1", recordtest.Sawtooth(48, 2)...))
	for i, v := range f.Verdicts {
		v.Repeat = 2
		v.Scores = data.Scores{"x": float64(i / 6 % 6)}
		f.Verdicts = append(f.Verdicts, v)
	}
	b := opened(t, f.Write(t, t.TempDir()))
	if err := b.Load(); err != nil {
		t.Fatal(err)
	}
	code, page, _ := get(t, b.Handler(""), "/")
	if code != 200 || !strings.Contains(page, "No order: noise contradicts itself") || !strings.Contains(page, ">Points by: noise<") {
		t.Errorf("%d, and not points by noise without an order:\n%s", code, page)
	}
}
