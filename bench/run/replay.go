package run

import (
	"context"
	"fmt"
	"slices"

	"compqa/bench/config"
	"compqa/data"
	"compqa/llm"
	"compqa/results/archive"
	"compqa/results/store"
)

// A replay is the Asker of a verification: it answers what is asked with the calls on
// record of an item, in their order, and notes when something else is asked.
type replay struct {
	config  *config.Config
	Left    []archive.RecordedCall
	Strayed string // what was asked that is not on record
	round   int    // of its samples: more than 0 where it was asked for again
	chosen  bool   // the round is known
}

func NewReplay(c *config.Config, calls []archive.RecordedCall) *replay {
	return &replay{config: c, Left: calls}
}

func (s *replay) Ask(_ context.Context, provider string, sample int, req llm.Request) (llm.Reply, error) {
	call, err := s.call(provider, sample, req)
	if err != nil {
		return llm.Reply{}, err
	}
	if s.Strayed == "" && (len(s.Left) == 0 || s.Left[0].Key != call.Key) {
		s.Strayed = fmt.Sprintf("it needs the call %s, but different calls are recorded for it", call.Key)
	}
	if s.Strayed != "" {
		return llm.Reply{}, &llm.Error{Kind: llm.Failed, Message: s.Strayed}
	}
	next := s.Left[0]
	s.Left = s.Left[1:]
	reply := llm.Reply{Text: next.Reply, Raw: next.Raw}
	if next.Status != data.Valid {
		return reply, &llm.Error{Kind: llm.Kind(next.Status)}
	}
	return reply, nil
}

// call is the call that is asked for, with the samples of the round that the item was read from.
func (s *replay) call(provider string, sample int, req llm.Request) (store.Call, error) {
	for {
		asked := req
		call, err := newCall(s.config, store.Party{}, provider, sample+s.round*apart, &asked)
		if err != nil || s.chosen || len(s.Left) == 0 || call.Key == s.Left[0].Key {
			s.chosen = true
			return call, err
		}
		if s.round++; s.round > mostRounds {
			s.round, s.chosen = 0, true
		}
	}
}

// Differs describes how a recorded item differs from the result of its calls; "" if it
// does not. Whole texts must be equal.
func (s *replay) Differs(recorded archive.RecordedOutput, status data.Status, text string) string {
	switch {
	case s.Strayed != "":
		return s.Strayed
	case status != recorded.Status:
		return fmt.Sprintf("recorded as %s, but its calls give %s", recorded.Status, status)
	case len(s.Left) > 0:
		return fmt.Sprintf("it has %d more calls than are made for it", len(s.Left))
	case slices.Contains(archive.FromReply, status) && text != recorded.Text:
		return "its text differs from the one computed from its calls"
	}
	return ""
}
