package bench

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"compqa/data/sharedtest"
	"compqa/docs"
	"compqa/rubric"
)

// A readmeCommand is a command of README.md with what must be done before it and what it must print.
type readmeCommand struct {
	command string
	before  string // a shell script to run before the command
	prints  string // a regular expression that the output must match
}

// typed are the commands of README.md in the order in which the test runs them.
var typed = []readmeCommand{
	{command: "make compqa"},
	{command: "make install", before: "export GOBIN=$PWD/installed"},
	{command: "make bench", prints: "Report: results/runs/latest/report.html"},
	{command: "less results/runs/latest/report.md", before: "less() { cat \"$@\"; }", prints: "## Can the judges stand in for people"},
	{command: `./compqa show "template/1/asp | php/1"`, prints: "surface +rules +constant"},
	{command: "compqa init && compqa run", before: "mkdir fresh && cd fresh", prints: "reference"},
	{command: "compqa show ID", before: "ID='template/3/baseball | softball/1'; compqa() { command compqa show \"$ID\"; }", prints: "softball"},
	{command: "compqa models", prints: "provider: "},
	{command: "compqa doctor", prints: "valid: 50 questions"},
	{command: "compqa models", prints: "uses no model"},
	{command: "compqa estimate", prints: "costs nothing"},
	{command: "compqa docs", prints: "configuration"},
	{command: "compqa --help", prints: "Pairs and tables"},
	{command: "compqa completion --help", prints: "bash"},
	{command: "compqa pairwise --help", prints: "con-j"},
	{command: "compqa init", before: "mkdir elsewhere && cd elsewhere", prints: "compqa.yaml"},
	{command: "compqa run --limit 2", before: "mkdir -p trial && cp compqa.yaml trial && cd trial", prints: "Report: "},
	{command: "compqa run --budget 5", before: "cd trial", prints: "Report: "},
	{command: "compqa validate --demo", prints: "60 of 60 items"},
	{command: "compqa run --only pairs", before: "cd trial", prints: "surface-pair"},
	{command: "compqa report", before: "compqa() { command compqa report results/runs/latest; }", prints: "Report: "},
	{command: "compqa report DIR --reparse", before: "ln -s results/runs/latest DIR", prints: "parsed again"},
	{command: "compqa export results/runs/latest --out run.gz", prints: "run.gz"},
	{command: "compqa verify run.gz", prints: "run.gz: verified"},
	{command: "compqa judge score --judge rules --in answers.jsonl --out verdicts.jsonl --explain", prints: "criterion|tram"},
	{command: "compqa agree --units ratings.csv --out agreement.csv", before: `printf 'unit,rater,criterion,value\n1,a,x,1\n1,b,x,2\n2,a,x,3\n2,b,x,3\n' > ratings.csv`},
	{command: "compqa compare run run --system mine --with template", before: "compqa run --config own.yaml --out run", prints: "mine"},
	{command: "compqa compare before after", before: "cp -r run before; cp -r run after", prints: "template"},
	{command: "compqa serve --write public", before: "mkdir -p pages/results/runs && cp -r run pages/results/runs/latest && cd pages", prints: "Left out"},
	{command: "compqa show --system mine --question python", before: "sed -i s/tram/python/ questions.jsonl answers.jsonl; compqa run --config own.yaml --out w/results/runs/latest; cd w", prints: "python"},
}

// withRelease are the commands that need the authors' release, under the folder name that the README uses.
var withRelease = []readmeCommand{
	{command: "make bench RELEASE=dir", before: "rm -rf results/runs", prints: `Better than\s+guessing`},
	{command: "compqa show --disagree", prints: "people +difference"},
}

// untyped maps each command that the test does not run to the reason.
var untyped = map[string]string{
	"make test":           "it runs the tests",
	"make bench-run":      "it measures for a minute",
	"make bench-scale":    "it measures for minutes",
	"make bench-records":  "it measures for minutes",
	"make bench-fleet":    "it measures for minutes",
	"make bench-web":      "it measures for minutes",
	"./compqa serve":      "it serves until Ctrl-C; TestServe does",
	"compqa serve":        "it serves until Ctrl-C; TestServe does",
	"compqa run --serve":  "it serves until Ctrl-C; TestSoakRunServe does",
	"make data":           "it needs a network; TestFetchRelease fetches from a local repository",
	"make data reproduce": "it needs a network; results/paper tests the tables",
	"compqa pairwise report --llmbar DIR --out DIR": "TestPairwiseLLMBar does",
}

// TestSoakReadmeFromAFreshClone runs the commands of the README in a fresh copy of the sources. A command that is in none of the lists
// above must at least accept --help.
func TestSoakReadmeFromAFreshClone(t *testing.T) {
	sharedtest.Soak(t)
	root := sharedtest.ModuleRoot(t)
	readme, err := os.ReadFile(filepath.Join(root, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	manual := string(readme)
	for _, topic := range docs.Topics() {
		manual += page(t, topic)
	}
	clone := t.TempDir()
	shell := func(script string) (string, int) {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
		defer cancel()
		cmd := exec.CommandContext(ctx, "bash", "-c", script)
		cmd.Dir = clone
		cmd.Env = append(os.Environ(), "PATH="+clone+":"+os.Getenv("PATH"), "GIT_ALLOW_PROTOCOL=none", "OPENAI_API_KEY=")
		text, err := cmd.CombinedOutput()
		if err != nil && cmd.ProcessState == nil {
			t.Fatal(err)
		}
		return string(text), cmd.ProcessState.ExitCode()
	}
	if text, code := shell(fmt.Sprintf("git -C %q ls-files -zco --exclude-standard | (cd %q && xargs -0 cp --parents -t %q)", root, root, clone)); code != 0 {
		t.Fatalf("copying the sources: %s", text)
	}
	ownData(t, clone, manual)

	var found []string
	for _, m := range regexp.MustCompile("(?m)`((?:\\./)?(?:compqa|make) [^`\n]*)`|^    ((?:\\./)?(?:compqa|make|less) .*)$").FindAllStringSubmatch(string(readme), -1) {
		command := strings.TrimSpace(m[1])
		if command == "" {
			command, _, _ = strings.Cut(m[2], "  ")
			if command = strings.TrimSpace(command); command == "compqa.yaml" {
				continue
			}
		}
		if !slices.Contains(found, command) {
			found = append(found, command)
		}
	}
	try := func(t *testing.T, c readmeCommand) {
		t.Helper()
		if !strings.Contains(manual, c.command) {
			t.Errorf("the README and the manual do not have the command %q", c.command)
		}
		text, code := shell(c.before + "\n" + c.command)
		if want := regexp.MustCompile(c.prints); code != exitDone || !want.MatchString(text) {
			t.Errorf("%s: exit %d; want %s in\n%s", c.command, code, want, text)
		}
	}
	for _, c := range typed {
		try(t, c)
	}
	if text, _ := shell("make bench"); !strings.Contains(settled(text), settled(firstTable(t, string(readme), "It prints:"))) {
		t.Errorf("make bench prints\n%s", text)
	}
	t.Run("with the release", func(t *testing.T) {
		release := sharedtest.Release(t)
		for _, name := range []string{"dir", "release"} {
			if err := os.Symlink(release, filepath.Join(clone, name)); err != nil {
				t.Fatal(err)
			}
		}
		for _, c := range withRelease {
			try(t, c)
		}
	})
	for _, command := range found {
		is := func(c readmeCommand) bool { return c.command == command }
		if untyped[command] != "" || slices.ContainsFunc(typed, is) || slices.ContainsFunc(withRelease, is) {
			continue
		}
		if text, code := shell(command + " --help"); code != 0 {
			t.Errorf("%s --help: exit %d\n%s", command, code, text)
		}
	}
}

// firstTable returns the rows of the first table in the README after a text.
func firstTable(t *testing.T, readme, after string) string {
	t.Helper()
	_, table, _ := strings.Cut(readme, after)
	_, table, _ = strings.Cut(table, "─\n")
	rows, _, found := strings.Cut(table, "```")
	if !found || strings.Count(rows, "\n") < 3 {
		t.Fatalf("the README has no table after %q:\n%s", after, rows)
	}
	return rows
}

// ownData writes the questions and answers that the README shows into files of a folder. It adds a verdict on them and a configuration
// own.yaml.
func ownData(t *testing.T, folder, readme string) {
	t.Helper()
	full, _ := json.Marshal(rubric.CQA().Full())
	files := map[string]string{"annotations.jsonl": `{"id": "a1", "judge": "human", "status": "valid", "scores": ` + string(full) + "}\n",
		"own.yaml": `dataset: questions.jsonl
scenarios: [3]
models:
  - {name: mine, provider: file, path: answers.jsonl}
  - {name: template, provider: baseline}
judges:
  - {name: rules, provider: embedded}
  - {name: people, provider: file, path: annotations.jsonl}
`}
	for _, name := range []string{"questions", "answers"} {
		m := regexp.MustCompile(`(?s)\n    ` + name + ` +(\{"(?:id|object1)".*?\})\n    [a-z]`).FindStringSubmatch(readme)
		if m == nil {
			t.Fatalf("the README shows no %s", name)
		}
		files[name+".jsonl"] = strings.Join(strings.Fields(m[1]), " ") + "\n"
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
