package judges

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

// A predictor is a model in the form in which it is evaluated: curves of the
// inputs, and for each part that has a say its lessons and the curves of these.
type predictor struct {
	inputs  *regress.Compiled
	lessons []*regress.CompiledLinear
	taught  []*regress.Compiled
	spreads []float64
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
	curves := make([][]regress.Curves, len(models))
	weight := 1 / float64(len(models))
	given := func(input int) bool { return input < c.lessonsFrom() }
	for i, m := range models {
		curves[i] = m.Criteria
		for k, s := range m.Spreads {
			p.spreads[k] += s * weight
		}
		if m.Lessons != nil {
			p.lessons = append(p.lessons, m.Lessons.Compile())
			p.taught = append(p.taught, regress.Compile(curves[i:i+1], weight, func(input int) bool { return !given(input) }))
		}
	}
	p.inputs = regress.Compile(curves, weight, given)
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
	p.inputs.Base(points)
	row := make([]float64, 0, c.lessonsFrom()+len(c.Criteria))
	row = append(append(row, inputs...), judge...)
	p.inputs.Add(points, row)
	for i, l := range p.lessons {
		p.taught[i].Add(points, l.Predict(row, inputs))
	}
	return expectation(points, p.spreads)
}

// ranges are those of the built-in criteria's points.
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
	step := rubric.CQA().Step
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
	base, effects = make([]float64, len(c.Criteria)), make([][]Effect, len(c.Criteria))
	for k := range c.Criteria {
		sums, values := map[int]float64{}, map[int]float64{}
		for _, m := range models {
			x := m.row(inputs, judge)
			base[k] += weight * m.Criteria[k].Base
			for _, curve := range m.Criteria[k].Curves {
				sums[curve.Input] += weight * curve.At(x[curve.Input])
			}
			for i, v := range x {
				values[i] += weight * v
			}
		}
		for i := range c.lessonsFrom() + len(c.Criteria) {
			if sums[i] != 0 {
				effects[k] = append(effects[k], Effect{c.inputName(i), values[i], sums[i]})
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
