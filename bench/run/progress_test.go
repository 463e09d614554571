package run

import (
	"testing"
	"time"
)

// TestTimeLeft: a run lasts as long as its slowest queue, at the rate of what is in
// it; what is done already says nothing of the rate.
func TestTimeLeft(t *testing.T) {
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
