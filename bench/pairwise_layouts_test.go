package bench

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"go.yaml.in/yaml/v4"
)

// TestNoSystemInAPrompt: a judge is asked about the pairs of every published layout. No prompt contains the name of a system or the JSON of
// a message.
func TestNoSystemInAPrompt(t *testing.T) {
	t.Parallel()
	var layouts []struct{ Name, Records, Refused string }
	text, err := os.ReadFile(filepath.Join("..", "data", "sources", "testdata", "layouts.yaml"))
	if err == nil {
		err = yaml.Unmarshal(text, &layouts)
	}
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	var prompts []string
	server := newScriptedServer(t, func(prompt string, _ int) (int, string) {
		mu.Lock()
		defer mu.Unlock()
		prompts = append(prompts, prompt)
		return 200, completion("Comparison: both are short.\nPreferred: A", "stop")
	})
	dir := pairwiseFiles(t, server.URL, "", "pairwise:\n  - {name: direct, method: direct, provider: scripted, model: m}\n")
	cfg := filepath.Join(dir, "compqa.yaml")
	config, err := os.ReadFile(cfg)
	if err != nil {
		t.Fatal(err)
	}
	sets := "pairs:\n"
	n := 0
	for i, l := range layouts {
		if l.Refused != "" {
			continue
		}
		name := fmt.Sprintf("%s-%d%s", l.Name, i, map[bool]string{true: ".json", false: ".jsonl"}[strings.HasPrefix(l.Records, "[")])
		if err := os.WriteFile(filepath.Join(dir, name), []byte(l.Records), 0o644); err != nil {
			t.Fatal(err)
		}
		sets += fmt.Sprintf("  - {name: set%d, path: %s}\n", i, name)
		n++
	}
	whole := strings.Replace(string(config), "pairs: [{name: pairs, path: pairs.jsonl}]", sets, 1)
	if err := os.WriteFile(cfg, []byte(whole), 0o644); err != nil {
		t.Fatal(err)
	}
	code, _, stderr := compqa("run", "--only", "pairs", "--config", cfg, "--out", filepath.Join(dir, "run"))
	if code != exitDone || len(prompts) < 2*n || n < 20 {
		t.Fatalf("exit %d, %d prompts of %d layouts: %s", code, len(prompts), n, stderr)
	}
	for _, prompt := range prompts {
		for _, word := range []string{"sysalpha", "sysbeta", "sysgamma", `{\"role`, `\"content`, `\"answer`} {
			if strings.Contains(prompt, word) {
				t.Errorf("a prompt has %s:\n%s", word, prompt)
			}
		}
	}
}
