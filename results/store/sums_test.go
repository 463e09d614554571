package store

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"compqa/data"
)

// TestSums: the checksums of a closed record detect every change by another program. A record whose writer was killed has none.
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
	check(false, "") // no checksums, as after a kill
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
			if _, err := db.db.Exec(query); err != nil {
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

// TestCheckCalls: a change of recorded calls is detected before a run's first request and before its first recorded call. A run without
// requests leaves their checksums unchanged.
func TestCheckCalls(t *testing.T) {
	dir := t.TempDir()
	open := func() *Store {
		t.Helper()
		s, err := Create(dir)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	begin := func(s *Store) error {
		return s.Write(func(b Batch) error { _, err := b.BeginRun(Provenance{Config: "{}"}, time.Now()); return err })
	}
	record := func(s *Store, key string) error {
		return s.Write(func(b Batch) error {
			_, err := b.Call(Call{Key: key, Request: []string{"a prompt"}, Status: data.Valid, Reply: "a reply"})
			return err
		})
	}
	s := open()
	if err := errors.Join(begin(s), s.CheckCalls(), record(s, "first"), s.Close()); err != nil {
		t.Fatal(err)
	}
	s = open()
	if err := errors.Join(s.CheckCalls(), record(s, "second"), s.Close()); err != nil {
		t.Fatal(err)
	}
	other, err := Connect(filepath.Join(dir, RecordName), nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := other.db.Exec(`UPDATE calls SET reply = 'another'`); err != nil {
		t.Fatal(err)
	}
	other.Close()
	for name, write := range map[string]func(s *Store) error{
		"CheckCalls": (*Store).CheckCalls,
		"a call":     func(s *Store) error { return record(s, "third") },
	} {
		s := open()
		if err := begin(s); err != nil {
			t.Error(err)
		}
		if err := write(s); !errors.As(err, new(ChangedError)) {
			t.Errorf("%s on a changed record gives %v", name, err)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
	read, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer read.Close()
	var changed ChangedError
	if _, err := read.CheckSums(t.Context()); !errors.As(err, &changed) || changed.Table != "calls" {
		t.Errorf("after runs that ask nothing: %v", err)
	}
}

// TestChecksum: the checksum of a table is the hash of all its values, each after its length.
func TestChecksum(t *testing.T) {
	s, err := Connect(filepath.Join(t.TempDir(), RecordName), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.db.Close()
	conn, err := s.db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	long := strings.Repeat("ä", 100) // 200 bytes: its length, plus one, takes two bytes
	if _, err := conn.ExecContext(t.Context(), `CREATE TABLE x (id INTEGER PRIMARY KEY, "order" TEXT, points REAL, body BLOB);
		INSERT INTO x VALUES (7, ?, 0.1, NULL), (300, '', 1e21, x'00ff')`, long); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		change, want string
		rows         int
	}{
		{"SELECT 1", "\x027" + "\xc9\x01" + long + "\x040.1" + "\x00" + "\x04300" + "\x01" + "\x061e+21" + "\x03\x00\xff", 2},
		{"DELETE FROM x", "", 0},
	} {
		sum := tableSum{Name: "x"}
		if _, err := conn.ExecContext(t.Context(), test.change); err != nil {
			t.Fatal(err)
		}
		if err := sum.read(conn); err != nil {
			t.Fatal(err)
		}
		if want := (tableSum{"x", test.rows, fmt.Sprintf("%x", sha256.Sum256([]byte(test.want)))}); sum != want {
			t.Errorf("%+v, want %+v", sum, want)
		}
	}
}

// TestCopySums: a copy has new checksums of the tables that were changed in it, and the record's of the others, so that a change by another
// program is noticed in the copy, too. A copy of a record without checksums has none.
func TestCopySums(t *testing.T) {
	dir := t.TempDir()
	s, err := Create(dir)
	if err != nil {
		t.Fatal(err)
	}
	copied := func(wantSealed bool, changed string) {
		t.Helper()
		to := t.TempDir()
		read, err := Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		defer read.Close()
		change := func(*Store) ([]string, error) { return []string{`UPDATE run SET seed = 5`}, nil }
		if err := read.Copy(t.Context(), filepath.Join(to, RecordName), change); err != nil {
			t.Fatal(err)
		}
		there, err := Open(to)
		if err != nil {
			t.Fatal(err)
		}
		defer there.Close()
		sealed, err := there.CheckSums(t.Context())
		var other ChangedError
		errors.As(err, &other)
		if seed, _ := Value[int](there, `SELECT seed FROM run`); sealed != wantSealed || other.Table != changed || seed != 5 {
			t.Errorf("seed %d, sealed %v, %v; want %v, a change of %q", seed, sealed, err, wantSealed, changed)
		}
	}
	if err := s.Write(func(b Batch) error {
		_, err := b.BeginRun(Provenance{Config: "{}"}, time.Now())
		return errors.Join(err, b.Question(data.CQA50()[0], 0))
	}); err != nil {
		t.Fatal(err)
	}
	copied(false, "")
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	copied(true, "")
	other, err := Connect(s.Path, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := other.db.Exec(`UPDATE questions SET aspect = ''`); err != nil {
		t.Fatal(err)
	}
	other.Close()
	copied(true, "questions")
}
