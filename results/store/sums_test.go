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
	add := func() error {
		return s.Write(func(b Batch) error {
			_, err := b.BeginRun(Provenance{Config: "{}"}, time.Now())
			return errors.Join(err, b.Question(data.CQA50()[0], 0))
		})
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
	if err := add(); err != nil {
		t.Fatal(err)
	}
	check(false, "") // as after a kill
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	check(true, "")
	for _, change := range []struct{ query, table, undo string }{
		{`UPDATE questions SET aspect = aspect || ' '`, "questions", `UPDATE questions SET aspect = trim(aspect)`},
		{`UPDATE run SET seed = 1`, "run", `UPDATE run SET seed = 0`},
		{`INSERT INTO adaptations VALUES ('', '', '', '', '')`, "adaptations", `DELETE FROM adaptations`},
	} {
		edit := func(query string) {
			t.Helper()
			db, err := Connect(s.Path, nil)
			if err != nil {
				t.Fatal(err)
			}
			defer db.Close()
			if _, err := db.Db.Exec(query); err != nil {
				t.Fatal(err)
			}
		}
		edit(change.query)
		check(true, change.table)
		if s, err = Create(dir); err != nil {
			t.Fatal(err)
		}
		if err := add(); !errors.As(err, new(ChangedError)) {
			t.Errorf("writing to a changed record gives %v; it would get new checksums", err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		check(true, change.table)
		edit(change.undo)
		check(true, "")
		if s, err = Create(dir); err != nil {
			t.Fatal(err)
		}
		if err := add(); err != nil {
			t.Error(err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		check(true, "")
	}
}
