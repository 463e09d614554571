package plan

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"sync"

	"compqa/bench/parties"
	"compqa/bench/run"
	"compqa/data"
	"compqa/results/store"
	"compqa/scenarios"
)

// A Job contains the planned results of one kind that one party makes, on some subjects, in one variant: the answers of a system under a
// scenario, a judge's verdicts or labels on these, its preferences on a set of pairs by a method, its sampled judgments, or its grades of
// rationales. Answers of provider file already exist; imported answers are already recorded. A job without a kind makes what others
// need and no result: rewritten pairs, extracted aspects.
type Job struct {
	store.PlanCell                       // the kind, the names of the party, the subjects and the variant, and their number
	*parties.Party                       // who is asked; nil: the results are imported
	Contestant     *parties.System       // of answers; nil: imported
	Scorer         *parties.Judge        // of verdicts
	Labeller       *parties.SummaryJudge // of labels
	Of             *Job                  // the answers that are judged; nil: it judges no answers
	scenario       scenarios.Scenario
	Items          []Item                   // answers; nil: imported
	IDs            []string                 // of the answers, sorted
	pending        *sync.WaitGroup          // answers that have not ended; nil: nobody waits for them
	wanted         map[string]bool          // ids of the answers that are judged; nil: all
	results        iter.Seq2[Result, error] // of other cells than those of answers, verdicts and labels
	asked          []string                 // providers, where there are others than the party's
	typical        bool                     // in an estimate: what follows a call is asked with typical replies
}

// A Result is one planned result of a job.
type Result struct {
	At          store.At      // where it is recorded; zero: nowhere
	Fingerprint func() string // hash of all that it depends on; nil: its cell has it
	Calls       int           // the most calls that it takes; 0: one, or what its replies make necessary
	Make        func(context.Context, run.Asker) (run.Item, error)
}

// An Item is one planned answer.
type Item struct {
	ID       string
	Question *data.Question
	Repeat   int
	existing *data.Answer // of provider file
}

// has reports whether an answer of the record is one that is planned: an earlier
// run may have asked more questions than this one.
func (c *Job) has(id string) bool {
	_, found := slices.BinarySearch(c.IDs, id)
	return found
}

// Part returns the part of a run that makes the results.
func (c *Job) Part() string {
	switch c.By().Kind {
	case store.KindAnswer:
		return OnlyAnswers
	case store.KindVerdict:
		return OnlyVerdicts
	case store.KindLabel:
		return OnlySummaries
	}
	return OnlyPairs
}

// By returns the party that the calls of the cell are counted for: of pairs, the entry of all rounds and methods. It is zero where
// nobody is asked and nothing is recorded.
func (c *Job) By() store.Party {
	switch {
	case c.Kind == store.KindAnswer:
		return store.Party{Kind: store.KindAnswer, Name: c.System}
	case c.Scorer != nil:
		return store.Party{Kind: store.KindVerdict, Name: c.Judge}
	case c.Labeller != nil:
		return store.Party{Kind: store.KindLabel, Name: c.Judge}
	case c.Name == "":
		return store.Party{}
	}
	return store.Party{Kind: store.KindPreference, Name: c.Name}
}

// providers returns all that the results of a cell are asked of.
func (c *Job) providers() []string {
	switch {
	case c.Contestant != nil:
		return c.Contestant.Providers()
	case c.asked != nil:
		return c.asked
	}
	return []string{c.Provider}
}

// judged reports whether the results are verdicts or labels, whose tasks share the texts of answers; see judgeTasks.
func (c *Job) judged() bool { return c.Scorer != nil || c.Labeller != nil }

// wants reports whether an answer is to be judged.
func (c *Job) wants(id string) bool { return c.Of.has(id) && (c.wanted == nil || c.wanted[id]) }

// repeats returns the number of results on an answer.
func (c *Job) repeats(answer string) int {
	n := max(1, c.Repeats) // labels have none
	if c.Again[answer] {
		n++
	}
	return n
}

// plans reports whether a result on record, of a cell of answers or about answers, is planned now: earlier runs may have made more.
func (c *Job) plans(place store.At) bool {
	if c.Of == nil {
		return c.has(place.Subject)
	}
	return c.wants(place.Subject) && place.Repeat <= c.repeats(place.Subject)
}

// settled reports whether a result with a status needs nothing more: it is valid, or there was nothing to ask. A sampled judgment that
// cannot be read or was cut off is a negative example.
func (c *Job) settled(status data.Status) bool {
	switch status {
	case data.Valid:
		return true
	case data.Skipped:
		return c.Kind != store.KindGrade
	case data.Empty:
		return c.Labeller != nil
	case data.Abstained:
		return c.Kind == store.KindPreference
	}
	return c.Kind == store.KindSample && status != "" && status != data.Failed
}

// current reports whether what is on record of a cell, if anything, is made with the same inputs as what is planned.
func (s *Planner) current(c store.PlanCell) bool {
	return !s.Replays && s.before[c.Key()] == c.Fingerprint
}

// states returns the states of a cell's results on record, by their places. An answer, verdict or label that was made with other
// inputs than the cell is not on record.
func (s *Planner) states(c *Job) (map[store.At]store.State, error) {
	if c.Kind == "" || !s.current(c.PlanCell) {
		return nil, nil
	}
	states, err := s.Store.States(c.PlanCell)
	if err != nil {
		err = fmt.Errorf("reading the record: %w", err)
	}
	return states, err
}

// task returns the task that makes a result of a cell, of which recorded is on record.
func (s *Planner) task(c *Job, r Result, recorded map[store.At]store.State) run.Task {
	t := run.Task{Party: c.By(), At: r.At, Group: c, Provider: c.Provider, Recorded: recorded[r.At], Calls: r.Calls, Typical: c.typical,
		Cell: c.pending, Do: r.Make}
	if r.Fingerprint != nil {
		t.Fingerprint = r.Fingerprint()
	}
	if c.Kind == store.KindSample && c.settled(t.Recorded.Status) {
		t.Recorded.Status = data.Valid // it is not asked again
	}
	return t
}

// tasks yields the tasks of a cell and, of answers, what is to be done when they have ended.
func (s *Planner) tasks(c *Job, left *unrecorded, yield func(run.Task, error) bool) bool {
	if c.judged() {
		return s.judgeTasks([]*Job{c}, yield)
	}
	recorded, err := s.states(c)
	if err != nil {
		return yield(run.Task{}, err)
	}
	results := c.results
	if results == nil {
		results = s.answers(c)
	}
	for r, err := range results {
		if !yield(s.task(c, r, recorded), err) {
			return false
		}
	}
	if c.pending == nil {
		return true
	}
	settle := func() {
		s.sync()
		left.remove(c)
	}
	return yield(run.Task{Cell: c.pending, Settle: settle}, nil)
}

// stage returns the tasks of cells, but of those that cannot be made. Answers of one provider take turns, so that a local server does
// not change models all the time; models that are asked in batches are on their own. A judge takes up a cell as soon as its answers are
// on disk; in a verification, all judges of the same answers take turns, so that their texts are read once.
func (s *Planner) stage(unit string, cells []*Job) Stage {
	stage := Stage{Unit: unit}
	var order []any
	groups := map[any][]*Job{}
	answers := &unrecorded{cells: map[*Job]bool{}, changed: make(chan struct{})}
	for _, c := range cells {
		if c.Note != "" {
			continue
		}
		if c.Kind != "" {
			stage.Parties = append(stage.Parties, run.Party{Name: c.By().Shown(), Provider: c.Provider, Planned: c.Planned})
		}
		var group any = c.Party
		switch {
		case c.judged() && s.Replays:
			group = c.Of
		case c.Kind == store.KindAnswer:
			// Where nothing is executed, nothing is waited for.
			answers.cells[c] = s.engine != nil
			if !c.Batch.On() {
				group = c.Provider
			}
		}
		if groups[group] == nil {
			order = append(order, group)
		}
		groups[group] = append(groups[group], c)
	}
	for _, group := range order {
		stage.Sources = append(stage.Sources, s.source(groups[group], answers))
	}
	return stage
}

// source returns the tasks of cells that take turns.
func (s *Planner) source(cells []*Job, answers *unrecorded) run.Source {
	source := run.Source{Tasks: func(ctx context.Context) iter.Seq2[run.Task, error] {
		return func(yield func(run.Task, error) bool) {
			if s.Replays && cells[0].judged() {
				s.judgeTasks(cells, yield)
				return
			}
			for left := slices.Clone(cells); len(left) > 0; {
				index := answers.next(ctx, left)
				if index < 0 || !s.tasks(left[index], answers, yield) {
					return
				}
				left = slices.Delete(left, index, index+1)
			}
		}
	}}
	if c := cells[0]; c.Batch.On() {
		source.Batch = &run.BatchParty{Party: c.By(), Provider: c.Provider, Model: c.Model, Fallback: c.Batch.Fallback()}
	}
	return source
}

// missing returns the number of planned results of a cell that are not on record or need to be asked again, and how many are on record.
func (s *Planner) missing(c *Job) (n, recorded int, err error) {
	states, err := s.Store.States(c.PlanCell)
	if err != nil {
		return 0, 0, err
	}
	if c.results == nil {
		n = c.Planned
		for place, state := range states {
			if c.settled(state.Status) && c.plans(place) {
				n--
			}
		}
		return n, len(states), nil
	}
	for r, err := range c.results {
		if err != nil {
			return 0, 0, err
		}
		if !c.settled(states[r.At].Status) {
			n++
		}
	}
	return n, len(states), nil
}
