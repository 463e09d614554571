package annotate

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"compqa/data/sharedtest"
	"compqa/web/annotate/project"
	"compqa/web/browsertest"
)

// studyIn makes a study in a language, with pairs and every text that a study can show.
func studyIn(t testing.TB, language string, content string) *project.Project {
	set := project.Settings{Language: language, Reason: true, Pairs: project.Comparison{Strength: true, BothBad: true}, Checks: project.Checks{Attention: 1}}
	set.Kind = project.Pair
	set.Title = "§"
	list := items(2, project.Pair, func(int) project.Content { return project.Content{Question: "§", A: content, B: content} })
	set.Rubric = twoDimensions
	list = append(list, (&project.Project{Settings: set}).AttentionItems(list)...)
	return createIn(t, t.TempDir(), set, list)
}

// TestPagesInEachLanguage: in a study with another language, no page for annotators has an English sentence, and nothing else differs.
func TestPagesInEachLanguage(t *testing.T) {
	english := project.Settings{}
	sentences := []string{english.Say("can_stop"), english.Say("how_to"), english.Say("questions_first"), english.Say("choice.name"), english.Say("first_answer"),
		english.Say("reason_label"), english.Say("log_out"), english.Say("save_draft"), english.Say("pair.title"), "Submit", "done", "open", "complete"}
	tags := regexp.MustCompile(`(?s)<[^>]*>`)
	for _, language := range project.Languages[1:] {
		p := studyIn(t, language, "§ \\(x^2\\)")
		s := New(p, quiet())
		server := httptest.NewServer(s.Handler())
		t.Cleanup(server.Close)
		b := newBrowser(t, server.URL)
		b.enter(s, invite(t, p, "anna"))
		for n := 0; ; n++ {
			_, page := b.get("/work")
			m := hidden.FindStringSubmatch(page)
			if m == nil {
				break
			}
			if n == 0 && !strings.Contains(page, p.Say("formulas")) {
				t.Errorf("%s: the page does not say that formulas are not typeset", language)
			}
			form := url.Values{"revision": {m[2]}, "nonce": {m[3]}, "kind": {"submit"}, "c-choice": {"tie"}}
			if code, again := b.post(m[1], form); code != http.StatusUnprocessableEntity || !strings.Contains(again, p.Say("reason_needed")) {
				t.Errorf("%s: without a reason: %d", language, code)
			}
			form.Set("reason", "§")
			b.post(m[1], form)
		}
		b.get("/nothing")
		b.get("/guidelines")
		b.post("/leave", nil)
		text := tags.ReplaceAllString(b.seen.String(), "\n")
		for _, line := range strings.Split(text, "\n") {
			for _, sentence := range sentences {
				if strings.TrimSpace(line) == sentence || len(sentence) > 20 && strings.Contains(line, sentence) {
					t.Errorf("%s: a page has %q", language, sentence)
				}
			}
		}
		for _, key := range []string{"missed_intro", "logged_out", "no_page", "choice.tie", "wrong_answers"} {
			if has := strings.Contains(b.seen.String(), p.Say(key)); has == (key == "wrong_answers") {
				t.Errorf("%s: the pages have %s: %t", language, key, has)
			}
		}
		if !strings.Contains(b.seen.String(), `<html lang="`+language+`" dir="`+p.Say("direction")+`">`) {
			t.Errorf("%s: the pages do not say their language", language)
		}
	}
}

// TestSoakArabicPages: on right-to-left pages nothing is wider than the screen, and keys and messages work.
func TestSoakArabicPages(t *testing.T) {
	sharedtest.Soak(t)
	p := studyIn(t, "ar", "السلام عليكم. هذا نص باللغة العربية.\n\n- البند الأول\n- البند الثاني")
	server := httptest.NewServer(New(p, quiet()).Handler())
	t.Cleanup(server.Close)
	tab := browsertest.Start(t)
	admit(t, tab, p, server.URL, "anna")
	tab.Do(chromedp.KeyEvent("1"))
	tab.Until(`document.getElementById("state").textContent.includes("متبقٍّ: 1")`)
	tab.Do(chromedp.KeyEvent("2"))
	tab.Until(`document.getElementById("state").textContent.includes("مكتمل")`)
	tab.Until(`getComputedStyle(document.querySelector(".row .name")).direction === "rtl"`)
	tab.Check("arabic", 375, 1280)
	tab.Do(chromedp.KeyEvent("\r"))
	tab.Until(`document.getElementById("state").textContent.includes("اكتب سببًا")`)
	tab.Stop()
}
