package train

import (
	"flag"
	"os"
	"slices"
	"strings"
	"testing"

	"compqa/data/sharedtest"
	"compqa/data/sources"
)

var update = flag.Bool("update", false, "write benchmarks.txt")

// The stored hashes belong to the questions of LLMBar, and of the test set of PandaLM.
func TestBenchmarks(t *testing.T) {
	bar, err := sources.ReadLLMBar(sharedtest.Path(t, "data", "llmbar"))
	if err != nil {
		t.Fatal(err)
	}
	lines := map[string]bool{}
	for _, set := range bar.Sets {
		for _, p := range set.Pairs {
			lines["llmbar "+questionHash(p.Question)] = true
		}
	}
	pandalm, err := sources.ReadPairs(sharedtest.Path(t, "data", "pandalm"), "pandalm", sources.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range pandalm.Pairs {
		lines["pandalm "+questionHash(p.Question)] = true
	}
	var sorted []string
	for line := range lines {
		sorted = append(sorted, line)
	}
	slices.Sort(sorted)
	text := "# benchmark, first 16 digits of the SHA-256 of a folded question\n" + strings.Join(sorted, "\n") + "\n"
	if *update {
		if err := os.WriteFile("benchmarks.txt", []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if text != benchmarkHashes {
		t.Error("benchmarks.txt differs from the benchmarks' questions; go test ./results/train -update writes it")
	}
	if name := BenchmarkOf(strings.ToUpper(pandalm.Pairs[0].Question) + " "); !*update && name != "pandalm" {
		t.Errorf("the first question of PandaLM is recognised as %q", name)
	}
	if BenchmarkOf("Which is better for a small garden, a plum or a pear?") != "" {
		t.Error("a question of nobody's is recognised")
	}
}
