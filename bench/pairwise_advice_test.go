package bench

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"compqa/data"
)

// TestRationaleFrom: a judge is shown the rationales of another judge, whose calls are made and paid for only once. No call is repeated,
// and verify decides the same.
func TestRationaleFrom(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	advised := 0
	server := newScriptedServer(t, func(prompt string, _ int) (int, string) {
		if strings.Contains(prompt, "It is right.") {
			mu.Lock()
			advised++
			mu.Unlock()
		}
		return 200, completion(wellBehaved(prompt), "stop")
	})
	price := ", provider: scripted, price: {input: 1, output: 1}"
	dir := pairwiseFiles(t, server.URL, manyPairs(3), "pairwise:\n"+
		"  - {name: strong, method: con-j, model: large"+price+"}\n"+
		"  - {name: weak, method: con-j-no-rationale, model: small"+price+"}\n"+
		"  - {name: advised, method: con-j-no-rationale, model: small, rationale_from: strong, repeats: 2"+price+"}\n")
	const calls = 3 * 2 * (1 + 1 + 2)
	for range 2 {
		if code, _, stderr := compqa(pairwiseRunArgs(dir)...); code != exitDone || server.asked() != calls {
			t.Fatalf("exit %d after %d calls, want %d: %s", code, server.asked(), calls, stderr)
		}
	}
	if advised != 3*2*2 {
		t.Errorf("%d prompts with a rationale", advised)
	}
	run := filepath.Join(dir, "run")
	for _, row := range csvTable(t, filepath.Join(run, "tables", "pairwise.csv")) {
		if row["judge"] == "advised" && row["order"] == "both" && (row["valid"] != "6" || row["accuracy"] != "1" || row["calls_per_pair"] != "4") {
			t.Errorf("%v", row)
		}
	}
	file := filepath.Join(t.TempDir(), "run.gz")
	if code, _, stderr := compqa("export", run, "--out", file); code != exitDone {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	if code, stdout, stderr := compqa("verify", file); code != exitDone || strings.Contains(stdout, "cannot decide again") {
		t.Errorf("exit %d: %s%s", code, stdout, stderr)
	}
	for entries, want := range map[string]string{
		"- {name: a, method: con-j, model: m, rationale_from: b" + price + "}":                                                                         `there is no pairwise judge "b"`,
		"- {name: a, method: con-j, model: m, rationale_from: a" + price + "}":                                                                         "the judge itself",
		"- {name: a, method: direct, model: m, rationale_from: b" + price + "}\n  - {name: b, method: con-j, model: m" + price + "}":                   "cannot be shown a rationale of con-j",
		"- {name: a, method: con-j, model: m, batch: true, rationale_from: b" + price + "}\n  - {name: b, method: con-j, model: m" + price + "}":       "batch: true",
		"- {name: a, method: con-j, model: m, rationale_from: b" + price + "}\n  - {name: b, method: con-j, model: m, rationale_from: a" + price + "}": "itself has rationale_from",
		"- {name: a, method: con-j, model: m, rationale_from: b" + price + "}\n  - {name: b, method: con-j, model: m, batch: true" + price + "}":       "would be made twice",
		"- {name: a, method: con-j, model: m, rationale_from: b" + price + "}\n  - {name: b, method: con-j, model: m, sample: 1" + price + "}":         "judges fewer pairs",
		"- {name: a, method: con-j, model: m, imported: true, rationale_from: b" + price + "}\n  - {name: b, method: con-j, model: m" + price + "}":    "judges fewer pairs",
		"- {name: a, method: longer, rationale_from: b}":                                                                                               "rationale_from is for direct, cot, cot-selfcon, con-j and con-j-no-rationale",
		"- {name: a, method: con-j, model: m, rationale_from: b" + price + "}\n  - {name: b, provider: file, path: pairs.jsonl}":                       "in a file",
		"- {name: a, method: cot-selfcon, model: m, abstain: true" + price + "}":                                                                       "abstain is for direct",
	} {
		dir := pairwiseFiles(t, server.URL, twoPairs, "pairwise:\n  "+entries+"\n")
		if code, _, stderr := compqa(pairwiseRunArgs(dir)...); code != exitUsage || !strings.Contains(stderr, want) || !strings.Contains(stderr, "compqa.yaml:") {
			t.Errorf("%s: exit %d, want %q: %s", entries, code, want, stderr)
		}
	}
}

// TestRationaleMissing: if a rationale is missing, the preference and the call of the judge are missing too, but a reason. The next run
// repeats only the rationale, and then the judge decides.
func TestRationaleMissing(t *testing.T) {
	t.Parallel()
	var mended atomic.Bool
	server := newScriptedServer(t, func(prompt string, _ int) (int, string) {
		if !mended.Load() && promptKind(prompt) == "con-j" && strings.Contains(prompt, "What is 1 and 1?") {
			return 400, `{"error": {"message": "broken"}}`
		}
		return 200, completion(wellBehaved(prompt), "stop")
	})
	price := ", provider: scripted, price: {input: 1, output: 1}"
	dir := pairwiseFiles(t, server.URL, manyPairs(3), "pairwise:\n"+
		"  - {name: strong, method: con-j, model: large"+price+"}\n"+
		"  - {name: advised, method: con-j-no-rationale, model: small, rationale_from: strong"+price+"}\n")
	statuses := func() map[string]int {
		count := map[string]int{}
		for _, row := range csvTable(t, filepath.Join(dir, "run", "tables", "preferences.csv")) {
			if row["judge"] == "advised" {
				count[row["status"]]++
				if row["status"] == "failed" && (row["choice"] != "" || !strings.HasPrefix(row["reason"], "rationale of con-j: ")) {
					t.Errorf("%v", row)
				}
			}
		}
		return count
	}
	if code, _, stderr := compqa(pairwiseRunArgs(dir, "--judge", "advised")...); code != exitIncomplete {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	if got := statuses(); got["valid"] != 4 || got["failed"] != 2 {
		t.Errorf("%v", got)
	}
	mended.Store(true)
	before := server.asked()
	if code, _, stderr := compqa(pairwiseRunArgs(dir, "--retry-failed")...); code != exitDone || server.asked() != before+4 {
		t.Fatalf("exit %d after %d calls more: %s", code, server.asked()-before, stderr)
	}
	if got := statuses(); got["valid"] != 6 {
		t.Errorf("%v", got)
	}
}

// TestEstimateOfRationales: the estimate counts the calls for a rationale once, and the run makes as many.
func TestEstimateOfRationales(t *testing.T) {
	t.Parallel()
	server := wellServer(t)
	dir := t.TempDir()
	cfg := filepath.Join(dir, "compqa.yaml")
	text := fmt.Sprintf(`
dataset: %s
scenarios: [1]
providers:
  scripted: {type: openai, base_url: %s/v1, api_key_env: COMPQA_TEST_KEY, backoff: 1ms}
%smodels:
  - {name: a, provider: scripted, model: m}
  - {name: template, provider: baseline}
judges: [{name: constant, provider: embedded}]
pairwise:
  - {name: strong, method: con-j, provider: scripted, model: m}
  - {name: advised, method: con-j-no-rationale, rationale_from: strong, provider: scripted, model: m}
`, twoQuestions(t), server.URL, cheapPrices)
	if err := os.WriteFile(cfg, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	if code, _, stderr := compqa("run", "--only", "answers", "--config", cfg, "--out", dir); code != exitDone {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	_, stdout, _ := compqa("estimate", "--config", cfg, "--out", dir)
	if strong, advised := estimated(t, stdout, "strong (pairwise)"), estimated(t, stdout, "advised (pairwise)"); strong[1] != 2 || advised[1] != 2 || advised[2] <= strong[2] {
		t.Errorf("%v, %v\n%s", strong, advised, stdout)
	}
}

// TestAbstaining: if a judge finds a pair hard to judge, the preference has a status of its own. It counts as done, but is never a choice.
// pairwise_risk.csv has the risk and coverage of such abstentions, beside those by log-probabilities.
func TestAbstaining(t *testing.T) {
	t.Parallel()
	server := newScriptedServer(t, func(prompt string, _ int) (int, string) {
		reply := wellBehaved(prompt)
		letter := "A"
		if strings.Contains(prompt, "What is 1 and 1?") && strings.Contains(prompt, "hard to judge") {
			reply = "Comparison: they are alike.\nPreferred: hard to judge"
		}
		if strings.HasSuffix(reply, "B") {
			letter = "B"
		}
		logprob := map[bool]string{true: "-0.1", false: "-0.7"}[strings.Contains(prompt, "What is 2 and 2?")]
		other := map[string]string{"A": "B", "B": "A"}[letter]
		logprobs := fmt.Sprintf(`"logprobs":{"content":[{"token":"Preferred:","logprob":0},{"token":" %s","logprob":%s,"top_logprobs":[{"token":" %s","logprob":%s},{"token":" %s","logprob":-2.5}]}]}`, letter, logprob, letter, logprob, other)
		return 200, strings.Replace(completion(reply, "stop"), `"choices":[{`, `"choices":[{`+logprobs+`,`, 1)
	})
	dir := pairwiseFiles(t, server.URL, manyPairs(4), `pairwise:
  - {name: careful, method: direct, model: m, abstain: true, provider: scripted, price: {input: 1, output: 1}, extra: {logprobs: true, top_logprobs: 5}}
`)
	for range 2 {
		if code, _, stderr := compqa(pairwiseRunArgs(dir, "--retry-failed")...); code != exitDone || server.asked() != 8 {
			t.Fatalf("exit %d after %d calls: %s", code, server.asked(), stderr)
		}
	}
	run := filepath.Join(dir, "run")
	abstained := 0
	for _, row := range csvTable(t, filepath.Join(run, "tables", "preferences.csv")) {
		if row["judge"] == "careful" && row["status"] == string(data.Abstained) {
			abstained++
			if row["choice"] != "" || row["reason"] == "" {
				t.Errorf("%v", row)
			}
		}
	}
	if abstained != 2 {
		t.Errorf("%d abstentions", abstained)
	}
	found := map[string]int{}
	for _, row := range csvTable(t, filepath.Join(run, "tables", "pairwise_risk.csv")) {
		if row["judge"] != "careful" || row["dataset"] != "pairs" {
			continue
		}
		found[row["confidence"]]++
		if row["confidence"] == "abstained" && (row["n"] != "6" || row["coverage"] != "0.75" || row["risk"] != "0" || row["threshold"] != "") {
			t.Errorf("%v", row)
		}
	}
	if found["abstained"] != 1 || found["logprob"] != 2 {
		t.Errorf("%v", found)
	}
	file := filepath.Join(t.TempDir(), "run.gz")
	if code, _, stderr := compqa("export", run, "--out", file); code != exitDone {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	if code, stdout, stderr := compqa("verify", file); code != exitDone || strings.Contains(stdout, "cannot decide again") {
		t.Errorf("exit %d: %s%s", code, stdout, stderr)
	}
}
