package annotate

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"compqa/data"
	"compqa/data/sharedtest"
	"compqa/data/sources"
	"compqa/rubric"
	"compqa/web/annotate/project"
	"compqa/web/browsertest"
)

// twoDimensions is a rubric whose criteria are compared in pairs.
var twoDimensions = rubric.Rubric{Name: "two", Measurement: "ordinal", Criteria: []rubric.Criterion{
	{ID: "help", Name: "helpfulness", Text: "Which answer helps more?", Levels: rubric.Levels{{Points: 0, Text: "no"}, {Points: 1, Text: "yes"}}},
	{ID: "acc", Name: "accuracy", Text: "Which answer has fewer errors of fact?", Levels: rubric.Levels{{Points: 0, Text: "no"}, {Points: 1, Text: "yes"}}},
}}

// dimensionStudy makes a study of n pairs in which people answer everything that asked includes.
func dimensionStudy(t testing.TB, n int, asked project.Comparison) *project.Project {
	t.Helper()
	asked.Dimensions = true
	set := project.Settings{Kind: project.Pair, People: 2, Seed: 1, Width: .2, Rubric: twoDimensions, Pairs: asked, Reason: true}
	dir := t.TempDir()
	if _, err := project.Create(dir, set, items(n, project.Pair, func(i int) project.Content {
		return project.Content{Question: fmt.Sprintf("Which is better for a city, trams or buses? (%d)", i), A: "A: " + ordinary, B: "B: " + ordinary,
			Systems: []string{"m1", "m2"}}
	})); err != nil {
		t.Fatal(err)
	}
	p, err := project.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	return p
}

// pairSheet fills in the page's form. A value "A" or "B" of a field means this answer of the item, whichever side it is on; any other
// value is used as it is.
func pairSheet(page string, values map[string]string, reason string) (path string, form url.Values) {
	m := hidden.FindStringSubmatch(page)
	if m == nil {
		return "", nil
	}
	side := map[string]string{"A": project.First, "B": project.Second}
	if strings.Index(page, "<p>B: ") < strings.Index(page, "<p>A: ") {
		side["A"], side["B"] = side["B"], side["A"]
	}
	form = url.Values{"revision": {m[2]}, "nonce": {m[3]}, "kind": {"submit"}, "active_ms": {"1000"}, "view": {"rendered"}, "reason": {reason}}
	for id, value := range values {
		if shown, is := side[value]; is {
			value = shown
		}
		form.Set("c-"+id, value)
	}
	return m[1], form
}

// TestDimensionsOfPairs: a pair is compared on two criteria and as a whole, with the strength and a reason. Incomplete sheets are refused,
// sides are mapped back in every export, and agreement is computed by criterion.
func TestDimensionsOfPairs(t *testing.T) {
	p := dimensionStudy(t, 6, project.Comparison{Strength: true, BothBad: true})
	p.Secret = "of the test" // fixed, because the order of items depends on it
	var clock atomic.Int64   // a request takes seconds: within the same millisecond, nobody knows how a reason was written
	p.Now = func() time.Time { return time.Date(2026, 5, 1, 10, 0, int(clock.Add(2)), 0, time.UTC) }
	s := New(p, quiet())
	server := httptest.NewServer(s.Handler())
	defer server.Close()
	sheets := []map[string]string{
		{"dimension-help": "A", "dimension-acc": "B", "choice": "A", "strength": "clearly"},
		{"dimension-help": "B", "dimension-acc": "tie", "choice": "bad", "strength": "slightly"}, // the strength is left from a choice before
		{"dimension-help": "A", "dimension-acc": "A", "choice": "B", "strength": "slightly"},
	}
	for _, name := range []string{"anna", "ben"} {
		b := newBrowser(t, server.URL)
		b.enter(s, invite(t, p, name))
		for n := 0; ; n++ {
			_, page := b.get("/work")
			path, form := pairSheet(page, sheets[n%len(sheets)], "The first line is right, the second is not.")
			if path == "" {
				break
			}
			if n == 0 {
				for _, missing := range []string{"c-dimension-acc", "c-choice", "c-strength", "reason"} {
					value := form.Get(missing)
					form.Del(missing)
					if code, _ := b.post(path, form); code != http.StatusUnprocessableEntity {
						t.Errorf("without %s: %d", missing, code)
					}
					form.Set(missing, value)
				}
				form.Set("pasted", "30")
			}
			if code, again := b.post(path, form); code != http.StatusOK {
				t.Fatalf("%d\n%s", code, again)
			}
		}
	}
	report, err := Compute(p, Selection{})
	if err != nil {
		t.Fatal(err)
	}
	var criteria []string
	for _, a := range report.Agreement {
		criteria = append(criteria, fmt.Sprintf("%s %s %d", a.Criterion, a.Level, a.N))
	}
	// The orders of the people differ, so the same sheet in the same position is on another item; what is checked here is what agrees.
	if got := strings.Join(criteria, "; "); !strings.Contains(got, "helpfulness nominal 6; accuracy nominal 6; choice nominal 6; choice with its strength ordinal") {
		t.Errorf("agreement of %s", got)
	}
	for _, a := range report.People {
		if a.Reasons != (Reasons{Given: 6, Pasted: 1, Fast: 5, Same: 6}) || !strings.Contains(a.Reasons.String(), "1 with pasted text") {
			t.Errorf("%s: %+v", a.Name, a.Reasons)
		}
		if strings.Contains(strings.Join(a.Alerts, " "), "reason") {
			t.Errorf("%s: how reasons are written is a fact, not an alert: %v", a.Name, a.Alerts)
		}
	}
	exportsOfDimensions(t, p)
	reportOfDimensions(t, p)
}

// reportOfDimensions checks the report: the choice as a whole first, then each criterion, and what was chosen.
func reportOfDimensions(t *testing.T, p *project.Project) {
	t.Helper()
	d, err := MakeDatasheet(p, 0, false)
	if err != nil {
		t.Fatal(err)
	}
	if headline := d.Findings.Headline(); !strings.Contains(headline, "choice") {
		t.Errorf("the report begins with %q", headline)
	}
	chosen := map[string]int{}
	for _, row := range d.Chosen {
		chosen[row.Criterion+": "+row.Value] = row.Sheets
	}
	for value, n := range map[string]int{"helpfulness: m1": 8, "helpfulness: m2": 4, "accuracy: equally good": 4, "choice: both are bad": 4,
		"choice: m1": 4, project.Strength + ": clearly": 4} {
		if chosen[value] != n {
			t.Errorf("%s: %d; want %d (%v)", value, chosen[value], n, chosen)
		}
	}
	heds := map[string]string{}
	for _, row := range d.HEDS {
		heds[row.Number] = row.Answer
	}
	for number, words := range map[string]string{"4.3.1.1": "helpfulness, accuracy, choice and choice with its strength", "3.3.6": "a reason for each sheet",
		"3.3.4.2": "the choice on each criterion", "4.3.9": "two bad answers", "4.3.11.1–4.3.11.2": "helpfulness"} {
		if !strings.Contains(heds[number], words) {
			t.Errorf("HEDS %s: %q has no %q", number, heds[number], words)
		}
	}
}

// exportsOfDimensions checks that every file of an export has the choices on criteria and the strength, with the sides in order ab.
func exportsOfDimensions(t *testing.T, p *project.Project) {
	t.Helper()
	dir := t.TempDir()
	exported(t, p, dir, false)
	read := func(name string) string {
		t.Helper()
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	values := read(valuesTable.File)
	for value, n := range map[string]int{",helpfulness,,a,0": 8, ",helpfulness,,b,1": 4, ",accuracy,,b,1": 4, ",accuracy,,tie,2": 4, ",accuracy,,a,0": 4,
		",choice,,a,0": 4, ",choice,,b,1": 4, ",choice,,bad,": 4, "with its strength,,-2,-2": 4, "with its strength,,1,1": 4} {
		if got := strings.Count(values, value); got != n {
			t.Errorf("values.csv has %q %d times; want %d\n%s", value, got, n, values)
		}
	}
	preferences, _, _, err := sources.ReadPreferences(filepath.Join(dir, project.PreferencesFile),
		func(id string) (data.Pair, bool) { return data.Pair{ID: id}, true }, sources.Options{})
	counts := map[string]int{}
	for _, one := range preferences {
		counts[one.Choice+" "+one.Strength]++
	}
	if err != nil || counts["a clearly"] != 4 || counts["b slightly"] != 4 || counts["tie "] != 4 {
		t.Errorf("preferences: %v, %v", counts, err)
	}
	for format, words := range map[string][]string{
		"hf":           {`"value_dimension-help":"first"`, `"value_strength":"clearly"`, `"value_choice":"bad"`, `"preference":"tie"`},
		"label-studio": {`"from_name": "dimension-acc"`, `"from_name": "strength"`},
		"argilla":      {`"dimension-acc"`, `"strength"`},
	} {
		path, n, _, err := ExportAs(p, format, t.TempDir(), false)
		if err != nil || n != 12 {
			t.Fatalf("%s: %d, %v", format, n, err)
		}
		text, _ := os.ReadFile(path)
		for _, word := range words {
			if !strings.Contains(string(text), word) {
				t.Errorf("%s has no %s", format, word)
			}
		}
	}
}

// TestOptionsOfPairs: the options of a pair follow the settings. A rubric is refused if a criterion has the name of the overall choice.
func TestOptionsOfPairs(t *testing.T) {
	for _, c := range []struct {
		asked project.Comparison
		want  string
	}{
		{project.Comparison{}, "choice first second tie"},
		{project.Comparison{NoTie: true}, "choice first second"},
		{project.Comparison{NoTie: true, BothBad: true, Strength: true}, "choice first second bad; strength slightly clearly"},
		{project.Comparison{Dimensions: true, BothBad: true}, "dimension-help first second tie; dimension-acc first second tie; choice first second tie bad"},
	} {
		p := &project.Project{Settings: project.Settings{Kind: project.Pair, Rubric: twoDimensions, Pairs: c.asked}}
		list := data.Each(p.Fields(project.Item{Kind: project.Pair}), func(f project.Field) string {
			return f.ID + " " + strings.Join(data.Each(f.Options, func(o project.Option) string { return o.Value }), " ")
		})
		if got := strings.Join(list, "; "); got != c.want {
			t.Errorf("%+v: %s; want %s", c.asked, got, c.want)
		}
	}
	for _, name := range []string{"choice", "accuracy"} {
		r := rubric.Rubric{Criteria: append([]rubric.Criterion{{ID: "x", Name: name}}, twoDimensions.Criteria...)}
		if err := project.CheckDimensions(r); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("a criterion %s: %v", name, err)
		}
	}
}

// TestSoakDimensionsInBrowser: pairs are compared on criteria by keyboard alone, and without JavaScript. The strength is asked only after
// an answer was chosen, and the reason is required.
func TestSoakDimensionsInBrowser(t *testing.T) {
	sharedtest.Soak(t)
	p := dimensionStudy(t, 2, project.Comparison{Strength: true, BothBad: true})
	server := httptest.NewServer(New(p, quiet()).Handler())
	t.Cleanup(server.Close)
	tab := browsertest.Start(t)
	admit(t, tab, p, server.URL, "anna")
	const strength = `document.querySelector("[name=c-strength]").offsetParent`
	shown := func(is bool) { t.Helper(); tab.Until(fmt.Sprintf("(%s !== null) === %t", strength, is)) }
	state := func(text string) {
		t.Helper()
		tab.Until(fmt.Sprintf(`document.getElementById("state").textContent.includes(%q)`, text))
	}
	key := func(k string) { t.Helper(); tab.Do(chromedp.KeyEvent(k)) }
	tab.Check("dimensions-empty", 375, 1280)
	shown(false)
	key("1")
	key("0")
	state("1 open")
	key("9") // both are bad, so no strength is asked
	state("complete")
	shown(false)
	key("u")
	key("2")
	shown(true)
	state("1 open")
	key("2")
	state("complete")
	tab.Check("dimensions", 375, 1280)
	key("\r")
	state("Write a reason")
	tab.Type("#reason", "Fewer errors.")
	tab.Click("footer > button.main")
	tab.Until(`document.querySelectorAll("#sheet input:checked").length === 0 && document.querySelector(".row.here") !== null`)
	tab.Script(false)
	tab.Open(server.URL+"/work", "#sheet")
	for name, value := range map[string]string{"dimension-help": "first", "dimension-acc": "tie", "choice": "second"} {
		tab.Click(fmt.Sprintf(`input[name="c-%s"][value=%s]`, name, value))
	}
	tab.Click(`input[name=c-strength][value=slightly]`)
	tab.Type("#reason", "Shorter.")
	tab.Click("footer > button.main")
	tab.Until(`document.title === "Done"`)
	work, err := p.Work()
	if err != nil || len(work) != 2 || !work[0].Done() || !work[1].Done() || work[1].Last.Sheet.Values["strength"] != "slightly" {
		t.Errorf("%+v, %v", work, err)
	}
	if work[0].Last.Sheet.Values["dimension-acc"] != project.Tie || work[0].Wrote.WritingMS == 0 && work[0].Wrote.Pasted == 0 {
		t.Errorf("%+v", work[0])
	}
}
