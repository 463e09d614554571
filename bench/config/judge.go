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

// A Judge is an entry of judges, pairwise or summary_judges. It asks a model of a provider, needs no model, or has existing results
// (provider file). Of Scoring, Choosing and Labelling, only the options of its own section are set.
type Judge struct {
	Asks string // the kind of its results: store.KindVerdict, store.KindPreference or store.KindLabel
	Entry
	Reading
	Extent
	Scoring   `json:"-"` // a Judge is recorded as an entry of its section
	Choosing  `json:"-"`
	Labelling `json:"-"`
}

// An Extent says how many results a judge gives, and on how many answers or pairs.
type Extent struct {
	// Repeats.Times 0 means once. A judge of answers that is not deterministic then scores some answers a second time. For a judge of
	// pairs, each repeat asks with other sampling seeds.
	Repeats  Repeats `yaml:"repeats" json:"repeats,omitzero"`
	Sample   int     `yaml:"sample" json:"sample,omitempty"`
	Imported *bool   `yaml:"imported" json:"imported,omitempty"`
}

// Scoring has the options of judges that score answers.
type Scoring struct {
	Examples *int   `yaml:"examples" json:"examples,omitempty"`
	From     string `yaml:"examples_from" json:"examples_from,omitempty"` // judges.FromPeople: score sheets of people; "": made-up examples
	Template string `yaml:"template" json:"template,omitempty"`           // rubric.Release: the authors' prompt; "": the built-in one
	Ask      string `yaml:"ask" json:"ask,omitempty"`                     // judges.AskAll, AskGroup or AskCriterion; "": AskAll
	People   bool   `yaml:"people" json:"people,omitempty"`               // the file has people's verdicts

	HeldOut bool              `yaml:"held_out" json:"held_out,omitempty"`    // no answer is scored by a model trained on its question
	LeftOut []data.SystemBias `yaml:"-" json:"left_out,omitempty"`           // an embedded judge's bias by system
	Sheets  []judges.Example  `yaml:"-" json:"examples_of_people,omitempty"` // the score sheets that examples_from names
}

// Labelling has the options of judges that label contrastive tables or the claims of answers.
type Labelling struct {
	Claims        bool `yaml:"claims" json:"claims,omitempty"`     // a model labels the claims of answers, too
	TableExamples int  `yaml:"examples" json:"examples,omitempty"` // number of made-up examples in the prompt
}

// sections holds the judges by section, as compqa.yaml and the recorded JSON list them.
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

// join moves the judges of the three sections into c.Judges, and empties the sections.
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

// sectionsOf distributes judges over the sections of compqa.yaml. It is the inverse of join.
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

// JudgesOf returns pointers to the judges that give results of a kind.
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

// Section returns the section of compqa.yaml that contains the judge.
func (j *Judge) Section() string {
	return map[string]string{store.KindVerdict: "judges", store.KindLabel: "summary_judges", store.KindPreference: "pairwise"}[j.Asks]
}

// label returns the name of the entry. A pairwise judge without a name is called after its method.
func (j *Judge) label() string { return cmp.Or(j.Name, j.Method) }

// checkJudge checks a judge of any kind. Only judges of files may have a name that stands for people.
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

// checkScorer checks an entry of judges: its numbers, the keys that its provider allows, and its embedded judge or its model. It fills in
// what an embedded or calibrated judge was trained on.
func (c *Config) checkScorer(j *Judge) error {
	_, live := c.Providers[j.Provider]
	if err := checkBounds(bound{"repeats", float64(j.Repeats.Times), mostRepeats}, bound{"sample", float64(j.Sample),
		mostSampled}); err != nil {
		return err
	}
	if err := j.Reading.check(j.Repeats, j.Provider == ProviderFile, true); err != nil {
		return err
	}
	err := check(
		failIf(j.Provider != ProviderEmbedded && data.CheckName(j.Name, judges.OwnNames()) != nil, "%v",
			data.CheckName(j.Name, judges.OwnNames())),
		failIf(j.Ask != "" && !live, "ask is for LLM judges only; leave it out"),
		failIf(j.Ask != "" && !slices.Contains(judges.Asks, j.Ask), "ask is %q; it must be one of: %s", j.Ask, strings.Join(judges.Asks, ", ")),
		failIf(j.Scoring.Template != "" && (!live || j.Scoring.Template != rubric.Release),
			"template is %q; it can be %q, for LLM judges, and is left out otherwise", j.Scoring.Template, rubric.Release),
		failIf(j.From != "" && (!live || j.From != judges.FromPeople || j.Scoring.Examples != nil && *j.Scoring.Examples == 0),
			"examples_from is %q; it can be %q, for LLM judges with examples", j.From, judges.FromPeople),
		failIf(j.Scoring.Template != "" && (j.Scoring.Examples != nil || j.From != "" || j.Ask != ""),
			"the authors' prompt has its own example and asks for all criteria; leave examples and ask out"),
		failIf(j.People && j.Provider != ProviderFile, "people is for judges of provider file: people do not answer calls"),
		failIf(j.Provider == ProviderFile && j.Path == "", "provider file needs path, the file with the verdicts"),
		failIf(j.Provider == ProviderCalibrated && j.Path == "",
			"provider %s needs path, the file that `compqa judge calibrate --judge NAME` wrote",
			ProviderCalibrated),
		failIf(j.Provider == ProviderBaseline, "provider baseline is for models; judges without a model need provider %s", ProviderEmbedded))
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
		if j.TrainedOn == "" { // a calibration scores each answer by a model that was fitted without its question
			j.TrainedOn = "human scores of its calibration"
			j.HeldOut = true
		}
		return nil
	}
	return c.checkLive(j.Asked)
}

// checkLabeller checks an entry of summary_judges: its provider, the keys that its provider allows, and its model.
func (c *Config) checkLabeller(j *Judge) error {
	offline := j.Provider == ProviderEmbedded || j.Provider == ProviderFile
	if err := checkBounds(bound{"examples", float64(j.TableExamples), summary.MostExamples}); err != nil {
		return err
	}
	err := check(
		failIf(j.TableExamples > 0 && offline, "examples is for LLM judges"),
		failIf(j.Name == data.OfflineClaims, "%s is the built-in judge of claims in every run; choose another name", j.Name),
		failIf(j.Claims && offline, "claims: true is for LLM judges; %s labels claims in every run", data.OfflineClaims),
		failIf(j.Provider == ProviderEmbedded && j.BuiltIn() != summary.RulesName,
			"there is no built-in summary judge %q; the only one is %s", j.BuiltIn(), summary.RulesName),
		failIf(j.Provider == ProviderFile && j.Path == "", "provider file needs path, the file with the labels"),
		failIf(j.Provider == ProviderBaseline || j.Provider == ProviderCalibrated, "a summary judge has provider %s, %s or the name of one",
			ProviderEmbedded, ProviderFile))
	if err != nil || offline {
		return err
	}
	return c.checkLive(j.Asked)
}
