package verify

import (
	"encoding/json"
	"strings"

	"compqa/bench/config"
	"compqa/bench/parties"
	"compqa/bench/plan"
	"compqa/bench/run"
	"compqa/data"
	"compqa/results/archive"
	"compqa/results/store"
	"compqa/rubric"
	"compqa/scenarios"
)

// remade is the configuration of a record with its systems and judges, built by this program,
// except those that read files.
type remade struct {
	plan      *plan.Plan
	scenarios map[string]scenarios.Scenario
	systems   map[string]parties.System
	judges    map[string]parties.Judge
}

// recordedConfig parses the configuration in a record.
func recordedConfig(text string) (*config.Config, error) {
	var c config.Config
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber() // options are hashed as they were written
	if err := d.Decode(&c); err != nil {
		return nil, archive.Differ("the recorded configuration cannot be parsed: %w", err)
	}
	return &c, nil
}

// remake builds systems and judges from the record, except those that cannot be built here.
func (c *Recheck) remake(record *store.Store) (*remade, error) {
	made := c.run.Made[0]
	cfg, err := recordedConfig(made.Config)
	if err != nil {
		return nil, err
	}
	if cfg.Run.Seed != made.Seed {
		return nil, archive.Differ("the seed is %d in the configuration and %d in the run's table", cfg.Run.Seed, made.Seed)
	}
	m := &remade{plan: &plan.Plan{Config: cfg, Rubric: c.run.Rubric, ByPair: c.byPair}, scenarios: map[string]scenarios.Scenario{},
		systems: map[string]parties.System{}, judges: map[string]parties.Judge{}}
	var templates map[string]string
	if err := json.Unmarshal([]byte(made.Templates), &templates); err != nil {
		return nil, archive.Differ("the recorded templates cannot be parsed: %w", err)
	}
	if err := builtInNames(cfg, c.run.Rubric, templates); err != nil {
		return nil, err
	}
	for id, text := range templates {
		if s, err := scenarios.Parse(id, text); err == nil {
			m.scenarios[id] = s
			m.plan.Scenarios = append(m.plan.Scenarios, s)
		}
	}
	for _, ref := range cfg.Models {
		if ref.Provider != config.ProviderFile {
			if s, err := parties.BuildSystem(cfg, ref, func() ([]data.PairSources, error) { return record.Sources(ref.Name) }); err == nil {
				m.systems[s.Name] = s
				m.plan.Systems = append(m.plan.Systems, s)
			}
		}
	}
	for _, ref := range cfg.Judges {
		if ref.Provider == config.ProviderFile || ref.Provider == config.ProviderCalibrated {
			continue
		}
		if built, err := parties.BuildJudge(cfg, ref, c.run.Rubric); err == nil {
			m.judges[ref.Name] = built[0]
			m.plan.Judges = append(m.plan.Judges, built[0])
		}
	}
	for _, ref := range cfg.Summaries {
		if ref.Provider == config.ProviderFile {
			continue
		}
		if built, err := parties.BuildSummaryJudges(cfg, ref); err == nil {
			m.plan.Summaries = append(m.plan.Summaries, built...)
		}
	}
	return m, nil
}

// builtInNames is a difference where the name of the built-in rubric or of a built-in scenario
// stands for another text.
func builtInNames(c *config.Config, r rubric.Rubric, templates map[string]string) error {
	builtIn := rubric.CQA().Name
	if (strings.EqualFold(r.Name, builtIn) || c.Rubric == builtIn) && !r.BuiltIn() {
		return archive.Differ("the recorded rubric is called %s, but has other texts than the built-in one", builtIn)
	}
	for _, id := range scenarios.BuiltinIDs {
		text, recorded := templates[id]
		if s, err := scenarios.Builtin(id); err == nil && recorded && text != s.Source {
			return archive.Differ("the recorded template of scenario %s is not the built-in one", id)
		}
	}
	return nil
}

// summaryJudge is the judge of summaries with a name; nil: this program cannot build it.
func (m *remade) summaryJudge(name string) *parties.SummaryJudge {
	for i := range m.plan.Summaries {
		if m.plan.Summaries[i].Name == name {
			return &m.plan.Summaries[i]
		}
	}
	return nil
}

// models finds the systems and judges that this program would call in the same way, by their
// fingerprints.
func (c *cellCheck) models() error {
	system, known := c.remade.systems[c.cell.System]
	c.scenario = c.remade.scenarios[c.cell.Scenario]
	if known && !c.imported() && (c.replies || system.Kind == config.KindBaseline) {
		if c.cell.Fingerprint == config.HashOf(system.Identity, c.scenario.Hash, c.remade.plan.Config.AspectInPrompt, c.run.Made[0].DataHash) {
			c.system = &system
		} else if err := c.otherwise("answers of "+c.cell.System, c.cell); err != nil {
			return err
		}
	}
	c.live = map[string]parties.Judge{}
	cells, _ := c.verdictCells(config.KindModel)
	for _, v := range cells {
		j, known := c.remade.judges[v.Judge]
		if !c.replies {
			break
		}
		if known && c.madeBy(j.Identity, v) {
			c.live[v.Judge] = j
		} else if err := c.otherwise("verdicts of "+v.Judge+" on "+v.System, v); err != nil {
			return err
		}
	}
	return nil
}

// otherwise is the difference of a cell that this program would make otherwise.
func (c *cellCheck) otherwise(what string, cell store.PlanCell) error {
	return archive.Differ("the %s under scenario %s were planned with another configuration, other answers or another version of compqa "+
		"than this one", what, cell.Scenario)
}

// answered replays an answer from the recorded calls and compares it.
func (c *answerCheck) answered(recorded archive.RecordedOutput) error {
	q, known := c.byPair[c.a.Pair()]
	if c.system == nil || !known || recorded.Status == data.Skipped && c.system.Kind == config.KindModel {
		return nil
	}
	s := run.NewReplay(c.remade.plan.Config, recorded.Calls)
	now := c.system.Answer(c.Ctx, s.Ask, q, c.scenario, c.a.Repeat)
	if wrong := s.Differs(recorded, now.Status, now.Text); wrong != "" {
		return archive.Differ("answer %s: %s", c.a.ID, wrong)
	}
	if now.Status == recorded.Status && string(config.Encoded(now.Table)) != string(config.Encoded(c.a.Table)) {
		return archive.Differ("answer %s: its contrastive table differs from the one computed from its sources and replies", c.a.ID)
	}
	c.asked++
	return nil
}

// judged replays a model's verdict from the recorded calls and compares it.
func (c *answerCheck) judged(v archive.VerdictWithCalls) error {
	j, known := c.live[v.Judge]
	if !known {
		return nil
	}
	if c.a.Status != data.Valid && (v.Status != data.Skipped || v.Text != "") {
		return archive.Differ("verdict of %s on answer %s (repeat %d): recorded as %s, but the answer is %s", v.Judge, c.a.ID, v.Repeat,
			v.Status, c.a.Status)
	}
	if c.a.Status != data.Valid {
		return nil
	}
	if v.Repeat > j.Repeats && !(j.SelfCheck && v.Repeat == j.Repeats+1) {
		return archive.Differ("verdict of %s on answer %s (repeat %d): the configuration has %s", v.Judge, c.a.ID, v.Repeat,
			data.Plural(j.Repeats, "repeat", "repeats"))
	}
	s := run.NewReplay(c.remade.plan.Config, v.Calls)
	now := j.Verdict(c.Ctx, s.Ask, c.run.Rubric, c.question(), c.a, v.Repeat)
	if wrong := s.Differs(v.RecordedOutput, now.Status, now.Raw); wrong != "" {
		return archive.Differ("verdict of %s on answer %s (repeat %d): %s", v.Judge, c.a.ID, v.Repeat, wrong)
	}
	c.asked++
	return nil
}
