package bench

import (
	"compqa/data/sharedtest"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
)

// TestSoakTrainRationales: right judgments are graded once. The contrasts with the best rationales are exported, or equally many of the
// others (Con-J, A.4).
func TestSoakTrainRationales(t *testing.T) {
	t.Parallel()
	sharedtest.Soak(t)
	var unclear atomic.Bool
	server, _ := sampledServer(t, "+-+-+-+-", func(prompt string) (string, string) {
		if promptKind(prompt) == "meta" {
			if unclear.Load() && strings.Contains(prompt, "x5 or") {
				return "no grade", "stop"
			}
			correctness, right := 4, "Correct"
			for _, good := range []string{"x1 or", "x2 or", "x3 or"} {
				if strings.Contains(prompt, good) {
					correctness = 5
				}
			}
			if strings.Contains(prompt, "x4 or") {
				right = "Incorrect"
			}
			return fmt.Sprintf(`{"preference_correct": %q, "rationale_correctness": %d, "rationale_consistency": 3}`, right, correctness), "stop"
		}
		return wellBehaved(prompt), "stop"
	})
	dir := pairwiseFiles(t, server.URL, pairsToTrainOn(12), conJEntry+"  - {name: meta, method: meta-judge, provider: scripted, model: grader}\n")
	withKeys(t, dir, "order: ab")
	run, out := filepath.Join(dir, "run"), filepath.Join(dir, "out")
	must := func(code int, args ...string) string {
		t.Helper()
		got, stdout, stderr := compqa(args...)
		if got != code {
			t.Fatalf("%v: exit %d: %s", args, got, stderr)
		}
		return stdout + stderr
	}
	export := func(code int, more ...string) string {
		return must(code, append([]string{"train", "export", "--kind", "dpo-judge", run, "--out", out, "--heldout", "0"}, more...)...)
	}
	must(exitDone, sampleArgs(dir, "--judge", "con-j", "--no-hints")...)
	before := server.asked()
	if text := export(exitUsage, "--rationales", "high"); !strings.Contains(text, "--grader") {
		t.Error(text)
	}
	for range 2 {
		must(exitDone, sampleArgs(dir, "--judge", "con-j", "--no-hints", "--grader", "meta")...)
		if n := server.asked() - before; n != 12*4 {
			t.Fatalf("%d grades asked for, want %d", n, 12*4)
		}
	}
	export(exitDone)
	for _, quality := range []string{"high", "low"} {
		export(exitDone, "--rationales", quality)
		steps := map[string]int{}
		for _, s := range readCard(t, out).Steps {
			steps[s.Step] = s.N
		}
		if n := steps["rationales of "+quality+" quality, as many as of the other quality"]; n != 3*4 || steps["contrasts that are right according to the grader"] != 11*4 || steps["of these with rationales of high quality"] != 3*4 {
			t.Errorf("%s: %v", quality, steps)
		}
	}
	// The exports of both qualities have the same size, also in the splits.
	sizes := map[string]bool{}
	for _, quality := range []string{"high", "low"} {
		export(exitDone, "--rationales", quality, "--heldout", "0.4")
		of := readCard(t, out).Splits
		sizes[fmt.Sprint(of.Train, of.HeldOut)] = true
	}
	if len(sizes) != 1 {
		t.Errorf("sizes to train on and held out: %v", sizes)
	}
	for _, args := range [][]string{{"--rationales", "best"}, {"--rationales", "high", "--no-rationale"}} {
		export(exitUsage, args...)
	}
	if text := must(exitUsage, sampleArgs(dir, "--judge", "con-j", "--grader", "con-j")...); !strings.Contains(text, "meta-judge") {
		t.Error(text)
	}
	must(exitUsage, sampleArgs(dir, "--judge", "con-j", "--grader", "nobody")...)
	must(exitDone, "pairwise", "report", run)

	// New judgments have no grades yet, and a grade that cannot be read does not count.
	cfg := filepath.Join(dir, "compqa.yaml")
	text, err := os.ReadFile(cfg)
	if err == nil {
		err = os.WriteFile(cfg, []byte(strings.Replace(string(text), "method: con-j, provider: scripted, model: m", "method: con-j, provider: scripted, model: other", 1)), 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
	before = server.asked()
	must(exitDone, sampleArgs(dir, "--judge", "con-j", "--no-hints")...)
	if n := server.asked() - before; n != 12*8 {
		t.Fatalf("%d judgments asked for, want %d", n, 12*8)
	}
	if text := export(exitUsage, "--rationales", "high"); !strings.Contains(text, "--grader") {
		t.Error(text)
	}
	unclear.Store(true)
	if err := os.WriteFile(cfg, []byte(strings.Replace(string(text), "model: grader", "model: grader-2", 1)), 0o644); err != nil {
		t.Fatal(err)
	}
	if text := must(exitIncomplete, sampleArgs(dir, "--judge", "con-j", "--no-hints", "--grader", "meta")...); !strings.Contains(text, "4 grades of rationales") {
		t.Error(text)
	}
	export(exitDone, "--rationales", "high")
	for _, s := range readCard(t, out).Steps {
		if want, is := map[string]int{"contrasts with a valid grade of the right judgment": 11 * 4, "contrasts that are right according to the grader": 10 * 4}[s.Step]; is && s.N != want {
			t.Errorf("%s: %d, want %d", s.Step, s.N, want)
		}
	}
}
