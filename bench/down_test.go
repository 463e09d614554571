package bench

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
)

// TestProviderGoesDown: a provider that dies in the middle of a run is paused and
// then given up; the other one goes on, what is left stays pending, the screen
// says so, and the same command takes it up again.
func TestProviderGoesDown(t *testing.T) {
	t.Parallel()
	var asked atomic.Int64
	var well atomic.Bool
	dying := newScriptedServer(t, func(prompt string, n int) (int, string) {
		if asked.Add(1) > 60 && !well.Load() {
			return http.StatusBadGateway, ""
		}
		return 200, completion("Fine. "+prompt, "stop")
	})
	steady := wellServer(t)
	path := filepath.Join(t.TempDir(), "two.yaml")
	text := fmt.Sprintf(`
scenarios: [1, 2]
providers:
  dying: {type: openai, base_url: %s/v1, backoff: 1ms, give_up: 1s}
  steady: {type: openai, base_url: %s/v1}
models:
  - {name: a, provider: dying, model: m}
  - {name: b, provider: steady, model: n}
judges: [{name: constant, provider: embedded}]
`, dying.URL, steady.URL)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	code, _, stderr := compqa("run", "--config", path, "--out", dir)
	if code != exitIncomplete || steady.asked() != 100 || dying.asked() > 120 {
		t.Errorf("exit %d after %d and %d calls\n%s", code, dying.asked(), steady.asked(), stderr)
	}
	for _, want := range []string{"provider dying is down (HTTP 502", "provider dying has not answered for", "no further calls for now", "provider dying did not recover, ", "continues with them"} {
		if !strings.Contains(stderr, want) {
			t.Errorf("the screen doesn't say %q:\n%s", want, stderr)
		}
	}
	failures, err := os.ReadFile(filepath.Join(dir, "tables", "failures.csv"))
	if err != nil || !strings.Contains(string(failures), "answer,-,a,2,pending,,") || strings.Contains(string(failures), ",failed,") {
		t.Errorf("%v\n%s", err, failures)
	}
	well.Store(true)
	if code, _, stderr := compqa("run", "--config", path, "--out", dir); code != exitDone || steady.asked() != 100 {
		t.Errorf("again: exit %d, %s", code, stderr)
	}
}
