package bench

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestValidationOfAFolderWithAThreshold: the folder of a validation is validated with a threshold. As in a validation of files, people's
// mean is then the mean of the single values that pass, so the export is consistent.
func TestValidationOfAFolderWithAThreshold(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	must := func(args ...string) string {
		t.Helper()
		code, stdout, stderr := compqa(args...)
		if code != exitDone {
			t.Fatalf("%v: exit %d, %s", args, code, stderr)
		}
		return stdout
	}
	must("validate", "--demo", "--out", in("demo"))
	flags := []string{"--map-scale", "linear", "--threshold", "3"}
	must(append([]string{"validate", in("demo/demo-log.csv"), "--people", in("demo/demo-people.csv"), "--out", in("files")}, flags...)...)
	must(append([]string{"validate", in("demo"), "--out", in("folder")}, flags...)...)
	must("export", in("folder"), "--out", in("folder.gz"))
	if said := must("verify", in("folder.gz")); !strings.Contains(said, ": consistent") {
		t.Errorf("verify: %s", said)
	}
	alpha := func(run, reference string) string {
		row := where(csvTable(t, in(run+"/tables/validation.csv")), map[string]string{"judge": "careful", "criterion": "correct", "reference": reference})
		return row[0]["alpha"]
	}
	if of, folder := alpha("files", "people:mean"), alpha("folder", "human"); of == "" || of != folder {
		t.Errorf("alpha with people's mean is %s of the files, and %s of the folder", of, folder)
	}
}
