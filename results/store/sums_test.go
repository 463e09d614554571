package store

import (
	"errors"
	"testing"
	"time"

	"compqa/data"
)

// TestSums: a closed record has checksums, which find every change by another program; one whose
// writer was killed has none.
func TestSums(t *testing.T) {
	dir := t.TempDir()
	s, err := Create(dir)
	if err != nil {
		t.Fatal(err)
	}
	begin := func() {
		t.Helper()
		if err := s.Write(func(b Batch) error {
			_, err := b.BeginRun(Provenance{Config: "{}"}, time.Now())
			return errors.Join(err, b.Question(data.CQA50()[0], 0))
		}); err != nil {
			t.Fatal(err)
		}
	}
	check := func(wantSealed bool, table string) {
		t.Helper()
		read, err := Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		defer read.Close()
		sealed, err := read.CheckSums(t.Context())
		var changed ChangedError
		if sealed != wantSealed || errors.As(err, &changed) != (table != "") || changed.Table != table {
			t.Errorf("sealed %v, %v; want %v, a change of %q", sealed, err, wantSealed, table)
		}
	}
	begin()
	check(false, "") // as after a kill
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	check(true, "")
	for _, change := range []struct{ query, table, after string }{ // after: when the program has written again
		{`UPDATE questions SET aspect = aspect || ' '`, "questions", ""},
		{`DELETE FROM questions`, "questions", ""},
		{`UPDATE run SET seed = 1`, "run", ""},
		{`INSERT INTO adaptations VALUES ('', '', '', '', '')`, "adaptations", "adaptations"},
	} {
		db, err := Connect(s.Path, nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := db.Db.Exec(change.query); err != nil {
			t.Fatal(err)
		}
		check(true, change.table)
		db.Close()
		if s, err = Create(dir); err != nil {
			t.Fatal(err)
		}
		begin()
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		check(true, change.after)
	}
}
