package fleet

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"

	"compqa/llm"
	"compqa/llm/client"
	"compqa/llm/limits"
)

// A member is the client of a provider whose calls workers make.
type member struct {
	*Queue
	p             llm.Provider
	queue         string
	hooks         client.Hooks
	costs         *limits.Costs
	firstRequests limits.Turns        // by model, under a budget
	replied       sync.Map            // models that have replied
	slots         *semaphore.Weighted // limits a run's calls in the queue to its concurrency, so that runs share the workers
	adaptations   []llm.Adaptation    // guarded by Queue.mu
}

// Client returns the client of a provider whose calls workers make. The queue has only the provider's name; workers have its address and
// key in their own configuration. The client uses only the hooks Price, Budgets, Known and Learned.
func (q *Queue) Client(ctx context.Context, p llm.Provider, hooks client.Hooks) (client.Client, error) {
	p = p.WithDefaults()
	m := &member{Queue: q, p: p, queue: queueOf(p.Name, q.version), hooks: hooks, costs: limits.NewCosts(hooks.Price, hooks.Budgets),
		slots: semaphore.NewWeighted(int64(p.Concurrency * len(p.Servers()))), adaptations: slices.Clone(hooks.KnownAdaptations)}
	_, err := q.pool.Exec(ctx, `INSERT INTO fleet_providers (queue, name, version) VALUES ($1, $2, $3) ON CONFLICT (queue) DO UPDATE
		SET used = now()`,
		m.queue, p.Name, q.version)
	if err != nil {
		return nil, fault(err)
	}
	return m, nil
}

// Models returns nil, because only the workers reach the server.
func (m *member) Models(context.Context) ([]string, error) { return nil, nil }

// Chat makes a call through the queue. It reserves the most that the call may cost, and charges what the worker's attempts cost.
func (m *member) Chat(ctx context.Context, req llm.Request) (llm.Reply, error) {
	if err := req.Check(); err != nil {
		return llm.Reply{}, err
	}
	if _, limited := llm.ReplyLimit(req.Options); !limited && m.costs.Budgets.Limited() {
		// Many long replies at once could exceed the budget, so the first call goes alone and shows how long they are.
		leave, err := m.firstRequests.Take(ctx, req.Model, func() bool { _, replied := m.replied.Load(req.Model); return replied })
		if err != nil {
			return llm.Reply{}, m.completeError(err, req)
		}
		defer leave()
		defer m.replied.Store(req.Model, true)
	}
	reserved := m.costs.MaxCost(req)
	if err := m.costs.Budgets.Reserve(ctx, reserved); err != nil {
		return llm.Reply{}, m.completeError(err, req)
	}
	w, err := m.ask(ctx, req)
	cost := 0.0
	for _, a := range w.Reply.Attempts {
		cost += llm.ValueOr(a.Cost, 0)
		m.costs.Observe(req, a.Usage)
	}
	m.costs.Budgets.Settle(reserved, cost)
	if err == nil && w.Error != nil {
		err = w.Error
	}
	if err != nil {
		err = m.completeError(err, req)
	}
	for _, a := range w.Learned {
		m.learn(a)
	}
	return w.Reply, err
}

// learn passes on what a worker learnt about a model, if it is new.
func (m *member) learn(a llm.Adaptation) {
	m.mu.Lock()
	fresh := !slices.Contains(m.adaptations, a)
	if fresh {
		m.adaptations = append(m.adaptations, a)
	}
	m.mu.Unlock()
	if fresh && m.hooks.OnAdaptation != nil {
		m.hooks.OnAdaptation(a)
	}
}

// completeError completes an error with the provider and the model.
func (m *member) completeError(err error, req llm.Request) error {
	e := llm.AsError(err)
	e.Provider = m.p.Label()
	e.Model = req.Model
	return e
}

// ask puts a call into the queue and waits for its reply.
func (m *member) ask(ctx context.Context, req llm.Request) (wireReply, error) {
	key, _ := ctx.Value(keyOf{}).(string)
	if key == "" {
		return wireReply{}, llm.Errorf(llm.Misconfigured, "a call of the fleet needs a key")
	}
	wire := wireRequest{Request: req}
	if price, known := m.costs.Price(req.Model); known {
		wire.Price = &price
	}
	m.mu.Lock()
	wire.Known = ofModel(m.adaptations, req.Model)
	m.mu.Unlock()
	text, err := json.Marshal(wire)
	if err != nil {
		return wireReply{}, llm.Errorf(llm.Misconfigured, "%s", err)
	}
	sealed := m.sealer.seal(sealedCall, m.run, key, m.queue, text)
	if m.slots.Acquire(ctx, 1) != nil {
		return wireReply{}, llm.ContextError(ctx)
	}
	defer m.slots.Release(1)
	w := &waiting{args: jobArgs{Run: m.run, Key: key, Sealed: sealed}, member: m, reply: make(chan wireReply, 1), since: time.Now()}
	m.mu.Lock()
	m.waits[key] = w
	m.mu.Unlock()
	defer func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		if m.waits[key] == w {
			delete(m.waits, key)
		}
	}()
	for submit := m.submit; ; submit = nil { // submits the call only once
		select {
		case submit <- w:
		case reply := <-w.reply:
			return reply, reply.check(req)
		case <-ctx.Done(): // the reply stays in the database for the next run
			return wireReply{}, llm.ContextError(ctx)
		}
	}
}

// State describes the calls in the queue, and the workers that take them.
func (m *member) State() llm.State {
	m.mu.Lock()
	defer m.mu.Unlock()
	s := llm.State{Concurrency: m.p.Concurrency, MaxConcurrency: m.p.Concurrency}
	for _, w := range m.waits {
		if w.member == m {
			s.InFlight++
			s.Oldest = max(s.Oldest, time.Since(w.since))
		}
	}
	switch workers := m.workers[m.queue]; {
	case s.InFlight == 0:
	case m.broken != "":
		s.Note = "the queue's database does not answer"
	case workers == 0:
		s.Note = "no worker takes its calls: start `compqa fleet worker --queue URL --config FILE` with this provider in FILE"
	case workers == 1:
		s.Note = "1 worker"
	default:
		s.Note = fmt.Sprintf("%d workers", workers)
	}
	return s
}
