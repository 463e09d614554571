package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// FuzzConfig reads each text as a configuration and as a rubric. No text causes a panic, and each error names the file.
func FuzzConfig(f *testing.F) {
	for _, seed := range []string{
		"models: [{name: template, provider: baseline}]\njudges: [{name: rules, provider: embedded}]\n", "judges: [{name: j, repeats: 1e99}]\n",
		"models: &a [*a]\n", "a: &a [1, 1]\nb: &b [*a, *a]\nmodels: [*b, *b]\n", "rubric: conf.yaml\n", "arguments: {max: .nan}\n",
		"providers: {p: {type: command, run: [x]}}\n", "run: {seed: -1, concurrency: 0}\n", "- 1\n", "\x00", "null", "",
		"criteria: [{id: c, levels: {1: a, .inf: b}}]\n",
	} {
		f.Add(seed)
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, text string) {
		path := filepath.Join(dir, "conf.yaml")
		given := filepath.Join(dir, "given.yaml")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		whole := "rubric: conf.yaml\nmodels: [{name: template, provider: baseline}]\njudges: [{name: rules, provider: embedded}]\n"
		if err := os.WriteFile(given, []byte(whole), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{path, given} {
			if _, err := Load(name); err != nil && !strings.Contains(err.Error(), "conf.yaml") && !strings.Contains(err.Error(), "given.yaml") {
				t.Errorf("the error does not name the file: %v", err)
			}
		}
		LoadProviders(path, "")
	})
}
