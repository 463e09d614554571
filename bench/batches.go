package bench

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"compqa/llm"
	"compqa/results/store"
)

// Models and judges with batch: true have their calls answered in batches before
// their items are worked on: the replies go on record under the calls' keys, and
// the items then find them there. So batches need no way of their own through a
// run, and what becomes of a reply is the same.
//
// What a batch has no time for goes into another one, as long as each gets
// somewhere; so do the repairs of a judge, which only its replies make known.
// What fails in a batch for a passing reason (429, 500) is asked by itself, at the
// full price. What no batch has come to (no money, a batch that failed as a whole,
// one that was cancelled) stays pending: nobody asked for it to be paid in full.

// batchPoll is how often a batch is looked after.
const batchPoll = 30 * time.Second

// A batching is the batches of one model or judge in a run.
type batching struct {
	*runner
	who    store.Party
	lane   string
	model  string
	client llm.Batcher
	// list calls each for every call that is to be made and not on record.
	list func(each func(asked) error) error

	owed   map[string]bool // keys of calls in batches that are not collected
	single map[string]bool // keys of calls that are to be asked one by one
}

// batchAnswers has the calls of a model's cells answered in batches.
func (r *runner) batchAnswers(ctx context.Context, cells []*answerCell) error {
	s := cells[0].system
	who := store.Party{Kind: store.KindAnswer, Name: s.Name}
	return r.inBatches(ctx, who, s.lane, s.model, func(a *ahead, each func(asked) error) error {
		for _, cell := range cells {
			if r.settled(cell.PlanCell, cell.outcome) {
				continue
			}
			if _, err := a.answers(ctx, cell, each); err != nil {
				return err
			}
		}
		return nil
	})
}

// batchVerdicts does so for a judge, whose answers are all there.
func (r *runner) batchVerdicts(ctx context.Context, cells []*verdictCell) error {
	j := cells[0].judge
	who := store.Party{Kind: store.KindVerdict, Name: j.Name}
	return r.inBatches(ctx, who, j.lane, j.model, func(a *ahead, each func(asked) error) error {
		for _, v := range cells {
			if v.cell.outcome.fresh.Load() == 0 && r.settled(v.PlanCell, v.outcome) {
				continue
			}
			if _, _, err := a.verdicts(ctx, v, each); err != nil {
				return err
			}
		}
		return nil
	})
}

// batchReady has a judge's calls answered in batches when all its cells are
// ready, and leaves the cells ready.
func (r *runner) batchReady(ctx context.Context, cells []*verdictCell, ready chan *verdictCell) error {
	for i := range cells {
		cells[i] = <-ready
	}
	err := r.batchVerdicts(ctx, cells)
	for _, v := range cells {
		ready <- v
	}
	return err
}

func (r *runner) inBatches(ctx context.Context, who store.Party, lane, model string, list func(*ahead, func(asked) error) error) error {
	a, err := newAhead(r.plan, r.store, r.retry)
	if err != nil {
		return err
	}
	a.found = r.recorded
	b := &batching{runner: r, who: who, lane: lane, model: model, client: r.clients[lane].(llm.Batcher), owed: map[string]bool{}, single: map[string]bool{},
		list: func(each func(asked) error) error { return list(a, each) }}
	if err := b.work(ctx); err != nil {
		return errors.Join(fmt.Errorf("batches of %s: %w", who.Name, err), b.hold("see above"))
	}
	return nil
}

// work takes up the batches that an earlier run left, and submits new ones until
// everything is answered or no batch gets further.
func (b *batching) work(ctx context.Context) error {
	open, err := b.store.OpenBatches(b.who)
	if err != nil {
		return err
	}
	for _, p := range open {
		b.client.SetAside(p.Aside)
		for _, key := range p.Keys {
			b.owed[key] = true
		}
	}
	stuck := ""
	for {
		more, halt, err := b.submit(ctx)
		if err != nil {
			return err
		}
		open = append(open, more...)
		if len(open) == 0 || b.stopped(ctx) {
			stuck = halt
			break
		}
		further := false
		for _, p := range open {
			answered, why, err := b.bring(ctx, p)
			if err != nil || b.stopped(ctx) {
				return err
			}
			further = further || answered > 0
			stuck = why
		}
		open = nil
		if !further {
			break
		}
	}
	if b.stopped(ctx) {
		return nil
	}
	return b.hold(stuck)
}

// hold leaves what no batch has answered for a later run, and says why.
func (b *batching) hold(why string) error {
	n := 0
	err := b.list(func(x asked) error {
		if _, _, settled := b.held.outcome(b.who, x.call.Key); !settled && !b.single[x.call.Key] {
			b.held.wait(b.who, x.call.Key)
			n++
		}
		return nil
	})
	if n > 0 {
		b.left.note(fmt.Sprintf("%s of %s wait for another batch (%s); the same command takes them up again", counted(n, "call", "calls"), b.who.Name, why))
	}
	return err
}

// submit hands over what is to be asked, batch by batch, and returns the batches;
// halt says why not all of it could be.
func (b *batching) submit(ctx context.Context) (made []store.ProviderBatch, halt string, err error) {
	var calls []store.Call
	var asks []llm.BatchAsk
	size, aside := 0, 0.0
	flush := func() error {
		if len(calls) == 0 {
			return nil
		}
		p, err := b.handOver(ctx, calls, asks, aside)
		if err == nil {
			made = append(made, p)
		}
		calls, asks, size, aside = nil, nil, 0, 0
		return err
	}
	seen := map[string]bool{}
	err = b.list(func(x asked) error {
		key := x.call.Key
		if _, _, settled := b.held.outcome(b.who, key); settled || seen[key] || b.owed[key] || b.single[key] || b.stopped(ctx) || halt != "" {
			return nil
		}
		seen[key] = true
		ask, worth := llm.BatchAsk{ID: key, Request: x.request}, b.client.Worth(x.request)
		if aside+worth > b.client.Room() {
			halt = "the budget does not cover it, " + b.plan.till.sums() + " spent"
			return nil
		}
		if len(asks) == llm.MostInBatch || size+ask.Size() > llm.MostOfABatch {
			if err := flush(); err != nil {
				return err
			}
		}
		calls, asks, size, aside = append(calls, x.call), append(asks, ask), size+ask.Size(), aside+worth
		return nil
	})
	if err == nil && !b.stopped(ctx) {
		err = flush()
	}
	var refused *llm.Error
	if errors.As(err, &refused) { // the others that were made are waited for all the same
		return made, refused.Error(), nil
	}
	return made, halt, err
}

// handOver records a batch, then submits it: a batch that got lost in between is
// found by its label.
func (b *batching) handOver(ctx context.Context, calls []store.Call, asks []llm.BatchAsk, aside float64) (store.ProviderBatch, error) {
	now := time.Now()
	p := store.ProviderBatch{Provider: b.lane, Model: b.model, Payer: b.who, Status: store.BatchSubmitting, Submitted: now, Aside: aside}
	for _, c := range calls {
		p.Keys = append(p.Keys, c.Key)
	}
	p.Label = hashOf(b.lane, now.UnixNano(), p.Keys)[:32]
	if err := b.record.Keep(func(w store.Batch) error { return w.NewBatch(p, calls) }); err != nil {
		return p, err
	}
	b.client.SetAside(aside)
	batch, err := b.client.Submit(ctx, p.Label, asks)
	if err != nil {
		b.client.Settle(aside, 0)
		var e *llm.Error
		if errors.As(err, &e) && e.HTTPStatus >= 400 && e.HTTPStatus < 500 { // it was not made, for sure
			err = errors.Join(err, b.mark(p.Label, "", store.BatchCollected))
		}
		return p, err
	}
	for _, key := range p.Keys {
		b.owed[key] = true
	}
	p.ID, p.Status = batch.ID, batch.Status
	return p, b.mark(p.Label, p.ID, p.Status)
}

func (b *batching) mark(label, id, status string) error {
	return b.record.Keep(func(w store.Batch) error { return w.SetBatch(label, id, status) })
}

// groups are the cells of each provider, and those of each model that is asked in
// batches by themselves, since they come when they come.
func groups(cells []*answerCell) [][]*answerCell {
	by := map[string][]*answerCell{}
	for _, cell := range cells {
		name := cell.system.lane
		if cell.system.batch {
			name += "\x00" + cell.System
		}
		by[name] = append(by[name], cell)
	}
	return slices.Collect(maps.Values(by))
}
