package plan

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"

	"compqa/bench/config"
	"compqa/bench/parties"
	"compqa/bench/run"
	"compqa/data"
	"compqa/judges/pairwise"
	"compqa/results/store"
)

// A rationale is the explanation of a recorded choice on a pair. A judge of method meta-judge grades it.
type rationale struct {
	shown       pairwise.OrderedPair // the pair as the meta-judge sees it
	choice      data.Choice          // the choice among the answers in the order shown
	text        string
	preference  store.At // where the choice is recorded
	fingerprint string
}

// grading makes the stage in which meta-judges grade rationales: first of preferences, then of sampled judgments. A meta-judge that grades
// both has one job.
func (r *pairing) grading() (stage Stage, err error) {
	r.sync()
	by := map[*config.Judge][]rationale{}
	var graders []*config.Judge // in the order in which they grade
	add := func(ref *config.Judge, rationales []rationale, err error) error {
		if _, known := by[ref]; !known {
			graders = append(graders, ref)
		}
		by[ref] = append(by[ref], rationales...)
		return err
	}
	for _, ref := range r.refs {
		if ref.Method != pairwise.MethodMeta || ref.Provider == config.ProviderFile || r.plan.faults[ref.Provider] != "" {
			continue
		}
		rationales, err := r.toGrade(ref)
		if err := add(ref, rationales, err); err != nil {
			return stage, err
		}
	}
	for _, s := range r.sampled {
		if s.grader == nil || r.plan.faults[s.grader.Provider] != "" {
			continue
		}
		rationales, err := s.toGrade()
		if err := add(s.grader, rationales, err); err != nil {
			return stage, err
		}
	}
	for _, ref := range graders {
		r.graded = append(r.graded, &Job{Party: parties.PairParty(ref, ref.Provider), results: grades(ref, by[ref]),
			PlanCell: store.PlanCell{Kind: store.KindGrade, Judge: ref.Name, Planned: len(by[ref])}})
	}
	return r.stage("grades", r.graded), nil
}

// grades returns the planned grades of rationales by the meta-judge ref.
func grades(ref *config.Judge, rationales []rationale) iter.Seq2[Result, error] {
	meta := pairwise.Model{Name: ref.Model, Options: ref.AllOptions(), Extra: ref.Extra}
	return func(yield func(Result, error) bool) {
		for _, it := range rationales {
			graded := it.preference
			row := store.RecordedGrade{ID: graded.Subject, Judge: graded.Party, Method: graded.Variant, Order: graded.Order, Grader: ref.Name,
				Fingerprint: it.fingerprint}
			if !yield(Result{At: row.Place(), Fingerprint: func() string { return it.fingerprint }, Calls: 1,
				Make: func(ctx context.Context, ask run.Asker) (run.Item, error) {
					made := meta.Grade(ctx, it.shown, it.choice, it.text,
						ask.Roles(map[pairwise.Role]string{pairwise.RolePreference: ref.Provider}))
					row.Status = made.Status
					row.Correctness = made.Correctness
					row.Consistency = made.Consistency
					row.Reason = made.Reason
					if made.Status == data.Valid {
						row.Right = &made.Right
					}
					return run.Item{Status: row.Status, Write: func(b store.Batch, calls []int64) error { return b.Grade(row, calls) }}, nil
				}}, nil) {
				return
			}
		}
	}
}

// identityOf returns the hash of everything that an entry's grades depend on besides the graded judgment.
func (r *pairing) identityOf(ref *config.Judge) string {
	return config.HashOf(ref.Model, ref.AllOptions(), ref.Extra, r.plan.Config.Providers[ref.Provider].Server())
}

// toGrade returns the rationales of valid preferences that the meta-judge ref grades. These are of the judges that ref names, or of all
// judges whose Con-J method gives rationales if ref names none. In an estimate, missing preferences count with an assumed rationale.
func (r *pairing) toGrade(ref *config.Judge) (rationales []rationale, err error) {
	for _, c := range r.preferred {
		con := strings.HasPrefix(c.Method, pairwise.MethodConJ) && c.Method != pairwise.MethodConJBare
		if ref.Grades != nil && !slices.Contains(ref.Grades, c.Judge) || ref.Grades == nil && !con {
			continue
		}
		recorded, err := store.ResultsOf[data.Preference](r.Store, store.PlanCell{Kind: store.KindPreference, Judge: c.Judge, Method: c.Method})
		if err != nil {
			return nil, err
		}
		preferences := data.By(recorded, func(p data.Preference) store.At { return store.PreferenceAt(p.ID, p.Judge, p.Method, p.Order) })
		for it := range c.items {
			p, ok := preferences[c.place(it)]
			if !ok && r.Assume && c.Note == "" {
				p = data.Preference{Status: data.Valid, Choice: string(data.ChoiceA), Rationale: AssumedText}
				ok = true
			}
			if ok && p.Status == data.Valid && strings.TrimSpace(p.Rationale) != "" {
				rationales = append(rationales, rationale{pairwise.OrderPair(it.pair.Pair, it.order), data.Choice(p.Choice).In(it.order), p.Rationale,
					c.place(it), config.HashOf(r.identityOf(ref), c.fingerprint(it), p.Choice, p.Rationale)})
			}
		}
	}
	return rationales, nil
}

// takeGrades records people's grades. It does not record a grade whose preference is not on record, but prints a line about it.
func (r *pairing) takeGrades() error {
	known := map[[2]string]map[store.At]store.State{}
	for _, g := range r.people {
		if judge := [2]string{g.Judge, g.Method}; known[judge] == nil {
			states, err := r.Store.States(store.PlanCell{Kind: store.KindPreference, Judge: g.Judge, Method: g.Method})
			if err != nil {
				return err
			}
			known[judge] = states
		}
	}
	return r.Store.Write(func(b store.Batch) error {
		for _, g := range r.people {
			row := store.RecordedGrade{ID: g.ID, Judge: g.Judge, Method: g.Method, Order: g.Order, Grader: g.Grader,
				Fingerprint: config.HashOf(g), Head: store.Head{Status: data.Valid}, Correctness: g.Correctness, Consistency: g.Consistency}
			if _, ok := known[[2]string{g.Judge, g.Method}][row.Graded()]; !ok {
				r.say("not placed: grade of %s: %s (%s) has no preference on pair %q in order %s", g.Grader, g.Judge, g.Method, g.ID, g.Order)
				continue
			}
			if err := b.Grade(row, nil); err != nil {
				return err
			}
		}
		return nil
	})
}

// GradeMethod returns the method name under which the grade of a sampled judgment is recorded.
func GradeMethod(source string, sample int) string {
	return fmt.Sprintf("sampled: %s %d", source, sample)
}
