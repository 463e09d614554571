package bench

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"compqa/bench/calibrate"
	"compqa/bench/config"
	"compqa/bench/plan"
	"compqa/bench/run"
	"compqa/judges/surface"
)

func calibrateCommand(streams run.Streams) *cobra.Command {
	var o calibrate.Options
	var out string
	var listInputs bool
	cmd := &cobra.Command{
		Use:   "calibrate (--release DIR | --run DIR) --out FILE",
		Short: "Fit a judge to people's scores: surface, or a calibrated version of another judge",
		Long: `Fits a model that predicts people's scores from the form of an answer: layout,
coverage of the objects and aspects, balance, choice, repetition, manner. The
embedded judge "surface" is such a model; FILE holds the new one.
With --judge NAME the scores of that judge are inputs of the model, too, and FILE
defines the judge NAME+calibrated. With --run, the verdicts of this judge are added
to the record in DIR, and every report of that run shows it. In a configuration its
entry is
  {name: NAME+calibrated, provider: calibrated, path: FILE}
The questions are divided into ten parts, and each part gets a model that was
fitted without it. An answer to one of these questions is scored by the model that
has not seen the question, any other answer by the mean of all ten. So all figures,
here and in reports, are for questions that the model was not fitted to. Printed are
  agreement with people of the fitted judge, of every other judge on the same
  sheets, of the floors, and of people among themselves, with 95 % intervals
  over resampled questions; the mean over other divisions into parts; and how well
  the bounds of the expectations hold.
The same data and seed give the same bytes. --inputs lists the inputs.
Exit codes: 0 done; 1 failed; 2 usage or input error, or too few human-scored answers.`,
		Example: `  compqa calibrate --release release --out surface.jsonl
  compqa calibrate --release release --judge gpt-4o --out gpt-4o.jsonl
  compqa calibrate --run results/runs/latest --judge my-judge --out my-judge.jsonl`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if listInputs {
				printInputs(streams.Out)
				return nil
			}
			if err := required(cmd, map[string]*string{"out": &out}); err != nil {
				return err
			}
			fitted, err := calibrate.Fit(streams.Out, o)
			if err != nil {
				return err
			}
			if err := writeOut(out, streams.Out, fitted.Write); err != nil || o.Run == "" || fitted.Judge == "" {
				return err
			}
			name, err := calibrate.RecordJudge(cmd.Context(), o.Run, fitted)
			if err == nil {
				fmt.Fprintf(streams.Err, "%s is on record; `compqa report %s` shows it\n", name, o.Run)
			}
			return err
		},
	}
	cmd.Flags().StringVar(&o.Release, "release", "", "fit to the CompQA authors' release, a checkout in `DIR`")
	cmd.Flags().StringVar(&o.Run, "run", "", "fit to the record of a run in `DIR`")
	cmd.Flags().StringVar(&o.Judge, "judge", "", "calibrate the judge with this `NAME` (default: none, which is surface)")
	cmd.Flags().StringVar(&out, "out", "", "the `FILE` to write the model to")
	cmd.Flags().IntVar(&o.Divisions, "divisions", 10, "compare with a `NUMBER` of other divisions of the questions")
	cmd.Flags().BoolVar(&listInputs, "inputs", false, "only list the inputs")
	cmd.Flags().Uint64Var(&o.Seed, "seed", 1, "seed of all randomness, a `NUMBER`")
	return cmd
}

// printInputs lists the inputs of a calibration.
func printInputs(w io.Writer) {
	for _, in := range surface.InputsExplained() {
		fmt.Fprintf(w, "%-36s  %s\n", in[0], in[1])
	}
}

// newCalibratedJudging is newJudging for a calibrated judge: a plan with the judge
// that it calibrates.
func newCalibratedJudging(c *config.Config, ref config.Judge) (*plan.Plan, error) {
	r, err := c.LoadRubric()
	if err != nil {
		return nil, err
	}
	fitted, err := plan.ReadCalibration(c, ref, r)
	if err != nil {
		return nil, err
	}
	p, err := newJudging(c, fitted.Judge)
	if err != nil {
		return nil, config.UsageError{Err: fmt.Errorf("judge %q calibrates %q, which is not available: %w", ref.Name, fitted.Judge, err)}
	}
	p.Judges[0] = calibrate.Judge{Name: ref.Name, Fitted: fitted}.Over(p.Judges[0])
	return p, nil
}
