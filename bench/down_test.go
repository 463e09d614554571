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

// TestProviderGoesDown: a provider fails in the middle of a run. The run pauses it and then gives it up, while the other provider goes on.
// Open items stay pending, the screen says so, and the same command continues them.
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

// validAnswers is a query that counts the valid answers of each model.
const validAnswers = "SELECT system, count(*) FROM answers WHERE status = 'valid' GROUP BY system ORDER BY system"

// TestModelIsMissing: if the server does not have the model of an entry, the entry is stopped after eight failures in a row. Only the calls
// in flight are still made. Open items stay pending, and another entry of the provider is completed. When the models exist, the same
// command continues.
func TestModelIsMissing(t *testing.T) {
	t.Parallel()
	const concurrency = 4
	refusals := map[string]string{
		"gone":       `{"error": {"message": "The model does not exist", "type": "invalid_request_error", "code": "model_not_found"}}`,
		"undeployed": `{"error": {"code": "DeploymentNotFound", "message": "The API deployment for this resource does not exist."}}`,
	}
	refused := map[string]*atomic.Int64{"gone": {}, "undeployed": {}}
	var there atomic.Bool
	server := newScriptedServer(t, func(prompt string, _ int) (int, string) {
		_, model, _ := strings.Cut(prompt, "\x00")
		if refusal := refusals[model]; refusal != "" && !there.Load() {
			refused[model].Add(1)
			return http.StatusNotFound, refusal
		}
		return 200, completion("Fine. "+prompt, "stop")
	})
	path := filepath.Join(t.TempDir(), "missing.yaml")
	dir := t.TempDir()
	text := fmt.Sprintf(`
scenarios: [1]
providers: {scripted: {type: openai, base_url: %s/v1, concurrency: %d, backoff: 1ms}}
models:
  - {name: a, provider: scripted, model: gone}
  - {name: b, provider: scripted, model: undeployed}
  - {name: c, provider: scripted, model: m}
judges: [{name: rules, provider: embedded}]
`, server.URL, concurrency)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	code, _, stderr := compqa("run", "--config", path, "--out", dir, "--limit", "20")
	if answers := rowsOf(t, dir, validAnswers); code != exitIncomplete || answers != "c 20\n" {
		t.Errorf("exit %d, answers %q\n%s", code, answers, stderr)
	}
	failures := readFile(t, dir, "tables/failures.csv")
	for name, model := range map[string]string{"a": "gone", "b": "undeployed"} {
		if n := refused[model].Load(); n < 8 || n > 8+concurrency {
			t.Errorf("%s: %d refused calls, want 8 to %d", model, n, 8+concurrency)
		}
		if !strings.Contains(stderr, name+" is stopped (") || !strings.Contains(failures, "answer,-,"+name+",1,pending,,") {
			t.Errorf("%s is not stopped or not pending:\n%s%s", name, stderr, failures)
		}
	}
	if strings.Contains(failures, ",failed,") {
		t.Errorf("failures.csv:\n%s", failures)
	}
	there.Store(true)
	code, _, stderr = compqa("run", "--config", path, "--out", dir, "--limit", "20")
	if answers := rowsOf(t, dir, validAnswers); code != exitDone || answers != "a 20\nb 20\nc 20\n" {
		t.Errorf("again: exit %d, answers %q\n%s", code, answers, stderr)
	}
}
