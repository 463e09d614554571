package bench

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"compqa/data/sharedtest"
)

// TestSoakVerifyRemovedAfterLimit: results of an earlier run with more questions do not make up for a result that was removed.
func TestSoakVerifyRemovedAfterLimit(t *testing.T) {
	sharedtest.Soak(t)
	t.Parallel()
	dir := t.TempDir()
	config := filepath.Join(dir, "c.yaml")
	text := "scenarios: [1]\nmodels: [{name: reference, provider: baseline}]\njudges: [{name: rules, provider: embedded}]\n"
	if err := os.WriteFile(config, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, limit := range []string{"4", "2"} {
		if code, _, stderr := compqa("run", "--config", config, "--out", dir, "--limit", limit); code != exitDone {
			t.Fatalf("exit %d, %s", code, stderr)
		}
	}
	expectVerdict(t, dir, exitDone, "verified")
	changed(t, dir, `DELETE FROM results WHERE kind = 'verdict' AND subject = (SELECT a.id FROM answers a JOIN questions q ON q.id = a.question WHERE q.position = 0)`)
	reseal(t, dir)
	expectVerdict(t, dir, exitFailed, ": not finished: 1 planned result is missing", "1 verdict of rules: on record are others in their place")
}

// TestSoakVerifyAfterChanges: a folder with successive honest runs whose inputs changed is verified.
func TestSoakVerifyAfterChanges(t *testing.T) {
	sharedtest.Soak(t)
	t.Parallel()
	server := newScriptedServer(t, func(prompt string, _ int) (int, string) {
		if isJudging(prompt) {
			return 200, completion(fullMarks(), "stop")
		}
		return 200, completion("Comparison: the first has more facts.\nPreferred: A\n", "stop")
	})
	const (
		offline   = "scenarios: [1]\nmodels: [{name: reference, provider: baseline}, {name: template, provider: baseline}]\njudges: [{name: rules, provider: embedded}]\n"
		ownPair   = `{"id": "o1", "question": "Which?", "a": "good answer", "b": "bad", "label": "a"}` + "\n"
		questions = `{"object1": "tram", "object2": "bus", "aspect": "price", "question": "A tram or a bus?", "arguments": ["A tram is cheap."]}` + "\n" +
			`{"object1": "tea", "object2": "coffee", "aspect": "health", "question": "Tea or coffee?", "arguments": ["Tea is healthy."]}` + "\n"
	)
	live := strings.Replace(offline, "judges: [", "providers: {p: {type: openai, base_url: "+server.URL+"/v1}}\njudges: [{name: lj, provider: p, model: m, sample: 4}, ", 1)
	var all []string
	type step struct {
		config, file string
		args         []string
	}
	name := offline + "pairs: [{name: run}, {name: own, path: file.jsonl}]\n"
	pairwise := strings.Replace(live, "{name: lj, provider: p, model: m, sample: 4}, ", "", 1) +
		"pairs: [{name: own, path: file.jsonl}]\npairwise: [{name: d, method: direct, provider: p, model: m}]\n"
	ofRun := strings.Replace(pairwise, "{name: own, path: file.jsonl}", "{name: run}", 1)
	oneSystem := strings.Replace(ofRun, "{name: reference, provider: baseline}, ", "", 1)
	two := strings.Replace(ofRun, "pairwise: [", "pairwise: [{name: e, method: cot, provider: p, model: m}, ", 1)
	for name, test := range map[string]struct {
		steps   []step
		missing string // a table that must be absent in the end; "" checks none
	}{
		"pairs before answers": {[]step{{name, ownPair, []string{"--only", "pairs"}}}, ""},
		"a limit first":        {[]step{{live, "", []string{"--limit", "2"}}, {live, "", all}}, ""},
		"a limit last":         {[]step{{live, "", all}, {live, "", []string{"--limit", "2"}}}, ""},
		"second verdicts, which fewer answers do not have": {[]step{{strings.Replace(live, ", sample: 4", "", 1), "", []string{"--limit", "10"}},
			{strings.Replace(live, ", sample: 4", "", 1), "", []string{"--limit", "2"}}}, ""},
		"a renamed object": {[]step{{"dataset: file.jsonl\n" + offline, questions, nil},
			{"dataset: file.jsonl\n" + offline, strings.ReplaceAll(questions, "tram", "train"), nil},
			{"dataset: file.jsonl\n" + offline, strings.ReplaceAll(questions, "tram", "train") + strings.ReplaceAll(questions[:strings.Index(questions, "\n")+1], "tram", "bike"), nil}}, ""},
		"a pair's text": {[]step{{pairwise, ownPair, all}, {pairwise, strings.Replace(ownPair, "good", "better", 1), all}}, ""},
		"a set removed with its judge": {[]step{{strings.Replace(pairwise, "pairs: [", "pairs: [{name: run}, ", 1), ownPair, all},
			{strings.Split(pairwise, "pairs:")[0] + "pairs: [{name: run}]\npairwise: [{name: longer, method: longer}]\n", ownPair, all}}, "preference_agreement.csv"},
		"fewer repeats":      {[]step{{strings.Replace(live, "sample: 4", "repeats: 2", 1), "", all}, {strings.Replace(live, "sample: 4", "repeats: 1", 1), "", all}}, ""},
		"a smaller sample":   {[]step{{strings.Replace(live, "sample: 4", "sample: 20", 1), "", []string{"--limit", "12"}}, {live, "", []string{"--limit", "12"}}}, ""},
		"a scenario removed": {[]step{{strings.Replace(offline, "[1]", "[1, 2]", 1), "", all}, {offline, "", all}}, ""},
		"more pairs for one of two judges": {[]step{{two, "", []string{"--limit", "3"}}, {two, "", []string{"--only", "answers", "--limit", "6"}},
			{two, "", []string{"--only", "verdicts", "--limit", "6"}}, {two, "", []string{"--only", "pairs", "--judge", "d", "--limit", "6"}}}, ""},
		"no pairs left":        {[]step{{ofRun, "", all}, {oneSystem, "", all}}, "pairwise.csv"},
		"no pairs asked about": {[]step{{ofRun, "", all}, {strings.Split(oneSystem, "pairs:")[0], "", all}}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			config := filepath.Join(dir, "c.yaml")
			out := filepath.Join(dir, "run")
			for _, s := range test.steps {
				for file, text := range map[string]string{config: s.config, filepath.Join(dir, "file.jsonl"): s.file} {
					if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
						t.Fatal(err)
					}
				}
				if code, stdout, stderr := compqa(append([]string{"run", "--config", config, "--out", out}, s.args...)...); code != exitDone {
					t.Fatalf("exit %d\n%s%s", code, stdout, stderr)
				}
			}
			if code, stdout, stderr := compqa("verify", exportOf(t, out)); code != exitDone || strings.Contains(stdout, "not verified") {
				t.Errorf("exit %d\n%s%s", code, stdout, stderr)
			}
			if test.missing == "" {
				return
			}
			if _, err := os.Stat(filepath.Join(out, "tables", test.missing)); !os.IsNotExist(err) {
				t.Errorf("%s is still there: %v", test.missing, err)
			}
		})
	}
}
