package annotate

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"compqa/data"
	"compqa/rubric"
	"compqa/web/annotate/project"
)

// TestGoldBeyondChance: agreement with gold is corrected for chance. By hand: of 6 values on 2 criteria, 4 are equal. Criterion a
// expects 0, 0, 1 and gets 0, 1, 1, so by chance (2·1 + 1·2)/3 values are equal. Criterion b expects 1, 1, 0 and gets 1, 1, 1: 2·3/3. So
// e = (4/3 + 2)/6 = 5/9, o = 4/6, and kappa = (6/9 − 5/9)/(4/9) = 1/4.
func TestGoldBeyondChance(t *testing.T) {
	var c compared
	for i, x := range [][2]float64{{0, 0}, {0, 1}, {1, 1}} {
		c.add("a", x[0], x[1])
		c.add("b", []float64{1, 1, 0}[i], 1)
	}
	if kappa, same, n := c.measure(); !kappa.Known || math.Abs(kappa.Value-0.25) > 1e-12 || same != 4 || n != 6 {
		t.Errorf("kappa is %v, %d of %d", kappa, same, n)
	}
	constant := compared{items: 9}
	constant.add("a", 1, 1)
	if kappa, _, _ := constant.measure(); kappa.Known {
		t.Error("kappa of values that do not vary")
	}
}

// TestFinished: a person who did all items has finished, even if an exclusion makes items available later. A person with an open item has
// not.
func TestFinished(t *testing.T) {
	var items []project.Item
	for i := range 12 {
		it := tableItem()
		it.Source, it.Cluster = fmt.Sprint(i), fmt.Sprint(i)
		for range i%3 + 1 {
			it.Content.Rows = append(it.Content.Rows, data.ContrastRow{Attribute: "speed"})
		}
		items = append(items, it)
	}
	p := createIn(t, t.TempDir(), project.Settings{Each: 6}, items)
	work := func(name string, most int) {
		invite(t, p, name)
		a := annotatorNamed(t, p, name)
		if err := p.Comprehension(a.ID, true); err != nil {
			t.Fatal(err)
		}
		for i := range most + 1 {
			next, err := p.Next(a)
			if err != nil || next == "" || i == most {
				return
			}
			as, _ := p.Assignment(a.ID, next)
			values := map[string]string{}
			for _, f := range p.Fields(as.About) {
				if f.Needed() && f.Criterion != "" {
					values[f.ID] = f.Options[len(f.Options)-1].Value
				} else if f.Needed() {
					values[f.ID] = "none"
				}
			}
			if _, err := p.Append(a.ID, project.Event{Item: next, Kind: project.Submit, Sheet: project.Sheet{Values: values}, Nonce: next}); err != nil {
				t.Fatal(err)
			}
		}
	}
	work("ends", 12)
	work("stops", 5)
	r, err := Compute(p, Selection{})
	if err != nil {
		t.Fatal(err)
	}
	if r.People[0].State() != "finished" || r.People[1].State() != "active" {
		t.Errorf("%s, %s", r.People[0].State(), r.People[1].State())
	}
	more := project.Change{Settings: p.Settings}
	more.Each = 8
	if err := p.Change(more); err != nil { // makes more items available
		t.Fatal(err)
	}
	r, err = Compute(p, Selection{})
	if err != nil || r.People[0].State() != "finished; more items came free since" {
		t.Errorf("%s %v", r.People[0].State(), err)
	}
}

// TestFlagsOfPeople: giving the same sheet again and again is flagged; careful work and unknown times are not. An excluded person's sheets
// count only in the figures of everyone.
func TestFlagsOfPeople(t *testing.T) {
	p, _ := newProject(t, 12, project.Settings{People: 2})
	work := func(name string, give func(i int) map[string]string) {
		invite(t, p, name)
		a := annotatorNamed(t, p, name)
		for i := 0; ; i++ {
			next, err := p.Next(a)
			if err != nil || next == "" {
				return
			}
			e := project.Event{Item: next, Kind: project.Submit, Sheet: project.Sheet{Values: give(i)}, Nonce: next}
			if _, err := p.Append(a.ID, e); err != nil {
				t.Fatal(err)
			}
		}
	}
	work("last", func(int) map[string]string { return project.ScoreSheet(rubric.CQA().Full()).Values })
	work("careful", func(i int) map[string]string {
		values := project.ScoreSheet(rubric.CQA().Full()).Values
		for c := range i % 5 {
			values[fmt.Sprint(c+1)] = "0"
		}
		return values
	})
	r, err := Compute(p, Selection{})
	if err != nil {
		t.Fatal(err)
	}
	if flags := strings.Join(r.People[0].Alerts, "; "); flags != "the same sheet in 12 of 12" {
		t.Errorf("the straight-liner: %q", flags)
	}
	if flags := r.People[1].Alerts; flags != nil {
		t.Errorf("the careful person: %q", flags)
	}
	if err := p.Exclude("last", "straight-lining", ""); err != nil {
		t.Fatal(err)
	}
	without, err := Compute(p, Selection{})
	if err != nil {
		t.Fatal(err)
	}
	with, err := Compute(p, Selection{Everyone: true})
	if err != nil {
		t.Fatal(err)
	}
	// The straight-liner gives 19 points. The other person gives 19 minus the points of up to four criteria.
	if without.Sheets != 12 || without.Left != 12 || with.Sheets != 24 || len(without.Agreement) != 0 || with.Points.Value <= without.Points.Value {
		t.Errorf("without %d sheets, %v points; with %d, %v", without.Sheets, without.Points, with.Sheets, with.Points)
	}
}

// TestLeavesAfterPractice: a person who stops on the page after the first practice item, before the next item is given, has not finished.
func TestLeavesAfterPractice(t *testing.T) {
	sheet := chosen(project.First)
	var list []project.Item
	for i, role := range []string{project.Practice, project.Practice, project.Main} {
		it := project.Item{Kind: project.Pair, Source: fmt.Sprint(i), Cluster: fmt.Sprint(i), Role: role,
			Content: project.Content{A: "a", B: "b"}}
		if role == project.Practice {
			it.Expected = &sheet
		}
		list = append(list, it)
	}
	p := createIn(t, t.TempDir(), project.Settings{}, list)
	invite(t, p, "anna")
	a := annotatorNamed(t, p, "anna")
	if err := p.Comprehension(a.ID, true); err != nil {
		t.Fatal(err)
	}
	next, err := p.Next(a)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Append(a.ID, project.Event{Item: next, Kind: project.Submit, Sheet: sheet, Nonce: next}); err != nil {
		t.Fatal(err)
	}
	r, err := Compute(p, Selection{})
	if err != nil || r.People[0].State() != "active" {
		t.Errorf("%s, %v", r.People[0].State(), err)
	}
	d, err := MakeDatasheet(p, 0, false)
	if err != nil {
		t.Fatal(err)
	}
	counts := map[string]int{}
	for _, c := range d.Recruitment {
		counts[c.What] = c.N
	}
	if counts["of those invited: finished"] != 0 || counts["did not finish (dropped out, or still at work)"] != 1 {
		t.Errorf("%+v", d.Recruitment)
	}
}
