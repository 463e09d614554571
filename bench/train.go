package bench

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"compqa/bench/cli"
	"compqa/bench/config"
	"compqa/results/dataset"
	"compqa/results/store"
	"compqa/results/table"
	"compqa/results/train"
)

// trainCommand builds `compqa train`.
func trainCommand(streams cli.Streams) *cobra.Command {
	cmd := &cobra.Command{Use: "train", Short: "Export training data, and compare a trained judge with its base"}
	cmd.AddCommand(trainExportCommand(streams), trainReportCommand(streams))
	return cmd
}

// trainExportCommand builds `compqa train export`.
func trainExportCommand(streams cli.Streams) *cobra.Command {
	var f trainExport
	cmd := cli.OnRun("export [DIR] --kind KIND --out DIR", "Write training data of a run, with a card",
		func(_ *cobra.Command, args []string) error {
			f.Run = args[0]
			return f.export(streams.Out)
		})
	set := cmd.Flags()
	set.StringVar(&f.Kind, "kind", "", "what to export: `KIND` "+strings.Join(trainKinds, ", "))
	set.StringVar(&f.By, "by", "", "select by the verdicts or preferences of `JUDGE`")
	set.StringVar(&f.Second, "second", "", "the `JUDGE` that must agree on pairs of answers, or none (default: the first other judge)")
	set.StringVar(&f.Judge, "judge", "", "the `JUDGE` whose sampled judgments are exported (default: the only one)")
	set.StringVar(&f.Format, "format", train.FormatTRL, "the trainer's `FORMAT`: "+strings.Join(train.Formats, ", "))
	set.StringVar(&f.Out, "out", "", "the folder `DIR` to write")
	set.Float64Var(&f.Min, "min", 18, "the minimum `POINTS` of an answer to train on")
	set.Float64Var(&f.Margin, "margin", 3, "the minimum difference in `POINTS` between the answers of a pair")
	set.IntVar(&f.MostPairs, "most", 4, "export at most `N` pairs of answers per prompt")
	set.Float64Var(&f.HeldOut, "heldout", 0.2, "hold out this `SHARE` of the questions")
	set.Float64Var(&f.Gamma, "gamma", 0, "use pairs with a bias for this `SHARE` of the questions")
	set.IntVar(&f.Size, "size", 0, "train on `N` examples only; a smaller set is a part of a larger one with the same --seed (0: all)")
	set.BoolVar(&f.Pairwise, "pairwise", false, "reward: show both answers at once, in both orders")
	set.StringVar(&f.Bias, "bias", "format", "the `BIAS` of --gamma: format or verbosity")
	set.BoolVar(&f.Product, "product", false, "pair every right judgment with every wrong one")
	set.StringVar(&f.Rationales, "rationales", "",
		"dpo-judge: only contrasts whose right judgment has a rationale of this `QUALITY`, high or low (see pairwise sample --grader)")
	set.BoolVar(&f.NoRationale, "no-rationale", false,
		"train the judge con-j without rationales, only on the pairs; no sampled judgments are needed")
	set.IntSliceVar(&f.Mix, "mix", strumMix, "export at most this many calls of STRUM's stages, `EXTRACT,MERGE,COMPARE`")
	set.Int64Var(&f.Seed, "seed", 1, "the `SEED` of the split and of samples")
	set.StringSliceVar(&f.TestSets, "testset", nil, "refuse questions of these `FILES` of questions or pairs")
	set.BoolVar(&f.OnBenchmark, "train-on-benchmark", false, "allow the questions of cqa50 and of published benchmarks")
	cli.Require(cmd, "kind", "out")
	return cmd
}

func trainReportCommand(streams cli.Streams) *cobra.Command {
	var f trainComparison
	cmd := cli.OnRun("report [DIR] --trained JUDGE --base JUDGE", "Compare a trained judge with its base on held-out pairs",
		func(_ *cobra.Command, args []string) error {
			f.run = args[0]
			return f.report(streams)
		})
	set := cmd.Flags()
	set.StringVar(&f.trained, "trained", "", "the trained `JUDGE`")
	set.StringVar(&f.base, "base", "", "the `JUDGE` before training")
	set.StringVar(&f.card, "card", "", "the card.json of the training data, a `FILE`; refuses pairs that were trained on")
	f.asJSON.Add(cmd.Flags())
	cli.Require(cmd, "trained", "base")
	return cmd
}

// A trainComparison holds the flags of `compqa train report`.
type trainComparison struct {
	run, trained, base, card string
	asJSON                   cli.JSON[table.Rows[train.ComparisonRow]]
}

// report compares a trained judge with its base, the judge before training, on the pairs of a record. It writes trained.csv and trained.md.
func (f trainComparison) report(streams cli.Streams) error {
	if f.base == f.trained {
		return config.Usagef("--base and --trained are both %q; they must be different judges", f.base)
	}
	db, err := store.Open(f.run)
	if err != nil {
		return err
	}
	defer db.Close()
	record, err := dataset.LoadPairs(db, "")
	if err != nil {
		return config.UsageError{Err: err}
	}
	var card *train.Card
	if f.card != "" {
		text, err := os.ReadFile(f.card)
		if err == nil {
			err = json.Unmarshal(text, &card)
		}
		if err == nil && (card == nil || len(card.Splits.Questions) == 0) {
			err = fmt.Errorf("it names no questions; use the %s of compqa train export", train.CardName)
		}
		if err != nil {
			return config.Usagef("reading the card %s: %w", f.card, err)
		}
	}
	rows, err := train.Compare(db, record, f.base, f.trained, card)
	if err != nil {
		return err
	}
	if err := againIn("train report", f.run, func(to string) error {
		return table.WriteFiles(to, map[string]func(io.Writer) error{"trained.csv": table.CSV(rows),
			"trained.md": table.Text(train.ComparisonText(rows, f.base, f.trained, card))})
	}); err != nil {
		return err
	}
	if f.asJSON.On {
		return f.asJSON.Print(streams.Out, rows)
	}
	for _, text := range train.Findings(rows, f.base, f.trained).Texts() {
		table.PrintWrapped(streams.Out, text)
	}
	fmt.Fprintln(streams.Out)
	return train.ComparisonView(rows).Terminal(streams.Out)
}
