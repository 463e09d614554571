package judgequality_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"compqa/data"
	"compqa/results/dataset"
	"compqa/results/judgequality"
	"compqa/results/recordtest"
	"compqa/results/store"
	"compqa/results/table"
	"compqa/stats"
)

// shouldDo returns what the points of an attacked answer should do, by whether the attack spoils it.
func shouldDo(spoils bool) string {
	if spoils {
		return data.Falls
	}
	return data.NoRise
}

// attackedTwice returns the results of an attack, with two answers to each question.
func attackedTwice(spoils bool, changes ...float64) []store.AttackedAnswer {
	var list []store.AttackedAnswer
	for i, c := range changes {
		list = append(list, store.AttackedAnswer{Judge: "j", Attack: "a", About: "does it", Expects: shouldDo(spoils), Answer: string(rune('a' + i)), Pair: string(rune('p' + i/2)), Before: 10, After: 10 + c})
	}
	return list
}

// Each outcome of an attack follows from the changes in points, two answers per question.
func TestAttackOutcomes(t *testing.T) {
	for _, of := range []struct {
		spoils  bool
		changes []float64
		want    string
	}{
		{true, []float64{-3, -3.1, -3, -3.2, -3, -3.3}, "noticed"},
		{true, []float64{-3, -3, -3, -3, -3, -3, -3, -3, -3, -3, -3, -3}, "noticed"}, // equal changes on 6 questions are significant
		{true, []float64{-3, -3, -3, -3, -3, -3, -3, -3, -3, -3}, "not enough data"},
		{true, []float64{-1.9}, "not enough data"},
		{false, []float64{2}, "not enough data"},
		{true, []float64{-0.5, -0.6, -0.5, -0.7, -0.5, -0.8}, "hardly"},
		{true, []float64{-5, 5, -5, 5.5}, "unnoticed"},
		{true, []float64{0, 0.1, 0, -0.1}, "unnoticed"},
		{true, []float64{0, 0, 0, 0}, "degenerate"},
		{true, []float64{0.5, 0.6, 0.5, 0.7, 0.5, 0.8}, "rewarded"},
		{false, []float64{0.5, 0.6, 0.5, 0.7, 0.5, 0.8}, "rewarded"},
		{false, []float64{0, 0, 0, 0}, "degenerate"}, // all texts get the same points
		{false, []float64{0, -1, 0, -2}, "resisted"},
		{false, []float64{-2, -2.1, -2, -2.2}, "resisted"},
	} {
		rows, err := judgequality.AttackRows(attackedTwice(of.spoils, of.changes...), 19)
		if err != nil || len(rows) != 1 || rows[0].N != len(of.changes) {
			t.Fatalf("%v: %v, %v", of.changes, rows, err)
		}
		if rows[0].Outcome != of.want {
			t.Errorf("changes %v (spoilt: %v): %s, want %s", of.changes, of.spoils, rows[0].Outcome, of.want)
		}
	}
	if rows, err := judgequality.AttackRows(nil, 19); rows != nil || err != nil {
		t.Errorf("of nothing: %v, %v", rows, err)
	}
}

func TestAttackRowsByHand(t *testing.T) {
	list := append(attackedTwice(true, -1, -2), store.AttackedAnswer{Judge: "j", Attack: "b", Answer: "a", Pair: "p", Before: 4, After: 4.5})
	rows, err := judgequality.AttackRows(list, 19)
	if err != nil || len(rows) != 2 {
		t.Fatal(rows, err)
	}
	if r := rows[0]; r.Before.Value != 10 || r.After.Value != 8.5 || r.Change.Value != -1.5 {
		t.Errorf("%+v", r)
	}
	var view bytes.Buffer
	if err := table.CSV(rows)(&view); err != nil || !strings.HasPrefix(view.String(), "judge,probe,expects,n,before,after,change,change_low,change_high,fell,rose,outcome\nj,a,fall,2,10,8.5,-1.5,,,1,0,") {
		t.Errorf("%s, %v", view.String(), err)
	}
	var terminal bytes.Buffer
	if err := judgequality.AttackTable(rows).Terminal(&terminal); err != nil || !strings.Contains(terminal.String(), "−1.50") {
		t.Errorf("%s, %v", terminal.String(), err)
	}
	if text := judgequality.AttackTable(rows).Markdown(); !strings.Contains(text, "| a ") {
		t.Error(text)
	}
}

// An embedded judge without recorded attacks does not order the systems; with attacks it does. A model needs no attacks.
func TestNotAttacked(t *testing.T) {
	totals := recordtest.Sawtooth(12, 5)
	for kind, attacked := range map[string]bool{dataset.KindEmbedded: false, dataset.KindEmbedded + " attacked": true, "model": false} {
		name, _, _ := strings.Cut(kind, " ")
		x := recordtest.Of(map[string]string{"j": name}, recordtest.By("j", "s", "1", totals...), recordtest.By("j", "t", "1", totals...)).Dataset(t)
		if attacked {
			x.Run.Attacked = []store.AttackedAnswer{{Judge: "j", Attack: "empty praise", Answer: "a", Pair: "p", Before: 4, After: 3}}
		}
		of := tablesOf(t, x)
		if barred := strings.HasPrefix(of.Barred["j"], "has no attacks on record"); barred != (kind == dataset.KindEmbedded) {
			t.Errorf("%s: barred %q, order %q", kind, of.Barred["j"], of.Leaderboard().Order.Sentence)
		}
		if none := strings.HasPrefix(of.Leaderboard().Order.Sentence, "The systems have no ranks"); none != (kind == dataset.KindEmbedded) {
			t.Errorf("%s: %q", kind, of.Leaderboard().Order.Sentence)
		}
	}
}

// TestAttacksOfARun checks figures by hand, a judge that has left the run, and the texts of pages.
func TestAttacksOfARun(t *testing.T) {
	totals := recordtest.Sawtooth(12, 5)
	x := recordtest.Of(map[string]string{"human": dataset.KindHuman}, recordtest.By("j", "s", "1", totals...), recordtest.By("k", "s", "1", totals...),
		recordtest.By("human", "s", "1", totals...)).Dataset(t)
	add := func(judge, attack string, spoils bool, changes ...float64) {
		for i, change := range changes {
			x.Run.Attacked = append(x.Run.Attacked, store.AttackedAnswer{Judge: judge, Attack: attack, About: "about " + attack, Expects: shouldDo(spoils),
				Answer: string(rune('a' + i)), Pair: string(rune('p' + i/2)), Before: 4, After: 4 + change})
		}
	}
	add("gone", "objects swapped", true, -1, -1)
	add("j", "objects swapped", true, -1, -1.4, -1, -1.5, -1, -1.6)
	add("j", "sentences shuffled", true, 0, 0.1, 0, -0.1)
	add("j", "empty praise", false, 0.5, 0.75, 0.5, 0.7, 0.5, 0.8)
	add("k", "objects swapped", true, 1, 2, 1, 2.1, 1, 1.9)
	of := tablesOf(t, x)
	want := []struct {
		judge, attack, outcome string
		n                      int
		change                 float64
	}{{"j", "objects swapped", "noticed", 6, -1.25}, {"j", "sentences shuffled", "unnoticed", 4, 0},
		{"j", "empty praise", "rewarded", 6, 0.625}, {"k", "objects swapped", "rewarded", 6, 1.5}}
	if len(of.Attacked) != len(want) {
		t.Fatalf("%d rows: %+v", len(of.Attacked), of.Attacked)
	}
	for i, w := range want {
		r := of.Attacked[i]
		if r.Judge != w.judge || r.Attack != w.attack || r.Outcome != w.outcome || r.N != w.n || r.About != "about "+w.attack {
			t.Errorf("row %d is %+v, want %+v", i, r, w)
		}
		recordtest.Near(t, w.attack+": before", r.Before, 4)
		recordtest.Near(t, w.attack+": after", r.After, 4+w.change)
		recordtest.Near(t, w.attack+": the change", r.Change, w.change)
	}
	interval, err := stats.MeanInterval([]float64{0, 0.1, 0, -0.1}, []int{0, 0, 1, 1}, dataset.Confidence)
	if err != nil {
		t.Fatal(err)
	}
	recordtest.Near(t, "the lower bound, by question", of.Attacked[1].Change.Lower(), interval.Low)
	recordtest.Near(t, "the upper bound, by question", of.Attacked[1].Change.Upper(), interval.High)

	text := "Of 3 changes that make answers worse or no better, j does not clearly detect 2: sentences shuffled, empty praise."
	if lines := of.TrustLines("j"); !slices.Contains(lines, text) {
		t.Errorf("%q, want %q", lines, text)
	}
	if len(of.Barred) != 1 || of.Barred["j"] != "rewards empty praise" {
		t.Errorf("barred: %v", of.Barred)
	}
	for i, want := range []string{"noticed", "not noticed"} {
		if row := of.TrustSection().Table.Rows[i]; row[len(row)-1].Text != want {
			t.Errorf("swapped objects, %s: %s, want %s", row[0].Text, row[len(row)-1].Text, want)
		}
	}
	page := of.DatasheetsDocument()
	if len(page.Sections) != 2 || len(page.Sections[0].Table.Rows) != 4 || len(page.Sections[1].Table.Rows) != 3 || !strings.Contains(page.Markdown(), "about empty praise") {
		t.Errorf("%+v", page)
	}
}
