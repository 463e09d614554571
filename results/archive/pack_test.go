package archive

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"compqa/data/sharedtest"
	"compqa/results/store"
)

// TestSoakPackWithin: verify never refuses an export for its size.
func TestSoakPackWithin(t *testing.T) {
	sharedtest.Soak(t)
	for size, compressed := range map[int]bool{1 << 20: true, mostAnyhow + 1<<20: false} {
		dir := t.TempDir()
		if err := os.Mkdir(filepath.Join(dir, tablesFolder), 0o755); err != nil {
			t.Fatal(err)
		}
		for name, content := range map[string]string{configName: "{}", store.RecordName: strings.Repeat("and so on ", size/10)} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		m := Manifest{Format: exportFormat}
		if err := m.listFiles(dir); err != nil {
			t.Fatal(err)
		}
		var packed bytes.Buffer
		if err := packWithin(&packed, dir, m); err != nil {
			t.Fatal(err)
		}
		if small := packed.Len() < size/100; small != compressed {
			t.Errorf("%d bytes are packed into %d", size, packed.Len())
		}
		file := filepath.Join(t.TempDir(), "x.gz")
		if err := os.WriteFile(file, packed.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		if u, err := unpack(t.Context(), file, t.TempDir()); err != nil || u.fault != nil {
			t.Errorf("%d bytes: %v, %v", size, err, u.fault)
		}
	}
}
