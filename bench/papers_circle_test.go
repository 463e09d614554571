package bench

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"compqa/data"
	"compqa/data/sharedtest"
)

// TestSampleWhatCanBeExported: sampling is refused before the first call if train export would refuse the judgments, as for pairs of a
// benchmark. --limit counts pairs with a known preference. With --inject, rewritten pairs are also asked about.
func TestSampleWhatCanBeExported(t *testing.T) {
	t.Parallel()
	q := data.CQA50()[0]
	published := fmt.Sprintf(`{"id": "b1", "question": %q, "object1": %q, "object2": %q, "a": "It is RIGHT.", "b": "It is WRONG.", "label": "a"}
`, q.Text, q.Object1, q.Object2)
	const unlabelled = `{"id": "u1", "question": "What is one and one?", "a": "It is two: RIGHT.", "b": "It is three: WRONG."}
`
	server, log := sampledServer(t, "+-", obey)
	dir := withKeys(t, pairwiseFiles(t, server.URL, twoPairs, conJEntry), "order: ab")
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	mixed := write("mixed.jsonl", published+twoPairs)
	code, _, stderr := compqa(sampleArgs(dir, "--pairs", mixed)...)
	if want := "1 of the 3 pairs with a known human preference (b1 …) are of the benchmark cqa50"; code != exitUsage || !strings.Contains(stderr, want) {
		t.Errorf("exit %d: %s, want %q", code, stderr, want)
	}
	if asked := log.take(); asked != "" {
		t.Errorf("before the refusal it asks %s", asked)
	}
	if code, _, stderr := compqa(sampleArgs(dir, "--pairs", mixed, "--train-on-benchmark", "--limit", "1", "--samples", "1")...); code != exitDone {
		t.Errorf("exit %d: %s", code, stderr)
	}
	log.take()
	few := write("few.jsonl", unlabelled+twoPairs)
	out := filepath.Join(dir, "few")
	if code, _, stderr := compqa(sampleArgs(dir, "--pairs", few, "--limit", "1", "--samples", "1", "--no-hints", "--out", out)...); code != exitDone {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	if ids := strings.TrimSpace(rowsOf(t, out, `SELECT DISTINCT id FROM samples`)); ids != "p1" {
		t.Errorf("with --limit 1 the judgments are of %q, want p1, the first pair with a known preference", ids)
	}
	log.take()
	code, _, stderr = compqa("run", "--only", "pairs", "--config", filepath.Join(dir, "compqa.yaml"), "--pairs", few, "--inject", "format", "--out",
		filepath.Join(dir, "injected"))
	if asked := log.take(); code != exitDone || strings.Count(asked, "con-j") == 0 {
		t.Errorf("exit %d: %s, asked %s", code, stderr, asked)
	}
	if n := strings.TrimSpace(rowsOf(t, filepath.Join(dir, "injected"), `SELECT count(DISTINCT id) FROM preferences WHERE id LIKE '%+format%'`)); n == "0" {
		t.Error("no preference is on a rewritten pair")
	}
}

// TestSoakCircleOnRelease runs the commands of docs/howto-train.md in turn, on the pairs of the authors' release (cases5/papers) with
// scripted judges. The release's questions are a benchmark, so the first command is refused before any call, and names the flag that allows
// it. With the flag, the commands end in an export, and the trained judge is compared with its base on held-out pairs.
func TestSoakCircleOnRelease(t *testing.T) {
	sharedtest.Soak(t)
	t.Parallel()
	server := newScriptedServer(t, func(prompt string, _ int) (int, string) {
		noise := uint32(25)
		if strings.HasSuffix(prompt, "\x00pj-big") {
			noise = 10
		}
		return 200, completion(chosenBySource(prompt, noise), "stop")
	})
	config := papersConfig(t, "D-circle", server.URL)
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	must := func(want int, args ...string) string {
		t.Helper()
		code, stdout, stderr := compqa(args...)
		if code != want {
			t.Fatalf("%v: exit %d, want %d: %s%s", args, code, want, stdout, stderr)
		}
		return stdout + stderr
	}
	release := sharedtest.Path(t, "data", "cqa-release")
	must(exitDone, "run", "--only", "answers", "--config", config, "--release", release, "--out", in("run"))
	sample := []string{"pairwise", "sample", "--judge", "base", "--config", config, "--out", in("run")}
	if said := must(exitUsage, sample...); !strings.Contains(said, "--train-on-benchmark") {
		t.Errorf("the refusal does not name the flag: %s", said)
	}
	if n := server.asked(); n > 0 {
		t.Errorf("%d judgments are paid for before the refusal", n)
	}
	must(exitDone, append(sample, "--train-on-benchmark")...)
	must(exitDone, "train", "export", in("run"), "--kind", "dpo-judge", "--train-on-benchmark", "--out", in("training"))
	must(exitDone, "run", "--only", "pairs", "--config", config, "--pairs", in("training/heldout_pairs.jsonl"), "--out", in("trained"))
	report := must(exitDone, "train", "report", in("trained"), "--base", "base", "--trained", "trained", "--card", in("training/card.json"))
	if !regexp.MustCompile(`On heldout_pairs, .*\(.*, \d+ pairs\)\.`).MatchString(report) {
		t.Errorf("the report does not compare the judges on held-out pairs:\n%s", report)
	}
}
