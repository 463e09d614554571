// Package attack applies the attacks of package judges to answers, and compares the points before and after.
package attack

import (
	"context"
	"slices"

	"compqa/bench/config"
	"compqa/bench/parties"
	"compqa/bench/plan"
	"compqa/bench/run"
	"compqa/data"
	"compqa/judges"
	"compqa/judges/scoring"
	"compqa/results/store"
)

// SampleSize is the number of a run's answers that are attacked.
const SampleSize = 100

// Sample draws n of the answers, those with the smallest hashes of seed and id,
// and keeps their order. It returns all of them where n is 0.
func Sample(answers []data.Answer, n int, seed int64) []data.Answer {
	if n == 0 || n >= len(answers) {
		return answers
	}
	keep := config.Smallest(data.Each(answers, func(a data.Answer) string { return a.ID }), n, seed)
	return slices.DeleteFunc(slices.Clone(answers), func(a data.Answer) bool { return !keep[a.ID] })
}

// ApplyAll returns the answers and, for each attack, all of them attacked.
func ApplyAll(answers []data.Answer, seed uint64, question func(data.Answer) data.Question) []data.Answer {
	all := slices.Repeat(answers, 1+len(judges.Attacks))
	data.SideBySide(len(all)-len(answers), func(n int) error {
		attack := judges.Attacks[n/len(answers)]
		i := n % len(answers)
		a := &all[len(answers)+n]
		a.Text = attack.Apply(question(*a), a.Text, foreign(answers, i), seed)
		a.ID = attackedID(a.ID, attack)
		return nil
	})
	return all
}

func attackedID(id string, attack judges.Attack) string { return id + "\x00" + attack.Name }

// IDOf returns the id under which Compare finds the total of an answer as it is (0), or after attack n from 1.
func IDOf(id string, n int) string {
	if n == 0 {
		return id
	}
	return attackedID(id, judges.Attacks[n-1])
}

// foreign returns an answer to another question than that of answer i: the next one in the list, or a built-in reference.
func foreign(answers []data.Answer, i int) string {
	for k := range answers {
		if other := answers[(i+1+k)%len(answers)]; other.Pair() != answers[i].Pair() {
			return other.Text
		}
	}
	q, _ := data.First(data.CQA50(), func(q data.Question) bool { return q.Pair() != answers[i].Pair() })
	return data.References()[q.Pair()]
}

// Compare lists the totals before and after each attack. It leaves out answers
// that lack one of the two totals, because the verdict was not valid.
func Compare(judge string, answers []data.Answer, totals map[string]float64) []store.AttackedAnswer {
	var list []store.AttackedAnswer
	for n, attack := range judges.Attacks {
		for _, a := range answers {
			before, ok := totals[a.ID]
			after, also := totals[attackedID(a.ID, attack)]
			if ok && also {
				list = append(list, store.AttackedAnswer{Judge: judge, Attack: attack.Name, About: attack.About, Position: n, Expects: attack.Expects,
					Answer: a.ID, Pair: a.Pair(), Before: before, After: after})
			}
		}
	}
	return list
}

// RecordRun attacks the judges of a run that need no model, on some of its answers. It does nothing where the record has the
// result for the same judges and answers.
func RecordRun(ctx context.Context, p *plan.Plan, db *store.Store) (fresh bool, err error) {
	recorded, err := db.AttackWork()
	if err != nil {
		return false, err
	}
	work, err := Work(p, db)
	if err != nil || recorded == work || attackable(p) == nil && recorded == "" {
		return false, err
	}
	answers, err := db.SomeAnswers(SampleSize, p.Config.Run.Seed)
	if err != nil {
		return false, err
	}
	list, err := Totals(ctx, p, answers)
	if err != nil || list == nil && recorded == "" {
		return false, err
	}
	return true, db.Write(func(b store.Batch) error { return b.SetAttacks(work, list) })
}

// attackable returns the embedded judges of a plan.
func attackable(p *plan.Plan) []parties.Judge {
	return data.Where(p.Judges, func(j parties.Judge) bool {
		return j.Score != nil && j.Provider == run.Offline && j.Kind == config.KindEmbedded
	})
}

// Work returns the hash of all that the attacks of a run depend on: the judges, and the answers that they are drawn from.
func Work(p *plan.Plan, db *store.Store) (string, error) {
	answers, err := db.AnswerWork()
	identities := data.Each(attackable(p), func(j parties.Judge) string { return j.Name + " " + j.Identity })
	return config.HashOf(identities, judges.AttacksVersion, p.Rubric, answers), err
}

// Totals returns the totals of a plan's embedded judges for answers before and after each attack.
func Totals(ctx context.Context, p *plan.Plan, answers []data.Answer) (list []store.AttackedAnswer, err error) {
	attacked := ApplyAll(answers, uint64(p.Config.Run.Seed), p.Question)
	for _, j := range attackable(p) {
		verdicts := make([]data.Verdict, len(attacked))
		err := data.SideBySide(len(attacked), func(i int) error {
			verdicts[i] = scoring.Settle(p.Rubric, j.Score(ctx, p.Question(attacked[i]), attacked[i], nil))
			return ctx.Err()
		})
		if err != nil {
			return nil, err
		}
		list = append(list, Compare(j.Name, answers, TotalsOf(attacked, verdicts))...)
	}
	return list, nil
}

// TotalsOf returns the totals of the verdicts on answers, by the answer's id.
func TotalsOf(answers []data.Answer, verdicts []data.Verdict) map[string]float64 {
	totals := map[string]float64{}
	for i, v := range verdicts {
		if v.Total != nil {
			totals[answers[i].ID] = *v.Total
		}
	}
	return totals
}
