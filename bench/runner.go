package bench

import (
	"context"
	"fmt"
	"sync"

	"golang.org/x/sync/singleflight"

	"compqa/data"
	"compqa/judges"
	"compqa/llm"
	"compqa/results"
)

// A runner does what a plan asks for and the record does not hold yet.
//
// Every provider has a lane: so many workers, fed by one goroutine that walks
// the plan's cells. Lanes do not wait for each other, so that a provider that
// hangs holds up nobody else, and a judge takes up a cell as soon as its answers
// are on record. All results go through one writer.
type runner struct {
	plan     *plan
	store    *results.Store
	record   *results.Recorder
	clients  map[string]llm.Client
	retry    bool // asks again what went wrong before
	only     string
	drain    <-chan struct{} // closed: finish what is under way, begin nothing
	progress *progress
	lanes    map[string]chan func()
	asking   singleflight.Group
	earlier  []*earlier                               // runs that replies are taken from
	before   map[results.CellKey]results.RecordedCell // as this run found them
	left     leftover
	held     held
}

// A desk is what an item is worked on with: the context to do it in, and a way
// to ask the model behind it.
type desk struct {
	ctx   context.Context
	ask   judges.Ask
	calls []string // keys of the calls made or taken up, in order
}

// run works until everything planned has a result or the run is told to stop.
func (r *runner) run(ctx context.Context) error {
	var working, feeders sync.WaitGroup
	r.lanes = map[string]chan func(){}
	for name, width := range r.plan.config.lanes() {
		lane := make(chan func(), width)
		r.lanes[name] = lane
		for range workers(width) {
			working.Go(func() {
				for task := range lane {
					task()
				}
			})
		}
	}
	failures := make(chan error, len(r.plan.answers)+len(r.plan.verdicts)+1)
	queues := r.queues()
	r.feedAnswers(ctx, &feeders, queues, failures)
	r.feedVerdicts(ctx, &feeders, queues, failures)
	feeders.Wait()
	for _, lane := range r.lanes {
		close(lane)
	}
	working.Wait()
	close(failures)
	return <-failures // nil where nobody failed
}

// The values of --only.
const (
	onlyAnswers  = "answers"
	onlyVerdicts = "verdicts"
)

// A queue is a judge's cells in the order in which their answers are done.
type queue struct {
	cells []*verdictCell
	ready chan *verdictCell
}

// queues are those of the judges that have something to do.
func (r *runner) queues() map[*judge]*queue {
	queues := map[*judge]*queue{}
	if r.only == onlyAnswers {
		return queues
	}
	for i := range r.plan.verdicts {
		v := &r.plan.verdicts[i]
		if v.Note != "" {
			continue
		}
		if queues[v.judge] == nil {
			queues[v.judge] = &queue{}
		}
		queues[v.judge].cells = append(queues[v.judge].cells, v)
	}
	for _, q := range queues {
		q.ready = make(chan *verdictCell, len(q.cells))
	}
	return queues
}

// feedAnswers walks each lane's cells in the plan's order. A cell is done when
// its answers are on disk: then it goes to the judges.
func (r *runner) feedAnswers(ctx context.Context, feeders *sync.WaitGroup, queues map[*judge]*queue, failures chan<- error) {
	judged := map[*answerCell][]*verdictCell{}
	for _, q := range queues {
		for _, v := range q.cells {
			judged[v.cell] = append(judged[v.cell], v)
		}
	}
	done := func(cell *answerCell) {
		for _, v := range judged[cell] {
			queues[v.judge].ready <- v
		}
	}
	var toFeed []*answerCell
	for i := range r.plan.answers {
		cell := &r.plan.answers[i]
		if cell.system == nil || r.only == onlyVerdicts || cell.Note != "" {
			done(cell)
			continue
		}
		toFeed = append(toFeed, cell)
	}
	for _, cells := range groups(toFeed) {
		feeders.Go(func() {
			if cells[0].system.batch {
				if err := r.batchAnswers(ctx, cells); err != nil {
					failures <- err
				}
			}
			for _, cell := range cells {
				var pending sync.WaitGroup
				if r.settled(cell.PlanCell, cell.work, cell.outcome) {
					r.progress.recorded(cell.System, cell.Planned)
					done(cell)
					continue
				}
				if err := r.feedCell(ctx, cell, &pending); err != nil {
					failures <- err
				}
				feeders.Go(func() {
					pending.Wait()
					r.settle(cell.PlanCell, cell.work, cell.outcome)
					r.record.Sync()
					done(cell)
				})
			}
		})
	}
}

// stopped reports whether nothing more is to be begun.
func (r *runner) stopped(ctx context.Context) bool {
	select {
	case <-r.drain:
		return true
	case <-ctx.Done():
		return true
	default:
		return false
	}
}

// enter puts a task into a lane, unless the run is to stop first.
func (r *runner) enter(ctx context.Context, lane string, pending *sync.WaitGroup, task func()) bool {
	if r.stopped(ctx) {
		return false
	}
	pending.Add(1)
	begin := func() {
		defer pending.Done()
		if !r.stopped(ctx) { // since it was handed over
			task()
		}
	}
	select {
	case r.lanes[lane] <- begin:
		return true
	case <-r.drain:
	case <-ctx.Done():
	}
	pending.Done()
	return false
}

func (r *runner) feedCell(ctx context.Context, cell *answerCell, pending *sync.WaitGroup) error {
	var recorded map[string]data.Status
	if r.hasRows(cell.PlanCell) {
		var err error
		if recorded, err = r.store.AnswerStatuses(cell.System, cell.Scenario); err != nil {
			return fmt.Errorf("reading the record: %w", err)
		}
	}
	cell.outcome.counted.Store(true)
	reopen := r.reopen(cell.PlanCell)
	for _, it := range cell.items {
		if status, ok := recorded[it.id]; ok && !(r.retry && status.Retryable()) {
			cell.outcome.old(status)
			r.progress.recorded(cell.System, 1)
			continue
		}
		reopen()
		if !r.enter(ctx, cell.system.lane, pending, func() { r.answer(ctx, cell, it) }) {
			return nil
		}
	}
	return nil
}

// reopen tells the record, once, that a cell's rows are about to change.
func (r *runner) reopen(c results.PlanCell) func() {
	return sync.OnceFunc(func() {
		r.record.Put(func(b results.Batch) error { return b.Reopen(c.Key()) })
	})
}

// answer has one item answered and recorded.
func (r *runner) answer(ctx context.Context, cell *answerCell, it item) {
	ctx = paidBy(ctx, results.Payer{Kind: results.KindAnswer, Name: cell.System})
	d := desk{ctx: ctx}
	var a data.Answer
	switch {
	case it.existing != nil:
		a = *it.existing
	case cell.system.Kind == kindModel && cell.scenario.NeedsArguments && len(it.question.Arguments) == 0:
		a.Status, a.Reason = data.Skipped, "the question has no arguments, which this scenario shows"
	default:
		d.ask = r.asker(cell.system.lane, it.repeat, &d.calls)
		a = cell.system.answer(d, *it.question, cell.scenario)
	}
	if a.Status == data.Pending {
		return
	}
	a.ID, a.Question, a.System, a.Scenario, a.Repeat = it.id, it.question.ID, cell.System, cell.Scenario, it.repeat
	if it.existing == nil {
		a.Object1, a.Object2, a.Aspect = it.question.Object1, it.question.Object2, it.question.Aspect
	}
	size := sizeOf(*it.question, a)
	file(r.record, a.Status, func(b results.Batch) error { return b.Answer(a, size, d.calls) })
	cell.outcome.new(a.Status)
	r.progress.finished(cell.System, a.Status)
}

// sizeOf is how long the comparison in an answer is, its list of sources left
// out, and what else the reports need of the text. The objects are the answer's
// own: their order is what a recorded choice refers to.
func sizeOf(q data.Question, a data.Answer) results.Size {
	q.Object1, q.Object2 = a.Object1, a.Object2
	f := judges.Outline(q, a.Text)
	choices := map[judges.Choice]data.Favours{judges.ChoseFirst: data.Object1, judges.ChoseSecond: data.Object2, judges.Undecided: data.Neither}
	return results.Size{Words: f.Words, Sentences: f.Sentences, Reading: &results.Reading{
		Citations: f.Citations, Unknown: f.CitationsOutOfRange, Generated: f.Generated, Choice: choices[f.Choice],
		Cited: [2]int{f.CitedFirst, f.CitedSecond}, Made: [2]int{f.GeneratedFirst, f.GeneratedSecond},
	}}
}

// feedVerdicts gives each judge its cells in the order in which they are ready.
func (r *runner) feedVerdicts(ctx context.Context, feeders *sync.WaitGroup, queues map[*judge]*queue, failures chan<- error) {
	for judge, q := range queues {
		feeders.Go(func() {
			if judge.batch {
				if err := r.batchReady(ctx, q.cells, q.ready); err != nil {
					failures <- err
				}
			}
			for range q.cells {
				v := <-q.ready
				if v.cell.outcome.fresh.Load() == 0 && r.settled(v.PlanCell, v.work, v.outcome) {
					r.progress.recorded(v.Judge, v.Planned)
					continue
				}
				var pending sync.WaitGroup
				if err := r.feedVerdictCell(ctx, v, &pending); err != nil {
					failures <- err
				}
				feeders.Go(func() {
					pending.Wait()
					r.settle(v.PlanCell, v.work, v.outcome)
				})
			}
		})
	}
}

func (r *runner) feedVerdictCell(ctx context.Context, v *verdictCell, pending *sync.WaitGroup) error {
	v.outcome.counted.Store(true)
	reopen := r.reopen(v.PlanCell)
	if v.judge.score == nil {
		reopen()
		return r.takeExisting(v)
	}
	var recorded map[results.VerdictKey]data.Status
	if r.hasRows(v.PlanCell) {
		var err error
		if recorded, err = r.store.VerdictStatuses(v.Judge, v.System, v.Scenario); err != nil {
			return fmt.Errorf("reading the record: %w", err)
		}
	}
	return r.store.EachAnswer(v.System, v.Scenario, func(a data.Answer) error {
		if !v.cell.has(a.ID) || v.keep != nil && !v.keep[a.ID] {
			return nil
		}
		for repeat := 1; repeat <= v.judge.repeats; repeat++ {
			status, ok := recorded[results.VerdictKey{Answer: a.ID, Repeat: repeat}]
			if ok && !(r.retry && status.Retryable()) && !(status == data.Skipped && a.Status == data.Valid) {
				v.outcome.old(status)
				r.progress.recorded(v.Judge, 1)
				continue
			}
			reopen()
			if !r.enter(ctx, v.judge.lane, pending, func() { r.judge(ctx, v, a, repeat) }) {
				return nil
			}
		}
		return nil
	})
}

// judge has one answer scored and the verdict recorded. Where there is no
// answer there is nothing to score, and the verdict says so.
func (r *runner) judge(ctx context.Context, v *verdictCell, a data.Answer, repeat int) {
	ctx = paidBy(ctx, results.Payer{Kind: results.KindVerdict, Name: v.Judge})
	d := desk{ctx: ctx}
	var verdict data.Verdict
	if a.Status != data.Valid {
		verdict = data.Verdict{Status: data.Skipped, Reason: "there is no answer to judge: it is " + string(a.Status)}
	} else {
		q := r.plan.question(a)
		if v.cell.system == nil {
			q.Arguments = nil // whoever answered had others, or none
		}
		verdict = v.judge.score(ctx, q, a, r.asker(v.judge.lane, repeat, &d.calls))
	}
	if verdict.Status == data.Pending {
		return
	}
	verdict.Answer, verdict.Judge, verdict.Repeat = a.ID, v.Judge, repeat
	verdict = judges.Settle(r.plan.rubric, verdict)
	file(r.record, verdict.Status, func(b results.Batch) error { return b.Verdict(verdict, d.calls) })
	v.outcome.new(verdict.Status)
	r.progress.finished(v.Judge, verdict.Status)
}

// takeExisting records the verdicts of a file on a cell's answers.
func (r *runner) takeExisting(v *verdictCell) error {
	for _, verdict := range v.judge.existing {
		if !v.cell.has(verdict.Answer) {
			continue
		}
		r.record.Put(func(b results.Batch) error { return b.Verdict(verdict, nil) })
		v.outcome.new(verdict.Status)
		r.progress.finished(v.Judge, verdict.Status)
	}
	return nil
}
