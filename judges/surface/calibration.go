package surface

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"

	"compqa/data"
	"compqa/rubric"
	"compqa/stats"
)

// A Calibration predicts human scores from the inputs of an answer (see Inputs). If it calibrates a judge, that judge's scores are inputs,
// too. It is a ridge regression, fitted by FitCalibration.
//
// The questions of the fit are divided into ten parts. The answers to a part's questions are scored by a model that was fitted without the
// part, so agreement with people can be measured on the same data. Answers to any other question are scored by a model that was fitted to
// all parts. The file of a calibration holds numbers and hashes, but no text.
type Calibration struct {
	Format   int                 `json:"format"`
	Judge    string              `json:"judge"` // name of the judge whose scores are among the inputs, or ""
	Criteria []string            `json:"criteria"`
	Inputs   []string            `json:"inputs"` // names of the inputs; the judge's scores follow them
	Made     CalibrationSource   `json:"made"`
	Figures  []CalibrationFigure `json:"figures"`
	Parts    map[string]int      `json:"parts"`  // from the hash of a question's pair key to its part
	Models   []*stats.Linear     `json:"models"` // one for each part, then the model fitted to all questions
}

// A CalibrationSource says what a calibration was fitted to.
type CalibrationSource struct {
	Release   string `json:"release"`   // hash of the release or record
	Sheets    int    `json:"sheets"`    // score sheets of people
	Questions int    `json:"questions"` // with at least one sheet
	Seed      uint64 `json:"seed"`
}

// A CalibrationFigure is a measure of agreement with people. Each answer was scored by a model fitted without its question.
type CalibrationFigure struct {
	Name   string  `json:"name"`
	Value  float64 `json:"value"`
	Low    float64 `json:"low"` // of the 95 % interval, from resamples of the questions
	High   float64 `json:"high"`
	Sheets int     `json:"sheets"`
	// Others is the mean of the same measure over other divisions of the questions into parts. OthersSD is its standard deviation over
	// them.
	Others   float64 `json:"others"`
	OthersSD float64 `json:"others_sd"`
}

const (
	calibrationFormat = 3
	folds             = 10 // into which the questions are divided
	penalty           = 10 // of the regression, in sheets
	fewestSheets      = 20 // of people; fewer are not enough for a fit
)

// An Example is an answer to learn from. It has the pair key of its question, its inputs, and scores in the rubric's order. If two people
// scored the answer, it is two examples.
type Example struct {
	Pair, System string
	Inputs       []float64
	Judge        []float64 // scores by the judge that is calibrated, or nil
	People       []float64 // scores by a person, or nil: then the answer only counts in the division of the questions into parts
}

// ErrTooFew is the error if there are too few sheets of people, or sheets on too few questions, to learn from.
var ErrTooFew = errors.New("too few human score sheets")

// FitCalibration fits a calibration to examples. judge is the name of the judge that is calibrated, or "". The same examples and seed give
// the same calibration.
func FitCalibration(examples []Example, judge string, seed uint64) (*Calibration, error) {
	c := &Calibration{Format: calibrationFormat, Judge: judge, Criteria: rubric.CQA().IDs(), Inputs: InputNames(), Parts: map[string]int{}}
	part := divide(examples, seed)
	scored := data.Where(examples, func(e Example) bool { return e.People != nil })
	c.Made.Seed = seed
	c.Made.Sheets = len(scored)
	c.Made.Questions = len(data.Set(data.Each(scored, func(e Example) string { return e.Pair })))
	if c.Made.Sheets < fewestSheets || c.Made.Questions < folds {
		return nil, fmt.Errorf("%w: %d, on %d questions; at least %d on %d questions are needed", ErrTooFew, c.Made.Sheets,
			c.Made.Questions, fewestSheets, folds)
	}
	for pair, p := range part {
		c.Parts[pairHash(pair)] = p
	}
	for p := range folds + 1 {
		var x, y [][]float64
		for i, e := range scored {
			row := slices.Concat(e.Inputs, e.Judge)
			if len(row) != c.width() || len(e.People) != len(c.Criteria) {
				return nil, fmt.Errorf("example %d has %d inputs and %d, %d scores", i+1, len(e.Inputs), len(e.Judge), len(e.People))
			}
			if part[e.Pair] != p {
				x = append(x, row)
				y = append(y, e.People)
			}
		}
		model, err := stats.FitLinear(x, y, penalty)
		if err != nil {
			return nil, err
		}
		c.Models = append(c.Models, model)
	}
	return c, nil
}

// width returns the number of inputs of the models.
func (c *Calibration) width() int {
	if c.Judge == "" {
		return len(c.Inputs)
	}
	return len(c.Inputs) + len(c.Criteria)
}

// divide assigns questions to parts, so that the parts have numbers of people's sheets, and then of answers, as equal as possible.
// Questions with many sheets come first, equal ones in random order. Each goes to the part with the fewest.
func divide(examples []Example, seed uint64) map[string]int {
	type size struct{ sheets, answers int }
	fewer := func(a, b size) int { return cmp.Or(cmp.Compare(a.sheets, b.sheets), cmp.Compare(a.answers, b.answers)) }
	questions := map[string]size{}
	for _, e := range examples {
		q := questions[e.Pair]
		q.answers++
		if e.People != nil {
			q.sheets++
		}
		questions[e.Pair] = q
	}
	pairs := slices.Sorted(maps.Keys(questions))
	stats.NewRNG(seed, "parts").Shuffle(len(pairs), func(i, j int) { pairs[i], pairs[j] = pairs[j], pairs[i] })
	slices.SortStableFunc(pairs, func(a, b string) int { return questions[b].sheets - questions[a].sheets })
	part := map[string]int{}
	held := make([]size, folds)
	for _, pair := range pairs {
		least := slices.Index(held, slices.MinFunc(held, fewer))
		part[pair] = least
		held[least].sheets += questions[pair].sheets
		held[least].answers += questions[pair].answers
	}
	return part
}

// PartOf returns the part of the question with this pair key, or -1 if the calibration was not fitted to the question.
func (c *Calibration) PartOf(pair string) int {
	if part, known := c.Parts[pairHash(pair)]; known {
		return part
	}
	return -1
}

// pairHash returns the hash of a pair key, so that a calibration's file does not contain the names of objects.
func pairHash(pair string) string {
	sum := sha256.Sum256([]byte(pair))
	return hex.EncodeToString(sum[:8])
}

// model returns the model that was fitted without the question.
func (c *Calibration) model(pair string) *stats.Linear {
	if part := c.PartOf(pair); part >= 0 {
		return c.Models[part]
	}
	return c.Models[folds]
}

// Expect returns the points that a person is expected to give an answer, by criterion. pair is the pair key of the question; judge has the
// scores of the judge that is calibrated, or is nil. The points are within the range of each criterion.
func (c *Calibration) Expect(pair string, inputs, judge []float64) []float64 {
	points := c.model(pair).Predict(slices.Concat(inputs, judge))
	for k, criterion := range rubric.CQA().Criteria {
		low, high := criterion.Range()
		points[k] = max(low, min(high, points[k]))
	}
	return points
}

// Scores returns the expected points by criterion, rounded to the rubric's step of half a point.
func (c *Calibration) Scores(points []float64) map[string]float64 {
	scores, step := make(map[string]float64, len(c.Criteria)), rubric.CQA().Step
	for k, id := range c.Criteria {
		scores[id] = math.Round(points[k]/step) * step
	}
	return scores
}

// An Effect is how much one input raises a criterion's expected points, compared with the mean value of the input.
type Effect struct {
	Input  string
	Value  float64
	Points float64
}

// Effects returns, for each criterion, the points of an answer with mean inputs, and the effects of all inputs, strongest first.
func (c *Calibration) Effects(pair string, inputs, judge []float64) (base []float64, effects [][]Effect) {
	model := c.model(pair)
	row := slices.Concat(inputs, judge)
	names := slices.Clone(c.Inputs)
	for _, id := range c.Criteria {
		names = append(names, fmt.Sprintf("criterion %s by %s", id, c.Judge))
	}
	effects = make([][]Effect, len(c.Criteria))
	for k := range effects {
		for j, v := range row {
			effects[k] = append(effects[k], Effect{names[j], v, model.Weights[j][k] * model.Standard(j, v)})
		}
		slices.SortStableFunc(effects[k], func(a, b Effect) int { return cmp.Compare(math.Abs(b.Points), math.Abs(a.Points)) })
	}
	return model.Base, effects
}

// Write writes the calibration as JSON. ReadCalibration reads the same numbers back.
func (c *Calibration) Write(w io.Writer) error {
	if err := json.NewEncoder(w).Encode(c); err != nil {
		return fmt.Errorf("writing the calibration: %w", err)
	}
	return nil
}

// ReadCalibration reads a calibration that Write wrote. name stands for the file in error messages.
func ReadCalibration(name string, r io.Reader) (*Calibration, error) {
	content, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", name, err)
	}
	c := &Calibration{}
	decoder := json.NewDecoder(bytes.NewReader(content))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(c); err != nil {
		return nil, fmt.Errorf("%s: it is no calibration: %w", name, err)
	}
	if _, err := decoder.Token(); err != io.EOF {
		return nil, fmt.Errorf("%s: more follows the calibration", name)
	}
	if err := c.check(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return c, nil
}

// check returns an error if the calibration does not fit this version of the program, or is not complete.
func (c *Calibration) check() error {
	switch {
	case c.Format != calibrationFormat:
		return fmt.Errorf("the file has format %d, but this program reads format %d", c.Format, calibrationFormat)
	case !slices.Equal(c.Criteria, rubric.CQA().IDs()):
		return fmt.Errorf("it is for other criteria than those of the rubric %q", rubric.CQA().Name)
	case !slices.Equal(c.Inputs, InputNames()):
		return fmt.Errorf("it was fitted to measurements that this program does not take; fit it again with `compqa judge calibrate`")
	case len(c.Models) != folds+1:
		return fmt.Errorf("it contains no whole calibration: %d of %d models", len(c.Models), folds+1)
	}
	for _, part := range c.Parts {
		if part < 0 || part >= folds {
			return fmt.Errorf("part %d of %d", part, folds)
		}
	}
	for i, model := range c.Models {
		if model == nil {
			return fmt.Errorf("model %d is missing", i+1)
		}
		// A fit to scores cannot predict more points for a criterion than the total of the rubric.
		if err := model.Check(c.width(), len(c.Criteria), rubric.CQA().Max()); err != nil {
			return fmt.Errorf("model %d: %w", i+1, err)
		}
	}
	return nil
}
