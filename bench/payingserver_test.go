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

// A payingServer is an OpenAI-compatible server that keeps a book of its requests and the processes that made them. A reply depends only on
// the request and names it. Some replies are cut off, some are refused, and some verdicts are prose, which a repair corrects.
type payingServer struct {
	*httptest.Server
	delay time.Duration
	mu    sync.Mutex
	well  bool // if true, no reply is cut off or refused
	book  []paid
}

// paid is an entry of the book: what was requested, and by which process.
type paid struct{ what, by string }

// processTag is the environment variable with the name under which a process identifies itself at the server. The name is as long as a key,
// and not part of any reply.
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
		text += " asked-" + what // so that no two prompts to judges are equal
	}
	io.WriteString(w, strings.Replace(completion(text, finish), `"id":"c"`, `"id":"asked-`+what+`"`, 1))
}

// someMarks returns a valid score sheet that depends on n.
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

// entries returns the entries of the book from index from.
func (s *payingServer) entries(from int) []paid {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]paid(nil), s.book[from:]...)
}

// by returns the number of entries of a process.
func (s *payingServer) by(process string) (n int) {
	for _, p := range s.entries(0) {
		if p.by == process {
			n++
		}
	}
	return n
}

// payingConfig writes a configuration with this many scenarios, models and judges at the server. Each model has 50 answers under each
// scenario, and each judge gives a verdict on each answer.
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

// tagged returns the program as a process that identifies itself as tag at the server.
func tagged(t *testing.T, tag string, args ...string) *exec.Cmd {
	t.Helper()
	cmd := program(t, args...)
	cmd.Env = append(cmd.Env, processTag+"="+tag)
	return cmd
}
