package train

import (
	"fmt"
	"math"
	"testing"

	"compqa/data"
	"compqa/results/dataset"
	"compqa/results/store"
)

// TestCompareSign has six pairs, of which the base judge gets one right and the trained judge five. Measures are trained minus base, so
// accuracy is +4/6. With four questions the difference is missing.
func TestCompareSign(t *testing.T) {
	record := func(questions int) *dataset.PairwiseRecord {
		r := &dataset.PairwiseRecord{Sets: []store.PairSet{{Name: "s"}}, Judges: []store.Participant{{Name: "base"}, {Name: "trained"}}}
		for i := range 6 {
			r.Pairs = append(r.Pairs, dataset.PairRow{Id: fmt.Sprint(i), Label: data.ChoiceA, Cluster: i % questions, WordsA: 1, WordsB: 2})
			for judge, right := range []bool{i == 0, i > 0} {
				choice := data.ChoiceB
				if right {
					choice = data.ChoiceA
				}
				r.Prefs = append(r.Prefs, dataset.PreferenceRow{Judge: judge, Pair: i,
					PreferenceEnding: &dataset.PreferenceEnding{Order: data.Orders[0], Status: data.Valid, Choice: choice}})
			}
		}
		return r
	}
	rows, err := Compare(nil, record(6), "base", "trained", nil)
	if err != nil || len(rows) == 0 {
		t.Fatalf("%v, %+v", err, rows)
	}
	for _, r := range rows {
		if r.Measure == measures[0] && math.Abs(r.Difference.Value-4./6) > 1e-12 {
			t.Errorf("%+v", r)
		}
		if r.Difference.Known && math.Abs(r.Difference.Value-(r.Trained.Value-r.Base.Value)) > 1e-12 {
			t.Errorf("not trained minus base: %+v", r)
		}
	}
	rows, err = Compare(nil, record(4), "base", "trained", nil)
	if err != nil || rows[0].Difference.Known || !rows[0].Base.Known || rows[0].Difference.N != 4 {
		t.Errorf("four questions: %v, %+v", err, rows)
	}
}
