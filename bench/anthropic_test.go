package bench

import (
	"net/http/httptest"
	"os"
	"strconv"
	"strings"
	"sync"

	"github.com/rogpeppe/go-internal/testscript"

	"compqa/llm/anthropictest"
)

// newAnthropicServer answers questions, judges and compares with Claude's rules. Its errors
// are two overloads at the first answers.
func newAnthropicServer() (*anthropictest.Server, *httptest.Server) {
	overloads := 2
	s := &anthropictest.Server{Key: plantedKey, Models: []string{"claude-sonnet-5-5", "claude-haiku-5-5", "claude-haiku-4-5"}}
	s.Answer = func(r anthropictest.Request) anthropictest.Reply {
		switch {
		case strings.Contains(r.Prompt, `{"ready": true}`): // doctor
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

// serveAnthropic is a command of scripts: it starts a server and writes its address over @URL@
// in files. anthropic FILE…
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

// refusedByAnthropic is a command of scripts: it checks how many requests broke the server's
// rules. refused N
func refusedByAnthropic(ts *testscript.TestScript, neg bool, args []string) {
	rules, started := anthropicRules.Load(ts)
	if neg || len(args) != 1 || !started {
		ts.Fatalf("usage: refused N, after anthropic")
	}
	if refused := rules.(*anthropictest.Server).Refused(); strconv.Itoa(len(refused)) != args[0] {
		ts.Fatalf("%d requests broke the rules, want %s: %q", len(refused), args[0], refused)
	}
}
