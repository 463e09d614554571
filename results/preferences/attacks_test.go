package preferences

import (
	"bytes"
	"strings"
	"testing"

	"compqa/results/judgequality"
	"compqa/results/store"
	"compqa/results/table"
)

// attackedTwice are an attack on two answers to one question and two to another.
func attackedTwice(spoils bool, changes ...float64) []store.AttackedAnswer {
	var list []store.AttackedAnswer
	for i, c := range changes {
		list = append(list, store.AttackedAnswer{Judge: "j", Attack: "a", About: "does it", Spoils: spoils, Answer: string(rune('a' + i)), Pair: string(rune('p' + i/2)), Before: 10, After: 10 + c})
	}
	return list
}

func TestAttackOutcomes(t *testing.T) {
	for _, of := range []struct {
		spoils  bool
		changes []float64
		want    string
	}{
		{true, []float64{-3, -3.1, -3, -3.1, -3, -3.1}, "noticed"},
		{true, []float64{-1.9}, "noticed"}, // one answer has no bounds: a tenth of 19 points
		{true, []float64{-0.5, -0.6, -0.5, -0.6, -0.5, -0.6}, "hardly"},
		{true, []float64{-5, 5, -5, 5}, "unnoticed"},
		{true, []float64{0, 0.1, 0, -0.1}, "unnoticed"},
		{true, []float64{0, 0, 0, 0}, "degenerate"},
		{true, []float64{0.5, 0.6, 0.5, 0.6, 0.5, 0.6}, "rewarded"},
		{false, []float64{0.5, 0.6, 0.5, 0.6, 0.5, 0.6}, "rewarded"},
		{false, []float64{0, 0, 0, 0}, "degenerate"}, // it says the same of every text
		{false, []float64{0, -1}, "resisted"},
		{false, []float64{-2, -2.1, -2, -2.1}, "resisted"},
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
	if r := rows[0]; *r.Before.Number != 10 || *r.After.Number != 8.5 || *r.Change.Value.Number != -1.5 {
		t.Errorf("%+v", r)
	}
	var view bytes.Buffer
	if err := table.CSV(rows)(&view); err != nil || !strings.HasPrefix(view.String(), "judge,attack,n,before,after,change,change_low,change_high,outcome\nj,a,2,10,8.5,-1.5,") {
		t.Errorf("%s, %v", view.String(), err)
	}
	var terminal bytes.Buffer
	if err := judgequality.AttackTable(rows).Terminal(&terminal); err != nil || !strings.Contains(terminal.String(), "-1.50") {
		t.Errorf("%s, %v", terminal.String(), err)
	}
	if text := judgequality.AttackTable(rows).Markdown(); !strings.Contains(text, "| a ") {
		t.Error(text)
	}
}

func TestAttacksOnRecord(t *testing.T) {
	s, err := store.Create(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if work, err := s.AttackWork(); work != "" || err != nil {
		t.Errorf("of an empty record: %q, %v", work, err)
	}
	list := attackedTwice(true, -1, -2)
	for _, work := range []string{"one", "two"} {
		if err := s.Write(func(b store.Batch) error { return b.SetAttacks(work, list) }); err != nil {
			t.Fatal(err)
		}
		if got, err := s.AttackWork(); got != work || err != nil {
			t.Errorf("%q, %v; want %q", got, err, work)
		}
	}
	got, err := store.Select[store.AttackedAnswer](s, `FROM attacks ORDER BY judge, position, answer`)
	if err != nil || len(got) != 2 || got[1] != list[1] {
		t.Errorf("%+v, %v; want %+v", got, err, list)
	}
	if some, err := s.SomeAnswers(5, 1); some != nil || err != nil {
		t.Errorf("answers of an empty record: %v, %v", some, err)
	}
}
