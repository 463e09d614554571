package bench

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"compqa/bench/config"
	"compqa/data"
	"compqa/data/sharedtest"
	"compqa/results/dataset"
)

// A stormyServer answers three in ten requests with 429 and one in ten with 500, drops one in twenty connections, and scores one in twenty
// answers without a sheet. What happens to a request depends on its content and on the number of its repeats. Once, the server is down for
// a while.
type stormyServer struct {
	*httptest.Server
	mu     sync.Mutex
	tries  map[string]int
	did    map[string]int
	leaves int // number of answers and verdicts after which the server goes down; 0 once it has
	away   time.Duration
	back   time.Time
}

// goneFor is the smallest number of requests without a reply while the server is down, a few more than a run needs to notice.
const goneFor = 12

func newStormyServer(t *testing.T, leaves int, away time.Duration) *stormyServer {
	t.Helper()
	s := &stormyServer{tries: map[string]int{}, did: map[string]int{}, leaves: leaves, away: away}
	s.Server = newModelServer(t, s.answer)
	return s
}

func (s *stormyServer) answer(w http.ResponseWriter, _ *http.Request, asked string) {
	switch s.weather(asked) {
	case "429":
		w.Header().Set("Retry-After-Ms", "1")
		w.WriteHeader(http.StatusTooManyRequests)
		io.WriteString(w, `{"error": {"message": "slow down"}}`)
	case "500":
		w.WriteHeader(http.StatusInternalServerError)
	case "dropped", "gone":
		if conn, _, err := w.(http.Hijacker).Hijack(); err == nil {
			conn.Close()
		}
	case "malformed":
		io.WriteString(w, completion("Ten points for style, and the rest is silence!", "stop"))
	case "verdict":
		io.WriteString(w, completion(fullMarks(), "stop"))
	default:
		io.WriteString(w, completion("An answer to "+config.HashOf(asked)[:12], "stop"))
	}
}

// weather returns what happens to a request, and counts it.
func (s *stormyServer) weather(asked string) (what string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	defer func() { s.did[what]++ }()
	if s.leaves > 0 && s.did["answer"]+s.did["verdict"] >= s.leaves {
		s.leaves, s.back = 0, time.Now().Add(s.away)
	}
	if time.Now().Before(s.back) || s.leaves == 0 && s.did["gone"] < goneFor {
		return "gone"
	}
	s.tries[asked]++
	var chance uint32
	fmt.Sscanf(config.HashOf(asked, s.tries[asked])[:8], "%x", &chance)
	switch chance %= 100; {
	case chance < 30:
		return "429"
	case chance < 40:
		return "500"
	case chance < 45:
		return "dropped"
	case chance < 50 && isJudging(asked):
		return "malformed"
	case isJudging(asked):
		return "verdict"
	}
	return "answer"
}

// TestSoakStorm: with 429s, 500s, dropped connections and malformed verdicts, and the server down for a while, a run still completes. Every
// cell has a valid verdict, or a status that says what happened.
func TestSoakStorm(t *testing.T) {
	sharedtest.Soak(t)
	const models, away = 25, time.Second // × 4 scenarios × 50 questions × (an answer and a verdict): 10,000 calls
	planned := models * 200
	server := newStormyServer(t, planned, away)
	cfg := stormConfig(t, server.URL, models)
	dir := t.TempDir()
	code, _, stderr := compqa("run", "--config", cfg, "--out", dir)
	if code != exitIncomplete || !strings.Contains(stderr, "provider stormy is down") || !strings.Contains(stderr, "provider stormy answers again") {
		t.Fatalf("exit %d, %s", code, stderr)
	}
	record, err := dataset.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	answers := map[data.Status]int{}
	verdicts := map[data.Status]int{}
	for _, a := range record.Answers {
		answers[a.Status]++
		if a.Status != data.Valid && a.Reason == "" {
			t.Errorf("answer %s is %s and does not say why", a.ID, a.Status)
		}
	}
	for _, s := range record.Sheets {
		verdicts[s.Status]++
		if (s.Status == data.Valid) != (s.Scores != nil) || (s.Status == data.Valid) != (s.Reason == "") {
			t.Errorf("a verdict is %s, has the scores %v and the reason %q", s.Status, s.Scores, s.Reason)
		}
	}
	t.Logf("%d answers %v, %d verdicts %v; the server did %v", len(record.Answers), answers, len(record.Sheets), verdicts, server.did)
	if len(record.Answers) != planned || len(record.Sheets) != planned {
		t.Errorf("%d answers and %d verdicts on record, %d of each were planned", len(record.Answers), len(record.Sheets), planned)
	}
	if answers[data.Valid] != server.did["answer"] || verdicts[data.Valid] != server.did["verdict"] {
		t.Errorf("%d answers and %d verdicts are valid, the server gave %d and %d", answers[data.Valid], verdicts[data.Valid], server.did["answer"], server.did["verdict"])
	}
	// Five attempts fail for 0.45⁵ = 1.8 % of the calls. For a verdict, a malformed reply fails like its repair.
	// So a few calls must fail.
	if answers[data.Valid] < planned*95/100 || verdicts[data.Valid] < planned*90/100 || answers[data.Failed] == 0 || verdicts[data.Skipped] != answers[data.Failed] {
		t.Errorf("answers %v, verdicts %v", answers, verdicts)
	}
	for _, what := range []string{"429", "500", "dropped", "malformed", "gone"} {
		if server.did[what] == 0 {
			t.Errorf("the server never did %s", what)
		}
	}
}

func stormConfig(t *testing.T, url string, models int) string {
	t.Helper()
	var text strings.Builder
	fmt.Fprintf(&text, "providers: {stormy: {type: openai, base_url: %s/v1, concurrency: 64, retries: 4, backoff: 1ms}}\nmodels:\n", url)
	for i := range models {
		fmt.Fprintf(&text, "  - {name: model-%d, provider: stormy, model: model-%d}\n", i+1, i+1)
	}
	text.WriteString("judges:\n  - {name: judge, provider: stormy, model: judge, repeats: 1}\n")
	path := filepath.Join(t.TempDir(), "storm.yaml")
	if err := os.WriteFile(path, []byte(text.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}
