package config

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"compqa/data"
	"compqa/data/sources"
	"compqa/judges/pairwise"
	"compqa/llm"
	"compqa/results/store"
)

// A PairSet is a set of pairs that judges are asked about.
type PairSet struct {
	Name    string `yaml:"name" json:"name"`
	Format  string `yaml:"format" json:"format,omitempty"` // "": recognised by content
	Path    string `yaml:"path" json:"path,omitempty"`
	Task    `yaml:",inline"`
	Reading `yaml:",inline"`
	Gold    string `yaml:"gold" json:"gold,omitempty"` // the reference; "": GoldLabel
	// of the run's own pairs: points up to which people's preference is a tie; nil: 1
	Margin   *float64 `yaml:"margin" json:"margin,omitempty"`
	Order    string   `yaml:"order" json:"order,omitempty"`       // in which pairs are shown: both, ab, ba or random; "": both
	Inject   []string `yaml:"inject" json:"inject,omitempty"`     // biases
	Rewriter string   `yaml:"rewriter" json:"rewriter,omitempty"` // the model that rewrites answers; "": word lists
}

func (s *PairSet) label() string { return s.Name }

// A Task is what pairs are judged by.
type Task struct {
	Criterion string `yaml:"criterion" json:"criterion,omitempty"` // a built-in one, or a text
	Template  string `yaml:"template" json:"template,omitempty"`   // a file
	Examples  string `yaml:"examples" json:"examples,omitempty"`   // a file
	Texts     Texts  `yaml:"texts" json:"texts,omitzero"`          // what prompts call the texts

	TemplateText string `yaml:"-" json:"template_text,omitempty"` // what the files hold
	ExamplesText string `yaml:"-" json:"examples_text,omitempty"`
}

// Texts are what prompts call the texts of a pair, in the singular.
type Texts struct {
	Question string `yaml:"question" json:"question,omitempty"` // "": question
	Answer   string `yaml:"answer" json:"answer,omitempty"`     // "": answer
}

// RunSet is the name of the set of a run's own pairs.
const RunSet = store.RunSet

// The values of gold that are not a person.
const (
	GoldLabel    = "label"
	GoldMajority = "majority"
)

// read reads the files of a task, unless they were read when it was recorded.
func (c *Config) readTask(t *Task) error {
	for _, file := range []struct {
		name, path string
		text       *string
	}{{"template", t.Template, &t.TemplateText}, {"examples", t.Examples, &t.ExamplesText}} {
		if file.path == "" || *file.text != "" {
			continue
		}
		if c.Recorded {
			return fmt.Errorf("%s: the text of %s is not in the record", file.name, file.path)
		}
		text, _, err := data.ReadText(c.Path(file.path))
		if err == nil && len(text) == 0 {
			err = fmt.Errorf("%s is empty", file.path)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", file.name, err)
		}
		*file.text = string(text)
	}
	return nil
}

// under returns the task of an entry on a set: what the entry leaves out is the set's.
func (t Task) under(set Task) pairwise.Task {
	return pairwise.Task{Criterion: cmp.Or(t.Criterion, set.Criterion), Template: cmp.Or(t.TemplateText, set.TemplateText),
		Examples: cmp.Or(t.ExamplesText, set.ExamplesText), Texts: pairwise.Texts(cmp.Or(t.Texts, set.Texts))}
}

// orderRandom shows each pair in one order, which its id and the seed of the run decide.
const orderRandom = "random"

// Orders returns the orders in which a pair of the set is shown.
func (s PairSet) Orders(pair string, seed int64) []string {
	switch {
	case s.Order == orderRandom:
		return []string{data.OrderAtRandom(pair, seed)}
	case s.Order == data.OrderAB || s.Order == data.OrderBA:
		return []string{s.Order}
	}
	return data.Orders
}

// Biases returns the biases of the set.
func (s PairSet) Biases() (biases []pairwise.Bias) {
	for _, name := range s.Inject {
		bias, _ := pairwise.BiasNamed(name) // checked with the configuration
		biases = append(biases, bias)
	}
	return biases
}

// Tie returns the margin of the run's own pairs.
func (s PairSet) Tie() float64 { return llm.ValueOr(s.Margin, 1) }

func (c *Config) checkPairSet(s *PairSet) error {
	isRunSet := s.Name == RunSet
	formats := append(sources.PairFormatNames(), sources.FormatFile)
	if err := check(
		when(isRunSet && (s.Format != "" || s.Path != ""),
			"%s is the set of the run's own answers, which has no format and no path; choose another name", RunSet),
		when(!isRunSet && s.Path == "", "path is missing: the file or folder of the pairs"),
		when(isRunSet && s.given(), "map and missing are for files of pairs; %s is the set of the run's own answers", RunSet),
		when(s.Scale != nil, "scale is for files of scores; choices have none"),
		when(!isRunSet && s.Margin != nil, "margin is for the set %s, whose labels follow from human points", RunSet),
		when(!(s.Tie() >= 0), "margin is %v; it must be points, 0 or more", s.Tie()),
		when(!slices.Contains([]string{"", "both", data.OrderAB, data.OrderBA, orderRandom}, s.Order),
			"order is %q; must be both, ab, ba or random", s.Order),
		when(s.Format != "" && !slices.Contains(formats, s.Format), "there is no format %q%s", s.Format,
			data.Suggest(s.Format, "formats", formats))); err != nil {
		return err
	}
	for _, name := range s.Inject {
		if _, ok := pairwise.BiasNamed(name); !ok {
			return fmt.Errorf("inject %q is unknown; the biases are %s", name, strings.Join(data.Each(pairwise.Biases, pairwise.Bias.String), ", "))
		}
	}
	if _, err := c.RewriterOf(*s); err != nil {
		return err
	}
	if err := c.readTask(&s.Task); err != nil {
		return err
	}
	return s.Task.under(Task{}).Check()
}

// RewriterOf returns the entry under models that rewrites answers of a set; nil: word lists do.
func (c *Config) RewriterOf(s PairSet) (*Model, error) {
	var known []string
	for i := range c.Models {
		m := &c.Models[i]
		if _, live := c.Providers[m.Provider]; !live {
			continue
		}
		if m.Name == s.Rewriter {
			return m, nil
		}
		known = append(known, m.Name)
	}
	if s.Rewriter == "" {
		return nil, nil
	}
	return nil, fmt.Errorf("rewriter is %q; it must be the name of a model of a provider under models (%s)", s.Rewriter,
		strings.Join(known, ", "))
}

// PairSets returns the sets that judges are asked about: those of the configuration, or the run's own.
func (c *Config) PairSets() []PairSet {
	if len(c.Pairs) == 0 {
		return []PairSet{{Name: RunSet}}
	}
	return c.Pairs
}

// On reports whether the judge is asked about a set.
func (ref *Judge) On(set string) bool {
	return ref.Sets == nil || slices.Contains(ref.Sets, set)
}
