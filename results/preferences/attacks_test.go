package preferences

import (
	"testing"

	"compqa/results/store"
)

// A store returns the attacked answers and the hash that were written last. A second write replaces the first. An empty store has no hash
// and no answers to draw.
func TestAttacksOnRecord(t *testing.T) {
	s, err := store.Create(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if work, err := s.AttackWork(); work != "" || err != nil {
		t.Errorf("of an empty record: %q, %v", work, err)
	}
	list := []store.AttackedAnswer{{Judge: "j", Attack: "a", About: "does it", Expects: "fall", Answer: "a", Pair: "p", Before: 10, After: 9},
		{Judge: "j", Attack: "a", About: "does it", Expects: "fall", Answer: "b", Pair: "p", Before: 10, After: 8}}
	for _, work := range []string{"one", "two"} {
		if err := s.Write(func(b store.Batch) error { return b.SetAttacks(work, list) }); err != nil {
			t.Fatal(err)
		}
		if got, err := s.AttackWork(); got != work || err != nil {
			t.Errorf("%q, %v; want %q", got, err, work)
		}
	}
	got, err := store.Select[store.AttackedAnswer](s, `SELECT `+store.Columns[store.AttackedAnswer]()+` FROM attacks
		ORDER BY judge, position, answer`)
	if err != nil || len(got) != 2 || got[1] != list[1] {
		t.Errorf("%+v, %v; want %+v", got, err, list)
	}
	if some, err := s.SomeAnswers(5, 1); some != nil || err != nil {
		t.Errorf("answers of an empty record: %v, %v", some, err)
	}
}
