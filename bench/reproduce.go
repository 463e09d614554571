package bench

import (
	"github.com/spf13/cobra"

	"compqa/bench/config"
	"compqa/bench/run"
	"compqa/data/sources"
	"compqa/results/paper"
	"compqa/rubric"
)

func reproduceCommand(streams run.Streams) *cobra.Command {
	var release, out string
	cmd := &cobra.Command{
		Use:   "reproduce --release DIR --out DIR",
		Short: "Recompute the CompQA paper's tables from its authors' release",
		Long: `Recomputes Tables 2 to 5 of the CompQA paper (Nikishina et al.) from the authors'
release and sets them beside the printed figures: by the paper's rule of validity
(published) and by the rubric's (strict). Also: people against people, every
judge and the constant one against people, and in words what does not reproduce.`,
		Example: `  make data
  compqa reproduce --release release --out results/runs/reproduced`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := required(cmd, map[string]*string{"release": &release, "out": &out}); err != nil {
				return err
			}
			read, err := sources.ReadRelease(release)
			if err != nil {
				return config.UsageError{Err: err}
			}
			r, err := paper.Reproduce(read, rubric.CQA())
			if err != nil {
				return err
			}
			if err := r.Write(out); err != nil {
				return err
			}
			return r.Print(streams.Out)
		},
	}
	cmd.Flags().StringVar(&release, "release", "", "a checkout of the release in `DIR` (`make data` fetches one)")
	cmd.Flags().StringVar(&out, "out", "", "write table2.csv to table5.csv, reproduce.json and reproduce.md to `DIR`")
	return cmd
}
