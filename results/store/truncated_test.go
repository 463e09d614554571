package store

import (
	"bytes"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"compqa/data"
)

// tornRecord makes a record of 200 answers as a killed process leaves it: half of them in the file and half in its log, one transaction
// each.
func tornRecord(t *testing.T) (dir string) {
	t.Helper()
	living := t.TempDir()
	dir = t.TempDir()
	s, err := Create(living)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for i := range 200 {
		if i == 100 {
			if _, err := s.db.Exec("PRAGMA wal_checkpoint(TRUNCATE)"); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.Write(func(b Batch) error {
			return b.Answer(data.Answer{ID: fmt.Sprintf("answer-%03d", i), System: "s", Scenario: "1", Repeat: 1, Status: data.Valid, Text: strings.Repeat("word ", 100)}, Size{}, nil)
		}); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{RecordName, RecordName + "-wal"} {
		content, err := os.ReadFile(filepath.Join(living, name))
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, name), content, 0o644)
		}
		if err != nil || len(content) < 10<<10 {
			t.Fatalf("%s has %d bytes, %v", name, len(content), err)
		}
	}
	return dir
}

// TestTruncatedFile: a record that is cut short, emptied, overwritten or of a newer format is refused by readers and writers. The error
// says what is wrong and what to do, and the file is unchanged.
func TestTruncatedFile(t *testing.T) {
	const damaged = "the file is damaged (truncated or overwritten by another program); restore a copy of its folder, or start again with another --out"
	const emptied = "the file is empty, although its folder has results of a run: restore a copy of the folder, or start again with another --out"
	cut := func(to int) func(string, []byte) []byte {
		return func(_ string, content []byte) []byte { return content[:min(to, len(content))] }
	}
	tests := []struct {
		name string
		log  bool // keep the log
		tear func(dir string, content []byte) []byte
		want string
	}{
		{"cut after a page", false, cut(8192), damaged},
		{"cut within a page", false, cut(10000), damaged},
		{"cut within its head", false, cut(50), damaged},
		{"without its last byte", false, func(_ string, content []byte) []byte { return content[:len(content)-1] }, damaged},
		{"overwritten from the start", false, func(_ string, content []byte) []byte { return bytes.Repeat([]byte("not this "), len(content)/9) }, damaged},
		{"emptied, with its log", true, cut(0), emptied},
		{"emptied, with reports", false, func(dir string, _ []byte) []byte {
			os.WriteFile(filepath.Join(dir, "report.md"), nil, 0o644)
			return nil
		}, emptied},
		{"of another format", false, func(_ string, content []byte) []byte {
			content[60+3] = formatVersion + 1 // of the head: PRAGMA user_version, big-endian, at 60 (sqlite.org/fileformat2.html, 1.3)
			return content
		}, fmt.Sprintf("has format %d; this compqa reads format %d: run again into a new folder (--out DIR)", formatVersion+1, formatVersion)},
	}
	for _, test := range tests {
		dir := tornRecord(t)
		path := filepath.Join(dir, RecordName)
		if !test.log { // checkpoint the log, as a process does that ends normally
			s, err := Create(dir)
			if err != nil {
				t.Fatal(err)
			}
			s.Close()
		}
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		content = test.tear(dir, slices.Clone(content))
		if err := os.WriteFile(path, content, 0o644); err != nil {
			t.Fatal(err)
		}
		log, _ := os.ReadFile(path + "-wal")
		for name, open := range map[string]func(string) (*Store, error){"Open": Open, "Create": Create} {
			if _, err := open(dir); err == nil || !strings.Contains(err.Error(), test.want) || !strings.Contains(err.Error(), path) {
				t.Errorf("%s, %s: %v\nwant %s", test.name, name, err, test.want)
			}
			now, _ := os.ReadFile(path)
			nowLog, _ := os.ReadFile(path + "-wal")
			if !bytes.Equal(now, content) || !bytes.Equal(nowLog, log) {
				t.Errorf("%s: %s has changed the file", test.name, name)
			}
		}
	}
}

// TestTornLog: if the end of a log is cut or damaged, all complete transactions before the damage are read, and the record can be
// continued. A lone empty file is taken for a record whose creation was interrupted.
func TestTornLog(t *testing.T) {
	tests := []struct {
		name        string
		tear        func(log []byte) []byte
		least, most int // numbers of answers that must be readable
	}{
		{"whole", func(log []byte) []byte { return log }, 200, 200},
		{"with more behind it", func(log []byte) []byte { return append(log, bytes.Repeat([]byte("garbage "), 2000)...) }, 200, 200},
		{"without its last byte", func(log []byte) []byte { return log[:len(log)-1] }, 199, 199},
		{"cut in the middle", func(log []byte) []byte { return log[:len(log)/2+7] }, 101, 199},
		{"spoilt in the middle", func(log []byte) []byte { log[len(log)/2]++; return log }, 101, 199},
		{"cut within its head", func(log []byte) []byte { return log[:10] }, 100, 100},
		{"empty", func(log []byte) []byte { return nil }, 100, 100},
	}
	for _, test := range tests {
		dir := tornRecord(t)
		path := filepath.Join(dir, RecordName+"-wal")
		log, err := os.ReadFile(path)
		if err == nil {
			err = os.WriteFile(path, test.tear(log), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
		s, err := Create(dir)
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		if err := s.Write(func(b Batch) error {
			return b.Answer(data.Answer{ID: "one more", System: "s", Scenario: "1", Repeat: 1, Status: data.Valid}, Size{}, nil)
		}); err != nil {
			t.Errorf("%s: %v", test.name, err)
		}
		s.Close()
		s, err = Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		var ids []string
		var sound string
		err = s.EachAnswer("s", "1", func(a data.Answer) error { ids = append(ids, a.ID); return nil })
		if err == nil {
			err = s.db.QueryRow("PRAGMA integrity_check").Scan(&sound)
		}
		s.Close()
		n := len(ids) - 1
		if err != nil || sound != "ok" || n < test.least || n > test.most || ids[n] != "one more" || ids[n-1] != fmt.Sprintf("answer-%03d", n-1) {
			t.Errorf("%s: %d answers, the last is %s, and the file is %s, %v", test.name, n, ids[max(0, n)], sound, err)
		}
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, RecordName), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	s, err := Create(dir)
	if err != nil {
		t.Fatalf("an empty file by itself: %v", err)
	}
	s.Close()
}

// TestKilledWhileClosing: a process killed while it switches the record's journal mode leaves a journal that readers may not roll back.
// The record can still be read, unchanged.
func TestKilledWhileClosing(t *testing.T) {
	from := t.TempDir()
	to := t.TempDir()
	s, err := Create(from)
	if err != nil {
		t.Fatal(err)
	}
	s.Close()
	path := filepath.Join(from, RecordName)
	db, err := sql.Open("sqlite", "file:"+path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	conn, err := db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	for _, query := range []string{"PRAGMA cache_size(5)", "BEGIN", "DROP TABLE answers",
		"CREATE TABLE answers AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000) SELECT i, hex(zeroblob(200)) FROM n"} {
		if _, err := conn.ExecContext(t.Context(), query); err != nil {
			t.Fatal(query, err)
		}
	}
	for _, name := range []string{RecordName, RecordName + "-journal"} {
		content, err := os.ReadFile(filepath.Join(from, name))
		if err == nil {
			err = os.WriteFile(filepath.Join(to, name), content, 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	read, err := Open(to)
	if err != nil {
		t.Fatal(err)
	}
	read.Close()
	again, err := Create(to)
	if err != nil {
		t.Fatal(err)
	}
	again.Close()
}
