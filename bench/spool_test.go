package bench

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"compqa/results/store"
)

// TestSpoolsOfKilledCommands: a command that reads standard input more than once removes the temporary files of killed commands, and leaves
// none itself.
func TestSpoolsOfKilledCommands(t *testing.T) {
	for _, args := range [][]string{{"verify", "-"}, {"agree", "--units", "-"}} {
		temporary := t.TempDir()
		t.Setenv("TMPDIR", temporary)
		killed := filepath.Join(temporary, "compqa-input-killed")
		if err := os.MkdirAll(killed, 0o755); err != nil {
			t.Fatal(err)
		}
		lock, _, err := store.LockFile(killed + ".lock")
		if err != nil || lock == nil {
			t.Fatal(err)
		}
		lock.Release() // as the kernel does when the process ends
		var text bytes.Buffer
		code := Main(context.Background(), args, Streams{In: strings.NewReader("not what is read here\n"), Out: &text, Err: &text})
		if code != exitUsage || strings.Contains(text.String(), temporary) || !strings.Contains(text.String(), "standard input") {
			t.Errorf("%v: exit %d, %s", args, code, &text)
		}
		left, err := filepath.Glob(filepath.Join(temporary, "*"))
		if err != nil || left != nil {
			t.Errorf("%v: %v, %v", args, left, err)
		}
	}
}
