package annotate

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"compqa/data"
	"compqa/web/annotate/project"
)

// TestDatasheet: of six people in a study of pairs, one finishes, one stops, one is excluded, one fails the check, one never begins and
// one is deleted. The report's counts add up to those invited. Hours, pay, sides, and agreement with and without the excluded person equal
// figures computed by hand.
func TestDatasheet(t *testing.T) {
	dir := t.TempDir()
	var items []project.Item
	for i := range 4 {
		items = append(items, project.Item{Kind: project.Pair, Source: fmt.Sprint(i), Cluster: fmt.Sprint(i), Role: project.Overlap,
			Content: project.Content{Question: "?", A: "a", B: "b", Systems: []string{"zeta", fmt.Sprint("alpha", i%2)}}, Shown: data.OrderAB})
	}
	p := createIn(t, dir, project.Settings{People: 4, Texts: project.Texts{Guidelines: "Read all.", Consent: "Yes?"}}, items)
	now := time.Date(2026, 11, 28, 9, 0, 0, 0, time.UTC)
	p.Now = func() time.Time { return now }
	play := func(name string, n int, ms int64, choose func(source string) string) {
		t.Helper()
		invite(t, p, name)
		a := annotatorNamed(t, p, name)
		if err := p.Agree(a); err != nil {
			t.Fatal(err)
		}
		if err := p.Comprehension(a.ID, true); err != nil {
			t.Fatal(err)
		}
		for range n {
			next, err := p.Next(a)
			if err != nil || next == "" {
				t.Fatal(err)
			}
			if ms > 0 {
				if err := p.Shown(next); err != nil {
					t.Fatal(err)
				}
				now = now.Add(time.Duration(ms) * time.Millisecond)
			}
			as, _ := p.Assignment(a.ID, next)
			e := project.Event{Item: next, Kind: project.Submit, Sheet: chosen(choose(as.About.Source)), Nonce: next, ActiveMS: ms / 2}
			if _, err := p.Append(a.ID, e); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := p.Next(a); err != nil { // as the next page does
			t.Fatal(err)
		}
	}
	alternating := func(source string) string {
		return map[bool]string{true: project.First, false: project.Second}[source == "0" || source == "1"]
	}
	first := func(string) string { return project.First }
	play("finishes", 4, 90_000, alternating)
	play("stops", 2, 45_000, alternating)
	play("careless", 4, 0, first)
	play("deleted", 1, 60_000, first)
	for range project.MostTries {
		invite(t, p, "never")
		if len(data.Where(must(p.Annotators())(t), func(a project.Annotator) bool { return a.Name == "fails" })) == 0 {
			invite(t, p, "fails")
		}
		if err := p.Comprehension(annotatorNamed(t, p, "fails").ID, false); err != nil {
			t.Fatal(err)
		}
	}
	if err := p.Exclude("careless", "always the first", ""); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Forget("deleted"); err != nil {
		t.Fatal(err)
	}
	d, err := MakeDatasheet(p, 12, false)
	if err != nil {
		t.Fatal(err)
	}
	counts := map[string]int{}
	for _, c := range d.Recruitment {
		counts[c.What] = c.N
	}
	sum := 0
	for _, what := range []string{"of those invited: finished", "did not finish (dropped out, or still at work)", "link revoked before the end",
		"failed the check of the guidelines twice", "did not pass the check so far", "excluded", "deleted on request"} {
		n, known := counts[what]
		if sum += n; !known || n != 1 && what != "link revoked before the end" {
			t.Errorf("%s: %d", what, n)
		}
	}
	if counts["invited"] != 6 || sum != 6 || counts["consented"] != 3 {
		t.Errorf("%v", counts)
	}
	// 4 × 90 s + 2 × 45 s = 450 s = .125 h; at 12 an hour the pay is 1.50. Six choices count; those on items 0 and 1 are the first side.
	if d.Hours.Value != 0.125 || d.Claimed.Value != 0.0625 || d.Pay.Value != 1.5 || d.Timed != 6 || d.Decided != 6 {
		t.Errorf("hours %v, pay %v, %d timed, %d decided", d.Hours, d.Pay, d.Timed, d.Decided)
	}
	if len(d.Excluded) != 2 || d.Excluded[0].Why != "always the first" || d.Excluded[0].Sheets != 4 || d.Excluded[1].Sheets != 1 {
		t.Errorf("%+v", d.Excluded)
	}
	if s := d.Systems; len(s) != 3 || s[0].System != "alpha0" || s[0].Items != 2 || s[1].Items != 2 || s[0].Sheets+s[1].Sheets != 6 ||
		s[2] != (SystemRow{"zeta", 4, 6}) {
		t.Errorf("systems %v", s)
	}
	whose := map[string]bool{}
	for _, a := range d.Agreement {
		whose[a.Whose] = true
	}
	if !whose["sheets that count"] || !whose["with excluded people"] {
		t.Errorf("agreement of %v", whose)
	}
	text := d.Document().Markdown()
	for _, want := range []string{"always the first", "HEDS 3.0", "What the authors have to add", "p1", "At 12.00 an hour this is 1.50", "0.1 hours with items, measured by the server", "The browsers claim 0.1 hours"} {
		if !strings.Contains(text, want) {
			t.Errorf("the report has no %q:\n%s", want, text)
		}
	}
	// Each question of the form is answered or left to the authors, in order, and those left to the authors are listed.
	rows := map[string]HEDSRow{}
	for _, row := range d.HEDS {
		rows[row.Number] = row
		if row.Answer == "" && row.Add == "" {
			t.Errorf("%s has no answer, and the authors are not asked for one", row.Number)
		}
	}
	for number, want := range map[string]string{"3.2.1": "2; 2 more were excluded or deleted", "3.2.2.2": "12.00 an hour of the time that the server measured, 1.50 in all",
		"4.3.1.1": "choice", "4.3.12.1–4.3.12.2": "not assessed", "3.2.3": "0 came by the study's link"} {
		if !strings.HasPrefix(rows[number].Answer, want) {
			t.Errorf("%s: %q, want %q", number, rows[number].Answer, want)
		}
	}
	if len(d.HEDS) != 35 || !strings.HasPrefix(rows["4.3.11.1–4.3.11.2"].Answer, "Krippendorff's alpha") || len(d.Missing) == 0 {
		t.Errorf("%d rows, %q", len(d.HEDS), rows["4.3.11.1–4.3.11.2"].Answer)
	}
	if strings.Contains(text, "careless") || strings.Contains(text, "finishes |") {
		t.Errorf("the report names people:\n%s", text)
	}
}

func must[T any](value T, err error) func(*testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return value
	}
}
