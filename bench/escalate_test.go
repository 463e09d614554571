package bench

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"compqa/results/store"
)

// sureServer answers a judge's prompts about "item Nx" with points and their log-probability.
func sureServer(t *testing.T, judge func(n int) (points int, logprob float64)) *scriptedServer {
	number := regexp.MustCompile(`item (\d+)x`)
	return newScriptedServer(t, func(prompt string, _ int) (int, string) {
		n := 0
		if _, err := fmt.Sscan(number.FindStringSubmatch(prompt)[1], &n); err != nil {
			return 500, err.Error()
		}
		points, logprob := judge(n)
		tokens := fmt.Sprintf(`"logprobs":{"content":[{"token":"{\"good\":","logprob":0},{"token":" %d","logprob":%v},{"token":"}","logprob":0}]}`,
			points, logprob)
		return 200, strings.Replace(completion(fmt.Sprintf(`{"good": %d}`, points), "stop"), `"choices":[{`, `"choices":[{`+tokens+`,`, 1)
	})
}

// TestEscalate has two judges in a cascade. The second judge is asked about labelled answers and about those on which the first is not
// sure. For an answer that it is not asked about, the record says who decides. Tables say the same, and a second run makes no calls.
// Exports are verified: the decision is recomputed, or said to be as recorded if the export has no replies. Without labels the second judge
// is not asked at all. With more labels it is asked then.
func TestEscalate(t *testing.T) {
	t.Parallel()
	cheap := sureServer(t, func(n int) (int, float64) {
		if n%2 == 0 || n%3 == 0 {
			return n / 2 % 2, -.001 - .5*float64(n%2) - float64(n*7%300)/1e4
		}
		return 1 - n/2%2, -.501 - float64(n*7%300)/1e4
	})
	dear := sureServer(t, func(n int) (int, float64) {
		if n%29 == 1 {
			return 1 - n/2%2, -.9
		}
		return n / 2 % 2, -.001 - float64(n*11%300)/1e4
	})
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	label := func(labelled int) {
		people := ""
		for i := range 300 {
			if i*101%300 < labelled {
				people += fmt.Sprintf(`{"id": "x%d", "judge": "human:1", "scores": {"good": %d}, "total": %[2]d, "status": "valid"}`+"\n", i, i/2%2)
			}
		}
		write("people.jsonl", people)
	}
	questions, answers := "id,object1,object2,aspect,question\n", ""
	for i := range 300 {
		questions += fmt.Sprintf("q%d,a%[1]d,b%[1]d,,Which?\n", i)
		answers += fmt.Sprintf(`{"id": "x%d", "object1": "a%[1]d", "object2": "b%[1]d", "text": "item %[1]dx"}`+"\n", i)
	}
	write("questions.csv", questions)
	write("mine.jsonl", answers)
	write("rubric.yaml", "name: one\ncriteria:\n  - {id: good, name: good, text: Is it good?, levels: "+
		"[{points: 0, text: 'no'}, {points: 1, text: 'yes'}]}\n")
	judge := "model: m, imported: true, extra: {logprobs: true}, options: {temperature: 0}"
	write("compqa.yaml", "dataset: questions.csv\nrubric: rubric.yaml\nscenarios: [1]\nproviders:\n  one: {type: openai, base_url: "+cheap.URL+
		"/v1}\n  two: {type: openai, fingerprint: url, base_url: "+dear.URL+"/v1}\nmodels: [{name: mine, provider: file, path: mine.jsonl}]\njudges:\n"+
		"  - {name: cheap, provider: one, "+judge+", price: {input: 1, output: 1}}\n"+
		"  - {name: dear, provider: two, "+judge+", price: {input: 20, output: 20}}\n"+
		"  - {name: people, provider: file, path: people.jsonl, people: true}\n"+
		"escalate: {judges: [cheap, dear], alpha: .1, label_price: .5}\n")
	run := filepath.Join(dir, "run")
	do := func() string {
		t.Helper()
		code, stdout, stderr := compqa("run", "--config", filepath.Join(dir, "compqa.yaml"), "--out", run)
		if code != exitDone {
			t.Fatalf("exit %d: %s%s", code, stdout, stderr)
		}
		return strings.Join(strings.Fields(stdout), " ")
	}
	label(1)
	stdout := do()
	if cheap.asked() != 300 || dear.asked() != 0 || !strings.Contains(stdout, "Too few to say: 1 label lies above any threshold; for ") {
		t.Fatalf("without labels %d and %d calls: %s", cheap.asked(), dear.asked(), stdout)
	}
	label(120)
	stdout = do()
	left := 0 // answers that the first judge leaves
	decided := map[string]int{}
	for _, row := range csvTable(t, filepath.Join(run, "tables", "decided.csv")) {
		decided[row["judge"]]++
	}
	for _, row := range csvTable(t, filepath.Join(run, "tables", "verdicts.csv")) {
		if row["judge"] == "dear" && row["status"] == "valid" {
			left++
		}
	}
	if dear.asked() != left || left < 120 || left > 260 || decided["cheap"] < 60 || decided["dear"] < 20 || decided["cheap"]+decided["dear"]+decided["human"] != 300 ||
		!strings.Contains(stdout, "cheap, then dear may decide alone on ") || !strings.Contains(stdout, "the labels cost $60.00.") {
		t.Fatalf("%d calls, %d verdicts, decided by %v: %s", dear.asked(), left, decided, stdout)
	}
	notAsked := fmt.Sprintf("%d of %[1]d verdicts are valid; %d more are not asked for", 540+left, 300-left)
	if !strings.Contains(stdout, notAsked) || strings.Contains(stdout, "% valid verdicts") {
		t.Errorf("verdicts that nobody needs count as failures, no %q in %s", notAsked, stdout)
	}
	db, err := store.Open(run)
	if err != nil {
		t.Fatal(err)
	}
	reasons, err := store.Select[string](db, `SELECT DISTINCT reason FROM verdicts WHERE judge = 'dear' AND status = 'skipped'`)
	if err = errors.Join(err, db.Close()); err != nil || !slices.Equal(reasons, []string{"not asked: cheap decides"}) {
		t.Errorf("the reasons on record are %v (%v)", reasons, err)
	}
	asked := dear.asked()
	if again := do(); dear.asked() != asked || cheap.asked() != 300 || !strings.Contains(again, "cheap, then dear may decide alone on ") {
		t.Errorf("a second run makes %d calls more: %s", dear.asked()-asked, again)
	}
	for flag, recorded := range map[string]bool{"": false, "--bodies": false, "--no-replies": true} {
		file := filepath.Join(dir, flag+".tgz")
		args := strings.Fields("export " + run + " --out " + file + " " + flag)
		if code, stdout, stderr := compqa(args...); code != exitDone {
			t.Fatalf("exit %d: %s%s", code, stdout, stderr)
		}
		code, stdout, stderr := compqa("verify", file)
		if code != exitDone || !strings.Contains(stdout, ": consistent, ") ||
			recorded != strings.Contains(stdout, "1 decision of cheap and dear: who decides which answers, as recorded") {
			t.Errorf("%s: exit %d: %s%s", flag, code, stdout, stderr)
		}
		code, stdout, _ = compqa("verify", "--json", file)
		if code != exitDone || recorded == strings.Contains(stdout, "decided.csv") {
			t.Errorf("%s: exit %d, wrong tables: %s", flag, code, stdout)
		}
	}
}
