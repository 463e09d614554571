package bench

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"compqa/bench/config"
	"compqa/bench/run"
	"compqa/data"
	"compqa/data/sources"
	"compqa/results/agreement"
	"compqa/results/table"
	rating "compqa/stats/agreement"
)

// The formats of annotation tables.
const (
	formatLong       = "long"
	formatJudgeBench = "judge-bench"
)

func agreeCommand(streams run.Streams) *cobra.Command {
	var f agreeFlags
	cmd := &cobra.Command{
		Use:   "agree --units FILE --out FILE",
		Short: "Agreement of any table of annotations",
		Long: `Computes the agreement of raters, with intervals, for any ratings: Krippendorff's
alpha for any number of raters, with missing ratings.

The table is in long form, one row a rating; CSV, TSV or JSON Lines, "-" for
standard input. Columns:

  unit, rater   the rated item and the rater; one rating per rater and unit
  value         a number, or with --level nominal a label; empty: no rating
  criterion     optional, where units are rated in several respects
  cluster       optional, or the column that --cluster names: what a unit was
                sampled with, as answers to one question are. Units of one
                cluster are not independent, so intervals are wider.

Other columns are ignored. --format judge-bench reads JUDGE-BENCH's JSON.

The level of measurement depends on how the values were produced, not on their
form: nominal (categories), ordinal (an order, as most points on a scale
have), interval (differences mean the same along the scale), ratio (intervals with
a true zero). At nominal level 4 and 4.5 differ as much as 4 and 1.

The result is CSV with a row a criterion, and a shorter table on the terminal:

  criterion, level    "-" is the criterion of a table without one
  units               with a rating; units_pairable: with two, which is what counts
  clusters, raters, ratings, missing (rows without a value)
  values              distinct ones; largest_share: of the commonest. Where it is
                      near 1, alpha is near 0 however much raters agree: see AC1
  agreement           share of pairs of ratings of a unit that are equal, in [0, 1]
  alpha               Krippendorff's; alpha_low, alpha_high: 95 %, 1,000 resamples
  p_below_0667        share of the resamples with an alpha below .667, from which on
                      conclusions are tentative; p_below_0800: below .8, reliable
  degenerate          resamples for which alpha is undefined; above 10, no interval is given
  jackknife_low, jackknife_high    95 %, leaving units out one by one; for few units
  gwet_ac1            nominal level; gwet_ac2: the others (ordinal or quadratic
                      weights). Over --scale, else over the values that occur
  kappa               nominal level: Cohen's; spearman: the others. Means over
                      rater_pairs, those with 10 units in common
  note                why a figure is missing, and a caution with few units

There is no row over all criteria: some criteria are easier than others, so raters
who know only this would appear to agree.

Exit codes: 0 done; 1 failed; 2 usage or input; errors include file and line.`,
		Example: `  compqa agree --units annotations.csv --out agreement.csv
  compqa agree --units annotations.csv --level interval --cluster question --out -
  compqa agree --units labels.jsonl --level nominal --scale yes,no,unsure --out agreement.csv
  compqa agree --units newsroom.json --format judge-bench --out agreement.csv`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := required(cmd, map[string]*string{"units": &f.units, "out": &f.out}); err != nil {
				return err
			}
			return f.run(streams)
		},
	}
	cmd.Flags().StringVar(&f.units, "units", "", "the `FILE` with the ratings")
	cmd.Flags().StringVar(&f.out, "out", "", "the `FILE` to write the agreement to")
	cmd.Flags().StringVar(&f.format, "format", formatLong, "the file's `FORMAT`: "+formatLong+" or "+formatJudgeBench)
	cmd.Flags().StringVar(&f.options.Level, "level", "", "`LEVEL` of measurement: nominal, ordinal, interval, ratio (default: ordinal; in JUDGE-BENCH's files what they say)")
	cmd.Flags().StringVar(&f.cluster, "cluster", "", "the `COLUMN` that says what units were sampled together (default: cluster, if it exists)")
	cmd.Flags().StringVar(&f.scale, "scale", "", "all `VALUES` that could be given, as 1,2,3,4,5: others are refused")
	cmd.Flags().Uint64Var(&f.options.Seed, "seed", 1, "the resamples' seed `N`: the same one gives the same intervals")
	return cmd
}

type agreeFlags struct {
	units, out, format, cluster, scale string
	options                            agreement.AgreeOptions
}

func (f agreeFlags) run(streams run.Streams) error {
	if err := f.check(); err != nil {
		return config.UsageError{Err: err}
	}
	listing, err := f.read()
	if err != nil {
		return config.UsageError{Err: err}
	}
	rows, err := agreement.Agree(listing, f.options)
	if err != nil {
		return config.UsageError{Err: err} // nothing but the ratings goes into it
	}
	if err := writeOut(f.out, streams.Out, table.CSV(rows)); err != nil {
		return err
	}
	shown := streams.Out
	if f.out == "-" {
		shown = streams.Err
	}
	return agreement.PrintUnits(shown, rows)
}

// check looks at the flags, and puts the scale where it belongs.
func (f *agreeFlags) check() error {
	if f.options.Level != "" {
		if _, err := rating.ParseLevel(f.options.Level); err != nil {
			return fmt.Errorf("--level: %w", err)
		}
	}
	switch {
	case f.format != formatLong && f.format != formatJudgeBench:
		return fmt.Errorf("--format is %q; it is %s or %s", f.format, formatLong, formatJudgeBench)
	case f.format == formatJudgeBench && f.cluster != "":
		return fmt.Errorf("--cluster is for tables in long form: JUDGE-BENCH's files have no columns")
	case sameFile(f.units, f.out):
		return fmt.Errorf("--out is the file that --units names, which would be lost")
	}
	if f.scale == "" {
		return nil
	}
	var err error
	f.options.Scale, err = data.ParseScale(f.scale)
	return err
}

func (f *agreeFlags) read() (data.Annotations, error) {
	if f.format == formatJudgeBench {
		return sources.ReadJudgeBench(f.units)
	}
	listing, err := data.ReadRatings(f.units, f.cluster)
	var line *data.LineError
	if errors.As(err, &line) && line.Line == 1 && strings.EqualFold(filepath.Ext(f.units), ".json") {
		err = fmt.Errorf("%w (JUDGE-BENCH's files are read with --format %s)", err, formatJudgeBench)
	}
	return listing, err
}

func sameFile(a, b string) bool {
	x, errA := os.Stat(a)
	y, errB := os.Stat(b)
	return errA == nil && errB == nil && os.SameFile(x, y)
}
