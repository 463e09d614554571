package bench

import (
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/spf13/cobra"

	"compqa/bench/cli"
	"compqa/data/sharedtest"
	"compqa/llm/fleet"
)

// elsewhere lists the commands with --json that other tests compare with their schema, because they need a database or the release.
var elsewhere = []string{"compqa fleet status", "compqa fleet drain", "compqa fleet purge", "compqa reproduce"}

// reading lists the commands that only read and print what they find. Each of them must have --json.
var reading = []string{"doctor", "estimate", "models", "validate", "report", "show", "compare", "agree", "verify", "docs",
	"annotate status", "annotate report", "pairwise report", "train report", "fleet status", "reproduce"}

// TestJSON: what each command prints with --json fits the output of `compqa schema COMMAND`. Every command in reading has --json.
func TestJSON(t *testing.T) {
	t.Parallel()
	dir, cfg := recomputableRun(t)
	folder := filepath.Dir(cfg)
	at := func(name string) string { return filepath.Join(folder, name) }
	for name, text := range map[string]string{
		"units.csv": "unit,rater,kind\na,x,1\na,y,1\nb,x,2\nb,y,1\nc,x,2\nc,y,2\n",
		"judge.csv": "id,correct\na,1\nb,0\nc,1\nd,0\n", "people.csv": "id,annotator,correct\na,x,1\nb,x,0\nc,x,0\nd,x,0\na,y,1\nb,y,1\n",
		"answers.jsonl": `{"id": "a1", "object1": "tram", "object2": "bus", "aspect": "noise", "text": "Trams are quieter than buses. They run on rails. Overall, trams are better."}` + "\n",
		"live.yaml":     "scenarios: [1]\nproviders: {p: {type: openai, base_url: \"http://127.0.0.1:1\"}}\nmodels: [{name: m, provider: p, model: of-unknown-price}]\njudges: [{name: constant, provider: embedded}]\n",
	} {
		if err := os.WriteFile(at(name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range [][]string{{"export", dir, "--out", at("run.gz")}, {"annotate", "init", dir, "--sample", "2"},
		{"annotate", "invite", "anna", dir}} {
		if code, _, stderr := compqa(args...); code != exitDone {
			t.Fatal(args, stderr)
		}
	}
	seen := map[string]bool{}
	for _, args := range [][]string{
		{"doctor", "--config", cfg, "--out", dir}, {"estimate", "--config", at("live.yaml"), "--out", at("nothing")}, {"doctor", "--offline", cfg},
		{"models", "--config", cfg}, {"models", "claude-opus-5-5"}, {"show", dir, "--system", "template", "--question", "softball"},
		{"compare", dir, dir}, {"compare", dir, "--scenario", "1", "--with", "2"}, {"agree", "--units", at("units.csv")}, {"verify", at("run.gz")},
		{"docs"}, {"docs", "glossary"}, {"validate", at("judge.csv"), "--people", at("people.csv"), "--out", at("validation")},
		{"validate", "--demo", "--out", at("demo")}, {"show", at("demo"), "--disagree"},
		{"annotate", "status", dir}, {"annotate", "report", dir}, {"report", dir},
		{"report", dir, "--reparse", "--out", at("again")}, {"pairwise", "report", dir},
		{"train", "report", dir, "--trained", "surface-pair", "--base", "longer"},
		{"datasheet", "rules", "--in", at("answers.jsonl"), "--out", at("sheet"), "--yes"},
		{"datasheet", "longer", "--in", at("answers.jsonl"), "--out", at("pairs"), "--yes"},
	} {
		code, stdout, stderr := compqa(append(args, "--json")...)
		if code != exitDone {
			t.Errorf("%q: exit %d, %s", args, code, stderr)
			continue
		}
		cmd, _, err := newRoot(cli.Streams{In: strings.NewReader(""), Out: io.Discard, Err: io.Discard}).Find(args)
		if err != nil {
			t.Fatal(err)
		}
		seen[cmd.CommandPath()] = true
		fitsSchema(t, strings.Fields(cmd.CommandPath())[1:], stdout)
	}
	root := newRoot(cli.Streams{In: strings.NewReader(""), Out: io.Discard, Err: io.Discard})
	var visit func(cmd *cobra.Command)
	visit = func(cmd *cobra.Command) {
		if cmd.Flags().Lookup("json") != nil && !seen[cmd.CommandPath()] && !slices.Contains(elsewhere, cmd.CommandPath()) {
			t.Errorf("%s --json is compared with no schema", cmd.CommandPath())
		}
		for _, c := range cmd.Commands() {
			visit(c)
		}
	}
	visit(root)
	for _, words := range reading {
		cmd, _, err := root.Find(strings.Fields(words))
		if err != nil || cmd.Flags().Lookup("json") == nil {
			t.Errorf("%s has no --json: %v", words, err)
		}
	}
	// A schema that accepts everything would pass, so check that another command's output does not fit.
	_, other, _ := compqa("docs", "--json")
	if err := schemaError(t, []string{"show"}, other); err == nil {
		t.Error("the schema of show accepts what docs prints")
	}
	for _, words := range [][]string{{"serve"}, {"nothing"}, {"run", "x"}} {
		if code, _, _ := compqa(append([]string{"schema"}, words...)...); code != exitUsage {
			t.Errorf("schema %q: exit %d", words, code)
		}
	}
	status := fleet.Status{Workers: []fleet.WorkerStatus{{ID: "a"}}, Providers: []fleet.ProviderStatus{{Name: "p"}}}
	text, _ := json.Marshal(status)
	fitsSchema(t, []string{"fleet", "status"}, string(text))
}

// TestReproduceJSON: the cells that reproduce prints fit their schema.
func TestReproduceJSON(t *testing.T) {
	t.Parallel()
	code, stdout, stderr := compqa("reproduce", "--release", sharedtest.Release(t), "--out", t.TempDir(), "--json")
	if code != exitDone {
		t.Fatal(stderr)
	}
	fitsSchema(t, []string{"reproduce"}, stdout)
}

func fitsSchema(t *testing.T, words []string, text string) {
	t.Helper()
	if err := schemaError(t, words, text); err != nil {
		t.Errorf("%q: %v\n%.600s", words, err, text)
	}
}

// schemaError returns an error if a text does not fit the schema of a command.
func schemaError(t *testing.T, words []string, text string) error {
	t.Helper()
	code, schema, stderr := compqa(append([]string{"schema"}, words...)...)
	if code != exitDone {
		t.Fatalf("schema %q: %s", words, stderr)
	}
	var parsed jsonschema.Schema
	if err := json.Unmarshal([]byte(schema), &parsed); err != nil {
		t.Fatal(err)
	}
	resolved, err := parsed.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	var value any
	if err := json.Unmarshal([]byte(text), &value); err != nil {
		return err
	}
	return resolved.Validate(value)
}
