package trust

import (
	"errors"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"compqa/data"
	"compqa/stats"
)

// LeastLabels is the least number of people's labels that alone correct a judge's mean, and that show how the judge's bias varies within a
// system. Coverage was measured from this number on (docs/statistics.md).
const LeastLabels = 10

// LeastSystems is the least number of systems with labels with which the judge's bias on them corrects its means of other systems.
const LeastSystems = 3

// Bases of a corrected mean.
const (
	BasisPeople   = "people"       // people's mean
	BasisBoth     = "people+judge" // the judge, and people's labels of other systems (BasisTransfer)
	BasisTransfer = "transfer"     // the judge, and people's labels of other systems
	BasisNone     = "none"
)

// A Correction is the mean that people would give to all items that a judge scored, estimated from labels of some items. With fewer than
// LeastLabels labels it has only Alone.
type Correction struct {
	Mean       stats.Figure // not limited to the scale; N is the number of labels
	LabelMean  stats.Figure // mean of the labels
	Lambda     stats.Figure // weight of the judge in Mean, in [0, 1]
	EffectiveN stats.Figure // number of labels that alone would be as precise; missing if labels are weighted
}

// Correct corrects a judge's mean by labels that are a random sample (stats.PPIMean).
func Correct(s stats.PPISample) (c Correction, err error) {
	if len(s.Human) == 0 {
		return c, nil
	}
	p, err := stats.PPIMean(s, level)
	c.LabelMean = stats.Number(p.Classical.Value)
	if p.Classical.SE > 0 {
		c.LabelMean = stats.WithInterval(p.Classical.Value, p.Classical.Low, p.Classical.High)
	}
	switch {
	case errors.Is(err, stats.ErrUndefined), err == nil && len(s.Human) < LeastLabels:
		return c, nil
	case err != nil:
		return c, err
	}
	c.Mean, c.Lambda, c.EffectiveN = stats.WithInterval(p.Value, p.Low, p.High), stats.Number(p.Lambda), stats.Number(p.EffectiveN)
	c.Mean.N = len(s.Human)
	return c, nil
}

// An Item is an item that a judge scored, and perhaps people.
type Item struct {
	Place
	System        string
	Judge, People float64
	HasPeople     bool // People has a value
	// For labels that are no random sample: Stratum is the item's stratum, or stats.NoStratum if labels say nothing about it. Inclusion is
	// the probability of a label in (0, 1]; 0 means equal probabilities within the stratum.
	Stratum   int
	Inclusion float64
}

// Items has the items that a judge scored, some of which people labelled.
type Items struct {
	List     []Item
	Weighted bool // labels are no random sample, so that figures use strata and inclusion probabilities
}

// Where returns the items for which in is true.
func (s Items) Where(in func(Item) bool) Items {
	n := 0
	for _, item := range s.List {
		if in(item) {
			n++
		}
	}
	part := make([]Item, 0, n)
	for _, item := range s.List {
		if in(item) {
			part = append(part, item)
		}
	}
	s.List = part
	return s
}

// OfSystem returns the items of a system.
func (s Items) OfSystem(system string) Items {
	return s.Where(func(item Item) bool { return item.System == system })
}

// Random returns the items as a sample whose labels are random.
func (s Items) Random() (random stats.PPISample) {
	n := s.Labels()
	random.Human = make([]float64, 0, n)
	random.Judge = make([]float64, 0, n)
	random.Clusters = make([]int, 0, n)
	for _, item := range s.List {
		if item.HasPeople {
			random.Human = append(random.Human, item.People)
			random.Judge = append(random.Judge, item.Judge)
			random.Clusters = append(random.Clusters, item.Pair)
		} else {
			random.Unlabelled = append(random.Unlabelled, item.Judge)
			random.UnlabelledClusters = append(random.UnlabelledClusters, item.Pair)
		}
	}
	return random
}

// strata returns the items as a sample with strata and inclusion probabilities.
func (s Items) strata() (weighted stats.Sample) {
	n := len(s.List)
	weighted.Strata = make([]int, 0, n)
	weighted.Clusters = make([]int, 0, n)
	weighted.Labelled = make([]bool, 0, n)
	for i, item := range s.List {
		weighted.Strata = append(weighted.Strata, item.Stratum)
		weighted.Clusters = append(weighted.Clusters, item.Pair)
		weighted.Labelled = append(weighted.Labelled, item.HasPeople && item.Stratum != stats.NoStratum)
		if item.Inclusion > 0 && weighted.Inclusion == nil {
			weighted.Inclusion = make([]float64, i, n)
		}
		if weighted.Inclusion != nil {
			weighted.Inclusion = append(weighted.Inclusion, item.Inclusion)
		}
	}
	return weighted
}

func (s Items) people(item int) float64 { return s.List[item].People }
func (s Items) judge(item int) float64  { return s.List[item].Judge }

// Labels returns the number of items that people labelled.
func (s Items) Labels() (n int) {
	for _, item := range s.List {
		if item.HasPeople {
			n++
		}
	}
	return n
}

// covered reports whether every stratum of at least LeastLabels items has a label.
func (s Items) covered() bool {
	items := map[int]int{}
	known := map[int]int{}
	for _, item := range s.List {
		items[item.Stratum]++
		if item.HasPeople {
			known[item.Stratum]++
		}
	}
	for stratum, n := range items {
		if known[stratum] == 0 && n >= LeastLabels {
			return false
		}
	}
	return true
}

// Correct corrects the judge's mean of the items. If labels are weighted, people's mean and the correction are weighted, too.
func (s Items) Correct() (c Correction, err error) {
	n := s.Labels()
	if !s.Weighted || n == 0 {
		return Correct(s.Random())
	}
	weighted := s.strata()
	mean := 0.0
	for i, w := range weighted.Weight() {
		if w > 0 {
			mean += w * s.people(i)
		}
	}
	c.LabelMean = stats.Number(mean)
	if n < LeastLabels || !s.covered() {
		return c, nil
	}
	e, lambda, err := weighted.Rate(s.people, s.judge, level)
	switch {
	case errors.Is(err, stats.ErrUndefined):
		return c, nil
	case err != nil:
		return c, err
	}
	c.Mean, c.Lambda = stats.WithInterval(e.Value, e.Low, e.High), stats.Number(lambda)
	c.Mean.N = n
	return c, nil
}

// Difference returns the mean that people would give to the first system minus the second, on the places that the judge scored for both
// (see CommonPlaces). Each side's mean is corrected by its labels, with its own λ. A question is left out of both sides at once
// (stats.Sample.Difference). If people labelled everything, it equals Paired of their values. labelled is the number of questions with a
// label.
func (s Items) Difference(first, second string) (d Difference, labelled int) {
	d = Difference{A: first, B: second}
	var sides [2]Side
	nothing := []float64{0} // the same for all points, since only places are compared
	for _, item := range s.List {
		if i := slices.Index([]string{first, second}, item.System); i >= 0 {
			sides[i].Add(item.Place, nothing...)
		}
	}
	both, _ := CommonPlaces(sides[0], sides[1])
	shared := data.Among(data.Each(both.Points, func(p Point) Place { return p.Place }))
	scenarios := sides[0].scenarios() == sides[1].scenarios()
	s = s.Where(func(item Item) bool {
		if !scenarios {
			item.Scenario = NoScenario
		}
		return (item.System == first || item.System == second) && shared[item.Place]
	})
	asked := map[int]bool{} // questions, and whether each has a label
	for _, item := range s.List {
		asked[item.Pair] = asked[item.Pair] || item.HasPeople
	}
	for _, known := range asked {
		d.Value.N++
		if known {
			labelled++
		}
	}
	if d.Value.N < stats.FewClusters || !s.OfSystem(first).covered() || !s.OfSystem(second).covered() {
		return d, labelled
	}
	scored := func(system string) func(int) bool { return func(i int) bool { return s.List[i].System == system } }
	e, err := s.strata().Difference(scored(first), scored(second), s.people, s.judge, level)
	if err != nil {
		return d, labelled
	}
	d.Value.Value = e.Value
	d.Value.Low = e.Low
	d.Value.High = e.High
	d.Value.Known = true
	d.Value.Bounded = true
	if p, err := e.PValue(0); err == nil {
		d.P = stats.Number(p)
	}
	return d, labelled
}

// A Bias is the mean of judge minus people on a system.
type Bias struct {
	System, N int // index of the system, and number of labels
	Mean, SE  float64
}

// Biases has a judge's bias on each system with labels.
type Biases []Bias

// Biases returns the judge's bias (judge minus people) on each system with labels. Standard errors are clustered by question. With fewer
// than LeastLabels labels, or if nothing varies, a standard error comes from the pooled deviation within all systems.
func (s Items) Biases(systems []string) (b Biases, err error) {
	places := map[string]int{}
	for i, system := range systems {
		places[system] = i
	}
	differences := make([][]float64, len(systems))
	questions := make([][]int, len(systems))
	for _, item := range s.List {
		if i, one := places[item.System]; one && item.HasPeople {
			differences[i] = append(differences[i], item.Judge-item.People)
			questions[i] = append(questions[i], item.Pair)
		}
	}
	squares := 0.0
	freedom := 0
	for i, values := range differences {
		if len(values) == 0 {
			continue
		}
		e, err := stats.MeanInterval(values, questions[i], level)
		if err != nil && !errors.Is(err, stats.ErrUndefined) {
			return b, err
		}
		b = append(b, Bias{i, len(values), e.Value, e.SE})
		for _, v := range values {
			squares += (v - e.Value) * (v - e.Value)
		}
		freedom += len(values) - 1
	}
	pooled := math.Sqrt(squares / float64(max(1, freedom)))
	for i, one := range b {
		if one.N < LeastLabels || !(one.SE > 0) {
			b[i].SE = pooled / math.Sqrt(float64(one.N))
		}
	}
	return b, nil
}

// Index returns the index of a system's bias, or -1 if there is none.
func (b Biases) Index(system int) int {
	return slices.IndexFunc(b, func(one Bias) bool { return one.System == system })
}

// Without returns the biases of the other systems.
func (b Biases) Without(system int) Biases {
	return data.Where(b, func(one Bias) bool { return one.System != system })
}

// Model estimates the distribution of the bias over systems. With fewer than LeastSystems systems it returns stats.ErrTooShort.
func (b Biases) Model() (stats.RandomEffects, error) {
	if len(b) < LeastSystems {
		return stats.RandomEffects{}, stats.ErrTooShort
	}
	means := data.Each(b, func(one Bias) float64 { return one.Mean })
	errors := data.Each(b, func(one Bias) float64 { return one.SE })
	return stats.RandomEffectsModel(means, errors, level)
}

// A Transfer has the distribution of a judge's bias over systems. It corrects the judge's means of systems with few labels or none.
type Transfer struct {
	Known   Biases
	Effects stats.RandomEffects // model of Known
	Unseen  stats.RandomEffects // model for a system without labels
}

// Correct returns the mean that people would give to a system, not limited to the scale, and its basis. The first of these that is known
// counts: the correction c by the system's own labels; the judge's mean minus its bias on the system, shrunk towards its bias on the
// others; for a system without labels, the judge's mean minus its mean bias on other systems.
func (t Transfer) Correct(c Correction, mean stats.Figure, system int) (corrected stats.Figure, basis string) {
	i := t.Known.Index(system)
	se := 0.0
	if mean.Bounded {
		se = (mean.High - mean.Low) / 2 / normal
	}
	switch {
	case c.Mean.Known:
		return c.Mean, BasisBoth
	case !mean.Known || t.Effects.K == 0:
		return stats.Figure{}, BasisNone
	case i >= 0:
		bias, low, high := t.Effects.Shrink(i, se)
		return stats.WithInterval(mean.Value-bias, mean.Value-high, mean.Value-low), BasisBoth
	}
	low, high := t.Unseen.Predict(se)
	return stats.WithInterval(mean.Value-t.Unseen.Mean, mean.Value-high, mean.Value-low), BasisTransfer
}

var normal = distuv.UnitNormal.Quantile((1 + level) / 2)
