package plan

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"compqa/bench/config"
)

// TestStages: a plan yields the same tasks each time, and answers before what is made of them. Each task has its own place. --only leaves
// the other parts out.
func TestStages(t *testing.T) {
	dir := t.TempDir()
	questions := "object1,object2,aspect,question\ntea,coffee,price,Which is cheaper?\nrust,go,speed,Which is faster?\n"
	text := "dataset: q.csv\nscenarios: [1, 2]\nmodels:\n  - {name: reference, provider: baseline}\n  - {name: template, provider: baseline}\n" +
		"judges:\n  - {name: rules, provider: embedded}\n  - {name: constant, provider: embedded}\npairs: [{name: run}]\n"
	for name, content := range map[string]string{"q.csv": questions, "compqa.yaml": text} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	c, err := config.Load(filepath.Join(dir, "compqa.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	p, err := New(c, 0)
	if err != nil {
		t.Fatal(err)
	}
	if p.Pairs, err = NewPairs(p, nil, 0, nil); err != nil {
		t.Fatal(err)
	}
	replays := false
	places := func(only string) (list []string) {
		t.Helper()
		s, err := NewPlanner(p, nil, false)
		if err != nil {
			t.Fatal(err)
		}
		s.Assume, s.Replays = true, replays
		for stage, err := range s.Stages(only) {
			if err != nil {
				t.Fatal(err)
			}
			for _, source := range stage.Sources {
				for task, err := range source.Tasks(t.Context()) {
					if err != nil {
						t.Fatal(err)
					}
					if task.Settle == nil {
						list = append(list, task.At.String())
					}
				}
			}
		}
		return list
	}
	of := func(list []string, kind string) int {
		return len(slices.DeleteFunc(slices.Clone(list), func(at string) bool { return !strings.HasPrefix(at, kind+" ") }))
	}
	all := places("")
	// 2 systems × 2 scenarios × 2 questions, with 2 verdicts each. surface-pair has a pair of systems for each question and scenario, in
	// two orders. The choices of first, longer and random follow from the pairs.
	if of(all, "answer") != 8 || of(all, "verdict") != 16 || of(all, "preference") != 4*2 || len(all) != 8+16+8 {
		t.Errorf("%d tasks: %q", len(all), all)
	}
	if !slices.Equal(all, places("")) {
		t.Error("the tasks differ from time to time")
	}
	if sorted := slices.Sorted(slices.Values(all)); len(slices.Compact(sorted)) != len(all) {
		t.Error("two tasks make the same result")
	}
	if last := slices.IndexFunc(all, func(at string) bool { return !strings.HasPrefix(at, "answer ") }); last != 8 {
		t.Errorf("answers end at %d", last)
	}
	// A verification has the same tasks. All verdicts on an answer follow each other, so that its text is read once.
	replays = true
	again := places("")
	if !slices.Equal(slices.Sorted(slices.Values(again)), slices.Sorted(slices.Values(all[:8+16]))) { // the pairs are those on record
		t.Errorf("a verification has other tasks: %q", again)
	}
	judged := func(at string) string { return at[strings.Index(at, " on "):] }
	for i := 8; i < 8+16; i += 2 {
		if judged(again[i]) != judged(again[i+1]) {
			t.Errorf("%s is followed by %s", again[i], again[i+1])
		}
	}
	replays = false
	for only, kind := range map[string]string{OnlyAnswers: "answer", OnlyVerdicts: "verdict", OnlyPairs: "preference"} {
		if list := places(only); len(list) == 0 || of(list, kind) != len(list) {
			t.Errorf("--only %s: %q", only, list)
		}
	}
}
