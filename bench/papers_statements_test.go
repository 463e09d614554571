package bench

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"compqa/data/sharedtest"
)

// tableOfTables is the configuration with which docs/howto-paper.md judges tables by rules.
const tableOfTables = `scenarios: [1]
models: [{name: strum, provider: baseline}]
judges: [{name: rules, provider: embedded}]
summary_judges: [{name: rules, provider: embedded}]
`

// paperCommands runs the commands of docs/howto-paper.md for the papers on SC2, Con-J and STRUM-LLM. The result maps the letter of each
// command to what it prints and writes, with white space folded.
func paperCommands(t *testing.T) map[string]string {
	t.Helper()
	dir := t.TempDir()
	outputs := map[string]string{}
	must := func(letter string, args ...string) {
		t.Helper()
		out := filepath.Join(dir, letter+args[0])
		code, stdout, stderr := compqa(append(args, "--out", out)...)
		if code != exitDone {
			t.Fatalf("%v: exit %d: %s", args, code, stderr)
		}
		outputs[letter] += " " + stdout
		for _, pattern := range []string{"*.csv", "tables/*.csv"} {
			files, err := filepath.Glob(filepath.Join(out, pattern))
			if err != nil {
				t.Fatal(err)
			}
			for _, file := range files {
				outputs[letter] += " " + readFile(t, filepath.Dir(file), filepath.Base(file))
			}
		}
	}
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	must("L", "pairwise", "report", "--llmbar", sharedtest.Path(t, "data", "llmbar"))
	must("T", "strum", "--cocotrip", sharedtest.Path(t, "data", "cocotrip"))
	must("O", "run", "--config", write("tables.yaml", tableOfTables))
	pairs := filepath.ToSlash(filepath.Join(sharedtest.Path(t, "cases5", "papers", "C-estimate"), "pairs.jsonl"))
	for _, selection := range []string{"tournament", "exact", "random"} {
		must("E", "estimate", "--only", "pairs", "--config", write(selection+".yaml", `
providers: {lab: {type: openai, base_url: "http://127.0.0.1:9/v1"}}
models: [{name: reference, provider: baseline}]
judges: [{name: rules, provider: embedded}]
pairs: [{name: mine, path: `+pairs+`}]
pairwise: [{name: `+selection+`, method: sc2, selection: `+selection+`, provider: lab, model: m}]
`))
	}
	for letter := range outputs {
		outputs[letter] = strings.Join(strings.Fields(outputs[letter]), " ")
	}
	return outputs
}

// TestSoakStatementsOfPapers: each sentence and row that docs/howto-paper.md quotes for a statement of the papers on SC2, Con-J and
// STRUM-LLM is in the output of its command.
func TestSoakStatementsOfPapers(t *testing.T) {
	sharedtest.Soak(t)
	t.Parallel()
	guide := readFile(t, filepath.Join(sharedtest.ModuleRoot(t), "docs"), "howto-paper.md")
	if config := "    " + strings.ReplaceAll(strings.TrimSpace(tableOfTables), "\n", "\n    "); !strings.Contains(guide, config) {
		t.Errorf("docs/howto-paper.md does not have the configuration\n%s", config)
	}
	outputs := paperCommands(t)
	quoted := 0
	reference := regexp.MustCompile(`\b([LETO])(?:,|:) `)
	_, papers, _ := strings.Cut(guide, "## The other three papers")
	for line := range strings.Lines(papers) {
		if !strings.HasPrefix(line, "| ") {
			continue
		}
		_, answer, _ := strings.Cut(line[2:], " | ")
		marks := reference.FindAllStringSubmatchIndex(answer, -1)
		for i, m := range marks {
			end := len(answer)
			if i+1 < len(marks) {
				end = marks[i+1][0]
			}
			letter := answer[m[2]:m[3]]
			for _, quote := range regexp.MustCompile(`“(.*?)”`).FindAllStringSubmatch(answer[m[1]:end], -1) {
				quoted++
				if !strings.Contains(outputs[letter], quote[1]) {
					t.Errorf("%s does not say %q", letter, quote[1])
				}
			}
		}
	}
	if quoted < 15 {
		t.Errorf("%d quotations are checked", quoted)
	}
}
