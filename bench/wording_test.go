package bench

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"compqa/data/sharedtest"
)

// TestReleaseWording: a model is asked in the words of the authors' release, which are read from the checkout and are not part of this
// program. The prompt is one message that ends with the answer, and has no schema. The report compares both wordings.
func TestReleaseWording(t *testing.T) {
	if !alone(t) {
		return
	}
	release := sharedtest.Release(t)
	if !sharedtest.Soaking(t) { // use a part that can be read quickly
		whole := release
		release = t.TempDir()
		for _, name := range []string{"README.md", filepath.Join("data", "raw_summaries", "human.json")} {
			text, err := os.ReadFile(filepath.Join(whole, name))
			if err == nil {
				err = os.MkdirAll(filepath.Dir(filepath.Join(release, name)), 0o755)
			}
			if err == nil {
				err = os.WriteFile(filepath.Join(release, name), text, 0o644)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	readme, err := os.ReadFile(filepath.Join(release, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	var theirs atomic.Int64
	server := newScriptedServer(t, func(prompt string, _ int) (int, string) {
		scores := fullMarks()
		if strings.Contains(prompt, "Scoring 1:") {
			theirs.Add(1)
			scores = strings.NewReplacer(`"9":2`, `9: 1`, `"10":2`, `10: 1`).Replace(scores) // in the form of a Python dictionary
		}
		return 200, completion(scores, "stop")
	})
	t.Setenv("COMPQA_TEST_KEY", plantedKey)
	dir := t.TempDir()
	path := filepath.Join(dir, "c.yaml")
	text := fmt.Sprintf(`
scenarios: [1]
rubric: release
providers: {scripted: {type: openai, base_url: %s/v1, api_key_env: COMPQA_TEST_KEY}}
models: [{name: template, provider: baseline}]
judges:
  - {name: house, provider: scripted, model: m, options: {temperature: 0}, examples: 3}
  - {name: authors, provider: scripted, model: m, options: {temperature: 0}, template: release}
`, server.URL)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	if code, _, stderr := compqa("estimate", "--config", path, "--out", filepath.Join(dir, "none")); code != 2 || !strings.Contains(stderr, "name it with --release") {
		t.Errorf("without a checkout: %d %s", code, stderr)
	}
	out := filepath.Join(dir, "run")
	if code, _, stderr := compqa("run", "--config", path, "--out", out, "--release", release, "--limit", "4"); code != 0 {
		t.Fatalf("%d %s", code, stderr)
	}
	if n := theirs.Load(); n != 4 {
		t.Errorf("%d calls in the authors' words", n)
	}
	last := "    {comparison}"
	for _, body := range server.bodies {
		messages := body["messages"].([]any)
		asked := fmt.Sprint(messages[len(messages)-1].(map[string]any)["content"])
		if !strings.Contains(asked, "Scoring 1:") {
			continue
		}
		whole := string(readme)
		from := strings.Index(whole, "  You are a helpful assistant.")
		want := whole[from:strings.Index(whole, "    Question: What is better{aspect_text}")]
		if len(messages) != 1 || !strings.HasPrefix(asked, want) || strings.Contains(asked, "{comparison}") || strings.Contains(asked, last) || body["response_format"] != nil {
			t.Errorf("not the authors' words: %v", body)
		}
	}
	table, err := os.ReadFile(filepath.Join(out, "tables", "wordings.csv"))
	if err != nil || !strings.Contains(string(table), "\nhouse,authors,4,19,17,2,,,,0,,\n") {
		t.Errorf("wordings.csv: %v\n%s", err, table)
	}
	// The command judge uses the same words, and import reads the same rubric.
	answers, verdicts := filepath.Join(dir, "answers.jsonl"), filepath.Join(dir, "verdicts.jsonl")
	if err := os.WriteFile(answers, []byte(`{"id":"a","object1":"tea","object2":"coffee","text":"Tea is milder."}`), 0o644); err != nil {
		t.Fatal(err)
	}
	theirs.Store(0)
	judge := []string{"judge", "--config", path, "--judge", "authors", "--in", answers, "--out", verdicts}
	if code, _, stderr := compqa(judge...); code != 2 || !strings.Contains(stderr, "name it with --release") {
		t.Errorf("judge without a checkout: %d %s", code, stderr)
	}
	if code, _, stderr := compqa(append(judge, "--release", release)...); code != 0 || theirs.Load() != 1 {
		t.Errorf("judge: %d, %d calls in the authors' words: %s", code, theirs.Load(), stderr)
	}
	taken := filepath.Join(dir, "taken")
	if code, _, stderr := compqa("import", "--config", path, "--out", taken, "--release", release, "--answers", answers, "--verdicts", verdicts); code != 0 {
		t.Errorf("import: %d %s", code, stderr)
	}
	if text, err := os.ReadFile(filepath.Join(release, "README.md")); err != nil || string(text) != string(readme) {
		t.Error("the checkout has changed")
	}
}

// TestSoakReleaseWording runs TestReleaseWording with all cases.
func TestSoakReleaseWording(t *testing.T) {
	sharedtest.Soak(t)
	TestReleaseWording(t)
}
