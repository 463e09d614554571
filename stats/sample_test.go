package stats

import (
	"math"
	"testing"
)

// A sample of one stratum whose units are all labelled gives the same figures as units without strata.
func TestSampleOfOneStratum(t *testing.T) {
	values := []float64{1, 4, 2, 8, 5, 7, 3, 3, 9}
	clusters := []int{0, 0, 1, 2, 2, 2, 3, 4, 4}
	s := Sample{Strata: make([]int, len(values)), Clusters: clusters, Labelled: make([]bool, len(values))}
	for i := range s.Labelled {
		s.Labelled[i] = true
	}
	mean := func(v []float64) []float64 { return []float64{v[1] / v[0]} }
	give := func(i int, add func(kind int, amount float64)) {
		add(0, 1)
		add(1, values[i])
	}
	plain, err := NewSums(len(values), clusters, 2, give)
	if err != nil {
		t.Fatal(err)
	}
	weighted, err := s.NewSums(2, give, nil)
	if err != nil {
		t.Fatal(err)
	}
	want, _ := plain.LeaveOut(mean).Jackknife(0, 0.95)
	got, err := weighted.LeaveOut(mean).Jackknife(0, 0.95)
	if err != nil || math.Abs(got.Value-want.Value) > 1e-12 || math.Abs(got.Low-want.Low) > 1e-12 || math.Abs(got.DF-want.DF) > 1e-9 {
		t.Errorf("%+v, %v: without strata it is %+v", got, err, want)
	}
	a := plain.Bootstrap(Resampling{Seed: 1}, mean)
	b := weighted.Bootstrap(Resampling{Seed: 1}, mean)
	for k := range a.ByFigure[0] {
		if math.Abs(a.ByFigure[0][k]-b.ByFigure[0][k]) > 1e-12 {
			t.Fatalf("resample %d is %v, without strata %v", k, b.ByFigure[0][k], a.ByFigure[0][k])
		}
	}
	weighted, err = s.Grouped(3).NewSums(2, give, nil)
	if err != nil || weighted.Clusters() != 3 {
		t.Errorf("%v: of five clusters at most three are %d", err, weighted.Clusters())
	}
}

// Two strata of ten and thirty units have three labels each: by hand, the mean is (10·2 + 30·6)/40. Without a certain cluster one stratum
// has no label left, and the mean is that of the other.
func TestSampleOfTwoStrata(t *testing.T) {
	s := Sample{Strata: make([]int, 40), Clusters: make([]int, 40), Labelled: make([]bool, 40)}
	values := map[int]float64{0: 1, 1: 2, 2: 3, 10: 4, 11: 6, 12: 8}
	for i := range s.Strata {
		s.Clusters[i] = i
		if i < 3 {
			s.Clusters[i] = 0
		}
		if i >= 10 {
			s.Strata[i] = 1
		}
		_, s.Labelled[i] = values[i]
	}
	sums, err := s.NewSums(2, func(i int, add func(kind int, amount float64)) {
		add(0, 1)
		add(1, values[i])
	}, func(i int) []float64 { return []float64{float64(i)} })
	if err != nil {
		t.Fatal(err)
	}
	without := sums.LeaveOut(func(v []float64) []float64 { return []float64{v[1] / v[0], v[2] / v[0], v[0]} })
	for k, want := range []float64{5, 19.5, 6} {
		if math.Abs(without.Values[k]-want) > 1e-12 {
			t.Errorf("figure %d is %v, want %v", k, without.Values[k], want)
		}
	}
	if got := without.ByFigure[0][0]; math.Abs(got-6) > 1e-12 {
		t.Errorf("without the first stratum's labels the mean is %v, want 6", got)
	}
	if _, err := (Sample{Strata: []int{0}, Clusters: []int{0}, Labelled: []bool{false}}).NewSums(1, nil, nil); err == nil {
		t.Error("a sample without labels has sums")
	}
}
