package config

import (
	"fmt"

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
	if data.IsHuman(j.Name) && j.Provider != ProviderFile {
		return fmt.Errorf("names that begin with %q are reserved for people; choose another", data.Human)
	}
	if err := within(bound{"examples", float64(j.Examples), summary.MostExamples}); err != nil {
		return err
	}
	switch {
	case j.Examples > 0 && (j.Provider == ProviderEmbedded || j.Provider == ProviderFile):
		return fmt.Errorf("examples is for LLM judges")
	case j.Name == data.OfflineClaims:
		return fmt.Errorf("%s is the built-in judge of claims in every run; choose another name", j.Name)
	case j.Claims && (j.Provider == ProviderEmbedded || j.Provider == ProviderFile):
		return fmt.Errorf("claims: true is for LLM judges; %s labels claims in every run", data.OfflineClaims)
	}
	switch j.Provider {
	case ProviderEmbedded:
		if name := j.EmbeddedName(); name != summary.RulesName {
			return fmt.Errorf("there is no built-in summary judge %q; the only one is %s", name, summary.RulesName)
		}
		return nil
	case ProviderFile:
		if j.Path == "" {
			return fmt.Errorf("provider file needs path, the file with the labels")
		}
		return nil
	case ProviderBaseline, ProviderCalibrated:
		return fmt.Errorf("a summary judge has provider %s, %s or the name of one", ProviderEmbedded, ProviderFile)
	}
	return c.checkLive(j.Asked)
}

// EmbeddedName is the name of the embedded judge of an entry: its model, which allows another
// name for the entry, or otherwise its name.
func (j *SummaryJudge) EmbeddedName() string {
	if j.Model != "" {
		return j.Model
	}
	return j.Name
}
