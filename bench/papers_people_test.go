package bench

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestPeopleAddedAndSharedCalls: two entries with the same prompts share calls, and each has the cost that its verdicts need. People are
// added to a finished run by a sheet that names nobody. This causes no calls, and the people have the name of their entry.
func TestPeopleAddedAndSharedCalls(t *testing.T) {
	t.Parallel()
	server := wellServer(t)
	dir := t.TempDir()
	out := t.TempDir()
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	var questions strings.Builder
	for i := range 8 {
		fmt.Fprintf(&questions, `{"object1": "tool %c", "object2": "tool %c", "arguments": []}`+"\n", 'a'+2*i, 'b'+2*i)
	}
	write("questions.jsonl", questions.String())
	config := func(people string) string {
		return fmt.Sprintf(`
dataset: questions.jsonl
scenarios: [1, 3]
providers: {scripted: {type: openai, base_url: %s/v1, api_key_env: COMPQA_TEST_KEY}}
models: [{name: contestant, provider: scripted, model: m, price: {input: 1, output: 1}}]
judges:
  - {name: plain, provider: scripted, model: m, price: {input: 1, output: 1}}
  - {name: same, provider: scripted, model: m, examples: 2, price: {input: 1, output: 1}}
%s`, server.URL, people)
	}
	write("compqa.yaml", config(""))
	args := []string{"run", "--config", filepath.Join(dir, "compqa.yaml"), "--out", out}
	if code, _, stderr := compqa(args...); code != exitDone {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	costs := map[string]string{}
	for _, row := range csvTable(t, filepath.Join(out, "tables", "costs.csv")) {
		costs[row["name"]] = row["cost_per_1000"]
	}
	if costs["plain"] == "" || costs["plain"] != costs["same"] {
		t.Errorf("the same verdicts cost %q and %q", costs["plain"], costs["same"])
	}
	var sheet strings.Builder
	sheet.WriteString("id,c1,c2,c3,c4,c5,c6,c7,c8,c9,c10,c11,c12,c13,c14,c15\n")
	for id := range strings.FieldsSeq(strings.ReplaceAll(rowsOf(t, out, `SELECT replace(id, ' ', '_') FROM answers WHERE status = 'valid'`), "\n", " ")) {
		sheet.WriteString(strings.ReplaceAll(id, "_", " ") + strings.Repeat(",1", 15) + "\n")
	}
	write("sheet.csv", sheet.String())
	write("compqa.yaml", config(`  - {name: "human:anna", provider: file, path: sheet.csv, people: true}`))
	before := server.asked()
	if code, _, stderr := compqa(args...); code != exitDone || server.asked() != before {
		t.Fatalf("exit %d, %d calls: %s", code, server.asked()-before, stderr)
	}
	names := rowsOf(t, out, `SELECT DISTINCT judge FROM verdicts WHERE judge LIKE 'human:%'`)
	if strings.TrimSpace(names) != "human:anna" {
		t.Errorf("the sheet is of %q", names)
	}
}
