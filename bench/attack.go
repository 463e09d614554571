package bench

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"compqa/bench/attack"
	"compqa/bench/config"
	"compqa/bench/run"
	"compqa/data"
	"compqa/judges"
	"compqa/judges/faithful"
	"compqa/results/judgequality"
	"compqa/results/table"
)

type attackFlags struct {
	judgeFlags
	limit  int
	asJSON run.JSON[attacksJSON]
}

// attacksJSON are the rows of a judge of answers, or of one that labels statements.
type attacksJSON struct {
	Probes table.Rows[judgequality.AttackRow] `json:"probes,omitempty"`
	Labels table.Rows[attack.FlagRow]         `json:"labels,omitempty"`
}

func attackCommand(streams run.Streams) *cobra.Command {
	var f attackFlags
	cmd := run.Command("attack --judge NAME --in FILE", "Damage answers on purpose, and measure what a judge detects",
		func(cmd *cobra.Command, _ []string) error { return f.run(cmd.Context(), streams) })
	f.add(cmd, "also write the table to `FILE`, as CSV")
	cmd.Flags().IntVar(&f.limit, "limit", 0, "attack `N` answers, drawn at random (0: all)")
	f.asJSON.Add(cmd.Flags())
	run.Require(cmd, "judge", "in")
	return cmd
}

func (f attackFlags) run(ctx context.Context, streams run.Streams) error {
	if f.limit < 0 {
		return config.Usagef("--limit is %d; it must be a number of answers", f.limit)
	}
	if f.reading.Show {
		return f.showReading(streams)
	}
	labels := f.judge == faithful.Name
	if labels {
		f.judge = faithful.Grounded.Name // it reads the same questions and answers
	}
	p, answers, err := f.read(streams.Err)
	if err != nil {
		return err
	}
	answers = attack.Sample(slices.DeleteFunc(answers, func(a data.Answer) bool { return strings.TrimSpace(a.Text) == "" }), f.limit,
		p.Config.Run.Seed)
	attacked := attack.ApplyAll(answers, uint64(p.Config.Run.Seed), p.Question)
	if labels {
		rows, err := attack.FlagRows(answers, attacked, p.Question)
		if err != nil {
			return err
		}
		return show(f, streams, rows, attacksJSON{Labels: rows},
			table.View(2, rows, "attack", "judge", "n", "supported", "contradicted", "unsupported", "flagged"))
	}
	verdicts, invalid, err := score(ctx, streams, p, attacked)
	if err != nil {
		return err
	}
	rows, err := judgequality.AttackRows(attack.Compare(p.Judges[0].Name, answers, attack.TotalsOf(attacked, verdicts)), p.Rubric.Max())
	if err != nil {
		return err
	}
	if err := show(f, streams, rows, attacksJSON{Probes: rows}, judgequality.AttackTable(rows)); err != nil {
		return err
	}
	if invalid > 0 {
		return fmt.Errorf("%w: %d of %d verdicts", run.ErrIncomplete, invalid, len(answers)*(1+len(judges.Attacks)))
	}
	return nil
}

// show prints the rows and writes them to the file that --out names.
func show[Row any](f attackFlags, streams run.Streams, rows []Row, all attacksJSON, view *table.Table) error {
	var err error
	if f.asJSON.On {
		err = f.asJSON.Print(streams.Out, all)
	} else {
		err = view.Terminal(streams.Out)
	}
	if err != nil || f.out == "" {
		return err
	}
	return writeOut(f.out, streams.Out, table.CSV(rows))
}
