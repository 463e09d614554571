package bench

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"compqa/bench/config"
	"compqa/data/sources"
	"compqa/judges/pairwise"
	"compqa/results/preferences"
	"compqa/results/store"
)

// A pairwiseRun is a run of pairwise judges.
type pairwiseRun struct {
	*engine
	flags    pairwiseFlags
	config   *config.Config
	plan     *plan // of the run whose record it is
	refs     []*config.PairwiseJudge
	sets     []store.PairSet
	bar      *sources.LLMBar // nil: none is asked for
	released releasedPreferences
	judges   []pairJudge
	pairs    []pairWork
	faults   map[string]string // why providers cannot be used
	streams  Streams

	assume      bool     // for estimates: what is not on record yet is taken to be there
	extractions []Source // in estimates: of aspects
}

// fault is why a judge cannot be asked, "" where it can.
func (r *pairwiseRun) fault(providers map[pairwise.Role]string) string {
	for _, role := range []pairwise.Role{pairwise.RolePreference, pairwise.RoleAspects, pairwise.RoleComparisons, pairwise.RoleComparator} {
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

// judging wants all entries, and a rewriter and something to rewrite where biases
// are asked for.
var judging = commandKind{
	wants: func(*config.PairwiseJudge) bool { return true },
	check: func(r *pairwiseRun) error {
		if len(r.flags.inject) > 0 && r.sets != nil && !r.labelled() {
			return errNothingToInject
		}
		_, err := r.rewriterModel()
		return err
	},
}

// runPairwise has judges decide which answer is better, and writes the reports.
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

// perform has everything decided that is not on record.
func (r *pairwiseRun) perform(ctx context.Context) error {
	return r.recording(ctx, r.steps)
}

// recording does steps that record what they do and can be interrupted.
func (r *pairwiseRun) recording(ctx context.Context, steps func(context.Context) error) error {
	ctx, end := r.start(ctx, r.streams.Err)
	err := steps(ctx)
	stopped := r.stopped(ctx)
	if err := errors.Join(err, end()); err != nil {
		return err
	}
	if stopped {
		return errStopped
	}
	return nil
}

// work does the tasks of some sources and shows how far they are; unit says what they are.
func (r *pairwiseRun) work(ctx context.Context, unit string, parties []party, sources []Source) error {
	r.progress = newProgress(r.streams.Err, unit, parties)
	r.progress.show(r.clients, r.budgets)
	err := r.run(ctx, sources)
	fmt.Fprintln(r.streams.Err, r.progress.close())
	return err
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
	r.layOut(imported)
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

// layOut plans which judge decides on which pairs.
func (r *pairwiseRun) layOut(imported map[string]bool) {
	orders, _ := r.flags.orders() // checked with the flags
	r.pairs = layOut(r.judges, r.sets, orders, imported, r.config.Run.Seed)
	for i := range r.pairs {
		r.pairs[i].note = r.fault(r.pairs[i].judge.providers)
	}
}

// buildJudges builds the entries' judges and those that are always there.
func (r *pairwiseRun) buildJudges(ctx context.Context) error {
	for _, ref := range r.refs {
		if ref.Method == config.MethodMeta || slices.Contains(pairwise.OfflineMethods(), ref.Method) {
			continue
		}
		aspects, err := r.aspectsOf(ctx, ref)
		if err != nil {
			return err
		}
		j, err := livePairJudge(r.config, ref, aspects)
		if err != nil {
			return err
		}
		r.judges = append(r.judges, j)
	}
	offline, err := offlinePairJudges(r.config)
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
