package bench

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"compqa/data"
	"compqa/data/sharedtest"
)

// sampledServer answers a judge's prompt with the verdicts of a script, one after the other: + is the right answer, - the wrong one, ?
// none, and | a reply that is cut off. hint answers prompts with hints.
func sampledServer(t *testing.T, verdicts string, hint func(prompt string) (string, string)) (*scriptedServer, *kindLog) {
	t.Helper()
	var log kindLog
	var mu sync.Mutex
	drawn := map[string]int{}
	return newScriptedServer(t, func(prompt string, _ int) (int, string) {
		kind := promptKind(prompt)
		log.add(kind)
		if kind != "con-j" {
			text, finish := hint(prompt)
			return 200, completion(text, finish)
		}
		about, _, _ := strings.Cut(prompt, "Answer 1:")
		mu.Lock()
		n := drawn[about]
		drawn[about]++
		mu.Unlock()
		first := strings.Index(prompt, "RIGHT") < strings.Index(prompt, "WRONG")
		better := map[bool]int{true: 1, false: 2}
		switch verdicts[n%len(verdicts)] {
		case '+':
			return 200, completion(fmt.Sprintf(`{"rationale": "sound %d", "better_answer": %d}`, n, better[first]), "stop")
		case '-':
			return 200, completion(fmt.Sprintf(`{"rationale": "unsound %d", "better_answer": %d}`, n, better[!first]), "stop")
		case '|':
			return 200, completion(fmt.Sprintf(`{"rationale": "cut %d`, n), "length")
		}
		return 200, completion(fmt.Sprintf("Hard to say %d.", n), "stop")
	}), &log
}

func obey(prompt string) (string, string) { return wellBehaved(prompt), "stop" }

const conJEntry = "pairwise:\n  - {name: con-j, method: con-j, provider: scripted, model: m}\n"

func sampleArgs(dir string, more ...string) []string {
	return append([]string{"pairwise", "sample", "--config", filepath.Join(dir, "compqa.yaml"), "--out", filepath.Join(dir, "run")}, more...)
}

// TestSoakPairwiseSample: of 8 judgments, the right ones are paired one to one with the wrong ones, which gives at most 4 contrasts. An
// unclear judgment and one that was cut off count as wrong. The hints give one more contrast.
func TestSoakPairwiseSample(t *testing.T) {
	sharedtest.Soak(t)
	t.Parallel()
	for _, c := range []struct {
		name, verdicts string
		more           []string
		repeated       int // contrasts for each of 2 prompts
		hinted         int
		unclear        int
		calls          string
	}{
		{"half and half", "+-+-+-+-", nil, 4, 1, 0, "8 con-j, 2 hint"},
		{"six right", "++++++--", nil, 2, 1, 0, "8 con-j, 2 hint"},
		{"unclear is wrong", "+++?+-|+", nil, 3, 1, 2, "8 con-j, 2 hint"},
		{"all right", "++++++++", nil, 0, 1, 0, "8 con-j, 2 hint"},
		{"all wrong", "--------", nil, 0, 1, 0, "8 con-j, 2 hint"},
		{"product", "+++---+-", []string{"--product"}, 16, 1, 0, "8 con-j, 2 hint"},
		{"without hints", "+-+-+-+-", []string{"--no-hints"}, 4, 0, 0, "8 con-j"},
		{"ten samples, still four", "+-", []string{"--samples", "10"}, 4, 1, 0, "10 con-j, 2 hint"},
	} {
		t.Run(c.name, func(t *testing.T) {
			server, log := sampledServer(t, c.verdicts, obey)
			dir := withKeys(t, pairwiseFiles(t, server.URL, twoPairs, conJEntry), "order: ab")
			code, stdout, stderr := compqa(sampleArgs(dir, c.more...)...)
			if code != exitDone {
				t.Fatalf("exit %d: %s", code, stderr)
			}
			if got, want := log.take(), mergeRuns(c.calls+", "+c.calls); got != want {
				t.Errorf("asked %s, want %s", got, want)
			}
			contrasts, err := data.ReadContrasts(filepath.Join(dir, "run", contrastsName))
			if want := 2 * (c.repeated + c.hinted); err != nil || len(contrasts) != want {
				t.Fatalf("%d contrasts, want %d: %v\n%s", len(contrasts), want, err, stdout)
			}
			for i, k := range contrasts {
				if prompt := k.Prompt[0].Content; strings.Contains(prompt, "It is known that") || !strings.Contains(prompt, "You are an expert in evaluation") {
					t.Errorf("contrast %d is on another prompt: %s", i, prompt)
				}
				if chosen := k.Chosen[0].Content; !strings.Contains(chosen, "better_answer") || strings.Contains(chosen, "unsound") {
					t.Errorf("contrast %d has chosen %q", i, chosen)
				}
			}
			counts := csvTable(t, filepath.Join(dir, "run", contrastCountsName))
			checkColumns(t, "", filepath.Join(dir, "run", contrastCountsName), filepath.Join(dir, "run", "contrast_sources.csv"))
			if r := counts[0]; r["contrasts"] != fmt.Sprint(2*c.repeated) || r["unclear"] != fmt.Sprint(2*c.unclear) || r["prompts"] != "2" {
				t.Errorf("counts %v", r)
			}
			// The same command again repeats only the call that was cut off, and prints the same.
			before, _ := os.ReadFile(filepath.Join(dir, "run", contrastsName))
			if code, _, stderr := compqa(sampleArgs(dir, c.more...)...); code != exitDone {
				t.Fatalf("again: exit %d: %s", code, stderr)
			}
			if got := log.take(); got != "" {
				t.Errorf("again it asks %s", got)
			}
			if after, _ := os.ReadFile(filepath.Join(dir, "run", contrastsName)); string(after) != string(before) {
				t.Error("the second file differs from the first")
			}
		})
	}
}

// TestPairwiseSampleParameters: the request has the paper's parameters, except for those that the entry changes or removes.
func TestPairwiseSampleParameters(t *testing.T) {
	t.Parallel()
	server, _ := sampledServer(t, "+-", obey)
	dir := pairwiseFiles(t, server.URL, twoPairs, "pairwise:\n  - {name: con-j, method: con-j, provider: scripted, model: m, options: {top_k: null, max_tokens: 300}}\n")
	if code, _, stderr := compqa(sampleArgs(dir, "--limit", "1")...); code != exitDone {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	for _, body := range server.bodies {
		if body["temperature"] != 1.0 || body["top_p"] != 0.9 || body["repetition_penalty"] != 1.2 || body["max_tokens"] != 300.0 {
			t.Errorf("parameters %v", body)
		}
		if _, there := body["top_k"]; there {
			t.Error("top_k is sent, although the entry takes it away")
		}
		if _, there := body["response_format"]; there {
			t.Error("a schema holds the samples to the form that is to be learnt")
		}
	}
}

// TestPairwiseSampleHints: if a hinted reply is not JSON, only the rationale is requested and put into the JSON. If a judge does not follow
// a hint, no contrast is made of its reply.
func TestPairwiseSampleHints(t *testing.T) {
	t.Parallel()
	server, log := sampledServer(t, "+", func(prompt string) (string, string) {
		if promptKind(prompt) == "hint" {
			return "Certainly! It is better because", "length"
		}
		_, better, _ := strings.Cut(prompt, "It is known that answer ")
		return "Because \"it\" is <so>: " + better[:1], "stop"
	})
	dir := withKeys(t, pairwiseFiles(t, server.URL, twoPairs, conJEntry), "order: ab")
	if code, _, stderr := compqa(sampleArgs(dir, "--limit", "1", "--samples", "1")...); code != exitDone {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	if got, want := log.take(), "1 con-j, 1 hint, 1 fallback, 1 hint, 1 fallback"; got != want {
		t.Errorf("asked %s, want %s", got, want)
	}
	contrasts, err := data.ReadContrasts(filepath.Join(dir, "run", contrastsName))
	want := `{"rationale": "Because \"it\" is <so>: 1", "better_answer": 1}`
	if err != nil || len(contrasts) != 1 || contrasts[0].Chosen[0].Content != want || contrasts[0].Rejected[0].Content != strings.ReplaceAll(want, "1", "2") {
		t.Errorf("%v: %+v, want chosen %s", err, contrasts, want)
	}

	server, _ = sampledServer(t, "+", func(string) (string, string) { return `{"rationale": "No!", "better_answer": 1}`, "stop" })
	dir = withKeys(t, pairwiseFiles(t, server.URL, twoPairs, conJEntry), "order: ab")
	if code, _, stderr := compqa(sampleArgs(dir)...); code != exitDone {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	if counts := csvTable(t, filepath.Join(dir, "run", contrastCountsName)); counts[1]["against_hint"] != "2" || counts[1]["contrasts"] != "0" {
		t.Errorf("a judge that always names the first answer: %v", counts[1])
	}
}

func TestPairwiseSampleUsage(t *testing.T) {
	t.Parallel()
	server, _ := sampledServer(t, "+", obey)
	unlabelled := strings.ReplaceAll(strings.ReplaceAll(twoPairs, `"label": "a"`, `"label": "tie"`), `"label": "b"`, `"label": "none"`)
	dir := pairwiseFiles(t, server.URL, unlabelled, conJEntry)
	if code, _, stderr := compqa(sampleArgs(dir)...); code != exitUsage || !strings.Contains(stderr, "no pair has a known human preference") {
		t.Errorf("without labels: exit %d: %s", code, stderr)
	}
	dir = pairwiseFiles(t, server.URL, twoPairs, "pairwise:\n  - {method: direct, provider: scripted, model: m}\n")
	if code, _, stderr := compqa(sampleArgs(dir)...); code != exitUsage || !strings.Contains(stderr, "one judge of method con-j") {
		t.Errorf("without a con-j: exit %d: %s", code, stderr)
	}
	dir = pairwiseFiles(t, server.URL, twoPairs, conJEntry)
	if code, _, stderr := compqa(sampleArgs(dir, "--judge", "nobody")...); code != exitUsage || !strings.Contains(stderr, "choose one of con-j with --judge") {
		t.Errorf("another name: exit %d: %s", code, stderr)
	}
}

// TestPairwiseRationales: a meta-judge grades Con-J's rationales. Those in which it contradicts people are listed separately, and people's
// grades are compared with its grades.
func TestPairwiseRationales(t *testing.T) {
	t.Parallel()
	server := newScriptedServer(t, func(prompt string, _ int) (int, string) {
		if promptKind(prompt) == "meta" && strings.Contains(prompt, "three and three") {
			return 200, completion(`{"preference_correct": "Incorrect", "rationale_correctness": 1, "rationale_consistency": 1}`, "stop")
		}
		return 200, completion(wellBehaved(prompt), "stop")
	})
	dir := pairwiseFiles(t, server.URL, twoPairs, conJEntry+"  - {name: meta, method: meta-judge, provider: scripted, model: m}\n  - {name: people, method: meta-judge, provider: file, path: grades.csv}\n")
	grades := filepath.Join(dir, "grades.csv")
	if err := os.WriteFile(grades, []byte(`id,judge,method,order,grader,correctness,consistency
p1,con-j,con-j,ab,human:1,4,3
p1,con-j,con-j,ab,human:2,5,3
p2,con-j,con-j,ab,human:1,2,1
gone,con-j,con-j,ab,human:1,2,1
`), 0o644); err != nil {
		t.Fatal(err)
	}
	code, _, stderr := compqa(pairwiseRunArgs(dir)...)
	if code != exitDone || !strings.Contains(stderr, `no preference on pair "gone"`) {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	rows := csvTable(t, filepath.Join(dir, "run", "tables", "rationales.csv"))
	if len(rows) != 1 {
		t.Fatalf("%v", rows)
	}
	r := rows[0]
	for name, want := range map[string]string{"grader": "meta", "planned": "4", "valid": "4", "set_apart": "2", "correctness": "4", "consistency": "3", "n_people": "2"} {
		if r[name] != want {
			t.Errorf("%s is %q, want %s", name, r[name], want)
		}
	}
	// On the only rationale that two people graded, their difference is that of any two grades, so alpha is 0 by definition.
	if r["alpha_correctness"] == "" || r["alpha_people_correctness"] != "0" {
		t.Errorf("alphas %q, and of people %q", r["alpha_correctness"], r["alpha_people_correctness"])
	}
}

// TestPairwiseInjection: a model or word lists put biases into the pairs. The report says for each judge how much accuracy they cost.
func TestPairwiseInjection(t *testing.T) {
	t.Parallel()
	var log kindLog
	server := newScriptedServer(t, func(prompt string, _ int) (int, string) {
		kind := promptKind(prompt)
		log.add(kind)
		if kind == "verbose" {
			return 200, completion("1. It is RIGHT, I tell you.", "stop")
		}
		return 200, completion(wellBehaved(prompt), "stop")
	})
	entry := "pairwise:\n  - {name: direct, method: direct, provider: scripted, model: m}\n"
	dir := pairwiseFiles(t, server.URL, twoPairs, entry)
	args := pairwiseRunArgs(withKeys(t, dir, "inject: [verbosity, format], rewriter: rewriter"))
	_, stdout, _ := compqa(append([]string{"estimate"}, args[1:]...)...)
	if of := estimated(t, stdout, "rewriter (pairwise, m)"); of[1] != 6 { // 2 verbose, 2 verbal and 2 formal answers
		t.Errorf("estimated %v calls of the rewriter", of[1])
	}
	if code, _, stderr := compqa(args...); code != exitDone {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	asked := map[string]int{}
	for _, kind := range log.kinds {
		asked[kind]++
	}
	if want := map[string]int{"verbose": 2, "verbal": 2, "formal": 2, "direct": 12}; !maps.Equal(asked, want) {
		t.Errorf("asked %v, want %v", asked, want)
	}
	log.take()
	rows := where(csvTable(t, filepath.Join(dir, "run", "tables", "pairwise_injection.csv")), map[string]string{"judge": "direct"})
	biases := []string{}
	for _, r := range rows {
		biases = append(biases, r["bias"])
		if r["n"] != "2" || r["n_unchanged"] != "0" || r["accuracy"] != "1" || r["adversarial"] != "true" {
			t.Errorf("%v", r)
		}
	}
	slices.Sort(biases)
	if !slices.Equal(biases, []string{"format-other", "verbosity-other"}) {
		t.Errorf("biases %v", biases)
	}
	longer := where(csvTable(t, filepath.Join(dir, "run", "tables", "pairwise.csv")), map[string]string{"judge": "longer", "dataset": "pairs+verbosity-other", "order": "both"})
	if len(longer) != 1 || longer[0]["accuracy"] != "0" {
		t.Errorf("the longer answer is the worse one, and yet %v", longer)
	}
	// Without a model. The second run makes no calls. The texts contain no words of the lists.
	dir = pairwiseFiles(t, server.URL, strings.ReplaceAll(twoPairs, " is ", " was "), "pairwise:\n  - {method: surface-pair}\n")
	log.take()
	if code, _, stderr := compqa(pairwiseRunArgs(withKeys(t, dir, "inject: [verbosity-preferred, format]"))...); code != exitDone {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	if got := log.take(); got != "" {
		t.Errorf("word lists ask %s", got)
	}
	longer = where(csvTable(t, filepath.Join(dir, "run", "tables", "pairwise_injection.csv")), map[string]string{"judge": "longer"})
	if len(longer) != 2 || longer[0]["accuracy_biased"] != "1" || longer[0]["adversarial"] != "false" || longer[0]["n_unchanged"] != "0" ||
		longer[1]["n"] != "2" || longer[1]["n_unchanged"] != "2" {
		t.Errorf("the longer answer is the better one now: %v", longer)
	}
}

// TestRewriterRefuses: pairs that a rewriter refuses are counted, the run ends with exit code 3, and the record is verified.
func TestRewriterRefuses(t *testing.T) {
	t.Parallel()
	server := newScriptedServer(t, func(string, int) (int, string) { return 200, completion("", "content_filter") })
	dir := withKeys(t, pairwiseFiles(t, server.URL, twoPairs, "pairwise:\n  - {method: surface-pair}\n"), "inject: [verbosity], rewriter: rewriter")
	if code, _, stderr := compqa(pairwiseRunArgs(dir)...); code != exitIncomplete || !strings.Contains(stderr, "2 pairs that could not be rewritten") {
		t.Errorf("exit %d: %s", code, stderr)
	}
	report, err := os.ReadFile(filepath.Join(dir, "run", "report.md"))
	if err != nil || !strings.Contains(string(report), "2 of 2 pairs could not be rewritten with the bias verbosity-other") {
		t.Errorf("%v: %s", err, report)
	}
	file := filepath.Join(dir, "run.gz")
	if code, _, stderr := compqa("export", filepath.Join(dir, "run"), "--out", file); code != exitDone {
		t.Fatal(stderr)
	}
	if code, stdout, stderr := compqa("verify", file); code != exitDone {
		t.Errorf("exit %d: %s%s", code, stdout, stderr)
	}
}
