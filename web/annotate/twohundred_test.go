package annotate

import (
	"fmt"
	"math"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"compqa/data/sharedtest"
	"compqa/stats"
	"compqa/web/annotate/project"
)

// The ways in which simulated people work.
const (
	honest   = "honest"
	clicks   = "clicks at random"
	straight = "the same value everywhere"
	leaves   = "leaves"
)

// A servedCrowd is a crowd whose people work through a server.
type servedCrowd struct {
	crowd
	t      *testing.T
	p      *project.Project
	server *Server
	at     string
	truth  map[string][]float64 // true qualities of items, by their source
	now    time.Time
}

// serve makes the study of a crowd and a server for it, with a simulated clock.
func (c crowd) serve(t *testing.T) *servedCrowd {
	t.Helper()
	s := &servedCrowd{crowd: c, t: t, truth: map[string][]float64{}, now: time.Date(2026, 11, 2, 8, 0, 0, 0, time.UTC)}
	set := project.Settings{Kind: c.kind, Rubric: c.rubric(), People: 3, Each: c.each, Seed: c.seed, Width: .2, NoCheck: true,
		Checks: project.Checks{Gold: 3, Repeats: 3, Attention: 2}}
	rng := stats.NewRNG(c.seed, "items")
	var items []project.Item
	add := func(role string, values []float64) {
		it := project.Item{Kind: c.kind, Role: role, Source: fmt.Sprint(len(items)), Cluster: fmt.Sprint(len(items)),
			Content: project.Content{A: "text"}}
		s.truth[it.Source] = values
		items = append(items, it)
	}
	for range c.people * c.each / 3 {
		common := normal(rng)
		values := make([]float64, c.criteria)
		for i := range values {
			values[i] = .75*common + .66*normal(rng)
		}
		add(project.Overlap, values)
	}
	study := len(items)
	plain := &project.Project{Settings: set}
	for i := range 6 {
		values := slices.Repeat([]float64{[]float64{-1.5, 1.3}[i%2]}, c.criteria)
		add(project.Gold, values)
		sheet := project.Sheet{Values: map[string]string{}}
		for k, f := range plain.Fields(items[study+i]) {
			sheet.Values[f.ID] = c.value(values[k], 0, .3)
		}
		items[study+i].Expected = &sheet
	}
	items = append(items, plain.AttentionItems(items[:study])...)
	dir := t.TempDir()
	if _, err := project.Create(dir, set, items); err != nil {
		t.Fatal(err)
	}
	p, err := project.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	p.Now = func() time.Time { return s.now }
	p.Secret = "of the test" // fixed, because the order of items depends on it
	s.p, s.server = p, New(p, quiet())
	served := httptest.NewServer(s.server.Handler())
	t.Cleanup(served.Close)
	s.at = served.URL
	return s
}

// work makes a person do the items that the server gives, each in 25 s, to the end or, if the person leaves, up to some item.
func (s *servedCrowd) work(name, how string, rng *stats.RNG) {
	s.t.Helper()
	b := newBrowser(s.t, s.at)
	b.post("/a/"+invite(s.t, s.p, name), nil)
	b.post("/check", nil)
	a := annotatorNamed(s.t, s.p, name)
	person := &crowdPerson{rng: rng, careless: how == clicks || how == leaves, bias: .3 * normal(rng), noise: s.noise * math.Exp(.25*normal(rng)),
		views: map[int64][]float64{}, slips: .14 * rng.Float64()}
	most := math.MaxInt
	if how == leaves {
		most = 1 + rng.Intn(s.each/2)
	}
	_, page := b.get("/work")
	for range most {
		m := hidden.FindStringSubmatch(page)
		if m == nil {
			return
		}
		as, err := s.p.Assignment(a.ID, strings.TrimPrefix(m[1], "/item/"))
		if err != nil {
			s.t.Fatal(err)
		}
		b.seen.Reset()
		sheet := s.given(person, how, as)
		form := url.Values{"revision": {m[2]}, "nonce": {m[3]}, "kind": {"submit"}, "active_ms": {"25000"}, "view": {"rendered"}, "reason": {sheet.Reason}}
		for id, value := range sheet.Values {
			form.Set("c-"+id, value)
		}
		s.now = s.now.Add(25 * time.Second)
		_, page = b.post(m[1], form)
		if !hidden.MatchString(page) { // a page without an item, such as the warning after a missed attention item
			_, page = b.get("/work")
		}
	}
}

// given returns the sheet that a person gives for an item.
func (s *servedCrowd) given(person *crowdPerson, how string, as project.Assignment) project.Sheet {
	it := as.About
	values := s.truth[it.Source]
	if values == nil {
		values = make([]float64, s.criteria)
	}
	sheet := s.sheet(s.p, person, it, values)
	slip := person.slips
	if as.Kind == project.Attention {
		slip = .03
	}
	switch {
	case how == straight:
		for _, f := range s.p.Fields(it) {
			sheet.Values[f.ID] = f.Options[len(f.Options)/2].Value
		}
	case how == honest && (as.Kind == project.Gold || as.Kind == project.Attention):
		if person.rng.Float64() > slip {
			return *it.Expected
		}
		return s.sheet(s.p, &crowdPerson{rng: person.rng, careless: true, views: map[int64][]float64{}}, it, values)
	}
	return sheet
}

// TestSoakTwoHundredPeople: two hundred people work through the server. 14 of them click at random, 13 always give the same value, and 13
// leave early. Random and constant work is flagged or stopped, honest people are not, and people who leave have not finished.
func TestSoakTwoHundredPeople(t *testing.T) {
	sharedtest.Soak(t)
	s := crowd{kind: project.Answer, criteria: 5, levels: 5, noise: .9, people: 200, each: 12, seed: 7}.serve(t)
	rng := stats.NewRNG(s.seed, "people")
	hows := slices.Concat(slices.Repeat([]string{clicks}, 14), slices.Repeat([]string{straight}, 13), slices.Repeat([]string{leaves}, 13),
		slices.Repeat([]string{honest}, 160))
	rng.Shuffle(len(hows), func(i, j int) { hows[i], hows[j] = hows[j], hows[i] })
	for i, how := range hows {
		s.work(fmt.Sprint("person", i), how, rng)
	}
	r, err := Compute(s.p, Selection{})
	if err != nil {
		t.Fatal(err)
	}
	people := map[string]int{}
	flags := map[string]int{}
	stopped := map[string]int{}
	finished := map[string]int{}
	for _, a := range r.People {
		var n int
		if _, err := fmt.Sscanf(a.Name, "person%d", &n); err != nil {
			t.Fatal(err)
		}
		how := hows[n]
		people[how]++
		if a.Looked.Flag() != "" {
			flags[how]++
		}
		switch state := a.State(); {
		case a.Stopped != "":
			stopped[how]++
		case strings.HasPrefix(state, "finished"):
			finished[how]++
		}
	}
	for _, how := range []string{clicks, straight, leaves, honest} {
		t.Logf("%-26s %3d people: %3d with a flag, %3d stopped, %3d finished", how, people[how], flags[how], stopped[how], finished[how])
	}
	if found := flags[clicks] + flags[straight]; float64(found) < .95*float64(people[clicks]+people[straight]) {
		t.Errorf("%d of %d people who do not look get a flag", found, people[clicks]+people[straight])
	}
	if flags[honest] > 2 || stopped[honest] > 2 { // about 1 % of honest people
		t.Errorf("%d of %d honest people get a flag, %d are stopped", flags[honest], people[honest], stopped[honest])
	}
	if finished[leaves] > 0 || finished[honest] < people[honest]-stopped[honest] {
		t.Errorf("finished: %v", finished)
	}
}
