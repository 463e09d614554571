package pairs

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
	"time"

	"compqa/bench/config"
	"compqa/bench/plan"
	"compqa/bench/run"
	"compqa/data"
	"compqa/data/sources"
	"compqa/judges/pairwise"
	"compqa/results/preferences"
	"compqa/results/store"
)

// A Session is a run of pairwise judges.
type Session struct {
	*run.Engine
	flags   Flags
	Config  *config.Config
	Plan    *plan.Plan // of the run whose record it is
	Refs    []*config.PairwiseJudge
	Sets    []store.PairSet
	Bar     *sources.LLMBar // nil: none is asked for
	Given   []data.Preference
	judges  []PairJudge
	pairs   []pairWork
	faults  map[string]string // why providers cannot be used
	streams run.Streams

	before      *store.PairwiseRecord                          // nil: there are no pairs yet
	givenBefore map[string]map[store.PreferenceKey]store.State // of the judges of given preferences, by judge and method

	Assume      bool         // for estimates: assume that missing results exist
	Extractions []run.Source // in estimates: of aspects
}

// fault is the reason why a judge cannot be used, "" if it can.
func (r *Session) fault(providers map[pairwise.Role]string) string {
	for _, role := range slices.Sorted(maps.Keys(providers)) {
		if fault := r.faults[providers[role]]; fault != "" {
			return fault
		}
	}
	return ""
}

// byPreference is the party that a judge's calls are counted for.
func byPreference(name string) store.Party {
	return store.Party{Kind: store.KindPreference, Name: name}
}

// checkInjection checks the flags of biases, which need a rewriter and pairs with a known
// preference.
func (r *Session) checkInjection() error {
	if len(r.flags.Inject) > 0 && r.Sets != nil && !r.labelled() {
		return errNothingToInject
	}
	_, err := r.rewriterModel()
	return err
}

// RunPairwise lets judges decide which answer is better, and writes the reports.
func RunPairwise(ctx context.Context, f Flags, streams run.Streams) error {
	var grades []data.HumanGrade
	if f.Grades != "" { // read before anything is written
		var err error
		if grades, err = data.ReadGrades(f.Grades); err != nil {
			return config.UsageError{Err: err}
		}
	}
	c, err := f.configuration()
	if err != nil {
		return err
	}
	return f.decide(ctx, c, streams, func(r *Session) error { return r.takeGrades(grades) }, (*Session).incomplete)
}

// decide opens the record, lets judges decide, and writes the reports after before.
func (f Flags) decide(ctx context.Context, c *config.Config, streams run.Streams, before func(*Session) error, end func(*Session, context.Context) error) error {
	r, err := f.open(ctx, c, streams, func(*config.PairwiseJudge) bool { return true }, (*Session).checkInjection)
	if err != nil {
		return err
	}
	defer r.Store.Close()
	if err := r.recording(ctx, r.steps); err != nil {
		return err
	}
	if err := before(r); err != nil {
		return err
	}
	if err := preferences.PairwiseReport(f.Out, f.Out, streams.Out); err != nil {
		return fmt.Errorf("writing the reports: %w", err)
	}
	return end(r, ctx)
}

// recording executes steps that write to the record and can be interrupted.
func (r *Session) recording(ctx context.Context, steps func(context.Context) error) error {
	ctx, end := r.Start(ctx, r.streams.Err)
	err := steps(ctx)
	stopped := r.Stopped(ctx)
	if err := errors.Join(err, end()); err != nil {
		return err
	}
	if stopped {
		return run.ErrStopped
	}
	return nil
}

// work executes the tasks of some sources and shows the progress, counted in unit.
func (r *Session) work(ctx context.Context, unit string, parties []run.Party, sources []run.Source) error {
	r.ShowProgress(r.streams.Err, unit, parties)
	defer r.EndProgress()
	return r.Run(ctx, sources)
}

func (r *Session) steps(ctx context.Context) error {
	if err := r.inject(ctx); err != nil {
		return err
	}
	if err := r.BuildJudges(ctx); err != nil {
		return err
	}
	cells, err := r.Store.Imported()
	if err != nil {
		return err
	}
	imported := map[string]bool{} // systems whose answers were imported
	for _, c := range cells {
		imported[c.System] = true
	}
	r.LayOut(imported)
	id, err := r.begin()
	if err != nil {
		return err
	}
	if err := r.preferences(ctx); err != nil || r.Stopped(ctx) {
		return err
	}
	if err := r.gradeRationales(ctx); err != nil || r.Stopped(ctx) {
		return err
	}
	return r.Store.FinishRun(id, time.Now())
}

// LayOut plans which judge decides on which pairs.
func (r *Session) LayOut(imported map[string]bool) {
	orders, _ := r.flags.orders() // checked with the flags
	r.pairs = LayOut(r.judges, r.Sets, orders, imported, r.Config.Run.Seed)
	for i := range r.pairs {
		r.pairs[i].note = r.fault(r.pairs[i].judge.Providers)
	}
}

// BuildJudges builds the judges of the entries and the offline ones.
func (r *Session) BuildJudges(ctx context.Context) error {
	for _, ref := range r.Refs {
		if ref.Method == config.MethodMeta || ref.Provider == config.ProviderFile || slices.Contains(pairwise.OfflineMethods(), ref.Method) {
			continue
		}
		aspects, err := r.aspectsOf(ctx, ref)
		if err != nil {
			return err
		}
		rounds, err := r.roundsOf(ref, aspects)
		if err != nil {
			return err
		}
		r.judges = append(r.judges, rounds...)
	}
	offline, err := OfflinePairJudges(r.Config)
	r.judges = append(r.judges, offline...)
	return err
}

// assumedRationale stands for a rationale that is not there yet, in estimates.
var assumedRationale = strings.Repeat("a word of a rationale ", 40)

// roundsOf are the judges of an entry. In an estimate, the calls for the rationales that it is shown
// are those of the judge that writes them.
func (r *Session) roundsOf(ref *config.PairwiseJudge, aspects []string) ([]PairJudge, error) {
	if !r.Assume || ref.RationaleFrom == "" {
		return LivePairJudges(r.Config, ref, aspects)
	}
	alone := *ref
	alone.RationaleFrom = ""
	rounds, err := LivePairJudges(r.Config, &alone, aspects)
	for i := range rounds {
		rounds[i].Decide = pairwise.WithAdvice(rounds[i].Decide, assumedRationale)
	}
	return rounds, err
}

// source is a source of tasks; the calls of an entry with batch: true are made in batches.
// Estimates and offline judges have no entry.
func source(ref *config.PairwiseJudge, provider string, tasks iter.Seq2[run.Task, error]) run.Source {
	s := run.Source{Tasks: func(context.Context) iter.Seq2[run.Task, error] { return tasks }}
	if ref != nil && ref.Batch {
		s.Batch = &run.BatchParty{Party: byPreference(ref.Name), Provider: provider, Model: ref.Model}
	}
	return s
}
