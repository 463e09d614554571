package bench

import (
	"sync"

	"compqa/llm"
	"compqa/results/store"
)

// held keeps the calls that must wait for a batch, and outcomes what batches
// brought that is no reply: neither may be asked for at the full price.
type held struct {
	mu       sync.Mutex
	waiting  map[heldCall]bool
	outcomes map[heldCall]heldOutcome
}

// heldCall is a call by whoever makes it: somebody else may make it by itself.
type heldCall struct {
	who store.Party
	key string
}

type heldOutcome struct {
	reply llm.Reply
	err   error
}

// outcome is what a call that was to be in a batch ended as; false: it may be
// made.
func (h *held) outcome(who store.Party, key string) (llm.Reply, error, bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if o, ok := h.outcomes[heldCall{who, key}]; ok {
		return o.reply, o.err, true
	}
	if h.waiting[heldCall{who, key}] {
		return llm.Reply{}, &llm.Error{Kind: llm.Unavailable, Message: "it waits for a batch"}, true
	}
	return llm.Reply{}, nil, false
}

func (h *held) put(who store.Party, key string, reply llm.Reply, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.outcomes == nil {
		h.outcomes = map[heldCall]heldOutcome{}
	}
	h.outcomes[heldCall{who, key}] = heldOutcome{reply, err}
}

func (h *held) wait(who store.Party, key string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.waiting == nil {
		h.waiting = map[heldCall]bool{}
	}
	h.waiting[heldCall{who, key}] = true
}
