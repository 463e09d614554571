package bench

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"compqa/data"
	"compqa/llm/ollamatest"
)

var numberedLine = regexp.MustCompile(`(?m)^(\d+)\. (.*)$`)

// claimsReply returns labels for the claims of a prompt. It labels the first claim as supported by argument 1, quoting its first three
// words, and the second as contradicted by an invented quote.
func claimsReply(prompt string) string {
	var messages []struct{ Content string }
	json.NewDecoder(strings.NewReader(prompt)).Decode(&messages)
	text := messages[1].Content
	_, arguments, _ := strings.Cut(text, "\n<arguments-")
	arguments, claims, _ := strings.Cut(arguments, "\n<claims-")
	words := strings.Fields(numberedLine.FindStringSubmatch(arguments)[2])
	reply := map[string]any{}
	for i, m := range numberedLine.FindAllStringSubmatch(claims, -1) {
		c := data.Claim{Label: data.Unsupported}
		switch i {
		case 0:
			c = data.Claim{Label: data.Supported, Argument: 1, Quote: strings.Join(words[:3], " ")}
		case 1:
			c = data.Claim{Label: data.Contradicted, Argument: 1, Quote: "a made-up quote"}
		}
		reply[m[1]] = c
	}
	list, _ := json.Marshal(reply)
	return string(list)
}

// TestClaimsFail: labels that fail are listed in failures.csv.
func TestClaimsFail(t *testing.T) {
	t.Parallel()
	server := newScriptedServer(t, func(string, int) (int, string) { return 400, `{"error": {"message": "no"}}` })
	args, out := claimsConfig(t, "4", fmt.Sprintf("{type: openai, base_url: %s/v1, backoff: 1ms, retries: 1}", server.URL))
	if code, _, stderr := compqa(args...); code != exitIncomplete {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	rows := csvTable(t, filepath.Join(out, "tables", "failures.csv"))
	if len(rows) != 1 || rows[0]["judge"] != "checker" || rows[0]["status"] != "failed" || !strings.HasPrefix(rows[0]["reason"], "claims: ") || rows[0]["count"] != "2" {
		t.Errorf("%v", rows)
	}
}

func claimsConfig(t *testing.T, scenarios, provider string) (args []string, out string) {
	t.Helper()
	dir := t.TempDir()
	cfg := filepath.Join(dir, "compqa.yaml")
	config := fmt.Sprintf(`
scenarios: [%s]
providers:
  live: %s
models: [{name: template, provider: baseline}]
judges: [{name: rules, provider: embedded}]
summary_judges: [{name: checker, provider: live, model: %s, claims: true, options: {max_tokens: 3000}, price: {input: 1, output: 1}}]
`, scenarios, provider, ollamatest.Model)
	if err := os.WriteFile(cfg, []byte(config), 0o644); err != nil {
		t.Fatal(err)
	}
	out = filepath.Join(dir, "out")
	return []string{"run", "--config", cfg, "--out", out, "--limit", "2"}, out
}

// TestClaims: a model labels the claims of every answer, whether or not the scenario shows arguments. If a quote is not in its argument,
// the model is asked once more, and then the claim counts as unsupported. No call is made twice, and verify reads the labels again.
func TestClaims(t *testing.T) {
	t.Parallel()
	server := newScriptedServer(t, func(prompt string, _ int) (int, string) {
		if !strings.Contains(prompt, "You check the claims of a text") {
			return 400, `{"error": {"message": "not a prompt about claims"}}`
		}
		return 200, completion(claimsReply(prompt), "stop")
	})
	args, out := claimsConfig(t, "1, 4", fmt.Sprintf("{type: openai, base_url: %s/v1, backoff: 1ms, retries: 1}", server.URL))
	estimate := append([]string{"estimate"}, args[1:]...)
	if code, stdout, stderr := compqa(estimate...); code != exitDone || estimated(t, stdout, "checker (summaries)")[1] != 4 {
		t.Errorf("exit %d: %s%s", code, stdout, stderr)
	}
	if code, _, stderr := compqa(args...); code != exitDone {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	asked := server.asked() // 4 answers, each with a repair
	if asked != 8 {
		t.Errorf("%d calls", asked)
	}
	if code, _, stderr := compqa(args...); code != exitDone || server.asked() != asked {
		t.Errorf("exit %d after %d calls, want %d: %s", code, server.asked(), asked, stderr)
	}
	if got := rowsOf(t, out, `SELECT count(*) || ' ' || status || ' ' || reason FROM labels WHERE judge = 'checker' GROUP BY status, reason`); strings.TrimSpace(got) != "4 valid the quote is not in its argument: claim 2" {
		t.Errorf("%s", got)
	}
	if rows := csvTable(t, filepath.Join(out, "tables", "failures.csv")); len(rows) != 0 {
		t.Errorf("failures.csv: %v", rows)
	}
	rows := csvTable(t, filepath.Join(out, "tables", "faithfulness.csv"))
	found := false
	for _, r := range rows {
		if r["judge"] == "checker" && r["scenario"] == "all" {
			found = true
			if r["answers"] != "4" || r["contradicted"] != "0" || r["supported"] == "0" {
				t.Errorf("%v", r)
			}
		}
	}
	if !found {
		t.Errorf("faithfulness.csv: %v", rows)
	}
	file := filepath.Join(t.TempDir(), "run.gz")
	if code, _, stderr := compqa("export", out, "--out", file); code != exitDone {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	if code, stdout, stderr := compqa("verify", "--verbose", file); code != exitDone || !strings.Contains(stdout, "4 answers, 4 verdicts and 8 labels have a task") {
		t.Errorf("exit %d: %s%s", code, stdout, stderr)
	}
	for _, query := range []string{`UPDATE results SET content = replace(content, '"supported"', '"contradicted"') WHERE kind = 'label' AND party = 'checker'`, `UPDATE results SET raw = raw || 'x' WHERE kind = 'label' AND party = 'checker'`, `DELETE FROM results WHERE kind = 'label' AND party = 'checker'`, `UPDATE results SET content = replace(content, '"supported"', '"contradicted"') WHERE kind = 'label' AND party = 'faithful'`} {
		files := unpacked(t, file)
		changeRecord(t, files, query)
		if code, _, stderr := compqa("verify", packed(t, files, true)); code != exitFailed || inTables.MatchString(stderr) {
			t.Errorf("%s: exit %d, %s", query, code, stderr)
		}
	}
}

// TestOllamaClaims: a model with random weights writes meaningless words, which a schema turns into labels. Quotes that it invents are
// detected.
func TestOllamaClaims(t *testing.T) {
	t.Parallel()
	server := ollamatest.Start(t)
	args, out := claimsConfig(t, "4", fmt.Sprintf("{type: ollama, base_url: %s, concurrency: 4, retries: 2, backoff: 200ms}", server.URL))
	args[len(args)-1] = "1" // one question, because a call takes many seconds
	if code, _, stderr := compqa(args...); code != exitDone && code != exitIncomplete {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	statuses := rowsOf(t, out, `SELECT count(*) || ' ' || status || ': ' || reason FROM labels WHERE judge = 'checker' GROUP BY status, reason`)
	t.Log(statuses)
	if rowsOf(t, out, `SELECT 1 FROM labels WHERE judge = 'checker' AND status = 'valid' AND labels LIKE '%"quote"%'`) != "" {
		t.Error("a word salad has the words of an argument")
	}
	file := filepath.Join(t.TempDir(), "run.gz")
	if code, _, stderr := compqa("export", out, "--out", file); code != exitDone {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	if code, stdout, stderr := compqa("verify", file); code != exitDone {
		t.Errorf("exit %d: %s%s", code, stdout, stderr)
	}
}
