package bench

import (
	"fmt"
	"hash/fnv"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"compqa/bench/plan"
	"compqa/data/sharedtest"
)

// A bookServer gives the same reply to the same request each time. While its book is open, it counts the requests.
type bookServer struct {
	*httptest.Server
	mu   sync.Mutex
	open bool
	book map[string]int // request body to the number of requests
}

func newBookServer(t *testing.T) *bookServer {
	t.Helper()
	s := &bookServer{book: map[string]int{}}
	s.Server = newModelServer(t, s.answer)
	return s
}

func (s *bookServer) answer(w http.ResponseWriter, _ *http.Request, asked string) {
	s.mu.Lock()
	if s.open {
		s.book[asked]++
	}
	s.mu.Unlock()
	h := fnv.New64a()
	io.WriteString(h, asked)
	text := fmt.Sprintf("Number %d is the better one.", h.Sum64()%1000)
	switch {
	case isJudging(asked) && h.Sum64()%7 == 0:
		text = "no sheet at all"
	case isJudging(asked):
		text = someMarks(h.Sum64())
	}
	io.WriteString(w, completion(text, "stop"))
}

// keepBook starts or stops counting requests.
func (s *bookServer) keepBook(open bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.open = open
}

// anyConfig returns a random configuration.
func anyConfig(r *rand.Rand, url string) string {
	flip := func() bool { return r.IntN(2) == 0 }
	pick := func(of ...any) string { return fmt.Sprint(of[r.IntN(len(of))]) }
	var b strings.Builder
	fmt.Fprintf(&b, "aspect_in_prompt: %s\nscenarios: %s\n", pick(false, false, true), pick("[1]", "[1, 3]", "[3, 2]", "[1, 2, 3, 4]"))
	fmt.Fprintf(&b, "providers:\n  book: {type: openai, base_url: %s/v1, backoff: 1ms}\nmodels:\n", url)
	if flip() {
		b.WriteString("  - {name: template, provider: baseline}\n")
	}
	fmt.Fprintf(&b, "  - {name: a, provider: book, model: %s, choices: %s, options: {temperature: %s}}\n", pick("m", "m", "n"), pick(1, 1, 2), pick(0, 1))
	if flip() {
		fmt.Fprintf(&b, "  - {name: b, provider: book, model: m, options: {temperature: %s}}\n", pick(0, 1))
	}
	fmt.Fprintf(&b, "judges:\n  - {name: j, provider: book, model: j, repeats: %s, sample: %s, examples: %s, options: {temperature: %s}}\n", pick(1, 1, 2), pick(0, 0, 5), pick(0, 0, 1), pick(0, 1))
	if flip() {
		b.WriteString("  - {name: rules, provider: embedded}\n")
	}
	fmt.Fprintf(&b, "run: {seed: %s, repair: %s}\n", pick(1, 1, 2), pick(0, 1))
	return b.String()
}

// TestSoakAnyConfigurations: whatever configurations a folder was run with before, its reports equal those of a new folder with the last
// configuration, and no call is made twice.
func TestSoakAnyConfigurations(t *testing.T) {
	t.Parallel()
	sharedtest.Soak(t)
	const steps = 40
	server := newBookServer(t)
	folder := t.TempDir()
	changing := t.TempDir()
	cfg := filepath.Join(folder, "any.yaml")
	r := rand.New(rand.NewPCG(8, 1))
	record := func(dir string, args ...string) {
		t.Helper()
		code, _, stderr := compqa(append([]string{"run", "--config", cfg, "--limit", "3", "--out", dir}, args...)...)
		if code != exitDone && code != exitIncomplete {
			t.Fatalf("exit %d, %s", code, stderr)
		}
	}
	for step := range steps {
		text := anyConfig(r, server.URL)
		if err := os.WriteFile(cfg, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		server.keepBook(true)
		if r.IntN(4) == 0 {
			record(changing, "--only", []string{plan.OnlyAnswers, plan.OnlyVerdicts}[r.IntN(2)])
		}
		record(changing)
		server.keepBook(false)
		fresh := filepath.Join(folder, fmt.Sprint(step))
		record(fresh)
		for _, name := range []string{"tables/answers.csv", "tables/verdicts.csv", "tables/leaderboard.csv", "tables/comparisons.csv", "tables/groups.csv", "tables/agreement.csv", "tables/failures.csv"} {
			got, err := os.ReadFile(filepath.Join(changing, name))
			want, err2 := os.ReadFile(filepath.Join(fresh, name))
			if os.IsNotExist(err) && os.IsNotExist(err2) {
				continue // a table without rows is not written
			}
			if err != nil || err2 != nil {
				t.Fatal(err, err2)
			}
			if string(got) != string(want) {
				t.Fatalf("step %d: %s differs from a fresh run's: %s\n%s", step, name, firstDifference(string(got), string(want)), text)
			}
		}
		os.RemoveAll(fresh)
	}
	for body, times := range server.book {
		if times > 1 {
			t.Errorf("asked %d times: %.300s", times, body)
		}
	}
	t.Logf("%d calls over %d configurations", len(server.book), steps)
}

// TestServerMoves: if a provider gets another address, recorded replies are kept, unless the configuration says that they depend on the
// address.
func TestServerMoves(t *testing.T) {
	t.Parallel()
	first := newBookServer(t)
	second := newBookServer(t)
	second.keepBook(true)
	dir := t.TempDir()
	cfg := filepath.Join(t.TempDir(), "move.yaml")
	record := func(url, more string) (stderr string) {
		t.Helper()
		text := fmt.Sprintf("scenarios: [1]\nproviders: {book: {type: openai, base_url: %s/v1%s}}\nmodels: [{name: a, provider: book, model: m}]\njudges: [{name: j, provider: book, model: j, options: {temperature: 0}}]\n"+
			"run: {repair: 0}\n", url, more)
		if err := os.WriteFile(cfg, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		code, _, stderr := compqa("run", "--config", cfg, "--limit", "3", "--out", dir)
		if code != exitDone && code != exitIncomplete {
			t.Fatalf("exit %d, %s", code, stderr)
		}
		return stderr
	}
	record(first.URL, "")
	if stderr := record(second.URL, ""); len(second.book) > 0 || !strings.Contains(stderr, "provider book has another address than in the last run; recorded replies are kept") {
		t.Errorf("asked again: %v; %s", second.book, stderr)
	}
	if record(second.URL, ", fingerprint: url"); len(second.book) != 3+3 {
		t.Errorf("%d different calls with fingerprint: url, want 6", len(second.book))
	}
}

// TestSharedReplies: two servers that are asked for a model with the same name share replies, and the run says so.
func TestSharedReplies(t *testing.T) {
	t.Parallel()
	reply := func(string, int) (int, string) { return 200, completion(fullMarks(), "stop") }
	one := newScriptedServer(t, reply)
	other := newScriptedServer(t, reply)
	run := func(more string) (stderr string) {
		path := filepath.Join(t.TempDir(), "compqa.yaml")
		text := fmt.Sprintf(`
scenarios: [1]
providers:
  one: {type: openai, base_url: %s/v1, api_key_env: COMPQA_TEST_KEY}
  other: {type: openai, base_url: %s/v1, api_key_env: COMPQA_TEST_KEY%s}
models: [{name: template, provider: baseline}]
judges: [{name: a, provider: one, model: m}, {name: b, provider: other, model: m}]
`, one.URL, other.URL, more)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		code, _, stderr := compqa("run", "--config", path, "--limit", "2", "--out", t.TempDir())
		if code != exitDone {
			t.Fatalf("exit %d, %s", code, stderr)
		}
		return stderr
	}
	const said = "providers one and other are both asked for model m: the same call is made once"
	if stderr := run(""); !strings.Contains(stderr, said) || one.asked()+other.asked() != 2 {
		t.Errorf("%d and %d calls; %s", one.asked(), other.asked(), stderr)
	}
	if stderr := run(", fingerprint: url"); strings.Contains(stderr, said) || one.asked()+other.asked() != 2+4 {
		t.Errorf("with fingerprint: url %d and %d calls; %s", one.asked(), other.asked(), stderr)
	}
}

// TestSurplusResults: results of an earlier run that are no longer planned neither count as missing nor replace results that are.
func TestSurplusResults(t *testing.T) {
	t.Parallel()
	server := newModelServer(t, func(w http.ResponseWriter, _ *http.Request, asked string) {
		text := fullMarks()
		if strings.Contains(asked, `"model":"mute"`) {
			text = "no sheet at all"
		}
		io.WriteString(w, completion(text, "stop"))
	})
	dir := t.TempDir()
	config := filepath.Join(dir, "c.yaml")
	for i, step := range []struct {
		judges string
		code   int
	}{
		{"{name: j, provider: p, model: m, sample: 4, repeats: 2}", exitDone},
		{"{name: j, provider: p, model: m, sample: 2}", exitDone},
		{"{name: j, provider: p, model: m, sample: 2}, {name: k, provider: p, model: mute, sample: 1}", exitIncomplete},
	} {
		text := "scenarios: [1]\nproviders: {p: {type: openai, base_url: " + server.URL + "/v1}}\n" +
			"models: [{name: template, provider: baseline}]\njudges: [" + step.judges + "]\n"
		if err := os.WriteFile(config, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if code, _, stderr := compqa("run", "--config", config, "--limit", "4", "--out", filepath.Join(dir, "run")); code != step.code {
			t.Errorf("step %d: exit %d, want %d: %s", i, code, step.code, stderr)
		}
	}
}
