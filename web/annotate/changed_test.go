package annotate

import (
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"

	"compqa/rubric"
	"compqa/web/annotate/project"
)

func TestChangedLines(t *testing.T) {
	for _, c := range []struct{ before, after, want string }{
		{"a", "a", "[{ …}]"},
		{"a\nb\nc", "a\nx\nc", "[{ a} {- b} {+ x} { c}]"},
		{"", "new", "[{- } {+ new}]"},
		{"1\n2\n3\n4\n5\n6\n7", "1\n2\n3\n4\n5\n6\n7\n8", "[{ …} { 6} { 7} {+ 8}]"},
		{"a\nb\nc\nd", "b\nd", "[{- a} { b} {- c} { d}]"},
	} {
		if got := fmt.Sprint(changedLines(c.before, c.after)); got != c.want {
			t.Errorf("%q to %q: %s, want %s", c.before, c.after, got, c.want)
		}
	}
	// For texts of a million lines the table would need 8 TB. So equal ends are left out, and the differing rest is shown as replaced.
	long := strings.Repeat("the same\n", 100_000)
	if got := fmt.Sprint(changedLines(long+"old\n"+long, long+"new\n"+long)); got != "[{ …} { the same} { the same} {- old} {+ new} { the same} { the same} { …}]" {
		t.Error(got)
	}
	if got := changedLines(strings.Repeat("old\n", 100_000)+"end", strings.Repeat("new\n", 100_000)+"end"); len(got) != 200_001 {
		t.Errorf("%d lines", len(got))
	}
}

// TestAgreementOfEachPerson: the owner's table of agreement has the same columns for two people as for five. Each person has one figure
// with all others, and pairs are rows. Of three people, two give the same values, so their pair has alpha 1, and the third has the lowest
// agreement.
func TestAgreementOfEachPerson(t *testing.T) {
	p, _ := newProject(t, 6, project.Settings{People: 5, Texts: project.Texts{Guidelines: "one\ntwo"}})
	for k, name := range []string{"anna", "ben", "cyn", "dan", "eve"} {
		invite(t, p, name)
		a := annotatorNamed(t, p, name)
		for k < 3 {
			next, err := p.Next(a)
			if err != nil || next == "" {
				break
			}
			as, _ := p.Assignment(a.ID, next)
			scores := rubric.CQA().Full()
			for c := range (int(as.Item)*(1+k/2))%4 + k/2 {
				scores[fmt.Sprint(c+1)] = 0
			}
			if _, err := p.Append(a.ID, project.Event{Item: next, Kind: project.Submit, Sheet: project.ScoreSheet(scores), Nonce: next}); err != nil {
				t.Fatal(err)
			}
		}
	}
	r, err := Compute(p, Selection{})
	if err != nil {
		t.Fatal(err)
	}
	pairs := r.Together()
	if len(pairs) != 3 || pairs[2].People != "anna, ben" || pairs[2].Alpha.Value != 1 || pairs[0].Items != 6 {
		t.Errorf("%+v", pairs)
	}
	with := map[string]float64{}
	a, _ := r.wholeSheets()
	for _, person := range r.People {
		if o := r.withOthers(a.Criterion, person.Name); o.Items > 0 {
			with[person.Name] = o.Alpha.Value
		}
	}
	if len(with) != 3 || with["anna"] != with["ben"] || with["cyn"] >= with["anna"] || r.With("dan") != "–" {
		t.Errorf("%v", with)
	}
	if err := p.Change(withTexts(p, project.Texts{Guidelines: "one\nthree"})); err != nil {
		t.Fatal(err)
	}
	s := New(p, quiet())
	web := httptest.NewServer(s.Handler())
	t.Cleanup(web.Close)
	owner := newBrowser(t, web.URL)
	_, page := owner.post(s.OwnerPath(), nil)
	_, table, _ := strings.Cut(page, "Krippendorff")
	head, _, _ := strings.Cut(table, "</thead>")
	if n := strings.Count(head, "<th "); n != 7 {
		t.Errorf("%d columns of agreement", n)
	}
	for _, want := range []string{`<th scope="row">anna, ben</th><td class="n">6</td>`, `<span class="gone">- two</span>`, `<span class="added">&#43; three</span>`} {
		if !strings.Contains(page, want) {
			t.Errorf("the owner's page has no %s", want)
		}
	}
}
