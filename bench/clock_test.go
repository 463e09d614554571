package bench

import (
	"database/sql"
	"path/filepath"
	"regexp"
	"testing"

	"compqa/results/dataset"
	"compqa/results/store"
)

var began = regexp.MustCompile(`· \d+ [A-Z][a-z]+ \d{4} ·`)

// TestClockJumps: the clock jumps during a run, so that the run ends before it begins and attempts are earlier than those they follow. All
// times are in the future. The reports do not change. A later run, whose times are earlier, still counts as the latest.
func TestClockJumps(t *testing.T) {
	if !alone(t) {
		return
	}
	server := newPayingServer(t, 0)
	cfg := payingConfig(t, server.URL, 1, 1, 1, 16)
	dir := t.TempDir()
	t.Setenv(processTag, "process-number-000000")
	record := func(cfg string, code, asked int) {
		t.Helper()
		before := len(server.entries(0))
		got, _, stderr := compqa("run", "--config", cfg, "--out", dir)
		if n := len(server.entries(0)) - before; got != code || n != asked && asked >= 0 {
			t.Fatalf("exit %d after %d calls, want %d and %d\n%s", got, n, code, asked, stderr)
		}
	}
	record(cfg, exitIncomplete, -1)
	reports := func() map[string]string {
		t.Helper()
		all := map[string]string{}
		files, err := filepath.Glob(filepath.Join(dir, "tables", "*"))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range append(files, filepath.Join(dir, "report.md")) { // report.md says when the run began
			all[path] = began.ReplaceAllString(string(fileContent(t, path)), "")
		}
		return all
	}
	before := reports()
	db, err := sql.Open("sqlite", filepath.Join(dir, store.RecordName))
	if err != nil {
		t.Fatal(err)
	}
	for _, jump := range []string{
		"UPDATE run SET started = '2099-01-01T00:00:00Z', finished = '2098-12-31T23:00:00Z'",
		"UPDATE attempts SET started = strftime('%Y-%m-%dT%H:%M:%SZ', started, (abs(random()) % 2 * 7200 - 3600) || ' seconds')",
		"DELETE FROM sums", // no later change of the record: the clock jumped while the run wrote
	} {
		if _, err := db.Exec(jump); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	record(cfg, exitIncomplete, 0)
	after := reports()
	for name, want := range before {
		if after[name] != want {
			t.Errorf("%s depends on the clock:\n%.300s\n%.300s", name, want, after[name])
		}
	}
	if len(before) < 10 || len(after) != len(before) {
		t.Errorf("%d reports, then %d", len(before), len(after))
	}
	record(payingConfig(t, server.URL, 1, 1, 2, 16), exitIncomplete, -1)
	loaded, err := dataset.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(loaded.Judges) != 2 {
		t.Errorf("a judge was added by a run that seems to be older: %d are in the report, not 2", len(loaded.Judges))
	}
}
