package plan

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"slices"
	"time"

	"compqa/bench/cli"
	"compqa/bench/config"
	"compqa/bench/run"
	"compqa/data"
	"compqa/results/store"
)

// Perform connects to the providers of a plan and executes its tasks, or only the tasks of the part that only names. It returns the
// planner, and in state a hash of what the reports depend on besides answers and verdicts; state is "" if only pairs are judged. Progress
// goes to w. The steps are:
//   - connect to the providers, and load the budgets;
//   - record the provenance and the plan;
//   - run the stages one after the other, until an error, a stop, or the end.
func (p *Plan) Perform(ctx context.Context, e *run.Engine, only string, f cli.Flags, w io.Writer) (sources *Planner, state string,
	err error) {
	if err := p.Connect(ctx, e, only, f.Strict, w); err != nil {
		return nil, "", err
	}
	sources, err = NewPlanner(p, e.Store, f.RetryFailed)
	if err == nil {
		err = e.Budgets.Charge(p.Config, e.Store)
	}
	var id int64
	switch {
	case err != nil:
	case AboutPairs(only):
		err = p.NoteImport(e.Store)
	default:
		id, state, err = p.beginTelling(e.Store, w)
	}
	if err != nil {
		return nil, "", err
	}
	if p.Pairs != nil {
		p.Pairs.SayRead(w)
	}
	ctx, end := e.Start(ctx, w)
	sources.engine = e
	sources.notes = w
	stopped := false
	for stage, failed := range sources.Stages(only) {
		if err = failed; err == nil {
			err = e.RunShown(ctx, stage.Unit, stage.Parties, stage.Sources, w)
		}
		stopped = e.Stopped(ctx)
		if err != nil || stopped {
			break
		}
		if stage.Unit == UnitResults && e.Complete() && only == "" {
			e.Record.Sync()
			err = e.Store.FinishRun(id, time.Now())
		}
	}
	stopped = stopped || e.Stopped(ctx)
	err = errors.Join(err, end())
	p.Changed = e.Record.Wrote.Load()
	if err == nil && stopped {
		err = cli.ErrStopped
	}
	return sources, state, err
}

// Connect makes clients for the providers of the part that only names. A job whose provider cannot be used gets the reason as its Note, and
// is skipped.
func (p *Plan) Connect(ctx context.Context, e *run.Engine, only string, strict bool, w io.Writer) (err error) {
	var providers []string
	if p.Pairs != nil && (only == "" || AboutPairs(only)) {
		providers = p.Pairs.providers()
	}
	cells := p.Jobs()
	if AboutPairs(only) {
		cells = nil
	}
	for _, c := range cells {
		providers = append(providers, c.providers()...)
	}
	p.faults, err = e.Connect(ctx, providers, strict, w)
	for _, c := range cells {
		c.Note = ""
		for _, provider := range c.providers() {
			c.Note = cmp.Or(c.Note, p.faults[provider])
		}
	}
	return err
}

// The parts of a run, as the flag --only names them.
const (
	OnlyAnswers   = "answers"
	OnlyVerdicts  = "verdicts"
	OnlySummaries = "summaries"
	OnlyPairs     = "pairs"
	OnlySamples   = "samples" // sampled judgments
)

// Parts lists all values of --only.
var Parts = []string{OnlyAnswers, OnlyVerdicts, OnlySummaries, OnlyPairs, OnlySamples}

// AboutPairs reports whether --only selects a part that only has tasks about pairs.
func AboutPairs(only string) bool { return only == OnlyPairs || only == OnlySamples }

// does reports whether a run with --only=only has a part. The value "" selects all parts.
func does(only, part string) bool { return only == "" || only == part }

// UnitResults is the unit of progress for answers, verdicts and summary labels.
const UnitResults = "results"

// A Stage is a group of tasks that may run at the same time. It begins when the stage before has ended.
type Stage struct {
	Unit    string // the unit of progress
	Parties []run.Party
	Sources []run.Source
}

// Stages yields the tasks of a plan in a fixed order, one stage at a time:
//   - answers, verdicts and summary labels, then the verdicts of later judges in an escalation;
//   - if pairs are judged: rewritten answers, aspects, preferences, sampled judgments, and grades of rationales.
//
// Each stage is computed from the record when the stage before has ended. A run executes the tasks, an estimate counts them without asking,
// and a verification replays them from the record.
func (s *Planner) Stages(only string) iter.Seq2[Stage, error] {
	return func(yield func(Stage, error) bool) {
		if !AboutPairs(only) {
			cells := data.Where(s.Plan.Jobs(), func(c *Job) bool { return does(only, c.Part()) && !s.later(c) })
			later := data.Where(s.Plan.Jobs(), func(c *Job) bool { return does(only, c.Part()) && s.later(c) })
			first := s.stage(UnitResults, cells)
			if len(later) > 0 {
				first.Unit = unitVerdicts
			}
			if !yield(first, nil) || !s.escalating(later, yield) {
				return
			}
		}
		if only != "" && !AboutPairs(only) {
			return
		}
		if s.Plan.Pairs == nil {
			if err := s.retirePairs(); err != nil {
				yield(Stage{}, err)
			}
			return
		}
		s.Paired = &pairing{Planner: s, Pairs: *s.Plan.Pairs, samplesOnly: only == OnlySamples}
		s.Paired.Sets, s.Paired.Given = slices.Clone(s.Plan.Pairs.Sets), slices.Clone(s.Plan.Pairs.Given)
		r := s.Paired
		for _, step := range []func() (Stage, error){r.ownStage, r.rewriting, r.extracting, r.preferring, r.sampling, r.grading, r.finish} {
			stage, err := step()
			if errors.Is(err, ErrNoPairs) && only == "" {
				r.say("no judge of pairs is asked: no two answers to the same question are valid")
				if err = r.retire(); err == nil {
					return
				}
			}
			if (err != nil || len(stage.Sources) > 0) && !yield(stage, err) || err != nil {
				return
			}
		}
	}
}

// Begin records the provenance of a run, its plan, and all questions, so that a reader can check their hash. It returns the id of the run.
// state is a hash of the provenance, the plan and the program.
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
		if cell.Note == "" && c.Of != nil { // a verdict is skipped if its answer is
			cell.Note = c.Of.Note
		}
		cells = append(cells, cell)
	}
	systems, judges := p.Participants()
	unplaced := p.unplaced()
	id, err = begin(db, made, func(b store.Batch) (err error) {
		if err := errors.Join(b.Questions(p.Set), b.SetUnplaced(store.FromConfig, unplaced)); err != nil {
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

// beginTelling begins a run. If people's score sheets are deleted because their answers have changed, it prints how many.
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

// begin records, in one transaction, the provenance of a part of a run and what planned writes.
func begin(db *store.Store, made store.Provenance, planned func(store.Batch) error) (id int64, err error) {
	err = db.Write(func(b store.Batch) (err error) {
		id, err = b.BeginRun(made, time.Now())
		if err != nil {
			return err
		}
		return planned(b)
	})
	return id, err
}

// programFile returns the size and modification time of the running program. So a modified build of the same commit counts as another
// program.
func programFile() string {
	path, _ := os.Executable() // "" if it is not known
	info, err := os.Stat(path)
	if err != nil {
		return ""
	}
	return fmt.Sprint(info.Size(), info.ModTime())
}

// made returns the provenance of results: the program, its revision, the configuration and the seed.
func (p *Plan) made() (store.Provenance, error) {
	cfg, err := p.Config.JSON()
	if err != nil {
		return store.Provenance{}, config.Usagef("%s: %w", p.Config.File, err)
	}
	program, revision := cli.BuildVersion()
	return store.Provenance{Program: program, Revision: revision, Config: cfg, Seed: p.Config.Run.Seed}, nil
}

// provenance returns the provenance of a run, including its questions, rubric and templates.
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

// unplaced returns the verdicts and labels of files whose answers are not in the plan, each with the reason.
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

// NoteImport records the provenance of an import if the record has no run yet, because a report needs the rubric.
func (p *Plan) NoteImport(db *store.Store) error {
	begun, err := db.LastConfig()
	if err != nil || begun != "" {
		return err
	}
	made, err := p.provenance()
	if err != nil {
		return err
	}
	id, err := begin(db, made, func(b store.Batch) error { return b.Questions(p.Set) })
	if err != nil {
		return err
	}
	return db.FinishRun(id, time.Now())
}

// OriginRelease is the origin of results that come from the authors' release.
const OriginRelease = "release"
