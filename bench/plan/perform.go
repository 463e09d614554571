package plan

import (
	"cmp"
	"context"
	"errors"
	"io"
	"time"

	"compqa/bench/cli"
	"compqa/bench/run"
)

// Perform connects to the providers of a plan and executes its tasks, or those of the part that only names. state is a hash
// of everything that the reports depend on besides answers and verdicts. w is for progress.
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
	sources.engine, sources.notes = e, w
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

// Connect connects to the providers of the parts of a plan that only names, and notes in its cells which are skipped.
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
