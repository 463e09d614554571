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

// A PairSet is an entry of pairs: a set of pairs of answers that pairwise judges compare.
type PairSet struct {
	Name    string `yaml:"name" json:"name"`
	Format  string `yaml:"format" json:"format,omitempty"` // the format of the file; "": recognised by its content
	Path    string `yaml:"path" json:"path,omitempty"`
	Task    `yaml:",inline"`
	Reading `yaml:",inline"`
	Gold    string `yaml:"gold" json:"gold,omitempty"` // the reference: GoldLabel, GoldMajority or a person; "": GoldLabel
	// Margin is for the set RunSet: if people's points on two answers differ by at most Margin, their preference is a tie. nil: 1.
	Margin   *float64 `yaml:"margin" json:"margin,omitempty"`
	Order    string   `yaml:"order" json:"order,omitempty"`       // the orders of display: both, ab, ba or random; "": both
	Inject   []string `yaml:"inject" json:"inject,omitempty"`     // the biases with which pairs are rewritten and judged again
	Rewriter string   `yaml:"rewriter" json:"rewriter,omitempty"` // the entry of models that rewrites answers; "": word lists
}

func (s *PairSet) label() string { return s.Name }

// A Task says how a judge is to compare the pairs of a set: by which criterion, with which prompts, and with which examples.
type Task struct {
	Criterion string `yaml:"criterion" json:"criterion,omitempty"` // a built-in criterion, or its text
	Template  string `yaml:"template" json:"template,omitempty"`   // a file with blocks of the prompt
	Examples  string `yaml:"examples" json:"examples,omitempty"`   // a file with examples
	Texts     Texts  `yaml:"texts" json:"texts,omitzero"`          // the words of prompts for the question and the answers

	TemplateText string `yaml:"-" json:"template_text,omitempty"` // the content of the two files
	ExamplesText string `yaml:"-" json:"examples_text,omitempty"`
}

// Texts are the nouns, in the singular, that prompts use for the texts of a pair.
type Texts struct {
	Question string `yaml:"question" json:"question,omitempty"` // "": question
	Answer   string `yaml:"answer" json:"answer,omitempty"`     // "": answer
}

// RunSet is the name of the set that consists of pairs of the run's own answers.
const RunSet = store.RunSet

// The values of PairSet.Gold that do not name a person: the label of a pair in its file, and the majority of people.
const (
	GoldLabel    = "label"
	GoldMajority = "majority"
)

// readTask reads the template and the examples of a task from their files. It reads nothing if the record already has the texts.
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

// under returns the pairwise task of a judge's entry on a set of pairs. The set supplies what the entry leaves out.
func (t Task) under(set Task) pairwise.Task {
	return pairwise.Task{Criterion: cmp.Or(t.Criterion, set.Criterion), Template: cmp.Or(t.TemplateText, set.TemplateText),
		Examples: cmp.Or(t.ExamplesText, set.ExamplesText), Texts: pairwise.Texts(cmp.Or(t.Texts, set.Texts))}
}

// orderRandom shows each pair in one order only. A hash of the pair's id and the run's seed decides which one.
const orderRandom = "random"

// Orders returns the orders in which a judge sees a pair of the set: one order, or both.
func (s PairSet) Orders(pair string, seed int64) []string {
	switch {
	case s.Order == orderRandom:
		return []string{data.OrderAtRandom(pair, seed)}
	case s.Order == data.OrderAB || s.Order == data.OrderBA:
		return []string{s.Order}
	}
	return data.Orders
}

// Biases returns the biases with which pairs of the set are rewritten.
func (s PairSet) Biases() (biases []pairwise.Bias) {
	for _, name := range s.Inject {
		bias, _ := pairwise.BiasNamed(name) // checked with the configuration
		biases = append(biases, bias)
	}
	return biases
}

// Tie returns the largest difference of people's points that is a tie, for pairs of the run's own answers.
func (s PairSet) Tie() float64 { return llm.ValueOr(s.Margin, 1) }

// checkPairSet checks an entry of pairs: which keys the set RunSet and files of pairs allow, the format, the biases, the rewriter, and the
// task. It reads the files of the task.
func (c *Config) checkPairSet(s *PairSet) error {
	isRunSet := s.Name == RunSet
	formats := append(sources.PairFormatNames(), sources.FormatFile)
	if err := check(
		failIf(isRunSet && (s.Format != "" || s.Path != ""),
			"%s is the set of the run's own answers, which has no format and no path; choose another name", RunSet),
		failIf(!isRunSet && s.Path == "", "path is missing: the file or folder of the pairs"),
		failIf(isRunSet && s.isSet(), "map and missing are for files of pairs; %s is the set of the run's own answers", RunSet),
		failIf(s.Scale != nil, "scale is for files of scores; choices have none"),
		failIf(!isRunSet && s.Margin != nil, "margin is for the set %s, whose labels follow from human points", RunSet),
		failIf(!(s.Tie() >= 0), "margin is %v; it must be points, 0 or more", s.Tie()),
		failIf(!slices.Contains([]string{"", "both", data.OrderAB, data.OrderBA, orderRandom}, s.Order),
			"order is %q; must be both, ab, ba or random", s.Order),
		failIf(s.Format != "" && !slices.Contains(formats, s.Format), "there is no format %q%s", s.Format,
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

// RewriterOf returns the entry of models that rewrites the answers of a set, or nil if word lists rewrite them.
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

// PairSets returns the sets of pairs that judges compare: the entries of pairs, or RunSet if there are no entries.
func (c *Config) PairSets() []PairSet {
	if len(c.Pairs) == 0 {
		return []PairSet{{Name: RunSet}}
	}
	return c.Pairs
}

// On reports whether the judge compares the pairs of a set.
func (ref *Judge) On(set string) bool {
	return ref.Sets == nil || slices.Contains(ref.Sets, set)
}
