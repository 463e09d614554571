package bench

import (
	"context"
	"errors"
	"io/fs"

	"github.com/spf13/cobra"

	"compqa/bench/config"
	"compqa/bench/estimate"
	"compqa/bench/plan"
	"compqa/bench/run"
	"compqa/results/store"
)

func estimateCommand(streams run.Streams) *cobra.Command {
	var f runFlags
	cmd := &cobra.Command{
		Use:   "estimate",
		Short: "Estimate calls, tokens, costs and time of a run, before anything is asked",
		Long: `Prints for every model and judge how many calls ` + "`compqa run`" + ` would make, how
many tokens they take, what they cost and how long they last. Calls already recorded
in DIR are excluded. Answers of a release count once they are on record
(` + "`compqa import --release`" + `).

Judges under pairwise are counted over the pairs of the run, as
` + "`compqa pairwise run`" + ` takes them without --pairs or --llmbar.

Prompts are rendered as they would be sent. The tokens of a model or judge that has
calls on record are estimated from their average; otherwise from four bytes to a token
and the assumptions that are printed below the table. Unknown prices show as "?".
Repairs are included where they are on record. Retries are not: most failed attempts
cost nothing.

Exit codes: 0 done; 2 usage, configuration or input.`,
		Example: `  compqa estimate
  compqa estimate --limit 2                   # of a rehearsal
  compqa estimate --retry-failed --out results/runs/latest`,
		RunE: func(cmd *cobra.Command, _ []string) error { return runEstimate(cmd.Context(), f, streams) },
	}
	cmd.Flags().StringVar(&f.config, "config", config.DefaultConfig, "the configuration `FILE`")
	cmd.Flags().StringVar(&f.out, "out", defaultOut, "the run's folder `DIR`, whose record is excluded")
	cmd.Flags().IntVar(&f.limit, "limit", 0, "ask only the first `N` questions (0: all)")
	cmd.Flags().BoolVar(&f.retryFailed, "retry-failed", false, "count failed calls as to be asked again")
	return cmd
}

func runEstimate(ctx context.Context, f runFlags, streams run.Streams) error {
	if err := f.check(); err != nil {
		return err
	}
	c, err := config.Load(f.config)
	if err != nil {
		return err
	}
	db, err := store.Open(f.out)
	if errors.Is(err, fs.ErrNotExist) {
		db, err = nil, nil
	}
	if err != nil {
		return err
	}
	if db != nil {
		defer db.Close()
	}
	p, err := plan.New(c, f.limit, db)
	if err != nil {
		return err
	}
	e, err := estimate.Of(ctx, p, db, f.retryFailed)
	if err != nil {
		return err
	}
	if err := e.Print(streams.Out); err != nil {
		return err
	}
	return e.Budget(db, streams.Out)
}
