package pairs

import (
	"context"
	"fmt"
	"iter"

	"compqa/bench/config"
	"compqa/bench/run"
	"compqa/data"
	"compqa/judges/pairwise"
	"compqa/results/store"
)

// GradeMethod is the method under which the grade of a sampled judgment is recorded.
func GradeMethod(source string, sample int) string {
	return fmt.Sprintf("sampled: %s %d", source, sample)
}

// grader is the entry of --grader; nil: none.
func (f Flags) grader(c *config.Config) (*config.PairwiseJudge, error) {
	if f.Grader == "" {
		return nil, nil
	}
	for i := range c.Pairwise {
		if ref := &c.Pairwise[i]; ref.Name == f.Grader {
			if ref.Method != config.MethodMeta {
				return nil, config.UsageError{Err: fmt.Errorf("--grader is %q, which has the method %s; it must be an entry of method %s", f.Grader, ref.Method, config.MethodMeta)}
			}
			return ref, nil
		}
	}
	return nil, config.UsageError{Err: fmt.Errorf("--grader is %q; pairwise has no such entry", f.Grader)}
}

// grade has the grader grade the rationales of the judgments that choose the answer that people
// prefer (Ye et al. 2024, A.4). Each is a call like any other: recorded, and not made twice.
func (s *sampling) grade(ctx context.Context, ref *config.PairwiseJudge) error {
	if fault := s.faults[ref.Provider]; fault != "" {
		return fmt.Errorf("provider %s cannot be used: %s", ref.Provider, fault)
	}
	s.Record.Sync()
	recorded, err := s.recordedDraws()
	if err != nil {
		return err
	}
	known, err := s.grades(ref.Name)
	if err != nil {
		return err
	}
	meta := pairwise.Model{Name: ref.Model, Options: ref.AllOptions(), Extra: ref.Extra}
	server := s.Config.Providers[ref.Provider].Server()
	var tasks []run.Task
	var planned []store.PreferenceKey
	for _, it := range s.items {
		for _, d := range s.draws(it) {
			j := recorded[d]
			rationale, choice := pairwise.ReadJudgment(j.Text, it.Pair.Question, it.Pair.A, it.Pair.B)
			if j.Status != data.Valid || choice == "" || rationale == "" || AsPair(choice, it.order) != it.Pair.Label {
				continue
			}
			row := store.RecordedGrade{PreferenceKey: store.PreferenceKey{ID: d.id, Judge: s.ref.Name, Method: GradeMethod(d.source, d.sample), Order: d.order},
				Grader: ref.Name, Fingerprint: config.HashOf(meta, server, it.fingerprint, j.Text)}
			planned = append(planned, row.PreferenceKey)
			tasks = append(tasks, run.Task{Party: byPreference(ref.Name), Provider: ref.Provider, Fingerprint: row.Fingerprint, Recorded: known[row.PreferenceKey], Calls: 1,
				Do: func(ctx context.Context, ask run.Asker) (run.Item, error) {
					g := meta.Grade(ctx, pairwise.Show(it.Pair.Pair, it.order), choice, rationale, ask.Roles(map[pairwise.Role]string{pairwise.RolePreference: ref.Provider}))
					row.Status, row.Correctness, row.Consistency, row.Reason = g.Status, g.Correctness, g.Consistency, g.Reason
					if g.Status == data.Valid {
						row.Right = &g.Right
					}
					return run.Item{Status: row.Status, Write: func(b store.Batch, calls []int64) error { return b.Grade(row, calls) }}, nil
				}})
		}
	}
	each := iter.Seq2[run.Task, error](func(yield func(run.Task, error) bool) {
		for _, t := range tasks {
			if !yield(t, nil) {
				return
			}
		}
	})
	if err := s.work(ctx, "grades", []run.Party{{Name: ref.Name, Provider: ref.Provider, Planned: len(tasks)}}, []run.Source{source(ref, ref.Provider, each)}); err != nil {
		return err
	}
	s.Record.Sync()
	if known, err = s.grades(ref.Name); err != nil {
		return err
	}
	for _, key := range planned {
		if known[key].Status != data.Valid {
			s.ungraded++
		}
	}
	return nil
}
