package bench

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"compqa/bench/run"
	"compqa/data/sharedtest"
)

// A killer kills a run repeatedly and compares the server's book with the record.
type killer struct {
	*testing.T
	server      *payingServer
	args        []string
	dir         string
	concurrency int
	kills       int
	lives       int
	record      savedRecord
	settled     map[string]int // since which life of the run each thing is settled
}

// lifeTag is the name under which a life of the run, one process, identifies itself at the server.
const lifeTag = "process-number-%06d"

// life starts the run, and kills it when moment returns true, unless it has ended before. code is wasKilled or the exit code of the run.
// said is what it printed.
func (k *killer) life(moment func(tag string) bool) (code int, said string) {
	k.Helper()
	k.lives++
	tag := fmt.Sprintf(lifeTag, k.lives)
	cmd := tagged(k.T, tag, k.args...)
	var out strings.Builder
	cmd.Stdout = &out
	cmd.Stderr = &out
	if err := cmd.Start(); err != nil {
		k.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	for alive, began := true, time.Now(); alive; {
		select {
		case <-ended:
			alive = false
		case <-time.After(200 * time.Microsecond):
			if moment(tag) || time.Since(began) > time.Minute {
				cmd.Process.Kill()
				<-ended
				alive = false
			}
		}
	}
	if code = cmd.ProcessState.ExitCode(); code == wasKilled {
		k.kills++
	}
	now := save(k.T, k.dir)
	now.keeps(k.T, k.record)
	k.record = now
	for what := range now.settled {
		if k.settled[what] == 0 {
			k.settled[what] = k.lives
		}
	}
	return code, out.String()
}

// wasKilled is the exit code of a process that a signal ended.
const wasKilled = -1

// after returns a moment function that is true after this duration.
func after(d time.Duration) func(string) bool {
	began := time.Now()
	return func(string) bool { return time.Since(began) >= d }
}

// asked returns a moment function that is true some time after the process has made n requests.
func (k *killer) asked(n int, later time.Duration) func(string) bool {
	from := len(k.server.entries(0))
	count := 0
	var due time.Time
	return func(tag string) bool {
		if due.IsZero() {
			fresh := k.server.entries(from)
			from += len(fresh)
			for _, p := range fresh {
				if p.by == tag {
					count++
				}
			}
			if count < n {
				return false
			}
			due = time.Now().Add(later)
		}
		return !time.Now().Before(due)
	}
}

// account checks the server's book. Nothing settled was requested again. Of each process, at most as many requests had to be repeated by a
// later process as were in flight. Each request is on record, as an attempt or as a call that may have been paid for.
func (k *killer) account() {
	k.Helper()
	latest := map[string]int{}
	vain := map[int]int{}
	total := 0
	book := k.server.entries(0)
	slices.SortStableFunc(book, func(a, b paid) int { return strings.Compare(a.by, b.by) }) // the last of a killed process may come late
	for _, p := range book {
		var life int
		if n, _ := fmt.Sscanf(p.by, lifeTag, &life); n == 0 {
			continue
		}
		total++
		if since := k.settled[p.what]; since != 0 && since < life {
			k.Errorf("life %d asked what was on record since life %d", life, since)
		}
		switch before := latest[p.what]; {
		case before == life:
			k.Errorf("life %d asked the same twice", life)
		case before != 0:
			vain[before]++
		}
		latest[p.what] = life
	}
	bills, _ := billed(k.T, k.dir)
	accounted := 0
	unsure := 0
	for _, b := range bills {
		accounted += b.Attempts
		unsure += b.MaybePaid
	}
	if accounted+unsure < total {
		k.Errorf("the server was asked %d times; on record are %d attempts and %d requests that may have been paid", total, accounted, unsure)
	}
	most := 0
	for life, n := range vain {
		if most = max(most, n); n > k.concurrency {
			k.Errorf("%d calls of life %d were made again, and no more than %d were in flight", n, life, k.concurrency)
		}
	}
	k.Logf("%d kills in %d lives: %d different calls, %d made; of one life at most %d made again, %d in flight; %d may have been paid",
		k.kills, k.lives, len(latest), total, most, k.concurrency, unsure)
}

// TestSoakKilledWhileAsking: a run of live models and judges is killed (SIGKILL) repeatedly, while it starts, makes calls, gets replies and
// writes reports. It loses nothing that it recorded, records nothing twice, makes no recorded call again, and pays twice at most for the
// calls in flight. In the end its record is that of an undisturbed run.
//
// The kernel still has what a killed process has written, but a power cut would lose it. Therefore the record is written with
// synchronous=FULL: a commit returns only when the log is on the disk (fsync), and callers wait for the commit. The same then holds for
// power cuts, as far as the disk does what it reports.
func TestSoakKilledWhileAsking(t *testing.T) {
	sharedtest.Soak(t)
	const scenarios, models, judges, concurrency, wanted = 4, 3, 2, 8, 110
	server := newPayingServer(t, 4*time.Millisecond)
	cfg := payingConfig(t, server.URL, scenarios, models, judges, concurrency)
	undisturbed := t.TempDir()
	dir := t.TempDir()
	args := []string{"run", "--config", cfg, "--out"}
	finish := func(tag, dir string, want int, more ...string) {
		t.Helper()
		cmd := tagged(t, tag, append(append(args, dir), more...)...)
		if out, _ := cmd.CombinedOutput(); cmd.ProcessState.ExitCode() != want {
			t.Fatalf("%s ends with %d, want %d\n%s", tag, cmd.ProcessState.ExitCode(), want, out)
		}
	}
	began := time.Now()
	finish("undisturbed", undisturbed, exitIncomplete)
	calls := server.by("undisturbed")
	whole := time.Since(began)
	began = time.Now()
	finish("undisturbed again", undisturbed, exitIncomplete)
	starting := time.Since(began)
	os.Remove(filepath.Join(undisturbed, "tables", "leaderboard.csv"))
	began = time.Now()
	finish("undisturbed and reported again", undisturbed, exitIncomplete)
	reporting := time.Since(began)
	t.Logf("a run of %d calls takes %s, one with nothing to do %s, one that only reports %s", calls, whole, starting, reporting)

	k := &killer{T: t, server: server, args: append(args, dir), dir: dir, concurrency: concurrency, settled: map[string]int{}}
	random := rand.New(rand.NewPCG(1, 2))
	// A sixth of the kills come at the start, and a sixth while the reports are written. The others are spread over the calls.
	atStart := wanted / 6
	atEnd := wanted / 6
	each := calls / (wanted - atStart - atEnd)
	upTo := func(d time.Duration) time.Duration { return time.Duration(random.Int64N(int64(d))) }
	for code := wasKilled; code == wasKilled && k.kills < wanted-atEnd; {
		moment := k.asked(1+random.IntN(2*each), upTo(2*server.delay))
		if atStart > 0 && k.lives%4 == 0 {
			atStart--
			moment = after(upTo(starting))
		}
		var said string
		if code, said = k.life(moment); code != wasKilled && code != exitIncomplete {
			t.Fatalf("life %d ends with %d\n%s", k.lives, code, said)
		}
	}
	asking := k.kills
	for k.kills < wanted { // if a report is missing, only the reports remain to be made
		os.Remove(filepath.Join(dir, "tables", "leaderboard.csv"))
		if k.lives > 4*wanted {
			t.Fatalf("only %d kills in %d lives", k.kills, k.lives)
		}
		k.life(after(upTo(reporting)))
	}
	t.Logf("%d kills before all was asked, %d after", asking, k.kills-asking)
	if code, said := k.life(func(string) bool { return false }); code != exitIncomplete {
		t.Fatalf("the last life ends with %d\n%s", code, said)
	}
	k.account()
	same(t, dir, undisturbed)

	// Failed calls are repeated only on request, and no other calls.
	server.mu.Lock()
	server.well = true
	server.mu.Unlock()
	finish("retried", dir, exitDone, "--retry-failed")
	finish("undisturbed retried", undisturbed, exitDone, "--retry-failed")
	if got, want := server.by("retried"), server.by("undisturbed retried"); got != want || got == 0 || got > calls/2 {
		t.Errorf("--retry-failed asked %d times, and %d times where nobody was killed", got, want)
	}
	same(t, dir, undisturbed)
}

// TestSoakKilledAmongHundreds: with hundreds of concurrent calls, more workers than calls wait for the disk. The cost of a kill is bounded
// by the number of workers.
func TestSoakKilledAmongHundreds(t *testing.T) {
	sharedtest.Soak(t)
	const atOnce, wanted = 200, 8
	server := newPayingServer(t, 20*time.Millisecond)
	server.well = true
	dir := t.TempDir()
	args := []string{"run", "--config", payingConfig(t, server.URL, 4, 6, 1, atOnce), "--out", dir}
	k := &killer{T: t, server: server, args: args, dir: dir, concurrency: run.Workers(atOnce), settled: map[string]int{}}
	random := rand.New(rand.NewPCG(3, 4))
	for k.kills < wanted {
		if code, said := k.life(k.asked(100+random.IntN(300), time.Duration(random.Int64N(int64(40*time.Millisecond))))); code != wasKilled {
			t.Fatalf("life %d ends with %d\n%s", k.lives, code, said)
		}
	}
	if code, said := k.life(func(string) bool { return false }); code != exitDone {
		t.Fatalf("the last life ends with %d\n%s", code, said)
	}
	k.account()
}

// TestSecondProcess: while a run is in progress, a second process is refused, makes no requests and names the first. When the first is
// killed, its lock blocks nobody.
func TestSecondProcess(t *testing.T) {
	t.Parallel()
	server := newPayingServer(t, 20*time.Millisecond)
	server.well = true
	dir := t.TempDir()
	args := []string{"run", "--config", payingConfig(t, server.URL, 1, 1, 1, 16), "--out", dir}
	first := tagged(t, "first process", args...)
	if err := first.Start(); err != nil {
		t.Fatal(err)
	}
	for server.by("first process") == 0 {
		time.Sleep(time.Millisecond)
	}
	out, err := tagged(t, "second process", args...).CombinedOutput()
	first.Process.Kill()
	first.Wait()
	want := fmt.Sprintf("is in use by another compqa (process %d); wait for it, stop it, or use another --out", first.Process.Pid)
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != exitFailed || !strings.Contains(string(out), want) || server.by("second process") > 0 {
		t.Errorf("the second process: %v after %d calls, %s\nwant %q", err, server.by("second process"), out, want)
	}
	lock, err := os.ReadFile(filepath.Join(dir, "run.lock"))
	if err != nil || !strings.Contains(string(lock), fmt.Sprint(first.Process.Pid)) {
		t.Errorf("the first process has left the lock %q, %v", lock, err)
	}
	if out, err := tagged(t, "third process", args...).CombinedOutput(); err != nil || !strings.Contains(string(out), "100 of 100 results") {
		t.Errorf("after the kill: %v\n%s", err, out)
	}
}
