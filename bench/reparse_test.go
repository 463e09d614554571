package bench

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestReparse: a record whose verdicts were read by other rules is read again. The differences in verdicts and leaderboard are printed, and
// the record does not change.
func TestReparse(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "run")
	if err := os.CopyFS(dir, os.DirFS(recordedRun(t, "").dir)); err != nil {
		t.Fatal(err)
	}
	// Change the record as if a parser had taken the first number in the reply, and another could not read prose.
	changed(t, dir, `UPDATE results SET content = replace(content, '"9":1', '"9":2'), total = 19 WHERE kind = 'verdict' AND party = 'judge' AND raw LIKE 'Here you are%' AND subject LIKE 'contestant/1/%'`)
	changed(t, dir, `UPDATE results SET status = 'unparsed', content = 'null', total = NULL, reason = 'prose' WHERE kind = 'verdict' AND party = 'judge' AND raw LIKE 'Here you are%' AND subject LIKE 'contestant/2/%'`)
	before := contents(t, dir)
	to := t.TempDir()
	code, stdout, stderr := compqa("report", dir, "--reparse", "--out", to)
	for _, want := range []string{
		" of 292 verdicts have a recorded reply of a model and were parsed again",
		"\n2 differ from the recorded verdicts",
		"| judge | valid         | valid        |        1 |", "| judge | unparsed      | valid        |        1 |",
		"recorded as 19.0 points, by its reply 18.0 points, other points for criterion 9",
	} {
		if code != exitDone || !strings.Contains(stdout, want) {
			t.Errorf("exit %d, %s%s; want %q", code, stdout, stderr, want)
		}
	}
	code, stdout, stderr = compqa("report", dir, "--reparse", "--out", to, "--json")
	var printed struct {
		Reparsed struct {
			Read    int
			Changes []map[string]any
		}
	}
	if err := json.Unmarshal([]byte(stdout), &printed); code != exitDone || err != nil || len(printed.Reparsed.Changes) != 2 ||
		printed.Reparsed.Read < 2 || printed.Reparsed.Changes[0]["status_after"] != "valid" {
		t.Errorf("exit %d, %v, %+v, %s", code, err, printed, stderr)
	}
	fitsSchema(t, []string{"report"}, stdout)
	if contents(t, dir) != before {
		t.Error("the record has changed")
	}
	for name, want := range map[string]string{"tables/reparse.csv": ",unparsed,valid,,18,,", "tables/leaderboard.csv": "judge,contestant,2,20,17,18.941176470588236,"} {
		if text := string(fileContent(t, filepath.Join(to, name))); !strings.Contains(text, want) {
			t.Errorf("%s: no %q in\n%s", name, want, text)
		}
	}
	if code, _, stderr := compqa("report", dir, "--out", to); code != exitDone {
		t.Fatalf("exit %d, %s", code, stderr)
	}
	if text := string(fileContent(t, filepath.Join(to, "tables", "leaderboard.csv"))); !strings.Contains(text, "judge,contestant,2,20,16,19,") {
		t.Errorf("without --reparse the tables are not those of the record:\n%s", text)
	}
	for _, name := range []string{"reparse.md", "tables/reparse.csv"} {
		if _, err := os.Stat(filepath.Join(to, name)); !os.IsNotExist(err) {
			t.Errorf("%s has stayed: %v", name, err)
		}
	}
}
