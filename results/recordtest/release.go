package recordtest

import (
	"path/filepath"
	"testing"

	"compqa/data"
	"compqa/data/sources/release"
	"compqa/results/dataset"
	"compqa/results/store"
	"compqa/rubric"
)

// Release returns the authors' release as an import records it, with a judge
// that gives full marks.
func Release(t testing.TB, shared string) Fixture {
	t.Helper()
	read, err := release.Read(filepath.Join(shared, "data", "cqa-release"))
	if err != nil {
		t.Fatal(err)
	}
	f := Fixture{Rubric: rubric.CQA(), Seed: 1, Answers: read.Answers, Verdicts: read.Verdicts}
	seen := map[string]bool{}
	for _, a := range read.Answers {
		if !seen["system "+a.System] {
			seen["system "+a.System] = true
			f.Systems = append(f.Systems, store.Participant{Name: a.System, Kind: "imported"})
		}
		f.Verdicts = append(f.Verdicts, data.Verdict{Answer: a.ID, Judge: "constant", Repeat: 1, Scores: rubric.CQA().Full()})
	}
	for _, v := range f.Verdicts {
		if seen["judge "+v.Judge] {
			continue
		}
		seen["judge "+v.Judge] = true
		p := store.Participant{Name: v.Judge, Kind: "imported"}
		if data.IsHuman(v.Judge) {
			p.Kind = dataset.KindHuman
		}
		if v.Judge == "constant" {
			p.Kind = dataset.KindFloor
		}
		f.Judges = append(f.Judges, p)
	}
	for _, u := range read.Unmatched {
		f.Unplaced = append(f.Unplaced, store.Unplaced{Judge: u.Judge, Source: filepath.Base(u.File), System: u.System,
			Scenario: u.Scenario, Aspect: u.Aspect, Reason: "no answer has its text"})
	}
	return f
}
