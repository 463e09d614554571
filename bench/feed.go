package bench

import (
	"context"
	"fmt"
	"sync"

	"compqa/data"
	"compqa/results/store"
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
				if r.settled(cell.PlanCell, cell.outcome) {
					r.progress.recorded(cell.System, cell.Planned)
					done(cell)
					continue
				}
				if err := r.feedCell(ctx, cell, &pending); err != nil {
					failures <- err
				}
				feeders.Go(func() {
					pending.Wait()
					r.settle(cell.PlanCell, cell.outcome)
					r.record.Sync()
					done(cell)
				})
			}
		})
	}
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
func (r *runner) reopen(c store.PlanCell) func() {
	return sync.OnceFunc(func() {
		r.record.Put(func(b store.Batch) error { return b.Reopen(c.Key()) })
	})
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
				if v.cell.outcome.fresh.Load() == 0 && r.settled(v.PlanCell, v.outcome) {
					r.progress.recorded(v.Judge, v.Planned)
					continue
				}
				var pending sync.WaitGroup
				if err := r.feedVerdictCell(ctx, v, &pending); err != nil {
					failures <- err
				}
				feeders.Go(func() {
					pending.Wait()
					r.settle(v.PlanCell, v.outcome)
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
	var recorded map[store.VerdictKey]data.Status
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
			status, ok := recorded[store.VerdictKey{Answer: a.ID, Repeat: repeat}]
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
