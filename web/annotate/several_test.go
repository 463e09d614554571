package annotate

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"compqa/data/sharedtest"
	"compqa/rubric"
	"compqa/web/annotate/project"
	"compqa/web/browsertest"
)

// tones is a rubric with a criterion for which several options may be right.
var tones = rubric.Rubric{Name: "tones", Step: 1, Measurement: "nominal", Criteria: []rubric.Criterion{
	{ID: "tone", Name: "tone", Text: "What is the tone?",
		Levels: rubric.Levels{{Points: 0, Text: "kind"}, {Points: 1, Text: "neutral"}, {Points: 2, Text: "rude"}}},
	{ID: "fact", Name: "facts", Text: "Are the facts right?", Levels: rubric.Levels{{Points: 0, Text: "no"}, {Points: 1, Text: "yes"}}},
}}

// severalStudy makes a study of n answers whose tone may have several right options.
func severalStudy(t testing.TB, n int) *project.Project {
	t.Helper()
	set := project.Settings{Kind: project.Answer, People: 2, Seed: 1, Width: .2, Rubric: tones, Several: []string{"tone"}, Ordered: true,
		NoCheck: true}
	dir := t.TempDir()
	if _, err := project.Create(dir, set, items(n, project.Answer, func(i int) project.Content {
		return project.Content{Question: fmt.Sprintf("Is it kind? (%d)", i), A: "Well, that is one way to do it."}
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

// TestSeveralRight: people choose the best option and mark others that may also be right. Sheets keep both. Figures of a single choice use
// the first one; agreement and exports have the sets.
func TestSeveralRight(t *testing.T) {
	p := severalStudy(t, 6)
	s := New(p, quiet())
	server := httptest.NewServer(s.Handler())
	defer server.Close()
	given := map[string][]string{ // of the tone, the choice first; what is not a choice or the choice again is left out
		"anna": {"0", "2,1", "1", "2,1,2", "0", "2,0"},
		"ben":  {"0", "2,1", "1", "2", "0,", "2,0"},
	}
	for _, name := range []string{"anna", "ben"} {
		b := newBrowser(t, server.URL)
		b.enter(s, invite(t, p, name))
		for _, tone := range given[name] {
			_, page := b.get("/work")
			path, form := pairSheet(page, map[string]string{"fact": "1"}, "")
			first, others, _ := strings.Cut(tone, ",")
			form.Set("c-tone", first)
			form["c-others-tone"] = []string{"7"}
			if code, _ := b.post(path, form); code != http.StatusUnprocessableEntity {
				t.Errorf("an option that is not there: %d", code)
			}
			form["c-others-tone"] = strings.Split(others, ",")
			if code, again := b.post(path, form); code != http.StatusOK {
				t.Fatalf("%d\n%s", code, again)
			}
		}
	}
	work, err := p.Work()
	if err != nil {
		t.Fatal(err)
	}
	for k, want := range []string{"", "1", "", "1", "", "0"} {
		if got := work[k].Last.Sheet.Values["others-tone"]; got != want || len(work[k].Last.Sheet.Scores()) != 2 {
			t.Errorf("item %d: others %q, want %q: %v", k, got, want, work[k].Last.Sheet)
		}
	}
	report, err := Compute(p, Selection{})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		criterion string
		alpha     float64
	}{
		{"tone", 1},
		// 12 sets: {0} 4 times, {1,2} 3, {1} 2, {2} 1, {0,2} 2. Within units, one pair of sets differs: the MASI distance of {1,2} and {2}
		// is 1 - 1/2 · 2/3 = 2/3. Of all ordered pairs, 12·11 - (12 + 6 + 2 + 0 + 2) = 110 are of different sets. Their distance is 1,
		// less 1/3 for the 2·(3·2 + 3·1 + 1·2 + 4·2) = 38 where one set contains the other, and less 1/9 for the 2·3·2 = 12 that
		// overlap. The sum of the distances is 96. alpha = 1 - (2 · 2/3 / 12) / (96 / (12 · 11)) = 0.8472.
		{"tone" + allRight, 1 - 2*2./3/12/(96./132)},
	} {
		a := one(t, report.Agreement, c.criterion)
		if a.N != 6 || a.Items != 6 || !a.Alpha.Known || abs(a.Alpha.Value-c.alpha) > 1e-12 {
			t.Errorf("%s: %+v, want %v", c.criterion, a, c.alpha)
		}
	}
	dir := t.TempDir()
	exported(t, p, dir, false)
	text, err := os.ReadFile(filepath.Join(dir, valuesTable.File))
	if err != nil {
		t.Fatal(err)
	}
	for value, n := range map[string]int{",tone,,2|1,2": 3, ",tone,,2,2": 1, ",tone,,2|0,2": 2, ",tone,,0,0": 4, ",others": 0} {
		if got := strings.Count(string(text), value+"\n"); got != n {
			t.Errorf("values.csv has %q %d times; want %d\n%s", value, got, n, text)
		}
	}
	agreed, err := os.ReadFile(filepath.Join(dir, agreementTable.File))
	if err != nil || strings.Count(string(agreed), "all that may be right") != 2 { // of all, and of the pair
		t.Errorf("%v\n%s", err, agreed)
	}
	for format, words := range map[string][]string{"hf": {`"value_others-tone":"0"`}, "label-studio": {`"from_name": "others-tone"`},
		"argilla": {`"others-tone"`}} {
		path, _, _, err := ExportAs(p, format, t.TempDir(), false)
		if err != nil {
			t.Fatal(err)
		}
		text, _ := os.ReadFile(path)
		for _, word := range words {
			if !strings.Contains(string(text), word) {
				t.Errorf("%s has no %s", format, word)
			}
		}
	}
	d, err := MakeDatasheet(p, 0, false)
	if err != nil || !strings.Contains(fmt.Sprint(d.Criteria), "more than one may be right") {
		t.Errorf("%v %v", d.Criteria, err)
	}
}

func one(t *testing.T, list []Agreement, criterion string) Agreement {
	t.Helper()
	for _, a := range list {
		if a.Criterion == criterion {
			return a
		}
	}
	t.Fatalf("no agreement on %s: %+v", criterion, list)
	return Agreement{}
}

func abs(x float64) float64 { return max(x, -x) }

// TestSeveralRightOfPairs: if the sides of a pair are swapped, so are the sides in sets of options.
func TestSeveralRightOfPairs(t *testing.T) {
	p := &project.Project{Settings: project.Settings{Kind: project.Pair, Several: []string{"choice"}}}
	s := project.Sheet{Values: map[string]string{"choice": "first", "others-choice": "second|tie"}}
	ratings := p.Ratings(project.Item{Kind: project.Pair}, "ba", s)
	if len(ratings) != 1 || ratings[0].Text != "b|a|tie" || ratings[0].Set != 7 || ratings[0].Value != 1 {
		t.Errorf("%+v", ratings)
	}
	if got := s.In("ba").In("ba"); got.Values["others-choice"] != "second|tie" || got.Values["choice"] != "first" {
		t.Errorf("%+v", got)
	}
}

// TestSoakSeveralInBrowser: by keyboard alone, and without JavaScript, a person makes the choice and then marks the others. The choice
// itself is not offered among the others.
func TestSoakSeveralInBrowser(t *testing.T) {
	sharedtest.Soak(t)
	p := severalStudy(t, 2)
	server := httptest.NewServer(New(p, quiet()).Handler())
	t.Cleanup(server.Close)
	tab := browsertest.Start(t)
	admit(t, tab, p, server.URL, "anna")
	state := func(text string) {
		t.Helper()
		tab.Until(fmt.Sprintf(`document.getElementById("state").textContent.includes(%q)`, text))
	}
	checked := func(want string) {
		t.Helper()
		tab.Until(fmt.Sprintf(`[...document.querySelectorAll("#sheet label:not([hidden]) > input:checked")].map((e) => e.name + e.value).join(" ") === %q`, want))
	}
	key := func(k string) { t.Helper(); tab.Do(chromedp.KeyEvent(k)) }
	tab.Check("several-empty", 375, 1280)
	key("2")
	state("1 open")
	key("1")
	key("0")
	key("2") // the choice cannot be marked among the others
	checked("c-tone2 c-others-tone0 c-others-tone1")
	key("0")
	checked("c-tone2 c-others-tone1")
	key("u")
	checked("c-tone2 c-others-tone0 c-others-tone1")
	key("u")
	checked("c-tone2 c-others-tone1")
	tab.Check("several", 375, 1280)
	tab.Axe("several")
	key("\r") // goes to the open field
	key("1")
	state("complete")
	key("\r")
	tab.Until(`document.querySelectorAll("#sheet input:checked").length === 0 && document.querySelector(".row.here") !== null`)
	tab.Script(false)
	tab.Open(server.URL+"/work", "#sheet")
	for _, choice := range []string{"tone][value='0'", "others-tone][value='2'", "others-tone][value='1'", "others-tone][value='0'", "fact][value='1'"} {
		tab.Click("input[name=c-" + choice + "]")
	}
	tab.Click("footer > button.main")
	tab.Until(`document.title === "Done"`)
	work, err := p.Work()
	if err != nil || len(work) != 2 || !work[0].Done() || !work[1].Done() {
		t.Fatalf("%+v, %v", work, err)
	}
	for k, want := range []string{"2 1", "0 1|2"} {
		values := work[k].Last.Sheet.Values
		if got := values["tone"] + " " + values["others-tone"]; got != want {
			t.Errorf("item %d: %q, want %q", k, got, want)
		}
	}
}
