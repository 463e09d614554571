package bench

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"compqa/bench/config"
	"compqa/data/sharedtest"
	"compqa/docs"
)

// block returns the first fenced block of a language after a marker in README.md.
func block(t *testing.T, marker, language string) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(sharedtest.ModuleRoot(t), "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, behind, found := strings.Cut(string(content), "<!-- "+marker+" -->")
	if !found {
		t.Fatalf("README.md has no marker %q", marker)
	}
	_, behind, found = strings.Cut(behind, "```"+language+"\n")
	text, _, closed := strings.Cut(behind, "```")
	if !found || !closed {
		t.Fatalf("README.md has no %s block behind %q", language, marker)
	}
	return text
}

// volatile matches text that differs between two runs of the same command.
var volatile = regexp.MustCompile(`[0-9.]+(µs|ms|s)\b|[0-9.]+/s|[0-9.]+ [kMGT]B free|/a/[A-Z2-7]{26}`)

func settled(text string) string {
	var lines []string
	for line := range strings.Lines(text) {
		lines = append(lines, strings.TrimRight(volatile.ReplaceAllString(line, "…"), " \n"))
	}
	return strings.TrimSpace(strings.Join(lines, "\n"))
}

// TestSoakReadmeAddingAModel follows the README: the entries that it gives are added to compqa.yaml, and the commands that it shows print
// what it says.
func TestSoakReadmeAddingAModel(t *testing.T) {
	sharedtest.Soak(t)
	server := obligingServer(t)
	follow(t, "adding-a-model", server.URL)
}

// follow adds the entries after a marker in README.md to the end of compqa.yaml, and compares the output of the commands after it with the
// transcript.
func follow(t *testing.T, marker, url string) {
	t.Helper()
	cfg, err := os.ReadFile(filepath.Join(sharedtest.ModuleRoot(t), "compqa.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	entries := block(t, marker, "yaml")
	transcript := block(t, marker, "console")
	t.Chdir(t.TempDir())
	if err := os.WriteFile("compqa.yaml", []byte(string(cfg)+"\n"+strings.Replace(entries, "http://127.0.0.1:8000", url, 1)), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, typed := range strings.Split("\n"+transcript, "\n$ compqa ")[1:] {
		command, want, _ := strings.Cut(typed, "\n")
		code, stdout, stderr := compqa(strings.Fields(command)...)
		if code != exitDone {
			t.Errorf("%s: exit %d\n%s", command, code, stderr)
		}
		if got := stderr + stdout; !printed(want, got) {
			t.Errorf("$ compqa %s prints\n%s\nand not\n%s", command, got, want)
		}
	}
}

// TestExampleEntries: the entries to copy are valid, and so are those in the README, the manual and the comments of compqa.yaml.
// (TestManual runs those of the page on costs.)
func TestExampleEntries(t *testing.T) {
	t.Parallel()
	cfg, err := os.ReadFile(filepath.Join(sharedtest.ModuleRoot(t), "compqa.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	_, example, _ := strings.Cut(page(t, "configuration"), "By example:\n\n")
	example, _, _ = strings.Cut(example, "\n\n")
	commented := regexp.MustCompile(`(?m)^( *)# (  .*|[a-z]+:|- \{.*)$`)
	for name, text := range map[string]string{
		"entries.yaml":     entries,
		"configuration":    strings.ReplaceAll(example, "\n    ", "\n")[len("    "):],
		"README.md":        block(t, "current-models", "yaml") + "judges:\n  - {name: luna, provider: openai, model: gpt-6-luna, effort: low}\n",
		"comments removed": commented.ReplaceAllString(string(cfg), "$1$2"),
	} {
		text = regexp.MustCompile(`(?m)^.*(model_prices_and_context_window.json|provider: file).*\n`).ReplaceAllString(text, "")
		path := filepath.Join(t.TempDir(), "compqa.yaml")
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if c, err := config.Load(path); err != nil || len(c.LiveEntries()) < 4 {
			t.Errorf("%s: %v\n%s", name, err, text)
		}
	}
}

// page returns the text of a page of the manual.
func page(t *testing.T, topic string) string {
	t.Helper()
	text, found := docs.Source(topic)
	if !found {
		t.Fatalf("the manual has no page %s", topic)
	}
	return text
}
