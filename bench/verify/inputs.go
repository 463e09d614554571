package verify

import (
	"maps"
	"slices"

	"compqa/bench/config"
	"compqa/bench/parties"
	"compqa/bench/plan"
	"compqa/data"
	"compqa/results/store"
	"compqa/scenarios"
)

// inputsOf returns the inputs of a configuration as far as they are on record. Answers and sources that came from files are read from the
// record. Left out are verdicts and labels from files, and what this program cannot build.
func (c *Recheck) inputsOf(cfg *config.Config) (in plan.Inputs, err error) {
	in.Rubric = c.run.Rubric
	in.Set = c.questionSet
	templates := c.run.Made[0].TemplateTexts()
	for _, id := range slices.Sorted(maps.Keys(templates)) {
		if s, err := scenarios.Parse(id, templates[id]); err == nil {
			in.Scenarios = append(in.Scenarios, s)
		}
	}
	cells, err := c.db.AnswerCells(false)
	if err != nil {
		return in, err
	}
	for _, ref := range cfg.Models {
		if ref.Provider == config.ProviderFile {
			s, err := recordedAnswers(c.db, ref, cells)
			if err != nil {
				return in, err
			}
			in.Systems = append(in.Systems, s)
		} else if s, err := parties.BuildSystem(cfg, ref, func() ([]data.PairSources, error) { return c.db.Sources(ref.Name) }); err == nil {
			in.Systems = append(in.Systems, *s)
		}
	}
	for _, ref := range cfg.Judges {
		if ref.Provider == config.ProviderFile || ref.Provider == config.ProviderCalibrated {
			continue
		}
		switch ref.Asks {
		case store.KindVerdict:
			if built, err := parties.BuildJudge(cfg, ref, in.Rubric); err == nil {
				in.Judges = append(in.Judges, built...)
			}
		case store.KindLabel:
			if built, err := parties.BuildSummaryJudges(cfg, ref); err == nil {
				in.Summaries = append(in.Summaries, built...)
			}
		}
	}
	return in, nil
}

// recordedAnswers returns a system whose answers came from a file, with the answers that are on record.
func recordedAnswers(db *store.Store, ref config.Model, cells []store.PlanCell) (parties.System, error) {
	s := parties.System{Party: parties.Party{Participant: store.Participant{Name: ref.Name, Kind: config.KindFile, Family: ref.Family,
		About: "answers from " + ref.Path}}}
	for _, cell := range cells {
		if cell.System != ref.Name || cell.Origin != store.FromConfig {
			continue
		}
		s.Fingerprint = cell.Fingerprint
		err := db.EachAnswer(cell.System, cell.Scenario, func(a data.Answer) error {
			s.Existing = append(s.Existing, a)
			return nil
		})
		if err != nil {
			return s, err
		}
	}
	return s, nil
}
