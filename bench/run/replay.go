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

// A Replay is the Asker of a verification. It answers what is asked with the calls that a recorded
// result names, and notes when something else is asked.
type Replay struct {
	Config  *config.Config
	Left    []store.Call // that have not been asked for
	Strayed string       // what was asked that is not on record
	// Find finds the call of something that is not recorded as a result, such as a rewritten answer; nil: the
	// calls has the calls of a result, in Left.
	Find func(key string) (store.Call, bool, error)

	mu     sync.Mutex
	round  int  // of its samples: more than 0 where it was asked for again
	chosen bool // the round is known
}

// Ask returns an Asker.
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

// call returns the recorded call that is asked for, with the samples of the round that the result was read from.
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
