package raters

import (
	"errors"
	"math"
	"reflect"
	"slices"
	"testing"

	"compqa/stats"
	"compqa/stats/agreement"
)

// Subtracting means leaves nothing of the values of a constant judge.
func TestCentred(t *testing.T) {
	got := centred([]float64{1, 10, 3, 10, 5, 10}, []int{0, 1, 0, 1, 0, 1})
	for i, want := range []float64{-2, 0, 0, 0, 2, 0} {
		if math.Abs(got[i]-want) > 1e-15 {
			t.Errorf("value %d is %v, want %v", i, got[i], want)
		}
	}
	if len(centred(nil, nil)) != 0 {
		t.Error("nothing has become something")
	}
}

// made returns a table of a judge and a reference on n units. Each unit is a cluster of its own.
func made(judge, reference []float64) (t Table, j, r Rater) {
	t = Table{Scale: Scale{Level: agreement.Interval}}
	j = Rater{Name: "j", Kind: Judge}
	r = Rater{Name: "r", Kind: Person}
	for i := range judge {
		t.Units = append(t.Units, Unit{Cluster: i})
		j.Values, r.Values = append(j.Values, Number(judge[i])), append(r.Values, Number(reference[i]))
	}
	t.Raters = []Rater{r, j}
	return t, j, r
}

// A judge that gives a point more than people on each unit has a difference of 1: each signed figure is judge minus reference.
func TestShift(t *testing.T) {
	people := []float64{0, 1, 2, 3, 4, 2, 1, 3, 0, 4, 2, 1}
	for _, shift := range []float64{1, -1} {
		judge := make([]float64, len(people))
		for i, v := range people {
			judge[i] = v + shift
		}
		x, j, r := made(judge, people)
		row := x.Against(j, r, Options{})
		for name, f := range map[string]stats.Figure{"the difference": row.Difference, "one pair's": {Value: x.Pairs(j, r).JudgeMinusReference()[3]}} {
			if f.Value != shift {
				t.Errorf("%s is %v, want %v", name, f.Value, shift)
			}
		}
		if row.MAE.Value != 1 || row.Spearman.Value != 1 {
			t.Errorf("distance %v, rho %v; want 1 and 1", row.MAE.Value, row.Spearman.Value)
		}
	}
}

// A missing value is counted by its reason, and never becomes a number.
func TestMissingValues(t *testing.T) {
	x, j, r := made([]float64{1, 2, 3, 99}, []float64{1, 2, 4, 4})
	j.Values[3] = Missing(OutOfRange)
	row := x.Against(j, r, Options{})
	if row.N != 3 || row.Lost[OutOfRange] != 1 || row.Difference.Value != -1./3 {
		t.Errorf("n %d, lost %v, difference %v", row.N, row.Lost, row.Difference.Value)
	}
	none := Rater{Name: "none", Values: slices.Repeat([]Value{Missing(Failed)}, 4)}
	row = x.Against(none, r, Options{})
	if row.N != 0 || row.Alpha.Known || row.Lost[Failed] != 4 || row.Alpha.Why != ErrMissing || row.Fault() != nil {
		t.Errorf("%+v", row)
	}
}

// Figures that are missing have a reason.
func TestWhy(t *testing.T) {
	x, j, r := made([]float64{1, 1, 1}, []float64{1, 1, 1})
	row := x.Against(j, r, Options{})
	if row.Alpha.Known || !errors.Is(row.Alpha.Why, stats.ErrNoVariation) || row.Fault() != nil {
		t.Errorf("alpha of ratings that do not vary: %+v", row.Alpha)
	}
	j.Values[0] = Number(math.NaN())
	if row := x.Against(j, r, Options{}); row.Fault() == nil {
		t.Error("a value that is no number is no fault")
	}
}

// Two of three people say 1: the majority is 1. Two people say different things: the unit is tied, and counted.
func TestMajority(t *testing.T) {
	x := Table{Units: make([]Unit, 3)}
	people := []Rater{{Values: []Value{Number(1), Number(0), Missing(Skipped)}}, {Values: []Value{Number(1), Number(1), Missing(NotAsked)}},
		{Values: []Value{Number(0), Missing(Failed), Missing(NotAsked)}}}
	of := x.Majority(people)
	if want := []Value{Number(1), Missing(Tied), Missing(NotAsked)}; !slices.Equal(of.Values, want) || of.Tied() != 1 {
		t.Errorf("%v, %d tied", of.Values, of.Tied())
	}
	if of := x.Mean(people); of.Values[1].Number() != 0.5 || of.Values[2].Given() {
		t.Errorf("the mean: %v", of.Values)
	}
}

// Each rule for repeats gives its value: the first, the mean, or the most frequent. The first value may be missing.
func TestRepeats(t *testing.T) {
	values := []Value{Missing(Failed), Number(1), Number(2), Number(2)}
	for how, want := range map[Repeats]Value{FirstValue: Number(1), MeanOfThem: Number(5. / 3), MostOfThem: Number(2),
		OnlyOfFirst: Missing(Failed)} {
		if got := how.Of(values); got != want {
			t.Errorf("%d: %v, want %v", how, got, want)
		}
	}
	if got := MostOfThem.Of(values[1:3]); got != Missing(Tied) {
		t.Errorf("of two labels: %v", got)
	}
}

// On four pairs the reference has a decision: the judge is right on two, wrong on one, and tied on one. On the fifth pair both are tied.
func TestTies(t *testing.T) {
	x, j, r := made([]float64{0, 1, 0, 2, 2}, []float64{0, 1, 1, 0, 2})
	x.Scale = Scale{Level: agreement.Nominal, Ties: true, Tie: 2}
	row := x.Against(j, r, Options{Figures: Shares, Intervals: NoIntervals})
	for ties, want := range []float64{TiesWrong: 0.5, TiesHalf: 0.625, TiesMissing: 2. / 3} {
		if got := row.Accuracy[ties]; got.Value != want {
			t.Errorf("ties %d: %v, want %v", ties, got.Value, want)
		}
	}
	if row.Agreement.Value != 0.6 {
		t.Errorf("agreement %v, want .6", row.Agreement.Value)
	}
}

// A sum is missing if one criterion is. Pooled criteria are counted in sheets.
func TestSumsAndPooled(t *testing.T) {
	a, j, r := made([]float64{1, 2}, []float64{1, 3})
	b := a
	b.Raters = []Rater{r, {Name: j.Name, Values: []Value{Number(5), Missing(Failed)}}}
	sums := Sums("all", []Table{a, b})
	pooled := Pooled("all", []Table{a, b})
	if got := sums.Raters[1].Values; !slices.Equal(got[:1], []Value{Number(6)}) || got[1].Given() {
		t.Errorf("sums %v", got)
	}
	row := pooled.Against(pooled.Raters[1], pooled.Raters[0], Options{Figures: Differences})
	if row.N != 2 || row.Pairs != 3 || row.Difference.Value != 1 {
		t.Errorf("%d sheets, %d pairs, difference %v; want 2, 3, 1", row.N, row.Pairs, row.Difference.Value)
	}
}

// A rater whose values are means of other units has no figures that need order or equality.
func TestFiguresOfMeans(t *testing.T) {
	x, _, r := made([]float64{0, 0, 0, 0}, []float64{0, 1, 2, 3})
	floor := x.CriterionMean(r)
	if floor.Values[0].Number() != 2 || floor.Values[3].Number() != 1 {
		t.Fatalf("%v", floor.Values)
	}
	row := x.Against(floor, r, Options{Resampling: stats.Resampling{Seed: 1, Name: "test"}})
	if row.Spearman.Known || row.Agreement.Known || row.AlphaOrdinal.Known || !row.Alpha.Known || !row.MAE.Known {
		t.Errorf("%+v", row)
	}
}

// The figures of three people on four units, computed by hand: 3 of 3, 1 of 3, 1 of 3 and 3 of 3 pairs are equal.
func TestAmong(t *testing.T) {
	lists := [][]float64{{1, 1, 0, 0}, {1, 0, 0, 0}, {1, 1, 1, 0}}
	x := Table{Scale: Scale{Level: agreement.Nominal}}
	var people []Rater
	for i := range 4 {
		x.Units = append(x.Units, Unit{Cluster: i})
	}
	for _, values := range lists {
		p := Rater{}
		for _, v := range values {
			p.Values = append(p.Values, Number(v))
		}
		people = append(people, p)
	}
	row := x.Among(people, Options{})
	// Fleiss: mean agreement 2/3, chance 1/2. Alpha: observed 1/3, expected 2·6·6/(12·11) = 6/11.
	for name, f := range map[string][2]float64{"agreement": {row.Agreement.Value, 2. / 3}, "kappa": {row.Kappa.Value, 1. / 3},
		"alpha": {row.Alpha.Value, 1 - 11./18}} {
		if math.Abs(f[0]-f[1]) > 1e-12 {
			t.Errorf("%s is %v, want %v", name, f[0], f[1])
		}
	}
	ratings, err := agreement.NewRatings(columnsOf(people)...)
	if err != nil {
		t.Fatal(err)
	}
	if got := Among(ratings, nil, nil, Options{Level: agreement.Nominal}); !reflect.DeepEqual(got, row) {
		t.Errorf("without clusters, each unit is one:\n got %+v\nwant %+v", got, row)
	}
	gwet := Among(ratings, nil, nil, Options{Level: agreement.Nominal, Figures: Gwet})
	if gwet.AC != row.AC || gwet.Kappa.Known {
		t.Errorf("Gwet's coefficient %v alone, kappa %v", gwet.AC, gwet.Kappa)
	}
	// Each person is compared with the majority of the two others: all three on the first and the last unit, and on the other two units the
	// one who differs.
	if c := x.Ceiling(people, Options{}); c.N != 8 || c.Agreement.Value != 6./8 {
		t.Errorf("ceiling %v of %d", c.Agreement.Value, c.N)
	}
}

// Three people and a judge label four rows as useful or not (Gunel et al., STRUM-LLM). The majority agrees with the judge on two rows, and
// people agree with each other at .5. Two of the people are tied on one row.
func TestUsefulRows(t *testing.T) {
	x := Table{Scale: Scale{Level: agreement.Nominal}}
	people := make([]Rater, 3)
	judge := Rater{}
	for i, labels := range []string{"YYN", "YYY", "NNY", "YNO"} {
		x.Units = append(x.Units, Unit{Cluster: i})
		judge.Values = append(judge.Values, Number(indicator("YNNY"[i] == 'Y')))
		for k, l := range labels {
			people[k].Values = append(people[k].Values, Number(indicator(l == 'Y')))
		}
	}
	o := Options{Figures: Shares}
	if got := x.Against(judge, x.Majority(people), o).Agreement; got.Value != 0.5 || got.N != 4 {
		t.Errorf("the judge and the majority: %+v, want .5 of 4", got)
	}
	if got := x.Among(people, o).Agreement.Value; math.Abs(got-0.5) > 1e-15 {
		t.Errorf("people among themselves: %v, want .5", got)
	}
	if two := x.Majority(people[:2]); two.Tied() != 1 {
		t.Errorf("of two people %d units are tied, want 1", two.Tied())
	}
	if one := x.Among(people[:1], o); one.N != 0 || one.Agreement.Known {
		t.Errorf("one person agrees with himself: %+v", one)
	}
}

// An undefined figure is missing and no fault. A score that is not a number is a fault.
func TestUndefined(t *testing.T) {
	none := math.NaN()
	for _, c := range []struct {
		name                           string
		judge, reference               []float64
		alpha, correlation, difference float64
	}{
		{"no pairs", nil, nil, none, none, none},
		{"one pair", []float64{2}, []float64{1}, 0, none, 1}, // alpha of two ratings that differ: 1 - D_o/D_e = 0
		{"one constant", []float64{2, 2}, []float64{1, 2}, 0, none, 0.5},
		{"both constant", []float64{1, 1}, []float64{1, 1}, none, none, 0},
		{"tied", []float64{1, 1, 2, 2}, []float64{1, 1, 2, 2}, 1, 1, 0},
	} {
		x, j, r := made(c.judge, c.reference)
		row := x.Against(j, r, Options{})
		for name, f := range map[string][2]any{"alpha": {row.Alpha, c.alpha}, "r": {row.Pearson, c.correlation},
			"rho":   {row.Spearman, c.correlation},
			"tau-b": {row.KendallTauB, c.correlation}, "difference": {row.Difference, c.difference}} {
			got := f[0].(stats.Figure)
			want := f[1].(float64)
			if got.Known == math.IsNaN(want) || got.Known && math.Abs(got.Value-want) > 1e-12 {
				t.Errorf("%s: %s is %+v, want %v", c.name, name, got, want)
			}
		}
		if row.Fault() != nil {
			t.Errorf("%s: %v", c.name, row.Fault())
		}
	}
	x, j, r := made([]float64{1, 2}, []float64{1, math.Inf(1)})
	if err := x.Against(j, r, Options{}).Fault(); !errors.Is(err, stats.ErrInvalidValue) {
		t.Errorf("an infinite score gives %v", err)
	}
}

// A judge gives half a point more than people for twice as many words, and then a point more for its own family. Both biases are judge
// minus people, so that they are positive.
func TestBiasSigns(t *testing.T) {
	var judge, people []float64
	var words []int
	var inside []bool
	for i := range 24 {
		doubled := i % 4
		people = append(people, float64(i%5))
		judge = append(judge, people[i]+0.5*float64(doubled)+0.01*float64(i*7%3))
		words = append(words, 100<<doubled)
		inside = append(inside, i%2 == 0)
	}
	x, j, r := made(judge, people)
	for i := range x.Units {
		x.Units[i].Words = words[i]
	}
	if b := x.LengthBias(x.Pairs(j, r), 0.95); math.Abs(b.Value-0.5) > 0.02 || !b.Bounded {
		t.Errorf("length bias %+v, want .5", b)
	}
	for i := range j.Values {
		j.Values[i] = Number(people[i] + indicator(inside[i]) + 0.01*float64(i*7%3))
	}
	p := x.Pairs(j, r)
	if b := p.Contrast(p.JudgeMinusReference(), inside, nil, 0.95).Figure(); math.Abs(b.Value-1) > 0.02 || !(b.Low < b.Value && b.Value < b.High) {
		t.Errorf("family bias %+v, want 1", b)
	}
}

// By hand: the means are 2 inside and 5 outside of the group, so that the contrast is -3. With n = 12, each unit its own question, the
// linearised residuals are -2 or 2 inside, and -2, 0 or 2 outside. CR1's variance is Σ r²/(n(n-1)) = 40/132.
func TestContrast(t *testing.T) {
	values := []float64{1, 3, 1, 3, 1, 3, 4, 5, 6, 4, 5, 6}
	inside := make([]bool, 12)
	p := Pairs{Clusters: make([]int, 12)}
	for i := range inside {
		inside[i] = i < 6
		p.Clusters[i] = i
	}
	// Student's 97.5 % quantile with eleven degrees of freedom is 2.200985160082949
	f := p.Contrast(values, inside, nil, 0.95).Figure()
	if low := -3 - 2.200985160082949*math.Sqrt(40./132); math.Abs(f.Value+3) > 1e-12 || math.Abs(f.Low-low) > 1e-9 {
		t.Errorf("%+v, want -3 from %v", f, low)
	}
	if f := p.Contrast(values[:10], inside[:10], nil, 0.95).Figure(); f.Known {
		t.Errorf("four values outside: %+v", f)
	}
	if f := p.Contrast(slices.Repeat([]float64{1}, 12), inside, nil, 0.95).Figure(); f.Known {
		t.Errorf("constants: %+v", f)
	}
}

// In the first stratum the group has 2 and 3 and the others 1 and 1: a contrast of 3/2. In the second the group has 1 and 1 and the others
// 2 and 1: -1/2. The mean is 1/2. The third stratum has no others, and does not count.
func TestContrastOfStrata(t *testing.T) {
	var values []float64
	var inside []bool
	var strata []int
	var p Pairs
	for k := range 10 {
		for stratum, lists := range [][][]float64{{{1, 1}, {2, 3}}, {{2, 1}, {1, 1}}, {nil, {9, 9}}} {
			for side, list := range lists {
				for i, v := range list {
					values = append(values, v)
					inside = append(inside, side == 1)
					strata = append(strata, stratum)
					p.Clusters = append(p.Clusters, 2*k+i)
				}
			}
		}
	}
	if f := p.Contrast(values, inside, strata, 0.95).Figure(); math.Abs(f.Value-0.5) > 1e-12 || !f.Bounded {
		t.Errorf("%+v, want 1/2", f)
	}
}

// TestKappaOfRareClass: kappa of yes and no has an interval if the reference has five units of each, and none if it has four of one.
func TestKappaOfRareClass(t *testing.T) {
	for rare, bounded := range map[int]bool{4: false, 5: true} {
		var judge, reference []float64
		for i := range 60 {
			reference = append(reference, indicator(i >= rare))
			judge = append(judge, indicator(i >= 3))
		}
		x, j, r := made(judge, reference)
		for _, strata := range [][]int{nil, make([]int, 60)} {
			x.Scale = Scale{Level: agreement.Interval, Rates: true, Values: []float64{0, 1}}
			x.Strata = strata
			row := x.Against(j, r, Options{})
			if !row.Kappa.Known || row.Kappa.Bounded != bounded || row.Quadratic.Bounded != bounded {
				t.Errorf("%d of 60, weighted %v: kappa %s, quadratic %s", rare, x.Weighted(), row.Kappa.Text(2), row.Quadratic.Text(2))
			}
		}
	}
}

// TestValue: a value keeps its number, or the reason why it is missing. A NaN that was given is not missing.
func TestValue(t *testing.T) {
	for _, x := range []float64{0, -1.5, math.Inf(1), math.NaN()} {
		v := Number(x)
		if !v.Given() || v.Missing() != Given || math.Float64bits(v.Number()) != math.Float64bits(x) {
			t.Errorf("%v is %v", x, v)
		}
	}
	if Number(math.Copysign(0, -1)) != Number(0) || Number(0) != (Value{}) || Number(1) == Number(2) {
		t.Error("values are equal if their numbers are")
	}
	for why := NotAsked; why <= Tied; why++ {
		if v := Missing(why); v.Given() || v.Missing() != why || v.Number() != 0 || v == Number(0) {
			t.Errorf("%v is %v", why, v)
		}
	}
}

// Rho gives Spearman's rho as Ranks does, without the figures that sort pairs.
func TestRhoAlone(t *testing.T) {
	table := Points([]float64{1, 2, 3, 4, 5, 5}, []float64{2, 1, 3, 5, 4, 5}, nil)
	all := table.Pair(Options{Figures: Ranks | RankIntervals})
	rho := table.Pair(Options{Figures: Rho | RankIntervals})
	if !rho.Spearman.Known || rho.Spearman != all.Spearman || rho.Pearson.Known || rho.KendallTauB.Known || !all.KendallTauB.Known {
		t.Errorf("rho %v and %v, tau-b %v", rho.Spearman, all.Spearman, rho.KendallTauB)
	}
}
