package run

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"

	"compqa/bench/config"
	"compqa/data"
	"compqa/llm"
	"compqa/results/store"
)

// A Replay is the Asker of a verification. It replies to requests with the calls that belong to a recorded result, and notes when another
// call is requested.
type Replay struct {
	Config  *config.Config
	Left    []store.Call // calls of the result that were not requested yet
	Strayed string       // describes the first request that is not on record; "": none
	// Find finds the calls of items that are not recorded as a result, such as rewritten answers. If it is nil, Left has the calls.
	Find func(key string) (store.Call, bool, error)

	mu     sync.Mutex
	round  int  // round of the result's sample numbers; above 0 after --retry-failed
	chosen bool // round is known
}

// Ask is an Asker: it returns the recorded reply to a request. Without a recorded reply, it returns an error.
func (s *Replay) Ask(_ context.Context, provider string, sample int, req llm.Request) (llm.Reply, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	call, found, err := s.call(provider, sample, req)
	if err != nil {
		return llm.Reply{}, err
	}
	if !found {
		return llm.Reply{}, &llm.Error{Kind: llm.Failed, Message: s.Strayed}
	}
	reply := llm.Reply{Text: call.Reply, Reasoning: call.Reasoning, Raw: call.Raw}
	if call.Status != data.Valid {
		return reply, &llm.Error{Kind: llm.Kind(call.Status)}
	}
	return reply, nil
}

// call returns the recorded call for a request. The first request of a result determines the round of its sample numbers: call tries the
// rounds in turn until one has a recorded call. Later requests must be of the same round.
func (s *Replay) call(provider string, sample int, req llm.Request) (call store.Call, found bool, err error) {
	wanted := ""
	for {
		asked := req
		repeat := sample + s.round*apart
		seeded(s.Config, repeat, &asked)
		key, err := asked.Key(repeat)
		if err != nil {
			return call, false, err
		}
		key = CallKey(s.Config.Providers[provider].Server(), key)
		if s.Find != nil {
			return s.Find(key)
		}
		if i := slices.IndexFunc(s.Left, func(c store.Call) bool { return c.Key == key }); i >= 0 && s.Strayed == "" {
			call = s.Left[i]
			s.chosen = true
			s.Left = slices.Delete(s.Left, i, i+1)
			return call, true, nil
		}
		wanted = cmp.Or(wanted, key)
		s.round++
		if s.chosen || len(s.Left) == 0 || s.round > mostRounds {
			s.chosen = true
			if s.Strayed == "" {
				s.Strayed = fmt.Sprintf("it needs the call %s, but different calls are recorded for it", wanted)
			}
			return call, false, nil
		}
	}
}
