package surface

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"
	"slices"
	"sync"

	"compqa/judges/regress"
	"compqa/rubric"
)

// A Calibration expects what people would score. It was fitted to people's
// sheets (FitCalibration) from what SurfaceInputs read off the answers and, where
// it calibrates a judge, that judge's scores.
//
// It holds one model for each of several parts of the questions it was fitted
// to, and each was fitted without its part. On an answer to one of those
// questions the model speaks that has never seen it, so that agreement with
// people may be measured on the very data; on any other question all speak, and
// their mean is taken.
type Calibration struct {
	Judge    string // whose scores are among the inputs; "" for none
	Criteria []string
	Inputs   []string // names; behind them come the judge's scores, and then the lessons
	Made     CalibrationSource
	Parts    map[string]int // hash of a question's pair key to its part
	Models   []PartModel    // by part
	Figures  []CalibrationFigure

	prepare sync.Once
	alone   []predictor
	all     predictor
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

// A PartModel is fitted to all questions but those of its part.
type PartModel struct {
	// Lessons expect from the inputs what the teachers would score: judges' scores
	// that need no judge. Nil where there were no teachers.
	Lessons  *regress.Linear
	Criteria []regress.Curves
	// Spreads are the half width of the interval that holds a person's score in
	// 80 of 100 cases, in units of spreadUnit; the last one is the total's.
	Spreads []float64
}

// A predictor is one model, or the mean of several, in the form in which it is
// evaluated. Of several models the lessons are averaged first, and then the curves
// of these.
type predictor struct {
	lessons *regress.CompiledLinear // nil for none
	curves  *regress.Compiled
	spreads []float64
}

// row is what the curves see: inputs, the judge's scores, lessons.
func (p *predictor) row(inputs, judge []float64) []float64 {
	row := make([]float64, 0, len(inputs)+2*len(ranges))
	row = append(append(row, inputs...), judge...)
	if p.lessons != nil {
		row = p.lessons.Predict(row, inputs)
	}
	return row
}

// An Expectation is what a person is expected to give an answer, in points, and
// the bounds within which people's scores lie in 80 of 100 cases.
type Expectation struct {
	Points, Low, High          []float64 // by criterion
	Total, TotalLow, TotalHigh float64
}

// ready compiles the models, once.
func (c *Calibration) ready() {
	c.prepare.Do(func() {
		for part := range c.Models {
			c.alone = append(c.alone, c.compile(c.Models[part:part+1]))
		}
		c.all = c.compile(c.Models)
	})
}

func (c *Calibration) compile(models []PartModel) predictor {
	p := predictor{spreads: make([]float64, len(c.Criteria)+1)}
	weight := 1 / float64(len(models))
	var curves [][]regress.Curves
	var lessons []*regress.Linear
	for _, m := range models {
		curves = append(curves, m.Criteria)
		for k, s := range m.Spreads {
			p.spreads[k] += s * weight
		}
		if m.Lessons != nil {
			lessons = append(lessons, m.Lessons)
		}
	}
	if lessons != nil {
		p.lessons = regress.CompileLinear(lessons)
	}
	p.curves = regress.Compile(curves, weight)
	return p
}

// lessonsFrom is the number of inputs before the lessons.
func (c *Calibration) lessonsFrom() int {
	if c.Judge == "" {
		return len(c.Inputs)
	}
	return len(c.Inputs) + len(c.Criteria)
}

// predictor is the one that may speak on a question.
func (c *Calibration) predictor(pair string) *predictor {
	c.ready()
	if part := c.PartOf(pair); part >= 0 {
		return &c.alone[part]
	}
	return &c.all
}

// PartOf is the part that a question with this pair key is in, -1 where the
// calibration has learnt nothing from it.
func (c *Calibration) PartOf(pair string) int {
	if part, known := c.Parts[pairHash(pair)]; known {
		return part
	}
	return -1
}

// pairHash keeps the names of what was compared out of a calibration.
func pairHash(pair string) string {
	sum := sha256.Sum256([]byte(pair))
	return hex.EncodeToString(sum[:8])
}

// Expect returns what a person would score the answer to a question with this
// pair key, from its inputs and, where the calibration is a judge's, the judge's
// scores.
func (c *Calibration) Expect(pair string, inputs, judge []float64) Expectation {
	p := c.predictor(pair)
	points := make([]float64, len(c.Criteria))
	p.curves.Predict(points, p.row(inputs, judge))
	return expectation(points, p.spreads)
}

// step is that of the built-in rubric's scores, ranges are those of its criteria's
// points.
var step = rubric.CQA().Step

var ranges = func() (all [][2]float64) {
	for _, c := range rubric.CQA().Criteria {
		low, high := c.Range()
		all = append(all, [2]float64{low, high})
	}
	return all
}()

// expectation keeps points in range and puts bounds around them.
func expectation(points, spreads []float64) Expectation {
	e := Expectation{Points: points, Low: make([]float64, len(points)), High: make([]float64, len(points))}
	variance, low, high := 0.0, 0.0, 0.0
	for k, within := range ranges {
		points[k] = max(within[0], min(within[1], points[k]))
		unit := spreadUnit(points[k], within)
		e.Low[k] = max(within[0], points[k]-spreads[k]*unit)
		e.High[k] = min(within[1], points[k]+spreads[k]*unit)
		e.Total += points[k]
		variance += unit * unit
		low, high = low+within[0], high+within[1]
	}
	half := spreads[len(points)] * math.Sqrt(variance)
	e.TotalLow, e.TotalHigh = max(low, e.Total-half), min(high, e.Total+half)
	return e
}

// spreadUnit is in what measure scores are spread about an expectation: like the
// standard deviation of one that is either full marks or none, which is smallest
// near either end, and never quite 0.
func spreadUnit(points float64, within [2]float64) float64 {
	const least = 0.05
	span := within[1] - within[0]
	p := (points - within[0]) / span
	return span * math.Sqrt(max(least, p*(1-p)))
}

// Scores are the expected points as a sheet has them: in steps of half a point.
func (c *Calibration) Scores(e Expectation) map[string]float64 {
	scores := make(map[string]float64, len(c.Criteria))
	for k, id := range c.Criteria {
		scores[id] = math.Round(e.Points[k]/step) * step
	}
	return scores
}

// An Effect is what one input does to a criterion's expected points, against its
// mean effect on the sheets fitted to.
type Effect struct {
	Input  string
	Value  float64
	Points float64
}

// Effects are those of all inputs on all criteria, strongest first, and the
// points that a criterion has without them. What the lessons do is told for each
// as an input of its own.
func (c *Calibration) Effects(pair string, inputs, judge []float64) (base []float64, effects [][]Effect) {
	models := c.Models
	if part := c.PartOf(pair); part >= 0 {
		models = models[part : part+1]
	}
	weight := 1 / float64(len(models))
	row := c.predictor(pair).row(inputs, judge)
	base, effects = make([]float64, len(c.Criteria)), make([][]Effect, len(c.Criteria))
	for k := range c.Criteria {
		sums := make([]float64, len(row))
		for _, m := range models {
			base[k] += weight * m.Criteria[k].Base
			for _, curve := range m.Criteria[k].Curves {
				sums[curve.Input] += weight * curve.At(row[curve.Input])
			}
		}
		for i, v := range row {
			if sums[i] != 0 {
				effects[k] = append(effects[k], Effect{c.inputName(i), v, sums[i]})
			}
		}
		slices.SortStableFunc(effects[k], func(a, b Effect) int {
			switch x, y := math.Abs(a.Points), math.Abs(b.Points); {
			case x > y:
				return -1
			case x < y:
				return 1
			}
			return 0
		})
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
