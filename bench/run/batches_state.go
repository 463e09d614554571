package run

import (
	"sync"

	"compqa/llm"
	"compqa/results/store"
)

// batchState keeps what batches left of their calls: those that must wait for another
// batch, and those that ended without a reply. Neither may be asked at the full price.
// A call counts for its party alone: another party may make it by itself.
type batchState struct {
	mu    sync.Mutex
	calls map[partyCall]batchOutcome
}

type partyCall struct {
	party store.Party
	key   string
}

type batchOutcome struct {
	reply llm.Reply
	err   error
}

// outcome is what a call that was to be in a batch ended as; false: it may be made.
func (s *batchState) outcome(party store.Party, key string) (llm.Reply, error, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	o, ended := s.calls[partyCall{party, key}]
	return o.reply, o.err, ended
}

func (s *batchState) put(party store.Party, key string, reply llm.Reply, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.calls == nil {
		s.calls = map[partyCall]batchOutcome{}
	}
	s.calls[partyCall{party, key}] = batchOutcome{reply, err}
}

// wait notes that a call waits for another batch.
func (s *batchState) wait(party store.Party, key string) {
	s.put(party, key, llm.Reply{}, &llm.Error{Kind: llm.Unavailable, Message: "it waits for another batch"})
}
