package bench

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"compqa/data/sharedtest"
)

// TestPeopleAgreeUnderAnyName: alpha of three people is .818 on totals (krippendorff 0.8, cases5/papers), whatever one of them is called.
func TestPeopleAgreeUnderAnyName(t *testing.T) {
	t.Parallel()
	cases := sharedtest.Path(t, "cases5", "papers", "A-three-raters")
	for _, name := range []string{"people.yaml", "people-z.yaml"} {
		out := t.TempDir()
		if code, _, stderr := compqa("run", "--config", filepath.Join(cases, name), "--out", out); code != exitDone {
			t.Fatalf("%s: exit %d: %s", name, code, stderr)
		}
		page, err := os.ReadFile(filepath.Join(out, "report.html"))
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(page), "3 people with each other: 0.82") {
			t.Errorf("%s: the page does not say that three people agree at 0.82", name)
		}
	}
}

// TestAspectsUnasked: seven of twelve questions name an aspect, which the prompts of the paper do not contain. doctor says so, but not with
// aspect_in_prompt.
func TestAspectsUnasked(t *testing.T) {
	t.Parallel()
	cases := sharedtest.Path(t, "cases5", "papers", "A-skipped")
	config, err := os.ReadFile(filepath.Join(cases, "compqa.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	for _, in := range []bool{false, true} {
		dir := t.TempDir()
		text := strings.Replace(string(config), "q-noargs.jsonl", filepath.Join(cases, "q-noargs.jsonl"), 1)
		if in {
			text += "aspect_in_prompt: true\n"
		}
		path := filepath.Join(dir, "compqa.yaml")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		code, out, stderr := compqa("doctor", "--offline", path)
		if code != exitDone {
			t.Fatalf("exit %d: %s", code, stderr)
		}
		if said := strings.Contains(out, "7 questions name an aspect that no prompt contains"); said == in {
			t.Errorf("aspect_in_prompt %v: %s", in, out)
		}
	}
}

// TestPaperStatements: the report of the release has the sentences that docs/howto-paper.md quotes for the statements of the paper.
func TestPaperStatements(t *testing.T) {
	t.Parallel()
	release := sharedtest.Path(t, "data", "cqa-release")
	dir := t.TempDir()
	config := filepath.Join(dir, "compqa.yaml")
	if err := os.WriteFile(config, []byte("dataset: cqa50\njudges: [{name: surface, provider: embedded}]\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(dir, "out")
	code, _, stderr := compqa("run", "--config", config, "--release", release, "--out", out)
	if code != exitDone {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	page, err := os.ReadFile(filepath.Join(out, "report.md"))
	if err != nil {
		t.Fatal(err)
	}
	guide, err := os.ReadFile(filepath.Join(sharedtest.ModuleRoot(t), "docs", "howto-paper.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range strings.Split(string(guide), "\n") {
		_, quoted, found := strings.Cut(line, "| R: “")
		if quoted, _, _ = strings.Cut(quoted, "”"); found && !strings.Contains(string(page), quoted) {
			t.Errorf("report.md has no %q", quoted)
		}
	}
	if !strings.Contains(string(page), "; gpt-3.5 may ignore the aspect.") || !strings.Contains(string(page), "To use for scores: surface, which can stand in") {
		t.Error("report.md does not say who ignores the aspect, or what to use")
	}
}
