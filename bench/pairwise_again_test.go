package bench

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestPairwiseAgain: if a judge is asked in one order, its preferences count in that order. A reply without a choice is repaired once, kept
// on record, and requested again as another sample. The last line mentions --retry-failed only if it would repeat a call.
func TestPairwiseAgain(t *testing.T) {
	t.Parallel()
	mute := true
	limited := false
	server := newScriptedServer(t, func(prompt string, _ int) (int, string) {
		switch {
		case limited, strings.Contains(prompt, "It is LONG."):
			return 200, completion("First I", "length")
		case mute && strings.Contains(prompt, "Repeat your reply"):
			return 200, completion("I would rather say nothing.", "stop")
		case mute:
			return 200, completion("Both have their merits, and so on.", "stop")
		}
		return 200, completion(wellBehaved(prompt), "stop")
	})
	listed := `{"id": "p1", "question": "Which?", "a": "It is RIGHT.", "b": "It is WRONG.", "label": "a"}` + "\n"
	entry := "pairwise:\n  - {method: direct, provider: scripted, model: m, options: {temperature: 0, max_tokens: 10}}\n"
	dir := pairwiseFiles(t, server.URL, listed, entry)
	args := pairwiseRunArgs(withKeys(t, dir, "order: ab"))
	step := func(code, asked int, says string, more ...string) string {
		t.Helper()
		before := server.asked()
		got, stdout, stderr := compqa(append(args, more...)...)
		if n := server.asked() - before; got != code || n != asked || !strings.Contains(stderr, says) {
			t.Errorf("%v: exit %d and %d calls, want %d and %d\n%s", more, got, n, code, asked, stderr)
		}
		return stdout
	}
	step(exitIncomplete, 2, "--retry-failed asks for them again")
	step(exitIncomplete, 0, "--retry-failed asks for them again")
	step(exitIncomplete, 2, "--retry-failed asks for them again", "--retry-failed")
	mute = false
	if stdout := step(exitDone, 1, "", "--retry-failed"); !strings.Contains(stdout, "1/1") || strings.Contains(stdout, "0/1") {
		t.Errorf("one order:\n%s", stdout)
	}
	for _, row := range where(csvTable(t, filepath.Join(dir, "run", "tables", "pairwise.csv")), map[string]string{"judge": "direct"}) {
		if row["order"] != "ab" || row["valid"] != "1" {
			t.Errorf("%v", row)
		}
	}
	file := filepath.Join(dir, "run.gz")
	if code, _, stderr := compqa("export", filepath.Join(dir, "run"), "--out", file); code != exitDone {
		t.Fatalf("export: exit %d: %s", code, stderr)
	}
	if code, _, stderr := compqa("verify", file); code != exitDone {
		t.Errorf("verify: exit %d: %s", code, stderr)
	}
	limited = true
	dir = pairwiseFiles(t, server.URL, listed, entry)
	args = pairwiseRunArgs(withKeys(t, dir, "order: ab"))
	step(exitIncomplete, 1, "the same calls would give the same replies")
	step(exitIncomplete, 0, "the same calls would give the same replies", "--retry-failed")
	limited = false
	mute = true
	dir = pairwiseFiles(t, server.URL, listed+strings.NewReplacer("p1", "p2", "WRONG", "LONG").Replace(listed), entry)
	args = pairwiseRunArgs(withKeys(t, dir, "order: ab"))
	step(exitIncomplete, 3, "2 of 2 preferences (preferences.csv has the reasons); --retry-failed asks for 1 of them again; for the others the same calls")
}

// TestAdviceNeedsAnswers: verdicts on answers that do not exist are no reason to suggest a repeat. With --only verdicts the last line says
// that there are no answers.
func TestAdviceNeedsAnswers(t *testing.T) {
	t.Parallel()
	server := newScriptedServer(t, func(string, int) (int, string) { return 200, completion("It begins", "length") })
	cfg := liveConfig(t, server.URL, "")
	text := strings.Replace(string(fileContent(t, cfg)), "options: {temperature: 0}", "options: {temperature: 0, max_tokens: 10}", 1)
	if err := os.WriteFile(cfg, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for _, more := range []string{"--limit=2", "--retry-failed"} {
		before := server.asked()
		code, _, stderr := compqa("run", "--config", cfg, "--limit", "2", "--out", dir, more)
		if code != exitIncomplete || !strings.Contains(stderr, "the same calls would give the same replies") || more != "--limit=2" && server.asked() > before {
			t.Errorf("%s: exit %d, %d calls, %s", more, code, server.asked()-before, stderr)
		}
	}
	code, _, stderr := compqa("run", "--config", cfg, "--limit", "2", "--only", "verdicts", "--out", t.TempDir())
	if code != exitIncomplete || !strings.Contains(stderr, "contestant has no answers on record under scenario 1, and --only verdicts does not ask for them") {
		t.Errorf("exit %d, %s", code, stderr)
	}
	baselines := filepath.Join(t.TempDir(), "compqa.yaml")
	const offline = "dataset: cqa50\nscenarios: [1]\nmodels: [{name: template, provider: baseline}]\njudges: [{name: rules, provider: embedded}]\n"
	if err := os.WriteFile(baselines, []byte(offline), 0o644); err != nil {
		t.Fatal(err)
	}
	code, _, stderr = compqa("run", "--config", baselines, "--limit", "2", "--only", "verdicts", "--out", t.TempDir())
	if code != exitIncomplete || !strings.Contains(stderr, "template has no answers on record under scenario 1") {
		t.Errorf("exit %d, %s", code, stderr)
	}
}

// TestAdviceOfEqualCalls: an item failed, and later the same call succeeded for another item. --retry-failed then completes the first item
// without a call.
func TestAdviceOfEqualCalls(t *testing.T) {
	t.Parallel()
	server := newScriptedServer(t, func(_ string, call int) (int, string) {
		if call == 1 {
			return 200, completion("", "content_filter")
		}
		return 200, completion(fullMarks(), "stop")
	})
	dir := t.TempDir()
	config := filepath.Join(dir, "c.yaml")
	text := "scenarios: [1, 2]\nproviders: {p: {type: openai, base_url: " + server.URL + "/v1, concurrency: 1}}\n" +
		"models: [{name: template, provider: baseline}]\njudges: [{name: j, provider: p, model: m}]\n"
	if err := os.WriteFile(config, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	for i, want := range []struct {
		code, asked int
		says        string
		more        string
	}{{exitIncomplete, 2, "--retry-failed asks for them again", "--limit=1"}, {exitDone, 2, "", "--retry-failed"}} {
		code, _, stderr := compqa("run", "--config", config, "--limit", "1", "--out", filepath.Join(dir, "run"), want.more)
		if code != want.code || server.asked() != want.asked || !strings.Contains(stderr, want.says) {
			t.Errorf("step %d: exit %d after %d calls, want %d after %d: %s", i, code, server.asked(), want.code, want.asked, stderr)
		}
	}
}
