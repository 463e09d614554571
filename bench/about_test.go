package bench

import (
	"bytes"
	"os"
	"testing"
)

// TestExampleConfig: `compqa init` writes the configuration that `make bench` runs.
func TestExampleConfig(t *testing.T) {
	text, err := os.ReadFile("../compqa.yaml")
	if err != nil || !bytes.Equal(text, exampleConfig) {
		t.Errorf("bench/example.yaml is not a copy of compqa.yaml: %v", err)
	}
}
