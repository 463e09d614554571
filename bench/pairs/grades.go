package pairs

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"compqa/bench/config"
	"compqa/bench/plan"
	"compqa/bench/run"
	"compqa/data"
	"compqa/judges/pairwise"
	"compqa/results/store"
)

// gradeRationales lets every entry of method meta-judge grade the rationales of the judges
// that it names, or of all judges with Con-J's methods.
func (r *Session) gradeRationales(ctx context.Context) error {
	r.Record.Sync()
	parties, sources, err := r.GradeSources()
	if err != nil || sources == nil {
		return err
	}
	return r.work(ctx, "grades", parties, sources)
}

// A grading is the preferences whose rationales an entry grades.
type grading struct {
	ref   *config.PairwiseJudge
	items []graded
}

// A graded is a preference whose rationale is to be graded.
type graded struct {
	work       pairItem
	judge      *PairJudge
	preference data.Preference
}

func (r *Session) gradings() ([]grading, error) {
	var all []grading
	for _, ref := range r.Refs {
		if ref.Method == config.MethodMeta && r.faults[ref.Provider] == "" {
			items, err := r.toGrade(ref)
			if err != nil {
				return nil, err
			}
			all = append(all, grading{ref, items})
		}
	}
	return all, nil
}

// GradeSources are a source for each entry that grades.
func (r *Session) GradeSources() (parties []run.Party, sources []run.Source, err error) {
	gradings, err := r.gradings()
	for _, g := range gradings {
		parties = append(parties, run.Party{Name: g.ref.Name, Provider: g.ref.Provider, Planned: len(g.items)})
		sources = append(sources, source(g.ref, g.ref.Provider, func(yield func(run.Task, error) bool) { r.gradeTasks(g, yield) }))
	}
	return parties, sources, err
}

func (r *Session) gradeTasks(of grading, yield func(run.Task, error) bool) {
	ref := of.ref
	meta := pairwise.Model{Name: ref.Model, Options: ref.AllOptions(), Extra: ref.Extra}
	known, err := r.grades(ref.Name)
	if err != nil {
		yield(run.Task{}, err)
		return
	}
	for _, it := range of.items {
		fingerprint := config.HashOf(ref.Model, ref.AllOptions(), ref.Extra, r.Config.Providers[ref.Provider].Server(), it.work.fingerprint, it.preference.Choice, it.preference.Rationale)
		key := it.work.key(it.judge)
		if !yield(run.Task{Party: byPreference(ref.Name), Provider: ref.Provider, Fingerprint: fingerprint, Recorded: known[key], Calls: 1,
			Do: func(ctx context.Context, ask run.Asker) (run.Item, error) {
				return it.grade(ctx, ask, ref, meta, store.RecordedGrade{PreferenceKey: key, Grader: ref.Name, Fingerprint: fingerprint}), nil
			}}, nil) {
			return
		}
	}
}

// grades are the recorded grades of a grader.
func (r *Session) grades(grader string) (map[store.PreferenceKey]store.State, error) {
	known := map[store.PreferenceKey]store.State{}
	if r.Store == nil {
		return known, nil
	}
	recorded, err := r.Store.Grades()
	for _, g := range recorded {
		if g.Grader == grader {
			known[g.PreferenceKey] = store.State{Status: g.Status, Fingerprint: g.Fingerprint}
		}
	}
	return known, err
}

// grade grades the rationale of row.
func (it graded) grade(ctx context.Context, ask run.Asker, ref *config.PairwiseJudge, meta pairwise.Model, row store.RecordedGrade) run.Item {
	shown := pairwise.Show(it.work.Pair.Pair, it.work.order)
	g := meta.Grade(ctx, shown, AsPair(data.Choice(it.preference.Choice), it.work.order), it.preference.Rationale,
		ask.Roles(map[pairwise.Role]string{pairwise.RolePreference: ref.Provider}))
	row.Status, row.Correctness, row.Consistency, row.Reason = g.Status, g.Correctness, g.Consistency, g.Reason
	if g.Status == data.Valid {
		row.Right = &g.Right
	}
	return run.Item{Status: row.Status, Write: func(b store.Batch, calls []int64) error { return b.Grade(row, calls) }}
}

// toGrade are the valid preferences with a rationale of the judges that an entry
// grades.
func (r *Session) toGrade(ref *config.PairwiseJudge) ([]graded, error) {
	var items []graded
	for _, w := range r.pairs {
		if !slices.Contains(ref.Grades, w.judge.Name) && (ref.Grades != nil || !strings.HasPrefix(w.judge.Method, pairwise.MethodConJ) || w.judge.Method == pairwise.MethodConJBare) {
			continue
		}
		var preferences map[store.PreferenceKey]data.Preference
		if r.Store != nil {
			var err error
			if preferences, err = r.Store.PreferencesOf(w.judge.Name, w.judge.Method); err != nil {
				return nil, err
			}
		}
		for _, it := range w.Items {
			p, ok := preferences[it.key(w.judge)]
			if !ok && r.Assume && w.note == "" {
				p, ok = data.Preference{Status: data.Valid, Choice: string(data.ChoiceA), Rationale: plan.AssumedText}, true
			}
			if ok && p.Status == data.Valid && strings.TrimSpace(p.Rationale) != "" {
				items = append(items, graded{it, w.judge, p})
			}
		}
	}
	return items, nil
}

// takeGrades records human grades, and prints those without a recorded preference.
func (r *Session) takeGrades(grades []data.HumanGrade) error {
	known := map[store.PreferenceKey]store.State{}
	read := map[[2]string]bool{}
	for _, g := range grades {
		if judge := [2]string{g.Judge, g.Method}; !read[judge] {
			read[judge] = true
			states, err := r.Store.PreferenceStates(g.Judge, g.Method)
			if err != nil {
				return err
			}
			maps.Copy(known, states)
		}
	}
	return r.Store.Write(func(b store.Batch) error {
		for _, g := range grades {
			key := store.PreferenceKey{ID: g.ID, Judge: g.Judge, Method: g.Method, Order: g.Order}
			if _, ok := known[key]; !ok {
				fmt.Fprintf(r.streams.Err, "not placed: grade of %s: %s (%s) has no preference on pair %q in order %s\n", g.Grader, g.Judge, g.Method, g.ID, g.Order)
				continue
			}
			if err := b.Grade(store.RecordedGrade{PreferenceKey: key, Grader: g.Grader, Fingerprint: config.HashOf(g), Status: data.Valid,
				Correctness: g.Correctness, Consistency: g.Consistency}, nil); err != nil {
				return err
			}
		}
		return nil
	})
}
