package bench

import (
	"encoding/json"
	"hash/fnv"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"compqa/data/sharedtest"
)

// papersConfig writes the configuration of a case in cases5/papers. It replaces the server, and makes paths absolute.
func papersConfig(t *testing.T, name, url string) string {
	t.Helper()
	dir := sharedtest.Path(t, "cases5", "papers", name)
	text, err := os.ReadFile(filepath.Join(dir, "compqa.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	changed := strings.ReplaceAll(string(text), "http://127.0.0.1:18701", url)
	changed = regexp.MustCompile(`(\s)([\w-]+\.jsonl)`).ReplaceAllString(changed, "${1}"+filepath.ToSlash(dir)+"/$2")
	path := filepath.Join(t.TempDir(), "compqa.yaml")
	if err := os.WriteFile(path, []byte(changed), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// drawn returns a number below n that depends only on the texts.
func drawn(n uint32, texts ...string) uint32 {
	h := fnv.New32a()
	h.Write([]byte(strings.Join(texts, "\x00")))
	return h.Sum32() % n
}

// TestSkippedQuestionsLeaveRanks: some of twelve questions have no arguments, so scenarios 2 and 4 skip them (cases5/papers). Both systems
// are still ranked, because every existing answer has a valid verdict. In the script, answers of beta get two points less.
func TestSkippedQuestionsLeaveRanks(t *testing.T) {
	t.Parallel()
	server := newScriptedServer(t, func(prompt string, _ int) (int, string) {
		if !strings.Contains(prompt, "Criteria:") {
			name := "Beta"
			if strings.HasSuffix(prompt, "\x00alpha") {
				name = "Alpha"
			}
			return 200, completion(name+" says so of question "+strconv.Itoa(int(drawn(1e9, prompt)))+".", "stop")
		}
		ids, sheet := sheetAsked(prompt)
		last := prompt[strings.LastIndex(prompt, " says so of question "):]
		lost := drawn(3, last)
		if strings.LastIndex(prompt, "Beta says") > strings.LastIndex(prompt, "Alpha says") {
			lost += 2
		}
		for _, id := range ids[:min(len(ids), int(lost))] {
			sheet = regexp.MustCompile(`"`+id+`":\d`).ReplaceAllString(sheet, `"`+id+`":0`)
		}
		return 200, completion(sheet, "stop")
	})
	config := papersConfig(t, "A-skipped", server.URL)
	out := t.TempDir()
	if code, _, stderr := compqa("run", "--config", config, "--out", out); code != exitDone {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	page := readFile(t, out, "report.md")
	if strings.Contains(page, "fewer than 90") {
		t.Error("report.md holds skipped questions against the systems")
	}
	if got := strings.Fields(rowsOf(t, out, `SELECT status, count(*) FROM verdicts WHERE status <> 'skipped' GROUP BY 1`)); !slices.Equal(got,
		[]string{"valid", "375"}) { // 72 answers and 3 repeats, by 5 judges
		t.Errorf("verdicts on answers that exist: %q, want 375 valid ones", got)
	}
	ranks := map[string]string{}
	for _, row := range csvTable(t, filepath.Join(out, "tables", "leaderboard.csv")) {
		if row["scenario"] == "all" && row["judge"] == "sharp" {
			ranks[row["system"]] = row["rank"]
		}
	}
	if ranks["alpha"] != "1" || ranks["beta"] != "2" {
		t.Errorf("ranks %v, want alpha first and beta second", ranks)
	}
	if !regexp.MustCompile(`\| 1 +\| alpha`).MatchString(page) || !regexp.MustCompile(`\| 2 +\| beta`).MatchString(page) {
		t.Errorf("report.md does not rank the systems:\n%s", page)
	}
}

// TestSoakEstimateOfForty has eleven methods on forty pairs (cases5/papers). Their prompts have the estimated size, within 25 %. Each
// method has a row in the table of accuracy against calls, including sc2 with all comparisons of tables.
func TestSoakEstimateOfForty(t *testing.T) {
	sharedtest.Soak(t)
	t.Parallel()
	server := newScriptedServer(t, func(prompt string, _ int) (int, string) { return 200, completion(chosenBySource(prompt, 0), "stop") })
	config := papersConfig(t, "C-estimate", server.URL)
	out := t.TempDir()
	code, stdout, stderr := compqa("estimate", "--only", "pairs", "--config", config, "--out", out)
	if code != exitDone {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	names := []string{"direct", "direct+aspects", "cot", "cot-1shot", "selfcon", "sc2", "sc2-exact", "sc2-random", "sc2-selfcon", "con-j", "con-j-8"}
	total := 0.0
	for _, name := range names {
		total += estimated(t, stdout, name+" (pairwise)")[2]
	}
	if code, _, stderr := compqa("run", "--only", "pairs", "--config", config, "--out", out); code != exitDone {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	asked := 0
	for _, body := range server.bodies {
		if form, sent := body["response_format"]; sent { // providers count the schema as part of the prompt
			text, err := json.Marshal(form)
			if err != nil {
				t.Fatal(err)
			}
			asked += len(text)
		}
		for _, m := range body["messages"].([]any) {
			asked += len(m.(map[string]any)["content"].(string))
		}
	}
	if share := total / (float64(asked) / 4); math.Abs(share-1) > 0.25 {
		t.Errorf("%.0f tokens are estimated, %d asked", total, asked/4)
	}
	page := readFile(t, out, "report.html")
	_, budgets, found := strings.Cut(page, ">Accuracy against calls<")
	for _, name := range names {
		if !found || !strings.Contains(budgets, ">"+name+"<") {
			t.Errorf("accuracy against calls has no row of %s", name)
		}
	}
}

// chosenBySource answers the prompts of pairwise judges: the answer that names a source is better. In noise of 100 choices it chooses the
// other answer.
func chosenBySource(prompt string, noise uint32) string {
	first, second, _ := strings.Cut(prompt[strings.LastIndex(prompt, "<answer-")-min(4000, strings.LastIndex(prompt, "<answer-")):], "</answer-")
	turned := drawn(100, prompt) < noise
	if (strings.Contains(first, "source") && !strings.Contains(second, "source")) != turned {
		return wellBehaved("RIGHT WRONG " + prompt)
	}
	return wellBehaved("WRONG RIGHT " + prompt)
}
