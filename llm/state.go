package llm

import (
	"fmt"
	"strings"
	"time"
)

// State is what a Client is doing, for whoever watches it: nothing waits without
// saying for what.
type State struct {
	InFlight       int           // requests whose reply isn't complete
	Oldest         time.Duration // since the first of them was sent
	Waiting        int           // calls that are not under way: in the queue, or in a pause before another try
	Concurrency    int           // requests that may be under way at once, at present
	MaxConcurrency int           // and as configured
	WaitReason     string        // what holds the queue up beside places; "": nothing
	WaitLeft       time.Duration // how long that is yet to last at least; 0: unknown
}

// String is the state in a few words, "" when nothing is under way or waiting.
func (s State) String() string {
	if s.InFlight == 0 && s.Waiting == 0 {
		return ""
	}
	parts := []string{fmt.Sprintf("%d in flight", s.InFlight)}
	if s.Oldest >= quiet {
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
	return strings.Join(parts, ", ")
}

// quiet is how long a request may be under way before its age is told.
const quiet = 30 * time.Second
