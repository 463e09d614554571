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

// SampleSize is the number of answers of a run that are attacked.
const SampleSize = 100

// Sample draws n answers, those whose hash of seed and id is smallest, and keeps their order. If n is 0, it returns all answers.
func Sample(answers []data.Answer, n int, seed int64) []data.Answer {
	if n == 0 || n >= len(answers) {
		return answers
	}
	keep := config.Smallest(data.Each(answers, func(a data.Answer) string { return a.ID }), n, seed)
	return slices.DeleteFunc(slices.Clone(answers), func(a data.Answer) bool { return !keep[a.ID] })
}

// ApplyAll returns the original answers, followed by the attacked answers: for each attack in judges.Attacks, every answer changed by it.
// An attacked answer has the id that IDOf returns.
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

// IDOf returns the id of the answer with this id after attack n, counted from 1. For n = 0 it returns the id of the unchanged answer.
// Compare looks up totals by these ids.
func IDOf(id string, n int) string {
	if n == 0 {
		return id
	}
	return attackedID(id, judges.Attacks[n-1])
}

// foreign returns the text of an answer to another question than that of answer i: the next such answer in the list, or a built-in
// reference.
func foreign(answers []data.Answer, i int) string {
	for k := range answers {
		if other := answers[(i+1+k)%len(answers)]; other.Pair() != answers[i].Pair() {
			return other.Text
		}
	}
	q, _ := data.First(data.CQA50(), func(q data.Question) bool { return q.Pair() != answers[i].Pair() })
	return data.References()[q.Pair()]
}

// Compare lists the totals before and after each attack. It leaves out an answer that lacks one of the two totals because its verdict was
// not valid.
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

// RecordRun attacks the run's judges that need no model, on SampleSize of its answers, and records the totals. It does nothing, and returns
// false, if the record already has the result for the same judges and answers.
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

// attackable returns the judges of a plan that are built into the program and need no model.
func attackable(p *plan.Plan) []parties.Judge {
	return data.Where(p.Judges, func(j parties.Judge) bool {
		return j.Score != nil && j.Provider == run.Offline && j.Kind == config.KindEmbedded
	})
}

// Work returns a hash of all that the result of the attacks depends on: the judges, the attacks' version, the rubric and the run's answers.
func Work(p *plan.Plan, db *store.Store) (string, error) {
	answers, err := db.AnswerWork()
	identities := data.Each(attackable(p), func(j parties.Judge) string { return j.Name + " " + j.Identity })
	return config.HashOf(identities, judges.AttacksVersion, p.Rubric, answers), err
}

// Totals returns the totals that a plan's embedded judges give to the answers before and after each attack.
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

// TotalsOf maps the id of each answer to the total of its verdict. Answers whose verdict has no total are left out.
func TotalsOf(answers []data.Answer, verdicts []data.Verdict) map[string]float64 {
	totals := map[string]float64{}
	for i, v := range verdicts {
		if v.Total != nil {
			totals[answers[i].ID] = *v.Total
		}
	}
	return totals
}
