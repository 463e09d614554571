package bench

import (
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"

	"compqa/data/sharedtest"
)

// TestSoakBatchesOfTheSame: several entries name the same model, with and without batches. They share the first reply to each call, and all
// results still use it. Attempts are numbered, and each call has one first attempt.
func TestSoakBatchesOfTheSame(t *testing.T) {
	sharedtest.Soak(t)
	t.Parallel()
	var n atomic.Int32
	server := newBatchServer(t, func(prompt string, _ bool) (int, string) {
		return 200, completion(fmt.Sprintf("Reply %d. %s", n.Add(1), prompt), "stop")
	})
	text := fmt.Sprintf(`
scenarios: [1]
providers:
  scripted: {type: openai, base_url: %s/v1, backoff: 1ms, retries: 2, batch_poll: 2ms}
prices: {m: {input: 100, output: 100}}
models:
- {name: alone, provider: scripted, model: m, options: {max_tokens: 100}}
- {name: batch1, provider: scripted, model: m, batch: true, options: {max_tokens: 100}}
- {name: batch2, provider: scripted, model: m, batch: true, options: {max_tokens: 100}}
judges: [{name: rules, provider: embedded}]
`, server.URL)
	path := filepath.Join(t.TempDir(), "same.yaml")
	dir := t.TempDir()
	file := filepath.Join(t.TempDir(), "same.gz")
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"run", "--config", path, "--out", dir}, {"export", dir, "--out", file}, {"verify", file}} {
		if code, stdout, stderr := compqa(args...); code != exitDone {
			t.Fatalf("%s: exit %d\n%s%s", args[0], code, stdout, stderr)
		}
	}
	for query, want := range map[string]string{
		"SELECT count(*), count(DISTINCT text) FROM answers":                                   "150 50\n",
		"SELECT count(DISTINCT key) FROM calls":                                                "50\n",
		"SELECT count(*) FROM (SELECT 1 FROM attempts GROUP BY call HAVING max(n) > count(*))": "0\n",
		"SELECT count(*) FROM (SELECT 1 FROM attempts GROUP BY call, n HAVING count(*) > 1)":   "0\n",
	} {
		if got := rowsOf(t, dir, query); got != want {
			t.Errorf("%s: %q, want %q", query, got, want)
		}
	}
}
