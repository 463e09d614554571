package annotate

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"compqa/data"
	"compqa/data/sharedtest"
	"compqa/web/annotate/project"
)

// TestStudyLink: people whom a platform sends by one link count as one person each, however often they arrive, and get the code of their
// outcome.
func TestStudyLink(t *testing.T) { sendPeople(t, 10) }

func TestSoakStudyLink(t *testing.T) {
	sharedtest.Soak(t)
	sendPeople(t, 200)
}

// sendPeople sends n people by the study's link, each with one of ten outcomes in turn. It checks the code that each gets, that repeated
// arrivals add nobody, that no page shows a platform's id, and how places are freed.
func sendPeople(t *testing.T, n int) {
	codes := map[string]string{project.NoConsent: "NO-CONSENT", project.Failed: "FAILED", project.Full: "FULL", project.TooFew: "FEW"}
	p, _ := newProject(t, n, project.Settings{People: 2, Each: 2, Texts: project.Texts{Consent: "Do you agree?"}, Code: "COMPLETE", Codes: codes})
	s := New(p, quiet())
	web := httptest.NewServer(s.Handler())
	t.Cleanup(web.Close)
	token, err := p.OpenStudy(n)
	if err != nil {
		t.Fatal(err)
	}
	link := func(k int) string {
		return fmt.Sprintf("/s/%s?PROLIFIC_PID=secretpid%d&STUDY_ID=s&SESSION_ID=sent%[2]d", token, k)
	}
	outcomes := make([]string, n)
	kinds := []string{"COMPLETE", "COMPLETE", "COMPLETE", "FEW", "FAILED", "COMPLETE", "NO-CONSENT", "COMPLETE", "COMPLETE", "COMPLETE"}
	visit := func(k int, want string) string {
		b := newBrowser(t, web.URL)
		if code, text := b.get(link(k)); code != http.StatusOK {
			return text
		}
		b.post(link(k), nil)
		agree := map[bool]string{true: "no", false: "yes"}[want == "NO-CONSENT"]
		if _, text := b.post("/consent", url.Values{"agree": {agree}}); want == "NO-CONSENT" {
			return text
		}
		form := url.Values{}
		for _, q := range s.Project.CheckQuestions() {
			form.Set("q-"+q.ID, q.Right)
			if want == "FAILED" {
				form.Set("q-"+q.ID, "wrong")
			}
		}
		b.post("/check", form)
		if want == "FAILED" {
			_, text := b.post("/check", form)
			return text
		}
		for range 10 {
			_, text := b.get("/work")
			path, form := sheet(text, 0)
			if path == "" {
				return text
			}
			if want == "FEW" {
				form.Set("kind", "skip")
				form.Set("reason", "x")
			}
			b.post(path, form)
			if again := newBrowser(t, web.URL); k%5 == 0 { // the person arrives from another device
				again.post(link(k), nil)
			}
		}
		return "no end"
	}
	var all sync.WaitGroup
	slots := make(chan bool, 8)
	for k := range n {
		all.Go(func() {
			slots <- true
			defer func() { <-slots }()
			outcomes[k] = visit(k, kinds[k%len(kinds)])
		})
	}
	all.Wait()
	for k, text := range outcomes {
		want := kinds[k%len(kinds)]
		for _, code := range []string{"COMPLETE", "FEW", "FAILED", "NO-CONSENT", "FULL"} {
			if got := strings.Contains(text, `class="code">`+code); got != (code == want) {
				t.Errorf("person %d: code %s: %v, want %s\n%s", k, code, got, want, text)
			}
		}
		if strings.Contains(text, "secretpid") {
			t.Errorf("person %d reads the id of the platform", k)
		}
	}
	people, err := p.Annotators()
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, a := range people {
		if seen[a.External] || a.Name != a.Alias || strings.Contains(a.Name, "secret") {
			t.Errorf("%+v is there twice, or named by the platform", a)
		}
		seen[a.External] = true
	}
	declined, err := p.Declined()
	if err != nil || declined != n/10 || len(people) != n-declined {
		t.Errorf("%d people, %d declined: %v", len(people), declined, err)
	}
	work, err := p.Work()
	if err != nil {
		t.Fatal(err)
	}
	sheets := data.Where(work, project.Work.Independent)
	if want := 2 * 7 * n / 10; len(sheets) != want {
		t.Errorf("%d sheets of the people who finished, want %d", len(sheets), want)
	}
	// People who failed or declined free their places, two of ten. After that the study is full.
	for k := n; k < n+n/5; k++ {
		if _, err := p.Arrive(fmt.Sprint("late", k), "", ""); err != nil {
			t.Errorf("a free place is refused: %v", err)
		}
	}
	if _, err := p.Arrive("toolate", "", ""); err != project.ErrFull {
		t.Errorf("the study is not full: %v", err)
	}
	b := newBrowser(t, web.URL)
	if code, text := b.post(link(3*n), nil); code != http.StatusForbidden || !strings.Contains(text, `class="code">FULL`) {
		t.Errorf("%d %s", code, text)
	}
	for _, path := range []string{"/s/" + token, "/s/" + token + "?PROLIFIC_PID=" + url.QueryEscape("<b>"), "/s/" + token + "?workerId=w&assignmentId=a+b"} {
		if code, text := b.post(path, nil); code != http.StatusForbidden || !strings.Contains(text, "no valid id") {
			t.Errorf("%s: %d %s", path, code, text)
		}
	}
	fresh := httptest.NewServer(New(p, quiet()).Handler()) // a new server, because the first one has seen many attempts and limits them
	t.Cleanup(fresh.Close)
	if code, _ := newBrowser(t, fresh.URL).get("/s/other"); code != http.StatusNotFound {
		t.Errorf("a link of nothing: %d", code)
	}
}

// TestStudyLinkOutcomes: a person who declines several times is counted once, and not at all after consenting. A preview by Mechanical
// Turk adds no person. A person who arrives when nothing is left gets no completion code. An excluded person is told so.
func TestStudyLinkOutcomes(t *testing.T) {
	codes := map[string]string{project.NoConsent: "NO-CONSENT", project.Full: "FULL"}
	p, _ := newProject(t, 1, project.Settings{People: 2, Texts: project.Texts{Consent: "Do you agree?"}, Code: "COMPLETE", Codes: codes, Contact: "ada"})
	s := New(p, quiet())
	web := httptest.NewServer(s.Handler())
	t.Cleanup(web.Close)
	token, err := p.OpenStudy(9)
	if err != nil {
		t.Fatal(err)
	}
	browsers := map[string]*browser{} // by person
	visit := func(query, agree string) (*browser, string) {
		if browsers[query] == nil {
			browsers[query] = newBrowser(t, web.URL)
		}
		b := browsers[query]
		b.get("/s/" + token + "?" + query)
		code, text := b.post("/s/"+token+"?"+query, nil)
		if code == http.StatusOK && agree != "" {
			_, text = b.post("/consent", url.Values{"agree": {agree}})
		}
		return b, text
	}
	counts := func(declined, people int) {
		t.Helper()
		n, err := p.Declined()
		list, _ := p.Annotators()
		if err != nil || n != declined || len(list) != people {
			t.Errorf("%d declined and %d people, want %d and %d: %v", n, len(list), declined, people, err)
		}
	}
	for range 3 {
		if _, text := visit("PROLIFIC_PID=shy", "no"); !strings.Contains(text, "NO-CONSENT") {
			t.Error(text)
		}
	}
	counts(1, 0)
	visit("PROLIFIC_PID=other", "no")
	counts(2, 0)
	visit("PROLIFIC_PID=shy", "yes")
	counts(1, 1)
	for _, query := range []string{"assignmentId=ASSIGNMENT_ID_NOT_AVAILABLE&hitId=h", "workerId=w&assignmentId=ASSIGNMENT_ID_NOT_AVAILABLE"} {
		if _, text := visit(query, ""); !strings.Contains(text, "This is a preview. Accept the task") || strings.Contains(text, "<button") {
			t.Error(text)
		}
	}
	counts(1, 1)
	works := func(pid string) string {
		b, _ := visit("PROLIFIC_PID="+pid, "yes")
		form := url.Values{}
		for _, q := range s.Project.CheckQuestions() {
			form.Set("q-"+q.ID, q.Right)
		}
		b.post("/check", form)
		for {
			_, text := b.get("/work")
			path, form := sheet(text, 0)
			if path == "" {
				return text
			}
			b.post(path, form)
		}
	}
	for pid, code := range map[string]string{"a": "COMPLETE", "shy": "COMPLETE"} {
		if text := works(pid); !strings.Contains(text, `class="code">`+code) {
			t.Errorf("%s: %s", pid, text)
		}
	}
	if text := works("late"); !strings.Contains(text, `class="code">FULL`) || strings.Contains(text, "COMPLETE") {
		t.Errorf("who came when nothing was left: %s", text)
	}
	people, _ := p.Annotators()
	if err := p.Exclude(people[0].Name, "x", ""); err != nil {
		t.Fatal(err)
	}
	_, text := visit("PROLIFIC_PID="+people[0].External, "")
	if !strings.Contains(text, "You do not take part in this study any more. Questions go to ada") {
		t.Error(text)
	}
}

// TestCheckIsShuffled: the options of the check are in a new order for each person and attempt. Always taking the option at one place,
// counted from the first or the last one, never passes.
func TestCheckIsShuffled(t *testing.T) {
	for _, check := range [][]project.Question{nil, {{ID: "a", Text: "?", Type: "choice", Options: []string{"yes", "no"}, Right: "no"},
		{ID: "b", Text: "?", Type: "choice", Options: []string{"1", "2", "3"}, Right: "3"}}} {
		p, _ := newProject(t, 1, project.Settings{Texts: project.Texts{Questions: project.Questions{Check: check}}})
		orders := map[string]bool{}
		for seed := range int64(100) {
			list := p.Shuffled(project.Annotator{Seed: seed})
			orders[fmt.Sprint(list)] = true
			for place := range 3 {
				first := true
				last := true
				for _, q := range list {
					n := len(q.Options)
					first = first && place < n && q.Options[place] == q.Right
					last = last && place < n && q.Options[n-1-place] == q.Right
				}
				if first || last {
					t.Fatalf("person %d passes with place %d: %v", seed, place, list)
				}
			}
		}
		if len(orders) < 3 {
			t.Errorf("%d orders for 100 people", len(orders))
		}
	}
}

// TestIdOfAnotherPerson: anybody can put a known person's id into an address. A new browser or submission with that id sees and changes
// nothing of the person until the owner admits the browser by its code. The person's other browsers are then logged out.
func TestIdOfAnotherPerson(t *testing.T) {
	p, _ := newProject(t, 4, project.Settings{People: 2, Code: "COMPLETE", Contact: "ada"})
	s := New(p, quiet())
	web := httptest.NewServer(s.Handler())
	t.Cleanup(web.Close)
	token, err := p.OpenStudy(2)
	if err != nil {
		t.Fatal(err)
	}
	link := func(submission string) string { return "/s/" + token + "?PROLIFIC_PID=anna&SESSION_ID=" + submission }
	form := url.Values{}
	for _, q := range s.Project.CheckQuestions() {
		form.Set("q-"+q.ID, q.Right)
	}
	anna := newBrowser(t, web.URL)
	anna.post(link("first"), nil)
	_, text := anna.post("/check", form)
	path, values := sheet(text, 0)
	anna.post(path, values)
	if code, text := anna.post(link("first"), nil); code != http.StatusOK || strings.Contains(text, "Somebody came") {
		t.Errorf("the person cannot go on: %d %s", code, text)
	}
	var codes []string
	other := newBrowser(t, web.URL)
	for _, try := range []struct {
		b          *browser
		submission string
	}{{other, "first"}, {other, "second"}, {anna, "second"}} {
		code, text := try.b.post(link(try.submission), nil)
		_, shown, _ := strings.Cut(text, `class="code">`)
		shown, _, _ = strings.Cut(shown, "<")
		if code != http.StatusForbidden || !strings.Contains(text, "Somebody came with this id before") || len(shown) != 8 {
			t.Errorf("%s: %d %s", try.submission, code, text)
		}
		codes = append(codes, shown)
	}
	before, _ := p.Work()
	for _, page := range []string{"/work", path} {
		if code, _ := other.get(page); code != http.StatusUnauthorized {
			t.Errorf("GET %s: %d", page, code)
		}
	}
	if code, _ := other.post(path, values); code != http.StatusUnauthorized {
		t.Errorf("POST: %d", code)
	}
	if after, _ := p.Work(); fmt.Sprint(before) != fmt.Sprint(after) {
		t.Error("another browser changed the sheets")
	}
	owner := newBrowser(t, web.URL)
	owner.post(s.OwnerPath(), nil)
	if _, text := owner.get("/owner"); !strings.Contains(text, codes[0]) || !strings.Contains(text, codes[1]) {
		t.Error("the owner sees no code", text)
	}
	if code, text := owner.post("/owner/person", url.Values{"do": {"admit"}, "code": {codes[1]}}); code != http.StatusOK || strings.Contains(text, codes[1]) {
		t.Errorf("admit: %d %s", code, text)
	}
	if _, text := newBrowser(t, web.URL).post(link("second"), nil); !strings.Contains(text, "Somebody came") {
		t.Error("a third browser is let in by the word about another one")
	}
	if code, _ := other.post(link("second"), nil); code != http.StatusOK {
		t.Errorf("the browser that was let in: %d", code)
	}
	if code, _ := anna.get("/work"); code != http.StatusUnauthorized {
		t.Errorf("the earlier browser: %d", code)
	}
}

// TestWaitingBrowsersAreBounded: of many browsers that arrive with the ids of others, only the latest are remembered. An admitted browser
// stays.
func TestWaitingBrowsersAreBounded(t *testing.T) {
	const people = mostWaiting/mostWaitingOfOne + 20
	p, _ := newProject(t, people, project.Settings{People: 2, Code: "COMPLETE"})
	s := New(p, quiet())
	token, err := p.OpenStudy(people)
	if err != nil {
		t.Fatal(err)
	}
	handler := s.Handler()
	address := 0
	arrive := func(person int) {
		address++
		r := httptest.NewRequest(http.MethodPost, fmt.Sprintf("http://127.0.0.1/s/%s?PROLIFIC_PID=p%d&SESSION_ID=s", token, person), nil)
		r.RemoteAddr = fmt.Sprintf("10.0.%d.%d:1", address/250, address%250)
		handler.ServeHTTP(httptest.NewRecorder(), r)
	}
	arrive(0)
	arrive(0)
	if len(s.waiting) != 1 {
		t.Fatalf("%d browsers wait", len(s.waiting))
	}
	first := s.waiting[0].Code
	if err := s.admit(first); err != nil {
		t.Fatal(err)
	}
	for person := range people {
		for range mostWaitingOfOne + 2 {
			arrive(person)
		}
		same := func(x Waiting) bool { return x.External == fmt.Sprintf("p%d", person) && !x.admitted }
		if n := len(data.Where(s.waiting, same)); n != mostWaitingOfOne {
			t.Fatalf("%d browsers wait with one id, want %d", n, mostWaitingOfOne)
		}
	}
	if len(s.waiting) != mostWaiting+1 || s.waiting[0].Code != first {
		t.Errorf("%d browsers wait, the first with the code %s; want %d and that of the admitted one, %s", len(s.waiting), s.waiting[0].Code,
			mostWaiting+1, first)
	}
}

// TestPlacesAreGivenBack: invented ids hold places of a study only as long as Settings.Hold says.
func TestPlacesAreGivenBack(t *testing.T) {
	p, _ := newProject(t, 4, project.Settings{People: 1, Hold: 30})
	now := time.Date(2026, 5, 1, 10, 0, 0, 0, time.UTC)
	p.Now = func() time.Time { return now }
	s := New(p, quiet())
	web := httptest.NewServer(s.Handler())
	t.Cleanup(web.Close)
	token, err := p.OpenStudy(2)
	if err != nil {
		t.Fatal(err)
	}
	form := url.Values{}
	for _, q := range s.Project.CheckQuestions() {
		form.Set("q-"+q.ID, q.Right)
	}
	arrive := func(id string) (*browser, string) {
		b := newBrowser(t, web.URL)
		b.post("/s/"+token+"?PROLIFIC_PID="+id+"&SESSION_ID=x", nil)
		_, text := b.post("/check", form)
		return b, text
	}
	worker, text := arrive("worker")
	path, values := sheet(text, 0)
	worker.post(path, values)
	idle, _ := arrive("idle")
	if _, err := p.Arrive("third", "", ""); err != project.ErrFull {
		t.Errorf("before the time is over: %v", err)
	}
	now = now.Add(31 * time.Minute)
	_, text = arrive("third")
	if path, _ = sheet(text, 0); path == "" {
		t.Fatalf("the place is not free: %s", text)
	}
	third, _ := p.Annotators()
	if code, text := idle.get("/work"); code != http.StatusForbidden || !strings.Contains(text, "your place was given to somebody else") {
		t.Errorf("%d people; the one who gave nothing: %d %s", len(third), code, text)
	}
	if code, _ := worker.get("/work"); code != http.StatusOK {
		t.Errorf("the one who gave something: %d", code)
	}
}
