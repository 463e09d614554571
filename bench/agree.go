package bench

import (
	"errors"
	"fmt"
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
	cmd := run.Command("agree --units FILE --out FILE", "Compute the agreement of any table of annotations",
		func(cmd *cobra.Command, _ []string) error { return f.run(streams) })
	cmd.Flags().StringVar(&f.units, "units", "", "the `FILE` with the ratings")
	cmd.Flags().StringVar(&f.out, "out", "", "the `FILE` to write the agreement to")
	cmd.Flags().StringVar(&f.format, "format", formatLong, "the file's `FORMAT`: "+formatLong+" or "+formatJudgeBench)
	cmd.Flags().StringVar(&f.options.Level, "level", "",
		"`LEVEL` of measurement: nominal, ordinal, interval, ratio (default: ordinal; for JUDGE-BENCH, as its file says)")
	cmd.Flags().StringVar(&f.cluster, "cluster", "", "the `COLUMN` that says which units belong together (default: cluster, if it exists)")
	cmd.Flags().StringVar(&f.scale, "scale", "", "all possible `VALUES`, such as 1,2,3,4,5; others are refused")
	cmd.Flags().Uint64Var(&f.options.Seed, "seed", 1, "seed `N` of the resamples; the same seed gives the same intervals")
	run.Require(cmd, "units", "out")
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
		return fmt.Errorf("--cluster needs a table; JUDGE-BENCH's files have no columns")
	case run.SameFile(f.units, f.out):
		return fmt.Errorf("--out and --units are the same file, which would be overwritten")
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
