package bench

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"compqa/data/sharedtest"
)

// TestCompare: the difference between two systems is the same as in comparisons.csv. A run does not differ from itself.
func TestCompare(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if code, _, stderr := compqa("run", "--config", "../compqa.yaml", "--limit", "6", "--out", dir); code != exitDone {
		t.Fatalf("exit %d, %s", code, stderr)
	}
	compare := func(wantCode int, args ...string) (rows []map[string]any) {
		t.Helper()
		code, stdout, stderr := compqa(append([]string{"compare", dir, dir, "--json"}, args...)...)
		var found struct{ Rows []map[string]any }
		if err := json.Unmarshal([]byte(stdout), &found); err != nil || code != wantCode {
			t.Fatalf("exit %d, %s%s, %v", code, stdout, stderr, err)
		}
		return found.Rows
	}
	compared := 0
	for _, row := range csvTable(t, filepath.Join(dir, "tables", "comparisons.csv")) {
		if row["judge"] != "surface" || row["scenario"] != "all" {
			continue
		}
		compared++
		if compared%5 != 1 && !sharedtest.Soaking(t) {
			continue
		}
		got := compare(exitDone, "--system", row["system_a"], "--with", row["system_b"], "--judge", "surface")
		if len(got) != 16 || got[0]["criterion"] != "-" || got[0]["n_questions"] != 6.0 {
			t.Fatalf("%v", got)
		}
		for _, name := range []string{"difference", "ci_low", "ci_high"} {
			want, err := strconv.ParseFloat(row[name], 64)
			if v, is := got[0][name].(float64); err != nil || !is || math.Abs(v-want) > 1e-9 {
				t.Errorf("%s − %s: %s is %v, in comparisons.csv %v", row["system_a"], row["system_b"], name, got[0][name], want)
			}
		}
	}
	if compared != 10 {
		t.Errorf("%d pairs of systems, want 10", compared)
	}
	for _, row := range compare(exitDone, "--fail-if-worse", "0") {
		if row["difference"] != 0.0 {
			t.Errorf("a run differs from itself: %v", row)
		}
	}
	compare(exitGate, "--system", "reference", "--with", "extractive", "--fail-if-worse", "1")
	for _, flag := range []string{"--system", "--scenario"} { // comparing a run with itself is an error
		if code, _, stderr := compqa("compare", dir, flag, "1"); code != exitUsage || !strings.Contains(stderr, "with what?") {
			t.Errorf("%s: exit %d, %s", flag, code, stderr)
		}
	}
	compare(exitDone, "--system", "extractive", "--with", "reference", "--fail-if-worse", "1")
	// A second run that lacks systems of the first fails the gate; one with fewer questions passes it.
	fewer := filepath.Join(t.TempDir(), "compqa.yaml")
	one := t.TempDir()
	text := "models: [{name: template, provider: baseline, model: template}]\njudges: [{name: surface, provider: embedded}]\n"
	if err := os.WriteFile(fewer, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	if code, _, stderr := compqa("run", "--config", fewer, "--limit", "5", "--out", one); code != exitDone {
		t.Fatalf("exit %d, %s", code, stderr)
	}
	for want, args := range map[int][]string{exitGate: nil, exitDone: {"--system", "template"}, exitUsage: {"--accept-missing", "2"}} {
		code, stdout, stderr := compqa(append([]string{"compare", dir, one, "--judge", "surface", "--fail-if-worse", "19"}, args...)...)
		if code != want || want == exitGate && !(strings.Contains(stdout, "20/20") &&
			strings.Contains(stderr, "strum by surface: 0 of 0, before 24 of 24")) {
			t.Errorf("%v: exit %d, want %d, %s%s", args, code, want, stdout, stderr)
		}
	}
}

// TestSoakCompare runs TestCompare with all cases.
func TestSoakCompare(t *testing.T) {
	sharedtest.Soak(t)
	TestCompare(t)
}
