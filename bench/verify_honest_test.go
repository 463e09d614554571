package bench

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"compqa/bench/verify"
	"compqa/data/sharedtest"
)

// TestSoakVerdictsOfHonestRuns: for each kind of honest run, verify gives the verdict that docs/verification.md states. `make soak` tries
// all kinds.
func TestSoakVerdictsOfHonestRuns(t *testing.T) {
	sharedtest.Soak(t)
	t.Parallel()
	must := func(t *testing.T, want int, args ...string) {
		t.Helper()
		if code, stdout, stderr := compqa(args...); code != want {
			t.Fatalf("%v: exit %d, want %d\n%s%s", args, code, want, stdout, stderr)
		}
	}
	// unreliable makes a run with a server that fails sometimes, or from some call on, and returns its folder.
	unreliable := func(t *testing.T, down func(call int64, prompt string) bool, want int) string {
		var calls atomic.Int64
		server := newScriptedServer(t, func(prompt string, _ int) (int, string) {
			switch {
			case down(calls.Add(1), prompt):
				return http.StatusBadGateway, ""
			case isJudging(prompt):
				return http.StatusOK, completion(fullMarks(), "stop")
			}
			return http.StatusOK, completion("Fine.", "stop")
		})
		cfg := liveConfig(t, server.URL, "")
		dir := t.TempDir()
		text := strings.NewReplacer("[1, 2, 3, 4]", "[1]", "give_up: 5s", "give_up: 50ms").Replace(string(fileContent(t, cfg)))
		if err := os.WriteFile(cfg, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		must(t, want, "run", "--config", cfg, "--out", dir, "--limit", "8")
		return dir
	}
	for name, test := range map[string]struct {
		run     func(t *testing.T) (dir string)
		verdict string
		rests   string // kinds and parties; "" for none
	}{
		"make bench": {func(t *testing.T) string {
			dir := t.TempDir()
			must(t, exitDone, "run", "--config", "../compqa.yaml", "--limit", "2", "--out", dir)
			return dir
		}, verify.Verified, ""},
		"with pairs": {func(t *testing.T) string {
			dir, _ := recomputableRun(t)
			return dir
		}, verify.Verified, ""},
		"with people": {func(t *testing.T) string {
			dir, _ := peoplesRun(t)
			return filepath.Join(dir, "run")
		}, verify.Consistent, "verdict of human"},
		"with a calibrated judge": {func(t *testing.T) string {
			dir, _ := peoplesRun(t)
			must(t, exitDone, "judge", "calibrate", filepath.Join(dir, "run"), "--judge", "rules", "--out", filepath.Join(dir, "rules.jsonl"), "--divisions", "1")
			return filepath.Join(dir, "run")
		}, verify.Consistent, "verdict of rules+calibrated, a calibration in a file"},
		"a server that fails now and then": {func(t *testing.T) string {
			var failed sync.Map // failed prompts; if all attempts failed, there would be no answer
			return unreliable(t, func(call int64, prompt string) bool {
				if call%4 != 0 {
					return false
				}
				_, before := failed.LoadOrStore(prompt, true)
				return !before
			}, exitDone)
		}, verify.Consistent, "answer of contestant, replies of a model"},
		"a server that goes away": {func(t *testing.T) string {
			return unreliable(t, func(call int64, _ string) bool { return call > 11 }, exitIncomplete)
		}, verify.NotFinished, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, stderr := verdictOf(t, exportOf(t, test.run(t)))
			var rests []string
			for _, r := range s.Rests {
				rests = append(rests, r.Kind+" of "+r.Party+", "+r.Why)
			}
			all := strings.Join(rests, "; ")
			if s.Verdict != test.verdict || test.rests == "" && test.verdict == verify.Verified && rests != nil || !strings.Contains(all, test.rests) {
				t.Errorf("%s, want %s: %s\n%s", s.Verdict, test.verdict, all, stderr)
			}
		})
	}
}
