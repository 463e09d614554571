package run

import (
	"strings"
	"testing"
	"time"

	"compqa/llm/limits"
)

// TestTimeLeft: a run lasts as long as its slowest queue, at the rate of the queue's new results. Results that were on record before do not
// count for the rate.
func TestTimeLeft(t *testing.T) {
	started := time.Now().Add(-100 * time.Second)
	waited := []*Party{{Provider: "a", Planned: 26, new: 6, began: time.Now().Add(-6 * time.Second)}}            // of 100 seconds
	if got := (&progress{parties: waited, started: started}).partyLines()[0]; !strings.HasSuffix(got, " 24 s") { // 20, at 5 in 6 s
		t.Errorf("a party that waited 94 seconds: %q", got)
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

// TestPartyLines: the counts are aligned behind the names. Names have at most 24 columns, and different names stay different. In the first
// minute nothing is estimated. A party that is done keeps its rate.
func TestPartyLines(t *testing.T) {
	const long = "a-model-with-a-long-name-and-"
	lines := func(elapsed time.Duration) []string {
		started := time.Now().Add(-elapsed)
		p := &progress{started: started, unit: "results", budgets: Budgets{"": limits.NewBudget("", 0, 0)}, parties: []*Party{
			{Name: "short", Provider: Offline, Planned: 20, new: 20, began: started, latest: started.Add(4 * time.Second)},
			{Name: long + "one", Provider: "a", Planned: 200, new: int(elapsed.Seconds()), began: started, latest: time.Now()},
			{Name: long + "two", Provider: "a", Planned: 5, old: 5}}}
		return append(p.partyLines(), p.totals())
	}
	for _, c := range []struct {
		elapsed time.Duration
		want    []string
	}{
		{30 * time.Second, []string{
			"short                      20/20      5.0/s  done",
			"a-model-wit…name-and-one   30/200     1.0/s  estimating",
			"a-model-wit…name-and-two    5/5           -  done",
			"55 of 225 results, 1.0/s asked and 0.7/s without a model, estimating"}},
		{100 * time.Second, []string{
			"short                      20/20      5.0/s  done",
			"a-model-wit…name-and-one  100/200     1.0/s  2 min",
			"a-model-wit…name-and-two    5/5           -  done",
			"125 of 225 results, 1.0/s asked and 0.2/s without a model, 1m40s left"}},
	} {
		for i, line := range lines(c.elapsed) {
			if line != c.want[i] {
				t.Errorf("after %s:\n%q, want\n%q", c.elapsed, line, c.want[i])
			}
		}
	}
}
