package bench

import (
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"compqa/bench/config"
	"compqa/bench/pairs"
	"compqa/bench/run"
	"compqa/results/preferences"
)

func pairwiseCommand(streams run.Streams) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "pairwise",
		Short: "Compare answers in pairs: SC2, Con-J and their baselines",
		Args:  cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return unknownCommand(cmd, args[0])
			}
			return cmd.Help()
		},
	}
	cmd.AddCommand(pairwiseRunCommand(streams), pairwiseReportCommand(streams), pairwiseSampleCommand(streams), pairs.ImportCommand(streams, config.DefaultOut), pairs.CalibrateCommand(streams), pairs.StudyCommand(streams))
	for _, c := range cmd.Commands() {
		c.Args = explainArgs(c.Args)
	}
	return cmd
}

func pairwiseRunCommand(streams run.Streams) *cobra.Command {
	var f pairs.Flags
	cmd := &cobra.Command{
		Use:   "run",
		Short: "Let judges choose the better answers of pairs, and write the reports",
		RunE:  func(cmd *cobra.Command, _ []string) error { return f.Logged(cmd, streams, pairs.RunPairwise) },
	}
	common(&f, cmd)
	pairs.AddGold(cmd, &f)
	cmd.Flags().StringVar(&f.Grades, "grades", "", "import human grades of rationales from `FILE`: id, judge, method, order, grader, correctness, consistency")
	return cmd
}

// common are the flags of commands that ask models.
func common(f *pairs.Flags, cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.Config, "config", "", "the configuration `FILE` (default: "+config.DefaultConfig+", if it exists)")
	f.Add(cmd, config.DefaultOut, "use only the first `N` pairs of each set (0: all)")
	cmd.Flags().StringVar(&f.Pairs, "pairs", "", "use the pairs of `FILE`")
	cmd.Flags().StringVar(&f.Llmbar, "llmbar", "", "use LLMBar's pairs and its judges' completions from a checkout in `DIR`")
	cmd.Flags().StringSliceVar(&f.Judges, "judge", nil, "use only these judges of the configuration, `NAME,NAME`")
	cmd.Flags().StringSliceVar(&f.Inject, "inject", nil, "also judge pairs with these `BIASES`: format, verbosity, format-preferred, verbosity-preferred")
	cmd.Flags().StringVar(&f.Rewriter, "rewriter", "", "the `NAME` of the model under models that rewrites for --inject (default: word lists)")
	cmd.Flags().StringVar(&f.Order, "order", "both", "show pairs in `ORDER` ab, ba or both")
	cmd.Flags().Float64Var(&f.Margin, "margin", 1, "a difference of up to `POINTS` human points counts as a tie")
}

func pairwiseReportCommand(streams run.Streams) *cobra.Command {
	var llmbar, out, ties string
	cmd := &cobra.Command{
		Use:   "report [DIR]",
		Short: "Compute the reports of a record, or of LLMBar's released completions",
		Args:  cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if llmbar != "" {
				if len(args) > 0 {
					return config.UsageError{Err: fmt.Errorf("--llmbar makes its own record in --out; do not name a folder")}
				}
				if out == "" {
					return config.UsageError{Err: fmt.Errorf("compqa pairwise report --llmbar needs --out, the folder that the record and the reports are written to")}
				}
				return pairs.ReportLLMBar(cmd.Context(), pairs.Flags{Flags: run.Flags{Out: out}, Llmbar: llmbar}, streams)
			}
			dir := config.DefaultOut
			if len(args) > 0 {
				dir = args[0]
			}
			if out == "" {
				out = dir
			}
			if rules := []string{"", preferences.TiesWrong, preferences.TiesHalf, preferences.TiesSkip}; !slices.Contains(rules, ties) {
				return config.UsageError{Err: fmt.Errorf("--ties is %q; it must be wrong, half or skip", ties)}
			}
			return preferences.PairwiseReportTies(dir, out, ties, streams.Out)
		},
	}
	cmd.Flags().StringVar(&ties, "ties", "", "also print the agreement with the labels, ties scored by `RULE`: wrong, half or skip")
	cmd.Flags().StringVar(&llmbar, "llmbar", "", "report on LLMBar's released completions, from a checkout in `DIR`")
	cmd.Flags().StringVar(&out, "out", "", "write the reports to `DIR` (default: the run's own folder)")
	return cmd
}

func pairwiseSampleCommand(streams run.Streams) *cobra.Command {
	var f pairs.Flags
	cmd := &cobra.Command{
		Use:   "sample",
		Short: "Sample judgments as Con-J does, for the training of a judge",
		RunE:  func(cmd *cobra.Command, _ []string) error { return f.Logged(cmd, streams, pairs.RunSample) },
	}
	common(&f, cmd)
	cmd.Flags().IntVar(&f.Samples, "samples", 0, "sample `N` judgments on each prompt (default 8)")
	cmd.Flags().StringVar(&f.Grader, "grader", "", "the `ENTRY` of method meta-judge that grades the rationales of right judgments (see train export --rationales)")
	cmd.Flags().BoolVar(&f.Product, "product", false, "pair every right judgment with every wrong one")
	cmd.Flags().BoolVar(&f.NoHints, "no-hints", false, "do not sample with hints")
	return cmd
}
