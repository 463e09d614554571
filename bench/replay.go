package bench

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
	left    []archive.RecordedCall
	strayed string // what was asked that is not on record
	failed  bool   // a recorded call failed: it may have been made again since
}

func newReplay(c *config.Config, calls []archive.RecordedCall) *replay {
	return &replay{config: c, left: calls, failed: slices.ContainsFunc(calls, func(c archive.RecordedCall) bool { return c.Failed })}
}

func (s *replay) ask(_ context.Context, provider string, sample int, req llm.Request) (llm.Reply, error) {
	call, err := newCall(s.config, store.Party{}, provider, sample, &req)
	if err != nil {
		return llm.Reply{}, err
	}
	if s.strayed == "" && (len(s.left) == 0 || s.left[0].Key != call.Key) {
		s.strayed = fmt.Sprintf("it asks for the call %s, and the calls on record for it are others", call.Key)
	}
	if s.strayed != "" {
		return llm.Reply{}, &llm.Error{Kind: llm.Failed, Message: s.strayed}
	}
	next := s.left[0]
	s.left = s.left[1:]
	reply := llm.Reply{Text: next.Reply}
	if next.Status != data.Valid {
		return reply, &llm.Error{Kind: llm.Kind(next.Status)}
	}
	return reply, nil
}

// differs says how an item on record differs from what its calls give now, "" for not
// at all; whole texts have to be equal.
func (s *replay) differs(recorded archive.RecordedOutput, status data.Status, text string) string {
	switch {
	case s.strayed != "":
		return s.strayed
	case s.failed && (status != recorded.Status || len(s.left) > 0):
		return ""
	case status != recorded.Status:
		return fmt.Sprintf("on record %s, by its calls %s", recorded.Status, status)
	case len(s.left) > 0:
		return fmt.Sprintf("it rests on %d calls more than are made for it", len(s.left))
	case slices.Contains(archive.FromReply, status) && text != recorded.Text:
		return "its text is not what comes of it now"
	}
	return ""
}
