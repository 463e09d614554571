package plan

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"compqa/bench/config"
	"compqa/bench/run"
	"compqa/data"
	"compqa/judges/pairwise"
	"compqa/results/store"
)

// A grading is the judgments whose rationales an entry of method meta-judge grades.
type grading struct {
	ref   *config.Judge
	items []graded
}

// A graded is a judgment on a pair, as it is shown.
type graded struct {
	shown     pairwise.Shown
	choice    data.Choice // among the answers as shown
	rationale string
	row       store.RecordedGrade
}

// grading lets the meta-judges grade the rationales of preferences and of sampled judgments.
func (r *pairing) grading() (stage Stage, err error) {
	r.sync()
	list, err := r.gradings()
	if err != nil {
		return stage, err
	}
	stage.Unit = "grades"
	for _, g := range list {
		known, err := r.Store.GradeStates(g.ref.Name)
		if err != nil {
			return stage, err
		}
		tasks := make([]run.Task, len(g.items))
		for i, it := range g.items {
			k := it.row.PreferenceKey
			tasks[i] = run.Task{Party: byPreference(g.ref.Name), At: store.ResultAt(store.KindGrade, k.ID, k.Judge, k.Method, k.Order, g.ref.Name),
				Provider: g.ref.Provider, Fingerprint: it.row.Fingerprint, Recorded: known[k], Calls: 1}
			tasks[i].Do = func(ctx context.Context, ask run.Asker) (run.Item, error) {
				meta := pairwise.Model{Name: g.ref.Model, Options: g.ref.AllOptions(), Extra: g.ref.Extra}
				made := meta.Grade(ctx, it.shown, it.choice, it.rationale,
					ask.Roles(map[pairwise.Role]string{pairwise.RolePreference: g.ref.Provider}))
				row := it.row
				row.Status, row.Correctness, row.Consistency, row.Reason = made.Status, made.Correctness, made.Consistency, made.Reason
				if made.Status == data.Valid {
					row.Right = &made.Right
				}
				return run.Item{Status: row.Status, Write: func(b store.Batch, calls []int64) error { return b.Grade(row, calls) }}, nil
			}
		}
		stage.add(g.ref.Name, g.ref, g.ref.Provider, len(tasks), run.SourceOf(tasks))
	}
	return stage, nil
}

// gradings are those of the entries that grade.
func (r *pairing) gradings() (all []grading, err error) {
	for _, ref := range r.refs {
		if ref.Method != pairwise.MethodMeta || ref.Provider == config.ProviderFile || r.plan.faults[ref.Provider] != "" {
			continue
		}
		items, err := r.toGrade(ref)
		if err != nil {
			return nil, err
		}
		all = append(all, grading{ref, items})
	}
	for _, s := range r.sampled {
		if s.grader == nil || r.plan.faults[s.grader.Provider] != "" {
			continue
		}
		items, err := s.toGrade()
		if err != nil {
			return nil, err
		}
		index := slices.IndexFunc(all, func(g grading) bool { return g.ref == s.grader })
		if index < 0 {
			index, all = len(all), append(all, grading{ref: s.grader})
		}
		all[index].items = append(all[index].items, items...)
	}
	return all, nil
}

// identityOf is all that the grades of an entry depend on besides the judgment.
func (r *pairing) identityOf(ref *config.Judge) string {
	return config.HashOf(ref.Model, ref.AllOptions(), ref.Extra, r.plan.Config.Providers[ref.Provider].Server())
}

// toGrade are the valid preferences with a rationale of the judges that an entry grades: those that
// it names, or all with Con-J's methods.
func (r *pairing) toGrade(ref *config.Judge) (items []graded, err error) {
	for _, w := range r.work {
		con := strings.HasPrefix(w.judge.Method, pairwise.MethodConJ) && w.judge.Method != pairwise.MethodConJBare
		if ref.Grades != nil && !slices.Contains(ref.Grades, w.judge.Name) || ref.Grades == nil && !con {
			continue
		}
		preferences, err := r.Store.PreferencesOf(w.judge.Name, w.judge.Method)
		if err != nil {
			return nil, err
		}
		for _, it := range w.Items {
			key := it.key(w.judge)
			p, ok := preferences[key]
			if !ok && r.Assume && w.note == "" {
				p, ok = data.Preference{Status: data.Valid, Choice: string(data.ChoiceA), Rationale: AssumedText}, true
			}
			if ok && p.Status == data.Valid && strings.TrimSpace(p.Rationale) != "" {
				fingerprint := config.HashOf(r.identityOf(ref), w.fingerprint(it), p.Choice, p.Rationale)
				items = append(items, graded{pairwise.Show(it.Pair.Pair, it.Order), data.Choice(p.Choice).In(it.Order), p.Rationale,
					store.RecordedGrade{PreferenceKey: key, Grader: ref.Name, Fingerprint: fingerprint}})
			}
		}
	}
	return items, nil
}

// takeGrades records people's grades, and prints those without a recorded preference.
func (r *pairing) takeGrades() error {
	known := map[[2]string]map[store.PreferenceKey]store.State{}
	for _, g := range r.people {
		if judge := [2]string{g.Judge, g.Method}; known[judge] == nil {
			states, err := r.Store.PreferenceStates(g.Judge, g.Method)
			if err != nil {
				return err
			}
			known[judge] = states
		}
	}
	return r.Store.Write(func(b store.Batch) error {
		for _, g := range r.people {
			key := store.PreferenceKey{ID: g.ID, Judge: g.Judge, Method: g.Method, Order: g.Order}
			if _, ok := known[[2]string{g.Judge, g.Method}][key]; !ok {
				r.say("not placed: grade of %s: %s (%s) has no preference on pair %q in order %s", g.Grader, g.Judge, g.Method, g.ID, g.Order)
				continue
			}
			if err := b.Grade(store.RecordedGrade{PreferenceKey: key, Grader: g.Grader, Fingerprint: config.HashOf(g),
				Head:        store.Head{Status: data.Valid},
				Correctness: g.Correctness, Consistency: g.Consistency}, nil); err != nil {
				return err
			}
		}
		return nil
	})
}

// GradeMethod is the method under which the grade of a sampled judgment is recorded.
func GradeMethod(source string, sample int) string {
	return fmt.Sprintf("sampled: %s %d", source, sample)
}
