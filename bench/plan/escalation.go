package plan

import (
	"context"
	"path/filepath"

	"compqa/bench/config"
	"compqa/bench/escalate"
	"compqa/bench/run"
	"compqa/data"
)

// unitVerdicts is the unit of progress in stages after which more verdicts are asked for.
const unitVerdicts = "verdicts"

// later reports whether a job waits for the verdicts of judges that come before its judge in the escalation. It is false in an estimate,
// which counts every judge as asked about every answer.
func (s *Planner) later(c *Job) bool {
	return c.Scorer != nil && !s.Assume && s.Plan.Config.Escalate.Later(c.Judge)
}

// escalating yields the stages in which the later judges of an escalation are asked. Each stage follows from the verdicts recorded so far:
// first about answers that people labelled, then about answers that the judges before left undecided. The last stage records the remaining
// verdicts as skipped, with who decides instead. The result is false if no more stages may follow.
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

// escalated adapts the task of a later judge's verdict to the current decision. If the judge is asked, it returns the task unchanged. If
// the judge is not asked, it returns a task that records the verdict as skipped, with the reason. ok is false if it is not known yet
// whether the judge is asked.
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

// checkEscalation returns an error if the rubric has several criteria and escalate does not name one of them.
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
