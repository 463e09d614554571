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

// A Job has the planned results of one kind by one party, on a group of subjects, in one variant. Examples:
//   - the answers of a system under a scenario;
//   - a judge's verdicts or labels on these answers;
//   - a judge's preferences on a set of pairs by one method, its sampled judgments, or its grades of rationales.
//
// Answers of provider file already exist; imported answers are already recorded. A job without a kind prepares other jobs and records no
// result: it rewrites pairs or extracts aspects.
type Job struct {
	store.PlanCell                       // the kind, the party's names, the subjects, the variant, and the number of results
	*parties.Party                       // who is asked; nil: the results are imported
	Contestant     *parties.System       // the system that answers; nil: imported answers, or other results
	Scorer         *parties.Judge        // the judge of verdicts; nil: other results
	Labeller       *parties.SummaryJudge // the judge of labels; nil: other results
	Of             *Job                  // the job whose answers are judged; nil: no answers are judged
	scenario       scenarios.Scenario
	Items          []Item                   // the planned answers; nil: imported answers, or other results
	IDs            []string                 // ids of the answers, sorted
	pending        *sync.WaitGroup          // counts the answers whose tasks have not ended; nil: nobody waits for them
	wanted         map[string]bool          // ids of the answers to judge; nil: all answers of the job Of
	results        iter.Seq2[Result, error] // of jobs other than answers, verdicts and labels
	asked          []string                 // the providers, if the job asks others than its party's
	typical        bool                     // in an estimate, calls that follow others are asked with typical replies
}

// A Result is one planned result of a job.
type Result struct {
	At          store.At      // where it is recorded; zero: nowhere
	Fingerprint func() string // hash of its inputs; nil: the job's fingerprint covers it
	Calls       int           // the most calls that it takes; 0: one, or as many as its replies require
	Make        func(context.Context, run.Asker) (run.Item, error)
}

// An Item is one planned answer.
type Item struct {
	ID       string
	Question *data.Question
	Repeat   int
	existing *data.Answer // of provider file
}

// has reports whether the job plans the answer with an id. The record may contain more answers, of an earlier run with more questions.
func (c *Job) has(id string) bool {
	_, found := slices.BinarySearch(c.IDs, id)
	return found
}

// Part returns the value of --only that selects the job.
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

// By returns the party that pays for the calls of the job. For pairs this is the entry, over all its rounds and methods. The result is zero
// for a job that asks nobody and records nothing.
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

// providers returns the names of all providers that the job asks.
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

// wants reports whether the job judges an answer.
func (c *Job) wants(id string) bool { return c.Of.has(id) && (c.wanted == nil || c.wanted[id]) }

// repeats returns the number of results on an answer. Answers that are judged once more for a self-check have one more.
func (c *Job) repeats(answer string) int {
	n := max(1, c.Repeats) // labels have none
	if c.Again[answer] {
		n++
	}
	return n
}

// plans reports whether the job plans the result that is recorded at a place. The record may contain more results, of earlier runs.
func (c *Job) plans(place store.At) bool {
	if c.Of == nil {
		return c.has(place.Subject)
	}
	return c.wants(place.Subject) && place.Repeat <= c.repeats(place.Subject)
}

// settled reports whether a recorded result of the job needs no further call. A valid result does not, nor one that was skipped because
// there was nothing to ask. A sampled judgment that cannot be read or was cut off does not either: it is a negative example.
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

// current reports whether the recorded results of a cell were made with the inputs that are planned now. It is false in a verification,
// which does all tasks again.
func (s *Planner) current(c store.PlanCell) bool {
	return !s.Replays && s.before[c.Key()] == c.Fingerprint
}

// states returns the states of a job's recorded results by their places. It returns nil if the results were made with other inputs.
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

// task returns the task that makes a result of a job. recorded has the states of the job's recorded results.
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

// tasks yields the tasks of a job. After the tasks of answers, it yields a task that releases the judges of these answers once they are on
// disk. The result is false if the consumer wants no more tasks.
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

// stage distributes the tasks of jobs over sources, whose tasks run side by side; within a source, jobs run one after the other. It leaves
// out jobs with a Note, which cannot be made. The sources are grouped as follows:
//   - Answers of one provider share a source, so that a local server does not change models all the time.
//   - A model with batches has its own source.
//   - Each judge has its own source. It begins with a job as soon as the job's answers are on disk.
//   - In a verification, all judges of the same answers share a source, so that each text is read once.
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

// source returns a source with the tasks of jobs, one job after the other. Among the remaining jobs, it takes the first whose answers are
// on disk.
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

// missing counts the planned results of a job that are not recorded or must be asked again. recorded is the number of results on record,
// including those that are no longer planned.
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
