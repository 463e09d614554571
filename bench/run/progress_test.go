package run

import (
	"strings"
	"testing"
	"time"
)

// TestTimeLeft: a run lasts as long as its slowest queue, at the rate of what is in
// it; what is done already says nothing of the rate.
func TestTimeLeft(t *testing.T) {
	started := time.Now().Add(-10 * time.Second)
	waited := []*Party{{Provider: "a", Planned: 26, new: 6, began: time.Now().Add(-6 * time.Second)}}            // of ten seconds
	if got := (&progress{parties: waited, started: started}).partyLines()[0]; !strings.HasSuffix(got, " 24 s") { // 20 at 5 in 6 s, not at 6 in 10 s
		t.Errorf("a party that waited four seconds: %q", got)
	}
	for _, c := range []struct {
		name    string
		parties []*Party
		want    time.Duration
	}{
		{"nothing planned", nil, 0},
		{"nothing done yet", []*Party{{Planned: 10}}, 0},
		{"everything done", []*Party{{Planned: 10, new: 10}}, 0},
		{"one queue", []*Party{{Provider: "a", Planned: 30, new: 10}}, 20 * time.Second},
		{"two in a queue", []*Party{{Provider: "a", Planned: 10, new: 10}, {Provider: "a", Planned: 40, new: 0}}, 40 * time.Second},
		{"two in a queue, one slower", []*Party{{Provider: "a", Planned: 20, new: 10}, {Provider: "a", Planned: 40, new: 5}}, 70 * time.Second},
		{"two queues", []*Party{{Provider: "a", Planned: 20, new: 10}, {Provider: "b", Planned: 60, new: 10}}, 50 * time.Second},
		{"one has not begun", []*Party{{Provider: "a", Planned: 20, new: 10}, {Provider: "b", Planned: 60}}, 0},
		{"some on record", []*Party{{Provider: "a", Planned: 100, old: 80, new: 10}}, 10 * time.Second},
	} {
		p := &progress{parties: c.parties}
		if got := p.timeLeft(10); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}
