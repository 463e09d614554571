package bench

import (
	"bufio"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"compqa/data"
	"compqa/results/store"
)

// Limits for the pages of a record with a million verdicts.
const (
	firstPageLimit  = 300 * time.Millisecond
	firstPageBytes  = 100_000
	allPagesLimit   = 6 * time.Second
	medianLimit     = 50 * time.Millisecond
	p99Limit        = 200 * time.Millisecond
	webMemoryLimit  = 512 << 20
	browsers        = 50
	watchers        = 200
	browsingFor     = 20 * time.Second
	betweenTwoPages = time.Second
)

// A pageServer is a running `compqa serve`.
type pageServer struct {
	cmd     *exec.Cmd
	printed string // the first line of output
	address string
	ready   time.Time
}

func startPages(tb testing.TB, args ...string) *pageServer {
	tb.Helper()
	return startServer(tb, append([]string{"serve", "--listen", "127.0.0.1:0"}, args...)...)
}

// startServer starts a command that serves pages and first prints their address.
func startServer(tb testing.TB, args ...string) *pageServer {
	tb.Helper()
	program := os.Args[0]
	if path := os.Getenv("COMPQA_PROGRAM"); path != "" {
		program = path
	}
	s := &pageServer{cmd: exec.Command(program, args...)}
	s.cmd.Env = append(os.Environ(), beCompqa+"=1")
	out, err := s.cmd.StdoutPipe()
	if err == nil {
		s.cmd.Stderr = os.Stderr
		err = s.cmd.Start()
	}
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { s.cmd.Process.Signal(syscall.SIGTERM); s.cmd.Wait() })
	line, err := bufio.NewReader(out).ReadString('\n')
	s.printed = line
	s.ready = time.Now()
	if s.address = strings.TrimSuffix(regexp.MustCompile(`http://\S+/`).FindString(line), "/"); s.address == "" {
		tb.Fatalf("%q, %v", line, err)
	}
	go io.Copy(io.Discard, out)
	return s
}

// page fetches a page. A status other than 200 is an error.
func (s *pageServer) page(at string) (string, error) {
	reply, err := http.Get(s.address + at)
	if err != nil {
		return "", err
	}
	defer reply.Body.Close()
	body, err := io.ReadAll(reply.Body)
	if err == nil && reply.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %s", at, reply.Status)
	}
	return string(body), err
}

// until waits until a page satisfies is. It returns how long after the start this was.
func (s *pageServer) until(tb testing.TB, at string, is func(body string) bool) time.Duration {
	tb.Helper()
	for {
		if body, err := s.page(at); err == nil && is(body) {
			return time.Since(s.ready)
		} else if time.Since(s.ready) > time.Minute {
			tb.Fatalf("%s: %v", at, err)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// memory returns the present and the peak memory of the server, in bytes.
func (s *pageServer) memory() (now, most int64) {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.cmd.Process.Pid))
	for name, into := range map[string]*int64{"VmRSS": &now, "VmHWM": &most} {
		if m := regexp.MustCompile(name + `:\s+(\d+) kB`).FindSubmatch(text); m != nil {
			kb, _ := strconv.ParseInt(string(m[1]), 10, 64)
			*into = kb << 10
		}
	}
	return now, most
}

// browse lets several browsers open pages, with a pause of this length on average between pages, and returns the times that the pages took.
func browse(tb testing.TB, address string, pages []string, pause time.Duration) []time.Duration {
	tb.Helper()
	times := make([][]time.Duration, browsers)
	var failed atomic.Pointer[error]
	var slowest atomic.Pointer[slowPage]
	var work sync.WaitGroup
	end := time.Now().Add(browsingFor)
	for i := range browsers {
		work.Go(func() {
			random := rand.New(rand.NewPCG(uint64(i), 1))
			client := &http.Client{Transport: &http.Transport{}}
			for time.Now().Before(end) {
				time.Sleep(time.Duration(2 * random.Float64() * float64(pause)))
				began := time.Now()
				at := pages[random.IntN(len(pages))]
				reply, err := client.Get(address + at)
				if err == nil {
					_, err = io.Copy(io.Discard, reply.Body)
					reply.Body.Close()
					if err == nil && reply.StatusCode != http.StatusOK {
						err = fmt.Errorf("%s: %s", reply.Request.URL, reply.Status)
					}
				}
				if err != nil {
					failed.Store(&err)
					return
				}
				took := time.Since(began)
				times[i] = append(times[i], took)
				if most := slowest.Load(); most == nil || took > most.took {
					slowest.Store(&slowPage{at, took})
				}
			}
		})
	}
	work.Wait()
	if err := failed.Load(); err != nil {
		tb.Fatal(*err)
	}
	if most := slowest.Load(); most != nil && most.took > p99Limit {
		fmt.Printf("| slowest page: %s | %.0f ms | |\n", most.at, most.took.Seconds()*1e3)
	}
	all := slices.Concat(times...)
	slices.Sort(all)
	return all
}

// A slowPage is a page and how long it took.
type slowPage struct {
	at   string
	took time.Duration
}

func quantile(times []time.Duration, q float64) time.Duration {
	return times[int(q*float64(len(times)-1))]
}

// BenchmarkWeb measures the pages of a record with a million verdicts (or as many as COMPQA_SCALE says). It measures the time until the
// first page and until all pages are there, and how fast the pages are for fifty browsers. It also checks whether two hundred browsers that
// watch a run get every change. For comparison, the same times are measured for the standard library's file server, which sends the ranking
// as a file.
func BenchmarkWeb(b *testing.B) {
	verdicts := 1_000_000
	if n, err := strconv.Atoi(os.Getenv("COMPQA_SCALE")); err == nil {
		verdicts = n
	}
	url := startSlowServer(b, 0)
	for b.Loop() {
		dir := b.TempDir()
		cfg := scaleConfig(b, url, verdicts/perQuestion)
		makeRecord(b, cfg, dir)
		measured(b, "report", dir)
		s := startPages(b, dir)
		size := 0
		first := s.until(b, "/", func(body string) bool { size = len(body); return true })
		all := s.until(b, "/answers", func(string) bool { return true })
		freshSize := 0
		fresh := s.until(b, "/", func(body string) bool { freshSize = len(body); return !strings.Contains(body, "http-equiv") })
		_, most := s.memory()
		fmt.Printf("\n%d verdicts (load %s)\n\n| measured | figure | limit |\n|---|---|---|\n", verdicts, load())
		fmt.Printf("| first page (the last report), after the server is ready | %.2f s, %d kB | %.1f s, %d kB |\n| all pages | %.1f s | %.0f s |\n| new intervals | %.1f s, %d kB | %d kB |\n| memory while loading, at most | %d MB | %d MB |\n",
			first.Seconds(), size/1000, firstPageLimit.Seconds(), firstPageBytes/1000, all.Seconds(), allPagesLimit.Seconds(), fresh.Seconds(),
			freshSize/1000, firstPageBytes/1000, most>>20, webMemoryLimit>>20)
		pages := webPages(b, s)
		for _, at := range pages { // once each, because totals of a judge are computed when a page needs them
			if _, err := s.page(at); err != nil {
				b.Fatal(err)
			}
		}
		times := browse(b, s.address, pages, betweenTwoPages)
		home, err := s.page("/")
		if err != nil {
			b.Fatal(err)
		}
		folder := b.TempDir()
		if err := os.WriteFile(folder+"/index.html", []byte(home), 0o644); err != nil {
			b.Fatal(err)
		}
		files := httptest.NewServer(http.FileServer(http.Dir(folder)))
		plain := browse(b, files.URL, []string{"/"}, betweenTwoPages)
		files.Close()
		fmt.Printf("| %d browsers, each a page a second: median | %.1f ms (file server: %.1f ms) | %d ms |\n| 99th percentile | %.0f ms (file server: %.0f ms) | %d ms |\n", browsers,
			quantile(times, 0.5).Seconds()*1e3, quantile(plain, 0.5).Seconds()*1e3, medianLimit.Milliseconds(), quantile(times, 0.99).Seconds()*1e3, quantile(plain, 0.99).Seconds()*1e3, p99Limit.Milliseconds())
		many := answerPages(b, s)
		for _, pause := range []time.Duration{betweenTwoPages, 0} {
			times = browse(b, s.address, many, pause)
			fmt.Printf("| %d answers and questions, %v between two, %.0f a second: median | %.1f ms | %d ms |\n| 99th percentile | %.0f ms | %d ms |\n", len(many), pause, float64(len(times))/browsingFor.Seconds(),
				quantile(times, 0.5).Seconds()*1e3, medianLimit.Milliseconds(), quantile(times, 0.99).Seconds()*1e3, p99Limit.Milliseconds())
		}
		_, most = s.memory()
		fmt.Printf("| memory, at most | %d MB | %d MB |\n", most>>20, webMemoryLimit>>20)
		got, changes, late := watch(b, s, dir)
		_, most = s.memory()
		fmt.Printf("| %d browsers that watch a run: changes received | %d of %d, %.2f s after the change at most | all |\n| memory while the record changes, at most | %d MB | |\n", watchers, got, changes*watchers, late.Seconds(), most>>20)
	}
}

// webPages returns the addresses that browsers open: general pages, filtered lists of answers, answers and questions.
func webPages(tb testing.TB, s *pageServer) []string {
	tb.Helper()
	pages := []string{"/", "/judges", "/judges/judge-1", "/plots/points.svg", "/plots/totals.svg?of=/judges/judge-2", "/compare?a=model-1&b=model-2", "/questions", "/live", "/runs"}
	for i := range 10 {
		pages = append(pages, fmt.Sprintf("/answers?system=model-%d&sort=lowest", i+1), fmt.Sprintf("/answers?judge=judge-%d&criterion=%d&points=0&page=%d", i+1, i+1, i+1))
	}
	body, err := s.page("/answers?system=model-3")
	if err != nil {
		tb.Fatal(err)
	}
	for _, m := range regexp.MustCompile(`href="(/(?:answers|questions)/[^"]+)"`).FindAllStringSubmatch(body, 40) {
		pages = append(pages, m[1])
	}
	return pages
}

// answerPages returns the addresses of thousands of answers and of their questions.
func answerPages(tb testing.TB, s *pageServer) (pages []string) {
	tb.Helper()
	for system := range 10 {
		for page := range 10 {
			body, err := s.page(fmt.Sprintf("/answers?system=model-%d&page=%d", system+1, page+1))
			if err != nil {
				tb.Fatal(err)
			}
			for _, m := range regexp.MustCompile(`href="(/(?:answers|questions)/[^"]+)"`).FindAllStringSubmatch(body, -1) {
				pages = append(pages, m[1])
			}
		}
	}
	slices.Sort(pages)
	return slices.Compact(pages)
}

// watch lets browsers watch a run while one result per second is recorded.
func watch(tb testing.TB, s *pageServer, dir string) (received, changes int, late time.Duration) {
	tb.Helper()
	db, err := store.Create(dir)
	if err != nil {
		tb.Fatal(err)
	}
	defer db.Close()
	row := verdictsOf(tb, db)
	var sent atomic.Int64 // the time of the last change
	var counted, ready atomic.Int64
	var slowest atomic.Int64
	stop := make(chan struct{})
	var work sync.WaitGroup
	for range watchers {
		reply, err := http.Get(s.address + "/events")
		if err != nil {
			tb.Fatal(err)
		}
		work.Go(func() { <-stop; reply.Body.Close() })
		go func() {
			lines := bufio.NewReader(reply.Body)
			last := ""
			for {
				line, err := lines.ReadString('\n')
				if err != nil {
					return
				}
				text := regexp.MustCompile(`"changed":"[^"]*"`).FindString(line)
				switch {
				case text == "":
				case last == "":
					ready.Add(1)
					last = text
				case text != last:
					last = text
					counted.Add(1)
					after := time.Now().UnixNano() - sent.Load()
					for old := slowest.Load(); after > old && !slowest.CompareAndSwap(old, after); old = slowest.Load() {
					}
				}
			}
		}()
	}
	for ready.Load() < watchers {
		time.Sleep(10 * time.Millisecond)
	}
	changes = 5
	for i := range changes {
		before := counted.Load()
		row.Repeat = 2 + i
		sent.Store(time.Now().UnixNano())
		if err := db.Write(func(b store.Batch) error { return b.Verdict(row, nil) }); err != nil {
			tb.Fatal(err)
		}
		for end := time.Now().Add(20 * time.Second); counted.Load() < before+watchers && time.Now().Before(end); {
			time.Sleep(10 * time.Millisecond)
		}
		time.Sleep(1100 * time.Millisecond) // times of changes are given in seconds
	}
	close(stop)
	work.Wait()
	return int(counted.Load()), changes, time.Duration(slowest.Load())
}

// verdictsOf returns a recorded verdict.
func verdictsOf(tb testing.TB, db *store.Store) data.Verdict {
	tb.Helper()
	id, err := store.Value[string](db, `SELECT answer FROM verdicts`)
	if err != nil {
		tb.Fatal(err)
	}
	list, err := db.VerdictsOn(id)
	if err != nil || len(list) == 0 {
		tb.Fatal(url.PathEscape(id), err)
	}
	return list[0]
}
