package store

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"compqa/data"
)

func TestStoreVersions(t *testing.T) {
	dir := t.TempDir()
	s, err := Create(dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.db.Exec("PRAGMA user_version = 99"); err != nil {
		t.Fatal(err)
	}
	s.Close()
	for name, open := range map[string]func(string) (*Store, error){"Open": Open, "Create": Create} {
		if _, err := open(dir); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("has format 99; this compqa reads format %d", formatVersion)) {
			t.Errorf("%s of another format: %v", name, err)
		}
	}
}

// TestStoreOfOthers: a missing record, a file that is not a database, and a database of another program each give an error that says so.
func TestStoreOfOthers(t *testing.T) {
	if _, err := Open(t.TempDir()); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a folder without a record: %v", err)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, RecordName), []byte("this is no database, whatever its name says, and it is long enough to be read"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(dir); err == nil || !strings.Contains(err.Error(), filepath.Join(dir, RecordName)) {
		t.Errorf("a torn file: %v; want an error that names it", err)
	}
	other := t.TempDir()
	s, err := Connect(filepath.Join(other, RecordName), nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.db.Exec("CREATE TABLE x (y)"); err != nil {
		t.Fatal(err)
	}
	s.Close()
	if _, err := Create(other); err == nil || !strings.Contains(err.Error(), "a database of another program") {
		t.Errorf("another program's database: %v", err)
	}
}

// TestPlanChanges: a cell whose fingerprint changed loses its results and the verdicts on them. A cell that has left the plan keeps its
// results, which reports do not show.
func TestPlanChanges(t *testing.T) {
	s, err := Create(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := s.Write(func(b Batch) error {
		_, err := b.BeginRun(Provenance{Rubric: `{"name": "x"}`}, time.Unix(0, 0))
		return err
	}); err != nil {
		t.Fatal(err)
	}
	cell := func(kind, judge, fingerprint string) PlanCell {
		return PlanCell{Kind: kind, Judge: judge, System: "s", Scenario: "1", Planned: 1, Fingerprint: fingerprint}
	}
	plan := func(cells ...PlanCell) {
		t.Helper()
		if err := s.Write(func(b Batch) error { return b.SetPlan(FromConfig, nil, nil, cells) }); err != nil {
			t.Fatal(err)
		}
	}
	count := func(view string) (n int) {
		t.Helper()
		if err := s.db.QueryRow("SELECT count(*) FROM " + view).Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	fill := func() {
		t.Helper()
		if err := s.Write(func(b Batch) error {
			return errors.Join(
				b.Answer(data.Answer{ID: "a", System: "s", Scenario: "1", Status: data.Valid}, Size{}, nil),
				b.Verdict(data.Verdict{Answer: "a", Judge: "j", Repeat: 1, Status: data.Refused}, nil),
				b.Verdict(data.Verdict{Answer: "a", Judge: "k", Repeat: 1, Status: data.Refused}, nil))
		}); err != nil {
			t.Fatal(err)
		}
	}
	plan(cell(KindAnswer, "", "1"), cell(KindVerdict, "j", "1"), cell(KindVerdict, "k", "1"))
	fill()
	plan(cell(KindAnswer, "", "1"), cell(KindVerdict, "j", "2"))
	if a, v := count("answers"), count("verdicts"); a != 1 || v != 1 {
		t.Errorf("a judge changed: %d answers and %d verdicts, want 1 and the other judge's 1", a, v)
	}
	plan(cell(KindAnswer, "", "2"), cell(KindVerdict, "j", "3"))
	if a, v := count("answers"), count("verdicts"); a != 0 || v != 0 {
		t.Errorf("the answers changed: %d answers and %d verdicts, want none", a, v)
	}
}

// TestReadingWritesNothing: a reader writes nothing into the record's folder, neither a log nor any other file, even when it closes the
// record.
func TestReadingWritesNothing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s, err := Create(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(s.Write(func(b Batch) error { return b.Question(data.Question{ID: "q"}, 0) }), s.Close()); err != nil {
		t.Fatal(err)
	}
	state := func() (list []string) {
		files, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			content, _ := os.ReadFile(filepath.Join(dir, f.Name()))
			info, err := f.Info()
			if err != nil {
				t.Fatal(err)
			}
			list = append(list, fmt.Sprintf("%s %x %s", f.Name(), sha256.Sum256(content), info.ModTime()))
		}
		return list
	}
	before := state()
	reader, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	n, err := Value[int](reader, `SELECT count(*) FROM questions`)
	if n != 1 || err != nil {
		t.Errorf("%d questions, %v", n, err)
	}
	while := state()
	if err := reader.Close(); err != nil {
		t.Fatal(err)
	}
	if after := state(); !slices.Equal(before, while) || !slices.Equal(before, after) {
		t.Errorf("before\n%v\nwhile it is read\n%v\nafter\n%v", before, while, after)
	}
}
