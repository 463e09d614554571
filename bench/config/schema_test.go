package config

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"go.yaml.in/yaml/v4"
)

func compiled(t *testing.T) *jsonschema.Resolved {
	t.Helper()
	text, err := Schema()
	if err != nil {
		t.Fatal(err)
	}
	var s jsonschema.Schema
	if err := json.Unmarshal(text, &s); err != nil {
		t.Fatal(err)
	}
	resolved, err := s.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	return resolved
}

func fits(t *testing.T, s *jsonschema.Resolved, text []byte) error {
	t.Helper()
	var tree any
	if err := yaml.Unmarshal(text, &tree); err != nil {
		t.Fatal(err)
	}
	return s.Validate(tree)
}

// TestSchemaExamples: every example is valid by the schema and is read by the program.
func TestSchemaExamples(t *testing.T) {
	s := compiled(t)
	files, _ := filepath.Glob("../../examples/*/compqa*.yaml")
	for _, file := range append(files, "../../compqa.yaml") {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if err := fits(t, s, text); err != nil {
			t.Errorf("%s: %v", file, err)
		}
		if _, err := Load(file); err != nil {
			t.Errorf("%s: %v", file, err)
		}
	}
}

// TestSchemaRefuses: the schema and the program accept the same configurations and refuse the same configurations.
func TestSchemaRefuses(t *testing.T) {
	s := compiled(t)
	const rest = "judges: [{name: constant, provider: embedded}]\n"
	for text, good := range map[string]bool{
		"models: [{name: template, provider: baseline}]\n":                                        true,
		"scenarios: [1, \"2\", {id: \"3\"}]\n":                                                    true,
		"providers: {a: {type: ollama, timeout: 30s, retries: -1}}\n":                             true,
		"providers: {a: {type: command, run: [cat]}}\n":                                           true,
		"providers: {a: {type: ollama, keep_alive: -1, pull: true}}\n":                            true,
		"providers: {a: {type: ollama, keep_alive: 30m}}\n":                                       true,
		"providers: {a: {type: openai, organisation: org-7, max_tokens_field: auto}}\n":           true,
		"providers: {a: {type: openai, max_tokens_field: tokens}}\n":                              false,
		"providers: {a: {type: ollama, keep_alive: [30m]}}\n":                                     false,
		"providers: {a: {type: ollama, pull: 3}}\n":                                               false,
		"prices: {m*: {input: 1, output: 2}}\n":                                                   true,
		"run: {seed: -3, concurrency: 2}\n":                                                       true,
		"modells: [{name: template, provider: baseline}]\n":                                       false,
		"models: [{nam: template, provider: baseline}]\n":                                         false,
		"models: [{provider: baseline}]\n":                                                        false,
		"models: {name: template, provider: baseline}\n":                                          false,
		"providers: {a: {type: olama}}\n":                                                         false,
		"providers: {a: {type: ollama, timeout: soon}}\n":                                         false,
		"providers: {a: {type: ollama, rpm: -1}}\n":                                               false,
		"scenarios: [{template: x}]\n":                                                            false,
		"run: {seed: x}\n":                                                                        false,
		"providers: {a: {type: ollama}}\nmodels: [{name: m, provider: a, model: m, choices: -1}]": false,
	} {
		file := filepath.Join(t.TempDir(), "compqa.yaml")
		if err := os.WriteFile(file, []byte(text+"\n"+rest), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := fits(t, s, []byte(text+"\n"+rest)); (err == nil) != good {
			t.Errorf("schema, %s: %v", text, err)
		}
		if _, err := Load(file); (err == nil) != good {
			t.Errorf("program, %s: %v", text, err)
		}
	}
}

// TestKeys: every key has a description, both in the schema and on the manual page.
func TestKeys(t *testing.T) {
	page, err := Keys()
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"- `headline`: the judge that orders the board", "- `api_key_header`: ", "- `retries` (integer): ",
		"- `timeout` (duration): of one attempt", "- `batch` (boolean or text): "} {
		if !strings.Contains(page, want) {
			t.Errorf("the page of keys has no %q", want)
		}
	}
}
