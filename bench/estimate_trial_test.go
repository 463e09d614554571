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
)

// TestEstimateAfterTrial: after a trial of 25 questions, what estimate says of the rest is what it then costs, within 15 %; in
// a soak test (on an idle machine), the time within a factor of 2.
func TestEstimateAfterTrial(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		entries string
		answer  func(prompt string, n int) string
	}{
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
		t.Run(name, func(t *testing.T) {
			server := newScriptedServer(t, func(prompt string, n int) (int, string) {
				time.Sleep(20 * time.Millisecond)
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
			path, dir := filepath.Join(t.TempDir(), "trial.yaml"), t.TempDir()
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
			cost, seconds := 0.0, 0.0
			for _, row := range rows {
				cost, seconds = cost+row.Cost, seconds+row.Seconds
			}
			begun := time.Now()
			if code, _, stderr := compqa("run", "--config", path, "--out", dir); code != exitDone {
				t.Fatalf("exit %d, %s", code, stderr)
			}
			took := time.Since(begun).Seconds()
			_, after := billed(t, dir)
			if math.Abs(cost-(after-before)) > 0.15*(after-before) {
				t.Errorf("it says $%v, the rest costs $%v\n%s", cost, after-before, stdout)
			}
			if ratio := seconds / took; os.Getenv("COMPQA_SOAK") == "1" && (ratio < 0.5 || ratio > 2) {
				t.Errorf("it says %v s, the rest takes %v s", seconds, took)
			}
		})
	}
}
