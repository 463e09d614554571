// Package rubric defines what a good answer is: criteria in groups, each with levels that give points. The built-in
// rubric, CQA, has the 15 criteria and 19 points of the CompQA paper (Nikishina et al., Figure 3), in our words. A
// configuration may use another one from YAML; no other code depends on the number of criteria.
//
// Scores are complete and in range, or the verdict is invalid. Check decides this for
// models, imported verdicts and people.
package rubric

import (
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"sync"

	"go.yaml.in/yaml/v4"
)

// A Level describes the answers that get its points.
type Level struct {
	Points float64 `yaml:"points" json:"points"`
	Text   string  `yaml:"text" json:"text"`
}

// A Criterion is one requirement for an answer. Its scores range from the lowest to the highest points of its levels.
type Criterion struct {
	ID     string `yaml:"id" json:"id"`
	Group  string `yaml:"group" json:"group"`
	Name   string `yaml:"name" json:"name"` // short name for tables
	Text   string `yaml:"text" json:"text"` // the requirement, as a judge reads it
	Levels Levels `yaml:"levels" json:"levels"`

	// Continuous says that people may enter any number from the lowest to the highest level. The rubric's step must be 0.
	Continuous bool `yaml:"continuous" json:"continuous,omitempty"`
}

// A Rubric is a list of criteria. Scores of one judge must be multiples of Step, in points; 0 permits any score. Measurement is the level
// of measurement of the scores: nominal, ordinal, interval or ratio.
type Rubric struct {
	Name        string      `yaml:"name" json:"name"`
	Step        float64     `yaml:"step" json:"step"`
	Measurement string      `yaml:"measurement" json:"measurement"`
	Criteria    []Criterion `yaml:"criteria" json:"criteria"`
}

//go:embed cqa.yaml
var builtIn []byte

var parsed = sync.OnceValue(func() (r Rubric) {
	if err := yaml.Unmarshal(builtIn, &r); err != nil {
		panic("the built-in rubric: " + err.Error())
	}
	return r
})

// BuiltInYAML returns the file of the built-in rubric.
func BuiltInYAML() []byte { return slices.Clone(builtIn) }

// CQA returns the built-in rubric: 15 criteria, 19 points, groups structure (7), relevance (5) and quality (7).
func CQA() Rubric {
	r := parsed()
	r.Criteria = slices.Clone(r.Criteria)
	for i := range r.Criteria {
		r.Criteria[i].Levels = slices.Clone(r.Criteria[i].Levels)
	}
	return r
}

// Hash returns the SHA-256 of the rubric, hexadecimal.
func (r Rubric) Hash() string {
	text, _ := json.Marshal([]Rubric{r}) // texts and numbers always encode
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// BuiltIn reports whether the rubric is equal to the built-in one.
func (r Rubric) BuiltIn() bool { return r.Hash() == CQA().Hash() }

// Title describes the rubric in a few words: its name, and its hash if it is not the built-in one.
func (r Rubric) Title() string {
	if r.BuiltIn() {
		return fmt.Sprintf("the rubric %q", r.Name)
	}
	return fmt.Sprintf("an own rubric, %q (hash %s)", r.Name, r.Hash()[:8])
}

// Range returns the lowest and the highest number of points of the criterion.
func (c Criterion) Range() (low, high float64) {
	low = c.Levels[0].Points
	high = c.Levels[0].Points
	for _, l := range c.Levels[1:] {
		low = min(low, l.Points)
		high = max(high, l.Points)
	}
	return low, high
}

// Max returns the highest number of points of the criterion.
func (c Criterion) Max() float64 {
	_, high := c.Range()
	return high
}

// sum adds the points of the criteria in the rubric's order, so that results are the same to the last bit everywhere.
func (r Rubric) sum(points func(Criterion) float64) (sum float64) {
	for _, c := range r.Criteria {
		sum += points(c)
	}
	return sum
}

// Max returns the highest possible total.
func (r Rubric) Max() float64 { return r.sum(Criterion.Max) }

// Min returns the lowest possible total.
func (r Rubric) Min() float64 {
	return r.sum(func(c Criterion) float64 {
		low, _ := c.Range()
		return low
	})
}

// IDs returns the criteria's ids in the rubric's order.
func (r Rubric) IDs() []string {
	ids := make([]string, len(r.Criteria))
	for i, c := range r.Criteria {
		ids[i] = c.ID
	}
	return ids
}

// Groups returns the names of the groups, in order of first appearance.
func (r Rubric) Groups() []string {
	var groups []string
	for _, c := range r.Criteria {
		if !slices.Contains(groups, c.Group) {
			groups = append(groups, c.Group)
		}
	}
	return groups
}

// GroupMax returns the highest possible sum of points in a group.
func (r Rubric) GroupMax(group string) float64 {
	return r.sum(func(c Criterion) float64 {
		if c.Group != group {
			return 0
		}
		return c.Max()
	})
}

// Total returns the sum of the scores of a valid sheet.
func (r Rubric) Total(scores map[string]float64) float64 {
	return r.sum(func(c Criterion) float64 { return scores[c.ID] })
}

// Points returns the scores in the rubric's order.
func (r Rubric) Points(scores map[string]float64) []float64 {
	points := make([]float64, len(r.Criteria))
	for i, c := range r.Criteria {
		points[i] = scores[c.ID]
	}
	return points
}

// Full returns a sheet with the highest score on each criterion.
func (r Rubric) Full() map[string]float64 {
	scores := make(map[string]float64, len(r.Criteria))
	for _, c := range r.Criteria {
		scores[c.ID] = c.Max()
	}
	return scores
}

// mostPoints limits the points of a level, so that sums of points are exact.
const mostPoints = 10_000

// Validate returns an error for an invalid rubric: no criteria; an empty or duplicate id; a missing group or text; fewer than two levels;
// points that are not finite, repeated, too large or off the step; an unknown measurement; a continuous criterion with a step.
func (r Rubric) Validate() error {
	if len(r.Criteria) == 0 {
		return fmt.Errorf("rubric %q has no criteria", r.Name)
	}
	if r.Step < 0 || math.IsNaN(r.Step) || math.IsInf(r.Step, 0) {
		return fmt.Errorf("rubric %q: step is %v; it must be 0 (any score) or a positive number of points", r.Name, r.Step)
	}
	if m := []string{"nominal", "ordinal", "interval", "ratio"}; !slices.Contains(m, r.Measurement) {
		return fmt.Errorf("rubric %q: measurement is %q; it must be one of %s", r.Name, r.Measurement, strings.Join(m, ", "))
	}
	seen := map[string]bool{}
	for i, c := range r.Criteria {
		switch {
		case c.ID == "":
			return fmt.Errorf("rubric %q: criterion %d has no id", r.Name, i+1)
		case seen[c.ID]:
			return fmt.Errorf("rubric %q: duplicate criterion id %q", r.Name, c.ID)
		case c.ID != strings.TrimSpace(c.ID):
			return fmt.Errorf("rubric %q: criterion id %q has space around it", r.Name, c.ID)
		case seen["c"+c.ID] || strings.HasPrefix(c.ID, "c") && seen[c.ID[1:]]: // c1 is the column of criterion 1 in tables
			return fmt.Errorf("rubric %q: criterion id %q is also the column of another criterion; choose another id", r.Name, c.ID)
		case c.Continuous && r.Step > 0:
			return fmt.Errorf("rubric %q: criterion %q is continuous, so the step must be 0 (any score); it is %v", r.Name, c.ID, r.Step)
		case c.Group == "":
			return fmt.Errorf("rubric %q: criterion %q has no group", r.Name, c.ID)
		case c.Text == "":
			return fmt.Errorf("rubric %q: criterion %q has no text", r.Name, c.ID)
		}
		seen[c.ID] = true
		if err := r.validateLevels(c); err != nil {
			return err
		}
	}
	return nil
}

// validateLevels returns an error if the levels of a criterion are invalid.
func (r Rubric) validateLevels(c Criterion) error {
	points := map[float64]bool{}
	for _, l := range c.Levels {
		switch {
		case math.IsNaN(l.Points) || math.IsInf(l.Points, 0):
			return fmt.Errorf("rubric %q: criterion %q: a level's points are not a number", r.Name, c.ID)
		case math.Abs(l.Points) > mostPoints:
			return fmt.Errorf("rubric %q: criterion %q: a level has %v points; from %d to %d are possible", r.Name, c.ID, l.Points, -mostPoints,
				mostPoints)
		case points[l.Points]:
			return fmt.Errorf("rubric %q: criterion %q has two levels with %v points", r.Name, c.ID, l.Points)
		case !onStep(l.Points, r.Step):
			return fmt.Errorf("rubric %q: criterion %q: %v points are not a multiple of the step %v", r.Name, c.ID, l.Points, r.Step)
		}
		points[l.Points] = true
	}
	if len(points) < 2 {
		return fmt.Errorf("rubric %q: criterion %q needs at least two levels, it has %d", r.Name, c.ID, len(points))
	}
	return nil
}

// A FaultKind says in which way scores are invalid.
type FaultKind string

// The kinds of faults, in the order in which Check looks for them.
const (
	Incomplete       FaultKind = "incomplete"
	UnknownCriterion FaultKind = "unknown_criterion"
	OutOfRange       FaultKind = "out_of_range"
)

// A Fault says why scores are invalid.
type Fault struct {
	Kind   FaultKind
	Reason string
}

func (f *Fault) Error() string { return string(f.Kind) + ": " + f.Reason }

// Check returns nil if scores has exactly one score for each criterion, in the criterion's range and a multiple of the rubric's step. mean
// says that the scores are means of several annotators, which need not be multiples of the step.
func (r Rubric) Check(scores map[string]float64, mean bool) *Fault {
	var missing, unknown []string
	var outside *Criterion // the first criterion whose score is out of range or off the step
	for i := range r.Criteria {
		c := &r.Criteria[i]
		s, ok := scores[c.ID]
		if !ok {
			missing = append(missing, c.ID)
		}
		if len(missing) > 0 || outside != nil {
			continue
		}
		if low, high := c.Range(); !(s >= low && s <= high) || !mean && !onStep(s, r.Step) { // also catches NaN
			outside = c
		}
	}
	if len(missing) > 0 {
		return &Fault{Incomplete, "no score for " + plural(len(missing), "criterion", "criteria") + " " + strings.Join(missing, ", ")}
	}
	if len(scores) > len(r.Criteria) { // scores has all criteria, and others
		for _, id := range slices.Sorted(maps.Keys(scores)) {
			if !slices.ContainsFunc(r.Criteria, func(c Criterion) bool { return c.ID == id }) {
				unknown = append(unknown, id)
			}
		}
		return &Fault{UnknownCriterion, "a score for " + plural(len(unknown), "criterion", "criteria") + " " + strings.Join(unknown, ", ") +
			", not in the rubric"}
	}
	if outside == nil {
		return nil
	}
	low, high := outside.Range()
	s := scores[outside.ID]
	if s >= low && s <= high {
		return &Fault{OutOfRange, fmt.Sprintf("criterion %s has %v points; scores go in steps of %v", outside.ID, s, r.Step)}
	}
	return &Fault{OutOfRange, fmt.Sprintf("criterion %s has %v points; %v to %v are possible", outside.ID, s, low, high)}
}

// CheckGiven does what Check does, but allows criteria without a score. Scores that are nil are still incomplete.
func (r Rubric) CheckGiven(scores map[string]float64, mean bool) *Fault {
	whole := maps.Clone(scores)
	for i := range r.Criteria {
		if c := &r.Criteria[i]; whole != nil {
			if _, given := whole[c.ID]; !given {
				_, whole[c.ID] = c.Range()
			}
		}
	}
	return r.Check(whole, mean)
}

// onStep reports whether points are a multiple of step; every number is one if step is 0.
func onStep(points, step float64) bool {
	if step == 0 {
		return true
	}
	n := points / step
	return n == math.Round(n)
}

func plural(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// RequireCQA returns an error unless the rubric has the criteria of the built-in one. It is for judges that score only these criteria.
func (r Rubric) RequireCQA() error {
	if builtIn := CQA(); !slices.Equal(r.IDs(), builtIn.IDs()) {
		return fmt.Errorf("it scores only the built-in rubric %q, and this run has the rubric %q", builtIn.Name, r.Name)
	}
	return nil
}
