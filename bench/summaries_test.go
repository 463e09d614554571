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
	"compqa/data/sharedtest"
)

// isLabelling reports whether a prompt is for a judge of summaries.
func isLabelling(prompt string) bool { return strings.Contains(prompt, "You check tables") }

var tableLine = regexp.MustCompile(`(?m)^(?:Row (\d+):.*|  object([12]):|    (\d+)\. .*)$`)

// labelReply returns a correct reply to the prompt of a judge of summaries, and the kind of labels. Every row helps, every attribute is
// different, only the first value is consistent, and quotes support only it.
func labelReply(prompt string) (kind, reply string) {
	var messages []struct{ Content string }
	json.NewDecoder(strings.NewReader(prompt)).Decode(&messages)
	text := messages[1].Content
	for k, words := range map[string]string{data.LabelRows: "does it help somebody", data.LabelPartition: "Which rows are about", data.LabelConsistent: "largest set of values", data.LabelSupport: "from its quotes alone"} {
		if strings.Contains(text, words) {
			kind = k
		}
	}
	var groups [][]int
	rows := map[string]any{}
	row := map[string]any{}
	object := ""
	for _, m := range tableLine.FindAllStringSubmatch(text[strings.LastIndex(text, "<table-"):], -1) {
		switch {
		case m[1] != "":
			groups = append(groups, []int{len(groups) + 1})
			row = map[string]any{}
			rows[m[1]] = row
			switch kind {
			case data.LabelRows:
				row["label"] = data.RowYes
				row["relevant"] = true
			case data.LabelConsistent:
				row["object1"] = []int{}
				row["object2"] = []int{}
			case data.LabelSupport:
				row["object1"] = map[string]any{}
				row["object2"] = map[string]any{}
			}
		case m[2] != "":
			object = "object" + m[2]
		case kind == data.LabelConsistent && m[3] == "1":
			row[object] = []int{1}
		case kind == data.LabelSupport:
			row[object].(map[string]any)[m[3]] = map[string]bool{"supported": m[3] == "1", "wrong_entity": false}
		}
	}
	var out any = rows
	if kind == data.LabelPartition {
		out = map[string]any{"groups": groups}
	}
	list, _ := json.Marshal(out)
	return kind, string(list)
}

// TestSoakSummaryJudges: a model labels each table once for each kind of labels, whatever the scenarios are. A faulty reply is repaired
// once and otherwise gives a status. No call is repeated, and verify labels the tables again.
func TestSoakSummaryJudges(t *testing.T) {
	sharedtest.Soak(t)
	t.Parallel()
	broken := true
	server := newScriptedServer(t, func(prompt string, _ int) (int, string) {
		kind, reply := labelReply(prompt)
		switch {
		case kind == data.LabelPartition && strings.Contains(prompt, "ASP"):
			return 200, completion(`{"groups": [[1], [1]]}`, "stop")
		case broken && kind == data.LabelSupport && strings.Contains(prompt, "ASP"):
			return 400, `{"error": {"message": "no"}}`
		}
		return 200, completion(reply, "stop")
	})
	dir := t.TempDir()
	cfg := filepath.Join(dir, "compqa.yaml")
	config := fmt.Sprintf(`
scenarios: [1, 4]
providers:
  scripted: {type: openai, base_url: %s/v1, backoff: 1ms, retries: 1}
models: [{name: strum, provider: baseline}, {name: template, provider: baseline}]
judges: [{name: rules, provider: embedded}]
summary_judges:
  - {name: rules, provider: embedded}
  - {name: labeller, provider: scripted, model: m, price: {input: 1, output: 1}, trained_on: made-up labels}
`, server.URL)
	if err := os.WriteFile(cfg, []byte(config), 0o644); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(dir, "out")
	code, stdout, stderr := compqa("estimate", "--config", cfg, "--out", out, "--limit", "3")
	if code != exitDone || !regexp.MustCompile(`labeller \(summaries\).* 24 `).MatchString(stdout) {
		t.Errorf("exit %d: %s%s", code, stdout, stderr)
	}
	args := []string{"run", "--config", cfg, "--out", out, "--limit", "3"}
	if code, _, stderr := compqa(args...); code != exitIncomplete {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	// 3 tables · 4 kinds, and a repair. Both scenarios have the same tables, so the failing call may be made twice.
	asked := server.asked()
	if asked != 13 && asked != 14 {
		t.Errorf("%d calls", asked)
	}
	if code, _, _ := compqa(args...); code != exitIncomplete || server.asked() != asked {
		t.Errorf("exit %d after %d calls: they are repeated", code, server.asked())
	}
	if got := rowsOf(t, out, `SELECT group_concat(kind || ' ' || status || ' ' || n, ', ') FROM (SELECT kind, status, count(*) AS n FROM labels WHERE judge = 'labeller' GROUP BY 1, 2 ORDER BY 1, 2)`); strings.TrimSpace(got) != "consistent valid 6, partition unparsed 2, partition valid 4, rows valid 6, support failed 2, support valid 4" {
		t.Errorf("%s", got)
	}
	if failures, _ := os.ReadFile(filepath.Join(out, "tables", "failures.csv")); !strings.Contains(string(failures), "label,labeller,strum,1,unparsed,partition: partition: row 1 is there twice,1") {
		t.Errorf("%s", failures)
	}
	figures := func() map[string]string {
		values := map[string]string{}
		content, err := os.ReadFile(filepath.Join(out, "tables", "summaries.csv"))
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(content)) {
			cells := strings.Split(line, ",")
			values[cells[2]+" "+cells[1]] = strings.Join(cells[3:6], " ")
		}
		return values
	}
	got := figures()
	for what, want := range map[string]string{"labeller chs": "6 6 1", "labeller redundancy": "6 4 0", "labeller p_at_5": "6 6 1"} {
		if got[what] != want {
			t.Errorf("%s: %s, want %s", what, got[what], want)
		}
	}
	broken = false // an invalid reply stays on record, a failed call is repeated
	code, _, stderr = compqa(append(args, "--retry-failed")...)
	if got := rowsOf(t, out, `SELECT group_concat(status || ' ' || n) FROM (SELECT status, count(*) AS n FROM labels WHERE judge = 'labeller' GROUP BY 1 ORDER BY 1)`); code != exitIncomplete || strings.TrimSpace(got) != "unparsed 2,valid 22" {
		t.Errorf("exit %d: %s, %s", code, stderr, got)
	}
	if agreement, _ := os.ReadFile(filepath.Join(out, "tables", "summary_agreement.csv")); !strings.Contains(string(agreement), "labeller,rules,judge,merged,") || !strings.Contains(string(agreement), "made-up labels") {
		t.Errorf("%s", agreement)
	}
	if costs, _ := os.ReadFile(filepath.Join(out, "tables", "costs.csv")); !strings.Contains(string(costs), "label,labeller,scripted,m,") {
		t.Errorf("%s", costs)
	}
	file := filepath.Join(dir, "run.gz")
	if code, _, stderr := compqa("export", out, "--out", file); code != exitDone {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	if code, stdout, stderr := compqa("verify", "--verbose", file); code != exitDone || !strings.Contains(stdout, "12 answers, 12 verdicts and 54 labels have a task") {
		t.Errorf("exit %d: %s%s", code, stdout, stderr)
	}
	for what, query := range map[string]string{
		"a label":          `UPDATE results SET content = replace(content, 'YES', 'OK') WHERE kind = 'label' AND party = 'labeller' AND variant = 'rows'`,
		"a label of rules": `UPDATE results SET content = replace(content, '[1', '[2') WHERE kind = 'label' AND party = 'rules' AND variant = 'partition'`,
		"a reply":          `UPDATE results SET raw = raw || ' ' WHERE kind = 'label' AND party = 'labeller'`,
		"labels":           `DELETE FROM results WHERE kind = 'label' AND party = 'labeller' AND variant = 'support' AND subject LIKE 'strum/1/%'`,
		"a call":           `UPDATE calls SET reply = replace(reply, 'YES', 'OK')`,
		"a judge":          `UPDATE run SET config = replace(config, 'labeller', 'labellor')`,
		"a plan":           `UPDATE plan SET planned = planned + 1 WHERE kind = 'rows'`,
	} {
		files := unpacked(t, file)
		changeRecord(t, files, query)
		if code, stdout, stderr := compqa("verify", packed(t, files, true)); code != exitFailed ||
			inTables.MatchString(stderr) && !strings.Contains(stdout, "  missing ") {
			t.Errorf("%s is changed: exit %d, %s", what, code, stderr)
		}
	}
}

// TestSummaryJudgesInBatches: all labels come from batches, and a budget stops further calls.
func TestSummaryJudgesInBatches(t *testing.T) {
	t.Parallel()
	server := newBatchServer(t, func(prompt string, _ bool) (int, string) {
		_, reply := labelReply(prompt)
		return 200, completion(reply, "stop")
	})
	cfg := filepath.Join(t.TempDir(), "compqa.yaml")
	out := t.TempDir()
	text := fmt.Sprintf(`
scenarios: [1]
providers:
  scripted: {type: openai, base_url: %s/v1, backoff: 1ms, batch_poll: 2ms}
models: [{name: strum, provider: baseline}]
judges: [{name: rules, provider: embedded}]
summary_judges: [{name: labeller, provider: scripted, model: m, batch: true, price: {input: 1, output: 1}}]
`, server.URL)
	if err := os.WriteFile(cfg, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	if code, _, stderr := compqa("run", "--config", cfg, "--out", out, "--limit", "3"); code != exitDone || server.single.Load() != 0 {
		t.Fatalf("exit %d, %d single calls: %s", code, server.single.Load(), stderr)
	}
	if got := strings.TrimSpace(rowsOf(t, out, `SELECT count(*) || ' ' || (SELECT count(*) FROM attempts WHERE batch <> '' AND kind = 'label') FROM labels WHERE judge = 'labeller' AND status = 'valid'`)); got != "12 12" {
		t.Errorf("%s", got)
	}
	spent := strings.Replace(text, "batch: true, ", "", 1) + "run: {budget: 0.0000001}\n"
	if err := os.WriteFile(cfg, []byte(spent), 0o644); err != nil {
		t.Fatal(err)
	}
	out = t.TempDir()
	if code, _, stderr := compqa("run", "--config", cfg, "--out", out, "--limit", "3"); code != exitIncomplete || !strings.Contains(stderr, "budget") || server.single.Load() != 0 {
		t.Errorf("exit %d, %d single calls: %s", code, server.single.Load(), stderr)
	}
	if failures, _ := os.ReadFile(filepath.Join(out, "tables", "failures.csv")); !strings.Contains(string(failures), "label,labeller,strum,1,pending,rows,3") {
		t.Errorf("%s", failures)
	}
}
