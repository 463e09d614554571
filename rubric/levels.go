package rubric

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"
)

// Levels are the levels of a criterion. In YAML they are a list, a range of whole numbers (`levels: 1..10`), or a range with texts for some
// points:
//
//	levels: {low: 1, high: 10, step: 1, words: {1: Useless., 10: Perfect.}}
type Levels []Level

// mostLevels is the largest number of levels in a range, because a judge is shown all of them.
const mostLevels = 101

// UnmarshalYAML reads levels in each of the three forms.
func (l *Levels) UnmarshalYAML(node *yaml.Node) error {
	const forms = "it is a list of {points, text}, a range such as 1..10, or {low: 1, high: 10, step: 1, words: {1: Bad.}}"
	switch node.Kind {
	case yaml.SequenceNode:
		for _, level := range node.Content {
			if level.Kind == yaml.ScalarNode {
				return fmt.Errorf("levels has %q; %s", level.Value, forms)
			}
		}
		return node.Load((*[]Level)(l), yaml.WithKnownFields())
	case yaml.ScalarNode:
		low, high, isRange := strings.Cut(node.Value, "..")
		from, fault := strconv.ParseFloat(low, 64)
		to, err := strconv.ParseFloat(high, 64)
		if !isRange || fault != nil || err != nil {
			return fmt.Errorf("levels is %q; %s", node.Value, forms)
		}
		return l.fill(from, to, 1, nil)
	}
	scale := struct {
		Low   float64            `yaml:"low"`
		High  float64            `yaml:"high"`
		Step  float64            `yaml:"step"`
		Words map[float64]string `yaml:"words"`
	}{Step: 1}
	for i := 0; i < len(node.Content); i += 2 {
		if key := node.Content[i].Value; !slices.Contains([]string{"low", "high", "step", "words"}, key) {
			return fmt.Errorf("levels has the key %q; %s", key, forms)
		}
	}
	if err := node.Load(&scale, yaml.WithKnownFields()); err != nil {
		return err
	}
	return l.fill(scale.Low, scale.High, scale.Step, scale.Words)
}

// fill makes the levels from low to high. It returns an error if low, high and step do not give 2 to mostLevels points. A text in words for
// any other point is an error too.
func (l *Levels) fill(low, high, step float64, words map[float64]string) error {
	count := (high - low) / step
	switch {
	case !(low < high) || !(step > 0) || math.IsInf(low, 0) || math.IsInf(high, 0):
		return fmt.Errorf("levels go from %v to %v in steps of %v; a range is from a lower to a higher number, such as 1..10", low, high, step)
	case math.Abs(count-math.Round(count)) > 1e-9:
		return fmt.Errorf("levels go from %v to %v, which is no whole number of steps of %v", low, high, step)
	case count >= mostLevels:
		return fmt.Errorf("levels from %v to %v in steps of %v are %v; at most %d are possible: use a larger step", low, high, step, count+1,
			mostLevels)
	}
	levels := make(Levels, int(math.Round(count))+1)
	for i := range levels {
		levels[i].Points = low + float64(i)*step
	}
	for points, text := range words {
		i := int(math.Round((points - low) / step))
		if i < 0 || i >= len(levels) || math.Abs(levels[i].Points-points) > step/1000 {
			return fmt.Errorf("levels has words at %v, which is not one of %v to %v in steps of %v", points, low, high, step)
		}
		levels[i] = Level{Points: points, Text: text}
	}
	*l = levels
	l.describe()
	return nil
}

// describe gives each level without a text one that says where it lies, as "Between 1 and 10.", so that a judge knows which end is better.
func (l Levels) describe() {
	last := len(l) - 1
	if l[0].Text == "" {
		l[0].Text = "The lowest level."
	}
	if l[last].Text == "" {
		l[last].Text = "The highest level."
	}
	below := 0
	for i := 1; i < last; i++ {
		if l[i].Text != "" {
			below = i
			continue
		}
		above := i + 1 + slices.IndexFunc(l[i+1:], func(level Level) bool { return level.Text != "" })
		l[i] = Level{Points: l[i].Points, Text: fmt.Sprintf("Between %v and %v.", l[below].Points, l[above].Points)}
	}
}

// FillSteps adds the missing levels of each criterion if the rubric's step is at least 1: levels of 1 and 10 with a step of 1 become ten
// levels. With a smaller step, only people give points between two levels, as in the built-in rubric; with step 0, nothing is added. More
// than mostLevels levels are an error.
func (r *Rubric) FillSteps() error {
	if r.Step < 1 {
		return nil
	}
	for i := range r.Criteria {
		c := &r.Criteria[i]
		if len(c.Levels) < 2 || c.Continuous {
			continue
		}
		words := map[float64]string{}
		for _, level := range c.Levels {
			if _, twice := words[level.Points]; twice || !onStep(level.Points, r.Step) {
				return nil // Validate says what is wrong
			}
			words[level.Points] = level.Text
		}
		low, high := c.Range()
		if int((high-low)/r.Step)+1 == len(c.Levels) {
			continue // complete: keep the order of the file
		}
		descending := c.Levels[0].Points > c.Levels[len(c.Levels)-1].Points
		if err := c.Levels.fill(low, high, r.Step, words); err != nil {
			return fmt.Errorf("rubric %q: criterion %q: %w", r.Name, c.ID, err)
		}
		if descending {
			slices.Reverse(c.Levels)
		}
	}
	return nil
}
