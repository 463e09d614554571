package plan

import (
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"compqa/bench/cli"
	"compqa/bench/config"
	"compqa/data"
	"compqa/results/store"
)

// Begin records the provenance and the plan of a run; state is a hash of both.
func (p *Plan) Begin(db *store.Store) (id int64, state string, err error) {
	if err := p.checkHeadline(db); err != nil {
		return 0, "", err
	}
	made, err := p.provenance()
	if err != nil {
		return 0, "", err
	}
	made.ReleaseHash, err = db.ImportHash(OriginRelease)
	if err != nil {
		return 0, "", err
	}
	var cells []store.PlanCell
	for _, c := range p.Jobs() {
		cell := c.PlanCell
		if cell.Note == "" && c.Of != nil { // without an answer, its verdict is skipped too
			cell.Note = c.Of.Note
		}
		cells = append(cells, cell)
	}
	systems, judges := p.Participants()
	unplaced := p.unplaced()
	id, err = p.begin(db, made, func(b store.Batch) (err error) {
		if err := b.SetUnplaced(store.FromConfig, unplaced); err != nil {
			return err
		}
		if err := b.SetPlan(store.FromConfig, systems, judges, cells); err != nil {
			return err
		}
		for _, s := range p.Systems {
			if err == nil && s.File != "" {
				err = b.Sources(s.Name, s.Sources)
			}
		}
		return err
	})
	return id, config.HashOf(programFile(), made, systems, judges, cells, p.Questions, unplaced), err
}

// beginTelling begins a run, and says on w what people did that is deleted because answers of this run have changed.
func (p *Plan) beginTelling(db *store.Store, w io.Writer) (id int64, state string, err error) {
	before, err := db.PeopleSheets(nil)
	if err != nil {
		return 0, "", err
	}
	id, state, err = p.Begin(db)
	if err != nil {
		return id, state, err
	}
	after, err := db.PeopleSheets(nil)
	if before > after {
		fmt.Fprintf(w, "%s deleted, because the answers have changed\n",
			data.Plural(before-after, "imported score sheet of people is", "imported score sheets of people are"))
	}
	return id, state, err
}

// begin records the provenance of a run, the whole set of questions, so that its hash can be checked, and more.
func (p *Plan) begin(db *store.Store, made store.Provenance, more func(store.Batch) error) (id int64, err error) {
	err = db.Write(func(b store.Batch) (err error) {
		id, err = b.BeginRun(made, time.Now())
		if err != nil {
			return err
		}
		if err := b.Questions(p.Set); err != nil {
			return err
		}
		return more(b)
	})
	return id, err
}

// programFile distinguishes this program from a modified build of the same commit.
func programFile() string {
	path, _ := os.Executable() // "" if it is not known
	info, err := os.Stat(path)
	if err != nil {
		return ""
	}
	return fmt.Sprint(info.Size(), info.ModTime())
}

// made returns the program and the configuration that results are made with.
func (p *Plan) made() (store.Provenance, error) {
	cfg, err := p.Config.JSON()
	if err != nil {
		return store.Provenance{}, config.Usagef("%s: %w", p.Config.File, err)
	}
	program, revision := cli.BuildVersion()
	return store.Provenance{Program: program, Revision: revision, Config: cfg, Seed: p.Config.Run.Seed}, nil
}

func (p *Plan) provenance() (store.Provenance, error) {
	made, err := p.made()
	if err != nil {
		return made, err
	}
	templates := map[string]string{}
	for _, s := range p.Scenarios {
		templates[s.ID] = s.Source
	}
	made.Dataset, made.DataHash, made.RubricHash = p.Config.Dataset, p.dataHash, config.HashOf(p.Rubric)
	made.Rubric, made.Templates = string(config.Encoded(p.Rubric)), string(config.Encoded(templates))
	return made, nil
}

// unplaced returns the verdicts of files whose answers the plan does not have.
func (p *Plan) unplaced() (rows []store.Unplaced) {
	known := data.Among(slices.Concat(data.Each(p.Answers, func(c *Job) []string { return c.IDs })...))
	add := func(judge, about, answer, source string) {
		if !known[answer] {
			rows = append(rows, store.Unplaced{Judge: judge, Source: source, System: data.NoScenario, Scenario: data.NoScenario,
				Reason: fmt.Sprintf("%s: no answer has the id %q", about, answer)})
		}
	}
	for _, j := range p.Judges {
		for _, v := range j.Existing {
			add(v.Judge, j.About, v.Answer, fmt.Sprintf("%s, repeat %d", v.Answer, v.Repeat))
		}
	}
	for _, j := range p.Summaries {
		for _, l := range j.Existing {
			add(l.Judge, j.About, l.Answer, l.Answer+store.LabelSource)
		}
	}
	return rows
}

// NoteImport records the provenance of an import if no run has begun yet: a report needs the rubric.
func (p *Plan) NoteImport(db *store.Store) error {
	begun, err := db.LastConfig()
	if err != nil || begun != "" {
		return err
	}
	made, err := p.provenance()
	if err != nil {
		return err
	}
	id, err := p.begin(db, made, func(store.Batch) error { return nil })
	if err != nil {
		return err
	}
	return db.FinishRun(id, time.Now())
}

// OriginRelease marks what came with the authors' release.
const OriginRelease = "release"
