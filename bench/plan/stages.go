package plan

import (
	"errors"
	"iter"
	"slices"

	"compqa/bench/run"
	"compqa/data"
)

// The parts of a run that --only names.
const (
	OnlyAnswers   = "answers"
	OnlyVerdicts  = "verdicts"
	OnlySummaries = "summaries"
	OnlyPairs     = "pairs"
	OnlySamples   = "samples" // of judgments
)

// Parts are all of them.
var Parts = []string{OnlyAnswers, OnlyVerdicts, OnlySummaries, OnlyPairs, OnlySamples}

// AboutPairs reports whether a run does nothing but tasks about pairs.
func AboutPairs(only string) bool { return only == OnlyPairs || only == OnlySamples }

// does reports whether a run that only does one part, or all ("") does a part.
func does(only, part string) bool { return only == "" || only == part }

// UnitResults is the unit of answers, verdicts and summaries.
const UnitResults = "results"

// A Stage is tasks that begin together, when those of the stage before have ended.
type Stage struct {
	Unit    string // what its progress counts
	Parties []run.Party
	Sources []run.Source
}

// Stages returns all tasks of a plan, in a fixed order: answers, verdicts and summaries; then, because
// pairs are made of answers, rewritten answers, aspects, preferences, samples of judgments, and the
// grades of both. Each stage is computed from the record when the one before has ended. A run
// executes the tasks, an estimate walks them without asking, and a verification replays them.
func (s *Planner) Stages(only string) iter.Seq2[Stage, error] {
	return func(yield func(Stage, error) bool) {
		if !AboutPairs(only) {
			cells := data.Where(s.Plan.Jobs(), func(c *Job) bool { return does(only, c.Part()) && !s.later(c) })
			later := data.Where(s.Plan.Jobs(), func(c *Job) bool { return does(only, c.Part()) && s.later(c) })
			first := s.stage(UnitResults, cells)
			if len(later) > 0 {
				first.Unit = unitVerdicts
			}
			if !yield(first, nil) || !s.escalating(later, yield) {
				return
			}
		}
		if only != "" && !AboutPairs(only) || s.Plan.Pairs == nil {
			return
		}
		s.Paired = &pairing{Planner: s, Pairs: *s.Plan.Pairs, samplesOnly: only == OnlySamples}
		s.Paired.Sets, s.Paired.Given = slices.Clone(s.Plan.Pairs.Sets), slices.Clone(s.Plan.Pairs.Given)
		r := s.Paired
		for _, step := range []func() (Stage, error){r.ownStage, r.rewriting, r.extracting, r.preferring, r.sampling, r.grading, r.finish} {
			stage, err := step()
			if errors.Is(err, ErrNoPairs) && only == "" {
				r.say("no judge of pairs is asked: no two answers to the same question are valid")
				if err = r.retire(); err == nil {
					return
				}
			}
			if (err != nil || len(stage.Sources) > 0) && !yield(stage, err) || err != nil {
				return
			}
		}
	}
}
