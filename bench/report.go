package bench

import (
	"fmt"

	"github.com/spf13/cobra"

	"compqa/bench/config"
	"compqa/bench/run"
	"compqa/results/report"
)

func reportCommand(streams run.Streams) *cobra.Command {
	var out string
	var reparse bool
	cmd := &cobra.Command{
		Use:   "report [DIR…]",
		Short: "Compute the reports of one or several runs from their records",
		Long: `Computes every table from the record of a run (DIR/run.db) and writes it to DIR,
as CSV and as Markdown; the same record gives the same bytes. No model is asked.

With several runs the tables are over all of them, and are written to --out.

With --reparse every verdict of a model is read anew from its raw reply, as this
compqa reads replies. The tables are of these readings, and reparse.md says what
is different; the record stays as it is.`,
		Example: `  compqa report
  compqa report results/runs/latest
  compqa report runs/monday runs/tuesday --out runs/both
  compqa report runs/old --reparse --out runs/reread`,
		Args: cobra.ArbitraryArgs,
		RunE: func(_ *cobra.Command, dirs []string) error {
			if len(dirs) == 0 {
				dirs = []string{defaultOut}
			}
			if out == "" {
				if len(dirs) > 1 {
					return config.UsageError{Err: fmt.Errorf("a report over several runs needs --out, the folder it is written to")}
				}
				out = dirs[0]
			}
			if reparse {
				program, _ := run.BuildVersion()
				return report.ReportRescored(dirs, out, reread, program, streams.Out)
			}
			return report.Write(dirs, out, streams.Out)
		},
	}
	cmd.Flags().BoolVar(&reparse, "reparse", false, "read every verdict anew from its raw reply, and say what is different")
	cmd.Flags().StringVar(&out, "out", "", "write the reports to `DIR` (default: the run's own folder)")
	return cmd
}

func versionCommand(streams run.Streams) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Say which compqa this is",
		RunE: func(*cobra.Command, []string) error {
			program, revision := run.BuildVersion()
			_, err := fmt.Fprintf(streams.Out, "compqa %s (commit %s)\n", program, revision)
			return err
		},
	}
}
