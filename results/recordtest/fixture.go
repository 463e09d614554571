// Package recordtest is for tests: it makes records of runs, and datasets of them.
package recordtest

import (
	"cmp"
	"encoding/json"
	"errors"
	"testing"
	"time"

	"compqa/data"
	"compqa/results/dataset"
	"compqa/results/store"
	"compqa/rubric"
)

// A Fixture is what a test's record is made of. Verdicts without a status are
// settled by the rubric, and the plan asks for as many answers and verdicts as
// there are and more where Extra says so.
type Fixture struct {
	Rubric    rubric.Rubric
	Seed      int64
	Config    string // "": without declarations
	Systems   []store.Participant
	Judges    []store.Participant
	Questions []data.Question
	Answers   []data.Answer
	Sizes     map[string]store.Size // by answer's id
	Verdicts  []data.Verdict
	Extra     []store.PlanCell
	Unplaced  []store.Unplaced
}

// Write writes the record into a folder, and returns the folder.
func (f Fixture) Write(t testing.TB, dir string) string {
	t.Helper()
	s, err := store.Create(dir)
	if err != nil {
		t.Fatal(err)
	}
	encoded, err := json.Marshal(f.Rubric)
	if err != nil {
		t.Fatal(err)
	}
	begun := store.Provenance{Program: "v0", Config: cmp.Or(f.Config, `{"dataset":"ours"}`), Dataset: "ours", DataHash: "d",
		Rubric:     string(encoded),
		RubricHash: f.Rubric.Name, Templates: `{"2":"two {{.Arguments}}","1":"one"}`, Seed: f.Seed}
	if err := s.Write(func(b store.Batch) error {
		_, err := b.BeginRun(begun, time.Unix(0, 0))
		return errors.Join(err, f.fill(b))
	}); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return dir
}

// Dataset writes the record into a folder of the test, and loads it.
func (f Fixture) Dataset(t testing.TB) *dataset.Dataset {
	t.Helper()
	return Load(t, f.Write(t, t.TempDir()))
}

// Load loads the records in folders as one.
func Load(t testing.TB, dirs ...string) *dataset.Dataset {
	t.Helper()
	run, err := dataset.Load(dirs...)
	if err != nil {
		t.Fatal(err)
	}
	return dataset.New(run)
}

// fill writes all but the run.
func (f Fixture) fill(b store.Batch) error {
	if err := b.SetPlan(store.FromConfig, f.Systems, f.Judges, f.Plan()); err != nil {
		return err
	}
	for i, q := range f.Questions {
		if err := b.Question(q, i); err != nil {
			return err
		}
	}
	for _, a := range f.Answers {
		if err := b.Answer(a, f.Sizes[a.ID], nil); err != nil {
			return err
		}
	}
	for _, v := range f.Verdicts {
		if v.Status == "" {
			v = settle(f.Rubric, v)
		}
		if err := b.Verdict(v, nil); err != nil {
			return err
		}
	}
	return b.SetUnplaced(store.FromConfig, f.Unplaced)
}

// settle gives a verdict the status and the total that its scores have by the rubric.
func settle(r rubric.Rubric, v data.Verdict) data.Verdict {
	if fault := r.Check(v.Scores, v.Judge == data.Human); fault != nil {
		v.Status = data.Status(fault.Kind)
		v.Reason = fault.Reason
		if v.Status == data.Incomplete && data.IsHuman(v.Judge) && len(v.Scores) > 0 && r.CheckGiven(v.Scores, v.Judge == data.Human) == nil {
			v.Status = data.Partial
		}
		return v
	}
	total := r.Total(v.Scores)
	v.Status = data.Valid
	v.Total = &total
	return v
}

// Plan has as many answers and verdicts as there are, and those of Extra.
func (f Fixture) Plan() []store.PlanCell {
	var cells []store.PlanCell
	index := map[[4]string]int{}
	add := func(c store.PlanCell) {
		key := [4]string{c.Kind, c.Judge, c.System, c.Scenario}
		i, ok := index[key]
		if !ok {
			i = len(cells)
			index[key] = len(cells)
			c.Fingerprint = "f"
			cells = append(cells, c)
			cells[i].Planned = 0
		}
		cells[i].Planned += c.Planned
		cells[i].Note = c.Note
	}
	place := map[string]data.Answer{}
	for _, a := range f.Answers {
		place[a.ID] = a
		add(store.PlanCell{Kind: store.KindAnswer, System: a.System, Scenario: a.Scenario, Planned: 1})
	}
	for _, v := range f.Verdicts {
		a := place[v.Answer]
		add(store.PlanCell{Kind: store.KindVerdict, Judge: v.Judge, System: a.System, Scenario: a.Scenario, Planned: 1})
	}
	for _, c := range f.Extra {
		add(c)
	}
	return cells
}
