package bench

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"compqa/data"
	"compqa/data/sharedtest"
	"compqa/llm/ollamatest"
)

// tableKinds maps words of a template of the method strum to the kind of its prompt.
var tableKinds = []struct{ kind, words string }{
	{"extract", "find everything that some texts say"},
	{"improve values", "Take them from the texts again"},
	{"criticise values", "Statements were taken from some texts"},
	{"attributes", "Put names that mean the same attribute"},
	{"values", "Put statements that say the same"},
	{"contrast", "Say for each row what it is worth"},
	{"useful", "Decide for each row whether it helps"},
	{"improve rows", "Write better rows in place of these"},
	{"criticise rows", "Check them for one kind of fault"},
}

// tableReply answers the prompts of the method strum about trams and buses.
func tableReply(prompt string) (kind, reply string) {
	for _, k := range tableKinds {
		if strings.Contains(prompt, k.words) {
			kind = k.kind
			break
		}
	}
	switch kind {
	case "extract":
		if strings.Contains(prompt, "about this object: tram") {
			return kind, `{"values": [{"attribute": "track", "value": "runs on rails", "quote": "A tram runs on rails", "source": 1}, {"attribute": "price", "value": "is free", "quote": "Trams are free", "source": 1}]}`
		}
		return kind, `{"values": [{"attribute": "way", "value": "runs on a road", "quote": "A bus runs on a road", "source": 2}]}`
	case "attributes":
		return kind, `{"groups": [{"center": 1, "members": [1, 2]}]}`
	case "contrast":
		return kind, `{"rows": [{"row": 1, "kind": "contrast", "level": 3}]}`
	case "useful":
		return kind, `{"rows": [{"row": 1, "useful": true}]}`
	case "criticise values", "criticise rows":
		return kind, `{"faults": []}`
	}
	return kind, "?"
}

// tableFiles writes a configuration with two systems of the method strum, and returns its path.
func tableFiles(t *testing.T, url, more string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"questions.jsonl": `{"object1": "tram", "object2": "bus", "aspect": "noise", "arguments": [{"text": "A tram runs on rails.", "favours": "object1"}, {"text": "A bus runs on a road.", "favours": "object2"}]}
{"object1": "kite", "object2": "drone", "arguments": []}
`,
		"compqa.yaml": fmt.Sprintf(`
dataset: questions.jsonl
scenarios: [1, 4]
providers:
  small: {type: openai, base_url: %[1]s/v1, backoff: 1ms, retries: 1}
  large: {type: openai, base_url: %[1]s/v1, backoff: 1ms, retries: 1}
models:
  - {name: tables, provider: small, model: m, method: strum, roles: {contrast: {provider: large, model: l}}%[2]s, price: {input: 1, output: 1}}
  - {name: choices, provider: small, model: m, method: strum+choice, roles: {contrast: {provider: large, model: l}}%[2]s, price: {input: 1, output: 1}}
judges: [{name: rules, provider: embedded}]
`, url, more)} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return filepath.Join(dir, "compqa.yaml")
}

// TestSoakTablesOfModels: the stages are called in order, once for all scenarios and systems. Answers are rendered from recorded tables,
// which verify derives again from the calls.
func TestSoakTablesOfModels(t *testing.T) {
	sharedtest.Soak(t)
	t.Parallel()
	log := kindLog{}
	server := newScriptedServer(t, func(prompt string, _ int) (int, string) {
		kind, reply := tableReply(prompt)
		log.add(kind)
		return 200, completion(reply, "stop")
	})
	cfg := tableFiles(t, server.URL, "")
	dir := t.TempDir()
	code, stdout, stderr := compqa("estimate", "--config", cfg, "--out", dir)
	// 2 tiles · (1 + 3 critiques) + 1 + 2 · 6 + 1 + 5 critiques + 1; the other system makes the same calls.
	if calls := estimated(t, stdout, "tables")[1]; code != exitDone || calls != 28 {
		t.Errorf("exit %d, %v calls: %s%s", code, calls, stdout, stderr)
	}
	if code, _, stderr := compqa("run", "--config", cfg, "--out", dir); code != exitDone {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	if asked := server.asked(); asked != 16 {
		t.Errorf("%d calls: %s", asked, log.take())
	}
	log.take()
	if code, _, stderr := compqa("run", "--config", cfg, "--out", dir); code != exitDone || log.take() != "" {
		t.Errorf("exit %d: calls are repeated: %s", code, stderr)
	}
	text := rowsOf(t, dir, `SELECT text FROM answers WHERE id = 'choices/4/bus | tram/1'`) // one row makes no choice
	if !strings.Contains(text, "- **Track**: tram – runs on rails [1]. bus – runs on a road [2].") || strings.Contains(text, "Best option") || strings.Contains(text, "free") {
		t.Errorf("%s", text)
	}
	if got := rowsOf(t, dir, `SELECT group_concat(status || ' ' || (summary <> ''), ', ' ORDER BY id) FROM answers WHERE system = 'tables'`); strings.TrimSpace(got) != "valid 1, skipped 0, valid 1, skipped 0" {
		t.Errorf("%s", got)
	}
	if dropped := rowsOf(t, dir, `SELECT json_extract(summary, '$.dropped[0].reason') FROM answers WHERE summary <> '' LIMIT 1`); strings.TrimSpace(dropped) != "unattributed" {
		t.Errorf("%s", dropped)
	}
	file := filepath.Join(t.TempDir(), "run.gz")
	if code, _, stderr := compqa("export", dir, "--out", file); code != exitDone {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	if code, stdout, stderr := compqa("verify", "--verbose", file); code != exitDone || !strings.Contains(stdout, "8 answers, 8 verdicts and 4 labels have a task") {
		t.Errorf("exit %d: %s%s", code, stdout, stderr)
	}
	for what, query := range map[string]string{
		"a value": `UPDATE answers SET summary = replace(summary, 'runs on rails', 'runs on air')`,
		"a quote": `UPDATE answers SET summary = replace(summary, '"end":20', '"end":19')`,
		"a table": `UPDATE answers SET summary = '' WHERE id LIKE 'tables/1/%'`,
		"a reply": `UPDATE calls SET reply = replace(reply, '"level": 3', '"level": 2, "x": 1')`,
	} {
		files := unpacked(t, file)
		changeRecord(t, files, query)
		code, _, stderr := compqa("verify", packed(t, files, true))
		if what == "a reply" && code == exitDone {
			continue // the level of a single row does not affect the table
		}
		if code != exitFailed || inTables.MatchString(stderr) {
			t.Errorf("%s: exit %d, %s", what, code, stderr)
		}
	}
}

// TestTablesThatFail: if a stage has no usable reply, the table is missing, and the answer has a status. --retry-failed repeats refused
// calls.
func TestTablesThatFail(t *testing.T) {
	t.Parallel()
	refuse := true
	server := newScriptedServer(t, func(prompt string, _ int) (int, string) {
		kind, reply := tableReply(prompt)
		switch {
		case kind == "useful" && refuse:
			return 200, completion("No.", "content_filter")
		case kind == "criticise rows":
			t.Error("critiques are switched off")
		}
		return 200, completion(reply, "stop")
	})
	cfg := tableFiles(t, server.URL, ", rounds: 1, critiques: [entity]")
	dir := t.TempDir()
	status := func() string {
		return strings.TrimSpace(rowsOf(t, dir, `SELECT status || ': ' || reason || ' ' || (SELECT count(*) FROM answers WHERE summary <> '') FROM answers WHERE id = 'tables/1/bus | tram/1'`))
	}
	if code, _, stderr := compqa("run", "--config", cfg, "--out", dir); code != exitIncomplete || !strings.HasPrefix(status(), string(data.Refused)+": usefulness: ") || !strings.HasSuffix(status(), " 0") {
		t.Errorf("exit %d: %s%s", code, stderr, status())
	}
	file := filepath.Join(t.TempDir(), "run.gz")
	if code, _, stderr := compqa("export", dir, "--out", file); code != exitDone {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	if code, stdout, stderr := compqa("verify", file); code != exitDone {
		t.Errorf("exit %d: %s%s", code, stdout, stderr)
	}
	refuse = false
	before := server.asked()
	if code, _, stderr := compqa("run", "--config", cfg, "--out", dir, "--retry-failed"); code != exitDone || status() != "valid:  4" || server.asked() != before+1 {
		t.Errorf("exit %d: %s%s, %d calls", code, stderr, status(), server.asked()-before)
	}
}

// TestStrumCommand: a model makes tables from a file of sources. The calls are recorded, and none is repeated.
func TestStrumCommand(t *testing.T) {
	t.Parallel()
	fail := true
	server := newScriptedServer(t, func(prompt string, _ int) (int, string) {
		kind, reply := tableReply(prompt)
		if kind == "useful" && fail {
			return 400, `{"error": {"message": "no"}}`
		}
		return 200, completion(reply, "stop")
	})
	cfg := tableFiles(t, server.URL, "")
	dir := t.TempDir()
	in := filepath.Join(dir, "sources.jsonl")
	text := `{"id": "x", "entity": "object1", "text": "A tram runs on rails.", "object1": "tram", "object2": "bus"}
{"id": "y", "entity": "object2", "text": "A bus runs on a road.", "object1": "tram", "object2": "bus"}
`
	if err := os.WriteFile(in, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	args := []string{"strum", "--in", in, "--out", filepath.Join(dir, "out"), "--config", cfg, "--model", "tables"}
	code, stdout, stderr := compqa(args...)
	if code != exitIncomplete || !strings.Contains(stderr, "tram or bus: failed: usefulness: ") || !strings.Contains(stderr, "tram or bus: 2 of 2 parts of the sources read") || !strings.Contains(stdout, "0 of 1 table:") {
		t.Errorf("exit %d: %s%s", code, stdout, stderr)
	}
	fail = false
	before := server.asked()
	if code, _, stderr := compqa(args...); code != exitDone || server.asked() != before+1 {
		t.Errorf("exit %d, %d calls: %s", code, server.asked()-before, stderr)
	}
	page, err := os.ReadFile(filepath.Join(dir, "out", "strum.html"))
	if err != nil || !strings.Contains(string(page), "runs on rails [1]") {
		t.Errorf("%v: %s", err, page)
	}
}

// TestTablesConfiguration: a mistake in an entry is reported with its line.
func TestTablesConfiguration(t *testing.T) {
	t.Parallel()
	for more, want := range map[string]string{
		", critiques: [contexts]":      `there is no critique "contexts"`,
		", rounds: -1":                 "rounds is -1",
		", roles: {judge: {model: x}}": "roles",
		", sources: none.jsonl":        "none.jsonl",
		", methods: strum":             "methods",
	} {
		if code, _, stderr := compqa("estimate", "--config", tableFiles(t, "http://127.0.0.1:1", more)); code != exitUsage || !strings.Contains(stderr, want) {
			t.Errorf("%s: exit %d, %s", more, code, stderr)
		}
	}
}

// TestOllamaTables: a real server accepts the schemas of the method strum. The model is random, so tables are rare. Every reply gets a
// status, and verify derives it again.
func TestOllamaTables(t *testing.T) {
	t.Parallel()
	server := ollamatest.Start(t)
	cfg := filepath.Join(t.TempDir(), "compqa.yaml")
	text := fmt.Sprintf(`
scenarios: [1]
providers: {server: {type: ollama, base_url: %s}}
models: [{name: tables, provider: server, model: %s, method: strum, choices: 3, options: {temperature: 1, num_predict: 400}}]
judges: [{name: rules, provider: embedded}]
run: {repair: 2}
`, server.URL, ollamatest.Model)
	if err := os.WriteFile(cfg, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if code, _, stderr := compqa("run", "--config", cfg, "--out", dir, "--limit", "2"); code != exitDone && code != exitIncomplete {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	t.Log(rowsOf(t, dir, `SELECT status, substr(reason, 1, 120), json_array_length(calls) FROM answers ORDER BY id`))
	if n := rowsOf(t, dir, `SELECT count(*) FROM answers WHERE status IN ('valid', 'unparsed', 'truncated', 'empty')`); strings.TrimSpace(n) != "6" {
		t.Errorf("%s of 6 answers have a status that a random model gives", n)
	}
	file := filepath.Join(t.TempDir(), "run.gz")
	if code, _, stderr := compqa("export", dir, "--out", file); code != exitDone {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	if code, stdout, stderr := compqa("verify", "--verbose", file); code != exitDone || !strings.Contains(stdout, "by tasks     6 answers") {
		t.Errorf("exit %d: %s%s", code, stdout, stderr)
	}
}

// TestEmptyTables: if all values of an answer are dropped because their quotes are not in the sources, the answer is empty, not a valid
// answer without text. It is listed and verified.
func TestEmptyTables(t *testing.T) {
	t.Parallel()
	server := newScriptedServer(t, func(prompt string, _ int) (int, string) {
		return 200, completion(`{"values": [{"attribute": "speed", "value": "fast", "quote": "it flies through the air", "source": 1}]}`, "stop")
	})
	cfg := tableFiles(t, server.URL, ", rounds: 0")
	dir := t.TempDir()
	if code, _, stderr := compqa("run", "--config", cfg, "--out", dir); code != exitIncomplete {
		t.Errorf("exit %d: %s", code, stderr)
	}
	got := strings.TrimSpace(rowsOf(t, dir, `SELECT group_concat(DISTINCT status || ': ' || reason || length(text)) FROM answers WHERE system = 'tables' AND status <> 'skipped'`))
	if want := "empty: the table has no rows: all values were dropped (2 unattributed)0"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	listed, err := os.ReadFile(filepath.Join(dir, "tables", "failures.csv"))
	if err != nil || !strings.Contains(string(listed), "answer,-,tables,1,empty,the table has no rows") {
		t.Errorf("%v: %s", err, listed)
	}
	file := filepath.Join(t.TempDir(), "run.gz")
	if code, _, stderr := compqa("export", dir, "--out", file); code != exitDone {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	if code, stdout, stderr := compqa("verify", file); code != exitDone {
		t.Errorf("exit %d: %s%s", code, stdout, stderr)
	}
}
