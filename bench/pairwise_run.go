package bench

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"compqa/data"
	"compqa/judges/pairwise"
	"compqa/llm"
	"compqa/results/preferences"
	"compqa/results/store"
)

// A pairwiseRun is a run of pairwise judges under way.
type pairwiseRun struct {
	*runner
	flags    pairwiseFlags
	config   *Config
	plan     *plan // of the run whose record it is
	refs     []*PairwiseRef
	sets     []store.PairSet
	bar      *data.LLMBar // nil: none is asked for
	released releasedPreferences
	judges   []pairJudge
	work     []pairWork
	faults   map[string]string // by lane: why it cannot be used
	streams  Streams
}

// ask is how a judge asks the models of its roles; who pays for its calls is noted
// with them.
func (r *pairwiseRun) ask(who string, lanes map[pairwise.Role]string, calls *[]string) pairwise.Ask {
	return func(ctx context.Context, role pairwise.Role, sample int, req llm.Request) (llm.Reply, error) {
		return r.asker(lanes[role], sample, calls)(paidBy(ctx, store.Party{Kind: store.KindPreference, Name: who}), req)
	}
}

// askUntilStopped is ask for work that is not put into lanes: it may be called
// by several at once, and once the run is to stop it asks nothing more.
func (r *pairwiseRun) askUntilStopped(who string, lanes map[pairwise.Role]string) pairwise.Ask {
	return func(ctx context.Context, role pairwise.Role, sample int, req llm.Request) (llm.Reply, error) {
		if r.stopped(ctx) {
			return llm.Reply{}, context.Canceled
		}
		var calls []string
		return r.ask(who, lanes, &calls)(ctx, role, sample, req)
	}
}

// fault is why a judge cannot be asked, "" where it can.
func (r *pairwiseRun) fault(lanes map[pairwise.Role]string) string {
	for _, role := range []pairwise.Role{pairwise.RolePreference, pairwise.RoleAspects, pairwise.RoleComparisons, pairwise.RoleComparator} {
		if fault := r.faults[lanes[role]]; fault != "" {
			return fault
		}
	}
	return ""
}

// start begins to record and to listen for Ctrl-C. end must be called.
func (r *pairwiseRun) start(ctx context.Context) (running context.Context, end func() error) {
	ctx, drain, done := interruptible(ctx, r.streams.Err)
	r.drain = drain
	r.record, ctx = store.NewRecorder(ctx, r.store)
	return ctx, func() error {
		defer done()
		return r.record.Close()
	}
}

// errStopped ends a command that was interrupted.
var errStopped = errors.New("stopped; everything that came in is recorded, and the same command goes on from there")

// judging wants all entries, and a rewriter and something to rewrite where biases
// are asked for.
var judging = commandKind{
	wants: func(*PairwiseRef) bool { return true },
	check: func(r *pairwiseRun) error {
		if len(r.flags.inject) > 0 && r.sets != nil && !r.labelled() {
			return errNothingToInject
		}
		_, err := r.rewriterModel()
		return err
	},
}

// runPairwise has judges say which answer is better, and reports.
func runPairwise(ctx context.Context, f pairwiseFlags, streams Streams) error {
	grades, err := f.readGrades()
	if err != nil {
		return err
	}
	r, err := openPairwise(ctx, f, streams, judging)
	if err != nil {
		return err
	}
	defer r.store.Close()
	if err := r.perform(ctx); err != nil {
		return err
	}
	if err := r.takeGrades(grades); err != nil {
		return err
	}
	if err := preferences.PairwiseReport(f.out, f.out, streams.Out); err != nil {
		return fmt.Errorf("writing the reports: %w", err)
	}
	return r.incomplete()
}

// perform asks everybody and records what they say.
func (r *pairwiseRun) perform(ctx context.Context) error {
	ctx, end := r.start(ctx)
	err := r.steps(ctx)
	stopped := r.stopped(ctx)
	if err := errors.Join(err, end()); err != nil {
		return err
	}
	if stopped {
		return errStopped
	}
	return nil
}

// tell begins to show how far work is, party by party.
func (r *pairwiseRun) tell(parties []store.PlanCell) {
	p := &plan{config: r.config}
	for _, c := range parties {
		p.verdicts = append(p.verdicts, verdictCell{PlanCell: c})
	}
	r.progress = newProgress(r.streams.Err, p, onlyVerdicts)
	r.plan.notice = r.progress.say
	r.progress.watch(r.clients, r.plan.till)
}

// told ends it; what names the things that were counted.
func (r *pairwiseRun) told(what string) {
	r.plan.notice = nil
	fmt.Fprintln(r.streams.Err, strings.Replace(r.progress.close(), "cells", what, 1))
}

func (r *pairwiseRun) steps(ctx context.Context) error {
	if err := r.inject(ctx); err != nil {
		return err
	}
	if err := r.buildJudges(ctx); err != nil {
		return err
	}
	imported, err := r.importedSystems()
	if err != nil {
		return err
	}
	orders, _ := r.flags.orders() // checked with the flags
	r.work = layOut(r.judges, r.sets, orders, imported, r.config.Run.Seed)
	for i := range r.work {
		r.work[i].note = r.fault(r.work[i].judge.lanes)
	}
	id, err := r.begin()
	if err != nil {
		return err
	}
	r.announce()
	if err := r.preferences(ctx); err != nil || r.stopped(ctx) {
		return err
	}
	if err := r.gradeRationales(ctx); err != nil || r.stopped(ctx) {
		return err
	}
	return r.store.FinishPairwise(id, time.Now())
}

// buildJudges builds the entries' judges and those that are always there.
func (r *pairwiseRun) buildJudges(ctx context.Context) error {
	for _, ref := range r.refs {
		if ref.Method == methodMeta || slices.Contains(pairwise.OfflineMethods(), ref.Method) {
			continue
		}
		aspects, err := r.aspectsOf(ctx, ref)
		if err != nil {
			return err
		}
		j, err := r.config.livePairJudge(ref, aspects)
		if err != nil {
			return err
		}
		r.judges = append(r.judges, j)
	}
	offline, err := r.config.offlinePairJudges()
	r.judges = append(r.judges, offline...)
	return err
}

// importedSystems are those whose answers came with an import.
func (r *pairwiseRun) importedSystems() (map[string]bool, error) {
	cells, err := r.store.Imported()
	if err != nil {
		return nil, err
	}
	systems := map[string]bool{}
	for _, c := range cells {
		systems[c.System] = true
	}
	return systems, nil
}
