//go:build unix

package store

import (
	"database/sql"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"compqa/data/sharedtest"
)

// edited returns a record that another program has changed with an SQL statement.
func edited(t *testing.T, query string) string {
	t.Helper()
	dir := t.TempDir()
	s, err := Create(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", filepath.Join(dir, RecordName))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec(query); err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestStrangersSchema: readers and the writer refuse a record with a foreign schema before any text of it can become SQL.
func TestStrangersSchema(t *testing.T) {
	victim := filepath.Join(t.TempDir(), "victim.db")
	db, err := sql.Open("sqlite", victim)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.Exec(`CREATE TABLE t (x); INSERT INTO t VALUES ('mine')`); err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for name, query := range map[string]string{
		"a table whose name is SQL":  `CREATE TABLE "calls; COMMIT; PRAGMA query_only=0; ATTACH '` + victim + `' AS v; UPDATE v.t SET x = 'theirs'; --" (x)`,
		"another table":              `CREATE TABLE extra (x)`,
		"a virtual table":            `CREATE VIRTUAL TABLE extra USING fts5(x)`,
		"a trigger":                  `CREATE TRIGGER t AFTER INSERT ON run BEGIN DELETE FROM results; END`,
		"a view":                     `CREATE VIEW extra AS SELECT 1`,
		"a view in place of a table": `DROP TABLE attacks; CREATE VIEW attacks AS SELECT 1 AS id`,
		"another view":               `DROP VIEW grades; CREATE VIEW grades AS SELECT * FROM results`,
		"an index":                   `CREATE INDEX extra ON results (status)`,
		"a missing table":            `DROP TABLE attacks`,
		"a column":                   `ALTER TABLE run ADD COLUMN more TEXT`,
		"a default":                  `DROP TABLE sums; CREATE TABLE sums (name TEXT PRIMARY KEY DEFAULT 'x', rows INTEGER NOT NULL, sum TEXT NOT NULL) WITHOUT ROWID, STRICT`,
		"statistics":                 `ANALYZE; CREATE TABLE x (y); INSERT INTO x VALUES (1); ANALYZE`,
	} {
		t.Run(name, func(t *testing.T) {
			dir := edited(t, query)
			for way, open := range map[string]func(string) (*Store, error){"reading": Open, "writing": Create} {
				s, err := open(dir)
				if err == nil {
					s.CheckSums(t.Context())
					s.Close()
				}
				if err == nil || !strings.Contains(err.Error(), "does not have the tables of a record of this compqa") {
					t.Errorf("%s: %v; want the schema refused", way, err)
				}
			}
			var x string
			if err := db.QueryRow(`SELECT x FROM t`).Scan(&x); err != nil || x != "mine" {
				t.Errorf("the other database has %q (%v)", x, err)
			}
		})
	}
}

// TestReaderIsBound: a reader can neither write to a record nor attach another database, and leaves no file behind.
func TestReaderIsBound(t *testing.T) {
	dir := edited(t, `PRAGMA journal_mode`)
	s, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, query := range []string{`DELETE FROM run`, `ATTACH '` + filepath.Join(dir, "other.db") + `' AS o`, `PRAGMA query_only=0; DELETE FROM run`} {
		for range 2 * connections {
			if _, err := s.db.Exec(query); err == nil {
				t.Errorf("a reader can do %s", query)
			}
		}
	}
	var trusted int
	if err := s.db.QueryRow(`PRAGMA trusted_schema`).Scan(&trusted); err != nil || trusted != 0 {
		t.Errorf("trusted_schema is %d (%v)", trusted, err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	files, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if strings.HasSuffix(f.Name(), "-wal") || strings.HasSuffix(f.Name(), "-shm") || f.Name() == "other.db" {
			t.Errorf("the reader left %s", f.Name())
		}
	}
}

// TestReadOnlyFolder: another user can read a record in a folder that this user cannot write.
func TestReadOnlyFolder(t *testing.T) {
	const given = "COMPQA_TEST_READ"
	if dir := os.Getenv(given); dir != "" {
		s, err := Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		if sealed, err := s.CheckSums(t.Context()); err != nil {
			t.Error(sealed, err)
		}
		return
	}
	dir := edited(t, `PRAGMA journal_mode`)
	for d := dir; d != os.TempDir() && d != "/"; d = filepath.Dir(d) {
		if err := os.Chmod(d, 0o555); err != nil {
			t.Fatal(err)
		}
		defer os.Chmod(d, 0o755)
	}
	self, err := os.ReadFile("/proc/self/exe")
	if err != nil {
		sharedtest.Missing(t, "no copy of the program can be made: %v", err)
	}
	program := filepath.Join(t.TempDir(), "test")
	if err := os.WriteFile(program, self, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(filepath.Dir(filepath.Dir(program)), 0o755); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, "-test.run=^TestReadOnlyFolder$", "-test.v")
	cmd.Dir, cmd.Env = "/", append(os.Environ(), given+"="+dir)
	if os.Getuid() == 0 { // permissions do not apply to root
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	}
	if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "PASS: TestReadOnlyFolder") {
		t.Errorf("%v\n%s", err, out)
	}
}
