package plan

import (
	"context"
	"path/filepath"

	"compqa/bench/config"
	"compqa/bench/escalate"
	"compqa/bench/run"
	"compqa/data"
)

// unitVerdicts is the unit of verdicts after which more are asked.
const unitVerdicts = "verdicts"

// later reports whether the results of a cell wait for the verdicts of judges that are asked before. An estimate takes all as asked.
func (s *Planner) later(c *Job) bool {
	return c.Scorer != nil && !s.Assume && s.Plan.Config.Escalate.Later(c.Judge)
}

// escalating yields the stages of judges that are asked about labelled answers and what judges before them leave: each stage follows
// from the record after the one before. In the last one, verdicts that nobody needs are recorded as skipped, with who decides. It reports
// whether more stages may follow.
func (s *Planner) escalating(cells []*Job, yield func(Stage, error) bool) bool {
	if len(cells) == 0 || s.engine != nil && !s.engine.Complete() {
		return true
	}
	for {
		s.sync()
		var err error
		s.Decision, err = escalate.Decide(filepath.Dir(s.Store.Path), s.Plan.Config)
		stage := s.stage(unitVerdicts, cells)
		if s.Decision != nil && s.Decision.Final {
			stage.Unit = UnitResults
		}
		if !yield(stage, err) || err != nil {
			return false
		}
		if s.engine == nil || s.Decision.Final || !s.engine.Complete() {
			return true
		}
	}
}

// escalated returns the task of a verdict of a judge that is asked later as the decision has it: as it is, or one that records why the
// judge is not asked; ok is false where that is not known yet.
func (s *Planner) escalated(c *Job, t run.Task, answer data.Answer) (task run.Task, ok bool) {
	if !s.later(c) || answer.Status != data.Valid {
		return t, true
	}
	asks, reason, recorded := s.Decision.Asks(c.Judge, answer.ID)
	if asks || reason == "" {
		return t, asks
	}
	if recorded {
		t.Recorded.Status = data.Skipped
	}
	v := data.Verdict{Answer: answer.ID, Judge: c.Judge, Repeat: t.At.Repeat, Status: data.Skipped, Reason: reason}
	t.Provider = run.Offline
	t.Do = func(context.Context, run.Asker) (run.Item, error) { return run.VerdictItem(v), nil }
	return t, true
}

// checkEscalation returns an error if the rubric has several criteria, and escalate does not say which counts.
func checkEscalation(c *config.Config, in Inputs) error {
	if c.Escalate == nil {
		return nil
	}
	_, err := escalate.Criterion(in.Rubric, c.Escalate)
	if err != nil {
		err = c.Locate(config.At("escalate", "criterion", err))
	}
	return err
}
