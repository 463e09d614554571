package report

import (
	"slices"
	"strings"
	"testing"

	"compqa/results/dataset"
	"compqa/results/recordtest"
)

// TestScenarioSection: by hand. System a has 1, 2, 3 under scenario 1 and 3, 4, 5 under scenario 2 by j, so 2 and 4; b, which has no
// points under scenario 2, would make it 3.5 under scenario 1, and the baseline 5. People scored a under both, and are half as
// generous. With one scenario there is nothing to compare.
func TestScenarioSection(t *testing.T) {
	kinds := map[string]string{"human": dataset.KindHuman}
	rows := []recordtest.Scored{recordtest.By("j", "a", "1", 1, 2, 3), recordtest.By("j", "a", "2", 3, 4, 5),
		recordtest.By("j", "b", "1", 5, 5, 5), recordtest.By("human", "a", "1", .5, 1, 1.5), recordtest.By("human", "a", "2", 1.5, 2, 2.5),
		recordtest.By("j", "base", "1", 5, 5, 5), recordtest.By("j", "base", "2", 0, 0, 0)}
	f := recordtest.Of(kinds, rows...)
	f.Systems[2].Kind, f.Config = dataset.KindBaseline, `{"headline":"j"}`
	report := computed(t, f)
	sections := report.scenarioSection()
	if len(sections) != 1 {
		t.Fatalf("%d sections; headline %q", len(sections), report.Headline)
	}
	table := sections[0].Table
	if !slices.Equal(table.Header, []string{"scenario", "points by j", "answers", "points by people", "answers"}) || len(table.Rows) != 2 {
		t.Fatalf("%v, %d rows", table.Header, len(table.Rows))
	}
	for i, want := range []string{"1 2.00 3 1.00 3", "2 4.00 3 2.00 3"} {
		var got []string
		for _, cell := range table.Rows[i] {
			got = append(got, strings.TrimSuffix(strings.Fields(cell.Text)[0], ","))
		}
		if strings.Join(got, " ") != want {
			t.Errorf("row %d: %v, want %s", i, got, want)
		}
	}
	if text := report.Front().Markdown(); !strings.Contains(text, "## Scenarios") {
		t.Error("report.md has no scenarios")
	}
	if s := computed(t, recordtest.Of(kinds, rows[0], rows[2], rows[3])).scenarioSection(); s != nil {
		t.Errorf("one scenario: %v", s)
	}
}
