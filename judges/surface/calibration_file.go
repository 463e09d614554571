package surface

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"

	"compqa/judges/regress"
	"compqa/rubric"
)

// A calibration's file is JSON Lines: a head, its cross-validated figures, the
// parts of the questions, and then for each part its lessons and its curves,
// criterion by criterion. It holds only fitted numbers and hashes, and no text of
// questions or answers.

// calibrationFormat is raised when older programs could not read the file.
const calibrationFormat = 1

// calibrationLine is any of the lines.
type calibrationLine struct {
	Head   *calibrationHead   `json:"calibration,omitempty"`
	Figure *CalibrationFigure `json:"figure,omitempty"`
	Parts  map[string]int     `json:"parts,omitempty"`
	Model  *calibrationModel  `json:"model,omitempty"`
	Curves *calibrationCurves `json:"curves,omitempty"`
}

type calibrationHead struct {
	Format   int               `json:"format"`
	Judge    string            `json:"judge"`
	Models   int               `json:"models"`
	Criteria []string          `json:"criteria"`
	Inputs   []string          `json:"inputs"`
	Made     CalibrationSource `json:"made"`
}

// A CalibrationFigure is agreement with people, measured with models that were
// fitted without the question.
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

type calibrationModel struct {
	Part    int       `json:"part"`
	Spreads []float64 `json:"spreads"`
	*regress.Linear
}

// calibrationCurves holds, for each curve, its input, its start, and then cuts
// and changes in turn.
type calibrationCurves struct {
	Part      int         `json:"part"`
	Criterion string      `json:"criterion"`
	Base      float64     `json:"base"`
	Curves    [][]float64 `json:"curves"`
}

// Write writes the calibration. ReadCalibration reads the same numbers back, because
// FitCalibration rounds all of them.
func (c *Calibration) Write(w io.Writer) error {
	buffered := bufio.NewWriter(w)
	enc := json.NewEncoder(buffered)
	enc.SetEscapeHTML(false)
	lines := []calibrationLine{{Head: &calibrationHead{calibrationFormat, c.Judge, len(c.Models), c.Criteria, c.Inputs, c.Made}}}
	for _, f := range c.Figures {
		lines = append(lines, calibrationLine{Figure: &f})
	}
	lines = append(lines, calibrationLine{Parts: c.Parts})
	for part, m := range c.Models {
		lines = append(lines, calibrationLine{Model: &calibrationModel{part, m.Spreads, m.Lessons}})
		for k, curves := range m.Criteria {
			lines = append(lines, calibrationLine{Curves: &calibrationCurves{part, c.Criteria[k], curves.Base, flatCurves(curves)}})
		}
	}
	for _, line := range lines {
		if err := enc.Encode(line); err != nil {
			return fmt.Errorf("writing the calibration: %w", err)
		}
	}
	return buffered.Flush()
}

func flatCurves(c regress.Curves) [][]float64 {
	flat := make([][]float64, len(c.Curves))
	for i, curve := range c.Curves {
		flat[i] = []float64{float64(curve.Input), curve.Start}
		for s, cut := range curve.Cuts {
			flat[i] = append(flat[i], cut, curve.Changes[s])
		}
	}
	return flat
}

// ReadCalibration reads what Write wrote. The name is for messages: errors
// include file and line.
func ReadCalibration(name string, r io.Reader) (*Calibration, error) {
	c := &Calibration{}
	scan := bufio.NewScanner(r)
	scan.Buffer(make([]byte, 0, 1<<16), 1<<24)
	n := 0
	for scan.Scan() {
		n++
		if err := c.readLine(scan.Bytes()); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, n, err)
		}
	}
	if err := scan.Err(); err != nil {
		return nil, fmt.Errorf("reading %s: %w", name, err)
	}
	if err := c.complete(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	c.average()
	return c, nil
}

func (c *Calibration) readLine(text []byte) error {
	var line calibrationLine
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&line); err != nil {
		return fmt.Errorf("not a line of a calibration: %w", err)
	}
	if c.Criteria == nil && line.Head == nil {
		return fmt.Errorf("the first line of a calibration must say what it is a calibration of")
	}
	switch {
	case line.Head != nil:
		return c.readHead(*line.Head)
	case line.Figure != nil:
		c.Figures = append(c.Figures, *line.Figure)
	case line.Parts != nil:
		for _, part := range line.Parts {
			if part < 0 || part >= len(c.Models) {
				return fmt.Errorf("part %d of %d", part, len(c.Models))
			}
		}
		c.Parts = line.Parts
	case line.Model != nil:
		return c.readModel(*line.Model)
	case line.Curves != nil:
		return c.readCurves(*line.Curves)
	}
	return nil
}

func (c *Calibration) readHead(h calibrationHead) error {
	const mostModels = 1000
	switch {
	case c.Criteria != nil:
		return fmt.Errorf("a second head")
	case h.Format != calibrationFormat:
		return fmt.Errorf("the file has format %d, but this program reads format %d", h.Format, calibrationFormat)
	case !slices.Equal(h.Criteria, rubric.CQA().IDs()):
		return fmt.Errorf("it is for other criteria than those of the rubric %q", rubric.CQA().Name)
	case !slices.Equal(h.Inputs, InputNames()):
		return fmt.Errorf("it was fitted to measurements that this program does not take; fit it again with `compqa calibrate`")
	case h.Models < 1 || h.Models > mostModels:
		return fmt.Errorf("%d models", h.Models)
	}
	c.Judge, c.Criteria, c.Inputs, c.Made = h.Judge, h.Criteria, h.Inputs, h.Made
	c.Models = make([]PartModel, h.Models)
	for i := range c.Models {
		c.Models[i].Criteria = make([]regress.Curves, len(c.Criteria))
	}
	return nil
}

func (c *Calibration) readModel(m calibrationModel) error {
	if m.Part < 0 || m.Part >= len(c.Models) {
		return fmt.Errorf("part %d of %d", m.Part, len(c.Models))
	}
	if len(m.Spreads) != len(c.Criteria)+1 {
		return fmt.Errorf("%d spreads; %d are needed", len(m.Spreads), len(c.Criteria)+1)
	}
	c.Models[m.Part].Spreads, c.Models[m.Part].Lessons = m.Spreads, m.Linear
	if m.Linear == nil {
		return nil
	}
	if err := c.plausible(slices.Concat(append(slices.Clone(m.Weights), m.Base)...)...); err != nil {
		return err
	}
	n := len(c.Inputs)
	if len(m.Means) != n || len(m.Scales) != n || len(m.Weights) != n || len(m.Base) != len(c.Criteria) {
		return fmt.Errorf("the lessons are not those of %d inputs and %d criteria", n, len(c.Criteria))
	}
	for _, weights := range m.Weights {
		if len(weights) != len(c.Criteria) {
			return fmt.Errorf("%d weights of an input; %d are needed", len(weights), len(c.Criteria))
		}
	}
	return nil
}

// plausible returns an error for a number of points that no fit to scores gives: one of a criterion
// is at most the total of the rubric.
func (c *Calibration) plausible(points ...float64) error {
	most := rubric.CQA().Max()
	for _, p := range points {
		if !(math.Abs(p) <= most) {
			return fmt.Errorf("%v points of a criterion; at most %v are possible", p, most)
		}
	}
	return nil
}

func (c *Calibration) readCurves(m calibrationCurves) error {
	k := slices.Index(c.Criteria, m.Criterion)
	if m.Part < 0 || m.Part >= len(c.Models) || k < 0 {
		return fmt.Errorf("no part %d of %d, or no criterion %q", m.Part, len(c.Models), m.Criterion)
	}
	curves := regress.Curves{Base: m.Base}
	if err := c.plausible(m.Base); err != nil {
		return err
	}
	for _, flat := range m.Curves {
		if len(flat) < 2 || len(flat)%2 != 0 {
			return fmt.Errorf("a curve is its input, its start, and cuts and changes in turn: %v", flat)
		}
		curve := regress.Curve{Input: int(flat[0]), Start: flat[1]}
		if float64(curve.Input) != flat[0] || curve.Input < 0 || curve.Input >= c.lessonsFrom()+len(c.Criteria) {
			return fmt.Errorf("a curve of input %v", flat[0])
		}
		for s := 2; s < len(flat); s += 2 {
			if s > 2 && flat[s] < flat[s-2] {
				return fmt.Errorf("the cuts of input %d do not ascend", curve.Input)
			}
			if err := c.plausible(flat[1], flat[s+1]); err != nil {
				return err
			}
			curve.Cuts, curve.Changes = append(curve.Cuts, flat[s]), append(curve.Changes, flat[s+1])
		}
		curves.Curves = append(curves.Curves, curve)
	}
	c.Models[m.Part].Criteria[k] = curves
	return nil
}

// complete makes sure that every part has its model, and either all have lessons
// or none has.
func (c *Calibration) complete() error {
	if c.Models == nil {
		return fmt.Errorf("it contains no calibration")
	}
	for part, m := range c.Models {
		if m.Spreads == nil {
			return fmt.Errorf("the model of part %d is missing", part)
		}
		if (m.Lessons == nil) != (c.Models[0].Lessons == nil) {
			return fmt.Errorf("part %d and part 0 differ in whether they have lessons", part)
		}
		for _, curves := range m.Criteria {
			for _, curve := range curves.Curves {
				if m.Lessons == nil && curve.Input >= c.lessonsFrom() {
					return fmt.Errorf("part %d has curves of lessons, and no lessons", part)
				}
			}
		}
	}
	return nil
}

// rounded shortens all numbers of a model to what matters of them: cuts, means
// and scales to seven digits, everything in points to a ten-thousandth.
func (m PartModel) rounded() PartModel {
	if l := m.Lessons; l != nil {
		each(l.Means, significant)
		each(l.Scales, significant)
		each(l.Base, decimal)
		for _, weights := range l.Weights {
			each(weights, decimal)
		}
	}
	each(m.Spreads, decimal)
	for k := range m.Criteria {
		c := &m.Criteria[k]
		c.Base = decimal(c.Base)
		for i := range c.Curves {
			c.Curves[i].Start = decimal(c.Curves[i].Start)
			each(c.Curves[i].Cuts, significant)
			each(c.Curves[i].Changes, decimal)
		}
	}
	return m
}

func each(values []float64, round func(float64) float64) {
	for i, v := range values {
		values[i] = round(v)
	}
}

func decimal(v float64) float64 { return math.Round(v*1e4) / 1e4 }

func significant(v float64) float64 {
	short, err := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 7, 64), 64)
	if err != nil {
		return v // as it is where the digits lead beyond the largest number
	}
	return short
}
