package bench

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"compqa/data/sharedtest"
)

// TestSoakLLMBarReproduced recomputes every statistics.json of LLMBar from the raw completions, and finds the same counts in pairwise.csv.
func TestSoakLLMBarReproduced(t *testing.T) {
	t.Parallel()
	sharedtest.Soak(t)
	checkout := sharedtest.Path(t, "data", "llmbar")
	out := t.TempDir()
	code, stdout, stderr := compqa("pairwise", "report", "--llmbar", checkout, "--out", out)
	if code != exitDone || !strings.Contains(stdout, "45 of 45 statistics.json") {
		t.Fatalf("exit %d: %s%s", code, stdout, stderr)
	}
	overall := csvTable(t, filepath.Join(out, "tables", "pairwise.csv"))
	files := 0
	err := filepath.WalkDir(checkout, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.Name() != "statistics.json" {
			return err
		}
		files++
		folder, err := filepath.Rel(checkout, filepath.Dir(path))
		if err != nil {
			return err
		}
		theirs, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		ours, err := os.ReadFile(filepath.Join(out, llmbarFolder, folder, "statistics.json"))
		if err != nil || !bytes.Equal(ours, theirs) {
			t.Errorf("%s differs: %v\n%s\n%s", folder, err, ours, theirs)
		}
		parts := strings.Split(filepath.ToSlash(folder), "/evaluators/")
		judge, style, _ := strings.Cut(parts[1], "/")
		checkLLMBarRows(t, where(overall, map[string]string{"dataset": parts[0], "judge": judge, "method": style}), theirs)
		return nil
	})
	if err != nil || files != 45 {
		t.Errorf("%d statistics.json, want 45: %v", files, err)
	}
	for _, r := range csvTable(t, filepath.Join(out, "llmbar.csv")) {
		otherwise := "0"
		if r["judge"] == "LLaMA2" && r["dataset"] == "Adversarial/Manual" && (r["style"] == "CoT" || r["style"] == "Swap") {
			otherwise = "1" // the authors read no choice from a completion that ends with "Therefore, Output (b)"
		}
		if r["identical"] != "yes" || r["read_otherwise"] != otherwise {
			t.Errorf("%v", r)
		}
	}
	// The judge without a model was not trained on these pairs. On natural pairs that it decides, it is right in more than half; on pairs
	// made to look good, in far less.
	for _, r := range where(overall, map[string]string{"judge": "surface-pair", "order": "ab"}) {
		decided := number(t, r["accuracy"]) / (1 - number(t, r["tie_rate"]))
		t.Logf("surface-pair on %s: accuracy %s, of the %.0f %% that it decides %.3f", r["dataset"], r["accuracy"], 100*(1-number(t, r["tie_rate"])), decided)
	}
}

// checkLLMBarRows compares the three rows of a judge on a set with the authors' counts: right in each order, and right in both.
func checkLLMBarRows(t *testing.T, rows []map[string]string, statistics []byte) {
	t.Helper()
	var stored map[string]any
	if err := json.Unmarshal(statistics, &stored); err != nil {
		t.Fatal(err)
	}
	if len(rows) != 3 {
		t.Fatalf("%d rows, want ab, ba and both: %v", len(rows), rows)
	}
	for _, r := range rows {
		name := map[string]string{"ab": "correct_False", "ba": "correct_True", "both": "correct_both"}[r["order"]]
		var right, listed int
		if _, err := fmt.Sscanf(stored[name].(string), "%d / %d", &right, &listed); err != nil {
			t.Fatal(err)
		}
		counted := number(t, r["accuracy"]) * number(t, r["valid"])
		if math.Abs(counted-float64(right)) > 1e-9 || r["planned"] != strconv.Itoa(listed) {
			t.Errorf("%s %s on %s, order %s: %v right of %s, the authors have %d of %d", r["judge"], r["method"], r["dataset"], r["order"], counted, r["planned"], right, listed)
		}
		low := number(t, r["accuracy_low"])
		high := number(t, r["accuracy_high"])
		first := number(t, r["first_share"])
		if a := number(t, r["accuracy"]); !(low <= a && a <= high && low < high && low >= 0 && high <= 1) || first < 0 || first > 1 {
			t.Errorf("%v: intervals or share of the first shown are out of order", r)
		}
		if (r["consistency"] != "") != (r["order"] == "both") {
			t.Errorf("%v: consistency is of both orders together", r)
		}
	}
}

func number(t *testing.T, s string) float64 {
	t.Helper()
	v, err := strconv.ParseFloat(s, 64)
	if err != nil {
		t.Fatal(err)
	}
	return v
}
