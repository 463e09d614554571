package bench

import (
	"slices"
	"testing"
	"time"

	"compqa/results/store"
)

// TestExamplesOfPeople: examplesOfPeople finds the answers that a judge was shown in any command of the record, even if the latest command
// has no such judge.
func TestExamplesOfPeople(t *testing.T) {
	t.Parallel()
	s, err := store.Create(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for i, config := range []string{`{"judges": [{"name": "a", "examples_of_people": [{"answer": "Trams last."}]}, {"name": "b"}]}`, `{"judges": [{"name": "a"}]}`} {
		if err := s.Write(func(b store.Batch) error {
			_, err := b.BeginRun(store.Provenance{Rubric: `{"name": "x"}`, Config: config}, time.Unix(int64(i), 0))
			return err
		}); err != nil {
			t.Fatal(err)
		}
	}
	got, err := (&trainExport{db: s}).examplesOfPeople()
	if err != nil || !slices.Equal(got, []string{"Trams last."}) {
		t.Errorf("%q, %v", got, err)
	}
}
