package project

import (
	"fmt"
	"strings"
	"testing"

	"compqa/rubric"
)

func fiveLevels(criteria int) rubric.Rubric {
	r := rubric.Rubric{Name: "five", Step: 1, Measurement: "interval"}
	for i := range criteria {
		c := rubric.Criterion{ID: fmt.Sprint("c", i), Name: fmt.Sprint("C", i)}
		for x := range 5 {
			c.Levels = append(c.Levels, rubric.Level{Points: float64(x + 1)})
		}
		r.Criteria = append(r.Criteria, c)
	}
	return r
}

// TestChecksArePlaced: each person gets as many checks of each kind as planned, with a gold and an attention item in each half of the
// work. Gold items cover all known values. The number of items to do stays the same at every step.
func TestChecksArePlaced(t *testing.T) {
	var list []Item
	for i := range 30 {
		it := Item{Kind: Answer, Source: fmt.Sprint(i), Cluster: fmt.Sprint(i), Role: Overlap, Content: Content{Question: "?", A: "Text."}}
		if i >= 20 {
			sheet := ScoreSheet(rubric.CQA().Full())
			if i >= 28 {
				sheet.Values["1"] = "0"
			}
			it.Role = Gold
			it.Expected = &sheet
		}
		list = append(list, it)
	}
	set := Settings{Seed: 1, Kind: Answer, Rubric: rubric.CQA(), Checks: Checks{Gold: 4, Repeats: 3, Attention: 2}}
	list = append(list, (&Project{Settings: set}).AttentionItems(list[:20])...)
	p := create(t, set, list)
	for n := range 2 { // they have all sheets that are wanted
		a := person(t, p, fmt.Sprint("a", n))
		counts := map[string]int{}
		values := map[string]int{}
		halves := map[string]map[bool]int{Gold: {}, Attention: {}}
		for i := 0; ; i++ {
			progress, err := p.Progress(a)
			if err != nil || progress[0] != (Progress{i, 29}) {
				t.Fatalf("step %d: %v, %v", i, progress, err)
			}
			blind, _ := p.Next(a)
			if blind == "" {
				break
			}
			as, _ := p.Assignment(a.ID, blind)
			if as.Kind == Gold || as.Kind == Attention {
				halves[as.Kind][counts[Overlap] >= 10]++
			}
			counts[as.Kind]++
			sheet := ScoreSheet(rubric.CQA().Full())
			if as.Kind == Attention {
				sheet.Reason = as.About.Expected.Reason
			}
			if as.Kind == Gold {
				values[as.About.Expected.Values["1"]]++
			}
			if _, err := p.Append(a.ID, Event{Item: blind, Kind: Submit, Sheet: sheet, Nonce: blind}); err != nil {
				t.Fatal(err)
			}
			if i > 40 {
				t.Fatal("no end")
			}
		}
		if counts[Overlap] != 20 || counts[Gold] != 4 || counts[Repeat] != 3 || counts[Attention] != 2 || values["0"] != 2 ||
			halves[Gold][true] == 0 || halves[Gold][false] == 0 || halves[Attention][true] != 1 || halves[Attention][false] != 1 {
			t.Errorf("%v, gold %v, halves %v", counts, values, halves)
		}
	}
}

// TestAttentionItems: with several criteria, an attention item asks for an option that is not at an end of the scale. With one criterion,
// yes/no values or pairs, it asks for a word.
func TestAttentionItems(t *testing.T) {
	host := Item{Kind: Answer, Source: "a", Cluster: "q", Content: Content{Question: "?", A: "Trams last."}}
	pair := Item{Kind: Pair, Source: "p", Cluster: "q", Content: Content{Question: "?", A: "Trams.", B: "Buses."}}
	yesNo := rubric.Rubric{Criteria: []rubric.Criterion{{ID: "c", Levels: rubric.Levels{{Points: 0}, {Points: 1}}}}, Step: 1, Measurement: "nominal"}
	stages := pair
	stages.Kind = Stages
	stages.Content.Attachments = []Attachment{{Judge: "j", Text: "table"}}
	for _, c := range []struct {
		rubric rubric.Rubric
		host   Item
		word   bool
	}{{fiveLevels(5), host, false}, {fiveLevels(1), host, true}, {yesNo, host, true}, {fiveLevels(5), pair, true}, {fiveLevels(5), stages, true}} {
		p := &Project{Settings: Settings{Kind: c.host.Kind, Rubric: c.rubric, Checks: Checks{Attention: 2}}}
		for _, it := range p.AttentionItems([]Item{c.host, c.host, c.host}) {
			right := Sheet{Values: map[string]string{}, Reason: strings.ToUpper("the " + it.Expected.Reason + ".")}
			for _, f := range p.Fields(it) {
				right.Values[f.ID] = f.Options[0].Value
				if !c.word {
					right.Values[f.ID] = it.Expected.Values[f.ID]
				}
				if at := right.Values[f.ID]; !c.word && (at == "1" || at == "5" || !strings.Contains(it.Content.A, "choose "+at+" for everything")) {
					t.Errorf("asks for %s: %s", at, it.Content.A)
				}
			}
			wrong := Sheet{Values: map[string]string{}, Reason: "a remark"}
			for _, f := range p.Fields(it) {
				wrong.Values[f.ID] = "1"
			}
			if (it.Expected.Reason != "") != c.word || it.Missed(right) || !it.Missed(wrong) || p.AttentionChance(it) < .95 ||
				len(it.Content.Attachments) > 0 || !strings.HasPrefix(it.Content.A, c.host.Content.A) {
				t.Errorf("%+v", it)
			}
		}
	}
}

// TestStopAtMissedAttention: a person is stopped at the second missed of two or three attention items, until the owner readmits the
// person. A missed item cannot be corrected by another submit or by undo.
func TestStopAtMissedAttention(t *testing.T) {
	for planned, stops := range map[int]int{0: 0, 1: 0, 2: 2, 3: 2, 4: 3, 6: 3} {
		if n := (Checks{Attention: planned}).StopsAt(); n != stops {
			t.Errorf("%d items stop at %d, want %d", planned, n, stops)
		}
	}
	list := items(8, Overlap)
	set := Settings{Seed: 1, Kind: Answer, Rubric: rubric.CQA(), Checks: Checks{Attention: 3}}
	list = append(list, (&Project{Settings: set}).AttentionItems(list)...)
	p := create(t, set, list)
	a := person(t, p, "a")
	missed := 0
	for {
		blind, err := p.Next(a)
		if err != nil {
			t.Fatal(err)
		}
		if blind == "" {
			break
		}
		as, _ := p.Assignment(a.ID, blind)
		stored, err := p.Append(a.ID, Event{Item: blind, Kind: Submit, Sheet: ScoreSheet(rubric.CQA().Full()), Nonce: blind})
		if err != nil {
			t.Fatal(err)
		}
		people, _ := p.Annotators()
		if as.Kind == Attention {
			missed++
			if (people[0].Stopped != "") != (missed >= 2) {
				t.Errorf("%d missed: stopped %q", missed, people[0].Stopped)
			}
			mended := Event{Item: blind, Revision: stored.Revision, Kind: Submit, Sheet: stored.Sheet, Nonce: "m" + blind}
			mended.Sheet.Reason = as.About.Expected.Reason
			if _, err := p.Append(a.ID, mended); err == nil {
				t.Error("a missed attention item is submitted again")
			}
			if again, _ := p.UndoLast(a.ID, "u"+blind); again == blind {
				t.Error("a missed attention item is opened again")
			} else if again != "" {
				last, _ := p.Last(again)
				if _, err := p.Append(a.ID, Event{Item: again, Revision: last.Revision, Kind: Submit, Sheet: last.Sheet, Nonce: "v" + blind}); err != nil {
					t.Fatal(err)
				}
			}
		}
		if missed == 2 && as.Kind == Attention {
			if err := p.Readmit("a"); err != nil {
				t.Fatal(err)
			}
			if people, _ = p.Annotators(); people[0].Stopped != "" {
				t.Error("the person is not let in again")
			}
		}
	}
	if missed != 3 {
		t.Errorf("%d attention items", missed)
	}
}
