// Package sharedtest is for tests: it finds the data that is not in the repository, and decides
// whether long tests run.
package sharedtest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// ModuleRoot returns the folder that contains go.mod.
func ModuleRoot(tb testing.TB) string {
	tb.Helper()
	dir, err := filepath.Abs(".")
	if err != nil {
		tb.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		if dir == filepath.Dir(dir) {
			tb.Fatal("no go.mod above the test")
		}
		dir = filepath.Dir(dir)
	}
}

// Folder returns the folder of data that tests share, which may be missing: COMPQA_SHARED, or ../shared relative to the module's root.
func Folder(tb testing.TB) string {
	tb.Helper()
	dir := os.Getenv("COMPQA_SHARED")
	if dir == "" {
		dir = filepath.Join("..", "shared")
	}
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(ModuleRoot(tb), dir)
	}
	return dir
}

// Path returns the path of a file or folder in Folder. If it is missing, the test is skipped, or fails in CI.
func Path(tb testing.TB, names ...string) string {
	tb.Helper()
	path := filepath.Join(append([]string{Folder(tb)}, names...)...)
	if _, err := os.Stat(path); err != nil {
		Missing(tb, "no shared data (%v); set COMPQA_SHARED", err)
	}
	return path
}

// Missing skips a test that needs something this machine lacks; the message says what it is. In CI the test fails instead, because CI must
// have it.
func Missing(tb testing.TB, format string, args ...any) {
	tb.Helper()
	if os.Getenv("CI") == "true" {
		tb.Fatalf("needed in CI: "+format, args...)
	}
	tb.Skipf("SKIPPED: "+format, args...)
}

// Release returns the folder of the CompQA authors' release.
func Release(tb testing.TB) string { tb.Helper(); return Path(tb, "data", "cqa-release") }

// Soak skips a long test unless COMPQA_SOAK is set, as `make soak` does. The names of long tests begin with TestSoak: `make soak` runs
// them, and `make test` runs all others.
func Soak(tb testing.TB) {
	tb.Helper()
	if !Soaking(tb) {
		tb.Fatalf("%s is a long test, so its name must begin with TestSoak", tb.Name())
	}
	if os.Getenv("COMPQA_SOAK") == "" {
		tb.Skip("SKIPPED: a long test; `make soak` runs it")
	}
}

// Soaking reports whether a test is a long one, by its name. A test that tries some of many cases in `make test` tries all of them as
// TestSoakX, which calls Soak and then the same code.
func Soaking(tb testing.TB) bool { return strings.HasPrefix(tb.Name(), "TestSoak") }
