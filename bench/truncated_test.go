package bench

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestTruncatedOnce: at temperature 0, a reply that was cut off at a limit is not requested again, neither by --retry-failed nor by another
// entry. The reason names the limit and the option. With a higher limit it is requested again.
func TestTruncatedOnce(t *testing.T) {
	t.Parallel()
	server := newScriptedServer(t, func(prompt string, n int) (int, string) {
		if isJudging(prompt) {
			return 200, completion(`{"1": 1, "2":`, "length")
		}
		return 200, completion("Fine. "+prompt, "stop")
	})
	dir := t.TempDir()
	run := func(limit string, args ...string) (asked int) {
		t.Helper()
		entry := func(name string) string {
			return "  - {name: " + name + ", provider: scripted, model: m, options: {temperature: 0, max_tokens: " + limit + "}}\n"
		}
		base, err := os.ReadFile(liveConfig(t, server.URL, ""))
		if err != nil {
			t.Fatal(err)
		}
		before, _, _ := strings.Cut(string(base), "judges:\n")
		path := filepath.Join(t.TempDir(), "compqa.yaml")
		if err := os.WriteFile(path, []byte(before+"judges:\n"+entry("one")+entry("two")), 0o644); err != nil {
			t.Fatal(err)
		}
		first := server.asked()
		if code, _, stderr := compqa(append([]string{"run", "--config", path, "--out", dir, "--limit", "4"}, args...)...); code != exitIncomplete {
			t.Fatalf("exit %d, %s", code, stderr)
		}
		return server.asked() - first
	}
	const verdicts = 16 // of each entry; the entries share their calls
	if n := run("40"); n != 16+verdicts {
		t.Errorf("%d calls for 16 answers and %d verdicts of two entries that ask the same", n, verdicts)
	}
	if n := run("40", "--retry-failed"); n != 0 {
		t.Errorf("--retry-failed makes %d calls that would be cut off again", n)
	}
	text, err := os.ReadFile(filepath.Join(dir, "tables", "failures.csv"))
	if err != nil || !strings.Contains(string(text), "limit of 40 tokens (finish reason length): raise max_tokens in options of the entry") {
		t.Errorf("%v, failures.csv: %s", err, text)
	}
	if n := run("80"); n != verdicts {
		t.Errorf("with a higher limit: %d calls, want %d", n, verdicts)
	}
}
