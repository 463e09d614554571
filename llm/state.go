package llm

import (
	"fmt"
	"strings"
	"time"
)

// State describes what a client is doing. Every wait has a reason.
type State struct {
	InFlight       int           // requests without a complete reply
	Oldest         time.Duration // age of the oldest request in flight
	Waiting        int           // calls not in flight: in the queue, or in a pause before a retry
	Concurrency    int           // requests that may be in flight at once now
	MaxConcurrency int           // the configured concurrency
	WaitReason     string        // why the queue waits, if not for concurrency; "": no other reason
	Note           string        // about servers that are down, if there are several; "": none
	WaitLeft       time.Duration // minimum time that the wait still takes; 0: unknown
}

// String describes the state in a few words. It returns Note if nothing is in flight or waiting.
func (s State) String() string {
	if s.InFlight == 0 && s.Waiting == 0 {
		return s.Note
	}
	parts := []string{fmt.Sprintf("%d in flight", s.InFlight)}
	if s.Oldest >= oldestShown {
		parts[0] += fmt.Sprintf(", the oldest for %s", s.Oldest.Round(time.Second))
	}
	if s.Concurrency < s.MaxConcurrency {
		parts = append(parts, fmt.Sprintf("%d of %d at once", s.Concurrency, s.MaxConcurrency))
	}
	switch {
	case s.Waiting > 0 && s.WaitReason != "" && s.WaitLeft > 0:
		parts = append(parts, fmt.Sprintf("%d waiting another %s: %s", s.Waiting, max(time.Second, s.WaitLeft.Round(time.Second)), s.WaitReason))
	case s.Waiting > 0 && s.WaitReason != "":
		parts = append(parts, fmt.Sprintf("%d waiting: %s", s.Waiting, s.WaitReason))
	case s.Waiting > 0:
		parts = append(parts, fmt.Sprintf("%d waiting", s.Waiting))
	}
	if s.Note != "" {
		parts = append(parts, s.Note)
	}
	return strings.Join(parts, ", ")
}

// oldestShown is the age from which String mentions the oldest request.
const oldestShown = 30 * time.Second
