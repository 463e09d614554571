package bench

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"compqa/bench/cli"
	"compqa/bench/config"
	"compqa/bench/estimate"
	"compqa/bench/plan"
	"compqa/data"
	"compqa/results/store"
)

// estimateCommand builds `compqa estimate`.
func estimateCommand(streams cli.Streams) *cobra.Command {
	var f runFlags
	var asJSON cli.JSON[[]estimate.Row]
	cmd := cli.Command("estimate", "Estimate the calls, tokens, cost and time of a run", func(cmd *cobra.Command, _ []string) error {
		if err := f.check(cmd, "questions"); err != nil {
			return err
		}
		return runEstimate(cmd.Context(), f, asJSON, streams)
	})
	cmd.Flags().StringVar(&f.Config, "config", config.DefaultConfig, "the configuration `FILE`")
	cmd.Flags().StringVar(&f.Out, "out", config.DefaultOut, "the run's folder `DIR`, whose recorded calls are excluded")
	cmd.Flags().IntVar(&f.Limit, "limit", 0, "use only the first `N` questions, and the first N pairs of each set (0: all)")
	cmd.Flags().StringVar(&f.only, "only", "", "estimate only one `PART`: "+strings.Join(plan.Parts, ", "))
	cmd.Flags().StringVar(&f.release, "release", "", "count the answers of the CompQA authors' release, from a checkout in `DIR`, as imported")
	f.addPairs(cmd)
	asJSON.Add(cmd.Flags())
	cmd.Flags().BoolVar(&f.RetryFailed, "retry-failed", false, "include failed calls, which would be repeated")
	return cmd
}

// runEstimate estimates the run of a configuration, given the record in --out if there is one, and prints the estimate. With --release, it
// first imports the release into a copy of the record.
func runEstimate(ctx context.Context, f runFlags, asJSON cli.JSON[[]estimate.Row], streams cli.Streams) error {
	c, err := config.Load(f.Config)
	if err != nil {
		return err
	}
	c.Release = f.release
	cli.ListSends(c, c.LiveProviders(), streams.Err)
	if err := f.ofPairs(c); err != nil {
		return err
	}
	db, err := store.Open(f.Out)
	if errors.Is(err, fs.ErrNotExist) {
		db = nil
		err = nil
	}
	if err != nil {
		return err
	}
	defer db.Close()
	p, err := f.plan(c)
	if err == nil && f.release != "" {
		var remove func()
		db, remove, err = f.withRelease(ctx, p, db)
		defer remove()
	}
	if err == nil {
		err = p.TakeImported(db, f.Limit)
	}
	if err != nil {
		return err
	}
	e, err := estimate.Of(ctx, p, db, f.only, f.RetryFailed)
	if err != nil {
		return err
	}
	if asJSON.On {
		return asJSON.Print(streams.Out, data.Each(e.Rows, func(r *estimate.Row) estimate.Row { return *r }))
	}
	if err := e.Print(streams.Out); err != nil {
		return err
	}
	return e.Budget(streams.Out)
}

// withRelease returns a temporary copy of the record with the authors' release imported. db may be nil. The caller must call remove.
func (f runFlags) withRelease(ctx context.Context, p *plan.Plan, db *store.Store) (copied *store.Store, remove func(), err error) {
	remove = func() {}
	release, err := importRelease(f.release)
	if err != nil {
		return nil, remove, err
	}
	temporary, err := store.NewTemporary(os.TempDir(), "compqa-estimate-")
	if err != nil {
		return nil, remove, err
	}
	dir := temporary.Dir
	remove = temporary.Close
	if db != nil {
		if err := db.Copy(ctx, filepath.Join(dir, filepath.Base(db.Path)), nil); err != nil {
			return nil, remove, err
		}
	}
	copied, err = store.Create(dir)
	if err != nil {
		return nil, remove, err
	}
	remove = func() { copied.Close(); temporary.Close() }
	_, err = release.Record(ctx, copied, p, io.Discard)
	return copied, remove, err
}
