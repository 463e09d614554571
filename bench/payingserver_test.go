package bench

import (
	"fmt"
	"hash/fnv"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"compqa/rubric"
)

// A payingServer is an OpenAI-compatible server that keeps a book: what it was
// asked, and by which process. What it replies depends on what is asked alone,
// names it, and is not always of use: some replies are cut, some refused, and
// some verdicts are prose, which a repair puts right.
type payingServer struct {
	*httptest.Server
	delay time.Duration
	mu    sync.Mutex
	well  bool // nothing is cut or refused
	book  []paid
}

// paid is one entry of the book.
type paid struct{ what, by string }

// processTag, in the environment, is what a process calls itself at the server.
// It is as long as a key, and no part of a reply.
const processTag = "COMPQA_TEST_PROCESS"

const refusalToScore = "Ten points for style, and the rest is silence!"

func newPayingServer(t *testing.T, delay time.Duration) *payingServer {
	t.Helper()
	s := &payingServer{delay: delay}
	s.Server = newModelServer(t, s.answer)
	return s
}

func (s *payingServer) answer(w http.ResponseWriter, r *http.Request, asked string) {
	h := fnv.New64a()
	io.WriteString(h, asked)
	what := fmt.Sprintf("%016x", h.Sum64())
	s.mu.Lock()
	s.book = append(s.book, paid{what, r.Header.Get("X-Process")})
	well := s.well
	s.mu.Unlock()
	time.Sleep(s.delay)
	text := "An answer."
	finish := "stop"
	switch chance := h.Sum64() % 20; {
	case chance == 0 && !well:
		finish = "length"
	case chance == 1 && !well:
		finish = "content_filter"
	case isJudging(asked) && chance < 4 && !strings.Contains(asked, refusalToScore):
		text = refusalToScore
	case isJudging(asked):
		text = someMarks(h.Sum64())
	}
	if !isJudging(asked) {
		text += " asked-" + what // so that no two judgings have the same prompt
	}
	io.WriteString(w, strings.Replace(completion(text, finish), `"id":"c"`, `"id":"asked-`+what+`"`, 1))
}

// someMarks is a valid sheet of scores that differs with n.
func someMarks(n uint64) string {
	var parts []string
	for i, c := range rubric.CQA().Criteria {
		points := c.Max()
		if n>>(i+16)&1 == 0 {
			points = 0
		}
		parts = append(parts, fmt.Sprintf("%q: %v", c.ID, points))
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

// entries are the book's from one on.
func (s *payingServer) entries(from int) []paid {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]paid(nil), s.book[from:]...)
}

// by counts the entries of a process.
func (s *payingServer) by(process string) (n int) {
	for _, p := range s.entries(0) {
		if p.by == process {
			n++
		}
	}
	return n
}

// payingConfig is a configuration of so many scenarios, models and judges at the
// server: 50 answers of each model under each scenario, and a verdict of each judge
// on each of them.
func payingConfig(t *testing.T, url string, scenarios, models, judges, concurrency int) string {
	t.Helper()
	var text strings.Builder
	fmt.Fprintf(&text, "scenarios: [%s]\n", "1, 2, 3, 4"[:3*scenarios-2])
	fmt.Fprintf(&text, "providers: {paying: {type: openai, base_url: %s/v1, concurrency: %d, headers: {X-Process: \"${%s}\"}}}\nmodels:\n", url, concurrency, processTag)
	for i := range models {
		fmt.Fprintf(&text, "  - {name: model-%d, provider: paying, model: model-%d}\n", i+1, i+1)
	}
	text.WriteString("judges:\n")
	for i := range judges {
		fmt.Fprintf(&text, "  - {name: judge-%d, provider: paying, model: judge-%d, repeats: 1}\n", i+1, i+1)
	}
	path := filepath.Join(t.TempDir(), "paying.yaml")
	if err := os.WriteFile(path, []byte(text.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// tagged is the program as a process that calls itself so at the server.
func tagged(t *testing.T, tag string, args ...string) *exec.Cmd {
	t.Helper()
	cmd := program(t, args...)
	cmd.Env = append(cmd.Env, processTag+"="+tag)
	return cmd
}
