package bench

import (
	"compqa/data/sharedtest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestSoakReportOfTheRelease: report.md of `make bench` with the release fits on one page. Its order agrees with its cells. Judges that
// were fitted to the release's human scores are marked.
func TestSoakReportOfTheRelease(t *testing.T) {
	t.Parallel()
	sharedtest.Soak(t)
	release := sharedtest.Release(t)
	dir := t.TempDir()
	code, screen, stderr := compqa("run", "--config", filepath.Join(sharedtest.ModuleRoot(t), "compqa.yaml"), "--release", release, "--out", dir)
	if code != exitDone {
		t.Fatalf("exit code %d\n%s", code, stderr)
	}
	content, err := os.ReadFile(filepath.Join(dir, "report.md"))
	if err != nil {
		t.Fatal(err)
	}
	text := string(content)
	if n := strings.Count(text, "\n"); n > 120 {
		t.Errorf("report.md has %d lines", n)
	}
	for _, want := range []string{"† surface was trained or tuned on these human scores (human-rows-of-release). Its figures are held out", "† rules was trained or tuned on"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in report.md", want)
		}
	}
	if n := strings.Count(screen, "\n"); n > 24 {
		t.Errorf("the screen has %d lines:\n%s", n, screen)
	}
	agreement, err := os.ReadFile(filepath.Join(dir, "tables", "agreement.csv"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(agreement)) {
		fitted := strings.HasPrefix(line, "surface,human,") || strings.HasPrefix(line, "rules,human,")
		if strings.Contains(line, ",human-rows-of-release,") != fitted {
			t.Errorf("fitted_on: %s", line)
		}
	}
	trainOnTheRelease(t, dir)
}
