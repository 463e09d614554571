package plan

import (
	"fmt"
	"path/filepath"

	"compqa/bench/config"
	"compqa/data"
	"compqa/judges"
	"compqa/results/store"
	"compqa/rubric"
	"compqa/scenarios"
)

// CheckObjects refuses, where a question of the set has no objects, what needs a pair of objects: offline systems, methods
// that make contrastive tables, prompts that name the objects, the built-in rubric, and judges of claims.
func CheckObjects(c *config.Config, in Inputs) error {
	without := data.Where(in.Set, func(q data.Question) bool { return !q.HasObjects() })
	if without == nil {
		return nil
	}
	set := fmt.Sprintf("%d of %s in %s (for instance %q) has no objects", len(without),
		data.Plural(len(in.Set), "question", "questions"), filepath.Base(c.Dataset), data.Clip(without[0].ID))
	if len(without) > 1 {
		set = fmt.Sprintf("%d of the %d questions in %s (for instance %q) have no objects", len(without), len(in.Set),
			filepath.Base(c.Dataset), data.Clip(without[0].ID))
	}
	if c.Arguments.Reverse {
		return c.Locate(config.At("arguments", "reverse", fmt.Errorf("arguments.reverse exchanges the names of two objects, and %s", set)))
	}
	prompts := false
	for i, s := range in.Systems {
		m := c.Models[i]
		if s.Answers() && (m.Provider == config.ProviderBaseline || m.Method != "") {
			return c.Wrong("models", m.Name, fmt.Errorf("it compares two objects, and %s; remove it, or give the questions object1 "+
				"and object2", set))
		}
		prompts = prompts || s.Answers()
	}
	for _, s := range in.Scenarios {
		if prompts && s.NeedsObjects {
			return c.Locate(config.At("scenarios", s.ID, fmt.Errorf("scenario %q: its prompt names two objects, and %s; write scenarios: [%s] "+
				"for the text of the question alone, or a template of your own without .Object1 and .Object2", s.ID, set,
				scenarios.QuestionAlone)))
		}
	}
	scorers := c.JudgesOf(store.KindVerdict)
	for _, j := range scorers {
		embedded, _ := judges.EmbeddedNamed(j.BuiltIn())
		if j.Provider == config.ProviderEmbedded && embedded.Kind != config.KindFloor || j.Provider == config.ProviderCalibrated ||
			j.Scoring.Template == rubric.Release {
			return c.Wrong("judges", j.Name, fmt.Errorf("it scores answers that compare two objects, and %s", set))
		}
	}
	if (in.Rubric.BuiltIn() || in.Rubric.Name == rubric.Release) && len(scorers) > 0 {
		return c.Locate(config.At("rubric", "", fmt.Errorf("the rubric %s is about answers that compare two objects, and %s; name a rubric "+
			"of your own", in.Rubric.Name, set)))
	}
	for _, j := range c.JudgesOf(store.KindLabel) {
		return c.Wrong("summary_judges", j.Name, fmt.Errorf("it labels what answers say about two objects, and %s", set))
	}
	return nil
}
