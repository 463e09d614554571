package bench

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"compqa/data"
	"compqa/llm"
	"compqa/llm/ollamatest"
	"compqa/results/dataset"
)

// ollamaConfig writes a small benchmark for a real server with one of its protocols. It has a model that answers, a judge whose replies a
// schema constrains, and one whose replies are cut off.
func ollamaConfig(t *testing.T, kind, url, limit string) string {
	t.Helper()
	dir := t.TempDir()
	questions := `{"object1": "tram", "object2": "bus", "aspect": "noise", "arguments": ["A tram runs on rails.", "A bus runs on a road."]}
{"object1": "kite", "object2": "drone", "arguments": []}
`
	cfg := fmt.Sprintf(`
dataset: questions.jsonl
providers:
  server: {type: %[1]s, base_url: %[2]s, concurrency: 6, retries: 10, backoff: 300ms, max_wait: 60s}
models:
  - {name: contestant, provider: server, model: %[4]s, options: {temperature: 1, %[3]s: 60}}
judges:
  - {name: judge, provider: server, model: %[4]s, examples: 0, options: {temperature: 1, %[3]s: 400}}
  - {name: cut, provider: server, model: %[4]s, examples: 0, options: {temperature: 1, %[3]s: 5}}
  - {name: rules, provider: embedded}
`, kind, url, limit, ollamatest.Model)
	for name, text := range map[string]string{"questions.jsonl": questions, "compqa.yaml": cfg} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return filepath.Join(dir, "compqa.yaml")
}

// TestOllamaBenchmark runs a small benchmark against a real server, with both of its protocols. The server is overloaded (two calls at a
// time, a queue of two) and is restarted during the run.
func TestOllamaBenchmark(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ kind, path, limit string }{
		{llm.TypeOllama, "", "num_predict"}, {llm.TypeOpenAI, "/v1", "max_tokens"},
	} {
		t.Run(c.kind, func(t *testing.T) {
			server := ollamatest.Start(t, "OLLAMA_NUM_PARALLEL=2", "OLLAMA_MAX_QUEUE=2")
			cfg := ollamaConfig(t, c.kind, server.URL+c.path, c.limit)
			dir := t.TempDir()
			record := program(t, "run", "--config", cfg, "--out", dir)
			var printed strings.Builder
			record.Stdout = &printed
			record.Stderr = &printed
			if err := record.Start(); err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Second)
			server.Stop()
			time.Sleep(time.Second)
			server.Resume()
			record.Wait()
			t.Log(printed.String())
			// Repeat the calls that failed in spite of their retries, because of the restart.
			if code, _, stderr := compqa("run", "--config", cfg, "--out", dir, "--retry-failed"); code != exitDone && code != exitIncomplete {
				t.Fatalf("exit %d: %s", code, stderr)
			}
			checkOllama(t, dir)
		})
	}
}

func checkOllama(t *testing.T, dir string) {
	t.Helper()
	record, err := dataset.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	answers := map[data.Status]int{}
	for _, a := range record.Answers {
		answers[a.Status]++
		if a.Status == data.Failed && !strings.Contains(a.Reason, "empty") {
			t.Errorf("%s failed for good: %s", a.ID, a.Reason)
		}
		if a.Scenario == "2" && strings.Contains(a.ID, "kite") && a.Status != data.Skipped {
			t.Errorf("%s is %s: the question has no arguments", a.ID, a.Status)
		}
	}
	// 2 questions in 4 scenarios; 2 of the 8 cells have no arguments. The random model ends some answers itself, sometimes before any text.
	// The limit ends the others.
	if answers[data.Skipped] != 2 || answers[data.Valid]+answers[data.Truncated]+answers[data.Failed] != 6 {
		t.Errorf("answers: %v, want 6 asked and 2 skipped", answers)
	}
	verdicts := map[string]map[data.Status]int{}
	for _, s := range record.Sheets {
		name := record.Judges[s.Rater].Name
		if verdicts[name] == nil {
			verdicts[name] = map[data.Status]int{}
		}
		verdicts[name][s.Status]++
	}
	valid := answers[data.Valid]
	if got := verdicts["judge"]; got[data.Valid]+got[data.Truncated] != valid || got[data.Valid] == 0 && valid > 0 {
		t.Errorf("the judge: %v over %d answers; a schema forces its replies into shape", got, valid)
	}
	if got := verdicts["cut"]; got[data.Truncated] != valid {
		t.Errorf("a judge that is cut off after 5 tokens: %v over %d answers", got, valid)
	}
	t.Logf("answers %v, verdicts %v", answers, verdicts)
}
