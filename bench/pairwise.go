package bench

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"compqa/bench/config"
	"compqa/bench/pairs"
	"compqa/bench/run"
	"compqa/judges/pairwise"
	"compqa/results/preferences"
)

func pairwiseCommand(streams run.Streams) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "pairwise",
		Short: "Decide which of two answers is better: SC2, Con-J, their baselines",
		Long: `Pairwise judges choose the better of two answers. Each pair is shown in both
orders. Results are recorded in DIR/run.db first; run the same command again to
continue.

  run      let judges decide on pairs, and write the reports
  report   compute the reports of a record, or of LLMBar's released completions
  sample   sample judgments as Con-J does: contrasts to train a judge on

A judge is an entry under pairwise in the configuration:

  pairwise:
    - {name: sc2, method: sc2, provider: openai, model: gpt-4o-2024-11-20}

Methods (calls are for one pair in one order):

` + methodsHelp() + `  meta-judge             grades the rationales of Con-J's methods, or of the judges
                         named under grades (1)
` + "  " + strings.Join(pairwise.OfflineMethods(), ", ") + `    need no model; always included

Keys of an entry beside name, method, provider, model, family, options, extra:

  draws          number of tables or votes (8)
  selection      tournament, exact or random
  aspects        online (default: asked for each pair; the most frequent aspects of
                 aspect_draws: 8 lists), none (cot-1shot), or a file. If the
                 file does not exist, it is created from 50 pairs (101 calls)
  shots          examples in the prompt, 0 to 5
  roles          other models for aspects, comparisons, comparator, preference:
                 {comparisons: {model: gpt-4o-mini}}
  sample         judge only N pairs, drawn with the seed
  imported       also judge imported answers, which costs money (false)
  batch          make the calls in batches, at a lower price (false)

The default temperature is 1 for repeated samples and 0 for decisions.`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return unknownCommand(cmd, args[0])
			}
			return cmd.Help()
		},
	}
	cmd.AddCommand(pairwiseRunCommand(streams), pairwiseReportCommand(streams), pairwiseSampleCommand(streams))
	for _, c := range cmd.Commands() {
		c.Args = explainArgs(c.Args)
	}
	return cmd
}

// methodsHelp describes the methods that ask models.
func methodsHelp() string {
	var b strings.Builder
	for _, m := range pairwise.Methods {
		if m.Live() {
			fmt.Fprintf(&b, "  %-22s %s\n", m.Name, strings.ReplaceAll(m.About, "\n", "\n"+strings.Repeat(" ", 25)))
		}
	}
	return b.String()
}

func pairwiseRunCommand(streams run.Streams) *cobra.Command {
	var f pairs.Flags
	cmd := &cobra.Command{
		Use:   "run",
		Short: "Let judges decide on pairs, and write the reports",
		Long: `Lets the judges under pairwise in the configuration, and those that need no model,
decide which answer of each pair is better, in both orders, and writes the reports
to DIR: pairwise.md and the tables that it names.

The pairs are those of the run in DIR: two systems' answers to the same question
under the same scenario, with human preferences, if people scored both answers.
Other pairs come from a file (--pairs) or from LLMBar (--llmbar).

A file of pairs is JSON Lines, or CSV with the same names: id, question, a, b, and
optionally label (a, b, tie, none), cluster, domain, object1, object2, aspect,
system_a, system_b.

--inject rewrites one answer of each pair with a known preference and asks again:
format and verbosity make the answer that people did not prefer look better;
format-preferred and verbosity-preferred do the opposite. Word lists do it, or a
model (--rewriter).

Ctrl-C waits for calls in flight; a second Ctrl-C stops immediately. Recorded
results are kept in both cases. The budget applies to the whole run in DIR, including
its answers and verdicts.

Exit codes: 0 done; 1 failed; 2 usage, configuration or input; 3 done, but some
preferences of live judges are not valid.`,
		Example: `  compqa pairwise run                                  # rank the systems of results/runs/latest
  compqa pairwise run --judge sc2 --limit 2            # a trial: the first two pairs
  compqa pairwise run --pairs pairs.jsonl --out results/runs/pairs
  compqa pairwise run --llmbar LLMBar/Dataset/LLMBar --inject format,verbosity --out results/runs/llmbar`,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.Logged(cmd, streams, pairs.RunPairwise) },
	}
	common(&f, cmd)
	cmd.Flags().StringSliceVar(&f.Inject, "inject", nil, "also judge pairs with these `BIASES`: format, verbosity, format-preferred, verbosity-preferred")
	cmd.Flags().StringVar(&f.Rewriter, "rewriter", "", "the live model under models, by its `NAME`, that rewrites for --inject (default: word lists)")
	cmd.Flags().StringVar(&f.Grades, "grades", "", "import human grades of rationales from `FILE`: id, judge, method, order, grader, correctness, consistency")
	return cmd
}

// common are the flags of commands that ask models.
func common(f *pairs.Flags, cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.Config, "config", "", "the configuration `FILE` (default: "+config.DefaultConfig+", if it exists)")
	f.Add(cmd, defaultOut, "use only the first `N` pairs of each set (0: all)")
	cmd.Flags().StringVar(&f.Pairs, "pairs", "", "use the pairs of `FILE`")
	cmd.Flags().StringVar(&f.Llmbar, "llmbar", "", "use LLMBar's pairs and its judges' completions from a checkout in `DIR`")
	cmd.Flags().StringSliceVar(&f.Judges, "judge", nil, "use only these judges of the configuration, by `NAME`")
	cmd.Flags().StringVar(&f.Order, "order", "both", "show pairs in `ORDER` ab, ba or both")
	cmd.Flags().Float64Var(&f.Margin, "margin", 1, "a difference in human points up to `POINTS` counts as a tie")
}

func pairwiseReportCommand(streams run.Streams) *cobra.Command {
	var llmbar, out string
	cmd := &cobra.Command{
		Use:   "report [DIR]",
		Short: "Compute the reports of a record, or of LLMBar's released completions",
		Long: `Computes all tables of the preferences recorded in DIR and writes them there, or to
--out. The same record gives the same files, byte for byte. No model is called.

With --llmbar the record is made first, in --out: LLMBar's pairs with their gold
preferences, its judges' preferences, read from their raw completions, and the
judges that need no model. The authors' statistics are recomputed for each judge,
style and set, written to DIR/llmbar in LLMBar's own layout, and compared byte by
byte with the authors' (llmbar.csv).

Exit codes: 0 done; 1 failed, or LLMBar's statistics differ; 2 usage or input.`,
		Example: `  compqa pairwise report
  compqa pairwise report --llmbar LLMBar/Dataset/LLMBar --out results/runs/llmbar`,
		Args: cobra.MaximumNArgs(1),
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
			dir := defaultOut
			if len(args) > 0 {
				dir = args[0]
			}
			if out == "" {
				out = dir
			}
			return preferences.PairwiseReport(dir, out, streams.Out)
		},
	}
	cmd.Flags().StringVar(&llmbar, "llmbar", "", "report on LLMBar's released completions, from a checkout in `DIR`")
	cmd.Flags().StringVar(&out, "out", "", "write the reports to `DIR` (default: the run's own folder)")
	return cmd
}

func pairwiseSampleCommand(streams run.Streams) *cobra.Command {
	var f pairs.Flags
	cmd := &cobra.Command{
		Use:   "sample",
		Short: "Sample judgments as Con-J does: contrasts to train a judge on",
		Long: `Samples a model's judgments as Con-J does (Ye et al. 2024, section 3 and A.1), and
builds contrasts: two judgments on one prompt, one that chooses the answer that people
prefer and one that does not.

For every pair with a known preference, in each order: 8 judgments on the same
prompt, and one each with the right and with the wrong answer as a hint (where the
JSON cannot be parsed, a second call asks for the rationale only). A judgment without
a choice (for example, a truncated one) counts as wrong. Right and wrong judgments
are paired one to one, at most 4 contrasts; --product pairs every right one with
every wrong one, as the paper's Algorithm 1 does (its text does not). The two hinted
judgments make one more contrast. The prompt of every contrast is the one without a
hint.

Parameters are the paper's: temperature 1, top_p 0.9, top_k 20, 512 tokens,
repetition penalty 1.2. The entry's options and extra override them; use
options: {top_k: null} if a server rejects a parameter.

The judge is the entry of method con-j under pairwise. In DIR:

  contrasts.jsonl         {"prompt": [{"role", "content"}], "chosen": […], "rejected": […]},
                          the format that DPO trainers read
  contrasts.schema.json   its schema; the file is checked against it
  contrast_sources.csv    the pair, order and source of each line
  contrast_counts.csv     counts of the judgments, by source

Exit codes: 0 done; 1 failed; 2 usage, configuration or input; 3 done, but some
judgments have no reply.`,
		Example: `  compqa pairwise sample --pairs pairs.jsonl --out results/runs/contrasts
  compqa pairwise sample --judge con-j --llmbar LLMBar/Dataset/LLMBar --limit 2 --out /tmp/trial`,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.Logged(cmd, streams, pairs.RunSample) },
	}
	common(&f, cmd)
	cmd.Flags().IntVar(&f.Samples, "samples", 0, "sample `N` judgments on each prompt (default 8)")
	cmd.Flags().BoolVar(&f.Product, "product", false, "pair every right judgment with every wrong one")
	cmd.Flags().BoolVar(&f.NoHints, "no-hints", false, "do not sample with hints")
	return cmd
}
