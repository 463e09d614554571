package bench

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"compqa/data/sharedtest"
)

// preferencesOf returns everything that a record says about preferences, except times.
func preferencesOf(t *testing.T, dir string) string {
	t.Helper()
	db := openRecord(t, dir)
	defer db.Close()
	var all strings.Builder
	for _, query := range []string{
		`SELECT id, judge, method, "order", status, choice, rationale, ` + callKeysOf + ` FROM preferences t ORDER BY judge, method, id, "order"`,
		`SELECT id, judge, method, "order", fingerprint, reason, detail, '' FROM preferences ORDER BY judge, method, id, "order"`,
		`SELECT key, provider, model, status, reply, '', '', '' FROM calls ORDER BY key`,
		`SELECT judge, method, dataset, "order", planned, note, active, '' FROM plan ORDER BY judge, method, dataset, "order"`,
	} {
		rows, err := db.Query(query)
		if err != nil {
			t.Fatalf("%s: %v", query, err)
		}
		for rows.Next() {
			var cells [8]string
			var into [8]any
			for i := range cells {
				into[i] = &cells[i]
			}
			if err := rows.Scan(into[:]...); err != nil {
				t.Fatal(err)
			}
			all.WriteString(strings.Join(cells[:], "\t") + "\n")
		}
		if err := rows.Err(); err != nil {
			t.Fatal(err)
		}
		rows.Close()
	}
	return all.String()
}

// manyPairs returns n pairs on n questions.
func manyPairs(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `{"id": "p%d", "question": "What is %d and %d?", "a": "It is %d: RIGHT.", "b": "It is %d: WRONG.", "label": "a", "system_a": "good", "system_b": "bad"}`+"\n", i, i, i, 2*i, 2*i+1)
	}
	return b.String()
}

// TestSoakPairwiseInterruptedAndResumed: a run is killed or interrupted at any moment and repeated. Its record and reports equal those of
// an undisturbed run. Only calls in flight are made twice.
func TestSoakPairwiseInterruptedAndResumed(t *testing.T) {
	t.Parallel()
	sharedtest.Soak(t)
	server := newScriptedServer(t, func(prompt string, _ int) (int, string) {
		time.Sleep(2 * time.Millisecond)
		return 200, completion(wellBehaved(prompt), "stop")
	})
	const workers = 4
	entry := `pairwise:
  - {name: sc2, method: sc2, provider: scripted, model: m, aspects: aspects.yaml}
  - {name: votes, method: cot-selfcon, provider: scripted, model: m}
`
	disturb := func(name string, stop func(p *os.Process)) {
		t.Run(name, func(t *testing.T) {
			dirs := [2]string{}
			for i := range dirs {
				dirs[i] = pairwiseFiles(t, server.URL, manyPairs(12), entry)
				cfg := filepath.Join(dirs[i], "compqa.yaml")
				text, err := os.ReadFile(cfg)
				if err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(cfg, []byte(strings.Replace(string(text), "concurrency: 1", fmt.Sprintf("concurrency: %d", workers), 1)), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			before := server.asked()
			began := time.Now()
			if out, err := program(t, pairwiseRunArgs(dirs[0])...).CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			whole := time.Since(began)
			calls := server.asked() - before
			if want := 24 * (16 + 8); calls != want {
				t.Errorf("the undisturbed run makes %d calls, want %d", calls, want)
			}
			before = server.asked()
			r := rand.New(rand.NewPCG(3, 4))
			for range 5 {
				cmd := program(t, pairwiseRunArgs(dirs[1])...)
				if err := cmd.Start(); err != nil {
					t.Fatal(err)
				}
				time.Sleep(whole/6 + time.Duration(r.Int64N(int64(whole/4))))
				stop(cmd.Process)
				cmd.Wait()
			}
			if out, err := program(t, pairwiseRunArgs(dirs[1])...).CombinedOutput(); err != nil {
				t.Fatalf("the last run: %v\n%s", err, out)
			}
			if got, want := preferencesOf(t, filepath.Join(dirs[1], "run")), preferencesOf(t, filepath.Join(dirs[0], "run")); got != want {
				t.Errorf("the record differs from an undisturbed run's: %s", firstDifference(got, want))
			}
			if again := server.asked() - before - calls; again < 0 || again > 5*workers {
				t.Errorf("%d calls were made twice; 5 times %d may have been under way", again, workers)
			}
			for _, name := range []string{"tables/preferences.csv", "tables/bradley_terry.csv", "tables/pairwise_comparisons.csv"} {
				a, _ := os.ReadFile(filepath.Join(dirs[0], "run", name))
				b, err := os.ReadFile(filepath.Join(dirs[1], "run", name))
				if err != nil || string(a) != string(b) {
					t.Errorf("%s differs from an undisturbed run's (%v)", name, err)
				}
			}
		})
	}
	disturb("killed", func(p *os.Process) { p.Kill() })
	disturb("interrupted", func(p *os.Process) { p.Signal(syscall.SIGINT) })
}

// TestPairwiseChanges: only a changed entry is asked again. If a pair is added, judges are asked about this pair only.
func TestPairwiseChanges(t *testing.T) {
	t.Parallel()
	var log kindLog
	server := newScriptedServer(t, func(prompt string, _ int) (int, string) {
		log.add(promptKind(prompt))
		return 200, completion(wellBehaved(prompt), "stop")
	})
	entry := `pairwise:
  - {name: direct, method: direct, provider: scripted, model: m}
  - {name: con-j, method: con-j, provider: scripted, model: m}
`
	dir := pairwiseFiles(t, server.URL, manyPairs(2), entry)
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	record := func(want string) {
		t.Helper()
		if code, _, stderr := compqa(pairwiseRunArgs(dir)...); code != exitDone {
			t.Fatalf("exit %d: %s", code, stderr)
		}
		counts := map[string]int{}
		for _, kind := range log.kinds {
			counts[kind]++
		}
		log.take()
		if got := fmt.Sprint(counts); got != want {
			t.Errorf("asked %s, want %s", got, want)
		}
	}
	record("map[con-j:4 direct:4]")
	write("pairs.jsonl", manyPairs(3))
	record("map[con-j:2 direct:2]")
	cfg, err := os.ReadFile(filepath.Join(dir, "compqa.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	write("compqa.yaml", strings.Replace(string(cfg), "method: direct, provider: scripted, model: m", "method: direct, provider: scripted, model: m, options: {temperature: 0.3}", 1))
	record("map[direct:6]")
	// If the text of a pair changes, its preferences are deleted and asked for again.
	write("pairs.jsonl", strings.Replace(manyPairs(3), "It is 2: RIGHT.", "It is two: RIGHT.", 1))
	record("map[con-j:2 direct:2]")
	// A removed pair does not count any more.
	write("pairs.jsonl", manyPairs(1))
	record("map[]")
	rows := where(csvTable(t, filepath.Join(dir, "run", "tables", "pairwise.csv")), map[string]string{"judge": "direct", "order": "ab"})
	if len(rows) != 1 || rows[0]["planned"] != "1" {
		t.Errorf("%v, want one planned pair", rows)
	}
}

// TestPairwiseUnreachable: an unreachable provider is reported and skipped, and all others continue.
func TestPairwiseUnreachable(t *testing.T) {
	t.Parallel()
	dir := pairwiseFiles(t, "http://127.0.0.1:1", twoPairs, "pairwise:\n  - {name: direct, method: direct, provider: scripted, model: m}\n")
	code, _, stderr := compqa(pairwiseRunArgs(dir)...)
	if code != exitIncomplete || !strings.Contains(stderr, "skipped: all items of provider scripted") {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	if code, _, stderr := compqa(pairwiseRunArgs(dir, "--skip-unreachable")...); code != exitDone {
		t.Errorf("--skip-unreachable: exit %d: %s", code, stderr)
	}
	text, err := os.ReadFile(filepath.Join(dir, "run", "report.md"))
	if err != nil || !strings.Contains(string(text), "skipped") {
		t.Errorf("the report does not say so: %v", err)
	}
	if code, _, stderr := compqa(pairwiseRunArgs(dir, "--strict")...); code != exitFailed {
		t.Errorf("--strict: exit %d: %s", code, stderr)
	}
}
