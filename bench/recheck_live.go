package bench

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"compqa/data"
	"compqa/judges/scoring"
	"compqa/llm"
	"compqa/results/archive"
	"compqa/results/store"
	"compqa/scenarios"
)

// Remade is what a record's configuration asks for, built by this compqa.
type remade struct {
	plan      *plan
	scenarios map[string]scenarios.Scenario
	systems   map[string]system
	judges    map[string]judge
}

// recordedConfig is a configuration as a record has it.
func recordedConfig(text string) (*Config, error) {
	var c Config
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber() // options are hashed as they were written
	if err := d.Decode(&c); err != nil {
		return nil, archive.Differ("the configuration on record is none: %w", err)
	}
	return &c, nil
}

// remake builds systems and judges from the record. What cannot be built here is
// left out.
func (c *recheck) remake() (*remade, error) {
	made := c.run.Made[0]
	config, err := recordedConfig(made.Config)
	if err != nil {
		return nil, err
	}
	if config.Run.Seed != made.Seed {
		return nil, archive.Differ("the seed is %d in the configuration and %d beside it", config.Run.Seed, made.Seed)
	}
	m := &remade{plan: &plan{config: config, rubric: c.run.Rubric, byPair: c.byPair}, scenarios: map[string]scenarios.Scenario{},
		systems: map[string]system{}, judges: map[string]judge{}}
	var templates map[string]string
	if err := json.Unmarshal([]byte(made.Templates), &templates); err != nil {
		return nil, archive.Differ("the templates on record are none: %w", err)
	}
	for id, text := range templates {
		if s, err := scenarios.Parse(id, text); err == nil {
			m.scenarios[id] = s
		}
	}
	asked := newPrompts(config.AspectInPrompt)
	for _, ref := range config.Models {
		if ref.Provider != providerFile {
			if s, err := config.system(ref, asked); err == nil {
				m.systems[s.Name] = s
			}
		}
	}
	for _, ref := range config.Judges {
		if _, live := config.Providers[ref.Provider]; live {
			if j, err := config.liveJudge(ref, c.run.Rubric); err == nil {
				m.judges[j.Name] = j
			}
		}
	}
	return m, nil
}

// A script answers what is asked with the calls on record, in their order, and
// notes when something else is asked.
type script struct {
	left    []archive.RecordedCall
	key     func(ctx context.Context, req *llm.Request) (string, error) // of a call
	strayed string                                                      // what was asked and is not on record
	failed  bool                                                        // a call of it once failed: it may have been made again since
}

func newScript(calls []archive.RecordedCall, key func(context.Context, *llm.Request) (string, error)) *script {
	return &script{left: calls, key: key, failed: slices.ContainsFunc(calls, func(c archive.RecordedCall) bool { return c.Failed })}
}

func (s *script) ask(ctx context.Context, req llm.Request) (llm.Reply, error) {
	key, err := s.key(ctx, &req)
	if err != nil {
		return llm.Reply{}, err
	}
	if s.strayed == "" && (len(s.left) == 0 || s.left[0].Key != key) {
		s.strayed = fmt.Sprintf("it asks for the call %s, and the calls on record for it are others", key)
	}
	if s.strayed != "" {
		return llm.Reply{}, &llm.Error{Kind: llm.Failed, Message: s.strayed}
	}
	next := s.left[0]
	s.left = s.left[1:]
	reply := llm.Reply{Text: next.Reply}
	if next.Status != data.Valid {
		return reply, &llm.Error{Kind: llm.Kind(next.Status)}
	}
	return reply, nil
}

// outcome says what is wrong, if anything is, with what was recorded by what came
// of asking again; whole texts have to be equal.
func (s *script) outcome(recorded archive.RecordedOutput, status data.Status, text string) string {
	switch {
	case s.strayed != "":
		return s.strayed
	case s.failed && (status != recorded.Status || len(s.left) > 0):
		return ""
	case status != recorded.Status:
		return fmt.Sprintf("on record %s, by its calls %s", recorded.Status, status)
	case len(s.left) > 0:
		return fmt.Sprintf("it rests on %d calls more than are made for it", len(s.left))
	case slices.Contains(archive.FromReply, status) && text != recorded.Text:
		return "its text is not what comes of it now"
	}
	return ""
}

// models finds who answered and judged as this compqa would have them asked: the
// fingerprints tell.
func (c *cellCheck) models() error {
	system, known := c.remade.systems[c.cell.System]
	c.scenario = c.remade.scenarios[c.cell.Scenario]
	if known && !c.imported() && (c.replies || system.Kind == kindBaseline) {
		if c.cell.Fingerprint == hashOf(system.identity, c.scenario.Hash, c.remade.plan.config.AspectInPrompt, c.run.Made[0].DataHash) {
			c.system = &system
		} else if err := c.otherwise("answers of "+c.cell.System, c.cell); err != nil {
			return err
		}
	}
	c.live = map[string]judge{}
	cells, _ := c.verdictCells(kindModel)
	for _, v := range cells {
		j, known := c.remade.judges[v.Judge]
		if !c.replies {
			break
		}
		if known && c.madeBy(j.identity, v) {
			c.live[v.Judge] = j
		} else if err := c.otherwise("verdicts of "+v.Judge+" on "+v.System, v); err != nil {
			return err
		}
	}
	return nil
}

// otherwise takes in a cell that this compqa would fill otherwise. Where it is the
// one that made the run, the configuration on record is not the one of the run;
// imported answers may have been replaced since.
func (c *cellCheck) otherwise(what string, cell store.PlanCell) error {
	program, revision := buildVersion()
	made := c.run.Made[0]
	if !c.imported() && made.Program == program && made.Revision == revision && len(revision) == len("0123456789abcdef0123456789abcdef01234567") {
		return archive.Differ("the %s under scenario %s are planned by another configuration than the one on record", what, cell.Scenario)
	}
	c.recheck.unasked += cell.Planned
	return nil
}

// keyOf is the key of a call that a plan makes.
func (p *plan) keyOf(lane string, repeat int) func(context.Context, *llm.Request) (string, error) {
	return func(ctx context.Context, req *llm.Request) (string, error) {
		call, err := p.call(ctx, lane, repeat, req)
		return call.Key, err
	}
}

// answered has an answer given anew, by the calls on record, and compares.
func (c *answerCheck) answered(said archive.RecordedOutput) error {
	q, known := c.byPair[c.a.Pair()]
	if c.system == nil || !known || said.Status == data.Skipped && c.system.Kind == kindModel {
		return nil
	}
	s := newScript(said.Calls, c.remade.plan.keyOf(c.system.lane, c.a.Repeat))
	now := c.system.answer(desk{ctx: c.ctx, ask: s.ask}, q, c.scenario)
	if wrong := s.outcome(said, now.Status, now.Text); wrong != "" {
		return c.differs("answer %s: %s", c.a.ID, wrong)
	}
	c.asked++
	return nil
}

// judged has a model's verdict given anew, by the calls on record, and compares.
func (c *answerCheck) judged(v archive.VerdictWithCalls) error {
	j, known := c.live[v.Judge]
	if !known || c.a.Status != data.Valid {
		return nil
	}
	if v.Repeat > j.repeats {
		return archive.Differ("verdict of %s on answer %s (repeat %d): the configuration asks for %d", v.Judge, c.a.ID, v.Repeat, j.repeats)
	}
	s := newScript(v.Calls, c.remade.plan.keyOf(j.lane, v.Repeat))
	now := scoring.Settle(c.run.Rubric, j.score(c.ctx, c.question(), c.a, s.ask))
	if wrong := s.outcome(v.RecordedOutput, now.Status, now.Raw); wrong != "" {
		return c.differs("verdict of %s on answer %s (repeat %d): %s", v.Judge, c.a.ID, v.Repeat, wrong)
	}
	c.asked++
	return nil
}
