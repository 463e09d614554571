package bench

import (
	"compqa/data/sharedtest"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// estimated returns a line of the table that estimate prints: on record, calls, prompt tokens, reply tokens and cost. "?" becomes -1.
func estimated(t *testing.T, stdout, name string) [5]float64 {
	t.Helper()
	m := regexp.MustCompile(`(?m)^ *` + regexp.QuoteMeta(name) + ` +(\d+)(?: of \d+)? +(\d+) +(\d+) +(\d+) +([0-9.]+|\?)`).FindStringSubmatch(stdout)
	if m == nil {
		t.Fatalf("no line of %s in\n%s", name, stdout)
	}
	var x [5]float64
	for i := range x {
		if m[i+1] == "?" {
			x[i] = -1
			continue
		}
		var err error
		if x[i], err = strconv.ParseFloat(m[i+1], 64); err != nil {
			t.Fatal(err)
		}
	}
	return x
}

// TestEstimateOfASample: a sample of 40 answers makes 42 calls, because one answer in 20 is scored twice. The estimate says so. At
// temperature 0 there are 40 calls.
func TestEstimateOfASample(t *testing.T) {
	t.Parallel()
	server := wellServer(t)
	for options, calls := range map[string]float64{"": 42, ", options: {temperature: 0}": 40} {
		cfg := filepath.Join(t.TempDir(), "sample.yaml")
		err := os.WriteFile(cfg, []byte(`providers: {scripted: {type: openai, base_url: `+server.URL+`/v1}}
models: [{name: template, provider: baseline}]
judges: [{name: judge, provider: scripted, model: m, sample: 40`+options+`}]
`), 0o644)
		if err != nil {
			t.Fatal(err)
		}
		code, text, stderr := compqa("estimate", "--config", cfg, "--out", t.TempDir())
		if code != exitDone {
			t.Fatal(stderr)
		}
		said := "Scored a second time, to measure whether a judge agrees with itself (1 in 20 answers, counted above): judge 2."
		if x := estimated(t, text, "judge (judge)"); x[1] != calls || strings.Contains(text, said) != (calls == 42) {
			t.Errorf("%q: %v\n%s", options, x, text)
		}
	}
}

// TestEstimate: before the run, after a part of it, and after all of it, the run makes exactly the estimated calls. Once calls of the model
// are on record, they also cost what was estimated.
func TestEstimate(t *testing.T) {
	t.Parallel()
	server := wellServer(t)
	cfg := liveConfig(t, server.URL, cheapPrices)
	dir := t.TempDir()
	estimate := func(args ...string) string {
		t.Helper()
		before := server.asked()
		code, stdout, stderr := compqa(append([]string{"estimate", "--config", cfg, "--out", dir}, args...)...)
		if code != exitDone || server.asked() != before {
			t.Fatalf("exit %d after %d calls, %s", code, server.asked()-before, stderr)
		}
		return stdout
	}
	// Assumed are four bytes per token, 400 tokens per answer, and 120 per sheet of 15 criteria.
	text := estimate()
	if x := estimated(t, text, "contestant"); x[0] != 0 || x[1] != 200 || x[3] != 200*400 || math.Abs(x[4]-(x[2]+x[3])*1e-4) > 0.006 {
		t.Errorf("at first: %v\n%s", x, text)
	}
	if x := estimated(t, text, "judge (judge)"); x[1] != 200 || x[3] != 200*120 || x[2] < 200*2000 {
		t.Errorf("at first: %v\n%s", x, text)
	}
	if !strings.Contains(text, "4 bytes of prompt per token; tokens per reply: contestant 400, judge (judge) 120") ||
		!strings.Contains(text, "Time per call, assumed from the type of the provider until it is measured: contestant 6.0s, judge (judge) 2.5s.") {
		t.Errorf("the basis is not stated:\n%s", text)
	}
	if _, err := os.Stat(filepath.Join(dir, "run.db")); err == nil {
		t.Error("something was written")
	}

	// A trial run: 8 answers and 8 verdicts, of 100 and 20 tokens.
	if code, _, stderr := compqa("run", "--config", cfg, "--out", dir, "--limit", "2"); code != exitDone {
		t.Fatalf("exit %d, %s", code, stderr)
	}
	text = estimate()
	if x := estimated(t, text, "contestant"); x != [5]float64{8, 192, 19200, 3840, 2.30} {
		t.Errorf("after a rehearsal: %v\n%s", x, text)
	}
	if x := estimated(t, text, "judge (judge)"); x != [5]float64{8, 192, 19200, 3840, 2.30} {
		t.Errorf("after a rehearsal: %v\n%s", x, text)
	}
	if !strings.Contains(text, "Averages of the record: contestant by 8 calls on record, judge (judge) by 8 calls on record.") ||
		!strings.Contains(text, "Time per call, measured: contestant ") || strings.Contains(text, "Time per call, assumed") {
		t.Errorf("the basis is not stated:\n%s", text)
	}
	_, before := billed(t, dir)
	if code, _, stderr := compqa("run", "--config", cfg, "--out", dir); code != exitDone || server.asked() != 400 {
		t.Fatalf("exit %d after %d calls, %s", code, server.asked(), stderr)
	}
	if _, total := billed(t, dir); math.Abs(total-before-2*192*callCost) > 1e-9 {
		t.Errorf("%v was spent, %v was said", total-before, 2*192*callCost)
	}
	if x := estimated(t, estimate(), "all"); x != [5]float64{400, 0, 0, 0, 0} {
		t.Errorf("at the end: %v", x)
	}
}

// TestSoakEstimateOfWhatFailed: failed calls are counted if they will be repeated. The estimate assumes as many repairs as the record has.
func TestSoakEstimateOfWhatFailed(t *testing.T) {
	sharedtest.Soak(t)
	t.Parallel()
	server := newScriptedServer(t, func(prompt string, n int) (int, string) {
		switch {
		case !isJudging(prompt) && strings.Contains(prompt, "softball"):
			return 400, `{"error": {"message": "not today"}}`
		case isJudging(prompt) && !strings.Contains(prompt, "Ten points"):
			return 200, completion("Ten points!", "stop") // every verdict needs a repair
		case isJudging(prompt):
			return 200, completion(fullMarks(), "stop")
		}
		return 200, completion("Fine. "+prompt, "stop")
	})
	cfg := liveConfig(t, server.URL, cheapPrices)
	dir := t.TempDir()
	if code, _, stderr := compqa("run", "--config", cfg, "--out", dir, "--limit", "25"); code != exitIncomplete {
		t.Fatalf("exit %d, %s", code, stderr)
	}
	_, stdout, _ := compqa("estimate", "--config", cfg, "--out", dir)
	if x := estimated(t, stdout, "contestant"); x[0] != 100 || x[1] != 100 {
		t.Errorf("without --retry-failed: %v", x)
	}
	if x := estimated(t, stdout, "judge (judge)"); x[0] != 100 || x[1] < 190 || x[1] > 200 {
		t.Errorf("verdicts with repairs: %v\n%s", x, stdout)
	}
	_, stdout, _ = compqa("estimate", "--config", cfg, "--out", dir, "--retry-failed")
	if x := estimated(t, stdout, "contestant"); x[0] != 96 || x[1] != 104 {
		t.Errorf("with --retry-failed: %v", x)
	}
}

// TestSoakEstimateOfRelease: with --release, estimate counts the calls of a judge with imported: true about the answers that the run would
// import first. The run then makes these calls. estimate does not change the record.
func TestSoakEstimateOfRelease(t *testing.T) {
	t.Parallel()
	sharedtest.Soak(t)
	release := sharedtest.Release(t)
	dir := t.TempDir()
	cfg := filepath.Join(dir, "compqa.yaml")
	text := "providers: {p: {type: ollama, base_url: \"http://127.0.0.1:1\"}}\n" +
		"models: [{name: template, provider: baseline}]\nscenarios: [1]\n" +
		"judges:\n  - {name: all, provider: p, model: m, imported: true, sample: 100}\n  - {name: own, provider: p, model: n}\n"
	if err := os.WriteFile(cfg, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	estimate := func(args ...string) string {
		t.Helper()
		code, stdout, stderr := compqa(append([]string{"estimate", "--config", cfg, "--out", filepath.Join(dir, "run")}, args...)...)
		if code != exitDone {
			t.Fatalf("exit %d: %s", code, stderr)
		}
		return stdout
	}
	before := estimate()
	with := estimate("--release", release)
	if x := estimated(t, before, "all (judge)"); x[1] != 52 {
		t.Errorf("without the release: %v", x)
	}
	all := estimated(t, with, "all (judge)")
	own := estimated(t, with, "own (judge)")
	if all[1] != 105 || own[1] != 52 || !strings.Contains(with, "all (judge) 9.0s") {
		t.Errorf("with the release: %v, %v\n%s", all, own, with)
	}
	if _, err := os.Stat(filepath.Join(dir, "run")); err == nil {
		t.Error("something was written")
	}
	if code, _, stderr := compqa("import", "--config", cfg, "--release", release, "--out", filepath.Join(dir, "run")); code != exitDone {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	if x := estimated(t, estimate(), "all (judge)"); x != all {
		t.Errorf("when it is imported: %v, said before: %v", x, all)
	}
}
