package raters

import "compqa/stats"

// Names of floors. A floor is a rater that does not look at what it rates: a judge that does not agree better than floors adds no
// information.
const (
	ConstantName      = "constant"
	CriterionMeanName = "criterion-mean"
	ShuffledPrefix    = "shuffled:"
)

// Constant returns a floor that gives every unit the same value, for instance the value that a reference gives most often (MostFrequent).
func (t Table) Constant(value float64) Rater {
	r := Rater{Name: ConstantName, Kind: Floor, Values: make([]Value, len(t.Units))}
	for i := range r.Values {
		r.Values[i] = Number(value)
	}
	return r
}

// CriterionMean returns a floor that gives each unit the mean of the reference's values in all other clusters. The mean is not rounded to
// the scale, so that its squared error is smallest. It is missing if no other cluster has values.
func (t Table) CriterionMean(reference Rater) Rater {
	r := Rater{Name: CriterionMeanName, Kind: Floor, Means: true, Values: make([]Value, len(t.Units))}
	sum := 0.0
	n := 0
	sums := map[int]float64{}
	count := map[int]int{}
	for i, v := range reference.Values {
		if c := t.Units[i].Cluster; v.Given() {
			sum = sum + v.Number()
			n++
			sums[c] = sums[c] + v.Number()
			count[c] = count[c] + 1
		}
	}
	for i, v := range reference.Values {
		c := t.Units[i].Cluster
		r.Values[i] = Missing(NotAsked)
		if v.Given() && n > count[c] {
			r.Values[i] = Number((sum - sums[c]) / float64(n-count[c]))
		}
	}
	return r
}

// Shuffled returns a floor that permutes the judge's values, by rng, among the items that judge and reference both rated. The distribution
// of values stays the same. Consecutive units with the same ID are one item.
func (t Table) Shuffled(judge, reference Rater, rng *stats.RNG) Rater {
	r := Rater{Name: ShuffledPrefix + judge.Name, Kind: Floor, Means: judge.Means, Values: make([]Value, len(t.Units))}
	items := make([]int, len(t.Units))
	values := []float64{}
	last := -1
	for i, v := range judge.Values {
		if !v.Given() || !reference.Values[i].Given() {
			items[i] = -1
			continue
		}
		if last < 0 || t.Units[i].ID != t.Units[last].ID {
			values = append(values, v.Number())
		}
		items[i] = len(values) - 1
		last = i
	}
	rng.Shuffle(len(values), func(i, k int) { values[i], values[k] = values[k], values[i] })
	for i, item := range items {
		r.Values[i] = Missing(NotAsked)
		if item >= 0 {
			r.Values[i] = Number(values[item])
		}
	}
	return r
}
