package bench

import (
	"context"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"

	"compqa/data"
	"compqa/judges/scoring"
	"compqa/judges/text"
	"compqa/llm"
	"compqa/results/store"
)

// A runner does what a plan asks for and the record does not hold yet.
//
// Every provider has a lane: so many workers, fed by one goroutine that walks
// the plan's cells. Lanes do not wait for each other, so that a provider that
// hangs holds up nobody else, and a judge takes up a cell as soon as its answers
// are on record. All results go through one writer.
type runner struct {
	plan     *plan
	store    *store.Store
	record   *store.Recorder
	clients  map[string]llm.Client
	retry    bool // asks again what went wrong before
	only     string
	drain    <-chan struct{} // closed: finish what is under way, begin nothing
	progress *progress
	lanes    map[string]chan func()
	asking   singleflight.Group
	earlier  []*earlier                           // runs that replies are taken from
	before   map[store.CellKey]store.RecordedCell // as this run found them
	left     leftover
	held     held
}

// A desk is what an item is worked on with: the context to do it in, and a way
// to ask the model behind it.
type desk struct {
	ctx   context.Context
	ask   scoring.Ask
	calls []string // keys of the calls made or taken up, in order
}

// run works until everything planned has a result or the run is told to stop.
func (r *runner) run(ctx context.Context) error {
	var working, feeders sync.WaitGroup
	r.lanes = map[string]chan func(){}
	for name, width := range r.plan.config.lanes() {
		lane := make(chan func(), width)
		r.lanes[name] = lane
		working.Go(func() { startWorkers(lane, workers(width), &working) })
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

// apart is how far the beginnings of workers are apart, in the mean. Hundreds of calls
// that begin in the same moment, each with a connection to be made, keep each other
// waiting, and so do their replies, round after round.
const apart = 150 * time.Microsecond

// mostBehind is how much of their distance workers make up for.
const mostBehind = 2 * time.Millisecond

// startWorkers has up to so many workers do the tasks of a lane. Each begins with a
// task, some time after the one before.
func startWorkers(lane <-chan func(), workers int, working *sync.WaitGroup) {
	var next time.Time
	for range workers {
		first, open := <-lane
		if !open {
			return
		}
		working.Go(func() {
			first()
			for task := range lane {
				task()
			}
		})
		// A process that has nothing else to do sleeps for a millisecond at least:
		// then several begin without a pause.
		now := time.Now()
		if next = next.Add(apart); next.Before(now.Add(-mostBehind)) {
			next = now
		}
		time.Sleep(next.Sub(now))
	}
}

// The values of --only.
const (
	onlyAnswers  = "answers"
	onlyVerdicts = "verdicts"
)

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

// answer has one item answered and recorded.
func (r *runner) answer(ctx context.Context, cell *answerCell, it item) {
	ctx = paidBy(ctx, store.Party{Kind: store.KindAnswer, Name: cell.System})
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
	file(r.record, a.Status, func(b store.Batch) error { return b.Answer(a, size, d.calls) })
	cell.outcome.new(a.Status)
	r.progress.finished(cell.System, a.Status)
}

// sizeOf is how long the comparison in an answer is, its list of sources left
// out, and what else the reports need of the text. The objects are the answer's
// own: their order is what a recorded choice refers to.
func sizeOf(q data.Question, a data.Answer) store.Size {
	q.Object1, q.Object2 = a.Object1, a.Object2
	f := text.Outline(q, a.Text)
	choices := map[text.Choice]data.Favours{text.ChoseFirst: data.Object1, text.ChoseSecond: data.Object2, text.Undecided: data.Neither}
	return store.Size{Words: f.Words, Sentences: f.Sentences, Reading: &store.Reading{
		Citations: f.Citations, Unknown: f.CitationsOutOfRange, Generated: f.Generated, Choice: choices[f.Choice],
		Cited: [2]int{f.CitedFirst, f.CitedSecond}, Made: [2]int{f.GeneratedFirst, f.GeneratedSecond},
	}}
}

// judge has one answer scored and the verdict recorded. Where there is no
// answer there is nothing to score, and the verdict says so.
func (r *runner) judge(ctx context.Context, v *verdictCell, a data.Answer, repeat int) {
	ctx = paidBy(ctx, store.Party{Kind: store.KindVerdict, Name: v.Judge})
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
	verdict = scoring.Settle(r.plan.rubric, verdict)
	file(r.record, verdict.Status, func(b store.Batch) error { return b.Verdict(verdict, d.calls) })
	v.outcome.new(verdict.Status)
	r.progress.finished(v.Judge, verdict.Status)
}

// takeExisting records the verdicts of a file on a cell's answers.
func (r *runner) takeExisting(v *verdictCell) error {
	for _, verdict := range v.judge.existing {
		if !v.cell.has(verdict.Answer) {
			continue
		}
		r.record.Put(func(b store.Batch) error { return b.Verdict(verdict, nil) })
		v.outcome.new(verdict.Status)
		r.progress.finished(v.Judge, verdict.Status)
	}
	return nil
}
