package bench

import (
	"database/sql"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"compqa/results/store"
)

// twoQuestions writes a dataset of two questions, one of them without arguments.
func twoQuestions(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "q.csv")
	if err := os.WriteFile(path, []byte("object1,object2,arguments\ntennis,golf,\"[\"\"Golf takes longer than tennis.\"\"]\"\ntram,bus,\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// openRecord opens the database of a record for reading.
func openRecord(t *testing.T, dir string) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+filepath.Join(dir, store.RecordName)+"?_pragma=query_only(1)")
	if err != nil {
		t.Fatal(err)
	}
	return db
}

// rowsOf returns the result of a query on a record, one line per row.
func rowsOf(t *testing.T, dir, query string) string {
	t.Helper()
	db := openRecord(t, dir)
	defer db.Close()
	var all strings.Builder
	for _, row := range selected(t, db, query) {
		all.WriteString(strings.ReplaceAll(strings.TrimSuffix(row, "\t"), "\t", " ") + "\n")
	}
	return all.String()
}
