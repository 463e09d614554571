package agreement

import (
	"math"
	"slices"

	"compqa/stats"
)

// Distances define how far apart two values are. At nominal level, different values have distance 1. At other levels, the distance is the
// squared difference, in units of the range. Nominal and interval alpha can be computed from sums of moments over units, with any weights
// of the units.
type Distances struct {
	origin, width float64
	categories    []float64 // nil for interval level
}

// NewDistances returns the distances for values in ascending order. There must be at least one value.
func NewDistances(values []float64, level Level) Distances {
	d := Distances{origin: values[0], width: max(values[len(values)-1]-values[0], 1e-300)}
	if level == Nominal {
		d.categories = slices.Compact(slices.Clone(values))
	}
	return d
}

// Nominal reports whether the values are names, with distances 0 or 1.
func (d Distances) Nominal() bool { return d.categories != nil }

// Width returns the width of the range of the values.
func (d Distances) Width() float64 { return d.width }

// Moments returns the moments of one value. At interval level, these are x, the value minus the least one in units of the range, and x².
// At nominal level, they are the indicators of the categories.
func (d Distances) Moments(value float64) []float64 {
	n := 2
	if d.categories != nil {
		n = len(d.categories)
	}
	all := make([]float64, n)
	d.add(all, value)
	return all
}

// add adds the moments of a value to others.
func (d Distances) add(moments []float64, value float64) {
	if d.categories == nil {
		x := (value - d.origin) / d.width
		moments[0] += x
		moments[1] += float64(x * x)
		return
	}
	k, _ := slices.BinarySearch(d.categories, value)
	moments[k]++
}

// UnitSums returns what the values of one unit add to Alpha's sums: their number n, n times the mean distance of two of them, and their
// moments.
func (d Distances) UnitSums(values []float64) []float64 {
	n := float64(len(values))
	moments := d.Moments(values[0])
	for _, v := range values[1:] {
		d.add(moments, v)
	}
	within := (n*n - stats.Dot(moments, moments)) / (n - 1)
	if d.categories == nil {
		within = 2 * (n*moments[1] - moments[0]*moments[0]) / (n - 1)
	}
	return append([]float64{n, within}, moments...)
}

// Alpha returns Krippendorff's alpha from the sums of UnitSums over units. It is NaN if the values do not vary.
func (d Distances) Alpha(sums []float64) float64 {
	means := make([]float64, len(sums)-2)
	for k := range means {
		means[k] = sums[2+k] / sums[0]
	}
	return 1 - sums[1]/sums[0]/d.Expected(means, sums[0])
}

// Expected returns the expected distance of two of n values with these mean moments. It is NaN if the values do not vary.
func (d Distances) Expected(moments []float64, n float64) float64 {
	e := 0.0
	if d.categories == nil {
		e = 2 * (moments[1] - moments[0]*moments[0])
	} else {
		e = 1 - stats.Dot(moments, moments)
	}
	if e <= 1e-12 {
		return math.NaN()
	}
	return e * n / (n - 1)
}
