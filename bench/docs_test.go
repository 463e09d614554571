package bench

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestExampleConfig: `compqa init` writes the same configuration that `make bench` runs.
func TestExampleConfig(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../compqa.yaml")
	if err != nil || !bytes.Equal(text, exampleConfig) {
		t.Errorf("bench/example.yaml is not a copy of compqa.yaml: %v", err)
	}
}

// TestInit: init writes the schema, and the configuration names the schema for editors.
func TestInit(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var out bytes.Buffer
	if err := writeExample(dir, &out); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, "compqa.yaml"))
	if err != nil || !strings.HasPrefix(string(text), "# yaml-language-server: $schema=compqa.schema.json\n") {
		t.Errorf("%.80s, %v", text, err)
	}
	if schema, err := os.ReadFile(filepath.Join(dir, "compqa.schema.json")); err != nil || !bytes.Contains(schema, []byte("2020-12")) {
		t.Errorf("%.80s, %v", schema, err)
	}
}
