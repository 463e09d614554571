package bench

import (
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"compqa/data/sharedtest"
	"compqa/llm/fleet"
	"compqa/llm/pgtest"
)

// A workerProcess is a worker of its own.
type workerProcess struct {
	*exec.Cmd
	errors strings.Builder
}

func startWorker(t testing.TB, url string, more ...string) *workerProcess {
	t.Helper()
	w := &workerProcess{Cmd: exec.Command(os.Args[0], append([]string{"worker", "--queue", url}, more...)...)}
	w.Env = append(os.Environ(), beCompqa+"=1", deadAfter+"=3s")
	w.Stderr = &w.errors
	if err := w.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		w.Process.Kill()
		w.Wait()
	})
	return w
}

// awaitWorkers waits until n workers have reported to a queue.
func awaitWorkers(t testing.TB, url string, n int) fleet.Status {
	t.Helper()
	for deadline := time.Now().Add(60 * time.Second); ; time.Sleep(50 * time.Millisecond) {
		s, err := fleet.Look(t.Context(), url)
		if err == nil && len(s.Workers) >= n {
			return s
		}
		if time.Now().After(deadline) {
			t.Fatalf("%d workers: %+v, %v", n, s, err)
		}
	}
}

// slowly makes a scripted server wait before each reply.
func slowly(s *scriptedServer, pause time.Duration) *scriptedServer {
	reply := s.reply
	s.reply = func(prompt string, n int) (int, string) {
		time.Sleep(pause)
		return reply(prompt, n)
	}
	return s
}

// TestFleetRun: a run over four workers, of which two are killed, has the tables of a run alone,
// byte for byte. At most the calls in flight are made twice. The key is nowhere in the database.
func TestFleetRun(t *testing.T) {
	t.Parallel()
	sharedtest.Soak(t)
	url := pgtest.Database(t)
	alone, limit := t.TempDir(), "12"
	server := slowly(wellServer(t), 10*time.Millisecond)
	cfg := liveConfig(t, server.URL, cheapPrices)
	if code, _, stderr := compqa("run", "--config", cfg, "--out", alone, "--limit", limit); code != exitDone {
		t.Fatalf("exit %d, %s", code, stderr)
	}
	calls := server.asked()

	out := t.TempDir()
	cmd := program(t, "run", "--config", cfg, "--out", out, "--limit", limit, "--queue", url)
	cmd.Env = append(cmd.Env, deadAfter+"=3s", "COMPQA_TEST_KEY=")
	var stderr strings.Builder
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	var workers []*workerProcess
	for range 4 {
		workers = append(workers, startWorker(t, url, "--metrics", "127.0.0.1:0"))
	}
	state := func() string {
		status, err := fleet.Look(t.Context(), url)
		return fmt.Sprintf("%d calls; %s\n%+v, %v\nworkers: %s\n%s", server.asked()-calls, stderr.String(), status, err, workers[2].errors.String(), workers[3].errors.String())
	}
	for deadline := time.After(2 * time.Minute); server.asked() < calls+30; {
		select {
		case err := <-ended:
			t.Fatalf("the run has ended: %v; %s", err, state())
		case <-deadline:
			t.Fatalf("the run stands still: %s", state())
		case <-time.After(5 * time.Millisecond):
		}
	}
	for _, w := range workers[:2] {
		w.Process.Kill()
	}
	select {
	case err := <-ended:
		if err != nil {
			t.Fatalf("%v\n%s", err, stderr.String())
		}
	case <-time.After(4 * time.Minute):
		t.Fatalf("the run does not end: %s", state())
	}
	for _, name := range []string{"leaderboard.csv", "leaderboard.md", "groups.csv", "comparisons.csv", "failures.csv"} {
		if a, b := readFile(t, alone, name), readFile(t, out, name); a != b {
			t.Errorf("%s differs:\n%s\n%s", name, a, b)
		}
	}
	if again := server.asked() - calls; again < calls || again > calls+16 {
		t.Errorf("%d calls, want %d, and 16 more at the most", again, calls)
	}
	file := filepath.Join(t.TempDir(), "run.gz")
	if code, _, stderr := compqa("export", "--run", out, "--out", file); code != exitDone {
		t.Fatal(stderr)
	}
	if code, out, stderr := compqa("verify", file); code != exitDone {
		t.Errorf("verify: %s%s", out, stderr)
	}
	if code, stdout, stderr := compqa("fleet", "status", "--queue", url); code != exitDone || !strings.Contains(stdout, "working") || !strings.Contains(stdout, "0 replies not yet recorded") {
		t.Errorf("exit %d, %s%s", code, stdout, stderr)
	}
	code, stdout, _ := compqa("fleet", "status", "--queue", url, "--json")
	var status fleet.Status
	if err := json.Unmarshal([]byte(stdout), &status); code != exitDone || err != nil || len(status.Providers) != 1 || status.Providers[0].Name != "scripted" {
		t.Errorf("exit %d, %v, %s", code, err, stdout)
	}
	if code, stdout, stderr := compqa("fleet", "drain", "--queue", url); code != exitDone || !strings.Contains(stdout, "finish their calls and end") {
		t.Errorf("exit %d, %s%s", code, stdout, stderr)
	}
	for _, w := range workers[2:] {
		if err := w.Wait(); err != nil || !strings.Contains(w.errors.String(), "drained") {
			t.Errorf("%v: %s", err, w.errors.String())
		}
	}
	if code, stdout, stderr := compqa("fleet", "purge", "--queue", url); code != exitDone || !strings.Contains(stdout, "deleted 0 calls and 0 replies") {
		t.Errorf("exit %d, %s%s", code, stdout, stderr)
	}
	dump, err := exec.Command("pg_dump", "--dbname", url).CombinedOutput()
	if err != nil {
		t.Logf("pg_dump: %v", err)
	}
	if strings.Contains(string(dump), plantedKey) {
		t.Error("the key is in the database")
	}
}

// TestFleetFaults: what is wrong with --queue is said, with exit code 1 or 2.
func TestFleetFaults(t *testing.T) {
	cfg := liveConfig(t, "http://127.0.0.1:9", "")
	for _, c := range []struct {
		args string
		code int
		want string
	}{
		{"run --config CFG --out OUT --queue nowhere", exitUsage, "must be a PostgreSQL URL"},
		{"run --config CFG --out OUT --queue postgres://u:secret@127.0.0.1:9/x", exitFailed, "the queue postgres://u:xxxxx@127.0.0.1:9/x cannot be reached"},
		{"worker", exitUsage, "needs --queue"},
		{"worker --queue postgres://u:secret@127.0.0.1:9/x", exitFailed, "cannot be reached"},
		{"fleet status", exitUsage, "needs --queue"},
		{"worker --queue x --concurrency -1", exitUsage, "it must be a number of calls"},
	} {
		args := strings.Fields(strings.NewReplacer("CFG", cfg, "OUT", t.TempDir()).Replace(c.args))
		code, _, stderr := compqa(args...)
		if code != c.code || !strings.Contains(stderr, c.want) || strings.Contains(stderr, "secret") {
			t.Errorf("%s: exit %d, %s", c.args, code, stderr)
		}
	}
}

// TestFleetKills: random workers are killed twenty times, and the run itself three times; each
// kill makes at most the calls in flight again.
func TestFleetKilled(t *testing.T) {
	sharedtest.Soak(t)
	url := pgtest.Database(t)
	server := slowly(wellServer(t), 200*time.Millisecond)
	cfg, out := liveConfig(t, server.URL, ""), t.TempDir()
	start := func() *exec.Cmd {
		cmd := program(t, "run", "--config", cfg, "--out", out, "--queue", url)
		cmd.Env = append(cmd.Env, deadAfter+"=3s")
		cmd.Stderr = io.Discard
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		return cmd
	}
	run := start()
	kills := 20
	if testing.Short() {
		kills = 4
	}
	r := rand.New(rand.NewPCG(1, 2))
	workers := make([]*workerProcess, 3)
	for i := range workers {
		workers[i] = startWorker(t, url)
	}
	for kill := range kills {
		time.Sleep(time.Duration(300+r.IntN(700)) * time.Millisecond)
		i := r.IntN(len(workers))
		workers[i].Process.Signal(syscall.SIGKILL)
		workers[i].Wait()
		workers[i] = startWorker(t, url)
		if kill%7 == 3 {
			run.Process.Kill()
			run.Wait()
			run = start()
		}
	}
	if err := run.Wait(); err != nil {
		t.Fatalf("the run: %v", err)
	}
	planned := 400
	if n := server.asked(); n < planned || n > planned+16*kills {
		t.Errorf("%d calls, want %d, and %d more at the most", n, planned, 16*kills)
	}
	t.Logf("fleet: %d calls for %d, after %d kills of workers\n", server.asked(), planned, kills)
}
