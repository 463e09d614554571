// Package calibrate fits judges to people's scores, compares them with people, and
// records the verdicts of calibrated judges.
package calibrate

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"gonum.org/v1/gonum/floats/scalar"
	"gonum.org/v1/gonum/stat"

	"compqa/bench/config"
	"compqa/data"
	"compqa/data/sources/release"
	"compqa/judges"
	"compqa/judges/surface"
	"compqa/results/dataset"
	"compqa/results/store"
)

// Options are the options of a calibration.
type Options struct {
	Release, Run string // folders; one of them is set
	Judge        string // calibrated; "" for none
	Divisions    int    // other divisions of the questions to compare with
	Seed         uint64
}

// Fit fits a judge to people's scores and prints its agreement with people. leftOut measures its bias on the answers of each
// system that people scored, fitted again without the system.
func Fit(w io.Writer, o Options) (fitted *surface.Calibration, leftOut func() ([]data.SystemBias, error), err error) {
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
	others, err := c.divisions(o.Divisions)
	if err != nil {
		return nil, nil, err
	}
	fitted.Figures = calibrationFigures(rows[0], others)
	return fitted, c.leftOut, c.print(w, fitted, rows)
}

// prepare reads the data and collects the examples to fit to.
func (o Options) prepare() (*fitting, error) {
	if (o.Release == "") == (o.Run == "") {
		return nil, config.Usagef("human scores come from a run or from --release, not from both")
	}
	if o.Divisions < 0 {
		return nil, config.Usagef("--divisions cannot be negative")
	}
	read, dir := releaseCorpus, o.Release
	if o.Run != "" {
		read, dir = runCorpus, o.Run
	}
	corpus, err := read(dir)
	if err != nil {
		return nil, err
	}
	c := &fitting{Corpus: corpus, judge: o.Judge, seed: o.Seed, units: corpus.Reference()}
	if c.judge == surface.Name {
		c.judge = ""
	}
	if c.judge != "" && !slices.Contains(c.Judges, c.judge) {
		return nil, config.Usagef("%s contains no valid verdict of a judge %q%s", dir, c.judge, data.Suggest(c.judge, "judges", c.Judges))
	}
	for _, judge := range c.Judges { // all may teach except embedded ones
		if _, computed := judges.EmbeddedNamed(judge); !computed {
			c.teachers = append(c.teachers, judge)
		}
	}
	c.examples = c.Corpus.Examples(c.judge, c.teachers)
	return c, nil
}

// calibrationFigures are the figures in the model's file.
func calibrationFigures(own sheetRow, others [][]float64) []surface.CalibrationFigure {
	var figures []surface.CalibrationFigure
	for i, of := range own.figures {
		if !of.Low.Known() {
			continue // undefined
		}
		mean, sd := 0., 0. // 0 without two divisions
		if values := data.Each(others, func(f []float64) float64 { return f[i] }); len(values) > 1 {
			mean, sd = stat.MeanStdDev(values, nil)
		} else if len(values) == 1 {
			mean = values[0]
		}
		figures = append(figures, surface.CalibrationFigure{Name: sheetFigures[i].name, Sheets: len(own.pairs.People),
			Value: decimals(*of.Value.Number), Low: decimals(*of.Low.Number), High: decimals(*of.High.Number), Others: decimals(mean),
			OthersSD: decimals(sd)})
	}
	return figures
}

// decimals rounds to four decimals.
func decimals(v float64) float64 { return scalar.Round(v, 4) }

// releaseCorpus reads the authors' release.
func releaseCorpus(dir string) (*surface.Corpus, error) {
	release, err := release.Read(dir)
	if err != nil {
		return nil, config.UsageError{Err: err}
	}
	return surface.NewCorpus(release.Hash, release.Answers, release.Verdicts), nil
}

// runCorpus reads the record of a run.
func runCorpus(dir string) (*surface.Corpus, error) {
	record, err := dataset.Load(dir)
	if err != nil {
		return nil, config.UsageError{Err: err}
	}
	if err := record.Rubric.RequireCQA(); err != nil {
		return nil, config.Usagef("cannot calibrate with %s: %w", dir, err)
	}
	db, err := store.Open(dir)
	if err != nil {
		return nil, err
	}
	defer db.Close()
	texts, err := answersOf(record, db)
	if err != nil {
		return nil, err
	}
	answers := data.Each(record.Answers, func(row dataset.AnswerRow) data.Answer { return texts[row.ID] })
	computed := map[string]bool{} // by calibrations, so not to be fitted to
	for _, c := range record.Plan {
		if strings.HasPrefix(c.Origin, Origin) {
			computed[c.Judge] = true
		}
	}
	var verdicts []data.Verdict
	for _, s := range record.Sheets {
		if computed[record.Judges[s.Judge].Name] {
			continue
		}
		v := data.Verdict{Answer: record.Answers[s.Answer].ID, Judge: record.Judges[s.Judge].Name, Repeat: int(s.Repeat), Status: s.Status,
			Scores: data.Scores{}}
		for i, points := range s.Scores {
			v.Scores[record.Rubric.Criteria[i].ID] = points
		}
		verdicts = append(verdicts, v)
	}
	return surface.NewCorpus(config.HashOf(verdicts), answers, verdicts), nil
}
