package bench

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestPairwiseBatches: a pairwise judge with batch: true makes its calls in batches, with all repetitions of a prompt in the same batch.
// Its decisions are the same as without batches.
func TestPairwiseBatches(t *testing.T) {
	t.Parallel()
	server := newBatchServer(t, func(prompt string, _ bool) (int, string) { return 200, completion(wellBehaved(prompt), "stop") })
	const entries = `
pairwise:
  - {name: votes, method: cot-selfcon, draws: 3, provider: scripted, model: m%[1]s}
  - {name: online, method: direct+aspects, provider: scripted, model: m%[1]s}
`
	dir := pairwiseFiles(t, server.URL, twoPairs, fmt.Sprintf(entries, ", batch: true"))
	path := filepath.Join(dir, "compqa.yaml")
	cfg, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	quick := strings.Replace(string(cfg), "backoff: 1ms", "backoff: 1ms, batch_poll: 2ms", 1)
	if err := os.WriteFile(path, []byte(quick), 0o644); err != nil {
		t.Fatal(err)
	}
	// 2 pairs in 2 orders: 3 votes each in one batch; 8 lists of aspects each, then a choice.
	code, _, stderr := compqa(pairwiseRunArgs(dir)...)
	if code != exitDone || server.batches.Batches() != 3 || server.batches.Asked() != 4*3+4*(8+1) || server.single.Load() != 0 {
		t.Fatalf("exit %d, %d batches of %d requests, %d single ones, %s", code, server.batches.Batches(), server.batches.Asked(), server.single.Load(), stderr)
	}
	batched, err := os.ReadFile(filepath.Join(dir, "run", "tables", "preferences.csv"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(strings.ReplaceAll(quick, ", batch: true", "")), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(filepath.Join(dir, "run")); err != nil {
		t.Fatal(err)
	}
	if code, _, stderr := compqa(pairwiseRunArgs(dir)...); code != exitDone || server.single.Load() != 48 {
		t.Fatalf("without batches: exit %d, %d calls, %s", code, server.single.Load(), stderr)
	}
	single, err := os.ReadFile(filepath.Join(dir, "run", "tables", "preferences.csv"))
	if err != nil || string(single) != string(batched) {
		t.Errorf("preferences differ (%v):\n%s\n%s", err, batched, single)
	}
}

// TestPairwiseBatchRoles: a batch can have only one model.
func TestPairwiseBatchRoles(t *testing.T) {
	t.Parallel()
	dir := pairwiseFiles(t, "http://127.0.0.1:1", twoPairs, `
pairwise: [{name: sc2, method: sc2, provider: scripted, model: m, batch: true, roles: {comparisons: {model: other}}}]
`)
	if code, _, stderr := compqa(pairwiseRunArgs(dir)...); code != exitUsage || !strings.Contains(stderr, "batch needs one model for all roles") {
		t.Errorf("exit %d, %s", code, stderr)
	}
}
