package llm

import (
	"fmt"
	"strings"
	"time"
)

// State is what a Client is doing, for whoever watches it: nothing waits without
// saying for what.
type State struct {
	UnderWay int           // requests whose reply isn't complete
	Oldest   time.Duration // since the first of them was sent
	Waiting  int           // calls that are not under way: in the queue, or in a pause before another try
	AtOnce   int           // requests that may be under way at once, at present
	Declared int           // and as configured
	Why      string        // what holds the queue up beside places; "": nothing
	For      time.Duration // how long that is yet to last at least; 0: unknown
}

// String is the state in a few words, "" when nothing is under way or waiting.
func (s State) String() string {
	if s.UnderWay == 0 && s.Waiting == 0 {
		return ""
	}
	parts := []string{fmt.Sprintf("%d in flight", s.UnderWay)}
	if s.Oldest >= quiet {
		parts[0] += fmt.Sprintf(", the oldest for %s", s.Oldest.Round(time.Second))
	}
	if s.AtOnce < s.Declared {
		parts = append(parts, fmt.Sprintf("%d of %d at once", s.AtOnce, s.Declared))
	}
	switch {
	case s.Waiting > 0 && s.Why != "" && s.For > 0:
		parts = append(parts, fmt.Sprintf("%d waiting another %s: %s", s.Waiting, max(time.Second, s.For.Round(time.Second)), s.Why))
	case s.Waiting > 0 && s.Why != "":
		parts = append(parts, fmt.Sprintf("%d waiting: %s", s.Waiting, s.Why))
	case s.Waiting > 0:
		parts = append(parts, fmt.Sprintf("%d waiting", s.Waiting))
	}
	return strings.Join(parts, ", ")
}

// quiet is how long a request may be under way before its age is told.
const quiet = 30 * time.Second
