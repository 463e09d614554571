package bench

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"compqa/data"
	"compqa/judges/pairwise"
	"compqa/llm/ollamatest"
)

// TestOllamaPairwise runs every method against a real server whose model has random weights. A reply that a schema constrains gives a
// choice. Any other reply gets a status and a reason. Everything is counted.
func TestOllamaPairwise(t *testing.T) {
	t.Parallel()
	server := ollamatest.Start(t)
	dir := t.TempDir()
	var entries strings.Builder
	for _, method := range pairwise.LiveMethods() {
		provider := "native"
		more := ""
		switch method {
		case pairwise.MethodSC2:
			more = ", draws: 4, aspects: aspects.yaml"
		case pairwise.MethodDirectAspects, pairwise.MethodCoT1Shot:
			more = ", aspects: aspects.yaml"
		case pairwise.MethodCoTSelfCon:
			more = ", draws: 3"
		case pairwise.MethodConJ:
			provider = "openai"
		}
		fmt.Fprintf(&entries, "  - {method: %s, provider: %s, model: %s%s, options: {max_tokens: 120}}\n", method, provider, ollamatest.Model, more)
	}
	fmt.Fprintf(&entries, "  - {name: online, method: sc2, provider: native, model: %s, draws: 2, aspect_draws: 2, options: {max_tokens: 120}}\n", ollamatest.Model)
	fmt.Fprintf(&entries, "  - {method: meta-judge, provider: native, model: %s, options: {max_tokens: 120}}\n", ollamatest.Model)
	cfg := fmt.Sprintf(`
providers:
  native: {type: ollama, base_url: %[1]s, concurrency: 4, retries: 2, backoff: 200ms}
  openai: {type: openai, base_url: %[1]s/v1, concurrency: 4, retries: 2, backoff: 200ms}
pairwise:
%[2]s`, server.URL, entries.String())
	for name, text := range map[string]string{"compqa.yaml": cfg, "pairs.jsonl": twoPairs, "aspects.yaml": "aspects: [Accuracy, Clarity]\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	args := pairwiseRunArgs(dir, "--pairs", filepath.Join(dir, "pairs.jsonl"), "--limit", "1")
	code, _, stderr := compqa(args...)
	if code != exitDone && code != exitIncomplete {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	rows := csvTable(t, filepath.Join(dir, "run", "tables", "preferences.csv"))
	judged := map[string]map[string]int{}
	for _, r := range rows {
		if judged[r["judge"]] == nil {
			judged[r["judge"]] = map[string]int{}
		}
		judged[r["judge"]][r["status"]]++
		if (r["status"] == string(data.Valid)) != (r["choice"] != "") || (r["status"] != string(data.Valid)) != (r["reason"] != "") {
			t.Errorf("a status without its choice or reason: %v", r)
		}
	}
	t.Log(judged)
	for _, method := range append([]string{"online"}, pairwise.LiveMethods()...) {
		n := 0
		for _, total := range judged[method] {
			n += total
		}
		if n != 2 {
			t.Errorf("%s: %d preferences on record, want 1 pair in 2 orders: %v", method, n, judged[method])
		}
	}
	// This schema permits nothing but a choice.
	if judged[pairwise.MethodConJBare][string(data.Valid)] == 0 {
		t.Errorf("con-j without a rationale: %v, although a schema constrains it", judged[pairwise.MethodConJBare])
	}
	for _, r := range where(csvTable(t, filepath.Join(dir, "run", "tables", "pairwise.csv")), map[string]string{"order": "both"}) {
		if r["planned"] != "1" {
			t.Errorf("%v, want 1 planned pair", r)
		}
	}
	// A second run leaves what is on record unchanged.
	before, _ := os.ReadFile(filepath.Join(dir, "run", "tables", "preferences.csv"))
	if again, _, stderr := compqa(args...); again != code {
		t.Errorf("again: exit %d: %s", again, stderr)
	}
	if after, _ := os.ReadFile(filepath.Join(dir, "run", "tables", "preferences.csv")); string(after) != string(before) {
		t.Error("the second run changes the preferences")
	}
	code, stdout, stderr := compqa("pairwise", "sample", "--config", filepath.Join(dir, "compqa.yaml"), "--pairs", filepath.Join(dir, "pairs.jsonl"), "--out", filepath.Join(dir, "run"), "--samples", "2", "--limit", "1")
	if code != exitDone && code != exitIncomplete {
		t.Fatalf("sample: exit %d: %s", code, stderr)
	}
	if _, err := data.ReadContrasts(filepath.Join(dir, "run", contrastsName)); err != nil {
		t.Error(err)
	}
	t.Log(stdout)
}
