package bench

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"compqa/data/sharedtest"
)

// A strictServer follows what the makers of current models document: it refuses sampling parameters and max_tokens, and the limit of a
// reply includes its reasoning.
type strictServer struct {
	mu      sync.Mutex
	refused map[string]int // number of requests by model and parameter
	asked   int
	cut     int
	thought int // tokens of reasoning before each reply
}

func (s *strictServer) answer(w http.ResponseWriter, _ *http.Request, body string) {
	var req map[string]any
	json.Unmarshal([]byte(body), &req)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked++
	fail := func(parameter, message string) {
		s.refused[fmt.Sprint(req["model"], " ", parameter)]++
		text, _ := json.Marshal(map[string]any{"error": map[string]any{"message": message, "type": "invalid_request_error", "param": parameter, "code": "unsupported_value"}})
		w.WriteHeader(400)
		w.Write(text)
	}
	for _, name := range []string{"temperature", "top_p", "top_k", "repetition_penalty", "seed"} {
		if value, set := req[name]; set && fmt.Sprint(value) != "1" {
			fail(name, fmt.Sprintf("Unsupported value: '%s' does not support %v with this model. Only the default (1) value is supported.", name, value))
			return
		}
	}
	if _, set := req["max_tokens"]; set {
		fail("max_tokens", "Unsupported parameter: 'max_tokens' is not supported with this model (key "+plantedKey+"). Use 'max_completion_tokens' instead.")
		return
	}
	if req["reasoning_effort"] == "none" {
		fail("reasoning_effort", "Unsupported value: 'reasoning_effort' does not support 'none' with this model. Supported values are: 'low', 'medium', 'high', and 'xhigh'.")
		return
	}
	reply := s.reply(body)
	finish := "stop"
	visible := 200
	if limit, limited := req["max_completion_tokens"].(float64); limited && int(limit) < s.thought+visible {
		reply = ""
		finish = "length"
		visible = 0
		s.cut++
	}
	text, _ := json.Marshal(map[string]any{
		"model": req["model"], "choices": []any{map[string]any{"finish_reason": finish, "message": map[string]any{"role": "assistant", "content": reply}}},
		"usage": map[string]any{"prompt_tokens": 100, "completion_tokens": s.thought + visible, "completion_tokens_details": map[string]any{"reasoning_tokens": s.thought}},
	})
	w.Write(text)
}

func (s *strictServer) reply(prompt string) string {
	if isJudging(prompt) {
		return fullMarks()
	}
	return wellBehaved(prompt)
}

// newStrictServer starts a server and writes a configuration in which MODEL is used for everything.
func newStrictServer(t *testing.T, thought int, entries string) (*strictServer, string) {
	t.Helper()
	s := &strictServer{refused: map[string]int{}, thought: thought}
	server := newModelServer(t, s.answer)
	dir := pairwiseFiles(t, server.URL, twoPairs, "")
	text := fmt.Sprintf(`
scenarios: [1]
providers:
  scripted: {type: openai, base_url: %s/v1, api_key_env: COMPQA_TEST_KEY, concurrency: 16, backoff: 1ms, retries: 1}
%s
pairs: [{name: pairs, path: pairs.jsonl}]
`, server.URL, entries)
	if err := os.WriteFile(filepath.Join(dir, "compqa.yaml"), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return s, dir
}

const everyMethod = `
models:
  - {name: rewriter, provider: scripted, model: MODEL}
judges:
  - {name: judge, provider: scripted, model: MODEL, repeats: 2}
pairwise:
  - {method: direct, provider: scripted, model: MODEL}
  - {method: direct+aspects, provider: scripted, model: MODEL}
  - {method: cot, provider: scripted, model: MODEL}
  - {method: cot-1shot, provider: scripted, model: MODEL, aspects: aspects.yaml}
  - {method: cot-selfcon, provider: scripted, model: MODEL}
  - {method: sc2, provider: scripted, model: MODEL, aspects: aspects.yaml}
  - {method: con-j, provider: scripted, model: MODEL}
  - {method: con-j-no-rationale, provider: scripted, model: MODEL}
  - {method: con-j-correct-hint, provider: scripted, model: MODEL}
  - {method: con-j-incorrect-hint, provider: scripted, model: MODEL}
  - {name: meta, method: meta-judge, provider: scripted, model: MODEL, grades: [con-j]}
`

// TestSoakTodaysModels: every judge and method works with a model that refuses parameters that methods would set. Each parameter is refused
// at most once, and never in a second run. Models of known makers refuse none.
func TestSoakTodaysModels(t *testing.T) {
	sharedtest.Soak(t)
	t.Parallel()
	const limit = "5"
	for _, model := range []string{"gpt-6-luna", "house-model"} {
		t.Run(model, func(t *testing.T) {
			s, dir := newStrictServer(t, 800, strings.ReplaceAll(everyMethod, "MODEL", model))
			path := filepath.Join(dir, "compqa.yaml")
			commands := [][]string{
				{"run", "--config", path, "--out", filepath.Join(dir, "run"), "--limit", limit},
				{"report", filepath.Join(dir, "run")},
				pairwiseRunArgs(withKeys(t, dir, "inject: [verbosity, format], rewriter: rewriter")),
				sampleArgs(dir, "--judge", "con-j"),
			}
			for _, args := range commands {
				if code, stdout, stderr := compqa(args...); code != exitDone {
					t.Fatalf("%v: exit code %d\n%s\n%s", args, code, stdout, stderr)
				}
			}
			for what, n := range s.refused {
				if n > 1 || model != "house-model" && !strings.HasSuffix(what, " seed") {
					t.Errorf("%s was refused %d times", what, n)
				}
			}
			if s.cut > 3 || model != "house-model" && s.cut > 0 {
				t.Errorf("%d replies were cut", s.cut)
			}
			for _, row := range csvTable(t, filepath.Join(dir, "run", "tables", "pairwise.csv")) {
				if row["planned"] != row["valid"] {
					t.Errorf("%s on %s, order %s: %s planned, %s valid", row["judge"], row["dataset"], row["order"], row["planned"], row["valid"])
				}
			}
			for _, name := range []string{"run.db", "run.db-wal"} {
				if content, err := os.ReadFile(filepath.Join(dir, "run", name)); err == nil && strings.Contains(string(content), plantedKey) {
					t.Errorf("the key is in %s", name)
				}
			}
			report, err := os.ReadFile(filepath.Join(dir, "run", "report.html"))
			if want := model + " at scripted was asked without "; err != nil || !strings.Contains(string(report), want) {
				t.Errorf("report.html does not say %q: %v\n%s", want, err, report)
			}
			s.refused = map[string]int{}
			s.cut = 0
			before := s.asked
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			again := strings.ReplaceAll(string(text), "scenarios: [1]", "scenarios: [1]\nrun: {seed: 2}")
			if err := os.WriteFile(path, []byte(again), 0o644); err != nil {
				t.Fatal(err)
			}
			for _, args := range commands[:2] {
				if code, stdout, stderr := compqa(args...); code != exitDone {
					t.Fatalf("again, %v: exit code %d\n%s\n%s", args, code, stdout, stderr)
				}
			}
			if s.asked == before || len(s.refused) > 0 || s.cut > 0 {
				t.Errorf("the second run made %d requests; %v were refused and %d cut", s.asked-before, s.refused, s.cut)
			}
		})
	}
}

// TestRefusedDemand: if the model does not accept an option that the user set, the entry is stopped with one line, and no items fail one by
// one. Other entries continue.
func TestRefusedDemand(t *testing.T) {
	t.Parallel()
	s, dir := newStrictServer(t, 100, `
models:
  - {name: fine, provider: scripted, model: house-model}
  - {name: hot, provider: scripted, model: house-model, options: {temperature: 0.7}}
judges:
  - {name: idle, provider: scripted, model: house-model, effort: none}
  - {name: narrow, provider: scripted, model: house-model, extra: {top_k: 5}}
  - {name: rules, provider: embedded}
`)
	code, stdout, stderr := compqa("run", "--config", filepath.Join(dir, "compqa.yaml"), "--out", filepath.Join(dir, "run"))
	if code != exitIncomplete {
		t.Errorf("exit code %d\n%s\n%s", code, stdout, stderr)
	}
	for _, want := range []string{
		`compqa.yaml:8: model "hot": the model does not accept temperature: 0.7 (Unsupported value`, "remove temperature from options of the entry",
		`compqa.yaml:10: judge "idle": the model does not accept reasoning_effort: none`, "'low', 'medium', 'high', and 'xhigh'", "remove effort from the entry",
	} {
		if !strings.Contains(stdout+stderr, want) {
			t.Errorf("it does not say %q:\n%s\n%s", want, stdout, stderr)
		}
	}
	if n := s.refused["house-model temperature"]; n != 1 {
		t.Errorf("temperature was refused %d times", n)
	}
	if n := s.refused["house-model top_k"]; n != 1 {
		t.Errorf("top_k was refused %d times", n)
	}
	if n := s.refused["house-model reasoning_effort"]; n != 1 {
		t.Errorf("reasoning_effort was refused %d times", n)
	}
	for _, row := range csvTable(t, filepath.Join(dir, "run", "tables", "failures.csv")) {
		if row["status"] == "failed" {
			t.Errorf("failed: %v", row)
		}
	}
}

// TestLimitWentToReasoning: if reasoning used up the limit of a reply, so that it has no text, the reason says so.
func TestLimitWentToReasoning(t *testing.T) {
	t.Parallel()
	s, dir := newStrictServer(t, 5000, `
models:
  - {name: short, provider: scripted, model: house-model, options: {max_completion_tokens: 512}}
judges:
  - {name: rules, provider: embedded}
`)
	compqa("run", "--config", filepath.Join(dir, "compqa.yaml"), "--out", filepath.Join(dir, "run"), "--limit", "2")
	rows := where(csvTable(t, filepath.Join(dir, "run", "tables", "failures.csv")), map[string]string{"kind": "answer", "status": "truncated"})
	const want = "the limit went to reasoning: raise the limit of 512 tokens in options of the entry, or lower its effort"
	if len(rows) == 0 || !strings.Contains(rows[0]["reason"], want) || s.asked != 2+s.refused["house-model seed"]+s.refused["house-model max_tokens"] {
		t.Errorf("%d requests, failures %v", s.asked, rows)
	}
}

// TestDoctorNamesAllRefusals: doctor asks every entry with its own options, and reports all refusals at once.
func TestDoctorNamesAllRefusals(t *testing.T) {
	t.Parallel()
	_, dir := newStrictServer(t, 100, `
models:
  - {name: hot, provider: scripted, model: house-model, options: {temperature: 0.7}}
  - {name: fine, provider: scripted, model: house-model}
judges:
  - {name: narrow, provider: scripted, model: house-model, options: {top_p: 0.5}}
  - {name: idle, provider: scripted, model: house-model, effort: none}
pairwise:
  - {name: kind, method: direct, provider: scripted, model: house-model, extra: {top_k: 5}}
  - {name: role, method: sc2, provider: scripted, model: house-model, roles: {comparator: {options: {temperature: 0.2}}}}
`)
	code, stdout, stderr := compqa("doctor", "--config", filepath.Join(dir, "compqa.yaml"))
	for _, want := range []string{
		`compqa.yaml:7: model "hot": the model does not accept temperature: 0.7`,
		`compqa.yaml:10: judge "narrow": the model does not accept top_p: 0.5`,
		`compqa.yaml:11: judge "idle": the model does not accept reasoning_effort: none`,
		`compqa.yaml:13: pairwise judge "kind": the model does not accept top_k: 5`,
		`compqa.yaml:14: pairwise judge "role": the model does not accept temperature: 0.2`,
		"scripted, house-model: answers (", "it is asked without temperature, which it does not accept",
	} {
		if !strings.Contains(stdout, want) {
			t.Errorf("it does not say %q:\n%s", want, stdout)
		}
	}
	if code != exitFailed || !strings.Contains(stderr, "5 entries are not usable") {
		t.Errorf("exit code %d: %s", code, stderr)
	}
}

// TestBatchOfARefusedDemand: an option of the user that the model does not accept is noticed in the first batch, which costs nothing. The
// entry is stopped, and no single requests are made.
func TestBatchOfARefusedDemand(t *testing.T) {
	t.Parallel()
	server := newBatchServer(t, nil)
	server.batches.Answer = func(body map[string]any) (int, string) {
		if _, hot := body["temperature"]; hot {
			return 400, `{"error": {"message": "Unsupported value: 'temperature' does not support 0.7 with this model.", "param": "temperature"}}`
		}
		return 200, completion("Fine.", "stop")
	}
	cfg := batchConfig(t, server.URL, "")
	dir := t.TempDir()
	text, err := os.ReadFile(cfg)
	if err != nil {
		t.Fatal(err)
	}
	hot := strings.Replace(string(text), "batch: true, options: {max_tokens: 100}", "batch: true, options: {temperature: 0.7}", 1)
	if err := os.WriteFile(cfg, []byte(hot), 0o644); err != nil {
		t.Fatal(err)
	}
	code, stdout, stderr := compqa("run", "--config", cfg, "--out", dir, "--only", "answers")
	if code != exitIncomplete || !strings.Contains(stderr, `model "contestant": the model does not accept temperature: 0.7`) ||
		server.batches.Batches() != 1 || server.single.Load() != 0 {
		t.Errorf("exit code %d after %d batches, %d single requests\n%s\n%s", code, server.batches.Batches(), server.single.Load(), stdout, stderr)
	}
}

// TestEffortsThatDoNotExist: an effort that a type of provider does not have is an error of the configuration. All such errors are reported
// at once.
func TestEffortsThatDoNotExist(t *testing.T) {
	t.Parallel()
	_, dir := newStrictServer(t, 0, `
  local: {type: ollama}
models:
  - {name: a, provider: scripted, model: m, effort: tiny}
  - {name: b, provider: local, model: m, effort: {verbosity: low}}
  - {name: c, provider: scripted, model: m, effort: low, options: {reasoning_effort: high}}
judges:
  - {name: d, provider: local, model: m, effort: xhigh}
  - {name: e, provider: scripted, model: m, effort: {reasoning: low, verbosity: loud}}
`)
	code, _, stderr := compqa("doctor", "--config", filepath.Join(dir, "compqa.yaml"))
	for _, want := range []string{
		`compqa.yaml:8: model "a": effort is "tiny"; with a provider of type openai it must be one of none, minimal, low, medium, high, xhigh, max`,
		`compqa.yaml:9: model "b": a provider of type ollama does not support verbosity`,
		`compqa.yaml:10: model "c": effort and options.reasoning_effort set the same option; remove one`,
		`compqa.yaml:12: judge "d": effort is "xhigh"; with a provider of type ollama it must be one of none, low, medium, high, max`,
		`compqa.yaml:13: judge "e": effort: verbosity is "loud"; it must be one of low, medium, high`,
	} {
		if !strings.Contains(stderr, want) {
			t.Errorf("it does not say %q:\n%s", want, stderr)
		}
	}
	if code != exitUsage {
		t.Errorf("exit code %d", code)
	}
}
