package dataset_test

import (
	"math"
	"testing"

	"compqa/data"
	"compqa/results/dataset"
	"compqa/results/recordtest"
	"compqa/stats"
)

// If every question is in every scenario, the interval over scenarios is that of the questions' means over scenarios. Otherwise, by
// hand for 1, 2, 3 and 2, 4: the residuals by question, over 2·n_s, are -5/12, 3/12 and 2/12, so CR1² = 3/2 · 38/144.
func TestOverScenarios(t *testing.T) {
	var c dataset.Calculator
	balanced := c.OverScenarios([][]float64{{1, 2, 3}, {2, 4, 1}})
	got, err := stats.MeanInterval(balanced, []int{0, 1, 2, 0, 1, 2}, dataset.Confidence)
	if err != nil {
		t.Fatal(err)
	}
	want, err := stats.MeanInterval([]float64{1.5, 3, 2}, nil, dataset.Confidence)
	if err != nil {
		t.Fatal(err)
	}
	recordtest.Near(t, "the mean", stats.Number(got.Value), want.Value)
	recordtest.Near(t, "the lower bound", stats.Number(got.Low), want.Low)
	se, err := stats.StandardErrors(c.OverScenarios([][]float64{{1, 2, 3}, {2, 4}}), []int{0, 1, 2, 0, 1})
	if err != nil {
		t.Fatal(err)
	}
	recordtest.Near(t, "the mean of unequal scenarios", stats.Number(se.Mean), 2.5)
	recordtest.Near(t, "its standard error", stats.Number(se.CR1), math.Sqrt(57)/12)
	if c.OverScenarios([][]float64{{1, 2}, {3}}) != nil || c.OverScenarios(nil) != nil {
		t.Error("an interval where a scenario has one total, or none")
	}
}

func TestCompareScenarios(t *testing.T) {
	order := []string{"1", "2", "10", "a", "mine", data.NoScenario}
	for i, a := range order {
		for k, b := range order {
			if got := dataset.CompareScenarios(a, b); got < 0 != (i < k) || got == 0 != (i == k) {
				t.Errorf("%s against %s gives %d", a, b, got)
			}
		}
	}
}
