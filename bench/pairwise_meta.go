package bench

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"compqa/data"
	"compqa/judges/pairwise"
	"compqa/results/store"
)

// gradeRationales has every entry of method meta-judge grade the rationales of
// the judges that it names, or of all that give any with Con-J's methods.
func (r *pairwiseRun) gradeRationales(ctx context.Context) error {
	for _, ref := range r.refs {
		if ref.Method != methodMeta {
			continue
		}
		if fault := r.faults[ref.Provider]; fault != "" {
			continue // told when it was connected to
		}
		if err := r.gradeBy(ctx, ref); err != nil || r.stopped(ctx) {
			return err
		}
	}
	return nil
}

// A graded is a preference whose rationale is to be graded.
type graded struct {
	work       pairItem
	judge      *pairJudge
	preference data.Preference
}

func (r *pairwiseRun) gradeBy(ctx context.Context, ref *PairwiseRef) error {
	r.record.Sync()
	items, err := r.toGrade(ref)
	if err != nil {
		return err
	}
	meta := pairwise.MetaJudge{Model: pairwise.Model{Name: ref.Model, Options: ref.Options, Extra: ref.Extra}}
	known := map[store.PreferenceKey]store.State{}
	recorded, err := r.store.Grades()
	if err != nil {
		return err
	}
	for _, g := range recorded {
		if g.Grader == ref.Name {
			known[g.PreferenceKey] = store.State{Status: g.Status, Fingerprint: g.Fingerprint}
		}
	}
	r.tell([]store.PlanCell{{Judge: ref.Name, Planned: len(items)}})
	err = r.workers([]func(*sync.WaitGroup) error{func(pending *sync.WaitGroup) error {
		for _, it := range items {
			key := store.PreferenceKey{ID: it.preference.ID, Judge: it.preference.Judge, Method: it.preference.Method, Order: it.preference.Order}
			fingerprint := hashOf(ref.Model, ref.Options, ref.Extra, r.config.Providers[ref.Provider].BaseURL, it.work.fingerprint, it.preference.Choice, it.preference.Rationale)
			if state, ok := known[key]; ok && state.Fingerprint == fingerprint && !(r.retry && state.Status.Retryable()) {
				r.progress.recorded(ref.Name, 1)
				continue
			}
			if !r.enter(ctx, ref.Provider, pending, func() { r.gradeOne(ctx, ref, meta, it, key, fingerprint) }) {
				return nil
			}
		}
		return nil
	}})
	r.told("grades")
	return err
}

// toGrade are the valid preferences with a rationale of the judges that an entry
// grades.
func (r *pairwiseRun) toGrade(ref *PairwiseRef) ([]graded, error) {
	var items []graded
	for _, w := range r.work {
		if !slices.Contains(ref.Grades, w.judge.Name) && (ref.Grades != nil || !strings.HasPrefix(w.judge.Method, pairwise.MethodConJ) || w.judge.Method == pairwise.MethodConJBare) {
			continue
		}
		preferences, err := r.store.PreferencesOf(w.judge.Name, w.judge.Method)
		if err != nil {
			return nil, err
		}
		for _, it := range w.items {
			p, ok := preferences[store.PreferenceKey{ID: it.pair.ID, Judge: w.judge.Name, Method: w.judge.Method, Order: it.order}]
			if ok && p.Status == data.Valid && strings.TrimSpace(p.Rationale) != "" {
				items = append(items, graded{it, w.judge, p})
			}
		}
	}
	return items, nil
}

// ungraded is how many rationales have no valid grade by an entry that was to
// give one.
func (r *pairwiseRun) ungraded() (int, error) {
	recorded, err := r.store.Grades()
	if err != nil {
		return 0, err
	}
	type grading struct {
		store.PreferenceKey
		grader string
	}
	fine := map[grading]bool{}
	for _, g := range recorded {
		fine[grading{g.PreferenceKey, g.Grader}] = g.Status == data.Valid
	}
	missing := 0
	for _, ref := range r.refs {
		if ref.Method != methodMeta || r.faults[ref.Provider] != "" {
			continue
		}
		items, err := r.toGrade(ref)
		if err != nil {
			return 0, err
		}
		for _, it := range items {
			p := it.preference
			if !fine[grading{store.PreferenceKey{ID: p.ID, Judge: p.Judge, Method: p.Method, Order: p.Order}, ref.Name}] {
				missing++
			}
		}
	}
	return missing, nil
}

func (r *pairwiseRun) gradeOne(ctx context.Context, ref *PairwiseRef, meta pairwise.MetaJudge, it graded, key store.PreferenceKey, fingerprint string) {
	var calls []string
	lanes := map[pairwise.Role]string{pairwise.RolePreference: ref.Provider}
	shown := pairwise.Show(it.work.pair.Pair, it.work.order)
	g := meta.Grade(ctx, shown, asPair(data.Choice(it.preference.Choice), it.work.order), it.preference.Rationale, r.ask(ref.Name, lanes, &calls))
	if g.Status == data.Pending {
		return
	}
	row := store.RecordedGrade{PreferenceKey: key, Grader: ref.Name, Fingerprint: fingerprint, Status: g.Status, Correctness: g.Correctness, Consistency: g.Consistency, Reason: g.Reason}
	if g.Status == data.Valid {
		row.Right = &g.Right
	}
	file(r.record, row.Status, func(b store.Batch) error { return b.Grade(row, calls) })
	r.progress.finished(ref.Name, g.Status)
}

// readGrades reads people's grades, before anything is written.
func (f pairwiseFlags) readGrades() ([]data.PeopleGrade, error) {
	if f.grades == "" {
		return nil, nil
	}
	grades, err := data.ReadGrades(f.grades)
	if err != nil {
		return nil, usageError{err}
	}
	return grades, nil
}

// takeGrades records people's grades; those of preferences that are not on
// record are told.
func (r *pairwiseRun) takeGrades(grades []data.PeopleGrade) error {
	known := map[[2]string]map[store.PreferenceKey]store.State{}
	for _, g := range grades {
		judge := [2]string{g.Judge, g.Method}
		if known[judge] != nil {
			continue
		}
		states, err := r.store.PreferenceStates(g.Judge, g.Method)
		if err != nil {
			return err
		}
		known[judge] = states
	}
	return r.store.Write(func(b store.Batch) error {
		for _, g := range grades {
			key := store.PreferenceKey{ID: g.ID, Judge: g.Judge, Method: g.Method, Order: g.Order}
			if _, ok := known[[2]string{g.Judge, g.Method}][key]; !ok {
				fmt.Fprintf(r.streams.Err, "not placed: grade of %s: %s (%s) has no preference on pair %q in order %s\n", g.Grader, g.Judge, g.Method, g.ID, g.Order)
				continue
			}
			if err := b.Grade(store.RecordedGrade{PreferenceKey: key, Grader: g.Grader, Fingerprint: hashOf(g), Status: data.Valid,
				Correctness: g.Correctness, Consistency: g.Consistency}, nil); err != nil {
				return err
			}
		}
		return nil
	})
}
