package compare_test

import (
	"testing"

	"compqa/results/compare"
	"compqa/results/dataset"
	"compqa/results/recordtest"
)

// By hand: in scenario 1 people give a 0, 2 (mean 1) and b 1, 3, 2 (mean 2); scenario 2 has one answer of b and does not count.
// The difference is b − a: 1. Points that rise by 1.5 on b alone raise it by as much.
func TestPeople(t *testing.T) {
	of := func(shift float64) []compare.Row {
		x := recordtest.Of(map[string]string{"human": dataset.KindHuman}, recordtest.By("human", "a", "1", 0, 2), recordtest.By("human", "a", "2", 5, 5), recordtest.By("human", "b", "1", 1+shift,
			3+shift, 2+shift), recordtest.By("human", "b", "2", 0), recordtest.By("j", "a", "1", 5, 5), recordtest.By("j", "b", "1", 1, 1)).Dataset(t)
		rows, err := compare.People(compare.Side{Dataset: x, System: "a"}, compare.Side{Dataset: x, System: "b"})
		if err != nil {
			t.Fatal(err)
		}
		return rows
	}
	rows := of(0)
	if len(rows) != 2 || rows[0].Criterion != "-" || rows[0].ValidA != 2 || rows[0].ValidB != 3 || rows[0].Questions != 3 {
		t.Fatalf("%+v", rows)
	}
	for i, shifted := range of(1.5) {
		recordtest.Near(t, "people's mean of a", rows[i].A, 1)
		recordtest.Near(t, "people's mean of b", rows[i].B, 2)
		recordtest.Near(t, "b minus a", rows[i].Difference, 1)
		recordtest.Near(t, "b raised by 1.5", shifted.Difference, 2.5)
	}
	none := recordtest.Of(map[string]string{"human": dataset.KindHuman}, recordtest.By("human", "a", "1", 1, 3), recordtest.By("human", "b", "2", 1, 3)).Dataset(t)
	rows, err := compare.People(compare.Side{Dataset: none, System: "a"}, compare.Side{Dataset: none, System: "b"})
	if err != nil || rows != nil {
		t.Errorf("no scenario of both: %+v, %v", rows, err)
	}
}
