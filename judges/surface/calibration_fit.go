package surface

import (
	"errors"
	"fmt"
	"runtime"
	"slices"

	"golang.org/x/sync/errgroup"

	"compqa/data"
	"compqa/judges/regress"
	"compqa/rubric"
	"compqa/stats"
)

// An Example is an answer to learn from: its question's pair key, its inputs,
// and sheets in the rubric's order. Two sheets of people are two examples.
type Example struct {
	Pair   string
	System string
	Inputs []float64
	Judge  []float64 // of the judge that is calibrated; nil where none is
	Lesson []float64 // of the judges that teach; nil for none
	People []float64 // nil for none
}

// FitOptions say how a calibration is fitted.
type FitOptions struct {
	Judge string // the judge to be calibrated: its scores are inputs, too; "" for none
	Seed  uint64
}

const (
	parts        = 10  // of the questions
	penalty      = 100 // of the lessons' regression, in rows
	fewestSheets = 20  // of people: fewer say nothing
	runs         = 2   // of the boosting, with different seeds, whose mean is taken
)

// ErrTooFew says that there are not enough sheets of people, or not enough questions that they are on, to learn from.
var ErrTooFew = errors.New("too few human score sheets")

// FitCalibration fits a calibration. The questions of all examples are divided into parts, and each part gets a model that
// was fitted to the examples of the others alone: lessons and curves. The same examples in the same order and the same
// options give the same calibration, to the last bit.
func FitCalibration(examples []Example, o FitOptions) (*Calibration, error) {
	c := &Calibration{Judge: o.Judge, Criteria: rubric.CQA().IDs(), Inputs: InputNames(), Parts: map[string]int{}}
	c.Made.Seed = o.Seed
	if err := c.take(examples); err != nil {
		return nil, err
	}
	part := divide(examples, parts, o.Seed)
	for pair, p := range part {
		c.Parts[pairHash(pair)] = p
	}
	c.Models = make([]PartModel, parts)
	var work errgroup.Group
	work.SetLimit(runtime.GOMAXPROCS(0)) // each part's model goes into its place, whichever is done first
	for p := range parts {
		work.Go(func() (err error) {
			train := data.Where(examples, func(e Example) bool { return part[e.Pair] != p })
			if c.Models[p], err = c.fitModel(train, o.Seed+uint64(p)); err != nil {
				return fmt.Errorf("part %d: %w", p+1, err)
			}
			return nil
		})
	}
	if err := work.Wait(); err != nil {
		return nil, err
	}
	c.average()
	return c, nil
}

// take counts the examples and refuses what cannot be learnt from.
func (c *Calibration) take(examples []Example) error {
	questions := map[string]bool{}
	for i, e := range examples {
		own := c.lessonsFrom() - len(c.Inputs)
		if len(e.Inputs) != len(c.Inputs) || len(e.Judge) != own || !whole(e.Lesson, c.Criteria) || !whole(e.People, c.Criteria) {
			return fmt.Errorf("example %d has %d inputs and %d, %d, %d scores", i+1, len(e.Inputs), len(e.Judge), len(e.Lesson), len(e.People))
		}
		if e.People != nil {
			c.Made.Sheets++
			questions[e.Pair] = true
		}
		if e.Lesson != nil {
			c.Made.Taught++
		}
	}
	c.Made.Questions = len(questions)
	if c.Made.Sheets < fewestSheets || len(questions) < parts {
		return fmt.Errorf("%w: %d, on %d questions; at least %d on %d questions are needed", ErrTooFew, c.Made.Sheets, len(questions),
			fewestSheets, parts)
	}
	return nil
}

// whole reports whether there are scores for all criteria, or none.
func whole(scores []float64, criteria []string) bool {
	return scores == nil || len(scores) == len(criteria)
}

// divide puts questions into parts with as equal numbers of people's sheets as whole questions allow: in random order, but
// those with many sheets first, each goes to the part with the fewest.
func divide(examples []Example, parts int, seed uint64) map[string]int {
	sheets, all := map[string]int{}, map[string]int{}
	var pairs []string
	for _, e := range examples {
		if all[e.Pair] == 0 {
			pairs = append(pairs, e.Pair)
		}
		all[e.Pair]++
		if e.People != nil {
			sheets[e.Pair]++
		}
	}
	slices.Sort(pairs)
	stats.NewRNG(seed, "parts").Shuffle(len(pairs), func(i, j int) { pairs[i], pairs[j] = pairs[j], pairs[i] })
	slices.SortStableFunc(pairs, func(a, b string) int { return sheets[b] - sheets[a] })
	part, held := map[string]int{}, make([][2]int, parts)
	for _, pair := range pairs {
		least := 0
		for p := range held {
			if slices.Compare(held[p][:], held[least][:]) < 0 {
				least = p
			}
		}
		part[pair] = least
		held[least][0] += sheets[pair]
		held[least][1] += all[pair]
	}
	return part
}

// fitModel fits one model to the examples given: lessons and curves.
func (c *Calibration) fitModel(train []Example, seed uint64) (m PartModel, err error) {
	if m.Lessons, err = fitLessons(train); err != nil {
		return m, err
	}
	var x, y [][]float64
	for _, e := range train {
		if e.People != nil {
			x, y = append(x, m.row(e.Inputs, e.Judge)), append(y, e.People)
		}
	}
	if len(x) == 0 {
		return m, ErrTooFew
	}
	fitted := make([]PartModel, runs)
	for r := range fitted {
		if fitted[r].Curves, err = regress.FitCurves(x, y, regress.Usual(seed<<8|uint64(r))); err != nil {
			return m, err
		}
	}
	m.Curves = c.meanCurves(fitted)
	return m.rounded(), nil
}

// fitLessons learns what the teachers score; nil without any.
func fitLessons(train []Example) (*regress.Linear, error) {
	var x, y [][]float64
	for _, e := range train {
		if e.Lesson != nil {
			x, y = append(x, e.Inputs), append(y, e.Lesson)
		}
	}
	if len(x) == 0 {
		return nil, nil
	}
	l, err := regress.FitLinear(x, y, penalty)
	return &l, err
}
