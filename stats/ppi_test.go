package stats

import (
	"errors"
	"math"
	"testing"

	"compqa/stats/statstest"
)

// samplePPI draws n labelled items and others, in clusters of the given size that both sets share, with a judge of the given noise. It
// always draws the same items.
func samplePPI(n, others, size int, noise float64) PPISample {
	rng := NewRNG(7, "ppi sample", uint64(n), uint64(others), uint64(size))
	var s PPISample
	for i := range n + others {
		human := 3 + 2*rng.Float64()
		judge := human + 1 + noise*rng.Float64()
		cluster := (i * 7919 % (n + others)) / size
		if i < n {
			s.Human = append(s.Human, human)
			s.Judge = append(s.Judge, judge)
			s.Clusters = append(s.Clusters, cluster)
		} else {
			s.Unlabelled = append(s.Unlabelled, judge)
			s.UnlabelledClusters = append(s.UnlabelledClusters, cluster)
		}
	}
	return s
}

// For independent items, in covariances with divisor n-1:
//
//	λ = (cov(Y,F)/n) / (var(F)/n + var(F̃)/N)
//	SE² = λ²·var(F̃)/N + Σ(residuals of Y - λF)²/(n-2)/n
func TestPPIMeanOfIndependentItems(t *testing.T) {
	s := samplePPI(12, 40, 1, 2)
	s.Clusters = nil
	s.UnlabelledClusters = nil
	got, err := PPIMean(s, 0.9)
	if err != nil {
		t.Fatal(err)
	}
	n := 12.
	others := 40.
	y := Deviations(s.Human)
	f := Deviations(s.Judge)
	u := Deviations(s.Unlabelled)
	varU := Dot(u, u) / (others - 1)
	lambda := Dot(y, f) / (n - 1) / n / (Dot(f, f)/(n-1)/n + varU/others)
	var residual float64
	for i := range y {
		residual += (y[i] - lambda*f[i]) * (y[i] - lambda*f[i])
	}
	se := math.Sqrt(lambda*lambda*varU/others + residual/(n-2)/n)
	value := Mean(s.Human) + lambda*(Mean(s.Unlabelled)-Mean(s.Judge))
	quantile, _ := studentTQuantile(0.95, 10)
	statstest.WantRel(t, "λ", got.Lambda, lambda, 1e-13)
	statstest.WantRel(t, "value", got.Value, value, 1e-13)
	statstest.WantRel(t, "standard error", got.SE, se, 1e-13)
	statstest.WantRel(t, "low", got.Low, value-quantile*se, 1e-13)
	statstest.WantRel(t, "effective n", got.EffectiveN, n*math.Pow(got.Classical.SE/se, 2), 1e-13)
	if got.DF != 10 || got.Labelled != 12 || got.Unlabelled != 40 || got.EffectiveN <= 12 {
		t.Errorf("%+v", got)
	}
	classical, _ := MeanInterval(s.Human, nil, 0.9)
	statstest.WantRel(t, "low of people alone", got.Classical.Low, classical.Low, 1e-13)
}

// λ minimises the clustered variance.
func TestPPILambdaIsOptimal(t *testing.T) {
	s := samplePPI(20, 60, 4, 2)
	p := s.sums()
	labelled := smallSample(p.labelled, 1)
	other := smallSample(p.unlabelledClusters, 1)
	variance := func(lambda float64) (sum float64) {
		for c := range p.human {
			v := labelled*(p.human[c]-lambda*p.judge[c]) + other*lambda*p.unlabelled[c]
			sum += v * v
		}
		return sum
	}
	best := p.lambda()
	if best <= 0 || best >= 1 {
		t.Fatalf("λ = %v is at the edge", best)
	}
	for _, step := range []float64{-1e-3, 1e-3} {
		if variance(best+step) <= variance(best) {
			t.Errorf("λ = %v is worse than %v", best, best+step)
		}
	}
}

// Copies of items within their clusters are not new evidence.
func TestPPIMeanDoubledWithinClusters(t *testing.T) {
	s := samplePPI(20, 60, 4, 2)
	once, err := PPIMean(s, 0.95)
	if err != nil {
		t.Fatal(err)
	}
	twice, err := PPIMean(PPISample{
		Human: append(s.Human, s.Human...), Judge: append(s.Judge, s.Judge...),
		Unlabelled: append(s.Unlabelled, s.Unlabelled...),
		Clusters:   append(s.Clusters, s.Clusters...), UnlabelledClusters: append(s.UnlabelledClusters, s.UnlabelledClusters...),
	}, 0.95)
	if err != nil {
		t.Fatal(err)
	}
	statstest.WantRel(t, "λ", twice.Lambda, once.Lambda, 1e-12)
	statstest.WantRel(t, "low", twice.Low, once.Low, 1e-12)
	statstest.WantRel(t, "high", twice.High, once.High, 1e-12)
}

// A judge that cannot help leaves the classical result.
func TestPPIMeanFallsBackToPeople(t *testing.T) {
	human := []float64{1, 2, 4, 5, 3}
	for name, s := range map[string]PPISample{
		"constant judge":          {Human: human, Judge: []float64{0.1, 0.1, 0.1, 0.1, 0.1}, Unlabelled: []float64{0.1, 0.1, 0.1}},
		"judge the wrong way":     {Human: human, Judge: []float64{5, 4, 2, 1, 3}, Unlabelled: []float64{5, 1, 2, 3}},
		"nothing else judged":     {Human: human, Judge: human},
		"one other cluster":       {Human: human, Judge: human, Unlabelled: []float64{5, 1}, Clusters: []int{1, 2, 3, 4, 5}, UnlabelledClusters: []int{9, 9}},
		"two labelled clusters":   {Human: human, Judge: human, Unlabelled: []float64{5, 1, 3}, Clusters: []int{1, 1, 1, 2, 2}, UnlabelledClusters: []int{7, 8, 9}},
		"squares overflow":        {Human: human, Judge: []float64{1e200, 2e200, 4e200, 5e200, 3e200}, Unlabelled: []float64{1e200, -1e200}},
		"constant where labelled": {Human: human, Judge: []float64{3, 3, 3, 3, 3}, Unlabelled: []float64{5, 1, 2, 3}},
	} {
		got, err := PPIMean(s, 0.95)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		want := math.Sqrt(0.5) // for five values
		if name == "two labelled clusters" {
			want = math.Sqrt((1 + 4./9) / 2) // without either cluster the mean moves by 1 and 2/3
		}
		if got.Lambda != 0 || got.Estimate != got.Classical || got.Value != 3 || got.EffectiveN != 5 || math.Abs(got.SE-want) > 1e-15 {
			t.Errorf("%s: %+v, want a standard error of %v", name, got, want)
		}
	}
}

// λ is 0 for a constant judge, whatever rounding makes of its residuals.
func TestPPIConstantJudge(t *testing.T) {
	rng := NewRNG(7, "constant judge")
	for n := 3; n < 60; n++ {
		s := PPISample{Unlabelled: make([]float64, 2*n)}
		for range n {
			s.Human = append(s.Human, rng.Float64())
			s.Judge = append(s.Judge, 0.1)
		}
		for i := range s.Unlabelled {
			s.Unlabelled[i] = 0.1
		}
		got, err := PPIMean(s, 0.95)
		if err != nil {
			t.Fatal(err)
		}
		published, err := PublishedPPIMean(s, 0.95, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got.Lambda != 0 || got.Estimate != got.Classical || published.Lambda != 0 || published.Value != got.Value {
			t.Errorf("n %d: λ %v and %v, value %v and %v", n, got.Lambda, published.Lambda, got.Value, published.Value)
		}
	}
}

func TestPPIMeanRefuses(t *testing.T) {
	two := []float64{1, 2}
	for name, c := range map[string]struct {
		s    PPISample
		want error
	}{
		"no labels":        {PPISample{Unlabelled: two}, ErrTooShort},
		"one label":        {PPISample{Human: two[:1], Judge: two[:1], Unlabelled: two}, ErrTooShort},
		"equal labels":     {PPISample{Human: []float64{3, 3}, Judge: two, Unlabelled: two}, ErrZeroWidth},
		"one question":     {PPISample{Human: two, Judge: two, Unlabelled: two, Clusters: []int{1, 1}, UnlabelledClusters: []int{2, 3}}, ErrOneCluster},
		"a verdict short":  {PPISample{Human: two, Judge: two[:1], Unlabelled: two}, ErrLength},
		"a label short":    {PPISample{Human: two, Judge: two, Unlabelled: two, Clusters: []int{1, 2}, UnlabelledClusters: []int{1}}, ErrLength},
		"half the labels":  {PPISample{Human: two, Judge: two, Unlabelled: two, Clusters: []int{1, 2}}, ErrLength},
		"clusters too few": {PPISample{Human: two, Judge: two, Unlabelled: two, Clusters: []int{1}, UnlabelledClusters: []int{1, 2}}, ErrLength},
		"NaN verdict":      {PPISample{Human: two, Judge: []float64{1, math.NaN()}, Unlabelled: two}, ErrInvalidValue},
		"infinite verdict": {PPISample{Human: two, Judge: two, Unlabelled: []float64{math.Inf(1)}}, ErrInvalidValue},
	} {
		got, err := PPIMean(c.s, 0.95)
		if !errors.Is(err, c.want) || got.Low != 0 || got.High != 0 {
			t.Errorf("%s: %+v, %v; want %v", name, got, err, c.want)
		}
	}
	if _, err := PPIMean(PPISample{Human: two, Judge: two, Unlabelled: two}, 0); !errors.Is(err, ErrInvalidValue) {
		t.Errorf("level 0: %v", err)
	}
	if _, err := PPIMean(PPISample{Human: two, Judge: two, UnlabelledClusters: []int{}}, 0.95); err != nil {
		t.Errorf("empty list of clusters: %v", err)
	}
}

// A judge whose scores of the labelled items equal people's leaves only its own sampling error.
func TestPPIMeanPerfectJudge(t *testing.T) {
	s := samplePPI(10, 400, 1, 0)
	s.Clusters = nil
	s.UnlabelledClusters = nil
	got, err := PPIMean(s, 0.95)
	if err != nil {
		t.Fatal(err)
	}
	// λ = N/(n+N) if both sets vary alike.
	if math.Abs(got.Lambda-400./410) > 0.02 || got.EffectiveN < 150 {
		t.Errorf("λ %v, effective n %v", got.Lambda, got.EffectiveN)
	}
	if got.Low > 4 || got.High < 4 {
		t.Errorf("interval [%v, %v] misses the mean 4", got.Low, got.High)
	}
}

// The oracle compares numbers; this test compares errors and edge cases.
func TestPublishedPPIEdges(t *testing.T) {
	human := []float64{1, 2, 4}
	judge := []float64{2, 2, 5}
	half := 0.5
	p, err := PublishedPPIMean(PPISample{Human: human, Judge: judge, Unlabelled: []float64{3}}, 0.95, &half)
	if err != nil {
		t.Fatal(err)
	}
	statstest.WantRel(t, "value at λ = 1/2", p.Value, 1.5+(7-4.5)/3, 1e-15)
	equal := PPISample{Human: []float64{2, 2}, Judge: []float64{1, 1}, Unlabelled: []float64{1, 1}}
	flat, err := PublishedPPIMean(equal, 0.95, nil)
	if !errors.Is(err, ErrZeroWidth) || flat.Value != 2 {
		t.Errorf("equal labels: %+v, %v", flat, err)
	}
	if _, err := flat.PValue(0); !errors.Is(err, ErrZeroWidth) {
		t.Errorf("p-value without an interval: %v", err)
	}
	if _, err := PublishedPPIMean(PPISample{Human: human, Judge: judge}, 0.95, nil); !errors.Is(err, ErrTooShort) {
		t.Errorf("nothing unlabelled: %v", err)
	}
	nan := math.NaN()
	if _, err := PublishedPPIMean(PPISample{Human: human, Judge: judge, Unlabelled: human}, 0.95, &nan); !errors.Is(err, ErrInvalidValue) {
		t.Errorf("λ = NaN: %v", err)
	}
}
