package bench

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"compqa/bench/cli"
	"compqa/bench/config"
	"compqa/data"
	"compqa/judges/pairwise"
	"compqa/results/dataset"
	"compqa/results/store"
	"compqa/results/table"
	"compqa/stats"
)

// pairwiseCalibrateCommand builds `compqa pairwise calibrate`.
func pairwiseCalibrateCommand(streams cli.Streams) *cobra.Command {
	var out string
	penalty := 10.
	cmd := cli.OnRun("calibrate [DIR…] --out FILE", "Fit surface-pair to the labelled pairs of records",
		func(_ *cobra.Command, dirs []string) error {
			if !(penalty > 0) || !stats.IsFinite(penalty) {
				return config.Usagef("--penalty is %v; it must be positive", penalty)
			}
			return calibrateTo(streams.Out, dirs, penalty, out)
		})
	cmd.Flags().StringVar(&out, "out", "", "write the calibration to `FILE`, for method: surface-pair, path: FILE")
	cmd.Flags().Float64Var(&penalty, "penalty", penalty, "the penalty on squared weights, in `PAIRS`; more gives smaller weights")
	cli.Require(cmd, "out")
	return cmd
}

// calibrateTo fits a calibration to the labelled pairs of the records in dirs, writes it to out, and prints its accuracy. Accuracy is
// measured by cross-validation: a pair is judged by a model that was not fitted to the pair's question.
func calibrateTo(w io.Writer, dirs []string, penalty float64, out string) error {
	var pairs []data.Pair
	var parts [][]data.Pair
	var from []string
	for _, dir := range dirs {
		db, err := store.Open(dir)
		if err != nil {
			return config.UsageError{Err: err}
		}
		labelled, err := db.LabelledPairs()
		db.Close()
		if err != nil {
			return err
		}
		if len(labelled) == 0 {
			return config.Usagef("%s has no pair whose better answer is known; see compqa pairwise import and run", dir)
		}
		pairs = append(pairs, labelled...)
		parts = append(parts, labelled)
		from = append(from, fmt.Sprintf("%s of %s", data.Plural(len(labelled), "pair", "pairs"), dir))
	}
	model, err := pairwise.FitCalibration(pairs, penalty, true)
	if err != nil {
		return config.Usagef("fitting to %s: %w; it needs pairs from many questions", data.Plural(len(pairs), "pair", "pairs"), err)
	}
	without, err := pairwise.FitCalibration(pairs, penalty, false)
	if err != nil {
		return fmt.Errorf("fitting without length: %w", err)
	}
	model.FittedOn = strings.Join(from, ", ")
	text, err := json.Marshal(model)
	if err != nil {
		return err
	}
	if err := writeOut(out, w, table.Text(string(text)+"\n")); err != nil {
		return err
	}
	var rows []calibrationRow
	add := func(on string, pairs []data.Pair) {
		for _, judge := range []struct {
			name       string
			preference func(data.Pair) float64
		}{
			{"fitted, held out", func(p data.Pair) float64 { return model.Preference(p.Cluster, p.Question, p.A, p.B) }},
			{"without length, held out", func(p data.Pair) float64 { return without.Preference(p.Cluster, p.Question, p.A, p.B) }},
			{"longer, by words", func(p data.Pair) float64 { return float64(pairwise.Length(p.A) - pairwise.Length(p.B)) }},
			{"longer, by characters", func(p data.Pair) float64 { return float64(len([]rune(p.A)) - len([]rune(p.B))) }},
		} {
			rows = append(rows, heldOut(on, judge.name, pairs, judge.preference))
		}
	}
	for i, part := range parts {
		add(dirs[i], part)
	}
	if len(parts) > 1 {
		add("all", pairs)
	}
	view := table.From(2, rows, "On=pairs of", "Judge=judge", "N=pairs", "TieHalf:3=ties half right", "TieWrong:3=ties wrong")
	if err := view.Terminal(w); err != nil {
		return err
	}
	fmt.Fprintf(w, "\nA pair is judged by a model that was fitted without its cluster (by default, its question).\nWritten: %s\n", out)
	return nil
}

type calibrationRow struct {
	On, Judge         string
	N                 int
	TieHalf, TieWrong stats.Figure // the accuracy if a preference of 0 counts as half right, or as wrong
}

// heldOut returns the accuracy of a preference function on labelled pairs. A positive preference means that A is better.
func heldOut(on, name string, pairs []data.Pair, preference func(data.Pair) float64) calibrationRow {
	c := &dataset.Calculator{}
	var half, wrong dataset.Sample
	clusters := stats.ClusterLabels(data.Each(pairs, func(p data.Pair) string { return p.Cluster }))
	for i, p := range pairs {
		v := preference(p)
		if p.Label == data.ChoiceB {
			v = -v
		}
		right := dataset.Indicator(v > 0)
		wrong.Add(right, clusters[i])
		if v == 0 {
			right = 0.5
		}
		half.Add(right, clusters[i])
	}
	return calibrationRow{on, name, len(pairs), c.Share(half, stats.ErrUndefined), c.Share(wrong, stats.ErrUndefined)}
}
