package bench

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"compqa/bench/cli"
	"compqa/data/sharedtest"
)

// TestSoakExamples: what the README says about the folder examples works.
func TestSoakExamples(t *testing.T) {
	sharedtest.Soak(t)
	t.Parallel()
	examples, err := filepath.Abs("../examples")
	if err != nil {
		t.Fatal(err)
	}
	readme, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, noPython := exec.LookPath("python3")
	for name, c := range map[string]struct {
		args, want string
		python     bool
	}{
		"questions": {"run --config E/questions/compqa.yaml --out OUT", "9 of 10 verdicts are valid", false},
		"questions/2": {"import --config E/questions/compqa.yaml " +
			"--answers E/questions/answers.csv --people E/questions/people-long.csv --out OUT", "3 human score sheets", false},
		"pairs":         {"run --only pairs --config E/pairs/compqa.yaml --out OUT --trust", "program", true},
		"strum":         {"strum --in E/strum/sources.csv --out OUT", "1 of 1 table", false},
		"command-judge": {"run --config E/command-judge/compqa.yaml --limit 2 --out OUT --trust", "8 of 8 verdicts are valid", true},
		"models":        {"estimate --config E/models/compqa.yaml", "gpt-6-sol", false},
		"reasoning":     {"estimate --config E/reasoning/compqa.yaml", "deepseek-r1", false},
	} {
		t.Run(name, func(t *testing.T) {
			if c.python && noPython != nil {
				sharedtest.Missing(t, "no python3")
			}
			folder, _, _ := strings.Cut(name, "/")
			if !strings.Contains(string(readme), "examples/"+folder) {
				t.Errorf("the README does not name examples/%s", folder)
			}
			var out bytes.Buffer
			args := strings.Fields(strings.NewReplacer("E/", examples+"/", "OUT", filepath.Join(t.TempDir(), "out")).Replace(c.args))
			if code := Main(context.Background(), args, cli.Streams{Out: &out, Err: &out}); code != 0 || !strings.Contains(out.String(), c.want) {
				t.Errorf("compqa %s: %d; want %q in\n%s", c.args, code, c.want, out.String())
			}
		})
	}
}
