package data

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
)

// TestRatings checks that added ratings are returned unchanged after other ratings were changed, renamed or deleted. A failed rating has no
// value.
func TestRatings(t *testing.T) {
	t.Parallel()
	clear := &Measured{ID: "clear"}
	ann := Series{&Rater{Name: "ann"}, clear}
	ben := Series{&Rater{Name: "ben"}, clear}
	want := []Rating{{Series: ann, Item: 3, Line: 2, Value: "4"}, {Series: ben, Item: 1, Line: 3, Failed: true, Reason: "refused"},
		{Series: ben, Item: 1, Line: 3, Value: "4", Reason: "refused"}, {Series: ann, Line: 4},
		{Series: ann, Item: 2, Line: 5, Value: "no", Reason: "so"}}
	var j Judgements
	for _, r := range want {
		j.Add(r)
	}
	check := func(what string, want []Rating, series ...Series) {
		t.Helper()
		var got []Rating
		for _, r := range j.All() {
			got = append(got, r)
		}
		if !reflect.DeepEqual(got, want) || !reflect.DeepEqual(j.Series(), series) || j.Len() != len(want) {
			t.Errorf("%s: %+v of %v, want %+v", what, got, j.Series(), want)
		}
	}
	check("added", want, ann, ben)
	want[1].Failed = false
	want[1].Value = "5"
	want[4].Value = ""
	want[4].Failed = true
	want[3].Reason = "late"
	want[4].Reason = ""
	for _, row := range []int{1, 3, 4} {
		j.Set(RowPlace{Row: row}, want[row])
	}
	check("changed", want, ann, ben)
	j.Delete(func(r Rating) bool { return r.Item == 3 })
	check("deleted", want[1:], ann, ben)
	j.Rename(func(Rater) Rater { return Rater{Name: "ann"} }, func(m Measured) Measured { return m })
	for i := range want {
		want[i].Series = ann
	}
	check("renamed", want[1:], ann)
}

// TestAppendedRatings checks that appended judgements keep their values, raters and reasons, and that their items follow the earlier items.
func TestAppendedRatings(t *testing.T) {
	t.Parallel()
	clear := &Measured{ID: "clear"}
	short := &Measured{ID: "short"}
	ann := &Rater{Name: "ann"}
	ben := &Rater{Name: "ben"}
	var all, more Judgements
	all.Add(Rating{Series: Series{ann, clear}, Value: "4", Reason: "so"})
	more.Add(Rating{Series: Series{ben, short}, Value: "no"})
	more.Add(Rating{Series: Series{ben, clear}, Item: 1, Failed: true, Reason: "refused"})
	more.Add(Rating{Series: Series{ann, clear}, Item: 1, Value: "5"})
	all.Append(&more, 2)
	want := []Rating{{Series: Series{ann, clear}, Value: "4", Reason: "so"},
		{Series: Series{ben, clear}, Item: 3, Failed: true, Reason: "refused"}, {Series: Series{ann, clear}, Item: 3, Value: "5"},
		{Series: Series{ben, short}, Item: 2, Value: "no"}}
	var got []Rating
	for _, r := range all.All() {
		got = append(got, r)
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// TestEachFirst: rows are visited with the first row of the same rater and number, also if the numbers of a rater do not ascend.
func TestEachFirst(t *testing.T) {
	for want, items := range map[string][]int32{"0-0 1-1 3-3 4-4": {0, 0, 0, 1, 1}, "0-0 3-3 1-1 1-4": {0, 1, 1, 1, 1}} {
		j := &Judgements{Raters: make([]Rater, 2), Columns: make([]Column, 1)}
		for row, item := range items {
			j.Columns[0].Add(item, []int32{0, 1, 0, 0, 1}[row], "x", row)
		}
		var got []string
		j.EachFirst(0, func(row int) int32 {
			if row == 2 {
				return NoNumber
			}
			return items[row]
		}, func(first, row int, _ int32) { got = append(got, fmt.Sprintf("%d-%d", first, row)) })
		if strings.Join(got, " ") != want {
			t.Errorf("items %v: %v, want %s", items, got, want)
		}
	}
}
