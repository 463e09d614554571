package bench

import (
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"compqa/bench/config"
	"compqa/bench/plan"
	"compqa/bench/run"
	"compqa/data"
	"compqa/judges"
	"compqa/judges/scoring"
	"compqa/results/judgequality"
	"compqa/results/preferences"
	"compqa/results/store"
)

type attackFlags struct {
	judge, in, out, config string
	limit                  int
}

func attackCommand(streams run.Streams) *cobra.Command {
	var f attackFlags
	cmd := &cobra.Command{
		Use:   "attack --judge NAME --in FILE",
		Short: "Spoil answers on purpose, and see what a judge notices",
		Long: `Has a judge score the answers of a file (as for compqa judge), spoils each of them
in eight ways, has those scored, and tells what that did to the points:

` + attackList() + `
A judge that reads form, as surface and rules do, notices little of it: its scores
are for screening and comparison, not for truth.

NAME is a judge of the configuration, models included, or an embedded one: ` + judges.EmbeddedNames() + `.
A model is asked ` + fmt.Sprint(1+len(judges.Attacks)) + ` times an answer; --limit N takes N answers of the file.

Outcomes: noticed (a spoilt answer loses a tenth of all points or more), hardly (it
loses less), unnoticed (it does not, as far as can be told), rewarded (it gains), resisted (the
answer is no worse, and does not gain). Intervals are at 95 %, clustered by question.

Exit codes: 0 done; 2 usage or input; 3 done, but some verdicts are not valid, and
their answers are left out.`,
		Example: `  compqa attack --judge surface --in answers.jsonl
  compqa attack --judge gpt-4o-judge --in answers.jsonl --limit 20 --out attacks.csv`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := required(cmd, map[string]*string{"judge": &f.judge, "in": &f.in}); err != nil {
				return err
			}
			return f.run(cmd.Context(), streams)
		},
	}
	cmd.Flags().StringVar(&f.judge, "judge", "", "the judge's `NAME`")
	cmd.Flags().StringVar(&f.in, "in", "", "the `FILE` with the answers")
	cmd.Flags().StringVar(&f.out, "out", "", "also write the table to `FILE`, as CSV")
	cmd.Flags().StringVar(&f.config, "config", "", "the configuration `FILE` that names judge and rubric (default: "+config.DefaultConfig+", where there is one)")
	cmd.Flags().IntVar(&f.limit, "limit", 0, "attack `N` answers, drawn at random (0: all)")
	return cmd
}

func attackList() string {
	text := ""
	for _, a := range judges.Attacks {
		text += fmt.Sprintf("  %-24s  %s\n", a.Name, a.About)
	}
	return text
}

func (f attackFlags) run(ctx context.Context, streams run.Streams) error {
	if f.limit < 0 {
		return config.UsageError{Err: fmt.Errorf("--limit is %d; it takes a number of answers", f.limit)}
	}
	p, answers, err := judgeFlags{judge: f.judge, in: f.in, config: f.config}.read(streams.Err)
	if err != nil {
		return err
	}
	answers = someOf(p, slices.DeleteFunc(answers, func(a data.Answer) bool { return a.Status != data.Valid }), f.limit)
	e := run.New(p.Config, nil, nil)
	ctx, end := e.Start(ctx, streams.Err)
	defer end()
	if err := p.Connect(ctx, e, true, streams.Err); err != nil {
		return err
	}
	totals := map[string]float64{}
	invalid, err := score(ctx, p, e, attacked(p, answers), func(a data.Answer, v data.Verdict) error {
		if v.Total != nil {
			totals[a.ID] = *v.Total
		}
		return nil
	})
	if err != nil {
		return err
	}
	rows, err := judgequality.AttackRows(comparedAttacks(p.Judges[0].Name, answers, totals), p.Rubric.Max())
	if err != nil {
		return err
	}
	if err := judgequality.PrintAttacks(streams.Out, rows); err != nil {
		return err
	}
	if f.out != "" {
		listing, err := preferences.CSV(rows)
		if err != nil {
			return err
		}
		if err := writeOut(f.out, streams.Out, func(w io.Writer) error { _, err := w.Write(listing); return err }); err != nil {
			return err
		}
	}
	if invalid > 0 {
		return fmt.Errorf("%w: %d of %d verdicts", run.ErrIncomplete, invalid, len(answers)*(1+len(judges.Attacks)))
	}
	return nil
}

// someOf are n of the answers, those with the smallest hashes of seed and id, in
// their order; all where n is 0.
func someOf(p *plan.Plan, answers []data.Answer, n int) []data.Answer {
	if n == 0 || n >= len(answers) {
		return answers
	}
	ids := make([]string, len(answers))
	for i, a := range answers {
		ids[i] = a.ID
	}
	keep := plan.Smallest(ids, n, p.Config.Run.Seed)
	return slices.DeleteFunc(slices.Clone(answers), func(a data.Answer) bool { return !keep[a.ID] })
}

// attacked are a file's or a run's answers with their attacks.
func attacked(p *plan.Plan, answers []data.Answer) []data.Answer {
	return withAttacks(answers, uint64(p.Config.Run.Seed), p.Question)
}

// withAttacks are the answers themselves and, for each attack, all of them attacked.
func withAttacks(answers []data.Answer, seed uint64, question func(data.Answer) data.Question) []data.Answer {
	all := slices.Clone(answers)
	for _, attack := range judges.Attacks {
		for i, a := range answers {
			a.Text = attack.Apply(question(a), a.Text, foreign(answers, i), seed)
			a.ID = attackedID(a.ID, attack)
			all = append(all, a)
		}
	}
	return all
}

func attackedID(id string, attack judges.Attack) string { return id + "\x00" + attack.Name }

// foreign is an answer to another question than the i-th: the next one there is,
// or a built-in reference.
func foreign(answers []data.Answer, i int) string {
	for k := range answers {
		if other := answers[(i+1+k)%len(answers)]; other.Pair() != answers[i].Pair() {
			return other.Text
		}
	}
	for _, q := range data.CQA50() {
		if q.Pair() != answers[i].Pair() {
			return data.References()[q.Pair()]
		}
	}
	return ""
}

// comparedAttacks puts the totals before and after side by side; where one is
// missing, the verdict was not valid.
func comparedAttacks(judge string, answers []data.Answer, totals map[string]float64) []store.AttackedAnswer {
	var list []store.AttackedAnswer
	for n, attack := range judges.Attacks {
		for _, a := range answers {
			before, ok := totals[a.ID]
			after, also := totals[attackedID(a.ID, attack)]
			if ok && also {
				list = append(list, store.AttackedAnswer{Judge: judge, Attack: attack.Name, About: attack.About, Position: n, Spoils: attack.Spoils,
					Answer: a.ID, Pair: a.Pair(), Before: before, After: after})
			}
		}
	}
	return list
}

// attackedInRuns is how many answers of a run are attacked.
const attackedInRuns = 100

// recordAttacks attacks the judges of a run that need no model, over some of its
// answers, unless that is on record: the judges are the same, and nothing new has
// come in.
func recordAttacks(ctx context.Context, p *plan.Plan, db *store.Store) (fresh bool, err error) {
	var embedded []plan.Judge
	var identities []string
	for _, j := range p.Judges {
		if j.Score != nil && j.Provider == run.Offline && j.Kind == config.KindEmbedded {
			embedded = append(embedded, j)
			identities = append(identities, j.Name, j.Identity)
		}
	}
	work := config.HashOf(identities, judges.AttacksVersion, p.Rubric)
	recorded, err := db.AttackWork()
	if err != nil || recorded == work && !p.Changed || embedded == nil && recorded == "" {
		return false, err
	}
	answers, err := db.SomeAnswers(attackedInRuns, p.Config.Run.Seed)
	if err != nil {
		return false, err
	}
	attacked := attacked(p, answers)
	var list []store.AttackedAnswer
	for _, j := range embedded {
		totals := map[string]float64{}
		for _, a := range attacked {
			if err := ctx.Err(); err != nil {
				return false, err
			}
			if v := scoring.Settle(p.Rubric, j.Score(ctx, p.Question(a), a, nil)); v.Total != nil {
				totals[a.ID] = *v.Total
			}
		}
		list = append(list, comparedAttacks(j.Name, answers, totals)...)
	}
	if list == nil && recorded == "" {
		return false, nil
	}
	return true, db.Write(func(b store.Batch) error { return b.SetAttacks(work, list) })
}
