package raters

import "compqa/stats"

// The names of floors: raters that do not look at what they rate. A judge that does not beat them adds no information.
const (
	ConstantName      = "constant"
	CriterionMeanName = "criterion-mean"
	ShuffledPrefix    = "shuffled:"
)

// Constant gives every unit the same value: the highest of the scale, or what a reference gives most (MostFrequent).
func (t Table) Constant(value float64) Rater {
	r := Rater{Name: ConstantName, Kind: Floor, Values: make([]Value, len(t.Units))}
	for i := range r.Values {
		r.Values[i] = Number(value)
	}
	return r
}

// CriterionMean gives a unit the mean of what a reference gives to the units of all other clusters. It is not rounded to the
// scale, so that it has the least squared error. A unit without others is missing.
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

// Shuffled gives each item that judge and reference both rated the judge's value of another one of these, drawn with rng. It
// keeps the distribution of the judge's values. Units of one ID that follow each other are one item.
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
