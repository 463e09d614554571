package sources

import (
	"reflect"
	"testing"
)

// TestScores: what was added comes back, also beside others that were changed, renamed or deleted; a failure has no value.
func TestScores(t *testing.T) {
	t.Parallel()
	ann, ben := &Series{By: "ann", Criterion: "clear"}, &Series{By: "ben", Criterion: "clear"}
	want := []Score{{Series: ann, Item: 3, Line: 2, Value: "4"}, {Series: ben, Item: 1, Line: 3, Failed: true, Reason: "refused"},
		{Series: ben, Item: 1, Line: 3, Value: "4", Reason: "refused"}, {Series: ann, Line: 4}, {Series: ann, Item: 2, Line: 5, Value: "no", Reason: "so"}}
	var scores Scores
	for _, s := range want {
		scores.Add(s)
	}
	check := func(what string, want []Score, series ...*Series) {
		t.Helper()
		var got []Score
		for _, s := range scores.All() {
			got = append(got, s)
		}
		if !reflect.DeepEqual(got, want) || !reflect.DeepEqual(scores.Series(), series) || scores.Len() != len(want) {
			t.Errorf("%s: %+v of %v, want %+v", what, got, scores.Series(), want)
		}
	}
	check("added", want, ann, ben)
	want[1].Failed, want[1].Value, want[4].Value, want[4].Failed = false, "5", "", true
	want[3].Reason, want[4].Reason = "late", ""
	for _, row := range []int{1, 3, 4} {
		scores.Set(row, want[row])
	}
	check("changed", want, ann, ben)
	scores.Delete(func(s Score) bool { return s.Item == 3 })
	check("deleted", want[1:], ben, ann)
	scores.Rename(func(*Series) *Series { return ann })
	for i := range want {
		want[i].Series = ann
	}
	check("renamed", want[1:], ann)
}
