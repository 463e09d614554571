package bench

import (
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"compqa/data"
	"compqa/results"
	"compqa/rubric"
)

func exportCommand(streams Streams) *cobra.Command {
	var run, out string
	var o results.ExportOptions
	cmd := &cobra.Command{
		Use:   "export --run DIR --out FILE",
		Short: "Pack a run and its tables into one file that anybody can check",
		Long: `Packs the record of a run, its configuration, its tables and the hashes of all of
them into one compressed file (tar, gzip). "compqa verify FILE" recomputes the
tables from it, without a model and without a network.

The judges' raw replies are in it, so that they can be read anew; what was sent
and received word by word is only with --bodies. Keys are in no record, and so in
no export.`,
		Example: `  compqa export --run results/runs/latest --out leaderboard.compqa.gz
  compqa verify leaderboard.compqa.gz`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := required(cmd, map[string]*string{"run": &run, "out": &out}); err != nil {
				return err
			}
			o.Program, o.Version = buildVersion()
			m, err := results.Export(run, out, o)
			if err != nil {
				return err
			}
			info, err := os.Stat(out)
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(streams.Out, "%s: the record and %d other files, %s; `compqa verify %s` checks them\n", out, len(m.Files)-1, megabytes(info.Size()), out)
			return err
		},
	}
	cmd.Flags().StringVar(&run, "run", "", "the run's folder `DIR`")
	cmd.Flags().StringVar(&out, "out", "", "the `FILE` to write")
	cmd.Flags().BoolVar(&o.WithBodies, "bodies", false, "also what was sent to models and received, word by word")
	cmd.Flags().BoolVar(&o.WithoutReplies, "no-replies", false, "leave out the raw replies; verdicts can then not be read anew")
	return cmd
}

func verifyCommand(streams Streams) *cobra.Command {
	return &cobra.Command{
		Use:   "verify FILE",
		Short: "Recompute every table of an exported run and report the first difference",
		Long: `Reads every verdict of an export anew from its raw reply, as this compqa reads
replies, computes every table from the verdicts, and compares all of it with what
the file holds. No model is asked and no network is needed.

Exit codes: 0 all is equal; 1 there is a difference, and the first one is told; 2
the file is no export.`,
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			anew := 0
			v, err := results.Verify(args[0], func(r rubric.Rubric, judge results.Party, v data.Verdict) data.Verdict {
				if readable(judge, v) {
					anew++
				}
				return reread(r, judge, v)
			}, func(r rubric.Rubric) string { return hashOf(r) })
			var no results.NoExportError
			if errors.As(err, &no) {
				return usageError{err}
			}
			if err != nil {
				return err
			}
			fmt.Fprintf(streams.Out, "%s is what it says: made by compqa %s (commit %s), %d verdicts, %d of them read anew from their replies, %d tables recomputed; nothing differs\n",
				args[0], v.Program, v.Revision, v.Verdicts, anew, len(v.Tables))
			if !v.Replies {
				fmt.Fprintln(streams.Out, "the replies are not in it: that the verdicts are what the judges wrote cannot be checked")
			}
			return nil
		},
	}
}

// megabytes is a size in words.
func megabytes(bytes int64) string { return fmt.Sprintf("%.1f MB", float64(bytes)/1e6) }
