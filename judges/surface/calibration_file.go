package surface

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats/scalar"

	"compqa/rubric"
)

// A calibration's file is JSON Lines: what it is, and then the model of each part. It holds only
// fitted numbers and hashes, and no text of questions or answers.

// calibrationFormat is raised when older programs could not read the file.
const calibrationFormat = 2

type calibrationHead struct {
	Format  int `json:"format"`
	NModels int `json:"models"`
	*Calibration
}

// A CalibrationFigure is agreement with people, measured with models that were fitted without the question.
type CalibrationFigure struct {
	Name   string  `json:"name"`
	Value  float64 `json:"value"`
	Low    float64 `json:"low"` // of 95 in 100 resamples of questions
	High   float64 `json:"high"`
	Sheets int     `json:"sheets"`
	// Others is the mean of the same figure over other divisions of the questions
	// into parts, and OthersSD how much it differs among them.
	Others   float64 `json:"others"`
	OthersSD float64 `json:"others_sd"`
}

// Write writes the calibration. ReadCalibration reads the same numbers back, because FitCalibration rounds all of them.
func (c *Calibration) Write(w io.Writer) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	err := enc.Encode(calibrationHead{calibrationFormat, len(c.Models), c})
	for i := 0; i < len(c.Models) && err == nil; i++ {
		err = enc.Encode(c.Models[i])
	}
	if err != nil {
		err = fmt.Errorf("writing the calibration: %w", err)
	}
	return err
}

// ReadCalibration reads what Write wrote. The name is for messages: errors include file and line.
func ReadCalibration(name string, r io.Reader) (*Calibration, error) {
	head := calibrationHead{Calibration: &Calibration{}}
	text, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", name, err)
	}
	n := 0
	for line := range bytes.Lines(text) {
		n++
		if line = bytes.TrimSpace(line); len(line) == 0 && n > 1 {
			continue
		}
		if err := head.line(n, line); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, n, err)
		}
	}
	if n == 0 || len(head.Models) != head.NModels {
		return nil, fmt.Errorf("%s: it contains no whole calibration: %d of %d models", name, len(head.Models), head.NModels)
	}
	head.average()
	return head.Calibration, nil
}

func (h *calibrationHead) line(n int, text []byte) error {
	var m PartModel
	into := any(&m)
	if n == 1 {
		into = h
	}
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	if err := dec.Decode(into); err != nil {
		return fmt.Errorf("not a line of a calibration: %w", err)
	}
	if _, err := dec.Token(); err != io.EOF {
		return fmt.Errorf("not a line of a calibration: more follows its value")
	}
	if n == 1 {
		return h.check()
	}
	h.Models = append(h.Models, m)
	return h.checkModel(m)
}

func (h *calibrationHead) check() error {
	const mostModels = 1000
	switch {
	case h.Calibration == nil || h.Format != calibrationFormat:
		return fmt.Errorf("the file has format %d, but this program reads format %d", h.Format, calibrationFormat)
	case !slices.Equal(h.Criteria, rubric.CQA().IDs()):
		return fmt.Errorf("it is for other criteria than those of the rubric %q", rubric.CQA().Name)
	case !slices.Equal(h.Inputs, InputNames()):
		return fmt.Errorf("it was fitted to measurements that this program does not take; fit it again with `compqa calibrate`")
	case h.NModels < 1 || h.NModels > mostModels:
		return fmt.Errorf("%d models", h.NModels)
	}
	for _, part := range h.Parts {
		if part < 0 || part >= h.NModels {
			return fmt.Errorf("part %d of %d", part, h.NModels)
		}
	}
	return nil
}

// checkModel makes sure that a model fits the head and the first model.
func (h *calibrationHead) checkModel(m PartModel) error {
	inputs := h.lessonsFrom()
	switch l := m.Lessons; {
	case len(h.Models) > h.NModels:
		return fmt.Errorf("a model too many: there are %d", h.NModels)
	case len(m.Curves) != len(h.Criteria):
		return fmt.Errorf("curves of %d criteria; %d are needed", len(m.Curves), len(h.Criteria))
	case (l == nil) != (h.Models[0].Lessons == nil):
		return fmt.Errorf("some models have lessons, and others have none")
	case l != nil && !l.Fits(len(h.Inputs), len(h.Criteria)):
		return fmt.Errorf("the lessons are not those of %d inputs and %d criteria", len(h.Inputs), len(h.Criteria))
	case l != nil:
		inputs += len(h.Criteria)
	}
	var points []float64
	if l := m.Lessons; l != nil {
		points = slices.Concat(append(slices.Clone(l.Weights), l.Base)...)
	}
	for _, of := range m.Curves {
		points = append(points, of.Base)
		for _, curve := range of.Curves {
			points = append(append(points, curve.Start), curve.Changes...)
			if curve.Input < 0 || curve.Input >= inputs || !slices.IsSorted(curve.Cuts) {
				return fmt.Errorf("a curve of input %d of %d; or its cuts do not ascend", curve.Input, inputs)
			}
		}
	}
	// No fit to scores gives more points of a criterion than the total of the rubric.
	most := rubric.CQA().Max()
	for _, p := range points {
		if !(math.Abs(p) <= most) {
			return fmt.Errorf("%v points of a criterion; at most %v are possible", p, most)
		}
	}
	return nil
}

// rounded shortens all numbers of a model to what matters of them: cuts, means
// and scales to seven digits, everything in points to a ten-thousandth.
func (m PartModel) rounded() PartModel {
	if l := m.Lessons; l != nil {
		each(significant, l.Means, l.Scales)
		each(decimal, append(l.Weights, l.Base)...)
	}
	for k := range m.Curves {
		c := &m.Curves[k]
		c.Base = decimal(c.Base)
		for i := range c.Curves {
			c.Curves[i].Start = decimal(c.Curves[i].Start)
			each(significant, c.Curves[i].Cuts)
			each(decimal, c.Curves[i].Changes)
		}
	}
	return m
}

func each(round func(float64) float64, lists ...[]float64) {
	for _, values := range lists {
		for i, v := range values {
			values[i] = round(v)
		}
	}
}

func decimal(v float64) float64 { return scalar.Round(v, 4) }

// significant rounds to seven digits.
func significant(v float64) float64 {
	if v == 0 {
		return 0
	}
	return scalar.Round(v, 6-int(math.Floor(math.Log10(math.Abs(v)))))
}
