package sources

import (
	"os"
	"path/filepath"
	"testing"
)

func write(t *testing.T, name, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// sharedFolder is the folder of real data that tests measure against:
// COMPQA_SHARED, or ../shared beside the module.
func sharedFolder(t *testing.T) string {
	t.Helper()
	dir := os.Getenv("COMPQA_SHARED")
	if dir == "" {
		dir = "../../../shared" // from this package; from the module's root ../shared
	} else if !filepath.IsAbs(dir) {
		dir = filepath.Join("../..", dir)
	}
	if _, err := os.Stat(filepath.Join(dir, "data")); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatalf("the shared data is not at %s, and in CI it must be", dir)
		}
		t.Skipf("SKIPPED: no shared data at %s; set COMPQA_SHARED", dir)
	}
	return dir
}
