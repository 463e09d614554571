package summaries

import (
	"strings"

	"compqa/data"
	"compqa/results/dataset"
	"compqa/results/store"
	"compqa/results/table"
)

// A SpeedRow is how fast a system makes summaries. Seconds are those in which one of its calls
// was under way, at the given concurrency: pauses and calls in batches do not count.
type SpeedRow struct {
	System      string
	Valid       int
	Concurrency int // calls at once, at most
	Calls       int
	Tokens      int // prompt and reply
	Seconds     table.Figure
	Throughput  table.Figure // summaries a second
}

// speeds has a row for each system whose tables a model makes.
func (t *Tables) speeds() {
	for _, s := range t.systems {
		r := SpeedRow{System: s.Name, Concurrency: t.x.Declared.Run.Concurrency}
		t.each(r.System, func(_ int, s *dataset.Summary) {
			r.Valid += int(dataset.Indicator(s.Table != nil && len(s.Table.Rows) > 0))
		})
		for _, paid := range t.x.Costs {
			if paid.Kind == store.KindAnswer && paid.Name == r.System {
				r.Calls, r.Tokens = r.Calls+paid.Calls, r.Tokens+paid.Prompt+paid.Completion
			}
		}
		if seconds := t.x.Busy[r.System]; seconds > 0 {
			r.Seconds, r.Throughput = table.Number(seconds), table.Number(float64(r.Valid)/seconds)
		}
		if r.Calls > 0 {
			t.Speeds = append(t.Speeds, r)
		}
	}
}

// Failures are the labels that are not valid, by judge, system, scenario, status and reason.
func Failures(x *dataset.Dataset, each func(judge, system, scenario string, status data.Status, reason string, n int)) {
	present := map[store.CellKey]int{}
	for i, a := range x.Answers {
		if x.CellOf[i] < 0 {
			continue
		}
		a.EachLabel(func(kind, judge string, status data.Status, reason string) {
			present[store.CellKey{Kind: kind, Judge: judge, System: a.System, Scenario: a.Scenario}]++
			if status != data.Valid {
				each(judge, a.System, a.Scenario, status, kind+": "+reason, 1)
			}
		})
	}
	for _, c := range x.LabelPlan {
		status, n := data.Pending, c.Planned-present[c.Key()]
		if c.Note != "" {
			status = data.Skipped
		}
		if n > 0 {
			each(c.Judge, c.System, c.Scenario, status, strings.TrimSuffix(c.Kind+": "+c.Note, ": "), n)
		}
	}
}
