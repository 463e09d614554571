package archive

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"compqa/results/store"
)

// The next export removes the folders of an export that was killed, and keeps the folders of an export that is still running.
func TestFoldersOfKilledExports(t *testing.T) {
	temporary := t.TempDir()
	t.Setenv("TMPDIR", temporary)
	for _, name := range []string{"compqa-export-killed", "compqa-export-working"} {
		if err := os.MkdirAll(filepath.Join(temporary, name, "tables"), 0o755); err != nil {
			t.Fatal(err)
		}
		lock, _, err := store.LockFile(filepath.Join(temporary, name+".lock"))
		if err != nil || lock == nil {
			t.Fatal(err)
		}
		if name == "compqa-export-working" {
			defer lock.Release()
		} else {
			lock.Release() // as the kernel does when the process ends
		}
	}
	_, err := inFolder(context.Background(), "compqa-export-", func(string) (int, error) { return 0, nil })
	if err != nil {
		t.Fatal(err)
	}
	left, _ := filepath.Glob(filepath.Join(temporary, "*"))
	if len(left) != 2 || filepath.Base(left[0]) != "compqa-export-working" {
		t.Errorf("%v", left)
	}
}
