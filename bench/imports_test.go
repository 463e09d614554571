package bench

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// allowed says what each package may import of the project: the pipeline runs
// one way.
var allowed = map[string][]string{
	"compqa":           {"compqa/bench"},
	"compqa/data":      {},
	"compqa/rubric":    {},
	"compqa/llm":       {},
	"compqa/stats":     {},
	"compqa/scenarios": {"compqa/data", "compqa/llm"},
	"compqa/judges":    {"compqa/data", "compqa/llm", "compqa/rubric", "compqa/stats", "compqa/judges/regress"},
	"compqa/results":   {"compqa/data", "compqa/llm", "compqa/rubric", "compqa/stats"},
	"compqa/bench":     {"compqa/data", "compqa/llm", "compqa/rubric", "compqa/stats", "compqa/scenarios", "compqa/judges", "compqa/judges/pairwise", "compqa/judges/regress", "compqa/results"},

	"compqa/judges/regress":  {"compqa/stats"},
	"compqa/judges/pairwise": {"compqa/data", "compqa/llm", "compqa/rubric", "compqa/stats", "compqa/judges"},
}

// testOnly are packages that only tests import.
var testOnly = map[string][]string{"compqa/llm/ollamatest": {"compqa/llm"}, "compqa/llm/batchtest": {}}

func TestImportsRunOneWay(t *testing.T) {
	out, err := exec.Command("go", "list", "-f", `{{.ImportPath}} {{join .Imports " "}}`, "compqa/...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	seen := 0
	for line := range strings.Lines(string(out)) {
		fields := strings.Fields(line)
		may, known := allowed[fields[0]]
		if !known {
			may, known = testOnly[fields[0]]
		}
		if !known {
			t.Errorf("%s has no place in the plan of the project", fields[0])
			continue
		}
		seen++
		for _, imported := range fields[1:] {
			_, forTests := testOnly[imported]
			if strings.HasPrefix(imported, "compqa") && (forTests || !slices.Contains(may, imported)) {
				t.Errorf("%s imports %s", fields[0], imported)
			}
		}
	}
	if seen < len(allowed) {
		t.Errorf("only %d packages were looked at, want at least %d", seen, len(allowed))
	}
}
