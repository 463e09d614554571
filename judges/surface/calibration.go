package surface

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"
	"slices"

	"compqa/data"
	"compqa/judges/regress"
	"compqa/rubric"
)

// A Calibration predicts human scores. FitCalibration fits it to human score sheets, from the inputs of the answers (Inputs)
// and, if it calibrates a judge, from that judge's scores.
//
// It has one model for each of several parts of the questions, and each model is fitted without its part. An answer to one
// of these questions is scored by the model that was fitted without it, so agreement with people can be measured on the same
// data. An answer to any other question is scored by the mean of all models.
type Calibration struct {
	Judge    string              `json:"judge"` // whose scores are among the inputs; "" for none
	Criteria []string            `json:"criteria"`
	Inputs   []string            `json:"inputs"` // names; the judge's scores follow them, and then the lessons
	Made     CalibrationSource   `json:"made"`
	Figures  []CalibrationFigure `json:"figures"`
	Parts    map[string]int      `json:"parts"` // hash of a question's pair key to its part
	Models   []PartModel         `json:"-"`     // by part

	mean PartModel // of all models
}

// A CalibrationSource says what a calibration was fitted to.
type CalibrationSource struct {
	Release   string   `json:"release"`            // hash of the release or record
	Sheets    int      `json:"sheets"`             // of people
	Questions int      `json:"questions"`          // with such a sheet
	Taught    int      `json:"taught"`             // answers whose sheets the lessons were learnt from
	Teachers  []string `json:"teachers,omitempty"` // the judges whose sheets those are
	Seed      uint64   `json:"seed"`
}

// A PartModel is fitted to all questions except those of its part.
type PartModel struct {
	// Lessons predict the scores of other judges (the teachers) from the inputs. Nil if there were no teachers.
	Lessons *regress.Linear  `json:"lessons"`
	Curves  []regress.Curves `json:"curves"` // by criterion
}

// row is the input of the curves: inputs, the judge's scores, lessons.
func (m *PartModel) row(inputs, judge []float64) []float64 {
	row := slices.Concat(inputs, judge)
	if m.Lessons != nil {
		row = m.Lessons.Predict(row, inputs)
	}
	return row
}

// lessonsFrom is the number of inputs before the lessons.
func (c *Calibration) lessonsFrom() int {
	if c.Judge == "" {
		return len(c.Inputs)
	}
	return len(c.Inputs) + len(c.Criteria)
}

// average sets the mean of all models: of their lessons and of their curves.
func (c *Calibration) average() {
	c.mean = PartModel{Curves: c.meanCurves(c.Models)}
	if taught := data.Where(c.Models, func(m PartModel) bool { return m.Lessons != nil }); taught != nil {
		c.mean.Lessons = regress.MeanLinear(data.Each(taught, func(m PartModel) *regress.Linear { return m.Lessons }))
	}
}

// meanCurves are the means of several models' curves, by criterion.
func (c *Calibration) meanCurves(models []PartModel) []regress.Curves {
	means := make([]regress.Curves, len(c.Criteria))
	for k := range means {
		means[k] = regress.Mean(data.Each(models, func(m PartModel) regress.Curves { return m.Curves[k] }))
	}
	return means
}

// model is the one that has not seen the question.
func (c *Calibration) model(pair string) *PartModel {
	if part := c.PartOf(pair); part >= 0 {
		return &c.Models[part]
	}
	return &c.mean
}

// PartOf is the part of the question with this pair key, -1 where the calibration was not fitted to the question.
func (c *Calibration) PartOf(pair string) int {
	if part, known := c.Parts[pairHash(pair)]; known {
		return part
	}
	return -1
}

// pairHash keeps the names of the objects out of a calibration's file.
func pairHash(pair string) string {
	sum := sha256.Sum256([]byte(pair))
	return hex.EncodeToString(sum[:8])
}

// Expect returns what a person would score the answer to a question with this pair key, by criterion, from the answer's
// inputs and, for the calibration of a judge, that judge's scores.
func (c *Calibration) Expect(pair string, inputs, judge []float64) []float64 {
	m := c.model(pair)
	row, points := m.row(inputs, judge), make([]float64, len(c.Criteria))
	for k := range points {
		points[k] = max(ranges[k][0], min(ranges[k][1], m.Curves[k].Predict(row)))
	}
	return points
}

// step and ranges are those of the built-in rubric's scores.
var step = rubric.CQA().Step

var ranges = func() (all [][2]float64) {
	for _, c := range rubric.CQA().Criteria {
		low, high := c.Range()
		all = append(all, [2]float64{low, high})
	}
	return all
}()

// Scores are the expected points rounded to the steps of a sheet: half a point.
func (c *Calibration) Scores(points []float64) map[string]float64 {
	scores := make(map[string]float64, len(c.Criteria))
	for k, id := range c.Criteria {
		scores[id] = math.Round(points[k]/step) * step
	}
	return scores
}

// An Effect is what one input adds to a criterion's expected points, compared with its mean effect on the sheets of the fit.
type Effect struct {
	Input  string
	Value  float64
	Points float64
}

// Effects are the effects of all inputs on all criteria, strongest first, and the
// points of each criterion without them. Each lesson counts as an input.
func (c *Calibration) Effects(pair string, inputs, judge []float64) (base []float64, effects [][]Effect) {
	m := c.model(pair)
	row := m.row(inputs, judge)
	base, effects = make([]float64, len(c.Criteria)), make([][]Effect, len(c.Criteria))
	for k := range c.Criteria {
		base[k] = m.Curves[k].Base
		for _, curve := range m.Curves[k].Curves {
			if points := curve.At(row[curve.Input]); points != 0 {
				effects[k] = append(effects[k], Effect{c.inputName(curve.Input), row[curve.Input], points})
			}
		}
		slices.SortStableFunc(effects[k], func(a, b Effect) int { return cmp.Compare(math.Abs(b.Points), math.Abs(a.Points)) })
	}
	return base, effects
}

func (c *Calibration) inputName(i int) string {
	switch from := c.lessonsFrom(); {
	case i < len(c.Inputs):
		return c.Inputs[i]
	case i < from:
		return fmt.Sprintf("criterion %s by %s", c.Criteria[i-len(c.Inputs)], c.Judge)
	default:
		return fmt.Sprintf("criterion %s as models would score it", c.Criteria[i-from])
	}
}
