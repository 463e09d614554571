package bench

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"compqa/data/sharedtest"
)

// Three people agree as they do, alpha .818 on totals (krippendorff 0.8, cases5/papers), whatever one of them is called.
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
