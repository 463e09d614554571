package bench

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestFailedCommandsLeaveTheFolder: if a command that writes again into the folder of a record fails, all files stay as they were. Here it
// fails because a folder has the name of one of its files.
func TestFailedCommandsLeaveTheFolder(t *testing.T) {
	files := outputFiles(t)
	study, must := studyOfOne(t, "1")
	person := recordedStudy{T: t, out: study}
	p := person.open()
	if person.work(p, must(0, "annotate", "invite", "anna", study)) == 0 {
		t.Fatal("no item was scored")
	}
	p.Close()
	must(0, "validate", "--demo", "--out", filepath.Join(files, "demo"))
	for _, c := range []struct {
		name, dir string
		args      []string
		writes    []string // files that the command would replace; the last one is made a folder
	}{
		{"report", paidRun(t), []string{"report"}, []string{"report.md", "tables/leaderboard.csv", "tables/costs.csv"}},
		{"report again", paidRun(t), []string{"report", "--reparse"}, []string{"report.md", "tables/leaderboard.csv", "reparse.md"}},
		{"pairs", paidRun(t), []string{"pairwise", "report"}, []string{"report.md", "tables/preferences.csv", "tables/pairwise.csv"}},
		{"a trained judge", paidRun(t), []string{"train", "report", "--trained", "longer", "--base", "first"}, []string{"trained.csv", "trained.md"}},
		{"sheets of people", study, []string{"annotate", "apply", "--include-flagged"}, []string{"annotation/times.csv", "annotation/verdicts.jsonl"}},
		{"the example", filepath.Join(files, "demo"), []string{"validate", "--demo", "--out"}, []string{"report.md", "tables/validation.csv"}},
	} {
		for i, name := range c.writes {
			path := filepath.Join(c.dir, name)
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			os.Remove(path) // the file may be missing
			var err error
			if i == len(c.writes)-1 {
				err = os.MkdirAll(filepath.Join(path, "below"), 0o755)
			} else {
				err = os.WriteFile(path, []byte("as it was\n"), 0o644)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		before := filesIn(t, c.dir)
		code, _, stderr := compqa(append(c.args, c.dir)...)
		if changed := difference(before, filesIn(t, c.dir)); code == exitDone || changed != "" || !strings.Contains(stderr, c.writes[len(c.writes)-1]) {
			t.Errorf("%s: exit %d, %s, %s", c.name, code, changed, stderr)
		}
	}
}

// TestDemoKeepsChangedFiles: validate --demo does not replace a file that somebody has changed.
func TestDemoKeepsChangedFiles(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "demo")
	for range 2 {
		if code, _, stderr := compqa("validate", "--demo", "--out", dir); code != exitDone {
			t.Fatalf("exit %d, %s", code, stderr)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "demo-people.csv"), []byte("id,annotator,correct\na01,me,yes\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	before := filesIn(t, dir)
	code, _, stderr := compqa("validate", "--demo", "--out", dir)
	if changed := difference(before, filesIn(t, dir)); code != exitUsage || changed != "" || !strings.Contains(stderr, "demo-people.csv was changed") {
		t.Errorf("exit %d, %s, %s", code, changed, stderr)
	}
}
