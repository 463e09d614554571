package config

import (
	"cmp"

	"compqa/data"
	"compqa/judges/summary"
)

// A SummaryJudge labels contrastive tables: a model behind a provider, the rules (provider
// embedded), or labels that exist (provider file).
type SummaryJudge struct {
	Name      string `yaml:"name" json:"name"`
	Asked     `yaml:",inline"`
	Path      string `yaml:"path" json:"path,omitempty"`
	Family    string `yaml:"family" json:"family,omitempty"`
	Batch     bool   `yaml:"batch" json:"batch,omitempty"`
	Claims    bool   `yaml:"claims" json:"claims,omitempty"`         // a model also labels the claims of answers
	Examples  int    `yaml:"examples" json:"examples,omitempty"`     // made-up examples in the prompt
	TrainedOn string `yaml:"trained_on" json:"trained_on,omitempty"` // a name for the labels it was trained on
}

const sectionSummary = "summary_judges"

func (c *Config) checkSummaryJudge(j *SummaryJudge) error {
	offline := j.Provider == ProviderEmbedded || j.Provider == ProviderFile
	err := cmp.Or(check(
		when(data.IsHuman(j.Name) && j.Provider != ProviderFile, "names that begin with %q are reserved for people; choose another", data.Human)),
		within(bound{"examples", float64(j.Examples), summary.MostExamples}), check(
			when(j.Examples > 0 && offline, "examples is for LLM judges"),
			when(j.Name == data.OfflineClaims, "%s is the built-in judge of claims in every run; choose another name", j.Name),
			when(j.Claims && offline, "claims: true is for LLM judges; %s labels claims in every run", data.OfflineClaims),
			when(j.Provider == ProviderEmbedded && cmp.Or(j.Model, j.Name) != summary.RulesName,
				"there is no built-in summary judge %q; the only one is %s", cmp.Or(j.Model, j.Name), summary.RulesName),
			when(j.Provider == ProviderFile && j.Path == "", "provider file needs path, the file with the labels"),
			when(j.Provider == ProviderBaseline || j.Provider == ProviderCalibrated, "a summary judge has provider %s, %s or the name of one",
				ProviderEmbedded, ProviderFile)))
	if err != nil || offline {
		return err
	}
	return c.checkLive(j.Asked)
}
