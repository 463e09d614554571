package bench

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"compqa/judges"
)

// TestDatasheetLive: a model is asked only after its cost is shown and the user agrees. Paid replies are recorded and requested once. The
// run that the answers come from shows the result, and its record is still consistent.
func TestDatasheetLive(t *testing.T) {
	t.Parallel()
	praised := func(prompt string) bool {
		return strings.Contains(prompt, "outstanding") || strings.Contains(prompt, "(no answer)")
	}
	some := strings.NewReplacer(`:2`, `:1`, `:1`, `:0`).Replace(fullMarks())
	server := newScriptedServer(t, func(prompt string, n int) (int, string) {
		if praised(prompt) {
			return 200, completion(fullMarks(), "stop")
		}
		return 200, completion(some, "stop")
	})
	cfg := liveConfig(t, server.URL, "run: {repair: 0}")
	dir := t.TempDir()
	content, err := os.ReadFile(cfg)
	if err != nil {
		t.Fatal(err)
	}
	text := strings.NewReplacer("contestant, provider: scripted, model: m, options: {temperature: 0}", "template, provider: baseline",
		"scenarios: [1, 2, 3, 4]", "scenarios: [1]").Replace(string(content))
	if err := os.WriteFile(cfg, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	base := filepath.Join(dir, "run")
	if code, _, stderr := compqa("run", "--config", cfg, "--out", base, "--limit", "12", "--trust"); code != exitDone {
		t.Fatal(code, stderr)
	}
	before := server.asked()
	args := []string{"datasheet", "judge", "--config", cfg, "--in", base, "--limit", "12", "--trust"}
	code, _, stderr := compqa(args...)
	if code != exitUsage || !strings.Contains(stderr, "calls to make") || !strings.Contains(stderr, "--yes makes these calls") {
		t.Errorf("without --yes: %d, %s", code, stderr)
	}
	if server.asked() != before {
		t.Errorf("%d calls were made without --yes", server.asked()-before)
	}
	code, stdout, stderr := compqa(append(args, "--yes")...)
	if code != exitDone || !strings.Contains(stdout, "it prefers what is worse or no better: empty answer") {
		t.Fatalf("%d, %s\n%s", code, stdout, stderr)
	}
	if n, most := server.asked()-before, 12*(1+len(judges.Attacks)); n > most || n < most/2 { // equal prompts are sent once
		t.Errorf("%d calls, want at most %d", n, most)
	}
	paid := server.asked()
	if code, again, stderr := compqa(args...); code != exitDone || again != stdout || server.asked() != paid {
		t.Errorf("again: %d, %d calls more, %s", code, server.asked()-paid, stderr)
	}
	if code, stdout, stderr := compqa("report", base); code != exitDone {
		t.Fatal(code, stdout, stderr)
	}
	rows, err := os.ReadFile(filepath.Join(base, "tables", "datasheets.csv"))
	if err != nil || !strings.Contains(string(rows), "judge,empty answer,fall,12,") || !strings.Contains(string(rows), ",rewarded\n") {
		t.Errorf("the run's reports lack the datasheet: %v\n%s", err, rows)
	}
	for _, folder := range []string{base, filepath.Join(base, "datasheets", "judge")} {
		file := filepath.Join(t.TempDir(), "run.tar.gz")
		if code, _, stderr := compqa("export", folder, "--out", file); code != exitDone {
			t.Fatal(code, stderr)
		}
		code, stdout, stderr := compqa("verify", file)
		if code != exitDone {
			t.Errorf("verify %s: %d\n%s%s", folder, code, stdout, stderr)
		}
		if folder == base && !strings.Contains(stdout, "of a datasheet") {
			t.Errorf("verify does not say what rests on the datasheet:\n%s", stdout)
		}
	}
}
