package bench

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"compqa/bench/verify"
)

// TestVerifyPairsInOneOrder: a person who chose on every pair, each in one order, was asked about all pairs. A person whose file lacks
// pairs has no choice on them, and nothing was planned for them. A judge to which each pair is shown in one random order was asked about
// all pairs.
func TestVerifyPairsInOneOrder(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	must := ending(t)
	var pairs, choices strings.Builder
	choices.WriteString("id,annotator,order,choice\n")
	for i := range 30 {
		fmt.Fprintf(&pairs, `{"id": "p%d", "question": "Tea or coffee?", "a": "Tea %[1]d.", "b": "Coffee, it is good.", "label": "a"}`+"\n", i)
		fmt.Fprintf(&choices, "p%d,anna,%s,a\n", i, []string{"ab", "ba"}[i%2])
		if i < 20 {
			fmt.Fprintf(&choices, "p%d,ben,%s,b\n", i, []string{"ab", "ba"}[i%2])
		}
	}
	writeFiles(t, dir, map[string]string{"pairs.jsonl": pairs.String(), "choices.csv": choices.String(),
		"compqa.yaml": "pairs: [{name: mine, path: pairs.jsonl, order: random}]\n" +
			"pairwise: [{name: people, provider: file, path: choices.csv}, {method: surface-pair}]\n"})
	out := filepath.Join(dir, "run")
	must(0, "run", "--only", "pairs", "--config", filepath.Join(dir, "compqa.yaml"), "--out", out)
	if n := rowsOf(t, out, `SELECT count(*) FROM preferences WHERE judge = 'surface-pair'`); n != "30\n" {
		t.Fatalf("surface-pair was asked %s times", n)
	}
	s, text := verdictOf(t, exportOf(t, out))
	if s.Verdict != verify.Consistent || len(s.NotMade) > 0 || strings.Contains(s.Sentence, "not made") {
		t.Errorf("%s, %+v, %s", s.Sentence, s.NotMade, text)
	}
	want := verify.Rest{Kind: "preference", Party: "human:ben", Count: 10, Why: "pairs of the set mine without a choice on record"}
	if len(s.NotAsked) != 1 || s.NotAsked[0] != want {
		t.Errorf("%+v", s.NotAsked)
	}
}

// TestVerifyOtherScenario: if a system answered under the scenario of an earlier configuration, verify does not say that it was not run.
func TestVerifyOtherScenario(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	server := newScriptedServer(t, func(string, int) (int, string) { return 200, completion("An answer.", "stop") })
	config := filepath.Join(dir, "compqa.yaml")
	out := filepath.Join(dir, "run")
	for scenario, budget := range []float64{1: 1, 2: 1e-9} {
		if budget == 0 {
			continue
		}
		writeFiles(t, dir, map[string]string{"compqa.yaml": fmt.Sprintf("scenarios: [%d]\nproviders: {s: {type: openai, base_url: %s/v1}}\n"+
			"models: [{name: bot, provider: s, model: m, price: {input: 1, output: 1}}]\njudges: [{name: rules, provider: embedded}]\n"+
			"run: {budget: %g}\n", scenario, server.URL, budget)})
		compqa("run", "--config", config, "--out", out, "--limit", "2")
	}
	s, text := verdictOf(t, exportOf(t, out))
	if restOf(s.Rests, "answer").Why != "of an earlier configuration; they are in no table" {
		t.Fatalf("%+v, %s", s, text)
	}
	if len(s.NotMade) == 0 || s.NotMade[0].Why != "none is on record" {
		t.Errorf("%+v", s.NotMade)
	}
}

// TestValidateWithoutRecord: labels without an order have no points, so the record is missing and nothing can be served.
func TestValidateWithoutRecord(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	colours := "id,label\na,red\nb,blue\nc,red\nd,green\ne,red\nf,blue\n"
	writeFiles(t, dir, map[string]string{"log.csv": colours, "people.csv": colours})
	out := filepath.Join(dir, "out")
	code, stdout, stderr := compqa("validate", filepath.Join(dir, "log.csv"), "--people", filepath.Join(dir, "people.csv"), "--out", out)
	if _, err := os.Stat(filepath.Join(out, "run.db")); code != exitDone || err == nil {
		t.Fatalf("exit %d, %v, %s", code, err, stderr)
	}
	stdout = strings.Join(strings.Fields(stdout), " ")
	if strings.Contains(stdout, "compqa serve") || !strings.Contains(stdout, "no record, so nothing to serve or export") {
		t.Errorf("%s", stdout)
	}
}

// TestVerifyWithoutChecksums: a record whose checksums were deleted is not "verified".
func TestVerifyWithoutChecksums(t *testing.T) {
	t.Parallel()
	file := recomputableFile(t)
	if s, _ := verdictOf(t, file); s.Verdict != verify.Verified {
		t.Fatalf("the honest export: %+v", s)
	}
	files := unpacked(t, file)
	changeRecord(t, files, `UPDATE run SET seed = seed`) // changeRecord also deletes the checksums
	s, _ := verdictOf(t, packed(t, files, true))
	if r := restOf(s.Rests, "record"); s.Verdict != verify.Consistent || !strings.HasPrefix(r.Why, "without checksums") {
		t.Errorf("%+v", s)
	}
}
