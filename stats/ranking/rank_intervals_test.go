package ranking

import (
	"errors"
	"math"
	"reflect"
	"testing"

	"compqa/stats"
	"compqa/stats/statstest"
)

// Three items: 0 far above 2, 0 above 1 but not after Holm (p = 0.03 times 2),
// 1 and 2 apart.
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

func TestCompareSystems(t *testing.T) {
	better := []float64{5, 4, 5, 3, 5, 4, 5, 5}
	worse := []float64{2, 2, 1, 1, 3, 1, 2, 1}
	holes := []bool{false, true, false, false, true, false, false, false}
	systems := []SystemScores{
		{Values: worse},
		{Values: better, Missing: holes},
		{Values: worse}, // ties with the first everywhere
		{Values: make([]float64, 8), Missing: []bool{true, true, true, true, true, true, true, true}},
	}
	clusters := []int{1, 2, 3, 4, 5, 6, 7, 8}
	comparisons, err := CompareSystems(systems, clusters, 0.95)
	if err != nil {
		t.Fatal(err)
	}
	if len(comparisons) != 6 {
		t.Fatalf("%d comparisons of 4 systems", len(comparisons))
	}
	first := comparisons[0]
	want, err := stats.PairedDifference([]float64{2, 1, 1, 1, 2, 1}, []float64{5, 5, 3, 4, 5, 5}, nil, 0.95)
	if err != nil {
		t.Fatal(err)
	}
	if first.Difference != want || first.N != 6 || first.Caveat != nil {
		t.Errorf("first pair %+v, want %+v", first, want)
	}
	statstest.WantRel(t, "adjusted p", first.PAdjusted, math.Min(1, 6*math.Min(want.P, comparisons[3].P)), 1e-12)
	for _, c := range comparisons {
		testable := c.A+c.B == 1 || c.A+c.B == 3 && c.A == 1
		if (c.Caveat == nil) != testable || !testable && (c.P != 1 || c.PAdjusted != 1) {
			t.Errorf("pair %d, %d: %+v", c.A, c.B, c)
		}
	}
	if !errors.Is(comparisons[1].Caveat, stats.ErrZeroWidth) || !errors.Is(comparisons[2].Caveat, stats.ErrTooShort) {
		t.Errorf("caveats %v and %v", comparisons[1].Caveat, comparisons[2].Caveat)
	}
	if ranks := ranksOf(t, 4, comparisons, 0.95); !reflect.DeepEqual(ranks, []RankInterval{{2, 4}, {1, 2}, {2, 4}, {1, 4}}) {
		t.Errorf("ranks %v", ranks)
	}
}

func TestCompareSystemsRefuses(t *testing.T) {
	three := SystemScores{Values: []float64{1, 2, 3}}
	for name, c := range map[string]struct {
		systems  []SystemScores
		clusters []int
		want     error
	}{
		"lengths":  {[]SystemScores{three, {Values: []float64{1}}}, nil, stats.ErrLength},
		"marks":    {[]SystemScores{three, {Values: []float64{1, 2, 3}, Missing: []bool{true}}}, nil, stats.ErrLength},
		"clusters": {[]SystemScores{three, three}, []int{1}, stats.ErrLength},
		"NaN":      {[]SystemScores{three, {Values: []float64{1, 2, math.NaN()}}}, nil, stats.ErrInvalidValue},
	} {
		if _, err := CompareSystems(c.systems, c.clusters, 0.95); !errors.Is(err, c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if c, err := CompareSystems([]SystemScores{three}, nil, 0.95); err != nil || len(c) != 0 || ranksOf(t, 1, c, 0.95)[0] != (RankInterval{1, 1}) {
		t.Errorf("one system: %v, %v", c, err)
	}
}

func BenchmarkCompareSystems26Systems200Answers(b *testing.B) {
	scores, clusters := rankedScores(stats.NewRNG(1, "benchmark systems"), 26, 50, 4, 0.1)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := CompareSystems(scores, clusters, 0.95); err != nil {
			b.Fatal(err)
		}
	}
}
