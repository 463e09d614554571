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

// TestEntryOptions: pairwise.EntryOptions has every key that only entries of pairwise have. It has no text for a key that other entries
// have too.
func TestEntryOptions(t *testing.T) {
	shared := slices.Concat([]string{"method"}, ownKeys(reflect.TypeFor[Entry]()), ownKeys(reflect.TypeFor[Reading]()))
	options := data.Each(data.Where(pairwise.EntryOptions, func(o pairwise.Option) bool { return o.About != "" }),
		func(o pairwise.Option) string { return o.Name })
	keys := ownKeys(reflect.TypeFor[chooser]())
	for _, key := range keys {
		if slices.Contains(shared, key) == slices.Contains(options, key) {
			t.Errorf("%s is no option, or one of every entry", key)
		}
	}
	for _, option := range pairwise.EntryOptions {
		if !slices.Contains(keys, option.Name) {
			t.Errorf("no entry has the option %s", option.Name)
		}
	}
}

// TestOptionsOfMethods: an entry with an option that its method does not take is refused with file, line and key.
func TestOptionsOfMethods(t *testing.T) {
	for entry, want := range map[string]string{
		"method: sc2, provider: p, model: x, draws: 4, selection: exact, shots: 2, sample: 5, repeats: 2": "",
		"method: direct, provider: p, model: x, draws: 4":                                                 "draws is for cot-selfcon, sc2, sc2-selfcon and con-j-selfcon",
		"method: sc2, provider: p, model: x, draws: -1":                                                   "draws is -1; it must be 0 to 1000",
		"method: sc2, provider: p, model: x, shots: 6":                                                    "shots is 6; it must be 0 to 5",
		"method: sc2, provider: p, model: x, selection: best":                                             `selection is "best"; it must be one of tournament, exact, random`,
		"method: sc2, provider: p, model: x, repeats: 1001":                                               "repeats is 1001; it must be 0 to 1000",
		"method: con-j, provider: p, model: x, shots: 1":                                                  "shots is for cot, cot-selfcon, sc2 and sc2-selfcon",
		"method: cot, provider: p, model: x, selection: exact":                                            "selection is for sc2 and sc2-selfcon",
		"method: cot, provider: p, model: x, aspects: a.yaml":                                             "aspects is for direct+aspects, cot-1shot, sc2 and sc2-selfcon",
		"method: con-j, provider: p, model: x, reads: {pattern: x}":                                       "reads is for direct, direct+aspects, cot",
		"method: scalar, provider: p, model: x, ties: true":                                               "ties is for methods that ask a model, except",
		"method: first, ties: true":                                                                       "ties is for methods that ask a model, except",
		"method: longer, criterion: helpful":                                                              "criterion is for methods that ask a model",
		"method: cot, provider: p, model: x, path: y":                                                     "path is for surface-pair",
		"method: cot, provider: p, model: x, no_hints: true":                                              "no_hints is for con-j",
		"method: cot, provider: p, model: x, grades: [a]":                                                 "grades is for meta-judge",
		"method: meta-judge, provider: p, model: x, grades: [a]":                                          "",
		"method: meta-judge, provider: p, model: x, sample: 3":                                            "sample is for methods that ask a model",
		"method: meta-judge, provider: p, model: x, ties: true":                                           "ties is for methods that ask a model, except con-j-correct-hint, con-j-incorrect-hint, listwise, scalar and scalar-pairwise",
		"method: scalar, provider: p, model: x, criterion: helpful":                                       "criterion is for methods that ask a model, except scalar and scalar-pairwise",
		"name: human 2, method: cot, provider: p, model: x":                                               `names that begin with "human" are reserved for people`,
		"method: longer, model: x":                                                                        "model is for methods that ask a model",
		"method: longer, options: {temperature: 1}":                                                       "options is for methods that ask a model",
		"method: cot, provider: p, model: x, roles: {comparator: {model: y}}":                             `there is no role "comparator"; the roles of cot are preference`,
		"method: meta-judge, provider: p, model: x, roles: {preference: {model: y}}":                      "roles is for methods that ask a model",
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

// TestJudgesAreOneList: judges of all sections are read into one list. The record has them in their original sections.
func TestJudgesAreOneList(t *testing.T) {
	path := filepath.Join(t.TempDir(), "c.yaml")
	text := `providers: {p: {type: ollama}}
pairwise: [{name: c, method: sc2, provider: p, model: x, options: {num_ctx: 8192}, draws: 4, sample: 5, examples: one.json}]
judges: [{name: a, provider: p, model: x, examples: 1, repeats: 2, ask: group}, {name: rules, provider: embedded}]
summary_judges: [{name: b, provider: p, model: x, examples: 2}]
`
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	example := `[{"question": "q", "first": "a", "second": "b", "reasoning": "r", "preferred": "A"}]`
	if err := os.WriteFile(filepath.Join(filepath.Dir(path), "one.json"), []byte(example), 0o644); err != nil {
		t.Fatal(err)
	}
	c, err := Load(path)
	if err != nil {
		t.Fatal(err)
	}
	sections := data.Each(c.Judges, func(j Judge) string { return j.Section() + " " + j.Name })
	if want := []string{"judges a", "judges rules", "summary_judges b", "pairwise c"}; !slices.Equal(sections, want) {
		t.Errorf("%q, want %q", sections, want)
	}
	a := c.Judges[0]
	b := c.Judges[2]
	pair := c.Judges[3]
	if *a.Scoring.Examples != 1 || a.Repeats.Times != 2 || a.Ask != "group" || b.TableExamples != 2 || pair.Draws != 4 || pair.Task.ExamplesText != example {
		t.Errorf("%+v", c.Judges)
	}
	recorded, err := c.JSON()
	if err != nil {
		t.Fatal(err)
	}
	again, err := ParseRecorded(recorded)
	if err != nil {
		t.Fatal(err)
	}
	if twice, err := again.JSON(); err != nil || twice != recorded || len(again.Judges) != 4 {
		t.Errorf("%v\n%s\n%s", err, recorded, twice)
	}
	for key, part := range map[string]string{"judges": `"name":"a"`, "summary_judges": `"name":"b"`, "pairwise": `"num_ctx":8192`} {
		if _, rest, found := strings.Cut(recorded, `"`+key+`":[`); !found || !strings.Contains(rest, part) {
			t.Errorf("%s: no %s in %s", key, part, recorded)
		}
	}
	if _, err := ParseRecorded(recorded + "{}"); err == nil {
		t.Error("what follows a configuration is ignored")
	}
}
