package bench

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestReuse: a new run takes replies from an earlier run, pays only for the other calls, and says where each reply is from.
func TestReuse(t *testing.T) {
	t.Parallel()
	server := newScriptedServer(t, func(prompt string, n int) (int, string) {
		if isJudging(prompt) {
			return 200, completion(fullMarks(), "stop")
		}
		return 200, completion("Fine. "+prompt, "stop")
	})
	cfg := liveConfig(t, server.URL, "dataset: "+twoQuestions(t)+"\n")
	old := t.TempDir()
	next := t.TempDir()
	record := func(wantCode, wantAsked int, args ...string) string {
		t.Helper()
		before := server.asked()
		code, _, stderr := compqa(append([]string{"run", "--config", cfg}, args...)...)
		if asked := server.asked() - before; code != wantCode || asked != wantAsked {
			t.Errorf("%v: exit %d and %d calls, want %d and %d\n%s", args, code, asked, wantCode, wantAsked, stderr)
		}
		return stderr
	}
	// Two questions under four scenarios, one question without arguments: 6 answers and 6 verdicts.
	record(exitDone, 12, "--out", old)
	addJudge(t, cfg)
	if said := record(exitDone, 6, "--out", next, "--reuse", old); !strings.Contains(said, "12 replies were reused from "+old) {
		t.Errorf("said %q", said)
	}
	if origins := rowsOf(t, next, "SELECT origin, count(*), sum(id IN (SELECT call FROM attempts)) FROM calls GROUP BY origin ORDER BY origin"); origins != fmt.Sprintf(" 6 6\n%s 12 0\n", old) {
		t.Errorf("calls by origin, and how many have attempts:\n%s", origins)
	}
	// From then on the new run does not need the earlier run.
	record(exitDone, 0, "--out", next)
	record(exitDone, 0, "--out", t.TempDir(), "--reuse", old, "--reuse", next)
}

// TestReuseOfNothing: --reuse of a folder without a usable run is a usage error.
func TestReuseOfNothing(t *testing.T) {
	t.Parallel()
	server := newScriptedServer(t, func(string, int) (int, string) { return 500, "" })
	cfg := liveConfig(t, server.URL, "")
	dir := t.TempDir()
	code, _, stderr := compqa("run", "--config", cfg, "--out", dir, "--reuse", filepath.Join(dir, "none"))
	if code != exitUsage || !strings.Contains(stderr, "holds no run") {
		t.Errorf("of a folder that is not there: exit %d, %s", code, stderr)
	}
	code, _, stderr = compqa("run", "--config", cfg, "--out", dir, "--reuse", dir+"/.")
	if code != exitUsage || !strings.Contains(stderr, "is the run itself") {
		t.Errorf("of itself: exit %d, %s", code, stderr)
	}
}

// addJudge adds a judge to a configuration of liveConfig.
func addJudge(t *testing.T, cfg string) {
	t.Helper()
	content, err := os.ReadFile(cfg)
	if err != nil {
		t.Fatal(err)
	}
	more := strings.Replace(string(content), "judges:\n", "judges:\n  - {name: second, provider: scripted, model: m, options: {temperature: 1}}\n", 1)
	if err := os.WriteFile(cfg, []byte(more), 0o644); err != nil {
		t.Fatal(err)
	}
}
