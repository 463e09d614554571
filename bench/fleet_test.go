package bench

import (
	"context"
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

	"github.com/jackc/pgx/v5"

	"compqa/bench/cli"
	"compqa/data/sharedtest"
	"compqa/llm"
	"compqa/llm/client"
	"compqa/llm/fleet"
	"compqa/llm/pgtest"
)

// sharedFleetKey is the environment variable with the key that runs and workers share.
const sharedFleetKey = fleet.KeyEnv + "=a key that runs and workers have in common"

// A workerProcess is a worker that runs as a process.
type workerProcess struct {
	*exec.Cmd
	errors strings.Builder
}

func startWorker(t testing.TB, url, config string, more ...string) *workerProcess {
	t.Helper()
	w := &workerProcess{Cmd: exec.Command(os.Args[0], append([]string{"fleet", "worker", "--queue", url, "--config", config}, more...)...)}
	w.Env = append(os.Environ(), beCompqa+"=1", deadAfter+"=3s", sharedFleetKey)
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
		s, err := fleet.ReadStatus(t.Context(), url)
		if err == nil && len(s.Workers) >= n {
			return s
		}
		if time.Now().After(deadline) {
			t.Fatalf("%d workers: %+v, %v", n, s, err)
		}
	}
}

// slowly makes a scripted server pause before each reply.
func slowly(s *scriptedServer, pause time.Duration) *scriptedServer {
	reply := s.reply
	s.reply = func(prompt string, n int) (int, string) {
		time.Sleep(pause)
		return reply(prompt, n)
	}
	return s
}

// TestSoakFleetRun: a run over four workers, two of which are killed, has the same tables as a run without workers, byte for byte. At most
// the calls in flight are made twice. The key is nowhere in the database.
func TestSoakFleetRun(t *testing.T) {
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
	cmd.Env = append(cmd.Env, deadAfter+"=3s", "COMPQA_TEST_KEY=", sharedFleetKey)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	var workers []*workerProcess
	for range 4 {
		workers = append(workers, startWorker(t, url, cfg, "--metrics", "127.0.0.1:0"))
	}
	state := func() string {
		status, err := fleet.ReadStatus(t.Context(), url)
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
	for _, name := range []string{"tables/leaderboard.csv", "tables/groups.csv"} {
		if a, b := readFile(t, alone, name), readFile(t, out, name); a != b {
			t.Errorf("%s differs:\n%s\n%s", name, a, b)
		}
	}
	if again := server.asked() - calls; again < calls || again > calls+16 {
		t.Errorf("%d calls, want %d, and 16 more at the most", again, calls)
	}
	file := filepath.Join(t.TempDir(), "run.gz")
	if code, _, stderr := compqa("export", out, "--out", file); code != exitDone {
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

// TestFleetFaults: a wrong use of --queue ends with a message and exit code 1 or 2.
func TestFleetFaults(t *testing.T) {
	if !alone(t) {
		return
	}
	name, key, _ := strings.Cut(sharedFleetKey, "=")
	t.Setenv(name, key)
	cfg := liveConfig(t, "http://127.0.0.1:9", "")
	none := filepath.Join(t.TempDir(), "none.yaml")
	if err := os.WriteFile(none, []byte("providers: {}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args string
		code int
		want string
	}{
		{"run --config CFG --out OUT --queue nowhere", exitUsage, "must be a PostgreSQL URL"},
		{"run --config CFG --out OUT --queue postgres://u:secret@127.0.0.1:9/x", exitFailed, "the queue postgres://u:xxxxx@127.0.0.1:9/x cannot be reached"},
		{"fleet worker --config CFG", exitUsage, "needs --queue"},
		{"fleet worker --queue postgres://u:secret@127.0.0.1:9/x", exitUsage, "needs --config"},
		{"fleet worker --queue x --config NONE", exitUsage, "none.yaml has no providers"},
		{"fleet worker --queue x --config CFG --providers other", exitUsage, `has no provider "other"`},
		{"fleet worker --queue postgres://u:secret@127.0.0.1:9/x --config CFG", exitFailed, "cannot be reached"},
		{"fleet status", exitUsage, "needs --queue"},
		{"fleet worker --queue x --config CFG --concurrency -1", exitUsage, "it must be a number of calls"},
	} {
		args := strings.Fields(strings.NewReplacer("CFG", cfg, "OUT", t.TempDir(), "NONE", none).Replace(c.args))
		code, _, stderr := compqa(args...)
		if code != c.code || !strings.Contains(stderr, c.want) || strings.Contains(stderr, "secret") {
			t.Errorf("%s: exit %d, %s", c.args, code, stderr)
		}
	}
	t.Setenv(name, "")
	for _, args := range []string{"run --config CFG --out OUT --queue postgres://u@127.0.0.1:9/x", "fleet worker --config CFG --queue postgres://u@127.0.0.1:9/x"} {
		if code, _, stderr := compqa(strings.Fields(strings.NewReplacer("CFG", cfg, "OUT", t.TempDir()).Replace(args))...); code != exitUsage || !strings.Contains(stderr, "set "+name) {
			t.Errorf("%s without a key: exit %d, %s", args, code, stderr)
		}
	}
}

// TestSoakFleetKilled: random workers are killed twenty times, and the run itself three times. Each kill repeats at most the calls in
// flight.
func TestSoakFleetKilled(t *testing.T) {
	sharedtest.Soak(t)
	url := pgtest.Database(t)
	server := slowly(wellServer(t), 200*time.Millisecond)
	cfg := liveConfig(t, server.URL, "")
	out := t.TempDir()
	start := func() *exec.Cmd {
		cmd := program(t, "run", "--config", cfg, "--out", out, "--queue", url)
		cmd.Env = append(cmd.Env, deadAfter+"=3s", sharedFleetKey)
		cmd.Stderr = io.Discard
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		return cmd
	}
	run := start()
	const kills = 20
	r := rand.New(rand.NewPCG(1, 2))
	workers := make([]*workerProcess, 3)
	for i := range workers {
		workers[i] = startWorker(t, url, cfg)
	}
	for kill := range kills {
		time.Sleep(time.Duration(300+r.IntN(700)) * time.Millisecond)
		i := r.IntN(len(workers))
		workers[i].Process.Signal(syscall.SIGKILL)
		workers[i].Wait()
		workers[i] = startWorker(t, url, cfg)
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

// TestSoakFleetRoles uses the database roles that the manual recommends. A worker with another role makes the calls of a run. The role of a
// second run can neither see nor change calls and replies of the first.
func TestSoakFleetRoles(t *testing.T) {
	t.Parallel()
	sharedtest.Soak(t)
	url := pgtest.Database(t)
	server := wellServer(t)
	_, key, _ := strings.Cut(sharedFleetKey, "=")
	open := func(url string) *fleet.Queue {
		q, err := fleet.Open(t.Context(), url, key, cli.FleetVersion(), true, func(text string) { t.Log(text) })
		if err != nil {
			t.Fatal(err)
		}
		return q
	}
	open(url).Close() // creates the tables
	owner := connectAs(t, url, "compqa")
	_, section, _ := strings.Cut(page(t, "fleet"), "CREATE ROLE compqa_run;")
	section, _, _ = strings.Cut("CREATE ROLE compqa_run;"+section, "\n\n")
	for sql := range strings.SplitSeq(section+"CREATE ROLE anna LOGIN IN ROLE compqa_run; CREATE ROLE bob LOGIN IN ROLE compqa_run; CREATE ROLE worker LOGIN IN ROLE compqa_worker", ";") {
		if _, err := owner.Exec(t.Context(), sql); err != nil && !strings.Contains(err.Error(), "already exists") {
			t.Fatalf("%s: %v", sql, err)
		}
	}
	as := func(role string) string { return strings.Replace(url, "compqa@", role+"@", 1) }
	q := open(as("anna"))
	defer q.Close()
	client, err := q.Client(t.Context(), llm.Provider{Name: "scripted", Type: llm.TypeOpenAI, BaseURL: server.URL + "/v1"}, client.Hooks{})
	if err != nil {
		t.Fatal(err)
	}
	q.Begin("1")
	asked := make(chan error, 2)
	ask := func(key string) {
		_, err := client.Chat(fleet.WithKey(t.Context(), key), llm.Request{Model: "m", Messages: []llm.Message{{Role: "user", Content: "A or B?"}}})
		asked <- err
	}
	rows := func(pool *pgx.Conn) (n int) {
		t.Helper()
		if err := pool.QueryRow(t.Context(), "SELECT (SELECT count(*) FROM river_job) + (SELECT count(*) FROM fleet_results)").Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	bob := connectAs(t, url, "bob")
	attack := func() {
		t.Helper()
		if n := rows(bob); n > 0 || rows(owner) == 0 {
			t.Errorf("another run's role sees %d of the calls and replies", n)
		}
		for _, sql := range []string{
			"UPDATE river_job SET args = '{}'", "DELETE FROM river_job", "UPDATE fleet_results SET reply = ''", "DELETE FROM fleet_results",
			"INSERT INTO fleet_results VALUES ('anna/1', 'key', 1, '')", "INSERT INTO fleet_runs VALUES ('anna/2', '', '', now())",
			"ALTER TABLE fleet_results DISABLE ROW LEVEL SECURITY", "DROP POLICY own ON river_job", "SET ROLE anna", "SELECT * FROM fleet_limits",
		} {
			if done, err := bob.Exec(t.Context(), sql); err == nil && done.RowsAffected() != 0 || err == nil && !strings.Contains("UPDATE DELETE", sql[:6]) {
				t.Errorf("another run's role may: %s (%s)", sql, done)
			}
		}
	}
	go ask("first")
	for rows(owner) == 0 {
		time.Sleep(5 * time.Millisecond)
	}
	attack()
	cfg := liveConfig(t, server.URL, "")
	worker := startWorker(t, as("worker"), cfg)
	go ask("second")
	for range 2 {
		select {
		case err := <-asked:
			if err != nil {
				t.Errorf("%v: %s", err, worker.errors.String())
			}
		case <-time.After(2 * time.Minute):
			t.Fatalf("no reply: %s", worker.errors.String())
		}
	}
	attack() // the replies are kept in the queue's tables
}

func connectAs(t *testing.T, url, role string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), strings.Replace(url, "compqa@", role+"@", 1))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close(context.Background()) })
	return conn
}
