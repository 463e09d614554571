package judgequality_test

import (
	"strings"
	"testing"

	"compqa/results/dataset"
	"compqa/results/judgequality"
	"compqa/results/recordtest"
	"compqa/results/table"
)

// TestRankings has people who order four systems d, c, b, a, a point apart on every question. A judge that swaps a and b has 5 of 6 pairs
// right: tau is (5 - 1) / 6 in every resample, and the swap is clear by both raters. A judge with people's order has tau 1.
func TestRankings(t *testing.T) {
	var rows []recordtest.Scored
	for i, system := range []string{"a", "b", "c", "d"} {
		points := func(level int) (all []float64) {
			for q := range 12 {
				all = append(all, float64(level)+float64((q+i)%3)/2)
			}
			return all
		}
		rows = append(rows, recordtest.By("human", system, "1", points(i)...), recordtest.By("same", system, "1", points(i)...),
			recordtest.By("swaps", system, "1", points([]int{1, 0, 2, 3}[i])...))
	}
	x := recordtest.Of(map[string]string{"human": dataset.KindHuman}, rows...)
	x.Rubric.Step = 0.5
	tables := computed(t, x)
	for judge, want := range map[string]struct {
		tau  float64
		text string
	}{
		"same":  {1, "same puts the systems in people's order (Kendall's tau 1.00"},
		"swaps": {4. / 6, "swaps has people's order in 5 of 6 pairs of systems (Kendall's tau 0.67"},
	} {
		recordtest.Near(t, judge, judgeRow(t, tables, judge).TauPeople, want.tau)
		if text := finding(tables, judge).Text; !strings.HasPrefix(text, want.text) {
			t.Error(text)
		}
	}
	if text := finding(tables, "swaps").Text; !strings.HasSuffix(text, "swapped: a above b; 1 swap is clear by both.") {
		t.Error(text)
	}
	if f := finding(tables, "judges"); f.Text != "Both judges put d first and c second; people put d first and c second." {
		t.Error(f.Text)
	}
}

func finding(tables *judgequality.Tables, subject string) table.Finding {
	return table.First(tables.OrderFindings(), func(f table.Finding) bool { return f.Subject == subject })
}
