package bench

import (
	"testing"
	"time"
)

// TestTimeLeft: a run lasts as long as its slowest queue, at the rate of what is in
// it; what is done already says nothing of the rate.
func TestTimeLeft(t *testing.T) {
	for _, c := range []struct {
		name    string
		parties []*party
		want    time.Duration
	}{
		{"nothing planned", nil, 0},
		{"nothing done yet", []*party{{planned: 10}}, 0},
		{"everything done", []*party{{planned: 10, new: 10}}, 0},
		{"one queue", []*party{{provider: "a", planned: 30, new: 10}}, 20 * time.Second},
		{"two in a queue", []*party{{provider: "a", planned: 10, new: 10}, {provider: "a", planned: 40, new: 0}}, 40 * time.Second},
		{"two queues", []*party{{provider: "a", planned: 20, new: 10}, {provider: "b", planned: 60, new: 10}}, 50 * time.Second},
		{"one has not begun", []*party{{provider: "a", planned: 20, new: 10}, {provider: "b", planned: 60}}, 0},
		{"some on record", []*party{{provider: "a", planned: 100, old: 80, new: 10}}, 10 * time.Second},
	} {
		p := &progress{parties: c.parties}
		if got := p.timeLeft(10); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}
