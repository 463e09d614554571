package bench

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"compqa/bench/cli"
	"compqa/llm"
	"compqa/llm/client"
	"compqa/llm/fleet"
	"compqa/llm/pgtest"
)

// BenchmarkFleet measures calls of two seconds that 1, 2 and 4 worker processes make through one database. It prints the calls per second,
// the limit that the calls in flight set, the latency that the queue adds, and the processor time per call of each part.
// COMPQA_FLEET=100000 sets the number of calls.
func BenchmarkFleet(b *testing.B) {
	fixed, _ := strconv.Atoi(os.Getenv("COMPQA_FLEET"))
	latency := 2 * time.Second
	fmt.Printf("calls of %s each\n%8s %8s %10s %8s %8s %14s %14s  processor time a call, ms: coordinator, workers, database\n", latency, "calls", "workers", "in flight", "calls/s", "floor", "median added", "memory, MB")
	for _, c := range []struct{ workers, inFlight int }{{1, 500}, {2, 1000}, {4, 2000}, {4, 4000}} {
		b.Run(fmt.Sprintf("workers=%d/inflight=%d", c.workers, c.inFlight), func(b *testing.B) {
			calls := fixed
			if calls == 0 {
				calls = 8 * c.inFlight // enough calls that the beginning and the end weigh little
			}
			measureFleet(b, c.workers, c.inFlight, calls, latency)
		})
	}
}

func measureFleet(b *testing.B, workers, inFlight, calls int, latency time.Duration) {
	server := startSlowServer(b, latency)
	pg := pgtest.Start(b, "shared_buffers=256MB", "max_wal_size=2GB")
	q, err := fleet.Open(b.Context(), pg.URL, strings.TrimPrefix(sharedFleetKey, fleet.KeyEnv+"="), cli.FleetVersion(), false, func(text string) { b.Log(text) })
	if err != nil {
		b.Fatal(err)
	}
	c, err := q.Client(b.Context(), llm.Provider{Name: "slow", Type: llm.TypeOpenAI, BaseURL: server + "/v1", Concurrency: inFlight, Retries: -1}, client.Hooks{})
	if err != nil {
		b.Fatal(err)
	}
	q.Begin("bench")
	name := filepath.Join(b.TempDir(), "worker.yaml")
	text := fmt.Sprintf("providers: {slow: {type: openai, base_url: %s/v1, concurrency: %d, retries: -1}}\n", server, inFlight)
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		b.Fatal(err)
	}
	var processes []*workerProcess
	for range workers {
		processes = append(processes, startWorker(b, pg.URL, name))
	}
	awaitWorkers(b, pg.URL, workers)
	ask := func(i int) time.Duration {
		began := time.Now()
		key := strconv.Itoa(i)
		req := llm.Request{Model: "m", Messages: []llm.Message{{Role: "user", Content: fmt.Sprintf("Question %d: %s", i, longPrompt)}}}
		if _, err := c.Chat(fleet.WithKey(context.Background(), key), req); err != nil {
			b.Error(err)
		}
		q.MarkRecorded(key)
		return time.Since(began) - latency
	}
	ask(0)
	time.Sleep(2 * time.Second) // by then all workers have found the provider
	cpu := processorTime()
	began := time.Now()
	var all sync.WaitGroup
	jobs := make(chan int)
	added := make([]time.Duration, calls)
	for n := range inFlight {
		all.Go(func() {
			time.Sleep(latency * time.Duration(n) / time.Duration(inFlight)) // spreads the calls over the time of one call
			for i := range jobs {
				added[i-1] = ask(i)
			}
		})
	}
	for i := 1; i <= calls; i++ {
		jobs <- i
	}
	close(jobs)
	all.Wait()
	took := time.Since(began)
	cpu = processorTime() - cpu
	runtime.GC()
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	q.Close()
	var worked time.Duration
	for _, p := range processes {
		p.Process.Signal(syscall.SIGTERM)
		p.Wait()
		worked += p.ProcessState.UserTime() + p.ProcessState.SystemTime()
	}
	database := pg.StopAndCount()
	slices.Sort(added)
	perCall := func(d time.Duration) float64 { return d.Seconds() * 1000 / float64(calls) }
	fmt.Printf("%8d %8d %10d %8.0f %8.0f %14s %14d  %.2f, %.2f, %.2f\n", calls, workers, inFlight, float64(calls)/took.Seconds(), float64(inFlight)/latency.Seconds(),
		added[calls/2].Round(time.Millisecond), memory.HeapAlloc>>20, perCall(cpu), perCall(worked), perCall(database))
}

// longPrompt is about as long as a judge's prompt.
var longPrompt = func() string {
	text, _ := os.ReadFile(filepath.Join("..", "docs", "providers.md"))
	return string(text[:min(len(text), 6000)])
}()

// processorTime returns the processor time that this process has used.
func processorTime() time.Duration {
	var u syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
