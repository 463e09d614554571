package plan

import (
	"context"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"
	"sync"

	"compqa/bench/config"
	"compqa/bench/escalate"
	"compqa/bench/run"
	"compqa/data"
	"compqa/judges/faithful"
	"compqa/judges/text"
	"compqa/judges/text/lexical"
	"compqa/results/store"
)

// A Planner makes the tasks that a plan still needs, given the record. A run executes the tasks, an estimate counts them, and a
// verification replays them.
type Planner struct {
	Plan   *Plan
	Store  *store.Store // nil: nothing is on record
	engine *run.Engine  // nil: nothing is executed, and no judge waits for answers to be recorded
	retry  bool
	before map[store.CellKey]string // fingerprints of recorded cells, as they were when the command began
	// Assume is set in estimates. Answers that are not on record count as present, with a text of assumed length.
	Assume bool
	reader Reader
	// Replays is set in verifications. All tasks are done, including those whose results are on record.
	Replays bool
	notes   io.Writer // for lines about the tasks; nil: no lines
	Paired  *pairing  // the pairs of the last call of Stages; nil: it had none

	Decision *escalate.Decision // of an escalation, in the stages of its later judges; nil: none
}

// NewPlanner returns the planner of a plan, given the record. With retry, it also plans results that failed before.
func NewPlanner(p *Plan, db *store.Store, retry bool) (*Planner, error) {
	before, err := db.Fingerprints()
	return &Planner{Plan: p, Store: db, retry: retry, before: before}, err
}

// unrecorded holds the jobs of answers that are not completely on disk. Judges wait for them.
type unrecorded struct {
	mu      sync.Mutex
	cells   map[*Job]bool
	changed chan struct{} // closed when a job has been recorded, and then replaced
}

// remove says that the answers of a job are on disk, and wakes those who wait.
func (u *unrecorded) remove(c *Job) {
	u.mu.Lock()
	defer u.mu.Unlock()
	delete(u.cells, c)
	close(u.changed)
	u.changed = make(chan struct{})
}

// ready returns the index of the first job whose tasks can begin, because the answers that it judges are on disk. It returns -1 if there is
// none; the caller then waits for changed.
func (u *unrecorded) ready(cells []*Job) (index int, changed <-chan struct{}) {
	u.mu.Lock()
	defer u.mu.Unlock()
	return slices.IndexFunc(cells, func(c *Job) bool { return !u.cells[c.Of] }), u.changed
}

// next returns the index of the first job whose tasks can begin. It waits for one, and returns -1 if the run stops.
func (u *unrecorded) next(ctx context.Context, cells []*Job) int {
	for {
		index, changed := u.ready(cells)
		if index >= 0 {
			return index
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return -1
		}
	}
}

// sync returns when all results so far are on disk.
func (s *Planner) sync() {
	if s.engine != nil {
		s.engine.Record.Sync()
	}
}

// answers returns the planned answers of a job.
func (s *Planner) answers(c *Job) iter.Seq2[Result, error] {
	return func(yield func(Result, error) bool) {
		for _, it := range c.Items {
			r := Result{At: store.At{Kind: store.KindAnswer, Subject: it.ID}, Make: func(ctx context.Context, ask run.Asker) (run.Item, error) {
				var a data.Answer
				if it.existing != nil {
					a = *it.existing
				} else {
					a = c.Contestant.Answer(ctx, ask, *it.Question, c.scenario, it.Repeat)
					a.Object1 = it.Question.Object1
					a.Object2 = it.Question.Object2
					a.Aspect = it.Question.Aspect
				}
				a.ID = it.ID
				a.Question = it.Question.ID
				a.System = c.System
				a.Scenario = c.Scenario
				a.Repeat = it.Repeat
				size := s.reader.SizeOf(*it.Question, a)
				return run.Item{Status: a.Status, Write: func(b store.Batch, calls []int64) error { return b.Answer(a, size, calls) }}, nil
			}}
			if s.Assume && c.Contestant.Calls != nil {
				r.Calls = c.Contestant.Calls(*it.Question)
			}
			if !yield(r, nil) {
				return
			}
		}
	}
}

// A judging is a job of verdicts or labels, with the states of its recorded results.
type judging struct {
	*Planner
	*Job
	known map[store.At]store.State
}

// place returns where the result on an answer is recorded.
func (j judging) place(answer string, repeat int) store.At {
	if j.Scorer != nil {
		return store.At{Kind: store.KindVerdict, Party: j.Judge, Subject: answer, Repeat: repeat}
	}
	return store.At{Kind: store.KindLabel, Party: j.Judge, Subject: answer, Variant: j.Job.Kind}
}

// on returns the task that makes the result on an answer.
func (j judging) on(answer string, repeat int, make func(context.Context, run.Asker) (run.Item, error)) run.Task {
	r := Result{At: j.place(answer, repeat), Make: make}
	if j.Scorer != nil {
		r.Calls = j.Scorer.Calls
	}
	return j.task(j.Job, r, j.known)
}

// withoutTexts returns the tasks of a job that can be made without reading answers. all is true if these are all its tasks: the verdicts
// come from a file, or every result is on record and valid.
func (j judging) withoutTexts() (tasks iter.Seq[run.Task], all bool) {
	if j.Scorer != nil && j.Scorer.Score == nil {
		return func(yield func(run.Task) bool) {
			for _, verdict := range j.Scorer.Existing {
				if !j.Of.has(verdict.Answer) {
					continue
				}
				given := func(context.Context, run.Asker) (run.Item, error) { return run.VerdictItem(verdict), nil }
				if !yield(j.on(verdict.Answer, verdict.Repeat, given)) {
					return
				}
			}
		}, true
	}
	done := func(yield func(run.Task) bool) {
		for place, state := range j.known {
			if state.Status == data.Valid && j.plans(place) && !yield(j.on(place.Subject, place.Repeat, nil)) {
				return
			}
		}
	}
	n := 0
	for range done {
		n++
	}
	return done, n == j.Planned
}

// judgeTasks yields the tasks of jobs that judge the same answers. First come jobs that need no text of an answer. The other jobs share one
// pass over the answers, so that each text is read once. For each answer, each of these jobs has its repeats. The result is false if the
// consumer wants no more tasks.
func (s *Planner) judgeTasks(jobs []*Job, yield func(run.Task, error) bool) bool {
	var reading []judging // jobs that need texts
	for _, job := range jobs {
		states, err := s.states(job)
		if err != nil {
			return yield(run.Task{}, err)
		}
		j := judging{s, job, states}
		tasks, all := j.withoutTexts()
		if !all {
			reading = append(reading, j)
			continue
		}
		for task := range tasks {
			if !yield(task, nil) {
				return false
			}
		}
	}
	if len(reading) == 0 {
		return true
	}
	wanted := func(id string) bool { return slices.ContainsFunc(reading, func(j judging) bool { return j.wants(id) }) }
	stopped := false
	err := s.eachAnswer(reading[0].Of, wanted, func(answer data.Answer) error {
		question := s.Plan.Question(answer)
		for _, j := range reading {
			for task := range j.repeatsOn(question, answer) {
				if !yield(task, nil) {
					stopped = true
					return run.ErrEnough
				}
			}
		}
		return nil
	})
	if stopped {
		return false
	}
	if err != nil {
		return yield(run.Task{}, fmt.Errorf("reading the record: %w", err))
	}
	return true
}

// repeatsOn yields a job's tasks on one answer to a question. It yields none if the job does not judge the answer, or if it is not known
// yet whether the judge is asked.
func (j judging) repeatsOn(question data.Question, answer data.Answer) iter.Seq[run.Task] {
	return func(yield func(run.Task) bool) {
		if !j.wants(answer.ID) {
			return
		}
		for repeat := 1; repeat <= j.repeats(answer.ID); repeat++ {
			task := j.on(answer.ID, repeat, func(ctx context.Context, ask run.Asker) (run.Item, error) {
				return j.judge(ctx, ask, j.Job, question, answer, repeat), nil
			})
			if task.Recorded.Status == data.Skipped && answer.Status == data.Valid {
				task.Recorded.Status = "" // it was skipped because there was no answer
			}
			task, known := j.escalated(j.Job, task, answer)
			if known && !yield(task) {
				return
			}
		}
	}
}

// judge asks the judge of a job for a verdict or labels on an answer to a question.
func (s *Planner) judge(ctx context.Context, ask run.Asker, c *Job, q data.Question, a data.Answer, repeat int) run.Item {
	if c.Labeller != nil {
		if a.Status == data.Valid && s.Assume && a.Text == assumedText(a.ID) {
			a.Text = assumedClaims(q) + " " + a.ID
			a.Table = assumedTable
		}
		l := c.Labeller.Label(ctx, ask, q, a, c.Kind)
		return run.Item{Status: l.Status, Write: func(b store.Batch, calls []int64) error { return b.Labels(a.ID, l, calls) }}
	}
	if c.Of.Contestant == nil {
		q.Arguments = nil // an imported answer may have been given with other arguments
	}
	return run.VerdictItem(c.Scorer.Verdict(ctx, ask, s.Plan.Rubric, q, a, repeat))
}

// eachAnswer calls each for the wanted answers of a job, in the order of the questions. These are the recorded answers and, in an estimate,
// also answers that are not made yet. It reads answerPage answers at a time.
func (s *Planner) eachAnswer(c *Job, wanted func(id string) bool, each func(data.Answer) error) error {
	items := c.Items
	if c.Contestant == nil {
		items = data.Each(c.IDs, func(id string) Item { return Item{ID: id} })
	}
	kept := !s.Assume || c.Contestant == nil || s.current(c.PlanCell)
	for page := range slices.Chunk(items, answerPage) {
		page = data.Where(page, func(it Item) bool { return wanted(it.ID) })
		var recorded map[string]data.Answer
		if kept {
			var err error
			recorded, err = s.Store.Answers(data.Each(page, func(it Item) string { return it.ID }))
			if err != nil {
				return err
			}
		}
		for _, it := range page {
			a, known := recorded[it.ID]
			if known && s.Assume && s.retry && c.Contestant != nil && a.Status.Retryable() {
				known = false
			}
			switch q := it.Question; {
			case known:
			case !s.Assume:
				continue
			case it.existing != nil:
				a = *it.existing
			default:
				a = data.Answer{ID: it.ID, Question: q.ID, System: c.System, Scenario: c.Scenario, Repeat: it.Repeat,
					Object1: q.Object1, Object2: q.Object2, Aspect: q.Aspect, Status: data.Valid, Text: assumedText(it.ID)}
			}
			if err := each(a); err != nil {
				return err
			}
		}
	}
	return nil
}

// answerPage is the number of answers that eachAnswer reads at a time.
const answerPage = 256

// assumedText returns the assumed text of an answer in an estimate. The texts of two answers differ, because equal texts would share one
// call for their verdicts.
func assumedText(id string) string {
	if len(id) >= len(AssumedText) {
		return id
	}
	return id + AssumedText[len(id):]
}

// AssumedText has the assumed length of an answer.
var AssumedText = strings.Repeat("Some words. ", AssumedAnswer*BytesOfToken/12)

// assumedClaims returns a text of claims about the first object, about as long as AssumedText.
func assumedClaims(q data.Question) string {
	claim := q.Object1 + strings.Repeat(" has words", 10) + ". "
	return strings.Repeat(claim, len(AssumedText)/len(claim)+1)
}

const BytesOfToken = 4 // bytes of English text per token

const AssumedAnswer = 400 // tokens of an answer, about 300 words

// assumedTable is a table of the size that estimates assume: eight rows, each with a value of 12 words and its quote for each object.
var assumedTable = func() *data.ContrastTable {
	words := strings.TrimSpace(strings.Repeat("words ", 12))
	values := []data.ContrastValue{{Value: words, Evidence: []data.Evidence{{Source: "1", Quote: words}}}}
	t := &data.ContrastTable{}
	for i := range 8 {
		t.Rows = append(t.Rows, data.ContrastRow{Attribute: "words", Kind: data.RowContrast, Rank: i + 1, Object1: values, Object2: values})
	}
	return t
}()

// A Reader measures answers for the reports. Its zero value is ready for use.
type Reader struct {
	NoClaims  bool     // do not label claims
	arguments sync.Map // *faithful.Arguments by question, so that each question is read once
}

// SizeOf measures an answer for the reports:
//   - the length of the comparison, without its list of sources;
//   - its citations and its choice between the objects;
//   - labels that compare its claims with the question's arguments.
//
// It takes the objects in the answer's order, because a recorded choice refers to this order.
func (r *Reader) SizeOf(q data.Question, a data.Answer) store.Size {
	question := q
	question.Object1 = a.Object1
	question.Object2 = a.Object2
	read := text.Analyse(question, a.Text)
	f := read.Counts()
	unknown := f.CitationsOutOfRange
	if a.Table != nil {
		unknown = 0 // it cites its own sources, which may not be the question's arguments
	}
	size := store.Size{Words: f.Words, Sentences: f.Sentences, Reading: store.Reading{
		Citations: f.Citations, Unknown: unknown, Generated: f.Generated, Favours: f.Choice.Favours(),
		Cited1: f.CitedFirst, Cited2: f.CitedSecond, Made1: f.GeneratedFirst, Made2: f.GeneratedSecond,
	}}
	if a.Status != data.Valid || len(q.Arguments) == 0 || r.NoClaims {
		return size
	}
	if reason := lexical.NotEnglish(q, a.Text); reason != "" {
		size.Labels = []store.Labels{{Judge: faithful.Name, Kind: faithful.Kind, Head: store.Head{Status: data.Skipped, Reason: reason}}}
		return size
	}
	if q.Object1 != a.Object1 {
		read = text.Analyse(q, a.Text) // the arguments refer to the question's order
	}
	arguments, known := r.arguments.Load(q.ID)
	if !known {
		arguments, _ = r.arguments.LoadOrStore(q.ID, faithful.ReadArguments(q))
	}
	claims := arguments.(*faithful.Arguments).Label(read)
	for i := range claims.Claims {
		claims.Claims[i].Text = "" // it is in the answer
	}
	size.Labels = []store.Labels{{Judge: faithful.Name, Kind: faithful.Kind, Head: store.Head{Status: data.Valid},
		Labels: string(config.Encoded(claims))}}
	return size
}
