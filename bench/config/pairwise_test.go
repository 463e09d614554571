package config

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"compqa/data"
	"compqa/judges/pairwise"
)

// TestEntryOptions: the table of options has every key of an entry of pairwise that other entries do not have.
func TestEntryOptions(t *testing.T) {
	shared := slices.Concat([]string{"method"}, ownKeys(reflect.TypeFor[Entry]()), ownKeys(reflect.TypeFor[Reading]()))
	options := data.Each(pairwise.EntryOptions, func(o pairwise.Option) string { return o.Name })
	keys := ownKeys(reflect.TypeFor[PairwiseJudge]())
	for _, key := range keys {
		if slices.Contains(shared, key) == slices.Contains(options, key) && key != "path" {
			t.Errorf("%s is no option, or one of every entry", key)
		}
	}
	for _, option := range options {
		if !slices.Contains(keys, option) {
			t.Errorf("no entry has the option %s", option)
		}
	}
}

// TestOptionsOfMethods: an entry is refused with file, line and key where its method does not take an option.
func TestOptionsOfMethods(t *testing.T) {
	for entry, want := range map[string]string{
		"method: sc2, provider: p, model: x, draws: 4, selection: exact, shots: 2, sample: 5, repeats: 2": "",
		"method: direct, provider: p, model: x, draws: 4":                                                 "draws is for cot-selfcon, sc2, sc2-selfcon and con-j-selfcon",
		"method: sc2, provider: p, model: x, draws: -1":                                                   "draws is -1; it must be 0 to 1000",
		"method: sc2, provider: p, model: x, shots: 6":                                                    "shots is 6; it must be 0 to 5",
		"method: sc2, provider: p, model: x, selection: best":                                             `selection is "best"; it must be one of tournament, exact, random`,
		"method: sc2, provider: p, model: x, repeats: 1001":                                               "repeats is 1001; it must be 0 to 1000",
		"method: cot, provider: p, model: x, path: y":                                                     "path is for surface-pair",
		"method: cot, provider: p, model: x, no_hints: true":                                              "no_hints is for con-j",
		"method: cot, provider: p, model: x, grades: [a]":                                                 "grades is for meta-judge",
		"method: meta-judge, provider: p, model: x, grades: [a]":                                          "",
		"method: meta-judge, provider: p, model: x, sample: 3":                                            "sample is for methods that ask a model",
		"method: meta-judge, provider: p, model: x, ties: true":                                           "ties is for methods that ask a model, except con-j-correct-hint, con-j-incorrect-hint, listwise, scalar and scalar-pairwise",
		"method: scalar, provider: p, model: x, criterion: helpful":                                       "criterion is for methods that ask a model, except scalar and scalar-pairwise",
		"method: longer, sets: [run]":                                                                     "",
		"method: longer, imported: false":                                                                 "",
		"method: longer, repeats: 2":                                                                      "repeats is for methods that ask a model",
		"method: longer, draws: 2":                                                                        "draws is for cot-selfcon",
		"provider: file, path: p.csv, name: f, repeats: first, map: {id: x}":                              "",
		"provider: file, path: p.csv, name: f, sample: 3":                                                 "not this sample; the file names the judges and their methods",
		"provider: file, path: p.csv, name: f, repeats: 2":                                                "not this repeats;",
	} {
		path := filepath.Join(t.TempDir(), "c.yaml")
		text := "providers: {p: {type: ollama}}\njudges: [{name: constant, provider: embedded}]\npairwise:\n  - {" + entry + "}\n"
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		_, err := Load(path)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), ":4: pairwise judge ")) {
			t.Errorf("%s: %v, want %q", entry, err, want)
		}
	}
}
