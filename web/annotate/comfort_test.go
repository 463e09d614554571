package annotate

import (
	"fmt"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"compqa/data/sharedtest"
	"compqa/web/annotate/project"
	"compqa/web/browsertest"
)

// TestCheckShowsLevelsAndWrongAnswers: the score levels are shown above the check's questions about them. After a failed attempt, exactly
// the wrong answers are marked.
func TestCheckShowsLevelsAndWrongAnswers(t *testing.T) {
	p, _ := newProject(t, 1, project.Settings{})
	s := New(p, quiet())
	web := httptest.NewServer(s.Handler())
	t.Cleanup(web.Close)
	b := newBrowser(t, web.URL)
	_, page := b.post("/a/"+invite(t, p, "anna"), nil)
	asked := 0
	for _, f := range p.AskedScales() {
		asked++
		for _, o := range f.Options {
			level := strings.Index(page, "<dd>"+o.Text+"</dd>")
			question := strings.Index(page, "Questions first")
			if o.Text != "" && (level < 0 || level > question) {
				t.Errorf("%q is not shown before the questions", o.Text)
			}
		}
	}
	questions := p.CheckQuestions()
	if asked == 0 || asked >= len(questions)+1 {
		t.Fatalf("%d scales for %d questions", asked, len(questions))
	}
	form := url.Values{}
	for i, q := range questions {
		form.Set("q-"+q.ID, q.Right)
		if i == 1 {
			form.Set("q-"+q.ID, "wrong")
		}
	}
	_, page = b.post("/check", form)
	_, after, _ := strings.Cut(page, questions[1].Text)
	if strings.Count(page, "Your answer to this question was wrong.") != 1 || !strings.HasPrefix(strings.TrimPrefix(after, "</legend>"), `<p class="warn">`) ||
		!strings.Contains(page, fmt.Sprintf("1 of %d answers wrong", len(questions))) {
		t.Errorf("the wrong answer is not marked:\n%s", page)
	}
}

// TestSoakUndoAndSizes: undo takes back the last choice, then the one before, and at the beginning of an item reopens the previous item.
// On a phone, the choices of a pair are below their label, and all buttons are 40 px high.
func TestSoakUndoAndSizes(t *testing.T) {
	sharedtest.Soak(t)
	tab := browsertest.Start(t)
	p, _ := newProject(t, 2, project.Settings{})
	server := httptest.NewServer(New(p, quiet()).Handler())
	t.Cleanup(server.Close)
	admit(t, tab, p, server.URL, "anna")
	checked := func(n int) {
		t.Helper()
		tab.Until(fmt.Sprintf(`document.querySelectorAll("input[type=radio]:checked").length === %d`, n))
	}
	for range 3 {
		tab.Do(chromedp.KeyEvent("1"))
	}
	checked(3)
	tab.Do(chromedp.KeyEvent("u"))
	checked(2)
	tab.Click("#undo-last")
	checked(1)
	for _, c := range p.Rubric.Criteria {
		tab.Do(chromedp.KeyEvent(project.Points(c.Max())))
	}
	const low = `[...document.querySelectorAll("button:not(.hidden), .lv > span")].filter((e) => e.offsetParent && e.getBoundingClientRect().height < 40).length === 0`
	tab.Until(low)
	pairs := createIn(t, t.TempDir(), project.Settings{}, items(2, project.Pair, func(int) project.Content {
		return project.Content{Question: "Which is better?", A: ordinary, B: ordinary}
	}))
	other := httptest.NewServer(New(pairs, quiet()).Handler())
	t.Cleanup(other.Close)
	tab.Do(chromedp.EmulateViewport(375, 800))
	admit(t, tab, pairs, other.URL, "ben")
	tab.Until(`document.querySelector(".row .name").getBoundingClientRect().bottom <= document.querySelector(".row .levels").getBoundingClientRect().top + 1`)
	tab.Until(low)
	tab.Check("pair", 375, 1280)
	tab.Stop()
}
