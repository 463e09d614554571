package bench

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"compqa/bench/config"
	"compqa/bench/run"
	"compqa/data"
	"compqa/judges"
	"compqa/judges/surface"
	"compqa/results/paper"
)

type calibrateFlags struct {
	release, run, judge, out string
	suggest, divisions       int
	seed                     uint64
	inputs                   bool
}

func calibrateCommand(streams run.Streams) *cobra.Command {
	var f calibrateFlags
	cmd := &cobra.Command{
		Use:   "calibrate (--release DIR | --run DIR) --out FILE",
		Short: "Learn from people's scores: the judge surface, or another judge calibrated",
		Long: `Fits what people would score to what can be read off an answer's surface: layout,
coverage of the objects and aspects, balance, choice, repetition, manner. That is
the judge "surface", which is a part of the program; FILE is its model.

With --judge NAME the scores of that judge are read, too: FILE then makes of it
the judge NAME+calibrated. With --run, DIR's record gets its verdicts at once, and
every report of that run has it. In a configuration it is an entry

  {name: NAME+calibrated, provider: calibrated, path: FILE}

The questions are divided into ten parts, and each part gets a model that was
fitted without it: on an answer to one of these questions the model speaks that
has not seen it, on any other all ten. So the figures printed, and those of every
report, are of answers to questions that were not learnt from. Printed are

  agreement with people of what is fitted, of every other judge on the same
  sheets, of the floors, and of people among themselves, with 95 % intervals
  over resampled questions; the same over other divisions into parts; how well
  the bounds of the expectations hold; and what agreement to expect from 25, 50,
  100 and 200 sheets of people.

--suggest N lists the N answers whose annotation would help most: those that the
model is unsure of and that are unlike what is annotated. While there are too few
sheets to learn from, the model is the embedded one.

The same data and seed give the same bytes. --inputs lists what is read off an answer.

Exit codes: 0 done; 1 failed; 2 usage or input, too few sheets of people included.`,
		Example: `  compqa calibrate --release release --out surface.jsonl
  compqa calibrate --release release --judge gpt-4o --out gpt-4o.jsonl
  compqa calibrate --run results/runs/latest --judge my-judge --out my-judge.jsonl --suggest 20`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if f.inputs {
				printInputs(streams.Out)
				return nil
			}
			if err := required(cmd, map[string]*string{"out": &f.out}); err != nil {
				return err
			}
			return f.perform(cmd, streams)
		},
	}
	cmd.Flags().StringVar(&f.release, "release", "", "learn from the CompQA authors' release, a checkout in `DIR`")
	cmd.Flags().StringVar(&f.run, "run", "", "learn from the record of a run in `DIR`")
	cmd.Flags().StringVar(&f.judge, "judge", "", "calibrate the judge with this `NAME` (default: none, which is surface)")
	cmd.Flags().StringVar(&f.out, "out", "", "the `FILE` to write the model to")
	cmd.Flags().IntVar(&f.suggest, "suggest", 0, "list the `N` answers whose annotation would help most")
	cmd.Flags().IntVar(&f.divisions, "divisions", 10, "other divisions of the questions to compare with, a `NUMBER`")
	cmd.Flags().BoolVar(&f.inputs, "inputs", false, "only say what is read off an answer")
	cmd.Flags().Uint64Var(&f.seed, "seed", 1, "of everything random, a `NUMBER`")
	return cmd
}

func (f calibrateFlags) perform(cmd *cobra.Command, streams run.Streams) error {
	c, err := f.prepare()
	if err != nil {
		return err
	}
	fitted, err := c.fit(c.examples, f.seed, false)
	if errors.Is(err, surface.ErrTooFew) {
		of := *c // what to annotate first is told by the embedded model
		of.judge = ""
		of.printSuggestions(streams.Out, of.suggest(surface.Builtin(), f.suggest))
		return config.UsageError{Err: fmt.Errorf("nothing can be learnt: %w", err)}
	}
	if err != nil {
		return fmt.Errorf("calibrating: %w", err)
	}
	rows, err := c.rows(fitted)
	if err != nil {
		return err
	}
	others, err := c.divisions(f.divisions)
	if err != nil {
		return err
	}
	fitted.Figures = calibrationFigures(rows[0], others)
	curve, err := c.curve()
	if err != nil {
		return err
	}
	if err := c.print(streams.Out, fitted, rows, curve); err != nil {
		return err
	}
	c.printSuggestions(streams.Out, c.suggest(fitted, f.suggest))
	var file bytes.Buffer
	if err := errors.Join(fitted.Write(&file), writeWhole(f.out, file.Bytes(), streams.Out)); err != nil {
		return err
	}
	if f.run == "" || c.judge == "" {
		return nil
	}
	name, err := recordCalibrated(cmd.Context(), f.run, fitted)
	if err == nil {
		fmt.Fprintf(streams.Err, "%s is on record; `compqa report %s` shows it\n", name, f.run)
	}
	return err
}

// prepare reads the data and finds out what is to be learnt from them.
func (f calibrateFlags) prepare() (*calibrating, error) {
	if (f.release == "") == (f.run == "") {
		return nil, config.UsageError{Err: fmt.Errorf("one of --release and --run is needed: where people's scores are")}
	}
	if f.suggest < 0 || f.divisions < 0 {
		return nil, config.UsageError{Err: fmt.Errorf("--suggest and --divisions cannot be negative")}
	}
	read, dir := releaseCorpus, f.release
	if f.run != "" {
		read, dir = runCorpus, f.run
	}
	corpus, err := read(dir)
	if err != nil {
		return nil, err
	}
	c := &calibrating{corpus: corpus, judge: f.judge, seed: f.seed, units: corpus.reference()}
	if c.judge == surface.Name {
		c.judge = ""
	}
	if c.judge != "" && !slices.Contains(c.judges, c.judge) {
		near := data.Nearest(c.judge, c.judges)
		if near != "" {
			near = fmt.Sprintf("; did you mean %q?", near)
		}
		return nil, config.UsageError{Err: fmt.Errorf("%s holds no valid verdict of a judge %q%s", dir, c.judge, near)}
	}
	c.teachers = c.models()
	c.examples = c.corpus.examples(c.judge, c.teachers)
	return c, nil
}

// models are the judges that may teach: all but those that are computed from the
// texts.
func (c *calibrating) models() []string {
	var teachers []string
	for _, judge := range c.judges {
		if _, computed := judges.EmbeddedNamed(judge); !computed {
			teachers = append(teachers, judge)
		}
	}
	return teachers
}

// calibrationFigures are what the model's file says of itself.
func calibrationFigures(own paper.SheetRow, others [][]float64) []surface.CalibrationFigure {
	var figures []surface.CalibrationFigure
	for i, of := range own.Figures() {
		if !of.Low.Known() {
			continue // undefined
		}
		mean, sd := moments(others, i)
		figures = append(figures, surface.CalibrationFigure{Name: paper.SheetFigureNames[i], Sheets: own.N,
			Value: decimals(*of.Value.Number), Low: decimals(*of.Low.Number), High: decimals(*of.High.Number), Others: decimals(mean), OthersSD: decimals(sd)})
	}
	return figures
}

// decimals keeps four of them.
func decimals(v float64) float64 { return math.Round(v*1e4) / 1e4 }

// writeWhole writes a file, which has its name when it is complete; "-" is
// standard output.
func writeWhole(path string, content []byte, stdout io.Writer) error {
	if path == "-" {
		_, err := stdout.Write(content)
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*")
	if err != nil {
		return config.UsageError{Err: fmt.Errorf("cannot write %s: %w", path, config.UnwrapPath(err))}
	}
	defer os.Remove(f.Name()) // gone once it is renamed
	_, err = f.Write(content)
	if err := errors.Join(err, f.Chmod(0o644), f.Close()); err != nil {
		return fmt.Errorf("writing %s: %w", path, err)
	}
	return os.Rename(f.Name(), path)
}
