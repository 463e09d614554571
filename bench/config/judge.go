package config

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"compqa/data"
	"compqa/judges"
	"compqa/judges/summary"
	"compqa/rubric"
)

func (c *Config) checkJudge(j *Judge) error {
	_, live := c.Providers[j.Provider]
	err := cmp.Or(within(bound{"repeats", float64(j.Repeats.Times), mostRepeats}, bound{"sample", float64(j.Sample), mostSampled}),
		j.Reading.check(j.Repeats, j.Provider == ProviderFile, true), check(
			when(data.IsHuman(j.Name) && j.Provider != ProviderFile, "names that begin with %q are reserved for people; choose another", data.Human),
			when(j.Provider != ProviderEmbedded && data.CheckName(j.Name, judges.OwnNames()) != nil, "%v",
				data.CheckName(j.Name, judges.OwnNames())),
			when(j.Ask != "" && !live, "ask is for LLM judges only; leave it out"),
			when(j.Ask != "" && !slices.Contains(judges.Asks, j.Ask), "ask is %q; it must be one of: %s", j.Ask, strings.Join(judges.Asks, ", ")),
			when(j.Template != "" && (!live || j.Template != rubric.Release),
				"template is %q; it can be %q, for LLM judges, and is left out otherwise", j.Template, rubric.Release),
			when(j.From != "" && (!live || j.From != judges.FromPeople || j.Examples != nil && *j.Examples == 0),
				"examples_from is %q; it can be %q, for LLM judges with examples", j.From, judges.FromPeople),
			when(j.Template != "" && (j.Examples != nil || j.From != "" || j.Ask != ""),
				"the authors' prompt has its own example and asks for all criteria; leave examples and ask out"),
			when(j.People && j.Provider != ProviderFile, "people is for judges of provider file: people do not answer calls"),
			when(j.Provider == ProviderFile && j.Path == "", "provider file needs path, the file with the verdicts"),
			when(j.Provider == ProviderCalibrated && j.Path == "",
				"provider %s needs path, the file that `compqa judge calibrate --judge NAME` wrote",
				ProviderCalibrated),
			when(j.Provider == ProviderBaseline, "provider baseline is for models; judges without a model need provider %s", ProviderEmbedded)))
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
			j.TrainedOn, j.HeldOut = embedded.TrainedOn, embedded.HeldOut
			if embedded.LeftOut != nil {
				j.LeftOut = embedded.LeftOut()
			}
		}
		return nil
	case ProviderCalibrated:
		if j.TrainedOn == "" { // a calibration scores each answer by a model without its question
			j.TrainedOn, j.HeldOut = "human scores of its calibration", true
		}
		return nil
	}
	return c.checkLive(j.Asked)
}

// A SummaryJudge labels contrastive tables: a model behind a provider, the rules (provider
// embedded), or labels that exist (provider file).
type SummaryJudge struct {
	Entry    `yaml:",inline"`
	Claims   bool `yaml:"claims" json:"claims,omitempty"`     // a model also labels the claims of answers
	Examples int  `yaml:"examples" json:"examples,omitempty"` // made-up examples in the prompt
}

func (c *Config) checkSummaryJudge(j *SummaryJudge) error {
	offline := j.Provider == ProviderEmbedded || j.Provider == ProviderFile
	err := cmp.Or(check(
		when(data.IsHuman(j.Name) && j.Provider != ProviderFile, "names that begin with %q are reserved for people; choose another", data.Human)),
		within(bound{"examples", float64(j.Examples), summary.MostExamples}), check(
			when(j.Examples > 0 && offline, "examples is for LLM judges"),
			when(j.Name == data.OfflineClaims, "%s is the built-in judge of claims in every run; choose another name", j.Name),
			when(j.Claims && offline, "claims: true is for LLM judges; %s labels claims in every run", data.OfflineClaims),
			when(j.Provider == ProviderEmbedded && j.BuiltIn() != summary.RulesName,
				"there is no built-in summary judge %q; the only one is %s", j.BuiltIn(), summary.RulesName),
			when(j.Provider == ProviderFile && j.Path == "", "provider file needs path, the file with the labels"),
			when(j.Provider == ProviderBaseline || j.Provider == ProviderCalibrated, "a summary judge has provider %s, %s or the name of one",
				ProviderEmbedded, ProviderFile)))
	if err != nil || offline {
		return err
	}
	return c.checkLive(j.Asked)
}
