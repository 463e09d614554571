package project

import (
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"compqa/data/sharedtest"
	"compqa/results/store"
	"compqa/rubric"
)

func create(t *testing.T, set Settings, items []Item) *Project {
	t.Helper()
	dir := t.TempDir()
	set.Rubric = rubric.CQA()
	set.People = max(set.People, 2)
	if _, err := Create(dir, set, items); err != nil {
		t.Fatal(err)
	}
	if replaced, err := Create(dir, set, items); err != nil || !replaced {
		t.Errorf("a study to which nobody was invited is not replaced: %v", err)
	}
	p, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	return p
}

func person(t *testing.T, p *Project, name string) Annotator {
	t.Helper()
	token, err := p.Invite(name)
	if err != nil {
		t.Fatal(err)
	}
	session, err := p.Start(token)
	if err != nil {
		t.Fatal(err)
	}
	a, err := p.Session(session)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// finish submits all items of a person, or skips them if skip is true, and returns the assignments. Items for which lower is true get a
// point less on criteria 1 to 4.
func finish(t *testing.T, p *Project, a Annotator, lower func(item int64) bool, skip bool) (order []Assignment) {
	t.Helper()
	for {
		blind, err := p.Next(a)
		if err != nil {
			t.Fatal(err)
		}
		if blind == "" {
			return order
		}
		as, err := p.Assignment(a.ID, blind)
		if err != nil {
			t.Fatal(err)
		}
		order = append(order, as)
		scores := rubric.CQA().Full()
		if lower(as.Item) {
			for _, id := range []string{"1", "2", "3", "4"} {
				scores[id]--
			}
		}
		e := Event{Item: blind, Kind: Submit, Sheet: ScoreSheet(scores), Nonce: blind}
		if skip {
			e.Kind = Skip
			e.Sheet = Sheet{Reason: "unreadable"}
		}
		if _, err := p.Append(a.ID, e); err != nil {
			t.Fatal(err)
		}
	}
}

// TestAssignments: overlap items come first and continue to appear later. People have different orders, and answers to one question are
// kept apart. Gold and repeated items are as many as planned. A third person gets only items whose two totals differ a lot, and main items
// get one sheet.
func TestAssignments(t *testing.T) {
	var items []Item
	for i := range 200 {
		it := Item{Kind: Answer, Source: fmt.Sprint(i), Cluster: fmt.Sprint(i / 4), Role: Main}
		switch {
		case i < 40:
			it.Role = Overlap
		case i >= 180:
			sheet := ScoreSheet(rubric.CQA().Full())
			it.Role = Gold
			it.Expected = &sheet
		}
		items = append(items, it)
	}
	p := create(t, Settings{Seed: 1, Third: 4, Checks: Checks{Gold: 9, Repeats: 8}}, items)
	never := func(int64) bool { return false }
	a := finish(t, p, person(t, p, "a"), never, false)
	counts := map[string]int{}
	overlapEarly := 0
	overlapLate := 0
	studied := 0
	for _, as := range a {
		counts[as.Kind]++
		if as.Kind == Gold || as.Kind == Repeat {
			continue // checks are at random places
		}
		studied++
		if as.Kind == Overlap && studied <= 20 {
			overlapEarly++
		} else if as.Kind == Overlap && studied > 40 {
			overlapLate++
		}
	}
	if counts[Overlap] != 40 || counts[Main] != 140 || counts[Gold] != 9 || counts[Repeat] != 8 ||
		overlapEarly != 20 || overlapLate < 5 {
		t.Errorf("%v, early %d, late %d", counts, overlapEarly, overlapLate)
	}
	b := finish(t, p, person(t, p, "b"), func(item int64) bool { return item <= 5 }, false)
	same := 0
	for i, as := range b {
		if as.Kind == Main {
			t.Errorf("item %d gets a second sheet", as.Item)
		}
		if as.Item == a[i].Item {
			same++
		}
	}
	if same > 10 || a[0].Blind == b[0].Blind {
		t.Errorf("%d items at the same place", same)
	}
	c := finish(t, p, person(t, p, "c"), never, false)
	c = slices.DeleteFunc(c, func(as Assignment) bool { return as.Kind == Repeat || as.Kind == Gold })
	if len(c) != 5 {
		t.Errorf("the third person gets %d items", len(c))
	}
}

// TestItemsOfEach: with a maximum number of items per person, nobody gets more, and together people give as many sheets of every item as
// wanted.
func TestItemsOfEach(t *testing.T) {
	var items []Item
	for i := range 24 {
		items = append(items, Item{Kind: Answer, Source: fmt.Sprint(i), Cluster: fmt.Sprint(i / 2), Role: Overlap})
	}
	p := create(t, Settings{Seed: 1, Each: 12, Checks: Checks{Repeats: 2}}, items)
	sheets := map[int64]int{}
	for _, name := range []string{"a", "b", "c", "d"} {
		who := person(t, p, name)
		count := 0
		if progress, err := p.Progress(who); err != nil || name == "a" && progress[0].Due != 14 {
			t.Errorf("%s: %v of items to do, error %v", name, progress, err)
		}
		for _, as := range finish(t, p, who, func(int64) bool { return false }, false) {
			if as.Kind == Overlap {
				sheets[as.Item]++
				count++
			}
		}
		if count != 12 {
			t.Errorf("%s gets %d items", name, count)
		}
	}
	for item, n := range sheets {
		if n != 2 {
			t.Errorf("item %d has %d sheets", item, n)
		}
	}
	if len(sheets) != 24 {
		t.Errorf("%d items have sheets", len(sheets))
	}
}

// TestSoakQuestionsApart: two answers to one question do not follow each other, not even across the end of a batch.
func TestSoakQuestionsApart(t *testing.T) {
	sharedtest.Soak(t)
	for seed := range uint64(20) {
		var items []Item
		for i := range 40 {
			items = append(items, Item{Kind: Answer, Source: fmt.Sprint(i), Cluster: fmt.Sprint(i % 8), Role: Main})
		}
		p := create(t, Settings{Seed: seed}, items)
		order := finish(t, p, person(t, p, "a"), func(int64) bool { return false }, false)
		for i := 10; i < 30; i += 10 {
			if a, b := order[i-1].Item, order[i].Item; items[a-1].Cluster == items[b-1].Cluster {
				t.Errorf("seed %d: items %d and %d follow each other", seed, a, b)
			}
		}
	}
}

// TestReopened: a finished sheet counts until the item is submitted, skipped or undone. A later draft or flag changes nothing.
func TestReopened(t *testing.T) {
	p := create(t, Settings{Seed: 1}, []Item{{Kind: Answer, Source: "s", Cluster: "c", Role: Main}})
	a := person(t, p, "a")
	blind := finish(t, p, a, func(int64) bool { return false }, false)[0].Blind
	lower := rubric.CQA().Full()
	lower["1"] = 0
	for i, step := range []struct {
		kind   string
		sheet  Sheet
		done   bool
		points string // points of criterion 1
	}{
		{Draft, ScoreSheet(lower), true, "1"},
		{Flag, Sheet{Reason: "a typo"}, true, "1"},
		{Draft, ScoreSheet(lower), true, "1"},
		{Undo, Sheet{}, false, "0"}, // the draft after the submit is reopened
		{Draft, ScoreSheet(rubric.CQA().Full()), false, "1"},
		{Submit, ScoreSheet(lower), true, "0"},
		{Flag, Sheet{Reason: "a typo"}, true, "0"},
		{Skip, Sheet{Reason: "no text"}, false, ""},
		{Draft, ScoreSheet(lower), false, ""},
	} {
		last, err := p.Last(blind)
		if err == nil && step.kind == Undo {
			_, err = p.UndoLast(a.ID, fmt.Sprint(i))
		} else if err == nil {
			_, err = p.Append(a.ID, Event{Item: blind, Revision: last.Revision, Kind: step.kind, Sheet: step.sheet, Nonce: fmt.Sprint(i)})
		}
		if err != nil {
			t.Fatalf("step %d: %v", i, err)
		}
		work, err := p.Work()
		progress, failed := p.Progress(a)
		if w := work[0]; err != nil || failed != nil || w.Done() != step.done || w.Last.Sheet.Values["1"] != step.points ||
			w.Last.Revision != i+2 || progress[0].Done != map[bool]int{true: 1}[w.Finished()] {
			t.Errorf("step %d, %s: done %v (%v), %+v; %v, %v", i, step.kind, w.Done(), progress, w.Last, err, failed)
		}
	}
}

// TestSkippedIsNotRepeated: a skipped item is not used as a repeated item.
func TestSkippedIsNotRepeated(t *testing.T) {
	var items []Item
	for i := range 20 {
		items = append(items, Item{Kind: Answer, Source: fmt.Sprint(i), Cluster: fmt.Sprint(i), Role: Main})
	}
	p := create(t, Settings{Seed: 1, Checks: Checks{Repeats: 3}}, items)
	a := person(t, p, "a")
	list := finish(t, p, a, func(int64) bool { return false }, true)
	if progress, err := p.Progress(a); err != nil || len(list) != 20 || progress[0] != (Progress{20, 20}) {
		t.Errorf("%d items, progress %v, %v", len(list), progress, err)
	}
}

func TestEventsStay(t *testing.T) {
	p := create(t, Settings{Seed: 1}, []Item{{Kind: Answer, Source: "s", Cluster: "c", Role: Main}})
	finish(t, p, person(t, p, "a"), func(int64) bool { return false }, false)
	for _, change := range []string{`DELETE FROM events`, `UPDATE events SET body = '{}'`} {
		if err := p.write(func(tx *sql.Tx) error { _, err := tx.Exec(change); return err }); err == nil {
			t.Errorf("%s works", change)
		}
	}
	for _, name := range []string{"", "adjudicated", "a b", "<b>", "../x", "a\u202eb", strings.Repeat("é", 41)} {
		if _, err := p.Invite(name); err == nil {
			t.Errorf("the name %q is accepted", name)
		}
	}
	token, _ := p.Invite("z")
	if texts, err := store.Value[int](p.s, `SELECT count(*) FROM annotators WHERE token_hash = ?`, token); err != nil || texts != 0 {
		t.Errorf("the token itself is stored: %d, %v", texts, err)
	}
}

// TestUndoAmongDrafts: if drafts of an item arrive during an undo, the undo follows one of them and never fails.
func TestUndoAmongDrafts(t *testing.T) {
	p := create(t, Settings{Seed: 1}, []Item{{Kind: Answer, Source: "s", Cluster: "c", Role: Main}})
	a := person(t, p, "a")
	blind := finish(t, p, a, func(int64) bool { return false }, false)[0].Blind
	drafts := make(chan error)
	go func() {
		for i := range 200 {
			last, err := p.Last(blind)
			if err == nil {
				_, err = p.Append(a.ID, Event{Item: blind, Revision: last.Revision, Kind: Draft, Sheet: last.Sheet, Nonce: fmt.Sprint("draft", i)})
			}
			if refusal := (*Refusal)(nil); err != nil && !errors.As(err, &refusal) {
				drafts <- err
				return
			}
		}
		drafts <- nil
	}()
	for i := range 50 {
		if again, err := p.UndoLast(a.ID, fmt.Sprint("undo", i)); err != nil || again != blind {
			t.Fatalf("undo %d: %q, %v", i, again, err)
		}
		for {
			last, err := p.Last(blind)
			if err == nil {
				_, err = p.Append(a.ID, Event{Item: blind, Revision: last.Revision, Kind: Submit, Sheet: ScoreSheet(rubric.CQA().Full()), Nonce: fmt.Sprint("submit", i, last.Revision)})
			}
			if err == nil {
				break
			}
			if refusal := (*Refusal)(nil); !errors.As(err, &refusal) {
				t.Fatal(err)
			}
		}
	}
	if err := <-drafts; err != nil {
		t.Fatal(err)
	}
}
