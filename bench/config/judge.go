package config

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"compqa/data"
	"compqa/judges"
	"compqa/rubric"
)

func checkCalibrated(j *Judge) error {
	if j.TrainedOn == "" { // a calibration scores each answer by a model without its question
		j.TrainedOn, j.HeldOut = "human scores of its calibration", true
	}
	if j.Path == "" {
		return fmt.Errorf("provider %s needs path, the file that `compqa calibrate --judge NAME` wrote", ProviderCalibrated)
	}
	return nil
}

// Deterministic reports whether the judge's options ask for the same reply each time.
func (j *Judge) Deterministic() bool {
	text, err := json.Marshal(j.Options["temperature"])
	return err == nil && string(text) == "0"
}

// EmbeddedName is the name of the embedded judge of an entry: its model, which
// allows another name for the entry, or otherwise its name.
func (j *Judge) EmbeddedName() string {
	if j.Model != "" {
		return j.Model
	}
	return j.Name
}

func (c *Config) checkJudge(j *Judge) error {
	if err := within(bound{"repeats", float64(j.Repeats), mostRepeats}, bound{"sample", float64(j.Sample), mostSampled}); err != nil {
		return err
	}
	if data.IsHuman(j.Name) && j.Provider != ProviderFile {
		return fmt.Errorf("names that begin with %q are reserved for people; choose another", data.Human)
	}
	if _, live := c.Providers[j.Provider]; j.Ask != "" && !live {
		return fmt.Errorf("ask is for LLM judges only; leave it out")
	}
	if j.Ask != "" && !slices.Contains(judges.Asks, j.Ask) {
		return fmt.Errorf("ask is %q; it must be one of: %s", j.Ask, strings.Join(judges.Asks, ", "))
	}
	if _, live := c.Providers[j.Provider]; j.Template != "" && (!live || j.Template != rubric.Release) {
		return fmt.Errorf("template is %q; it can be %q, for LLM judges, and is left out otherwise", j.Template, rubric.Release)
	}
	if _, live := c.Providers[j.Provider]; j.From != "" && (!live || j.From != judges.FromPeople || j.Examples != nil && *j.Examples == 0) {
		return fmt.Errorf("examples_from is %q; it can be %q, for LLM judges with examples", j.From, judges.FromPeople)
	}
	if j.Template != "" && (j.Examples != nil || j.From != "" || j.Ask != "") {
		return fmt.Errorf("the authors' prompt has its own example and asks for all criteria; leave examples and ask out")
	}
	if j.People && j.Provider != ProviderFile {
		return fmt.Errorf("people is for judges of provider file: people do not answer calls")
	}
	switch j.Provider {
	case ProviderEmbedded:
		embedded, ok := judges.EmbeddedNamed(j.EmbeddedName())
		if !ok {
			return fmt.Errorf("there is no embedded judge %q%s", j.EmbeddedName(),
				data.Suggest(j.EmbeddedName(), "embedded judges", strings.Split(judges.EmbeddedNames(), ", ")))
		}
		if j.TrainedOn == "" {
			j.TrainedOn, j.HeldOut = embedded.TrainedOn, embedded.HeldOut
			if embedded.LeftOut != nil {
				j.LeftOut = embedded.LeftOut()
			}
		}
		return nil
	case ProviderFile:
		if j.Path == "" {
			return fmt.Errorf("provider file needs path, the file with the verdicts")
		}
		return nil
	case ProviderCalibrated:
		return checkCalibrated(j)
	case ProviderBaseline:
		return fmt.Errorf("provider baseline is for models; judges without a model need provider %s", ProviderEmbedded)
	}
	return c.checkLive(j.Asked)
}
