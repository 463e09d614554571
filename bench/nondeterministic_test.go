package bench

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"compqa/rubric"
)

// TestVerifyNondeterministic: two judges make the same call. The server cuts off the first reply and completes the second; later it
// refuses. Each verdict is read from its own call, never from another judge's reply, so the run is verified.
func TestVerifyNondeterministic(t *testing.T) {
	t.Parallel()
	full, err := json.Marshal(rubric.CQA().Full())
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	times := map[string]int{}
	server := newScriptedServer(t, func(prompt string, n int) (int, string) {
		if !isJudging(prompt) {
			return 200, completion("Fine. "+prompt, "stop")
		}
		mu.Lock()
		defer mu.Unlock()
		times[prompt]++
		switch times[prompt] {
		case 1:
			return 200, completion(`{"1": 1, "2":`, "length")
		case 2:
			return 200, completion(string(full), "stop")
		}
		return 200, completion("no", "content_filter")
	})
	dir := t.TempDir()
	base := string(fileContent(t, liveConfig(t, server.URL, "dataset: "+twoQuestions(t)+"\n")))
	before, _, _ := strings.Cut(base, "judges:\n")
	dataset := base[strings.Index(base, "dataset: "):]
	entries := ""
	for i, name := range []string{"first", "second"} {
		entries += "  - {name: " + name + ", provider: scripted, model: m, options: {temperature: 0}}\n"
		path := filepath.Join(t.TempDir(), "compqa.yaml")
		if err := os.WriteFile(path, []byte(before+"judges:\n"+entries+dataset), 0o644); err != nil {
			t.Fatal(err)
		}
		want := exitIncomplete // the first judge's verdicts are cut off
		if code, _, stderr := compqa("run", "--config", path, "--out", dir); code != want {
			t.Fatalf("run %d: exit %d, %s", i, code, stderr)
		}
	}
	const counts = "SELECT judge, status, count(*), count(DISTINCT calls) FROM verdicts WHERE status <> 'skipped' GROUP BY 1, 2 ORDER BY 1"
	if got := rowsOf(t, dir, counts); got != "first truncated 6 6\nsecond valid 6 6\n" {
		t.Errorf("verdicts:\n%s", got)
	}
	if got := rowsOf(t, dir, "SELECT count(*), count(DISTINCT key) FROM calls WHERE key IN (SELECT key FROM calls WHERE status = 'truncated')"); got != "12 6\n" {
		t.Errorf("calls and keys of verdicts: %s", got)
	}
	file := filepath.Join(t.TempDir(), "run.gz")
	for _, args := range [][]string{{"export", dir, "--out", file}, {"verify", file}} {
		if code, stdout, stderr := compqa(args...); code != exitDone {
			t.Fatalf("%s: exit %d\n%s%s", args[0], code, stdout, stderr)
		}
	}
}
