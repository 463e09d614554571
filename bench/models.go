package bench

import (
	"cmp"
	"context"
	_ "embed"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"compqa/bench/config"
	"compqa/bench/run"
	"compqa/data/sources"
)

// entries.yaml holds entries to copy into compqa.yaml.
//
//go:embed entries.yaml
var entries string

func modelsCommand(streams run.Streams) *cobra.Command {
	var path string
	cmd := &cobra.Command{
		Use:   "models",
		Short: "List the configuration's models and judges, and print entries to copy",
		RunE: func(*cobra.Command, []string) error {
			c, err := config.Load(path)
			if err != nil {
				return err
			}
			listParties(c, streams.Out)
			_, err = fmt.Fprintf(streams.Out, "\nEntries to copy:\n\n%s", entries)
			return err
		},
	}
	cmd.Flags().StringVar(&path, "config", config.DefaultConfig, "the configuration `FILE`")
	return cmd
}

// listParties lists the models and judges of the configuration.
func listParties(c *config.Config, w io.Writer) {
	fmt.Fprintf(w, "Models in %s:\n", c.File)
	for _, m := range c.Models {
		fmt.Fprintf(w, "  %-20s %s\n", m.Name, whose(m.Provider, m.Model, m.Path))
	}
	fmt.Fprintf(w, "Judges in %s:\n", c.File)
	for _, j := range c.Judges {
		fmt.Fprintf(w, "  %-20s %s\n", j.Name, whose(j.Provider, j.Model, j.Path))
	}
	if len(c.Pairwise) > 0 {
		fmt.Fprintf(w, "Judges of pairs in %s:\n", c.File)
	}
	for _, ref := range c.Pairwise {
		fmt.Fprintf(w, "  %-20s %s, %s\n", ref.Name, ref.Method, cmp.Or(whose(ref.Provider, ref.Model, ""), "no model"))
	}
}

func whose(provider, model, path string) string {
	switch {
	case path != "":
		return "from " + path
	case model != "":
		return model + " at " + provider
	}
	return provider
}

func fetchCommand(streams run.Streams) *cobra.Command {
	var dir, remote, commit string
	var timeout time.Duration
	var brief bool
	cmd := &cobra.Command{
		Use:   "fetch",
		Short: "Fetch the CompQA authors' release by git",
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx, cancel := context.WithTimeout(cmd.Context(), timeout)
			defer cancel()
			there, err := sources.FetchRelease(ctx, remote, commit, dir)
			switch {
			case err != nil && brief:
				return fmt.Errorf("continuing without the CompQA authors' release, which could not be fetched: %w", err)
			case err != nil:
				return fmt.Errorf("the CompQA authors' release could not be fetched: %w\nContinue without it (make bench OFFLINE=1), or with a checkout that you have (make bench RELEASE=dir)", err)
			case !there:
				fmt.Fprintf(streams.Err, "the CompQA authors' release is in %s (commit %.12s)\n", dir, commit)
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&dir, "out", "release", "the folder `DIR` to create")
	cmd.Flags().StringVar(&remote, "remote", sources.ReleaseRemote, "the repository's `URL`")
	cmd.Flags().StringVar(&commit, "commit", sources.ReleaseCommit, "the `HASH` of the commit")
	cmd.Flags().DurationVar(&timeout, "timeout", 5*time.Minute, "give up after this `TIME`")
	cmd.Flags().BoolVar(&brief, "brief", false, "report a failure in one line")
	return cmd
}
