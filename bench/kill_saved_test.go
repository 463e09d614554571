package bench

import (
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"compqa/results/store"
)

// A savedRecord is the content of a record at one moment, by table and key.
type savedRecord struct {
	rows    map[string]string
	settled map[string]bool // keys of what need not be requested again
}

var askedID = regexp.MustCompile(`asked-([0-9a-f]{16})`)

// save reads the record of a run that is not in progress, and checks the file. It reads a copy, because the last process that closes a
// record merges its log. The next process must find the record as the previous one left it.
func save(t *testing.T, dir string) savedRecord {
	t.Helper()
	r := savedRecord{rows: map[string]string{}, settled: map[string]bool{}}
	copied := t.TempDir()
	for _, name := range []string{store.RecordName, store.RecordName + "-wal"} {
		content, err := os.ReadFile(filepath.Join(dir, name))
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err == nil {
			err = os.WriteFile(filepath.Join(copied, name), content, 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	defer os.RemoveAll(copied)
	db, err := sql.Open("sqlite", filepath.Join(copied, store.RecordName))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var tables int
	var sound string
	if err := errors.Join(db.QueryRow("PRAGMA integrity_check").Scan(&sound), db.QueryRow("SELECT count(*) FROM sqlite_schema WHERE name = 'calls'").Scan(&tables)); err != nil || sound != "ok" {
		t.Fatalf("the record is not intact: %s, %v", sound, err)
	}
	if tables == 0 {
		return r // killed before the record was created
	}
	// A failed call is repeated until a result that uses it is recorded, so it counts only together with a result.
	for _, query := range []string{
		"SELECT 'call ' || id, * FROM calls WHERE status = 'valid' OR id IN (SELECT value FROM answers, json_each(answers.calls) UNION SELECT value FROM verdicts, json_each(verdicts.calls))",
		"SELECT 'attempt ' || call || ' ' || n, * FROM attempts",
		"SELECT 'answer ' || id, * FROM answers",
		"SELECT 'verdict ' || judge || ' ' || answer || ' ' || repeat, * FROM verdicts",
		"SELECT 'question ' || id, * FROM questions",
	} {
		for _, row := range selected(t, db, query) {
			key, _, _ := strings.Cut(row, "\t")
			if _, twice := r.rows[key]; twice {
				t.Fatalf("%s is on record twice", key)
			}
			r.rows[key] = row
			if strings.HasPrefix(key, "call ") {
				r.settled[askedID.FindStringSubmatch(row[strings.LastIndex(row, `"id":"asked-`):])[1]] = true
			}
		}
	}
	return r
}

// keeps fails the test unless everything that was on record before is still there unchanged.
func (r savedRecord) keeps(t *testing.T, before savedRecord) {
	t.Helper()
	for key, row := range before.rows {
		if now, there := r.rows[key]; !there || now != row {
			t.Fatalf("on record was\n%.300s\nand now is\n%.300s", row, now)
		}
	}
}

// same compares two runs: their records, the requests of each call, and the reports about answers and verdicts.
func same(t *testing.T, dir, undisturbed string) {
	t.Helper()
	if got, want := contents(t, dir), contents(t, undisturbed); got != want {
		t.Errorf("the record differs from an undisturbed run's: %s", firstDifference(got, want))
	}
	var requests [2]map[string]string
	for i, dir := range []string{dir, undisturbed} {
		requests[i] = map[string]string{}
		db, err := store.Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		for _, key := range callKeys(t, dir) {
			if requests[i][key], err = db.CallRequest(key); err != nil {
				t.Fatal(err)
			}
		}
	}
	for key, want := range requests[1] {
		if got := requests[0][key]; got != want {
			t.Errorf("call %s is on record as %.200s, and undisturbed as %.200s", key, got, want)
		}
	}
	for _, name := range []string{"tables/leaderboard.csv", "tables/agreement.csv", "tables/verdicts.csv", "tables/answers.csv", "tables/failures.csv"} {
		got, err1 := os.ReadFile(filepath.Join(dir, name))
		want, err2 := os.ReadFile(filepath.Join(undisturbed, name))
		if missing := os.IsNotExist(err1) && os.IsNotExist(err2); !missing && (err1 != nil || err2 != nil || string(got) != string(want)) { // tables without rows are not written
			t.Errorf("%s differs (%v, %v)", name, err1, err2)
		}
	}
}

func callKeys(t *testing.T, dir string) []string {
	t.Helper()
	db := openRecord(t, dir)
	defer db.Close()
	keys := selected(t, db, "SELECT DISTINCT key FROM calls ORDER BY key")
	for i := range keys {
		keys[i] = strings.TrimSpace(keys[i])
	}
	return keys
}
