package project

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func items(n int, role string) (list []Item) {
	for i := range n {
		list = append(list, Item{Kind: Answer, Source: fmt.Sprint(i), Cluster: fmt.Sprint(i), Role: role})
	}
	return list
}

func never(int64) bool { return false }

// TestExcluded: the items of an excluded person go to others. Sheets before a date can stay. Including the person again undoes everything.
func TestExcluded(t *testing.T) {
	p := create(t, Settings{Seed: 1, People: 1}, items(6, Main))
	now := time.Date(2026, 11, 28, 12, 0, 0, 0, time.UTC)
	p.Now = func() time.Time { return now }
	straight := person(t, p, "straight")
	for i := range 4 {
		if i == 2 {
			now = now.Add(24 * time.Hour)
		}
		blind, _ := p.Next(straight)
		if _, err := p.Append(straight.ID, Event{Item: blind, Kind: Submit, Sheet: ScoreSheet(p.Rubric.Full()), Nonce: blind}); err != nil {
			t.Fatal(err)
		}
	}
	if err := p.Exclude("straight", "", ""); err == nil {
		t.Error("excluded without a reason")
	}
	counting := func() (n int) {
		work, err := p.Work()
		if err != nil {
			t.Fatal(err)
		}
		for _, w := range work {
			if w.Independent() {
				n++
			}
		}
		return n
	}
	if err := p.Exclude("straight", "same value", "2026-11-29"); err != nil || counting() != 2 {
		t.Errorf("%d sheets from before that day count: %v", counting(), err)
	}
	if _, err := p.Start("x"); err == nil {
		t.Error("a session of nobody")
	}
	if err := p.Exclude("straight", "same value", ""); err != nil || counting() != 0 {
		t.Errorf("%d sheets count: %v", counting(), err)
	}
	if got := finish(t, p, person(t, p, "late"), never, false); len(got) != 6 {
		t.Errorf("the next person gets %d of 6 items", len(got))
	}
	if err := p.Include("straight"); err != nil || counting() != 10 {
		t.Errorf("%d sheets count: %v", counting(), err)
	}
}

// TestPlainCopyLosesNothing: a plain copy of annotation.db without its log contains every submit, and so does a backup.
func TestPlainCopyLosesNothing(t *testing.T) {
	p := create(t, Settings{Seed: 1, People: 1}, items(5, Main))
	finish(t, p, person(t, p, "anna"), never, false)
	whole, err := os.ReadFile(p.s.Path)
	if err != nil {
		t.Fatal(err)
	}
	plain := t.TempDir()
	backup := t.TempDir()
	if err := os.WriteFile(filepath.Join(plain, FileName), whole, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := p.Backup(t.Context(), filepath.Join(backup, FileName)); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{plain, backup} {
		c, err := Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		work, err := c.Work()
		if len(work) != 5 || err != nil {
			t.Errorf("the copy has %d of 5 sheets: %v", len(work), err)
		}
		for _, w := range work {
			if !w.Done() {
				t.Errorf("the sheet on %s is lost", w.About.Source)
			}
		}
		c.Close()
	}
}

// TestForgotten: no byte of a deleted person stays except the counts, not even in free pages.
func TestForgotten(t *testing.T) {
	p := create(t, Settings{Seed: 1, People: 2}, items(3, Overlap))
	a := person(t, p, "zacharias")
	blind, _ := p.Next(a)
	sheet := ScoreSheet(p.Rubric.Full())
	sheet.Reason = "unmistakable-remark"
	if _, err := p.Append(a.ID, Event{Item: blind, Kind: Submit, Sheet: sheet, Nonce: blind}); err != nil {
		t.Fatal(err)
	}
	b := person(t, p, "ben")
	finish(t, p, b, never, false)
	if _, err := p.Forget("nobody"); err == nil {
		t.Error("nobody is forgotten")
	}
	stone, err := p.Forget("zacharias")
	if err != nil || stone.Sheets != 1 || stone.Events != 1 || stone.Remarks != 1 {
		t.Errorf("%+v %v", stone, err)
	}
	for _, suffix := range []string{"", "-wal"} {
		raw, _ := os.ReadFile(p.s.Path + suffix)
		for _, word := range []string{"zacharias", "unmistakable-remark"} {
			if strings.Contains(string(raw), word) {
				t.Errorf("annotation.db%s still has %q", suffix, word)
			}
		}
	}
	if work, _ := p.Work(); len(work) != 3 {
		t.Errorf("%d assignments of the other person", len(work))
	}
	if err := p.exec(`DELETE FROM events WHERE annotator = ?`, b.ID); err == nil {
		t.Error("events of others can be deleted")
	}
	if c := person(t, p, "carl"); c.ID <= b.ID || c.Alias != "p3" {
		t.Errorf("a new person has the id %d and the alias %s", c.ID, c.Alias)
	}
}

// TestRename: a person has one name for the owner and one for everybody else. Nobody can take the name of another person.
func TestRename(t *testing.T) {
	p := create(t, Settings{Seed: 1}, items(1, Main))
	person(t, p, "anna")
	person(t, p, "ben")
	for _, alias := range []string{"ben", "p2", "a b", Adjudicated} {
		if err := p.Rename("anna", alias); err == nil {
			t.Errorf("anna is called %s", alias)
		}
	}
	if err := p.Rename("anna", "expert1"); err != nil {
		t.Fatal(err)
	}
	if people, _ := p.Annotators(); people[0].Alias != "expert1" || people[1].Alias != "p2" {
		t.Errorf("%+v", people)
	}
}

// TestNameOf: a person sent by a platform can be named by name or by the platform's id.
func TestNameOf(t *testing.T) {
	p := create(t, Settings{People: 2}, items(1, Overlap))
	person(t, p, "anna")
	if _, err := p.OpenStudy(2); err != nil {
		t.Fatal(err)
	}
	for _, external := range []string{"5f3a", "anna"} {
		if _, err := p.Arrive(external, "", ""); err != nil {
			t.Fatal(err)
		}
	}
	for called, want := range map[string]string{"anna": "anna", "5f3a": "p2", "p2": "p2", "nobody": "nobody"} {
		if name, err := p.NameOf(called); err != nil || name != want {
			t.Errorf("%s is %s, want %s: %v", called, name, want, err)
		}
	}
}
