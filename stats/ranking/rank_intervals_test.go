package ranking

import (
	"errors"
	"math"
	"reflect"
	"testing"

	"compqa/stats"
)

// Three items: 0 is far above 2; 0 is above 1, but not after Holm's adjustment (p = 0.03 times 2); 1 and 2 differ.
func TestRankIntervalsByHand(t *testing.T) {
	ranks, err := RankIntervals(3, []PairTest{
		{A: 0, B: 1, Difference: 1, P: 0.03},
		{A: 2, B: 0, Difference: -3, P: 0.001},
		{A: 1, B: 2, Difference: 2, P: 0.04},
	}, 0.95)
	if err != nil {
		t.Fatal(err)
	}
	// Adjusted: 0.003, then 0.06 and max(0.06, 0.04).
	want := []RankInterval{{1, 2}, {1, 3}, {2, 3}}
	if !reflect.DeepEqual(ranks, want) {
		t.Errorf("ranks %v, want %v", ranks, want)
	}
	sure, _ := RankIntervals(2, []PairTest{{A: 1, B: 0, Difference: 1, P: 0.01}}, 0.95)
	if !reflect.DeepEqual(sure, []RankInterval{{2, 2}, {1, 1}}) {
		t.Errorf("ranks %v of a clear pair", sure)
	}
	none, _ := RankIntervals(3, nil, 0.95)
	if !reflect.DeepEqual(none, []RankInterval{{1, 3}, {1, 3}, {1, 3}}) {
		t.Errorf("ranks %v without tests", none)
	}
	if empty, err := RankIntervals(0, nil, 0.95); err != nil || len(empty) != 0 {
		t.Errorf("ranks of nothing: %v, %v", empty, err)
	}
}

func TestRankIntervalsRefuse(t *testing.T) {
	for name, tests := range map[string][]PairTest{
		"out of range": {{A: 0, B: 3, P: 1}},
		"itself":       {{A: 1, B: 1, P: 1}},
		"twice":        {{A: 0, B: 1, P: 1}, {A: 1, B: 0, P: 1}},
		"p":            {{A: 0, B: 1, P: 2}},
		"NaN":          {{A: 0, B: 1, P: 1, Difference: math.NaN()}},
	} {
		if _, err := RankIntervals(3, tests, 0.95); !errors.Is(err, stats.ErrInvalidValue) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := RankIntervals(3, nil, 95); !errors.Is(err, stats.ErrInvalidValue) {
		t.Errorf("level 95: %v", err)
	}
}
