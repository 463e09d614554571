package config

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"compqa/data"
	"compqa/judges"
	"compqa/judges/summary"
	"compqa/results/store"
	"compqa/rubric"
)

// A Judge is an entry of judges, pairwise or summary_judges: a model behind a provider, one that needs no model, or results that exist
// (provider file). The options of the other sections are not set.
type Judge struct {
	Asks string // what it is asked for: store.KindVerdict, store.KindPreference or store.KindLabel
	Entry
	Reading
	Extent
	Scoring   `json:"-"` // a judge is written as the entry of a section
	Choosing  `json:"-"`
	Labelling `json:"-"`
}

// An Extent is how often a judge judges, and what.
type Extent struct {
	// times 0: 1, and some once more if a judge of answers is not deterministic; rounds of a judge of pairs differ in their samples
	Repeats  Repeats `yaml:"repeats" json:"repeats,omitzero"`
	Sample   int     `yaml:"sample" json:"sample,omitempty"`
	Imported *bool   `yaml:"imported" json:"imported,omitempty"`
}

// Scoring has the options of judges that score answers.
type Scoring struct {
	Examples *int   `yaml:"examples" json:"examples,omitempty"`
	From     string `yaml:"examples_from" json:"examples_from,omitempty"` // judges.FromPeople; "": made-up examples
	Template string `yaml:"template" json:"template,omitempty"`           // rubric.Release: the authors' prompt; "": ours
	Ask      string `yaml:"ask" json:"ask,omitempty"`                     // judges.AskAll, AskGroup or AskCriterion; "": all
	People   bool   `yaml:"people" json:"people,omitempty"`               // the verdicts of the file are people's

	HeldOut bool              `yaml:"held_out" json:"held_out,omitempty"`    // no answer is scored by a model trained on its question
	LeftOut []data.SystemBias `yaml:"-" json:"left_out,omitempty"`           // of an embedded judge
	Sheets  []judges.Example  `yaml:"-" json:"examples_of_people,omitempty"` // what examples_from reads
}

// Labelling has the options of judges that label contrastive tables.
type Labelling struct {
	Claims        bool `yaml:"claims" json:"claims,omitempty"`     // a model also labels the claims of answers
	TableExamples int  `yaml:"examples" json:"examples,omitempty"` // made-up examples in the prompt
}

// sections are the judges as the file and the record have them.
type sections struct {
	Scorers   []scorer   `yaml:"judges" json:"judges"`
	Labellers []labeller `yaml:"summary_judges" json:"summary_judges,omitempty"`
	Choosers  []chooser  `yaml:"pairwise" json:"pairwise,omitempty"`
}

type scorer struct {
	Entry   `yaml:",inline"`
	Reading `yaml:",inline"`
	Scoring `yaml:",inline"`
	Extent  `yaml:",inline"`
}

type labeller struct {
	Entry     `yaml:",inline"`
	Labelling `yaml:",inline"`
}

type chooser struct {
	Entry    `yaml:",inline"`
	Reading  `yaml:",inline"`
	Choosing `yaml:",inline"`
	Extent   `yaml:",inline"`
}

// join makes one list of the sections that were read.
func (c *Config) join() {
	for _, j := range c.Scorers {
		c.Judges = append(c.Judges, Judge{Asks: store.KindVerdict, Entry: j.Entry, Reading: j.Reading, Scoring: j.Scoring, Extent: j.Extent})
	}
	for _, j := range c.Labellers {
		c.Judges = append(c.Judges, Judge{Asks: store.KindLabel, Entry: j.Entry, Labelling: j.Labelling})
	}
	for _, j := range c.Choosers {
		c.Judges = append(c.Judges, Judge{Asks: store.KindPreference, Entry: j.Entry, Reading: j.Reading, Choosing: j.Choosing, Extent: j.Extent})
	}
	c.sections = sections{}
}

// sectionsOf returns the sections in which judges stand.
func sectionsOf(judges []Judge) (s sections) {
	for _, j := range judges {
		switch j.Asks {
		case store.KindVerdict:
			s.Scorers = append(s.Scorers, scorer{j.Entry, j.Reading, j.Scoring, j.Extent})
		case store.KindLabel:
			s.Labellers = append(s.Labellers, labeller{j.Entry, j.Labelling})
		case store.KindPreference:
			s.Choosers = append(s.Choosers, chooser{j.Entry, j.Reading, j.Choosing, j.Extent})
		}
	}
	return s
}

// JudgesOf returns the judges that are asked for results of a kind.
func (c *Config) JudgesOf(kind string) []*Judge {
	return data.Where(pointersTo(c.Judges), func(j *Judge) bool { return j.Asks == kind })
}

func pointersTo[E any](entries []E) []*E {
	list := make([]*E, len(entries))
	for i := range entries {
		list[i] = &entries[i]
	}
	return list
}

// Section returns the section of the file in which the judge stands.
func (j *Judge) Section() string {
	return map[string]string{store.KindVerdict: "judges", store.KindLabel: "summary_judges", store.KindPreference: "pairwise"}[j.Asks]
}

// label returns the name of the entry; a judge of pairs without a name is called as its method.
func (j *Judge) label() string { return cmp.Or(j.Name, j.Method) }

// checkJudge checks a judge of any kind.
func (c *Config) checkJudge(j *Judge) error {
	if data.IsHuman(j.label()) && j.Provider != ProviderFile {
		return fmt.Errorf("names that begin with %q are reserved for people; choose another", data.Human)
	}
	switch j.Asks {
	case store.KindLabel:
		return c.checkLabeller(j)
	case store.KindPreference:
		return c.checkPairwise(j)
	}
	return c.checkScorer(j)
}

func (c *Config) checkScorer(j *Judge) error {
	_, live := c.Providers[j.Provider]
	if err := within(bound{"repeats", float64(j.Repeats.Times), mostRepeats}, bound{"sample", float64(j.Sample), mostSampled}); err != nil {
		return err
	}
	if err := j.Reading.check(j.Repeats, j.Provider == ProviderFile, true); err != nil {
		return err
	}
	err := check(
		when(j.Provider != ProviderEmbedded && data.CheckName(j.Name, judges.OwnNames()) != nil, "%v",
			data.CheckName(j.Name, judges.OwnNames())),
		when(j.Ask != "" && !live, "ask is for LLM judges only; leave it out"),
		when(j.Ask != "" && !slices.Contains(judges.Asks, j.Ask), "ask is %q; it must be one of: %s", j.Ask, strings.Join(judges.Asks, ", ")),
		when(j.Scoring.Template != "" && (!live || j.Scoring.Template != rubric.Release),
			"template is %q; it can be %q, for LLM judges, and is left out otherwise", j.Scoring.Template, rubric.Release),
		when(j.From != "" && (!live || j.From != judges.FromPeople || j.Scoring.Examples != nil && *j.Scoring.Examples == 0),
			"examples_from is %q; it can be %q, for LLM judges with examples", j.From, judges.FromPeople),
		when(j.Scoring.Template != "" && (j.Scoring.Examples != nil || j.From != "" || j.Ask != ""),
			"the authors' prompt has its own example and asks for all criteria; leave examples and ask out"),
		when(j.People && j.Provider != ProviderFile, "people is for judges of provider file: people do not answer calls"),
		when(j.Provider == ProviderFile && j.Path == "", "provider file needs path, the file with the verdicts"),
		when(j.Provider == ProviderCalibrated && j.Path == "",
			"provider %s needs path, the file that `compqa judge calibrate --judge NAME` wrote",
			ProviderCalibrated),
		when(j.Provider == ProviderBaseline, "provider baseline is for models; judges without a model need provider %s", ProviderEmbedded))
	if err != nil || j.Provider == ProviderFile {
		return err
	}
	switch j.Provider {
	case ProviderEmbedded:
		embedded, ok := judges.EmbeddedNamed(j.BuiltIn())
		if !ok {
			return fmt.Errorf("there is no embedded judge %q%s", j.BuiltIn(),
				data.Suggest(j.BuiltIn(), "embedded judges", strings.Split(judges.EmbeddedNames(), ", ")))
		}
		if j.TrainedOn == "" {
			j.TrainedOn = embedded.TrainedOn
			j.HeldOut = embedded.HeldOut
			if embedded.LeftOut != nil {
				j.LeftOut = embedded.LeftOut()
			}
		}
		return nil
	case ProviderCalibrated:
		if j.TrainedOn == "" { // a calibration scores each answer by a model without its question
			j.TrainedOn = "human scores of its calibration"
			j.HeldOut = true
		}
		return nil
	}
	return c.checkLive(j.Asked)
}

func (c *Config) checkLabeller(j *Judge) error {
	offline := j.Provider == ProviderEmbedded || j.Provider == ProviderFile
	if err := within(bound{"examples", float64(j.TableExamples), summary.MostExamples}); err != nil {
		return err
	}
	err := check(
		when(j.TableExamples > 0 && offline, "examples is for LLM judges"),
		when(j.Name == data.OfflineClaims, "%s is the built-in judge of claims in every run; choose another name", j.Name),
		when(j.Claims && offline, "claims: true is for LLM judges; %s labels claims in every run", data.OfflineClaims),
		when(j.Provider == ProviderEmbedded && j.BuiltIn() != summary.RulesName,
			"there is no built-in summary judge %q; the only one is %s", j.BuiltIn(), summary.RulesName),
		when(j.Provider == ProviderFile && j.Path == "", "provider file needs path, the file with the labels"),
		when(j.Provider == ProviderBaseline || j.Provider == ProviderCalibrated, "a summary judge has provider %s, %s or the name of one",
			ProviderEmbedded, ProviderFile))
	if err != nil || offline {
		return err
	}
	return c.checkLive(j.Asked)
}
