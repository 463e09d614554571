package report

import (
	"cmp"
	"encoding/json"
	"errors"
	"path/filepath"
	"testing"
	"time"

	"compqa/data"
	"compqa/data/sources/release"
	"compqa/results/dataset"
	"compqa/results/store"
	"compqa/rubric"
)

// A fixture is what a test's record is made of. Verdicts without a status are
// settled by the rubric, and the plan asks for as many answers and verdicts as
// there are and more where extra says so.
type fixture struct {
	rubric    rubric.Rubric
	seed      int64
	config    string // "": without declarations
	systems   []store.Participant
	judges    []store.Participant
	questions []data.Question
	answers   []data.Answer
	sizes     map[string]store.Size // by answer's id
	verdicts  []data.Verdict
	extra     []store.PlanCell
	unplaced  []store.Unplaced
}

// record writes the fixture into a folder, and returns the folder.
func (f fixture) record(t testing.TB, dir string) string {
	t.Helper()
	s, err := store.Create(dir)
	if err != nil {
		t.Fatal(err)
	}
	encoded, err := json.Marshal(f.rubric)
	if err != nil {
		t.Fatal(err)
	}
	begun := store.Provenance{Program: "v0", Config: cmp.Or(f.config, `{"dataset":"ours"}`), Dataset: "ours", DataHash: "d", Rubric: string(encoded),
		RubricHash: f.rubric.Name, Templates: `{"2":"two {{.Arguments}}","1":"one"}`, Seed: f.seed}
	if err := s.Write(func(b store.Batch) error {
		_, err := b.BeginRun(begun, time.Unix(0, 0))
		return errors.Join(err, f.write(b))
	}); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return dir
}

func (f fixture) write(b store.Batch) error {
	if err := b.SetPlan(store.FromConfig, f.systems, f.judges, f.plan()); err != nil {
		return err
	}
	for i, q := range f.questions {
		if err := b.Question(q, i); err != nil {
			return err
		}
	}
	for _, a := range f.answers {
		if err := b.Answer(a, f.sizes[a.ID], nil); err != nil {
			return err
		}
	}
	for _, v := range f.verdicts {
		if v.Status == "" {
			v = settle(f.rubric, v)
		}
		if err := b.Verdict(v, nil); err != nil {
			return err
		}
	}
	return b.SetUnplaced(store.FromConfig, f.unplaced)
}

func settle(r rubric.Rubric, v data.Verdict) data.Verdict {
	if fault := r.Check(v.Scores, v.Judge == data.Human); fault != nil {
		v.Status, v.Reason = data.Status(fault.Kind), fault.Reason
		return v
	}
	total := r.Total(v.Scores)
	v.Status, v.Total = data.Valid, &total
	return v
}

func (f fixture) plan() []store.PlanCell {
	var cells []store.PlanCell
	at := map[[4]string]int{}
	add := func(c store.PlanCell) {
		key := [4]string{c.Kind, c.Judge, c.System, c.Scenario}
		i, ok := at[key]
		if !ok {
			i, at[key] = len(cells), len(cells)
			c.Fingerprint = "f"
			cells = append(cells, c)
			cells[i].Planned = 0
		}
		cells[i].Planned += c.Planned
		cells[i].Note = c.Note
	}
	place := map[string]data.Answer{}
	for _, a := range f.answers {
		place[a.ID] = a
		add(store.PlanCell{Kind: store.KindAnswer, System: a.System, Scenario: a.Scenario, Planned: 1})
	}
	for _, v := range f.verdicts {
		a := place[v.Answer]
		add(store.PlanCell{Kind: store.KindVerdict, Judge: v.Judge, System: a.System, Scenario: a.Scenario, Planned: 1})
	}
	for _, c := range f.extra {
		add(c)
	}
	return cells
}

// releaseFixture is the authors' release as an import records it, with a judge
// that gives full marks.
func releaseFixture(t testing.TB, shared string) fixture {
	t.Helper()
	release, err := release.Read(filepath.Join(shared, "data", "cqa-release"))
	if err != nil {
		t.Fatal(err)
	}
	f := fixture{rubric: rubric.CQA(), seed: 1, answers: release.Answers, verdicts: release.Verdicts}
	seen := map[string]bool{}
	for _, a := range release.Answers {
		if !seen["system "+a.System] {
			seen["system "+a.System] = true
			f.systems = append(f.systems, store.Participant{Name: a.System, Kind: "imported"})
		}
		f.verdicts = append(f.verdicts, data.Verdict{Answer: a.ID, Judge: "constant", Repeat: 1, Scores: rubric.CQA().Full()})
	}
	for _, v := range f.verdicts {
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
		f.judges = append(f.judges, p)
	}
	for _, u := range release.Unmatched {
		f.unplaced = append(f.unplaced, store.Unplaced{Judge: u.Judge, Source: filepath.Base(u.File), System: u.System, Scenario: u.Scenario, Aspect: u.Aspect, Reason: "no answer has its text"})
	}
	return f
}
