package bench

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"compqa/data/sharedtest"
)

// A trial is a configuration that is run with 25 questions first.
type trial struct {
	entries string
	answer  func(prompt string, n int) string
}

// TestEstimateAfterTrial: after a trial run, the estimate for the rest of the run is within 15 % of its cost. The judge has a sample and
// repeats, and some answers are equal. Trial calls outside the sample must not be counted as repairs of the rest.
func TestEstimateAfterTrial(t *testing.T) {
	t.Parallel()
	tryEstimate(t, trial{entries: `models: [{name: contestant, provider: scripted, model: m}]
judges: [{name: judge, provider: scripted, model: m, repeats: 2, sample: 60}]`, answer: func(prompt string, _ int) string {
		if isJudging(prompt) || len(prompt)%2 == 0 {
			return ""
		}
		return "Both are fine."
	}}, 0)
}

// TestSoakEstimateAfterTrial does the same with six configurations. It also checks that the time of the calls is within a factor of 4 of
// the estimate.
func TestSoakEstimateAfterTrial(t *testing.T) {
	sharedtest.Soak(t)
	t.Parallel()
	for name, test := range map[string]trial{
		"plain": {entries: `models: [{name: contestant, provider: scripted, model: m}]
judges: [{name: judge, provider: scripted, model: m, repeats: 1}]`},
		"a sample, twice": {entries: `models: [{name: contestant, provider: scripted, model: m}]
judges: [{name: judge, provider: scripted, model: m, repeats: 2, sample: 60}]`},
		"equal answers": {entries: `models: [{name: contestant, provider: scripted, model: m, choices: 3}]
judges: [{name: judge, provider: scripted, model: m, repeats: 1}]`, answer: func(prompt string, _ int) string {
			if isJudging(prompt) {
				return ""
			}
			return "Both are fine."
		}},
		"repairs": {entries: `models: [{name: contestant, provider: scripted, model: m}]
judges: [{name: judge, provider: scripted, model: m, repeats: 1}]`, answer: func(prompt string, _ int) string {
			if isJudging(prompt) && len(prompt)%3 == 0 && !strings.Contains(prompt, "Ten points!") {
				return "Ten points!"
			}
			return ""
		}},
		"choices and repeats": {entries: `models: [{name: contestant, provider: scripted, model: m, choices: 2}]
judges: [{name: judge, provider: scripted, model: m, repeats: 2}]`},
		"two models, a sample": {entries: `models: [{name: contestant, provider: scripted, model: m},
  {name: other, provider: scripted, model: m2}]
judges: [{name: judge, provider: scripted, model: m, repeats: 2, sample: 40}]`},
	} {
		t.Run(name, func(t *testing.T) { tryEstimate(t, test, 100*time.Millisecond) })
	}
}

// tryEstimate compares the estimate after a trial with the cost of the rest of the run. If the server has a latency, it also compares the
// estimated time with the time of the calls. This is the time of the run minus the time of repeating the same command, which makes no calls
// and only starts and writes the reports.
func tryEstimate(t *testing.T, test trial, latency time.Duration) {
	t.Helper()
	server := newScriptedServer(t, func(prompt string, n int) (int, string) {
		time.Sleep(latency)
		text := ""
		if test.answer != nil {
			text = test.answer(prompt, n)
		}
		switch {
		case text != "":
		case isJudging(prompt):
			text = fullMarks()
		default:
			text = "Fine. " + prompt
		}
		usage := fmt.Sprintf(`"prompt_tokens":%d,"completion_tokens":%d,"total_tokens":%d`, len(prompt)/4, 20+len(prompt)%40,
			len(prompt)/4+20+len(prompt)%40)
		return 200, strings.Replace(completion(text, "stop"), `"completion_tokens":20,"prompt_tokens":100,"total_tokens":120`, usage, 1)
	})
	path := filepath.Join(t.TempDir(), "trial.yaml")
	dir := t.TempDir()
	text := fmt.Sprintf(`
scenarios: [1, 2]
providers:
  scripted: {type: openai, base_url: %s/v1, api_key_env: COMPQA_TEST_KEY, concurrency: 8, backoff: 1ms}
prices: {"m*": {input: 100, output: 200}}
%s
`, server.URL, test.entries)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	if code, _, stderr := compqa("run", "--config", path, "--out", dir, "--limit", "25"); code != exitDone {
		t.Fatalf("exit %d, %s", code, stderr)
	}
	_, before := billed(t, dir)
	code, stdout, stderr := compqa("estimate", "--config", path, "--out", dir, "--json")
	var rows []struct{ Cost, Seconds float64 }
	if err := json.Unmarshal([]byte(stdout), &rows); code != exitDone || err != nil {
		t.Fatalf("exit %d, %v, %s%s", code, err, stdout, stderr)
	}
	cost := 0.0
	seconds := 0.0
	for _, row := range rows {
		cost += row.Cost
		seconds += row.Seconds
	}
	rest := func() (seconds float64) {
		begun := time.Now()
		if code, _, stderr := compqa("run", "--config", path, "--out", dir); code != exitDone {
			t.Fatalf("exit %d, %s", code, stderr)
		}
		return time.Since(begun).Seconds()
	}
	took := rest()
	if _, after := billed(t, dir); math.Abs(cost-(after-before)) > 0.15*(after-before) {
		t.Errorf("it says $%v, the rest costs $%v\n%s", cost, after-before, stdout)
	}
	if latency == 0 {
		return
	}
	took -= rest()
	t.Logf("estimated %.2f s, took %.2f s", seconds, took)
	if ratio := seconds / took; ratio < 0.25 || ratio > 4 {
		t.Errorf("it says %v s, the calls of the rest take %v s", seconds, took)
	}
}
