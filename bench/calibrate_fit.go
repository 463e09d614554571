package bench

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"gonum.org/v1/gonum/floats/scalar"
	"gonum.org/v1/gonum/stat"

	"compqa/bench/attack"
	"compqa/bench/config"
	"compqa/data"
	"compqa/judges/surface"
	"compqa/results/judgequality"
	"compqa/rubric"
)

// calibrateOptions are the options of `compqa judge calibrate`.
type calibrateOptions struct {
	Release, Run string // folders, of which one is set
	Judge        string // the judge to calibrate; "" to fit only the surface of answers
	Divisions    int    // the number of other divisions of the questions to compare with
	Seed         uint64
}

// A calibrationFitting is the state of one calibration.
type calibrationFitting struct {
	*calibrationCorpus
	judge    string // the judge to calibrate; "" for none
	seed     uint64
	examples []surface.Example
}

// fitCalibration fits a judge to people's scores and prints its agreement with people. The function leftOut measures the judge's bias on
// the answers of each system that people scored. For that, it fits the judge again without the system.
func fitCalibration(w io.Writer, o calibrateOptions) (fitted *surface.Calibration, leftOut func() ([]data.SystemBias, error), err error) {
	c, err := o.prepare()
	if err != nil {
		return nil, nil, err
	}
	fitted, err = c.fit(c.examples, o.Seed)
	if errors.Is(err, surface.ErrTooFew) {
		return nil, nil, config.Usagef("cannot calibrate: %w", err)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("calibrating: %w", err)
	}
	rows, err := c.rows(fitted)
	if err != nil {
		return nil, nil, err
	}
	fitted.Figures, err = c.calibrationFigures(rows[0], o.Divisions)
	if err != nil {
		return nil, nil, err
	}
	return fitted, c.leftOut, c.print(w, fitted, rows)
}

// prepare reads the corpus and collects the examples for the fit.
func (o calibrateOptions) prepare() (*calibrationFitting, error) {
	if (o.Release == "") == (o.Run == "") {
		return nil, config.Usagef("human scores come from a run or from --release, not from both")
	}
	if o.Divisions < 0 {
		return nil, config.Usagef("--divisions cannot be negative")
	}
	read := releaseCorpus
	dir := o.Release
	if o.Run != "" {
		read = runCorpus
		dir = o.Run
	}
	corpus, err := read(dir)
	if err != nil {
		return nil, err
	}
	c := &calibrationFitting{calibrationCorpus: corpus, judge: o.Judge, seed: o.Seed}
	if c.judge == surface.Name {
		c.judge = ""
	}
	if c.judge != "" && !slices.Contains(c.judges, c.judge) {
		return nil, config.Usagef("%s contains no valid verdict of a judge %q%s", dir, c.judge, data.Suggest(c.judge, "judges", c.judges))
	}
	c.examples = c.calibrationCorpus.examples(c.judge)
	return c, nil
}

func (c *calibrationFitting) fit(examples []surface.Example, seed uint64) (*surface.Calibration, error) {
	fitted, err := surface.FitCalibration(examples, c.judge, seed)
	if err != nil {
		return nil, err
	}
	fitted.Made.Release = c.hash
	return fitted, nil
}

// calibrationFigures returns the figures for the model's file. The fit divides the questions into parts for cross-validation. To show how
// much a figure depends on the division, each figure comes with its mean and standard deviation over fits with other divisions.
func (c *calibrationFitting) calibrationFigures(row sheetRow, divisions int) (figures []surface.CalibrationFigure, err error) {
	others := make([][]float64, len(sheetFigures))
	for d := range divisions {
		fitted, err := c.fit(c.examples, c.seed+1+uint64(d))
		if err != nil {
			return nil, err
		}
		values, err := c.pairs(c.by(fitted)).values()
		if err != nil {
			return nil, err
		}
		for i, v := range values {
			others[i] = append(others[i], v)
		}
	}
	for i, f := range row.figures {
		if !f.Bounded {
			continue // undefined
		}
		mean := 0.
		sd := 0. // 0 with fewer than two divisions
		if divisions > 1 {
			mean, sd = stat.MeanStdDev(others[i], nil)
		} else if divisions == 1 {
			mean = others[i][0]
		}
		figures = append(figures, surface.CalibrationFigure{Name: sheetFigures[i], Sheets: len(row.pairs.Judge),
			Value: decimals(f.Value), Low: decimals(f.Low), High: decimals(f.High), Others: decimals(mean),
			OthersSD: decimals(sd)})
	}
	return figures, nil
}

// decimals rounds to four decimals.
func decimals(v float64) float64 { return scalar.Round(v, 4) }

// print writes the agreement of the fitted judge and of others with people. For a judge that needs no other, it also writes what attacks it
// does not detect.
func (c *calibrationFitting) print(w io.Writer, fitted *surface.Calibration, rows []sheetRow) error {
	fmt.Fprintf(w, "%s: %d human score sheets on answers to %d questions.\n"+
		"Each answer is scored by a model that was not fitted to its question.\n\n", rows[0].name, fitted.Made.Sheets, fitted.Made.Questions)
	if err := sheetTable(rows).Terminal(w); err != nil {
		return err
	}
	fmt.Fprintf(w, "\nIn brackets: 95 %% intervals over 1,000 resamples of questions.\n")
	for _, f := range fitted.Figures {
		if f.Others != 0 {
			fmt.Fprintf(w, "Over other divisions of the questions the %s is %.3f on average (standard deviation %.3f).\n", f.Name, f.Others,
				f.OthersSD)
		}
	}
	fmt.Fprintln(w)
	if c.judge != "" { // the calibrated judge would have to score the attacked answers; `compqa datasheet` does that
		return nil
	}
	attacks, err := c.attacks(fitted)
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "What it does not detect: points of answers damaged on purpose (see `compqa datasheet --help`).\n\n")
	if err := judgequality.AttackTable(attacks).Terminal(w); err != nil {
		return err
	}
	fmt.Fprintln(w)
	return nil
}

// attacks applies the attacks to a sample of the corpus's answers and scores the attacked answers with the fitted model, to show what it
// does not detect.
func (c *calibrationFitting) attacks(fitted *surface.Calibration) ([]judgequality.AttackRow, error) {
	answers := attack.Sample(c.answers, attack.SampleSize, int64(c.seed))
	totals := map[string]float64{}
	for _, a := range attack.ApplyAll(answers, c.seed, data.QuestionOf) {
		totals[a.ID] = rubric.CQA().Total(calibratedScores(fitted, a, nil))
	}
	return judgequality.AttackRows(attack.Compare(surface.Name, answers, totals), rubric.CQA().Max())
}
