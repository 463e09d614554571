package bench

import (
	"os"
	"path/filepath"
	"testing"

	"compqa/bench/config"
	"compqa/data/sharedtest"
)

// TestReference compares the manual's page of keys with the program's. COMPQA_UPDATE=1 writes it.
func TestReference(t *testing.T) {
	t.Parallel()
	keys, err := config.Keys()
	if err != nil {
		t.Fatal(err)
	}
	samePage(t, "keys", keys)
}

// samePage compares a page of the manual with what the program says now.
func samePage(t *testing.T, topic, now string) {
	t.Helper()
	if os.Getenv(update) != "" {
		if err := os.WriteFile(filepath.Join(sharedtest.ModuleRoot(t), "docs", topic+".md"), []byte(now), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if page(t, topic) != now {
		t.Errorf("docs/%s.md is not what the program says; COMPQA_UPDATE=1 go test ./bench -run TestReference writes it", topic)
	}
}
