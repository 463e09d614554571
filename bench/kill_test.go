package bench

import (
	"database/sql"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"compqa/data/sharedtest"
	"compqa/results/store"
)

// program returns the command `compqa ARGS…` as a separate process.
func program(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = append(os.Environ(), beCompqa+"=1")
	return cmd
}

// contents returns everything in a record except times, attempts and the form in which requests are stored, which depends on their order.
// It has the rows of the tables, sorted by their text.
func contents(t *testing.T, dir string) string {
	t.Helper()
	db := openRecord(t, dir)
	defer db.Close()
	var all strings.Builder
	for _, query := range []string{
		"SELECT program, revision, config, data_hash, rubric_hash, templates, release_hash, seed FROM run ORDER BY id",
		"SELECT * FROM parties ORDER BY role, name",
		"SELECT * FROM plan ORDER BY kind, judge, system, scenario", "SELECT * FROM questions ORDER BY id",
		"SELECT id, question, system, scenario, repeat, status, reason, words, text, " + callKeysOf + " FROM answers t ORDER BY id",
		"SELECT judge, answer, repeat, status, scores, total, reason, raw, " + callKeysOf + " FROM verdicts t ORDER BY judge, answer, repeat",
		"SELECT key, provider, model, status, reply, reasoning, finish, raw, origin FROM calls WHERE id IN (SELECT value FROM answers t, json_each(t.calls) UNION SELECT value FROM verdicts t, json_each(t.calls)) ORDER BY key",
		"SELECT * FROM unplaced ORDER BY judge, source",
	} {
		for _, row := range selected(t, db, query) {
			all.WriteString(row + "\n")
		}
	}
	return all.String()
}

// callKeysOf is SQL for the keys of the calls of a row t. The ids of calls cannot be compared, because they depend on the order of replies.
const callKeysOf = `coalesce((SELECT group_concat(c.key) FROM json_each(t.calls) e JOIN calls c ON c.id = e.value), '')`

// selected returns the rows of a query, each with its columns separated by tabs.
func selected(t *testing.T, db *sql.DB, query string) (all []string) {
	t.Helper()
	rows, err := db.Query(query)
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		t.Fatal(err)
	}
	cells := make([]any, len(columns))
	for i := range cells {
		cells[i] = new(any)
	}
	for rows.Next() {
		if err := rows.Scan(cells...); err != nil {
			t.Fatal(err)
		}
		var row strings.Builder
		for _, c := range cells {
			fmt.Fprintf(&row, "%v\t", *c.(*any))
		}
		all = append(all, row.String())
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return all
}

// TestSoakKilledAndRunAgain: a run that is killed at any moment and repeated has the same record and reports as an undisturbed run.
func TestSoakKilledAndRunAgain(t *testing.T) {
	sharedtest.Soak(t)
	cfg := filepath.Join(sharedtest.ModuleRoot(t), "compqa.yaml")
	args := []string{"run", "--config", cfg}
	names := []string{"tables/leaderboard.csv", "tables/agreement.csv", "tables/verdicts.csv"}
	release := filepath.Join(sharedtest.Folder(t), "data", "cqa-release")
	if _, err := os.Stat(release); err == nil {
		args = append(args, "--release", release)
	}
	undisturbed := t.TempDir()
	killed := t.TempDir()
	began := time.Now()
	if out, err := program(t, append(args, "--out", undisturbed)...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	whole := time.Since(began)
	const kills = 12
	r := rand.New(rand.NewPCG(1, 2))
	for range kills {
		cmd := program(t, append(args, "--out", killed)...)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(r.Int64N(int64(whole))))
		cmd.Process.Kill()
		cmd.Wait()
	}
	if out, err := program(t, append(args, "--out", killed)...).CombinedOutput(); err != nil {
		t.Fatalf("the run after %d kills: %v\n%s", kills, err, out)
	}
	if got, want := contents(t, killed), contents(t, undisturbed); got != want {
		t.Errorf("after %d kills the record differs from an undisturbed run's: %s", kills, firstDifference(got, want))
	}
	for _, name := range names {
		got, err1 := os.ReadFile(filepath.Join(killed, name))
		want, err2 := os.ReadFile(filepath.Join(undisturbed, name))
		if missing := os.IsNotExist(err1) && os.IsNotExist(err2); !missing && (err1 != nil || err2 != nil || string(got) != string(want)) { // tables without rows are not written
			t.Errorf("%s differs (%v, %v)", name, err1, err2)
		}
	}
}

func firstDifference(a, b string) string {
	la := strings.Split(a, "\n")
	lb := strings.Split(b, "\n")
	for i := range min(len(la), len(lb)) {
		if la[i] != lb[i] {
			return fmt.Sprintf("row %d:\n%.300s\n%.300s", i+1, la[i], lb[i])
		}
	}
	return fmt.Sprintf("%d rows and %d", len(la), len(lb))
}

// TestTwoProcesses: a second process that writes to a record is refused, and the message says which process holds the record. A process
// that reads is not refused.
func TestTwoProcesses(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if out, err := program(t, "run", "--config", filepath.Join(sharedtest.ModuleRoot(t), "compqa.yaml"), "--limit", "2", "--out", dir).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	db, err := store.Create(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	out, err := program(t, "run", "--config", filepath.Join(sharedtest.ModuleRoot(t), "compqa.yaml"), "--limit", "2", "--out", dir).CombinedOutput()
	want := fmt.Sprintf("is in use by another compqa (process %d)", os.Getpid())
	if err == nil || !strings.Contains(string(out), want) {
		t.Errorf("the second writer: %v, %s; want %q", err, out, want)
	}
	if out, err := program(t, "report", dir).CombinedOutput(); err != nil {
		t.Errorf("a reader meanwhile: %v\n%s", err, out)
	}
}

// TestInterrupted: at Ctrl-C a run records its calls in flight and ends with a message and exit code 130. The same command then finishes
// the run.
func TestInterrupted(t *testing.T) {
	t.Parallel()
	cfg := filepath.Join(t.TempDir(), "slow.yaml")
	text := "models: [{name: template, provider: baseline}]\njudges: [{name: rules, provider: embedded}]\n"
	if err := os.WriteFile(cfg, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	cmd := program(t, "run", "--config", cfg, "--out", dir)
	var said strings.Builder
	cmd.Stderr = &said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for range 200 { // until the record exists, so that the signal reaches a run
		if _, err := os.Stat(filepath.Join(dir, store.RecordName)); err == nil {
			break
		}
		time.Sleep(time.Millisecond)
	}
	cmd.Process.Signal(syscall.SIGINT)
	err := cmd.Wait()
	if err == nil {
		t.Log("the run was over before the signal came")
	} else if code := cmd.ProcessState.ExitCode(); code != wasKilled && (code != exitInterrupted || !strings.Contains(said.String(), "continues from there")) {
		t.Errorf("stopped with %d, %q", code, said.String())
	}
	if out, err := program(t, "run", "--config", cfg, "--out", dir).CombinedOutput(); err != nil || !strings.Contains(string(out), "400 of 400 results") {
		t.Errorf("the same command again: %v\n%s", err, out)
	}
}

// TestStopSignals: after Ctrl-C, SIGTERM or SIGHUP, calls in flight are completed. Under nohup, SIGHUP has no effect.
func TestStopSignals(t *testing.T) {
	t.Parallel()
	if signal.Ignored(syscall.SIGHUP) { // under nohup the started programs would ignore SIGHUP, too
		hangup := make(chan os.Signal, 1)
		signal.Notify(hangup, syscall.SIGHUP)
		defer signal.Stop(hangup)
	}
	for _, c := range []struct {
		signal os.Signal
		shell  string
		limit  string
		code   int
		says   string
	}{
		{syscall.SIGINT, `exec "$0" "$@"`, "50", exitInterrupted, "waiting for calls in flight"},
		{syscall.SIGTERM, `exec "$0" "$@"`, "50", exitInterrupted, "continues from there"},
		{syscall.SIGHUP, `exec "$0" "$@"`, "50", exitInterrupted, "continues from there"},
		{syscall.SIGHUP, `trap "" HUP; exec "$0" "$@"`, "3", exitDone, ""},
	} {
		asked := make(chan bool, 100)
		server := newModelServer(t, func(w http.ResponseWriter, _ *http.Request, _ string) {
			asked <- true
			time.Sleep(200 * time.Millisecond)
			io.WriteString(w, completion("A is better.", "stop"))
		})
		cfg := filepath.Join(t.TempDir(), "c.yaml")
		text := fmt.Sprintf("scenarios: [1]\nproviders: {s: {type: openai, base_url: %s/v1, concurrency: 1}}\nmodels: [{name: m, provider: s, model: m}]\njudges: [{name: constant, provider: embedded}]\n", server.URL)
		if err := os.WriteFile(cfg, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		of := program(t, "run", "--limit", c.limit, "--config", cfg, "--out", t.TempDir())
		cmd := exec.Command("sh", append([]string{"-c", c.shell}, of.Args...)...)
		var said strings.Builder
		cmd.Env = of.Env
		cmd.Stderr = &said
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		<-asked
		cmd.Process.Signal(c.signal)
		cmd.Wait()
		if code := cmd.ProcessState.ExitCode(); code != c.code || !strings.Contains(said.String(), c.says) {
			t.Errorf("%s, %s: exit %d, want %d: %s", c.signal, c.shell, code, c.code, said.String())
		}
	}
}
