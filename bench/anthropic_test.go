package bench

import (
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"compqa/data/sharedtest"
	"compqa/llm/anthropictest"
)

// newAnthropicServer returns a server that answers, judges and compares by the rules of Claude's API. Its first two answers are overload
// errors.
func newAnthropicServer() (*anthropictest.Server, *httptest.Server) {
	overloads := 2
	s := &anthropictest.Server{Key: plantedKey, Models: []string{"claude-sonnet-5-5", "claude-haiku-5-5", "claude-haiku-4-5"}}
	s.Answer = func(r anthropictest.Request) anthropictest.Reply {
		switch {
		case strings.Contains(r.Prompt, `{"ready": true}`): // the check of doctor
			return anthropictest.Reply{Text: `{"ready": true}`}
		case overloads > 0:
			overloads--
			return anthropictest.Reply{Status: 529, Message: "Overloaded", RetryAfter: "0.001"}
		case isJudging(r.Prompt):
			return anthropictest.Reply{Thinking: "Criterion by criterion.", Text: fullMarks()}
		case promptKind(r.Prompt) == "con-j":
			return anthropictest.Reply{Text: `{"rationale": "The first one is clearer.", "better_answer": 1}`}
		case strings.Contains(r.Prompt, "softball"):
			return anthropictest.Reply{Stop: "refusal", Explanation: "No games."}
		}
		return anthropictest.Reply{Thinking: "Which is better?", Text: "Fine. " + r.Prompt}
	}
	return s, httptest.NewServer(s)
}

// serveAnthropic is the script command "anthropic FILE…". It starts a server and replaces @URL@ in the files by its address.
func serveAnthropic(ts *testscript.TestScript, neg bool, files []string) {
	if neg || len(files) == 0 {
		ts.Fatalf("usage: anthropic FILE…")
	}
	rules, server := newAnthropicServer()
	ts.Defer(server.Close)
	anthropicRules.Store(ts, rules)
	for _, file := range files {
		text := strings.ReplaceAll(ts.ReadFile(file), "@URL@", server.URL)
		ts.Check(os.WriteFile(ts.MkAbs(file), []byte(text), 0o644))
	}
	ts.Setenv("ANTHROPIC_API_KEY", plantedKey)
}

var anthropicRules sync.Map // *testscript.TestScript to its *anthropictest.Server

// refusedByAnthropic is the script command "refused N". It checks that N requests broke the rules of the API.
func refusedByAnthropic(ts *testscript.TestScript, neg bool, args []string) {
	rules, started := anthropicRules.Load(ts)
	if neg || len(args) != 1 || !started {
		ts.Fatalf("usage: refused N, after anthropic")
	}
	if refused := rules.(*anthropictest.Server).Refused(); strconv.Itoa(len(refused)) != args[0] {
		ts.Fatalf("%d requests broke the rules, want %s: %q", len(refused), args[0], refused)
	}
}

// TestSoakTodaysClaude: every judge and method works with Claude models. Known models refuse no parameter. A model with an unknown name
// refuses each parameter once, and none in a second run.
func TestSoakTodaysClaude(t *testing.T) {
	t.Parallel()
	sharedtest.Soak(t)
	const limit = "5"
	for _, model := range []string{"claude-sonnet-5-5", "claude-haiku-4-5", "house-model"} {
		t.Run(model, func(t *testing.T) {
			s := &anthropictest.Server{Key: plantedKey, Answer: func(r anthropictest.Request) anthropictest.Reply {
				a := anthropictest.Reply{Thinking: strings.Repeat("Hm. ", 800), Text: fullMarks()}
				if prompt, _ := json.Marshal(r.Prompt); !isJudging(r.Prompt) {
					a.Text = wellBehaved(string(prompt))
				}
				return a
			}}
			server := httptest.NewServer(s)
			defer server.Close()
			dir := pairwiseFiles(t, server.URL, twoPairs, "")
			path := filepath.Join(dir, "compqa.yaml")
			commands := [][]string{
				{"run", "--config", path, "--out", filepath.Join(dir, "run"), "--limit", limit},
				pairwiseRunArgs(dir),
				sampleArgs(dir, "--judge", "con-j"),
			}
			for i, seed := range []int{1, 2} {
				text := fmt.Sprintf("scenarios: [1]\nrun: {seed: %d}\nproviders: {scripted: {type: anthropic, base_url: %q, api_key_env: COMPQA_TEST_KEY, backoff: 1ms}}\n%s\npairs: [{name: pairs, path: pairs.jsonl, inject: [verbosity, format], rewriter: rewriter}]\n",
					seed, server.URL, strings.ReplaceAll(everyMethod, "MODEL", model))
				if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
				before := len(s.Requests())
				for _, args := range commands[:3-i] {
					if code, stdout, stderr := compqa(args...); code != exitDone {
						t.Fatalf("seed %d, %v: exit code %d\n%s\n%s", seed, args, code, stdout, stderr)
					}
				}
				refused := s.Refused()
				slices.Sort(refused)
				if n := len(refused); n != len(slices.Compact(refused)) || n > 0 && model != "house-model" || len(s.Requests()) == before {
					t.Errorf("seed %d: %d requests, refused %q", seed, len(s.Requests())-before, refused)
				}
			}
			for _, row := range csvTable(t, filepath.Join(dir, "run", "tables", "pairwise.csv")) {
				if row["planned"] != row["valid"] {
					t.Errorf("%s on %s, order %s: %s planned, %s valid", row["judge"], row["dataset"], row["order"], row["planned"], row["valid"])
				}
			}
		})
	}
}
