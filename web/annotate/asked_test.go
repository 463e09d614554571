package annotate

import (
	"encoding/csv"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"compqa/web/annotate/project"
)

// TestOwnersQuestions: people answer the owner's questions before the first item and after the last one, and the owner's check. A wrong
// answer is shown again with what was entered. Changed guidelines are shown before the next item, while a sheet from an open page is still
// stored. The export and the report have the answers, except those of excluded people.
func TestOwnersQuestions(t *testing.T) {
	questions := project.Questions{
		Check: []project.Question{{Text: "First?", Options: []string{"yes", "no", "may be"}, Right: "no"},
			{Text: "Second?", Options: []string{"1", "2"}, Right: "1"}},
		Before: []project.Question{{ID: "age", Text: "How <old>?", Type: "number", Min: new(18.0)},
			{ID: "first", Text: "First language?", Options: []string{"English", "another"}}},
		After: []project.Question{{ID: "hard", Text: "What was hard?", Type: "text", Optional: true}},
	}
	if err := questions.Settle(); err != nil {
		t.Fatal(err)
	}
	p, dir := newProject(t, 2, project.Settings{Code: "C0DE", Texts: project.Texts{Guidelines: "the first text", Consent: "Yes?", Questions: questions}})
	s := New(p, quiet())
	web := httptest.NewServer(s.Handler())
	t.Cleanup(web.Close)
	sees := func(text string, all ...string) {
		t.Helper()
		for _, want := range all {
			if !strings.Contains(text, want) {
				t.Fatalf("no %q:\n%s", want, text)
			}
		}
	}
	play := func(name, age string) {
		b := newBrowser(t, web.URL)
		_, text := b.post("/a/"+invite(t, p, name), nil)
		sees(text, "I agree")
		_, text = b.post("/consent", url.Values{"agree": {"yes"}})
		sees(text, "How &lt;old&gt;?", "First language?")
		code, text := b.post("/replies/before", url.Values{"q-age": {"7"}, "q-first": {"another"}})
		sees(text, "at least 18", `value="7"`, `value="another" checked`)
		if code != http.StatusUnprocessableEntity {
			t.Errorf("code %d", code)
		}
		_, text = b.post("/replies/before", url.Values{"q-age": {age}, "q-first": {"another"}})
		sees(text, "Before you start", "First?", "the first text")
		_, text = b.post("/check", url.Values{"q-check-1": {"yes"}, "q-check-2": {"1"}})
		sees(text, "1 of 2 answers wrong")
		_, text = b.post("/check", url.Values{"q-check-1": {"no"}, "q-check-2": {"1"}})
		path, form := sheet(text, 0)
		if name == "anna" {
			texts := p.Texts
			texts.Guidelines = "the second text"
			if err := p.Change(withTexts(p, texts)); err != nil {
				t.Fatal(err)
			}
		}
		_, text = b.post(path, form)
		if name == "anna" {
			sees(text, "The guidelines have changed", "the second text")
			_, text = b.post("/read", nil)
		}
		path, form = sheet(text, 0)
		_, text = b.post(path, form)
		sees(text, "Questions at the end", "What was hard? (optional)")
		if strings.Contains(text, "C0DE") {
			t.Error("the code comes before the last questions")
		}
		_, text = b.post("/replies/after", url.Values{"q-hard": {""}})
		sees(text, "C0DE")
	}
	play("anna", "44")
	texts := p.Texts
	texts.Guidelines = "the first text"
	if err := p.Change(withTexts(p, texts)); err != nil {
		t.Fatal(err)
	}
	play("ben", "30")
	d, err := MakeDatasheet(p, 0, false)
	if err != nil {
		t.Fatal(err)
	}
	want := []AskedRow{{"How <old>?", "before", "median 37, from 30 to 44", 2}, {"First language?", "before", "English", 0},
		{"First language?", "before", "another", 2}, {"What was hard?", "after", "a text (replies.csv of annotate export has it)", 0},
		{"What was hard?", "after", "no answer", 2}}
	if !slices.Equal(d.Asked, want) {
		t.Errorf("%+v", d.Asked)
	}
	if len(d.Check) != 2 || d.Check[0].Answers != 4 || d.Check[0].Wrong != 2 || d.Check[1].Wrong != 0 {
		t.Errorf("%+v", d.Check)
	}
	// Anna's first sheet belongs to version 1, her second to version 2; Ben's belong to version 3.
	if len(d.Versions) != 3 || d.Versions[0].Sheets != 1 || d.Versions[1].Sheets != 1 || d.Versions[2].Sheets != 2 {
		t.Errorf("%+v", d.Versions)
	}
	if err := p.Exclude("ben", "x", ""); err != nil {
		t.Fatal(err)
	}
	exported(t, p, dir, false)
	f, err := os.Open(filepath.Join(dir, repliesTable.File))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil || len(rows) != 8 { // a head, 2 before, 2 of the check twice, 1 after
		t.Fatalf("%v %v", rows, err)
	}
	if got := strings.Join(rows[1][:7], "|"); got != "human:p1|before|age|How <old>?|44||1" {
		t.Error(got)
	}
	if got := strings.Join(rows[3][1:6], "|"); got != "check|check-1|First?|yes|no" {
		t.Error(got)
	}
}

// withTexts returns a change of the texts only.
func withTexts(p *project.Project, texts project.Texts) project.Change {
	c := project.Change{Settings: p.Settings}
	c.Texts = texts
	return c
}
