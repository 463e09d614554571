package bench

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
)

// A holdingServer answers the first request, which is sent alone. It holds all other requests until it is released or the program ends.
type holdingServer struct {
	url     string
	asked   atomic.Int64  // number of requests
	held    chan struct{} // receives a value for each request that is held
	release chan struct{}
}

func newHoldingServer(t *testing.T, most int) *holdingServer {
	s := &holdingServer{held: make(chan struct{}, most), release: make(chan struct{})}
	server := newModelServer(t, func(w http.ResponseWriter, r *http.Request, _ string) {
		if s.asked.Add(1) > 1 {
			s.held <- struct{}{}
			select {
			case <-s.release:
			case <-r.Context().Done():
			}
		}
		io.WriteString(w, completion("A is better.", "stop"))
	})
	s.url = server.URL
	return s
}

// TestKilledInFlight: a run is killed while calls are in flight, and each of these calls is on record. The next run says once how many may
// have been paid for. costs.csv counts them. Together with the attempts, they are all requests that the server got. Calls that waited for a
// free slot do not count.
func TestKilledInFlight(t *testing.T) {
	t.Parallel()
	const concurrency, calls = 8, 20
	server := newHoldingServer(t, 10*calls)
	cfg := filepath.Join(t.TempDir(), "c.yaml")
	dir := t.TempDir()
	text := fmt.Sprintf("scenarios: [1]\nproviders: {s: {type: openai, base_url: %s/v1, concurrency: %d}}\n"+
		"models: [{name: asked, provider: s, model: m, price: {input: 100, output: 100}, options: {max_tokens: 100}}]\n"+
		"judges: [{name: constant, provider: embedded}]\nrun: {budget: 5}\n", server.url, concurrency)
	if err := os.WriteFile(cfg, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	args := []string{"run", "--config", cfg, "--limit", fmt.Sprint(calls), "--out", dir}
	cmd := program(t, args...)
	var said strings.Builder
	cmd.Stdout = &said
	cmd.Stderr = &said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() { cmd.Wait(); close(ended) }()
	for range concurrency {
		select {
		case <-server.held:
		case <-ended:
			t.Fatalf("the program ended by itself: %s", said.String())
		}
	}
	cmd.Process.Kill()
	<-ended
	close(server.release)
	if n := server.asked.Load(); n != 1+concurrency {
		t.Fatalf("%d requests were sent, want the first one and %d at once", n, concurrency)
	}

	code, _, stderr := compqa(args...)
	want := fmt.Sprintf("%d calls may have been paid without an answer, because a command was killed while it waited: at most $", concurrency)
	if code != exitDone || !strings.Contains(stderr, want) {
		t.Errorf("exit %d, %s\nwant %q", code, stderr, want)
	}
	row := csvTable(t, filepath.Join(dir, "tables", "costs.csv"))[0]
	if row["attempts"] != fmt.Sprint(calls) || row["maybe_paid"] != fmt.Sprint(concurrency) || server.asked.Load() != calls+concurrency {
		t.Errorf("%s attempts, %s may have been paid; the server was asked %d times", row["attempts"], row["maybe_paid"], server.asked.Load())
	}
	bills, paid := billed(t, dir)
	spent := fmt.Sprintf("$%.4f of it spent", paid+bills[0].MaybeCost)
	if _, estimate, _ := compqa("estimate", "--config", cfg, "--out", dir); bills[0].MaybeCost <= 0 || !strings.Contains(estimate, spent) {
		t.Errorf("estimate does not say %q of the budget: %s", spent, estimate)
	}
	page := string(fileContent(t, filepath.Join(dir, "report.md")))
	if want := fmt.Sprintf("%d requests may have been paid without an answer", concurrency); !strings.Contains(page, want) {
		t.Errorf("report.md does not say %q", want)
	}

	file := filepath.Join(t.TempDir(), "killed.compqa.gz")
	if code, _, stderr := compqa("export", dir, "--out", file); code != exitDone {
		t.Fatalf("export: exit %d, %s", code, stderr)
	}
	code, stdout, _ := compqa("verify", file)
	if want := fmt.Sprintf("%d unanswered calls of asked: in flight when a command was killed", concurrency); code != exitDone ||
		!strings.Contains(stdout, want) {
		t.Errorf("verify: exit %d, %s\nwant %q", code, stdout, want)
	}
	if code, _, stderr := compqa(args...); code != exitDone || strings.Contains(stderr, "may have been paid") {
		t.Errorf("a third run: exit %d, %s", code, stderr)
	}
}
