package agreement

import (
	"errors"
	"math"
	"reflect"
	"slices"
	"testing"

	"compqa/stats"
	"compqa/stats/statstest"
)

// twentyLabels returns three people and a judge on 20 items. All say 1 on the first 10. On the others, one person in turn says something
// else; the judge always says 1.
func twentyLabels() (judge Rater, humans []Rater) {
	judge.Values = make([]float64, 20)
	humans = make([]Rater, 3)
	for h := range humans {
		humans[h].Values = make([]float64, 20)
	}
	for item := range 20 {
		judge.Values[item] = 1
		for h := range humans {
			humans[h].Values[item] = 1
			if item >= 10 && item%3 == h {
				humans[h].Values[item] = 2
			}
		}
	}
	return judge, humans
}

// Person 0 says something else on items 12, 15 and 18. There the judge's 1 agrees with both others and the person's 2 with none, so d = -1
// on 3 items of 20. On the rest d = 0 (if another person differs, both score 1/2). With mean -0.15 and variance (3 - 20·0.15²)/19, t =
// (-0.15 - ε)/√(variance/20).
func TestAltTestByHand(t *testing.T) {
	judge, humans := twentyLabels()
	got, err := AltTest(judge, humans, AltTestOptions{MinItems: 20})
	if err != nil {
		t.Fatal(err)
	}
	first := got.Annotators[0]
	want := AltAnnotator{Annotator: 0, Items: 20, Clusters: 20, Advantage: 1, TieRate: 0.85, Difference: -0.15}
	if first != want {
		t.Errorf("%+v, want %+v", first, want)
	}
	for i, epsilon := range []float64{0.1, 0.15, 0.2} {
		v := got.Verdicts[i]
		se := math.Sqrt((3 - 20*0.15*0.15) / 19 / 20)
		p, _ := stats.StudentTSurvival((0.15+epsilon)/se, 19)
		statstest.WantRel(t, "p", v.P[0], p, 1e-12)
		if v.Epsilon != epsilon || v.WinningRate != 1 || !v.Passes || !reflect.DeepEqual(v.Wins, []bool{true, true, true}) {
			t.Errorf("%+v", v)
		}
	}
	statstest.WantRel(t, "ρ", got.Advantage, 1, 1e-15)
	statstest.WantRel(t, "tie rate", got.TieRate, (0.85+0.8+0.85)/3, 1e-14) // 13, 16, 19, 10 have %3 == 1
}

// If every item is copied within its question, the clustered test does not change, and the plain test becomes too confident.
func TestAltTestClusters(t *testing.T) {
	judge, humans := twentyLabels()
	humans[1].Values[3] = 3 // some variation
	humans[2].Values[4] = 3
	judge.Values[5] = 4
	judge.Values[6] = 4
	double := func(r Rater) Rater { return Rater{Values: append(slices.Clone(r.Values), r.Values...)} }
	doubled := []Rater{double(humans[0]), double(humans[1]), double(humans[2])}
	clusters := make([]int, 40)
	for i := range clusters {
		clusters[i] = i % 20
	}
	o := AltTestOptions{MinItems: 20, Epsilon: []float64{0.2}, Scoring: NegRMSE}
	once, err := AltTest(judge, humans, o)
	if err != nil {
		t.Fatal(err)
	}
	plain, err := AltTest(double(judge), doubled, o)
	if err != nil {
		t.Fatal(err)
	}
	o.Clusters = clusters
	clustered, err := AltTest(double(judge), doubled, o)
	if err != nil {
		t.Fatal(err)
	}
	for i, p := range once.Verdicts[0].P {
		statstest.WantRel(t, "clustered p of the doubled items", clustered.Verdicts[0].P[i], p, 1e-9)
		if plain.Verdicts[0].P[i] >= p {
			t.Errorf("plain p %v of doubled items, %v of single ones", plain.Verdicts[0].P[i], p)
		}
	}
	o.Clusters = make([]int, 40)
	if one, err := AltTest(double(judge), doubled, o); err != nil || one.Verdicts[0].WinningRate != 0 || !one.Verdicts[0].Undefined[0] {
		t.Errorf("one question: %+v, %v", one, err)
	}
}

// Without variation, the mean decides; at ε nothing does.
func TestAltTestAllTies(t *testing.T) {
	same := Rater{Values: make([]float64, 30)}
	got, err := AltTest(same, []Rater{same, same, same}, AltTestOptions{Epsilon: []float64{0, 0.1}})
	if err != nil {
		t.Fatal(err)
	}
	if got.Advantage != 1 || got.TieRate != 1 {
		t.Errorf("ρ %v, tie rate %v", got.Advantage, got.TieRate)
	}
	at0 := got.Verdicts[0]
	at1 := got.Verdicts[1]
	if at0.WinningRate != 0 || !at0.Undefined[0] || at0.P[0] != 1 || at1.WinningRate != 1 || at1.Undefined[0] || at1.P[0] != 0 {
		t.Errorf("at 0: %+v; at 0.1: %+v", at0, at1)
	}
	oneQuestion := AltTestOptions{Clusters: make([]int, 30)}
	got, err = AltTest(same, []Rater{same, same, same}, oneQuestion)
	if err != nil || !got.Verdicts[2].Undefined[0] || got.Verdicts[2].P[0] != 1 {
		t.Errorf("one question: %+v, %v", got, err)
	}
	// The judge always loses: d is always 1.
	wrong := Rater{Values: slices.Repeat([]float64{9}, 30)}
	got, err = AltTest(wrong, []Rater{same, same, same}, AltTestOptions{})
	if err != nil || got.Advantage != 0 || got.Verdicts[2].P[0] != 1 || got.Verdicts[2].Undefined[0] {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestAltTestCannotSay(t *testing.T) {
	judge, humans := twentyLabels()
	missing := slices.Repeat([]bool{true}, 20)
	missing[0] = false
	for name, c := range map[string]struct {
		humans   []Rater
		o        AltTestOptions
		testable int
		most     int
	}{
		"nobody":           {nil, AltTestOptions{}, 0, 0},
		"one person":       {humans[:1], AltTestOptions{MinItems: 1, MinAnnotators: 1}, 0, 0},
		"two people":       {humans[:2], AltTestOptions{MinItems: 20}, 2, 20},
		"too few items":    {humans, AltTestOptions{}, 0, 20},
		"one did one item": {[]Rater{humans[0], humans[1], {Values: humans[2].Values, Missing: missing}}, AltTestOptions{MinItems: 10}, 2, 20},
	} {
		got, err := AltTest(judge, c.humans, c.o)
		var cannotSay *NotEnoughDataError
		if !errors.As(err, &cannotSay) || !errors.Is(err, stats.ErrUndefined) {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if cannotSay.Testable != c.testable || cannotSay.MostItems != c.most || got.Verdicts != nil {
			t.Errorf("%s: %+v, %+v", name, cannotSay, got)
		}
	}
}

func TestAltTestRefuses(t *testing.T) {
	judge, humans := twentyLabels()
	nan := Rater{Values: slices.Repeat([]float64{math.NaN()}, 20)}
	for name, c := range map[string]struct {
		judge  Rater
		humans []Rater
		o      AltTestOptions
		want   error
	}{
		"lengths":         {Rater{Values: judge.Values[:3]}, humans, AltTestOptions{}, stats.ErrLength},
		"marks":           {Rater{Values: judge.Values, Missing: []bool{true}}, humans, AltTestOptions{}, stats.ErrLength},
		"clusters":        {judge, humans, AltTestOptions{Clusters: []int{1}}, stats.ErrLength},
		"NaN":             {nan, humans, AltTestOptions{}, stats.ErrInvalidValue},
		"epsilon 1":       {judge, humans, AltTestOptions{Epsilon: []float64{1}}, stats.ErrInvalidValue},
		"one person each": {judge, humans, AltTestOptions{MinHumans: 1}, stats.ErrInvalidValue},
		"rate 5":          {judge, humans, AltTestOptions{FDR: 5}, stats.ErrInvalidValue},
	} {
		if _, err := AltTest(c.judge, c.humans, c.o); !errors.Is(err, c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	// Values that are marked as missing are ignored.
	nan.Missing = slices.Repeat([]bool{true}, 20)
	if _, err := AltTest(judge, append(humans, nan), AltTestOptions{MinItems: 20}); err != nil {
		t.Errorf("a rater without labels: %v", err)
	}
}

func BenchmarkAltTest5People367Items(b *testing.B) {
	rng := stats.NewRNG(1, "benchmark labels")
	raters := make([]Rater, 6)
	for i := range raters {
		for range 367 {
			raters[i].Values = append(raters[i].Values, float64(rng.Intn(5)))
		}
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := AltTest(raters[0], raters[1:], AltTestOptions{Scoring: NegRMSE}); err != nil {
			b.Fatal(err)
		}
	}
}
