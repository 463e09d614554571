package plan

import (
	"fmt"
	"testing"

	"compqa/bench/config"
	"compqa/results/store"
)

// TestSampleTakesScoredAnswersFirst: a sample takes all answers that people scored before others. Both groups are stratified.
func TestSampleTakesScoredAnswersFirst(t *testing.T) {
	p := &Plan{Config: &config.Config{}, Scored: map[string]bool{}}
	var cells []*Job
	for _, system := range []string{"a", "b"} {
		c := &Job{PlanCell: store.PlanCell{System: system, Scenario: "1"}}
		for i := range 50 {
			id := fmt.Sprintf("%s/%02d", system, i)
			c.IDs = append(c.IDs, id)
			p.Scored[id] = i%10 == 3
		}
		cells = append(cells, c)
	}
	for _, want := range []struct{ most, scored int }{{4, 4}, {10, 10}, {40, 10}, {200, 10}} {
		scored := 0
		all := 0
		for _, c := range cells {
			ids := c.among(p.sample(want.most, cells, p.Scored))
			if all += len(ids); len(ids) != min(want.most/2, 50) {
				t.Errorf("%d answers: %d of %s", want.most, len(ids), c.System)
			}
			for id := range ids {
				if p.Scored[id] {
					scored++
				}
			}
		}
		if scored != want.scored || all != min(want.most, 100) {
			t.Errorf("a sample of %d has %d answers, %d of them scored by people", want.most, all, scored)
		}
	}
}
