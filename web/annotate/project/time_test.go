package project

import (
	"fmt"
	"testing"
	"time"
)

// TestTimeIsTheServers: an event's time is that since the page was sent or since the event before, at most ten minutes. The browser may
// claim less, but not more. If the page was never sent, the time is unknown.
func TestTimeIsTheServers(t *testing.T) {
	p := create(t, Settings{Seed: 1}, items(1, Overlap))
	now := time.Date(2026, 5, 1, 10, 0, 0, 0, time.UTC)
	p.Now = func() time.Time { return now }
	a := person(t, p, "a")
	blind, err := p.Next(a)
	if err != nil {
		t.Fatal(err)
	}
	before, _ := p.Changes()
	revision := 0
	for _, step := range []struct {
		shown          bool
		passes         time.Duration
		claims         int64
		active, server int64
	}{
		{false, time.Minute, 2000, 2000, 0},
		{true, 30 * time.Second, 20_000, 20_000, 30_000},
		{false, 5 * time.Second, 3600_000, 5000, 5000},
		{false, 24 * time.Hour, 3000, 3000, 600_000},
		{true, 0, 1000, 0, 1},
	} {
		if step.shown {
			if err := p.Shown(blind); err != nil {
				t.Fatal(err)
			}
		}
		now = now.Add(step.passes)
		stored, err := p.Append(a.ID, Event{Item: blind, Revision: revision, Kind: Draft, ActiveMS: step.claims, Nonce: fmt.Sprint(revision)})
		if err != nil || stored.ActiveMS != step.active || stored.ServerMS != step.server {
			t.Errorf("%+v: %d claimed, %d measured, %v", step, stored.ActiveMS, stored.ServerMS, err)
		}
		revision = stored.Revision
	}
	work, err := p.Work()
	if err != nil || work[0].Active != 30_000 || work[0].Server != 635_001 {
		t.Errorf("%+v, %v", work, err)
	}
	if after, _ := p.Changes(); after != before+5 {
		t.Errorf("%d changes, want 5", after-before)
	}
}
