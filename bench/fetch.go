package bench

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"compqa/bench/run"
	"compqa/data/sources"
)

func fetchCommand(streams run.Streams) *cobra.Command {
	var dir, remote, commit string
	var timeout time.Duration
	var brief bool
	cmd := &cobra.Command{
		Use:   "fetch",
		Short: "Fetch the CompQA authors' release by git",
		Long: `Fetches the release of the CompQA paper's authors (answers of nine systems, the
verdicts of their judges, people's annotations) from its public repository, at the
commit whose layout compqa knows. ` + "`make data`" + ` runs it.`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx, cancel := context.WithTimeout(cmd.Context(), timeout)
			defer cancel()
			there, err := sources.FetchRelease(ctx, remote, commit, dir)
			switch {
			case err != nil && brief:
				return fmt.Errorf("going on without the CompQA authors' release, which could not be fetched: %w", err)
			case err != nil:
				return fmt.Errorf("the CompQA authors' release could not be fetched: %w\nGo on without it (make bench OFFLINE=1), or with a checkout that you have (make bench RELEASE=dir)", err)
			case !there:
				fmt.Fprintf(streams.Err, "the CompQA authors' release is in %s (commit %.12s)\n", dir, commit)
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&dir, "out", "release", "the folder `DIR` to make")
	cmd.Flags().StringVar(&remote, "remote", sources.ReleaseRemote, "the repository's `URL`")
	cmd.Flags().StringVar(&commit, "commit", sources.ReleaseCommit, "the `HASH` of the commit")
	cmd.Flags().DurationVar(&timeout, "timeout", 5*time.Minute, "give up after this `TIME`")
	cmd.Flags().BoolVar(&brief, "brief", false, "tell a failure in one line")
	return cmd
}
