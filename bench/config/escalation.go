package config

import (
	"fmt"
	"slices"
	"strings"

	"compqa/data"
	"compqa/llm"
	"compqa/results/store"
	"compqa/stats"
)

// An Escalation is a sequence of judges. An answer that one judge is not sure about goes to the next judge, and at the end to people.
type Escalation struct {
	Judges     []string `yaml:"judges" json:"judges"` // in the order in which they are asked
	Criterion  string   `yaml:"criterion" json:"criterion,omitempty"`
	Alpha      float64  `yaml:"alpha" json:"alpha"`
	Delta      float64  `yaml:"delta" json:"delta"`
	LabelPrice *float64 `yaml:"label_price" json:"label_price,omitempty"` // US dollars for a person's label; nil: unknown
}

// Later reports whether a judge comes second or later in the escalation. Such a judge is asked only about answers that people labelled, and
// about answers that the judges before it left undecided.
func (e *Escalation) Later(judge string) bool { return e != nil && slices.Index(e.Judges, judge) > 0 }

// checkEscalation fills in the defaults of escalate, and returns its first error. Each judge in it must be asked about all answers: a judge
// with a sample, of a file, of people, or with a calibration is refused.
func (c *Config) checkEscalation() error {
	e := c.Escalate
	if e == nil {
		return nil
	}
	if e.Alpha == 0 {
		e.Alpha = .1
	}
	if e.Delta == 0 {
		e.Delta = .05
	}
	judges := c.JudgesOf(store.KindVerdict)
	names := data.Each(judges, func(j *Judge) string { return j.Name })
	for _, name := range e.Judges {
		index := slices.Index(names, name)
		if index < 0 {
			return At("escalate", "judges", fmt.Errorf("escalate: there is no judge %q%s", name, data.Suggest(name, "judges", names)))
		}
		if j := judges[index]; j.Sample > 0 || j.People || j.Provider == ProviderFile || j.Provider == ProviderCalibrated {
			return At("escalate", "judges", fmt.Errorf("escalate: %s is a judge of a file, of people, calibrated, or has a sample; "+
				"a judge that is asked about all answers is needed", name))
		}
	}
	price := llm.ValueOr(e.LabelPrice, 1)
	err := check(
		failIf(len(data.Set(e.Judges)) < max(2, len(e.Judges)), "escalate: judges is [%s]; it needs two judges or more, each once, the "+
			"cheapest first", strings.Join(e.Judges, ", ")),
		failIf(!(e.Alpha > 0 && e.Alpha <= .5), "escalate: alpha is %v; it is the largest share that may differ, above 0 and at most .5",
			e.Alpha),
		failIf(!(e.Delta > 0 && e.Delta < .5), "escalate: delta is %v; it is 1 minus the certainty, above 0 and below .5", e.Delta),
		failIf(!(price > 0 && stats.IsFinite(price)), "escalate: label_price is %v; it is what a label costs, in dollars, above 0", price))
	if err != nil {
		err = At("escalate", "", err)
	}
	return err
}
