package bench

import (
	"fmt"

	"github.com/spf13/cobra"

	"compqa/bench/cli"
	"compqa/bench/config"
	"compqa/bench/parties"
	"compqa/bench/plan"
	"compqa/judges/surface"
	"compqa/results/table"
)

// calibrateCommand builds `compqa judge calibrate`. It fits the judge, writes the model, and adds the verdicts of a calibrated judge to the
// run. With --inputs it only lists the inputs of the model.
func calibrateCommand(streams cli.Streams) *cobra.Command {
	var o calibrateOptions
	var out, systems string
	var listInputs bool
	cmd := cli.Command("calibrate [DIR | --release DIR] --out FILE",
		"Fit a judge to human scores: surface, or a calibrated version of another judge",
		func(cmd *cobra.Command, args []string) error {
			if o.Release == "" || len(args) > 0 {
				o.Run = append(args, config.DefaultOut)[0]
			}
			if listInputs {
				for _, in := range surface.InputsExplained() {
					fmt.Fprintf(streams.Out, "%-36s  %s\n", in[0], in[1])
				}
				return nil
			}
			if err := cli.Missing(cmd, "out"); err != nil {
				return err
			}
			fitted, leftOut, err := fitCalibration(streams.Out, o)
			if err != nil {
				return err
			}
			if systems != "" {
				biases, err := leftOut()
				if err == nil {
					err = writeOut(systems, streams.Out, table.CSV(biases))
				}
				if err != nil {
					return err
				}
			}
			if err := writeOut(out, streams.Out, fitted.Write); err != nil || o.Run == "" || fitted.Judge == "" {
				return err
			}
			name, err := recordCalibratedJudge(cmd.Context(), o.Run, fitted)
			if err == nil {
				fmt.Fprintf(streams.Err, "%s is on record; `compqa report %s` shows it\n", name, o.Run)
			}
			return err
		})
	cmd.Flags().StringVar(&o.Release, "release", "", "fit to the CompQA authors' release, a checkout in `DIR`")
	cmd.Flags().StringVar(&o.Judge, "judge", "", "calibrate the judge with this `NAME` (default: none, which is surface)")
	cmd.Flags().StringVar(&out, "out", "", "the `FILE` to write the model to")
	cmd.Flags().StringVar(&systems, "systems", "", "also fit without each system, and write the bias on its answers to `FILE`")
	cmd.Flags().IntVar(&o.Divisions, "divisions", 10, "compare with a `NUMBER` of other divisions of the questions")
	cmd.Flags().BoolVar(&listInputs, "inputs", false, "only list the inputs")
	cmd.Flags().Uint64Var(&o.Seed, "seed", 1, "seed of all randomness, a `NUMBER`")
	return cmd
}

// newCalibratedJudging is newJudging for a calibrated judge: it returns a plan with the judge that ref calibrates, wrapped in the
// calibration.
func newCalibratedJudging(c *config.Config, ref config.Judge) (*plan.Plan, error) {
	r, err := c.LoadRubric()
	if err != nil {
		return nil, err
	}
	fitted, err := parties.ReadCalibration(c, ref, r)
	if err != nil {
		return nil, err
	}
	p, err := newJudging(c, fitted.Judge)
	if err != nil {
		return nil, config.Usagef("judge %q calibrates %q, which is not available: %w", ref.Name, fitted.Judge, err)
	}
	p.Judges[0] = calibratedJudge{Name: ref.Name, Fitted: fitted}.Over(p.Judges[0])
	return p, nil
}
