package raters

import (
	"maps"
	"math"
	"slices"

	"compqa/stats"
	"compqa/stats/agreement"
)

const (
	leastGroup = 5  // fewest values on each side of a contrast
	leastUnits = 10 // fewest units to which a slope is fitted
)

// A Difference is an estimate that counts as missing if its standard error is 0.
type Difference struct{ stats.Estimate }

// Figure returns the estimate with its bounds, or a missing figure if the standard error is 0.
func (e Difference) Figure() stats.Figure {
	known := e.SE > 0
	return stats.Figure{Value: e.Value, Low: e.Low, High: e.High, Known: known, Bounded: known}
}

// Contrast returns the difference between the mean of values inside a group of pairs and the mean outside, by cluster (see
// stats.Linearised). With values of judge minus reference and a group of systems of the judge's own family, it is the family bias. If
// strata is not nil, it has the stratum of each pair, and the contrast is the mean over strata with values on both sides. The standard
// error is stats.ClusteredErrors.Recommended. The contrast is missing if a side has fewer than leastGroup values, or with fewer than three
// clusters.
func (p Pairs) Contrast(values []float64, inside []bool, strata []int, confidence float64) (e Difference) {
	sides := map[int]*[2][]int{} // pairs of a stratum, outside and inside
	for i := range values {
		stratum := 0
		if strata != nil {
			stratum = strata[i]
		}
		if sides[stratum] == nil {
			sides[stratum] = &[2][]int{}
		}
		side := &sides[stratum][int(indicator(inside[i]))]
		*side = append(*side, i)
	}
	maps.DeleteFunc(sides, func(_ int, sides *[2][]int) bool { return sides[0] == nil || sides[1] == nil })
	var groups [][]float64
	var weights []float64
	var clusters []int
	var n [2]int
	for _, stratum := range slices.Sorted(maps.Keys(sides)) {
		for side, pairs := range sides[stratum] {
			var group []float64
			for _, i := range pairs {
				group = append(group, values[i])
				clusters = append(clusters, p.Clusters[i])
			}
			groups = append(groups, group)
			weights = append(weights, float64(2*side-1)/float64(len(sides)))
			n[side] += len(group)
		}
	}
	if min(n[0], n[1]) < leastGroup {
		return e
	}
	total, linear := stats.Linearised(groups, weights)
	if se, err := stats.StandardErrors(linear, clusters); err == nil && se.Clusters >= 3 {
		e.Estimate, _ = se.Interval(se.Recommended(), confidence)
		e.Value = total
	}
	return e
}

// LengthBias returns how judge minus reference changes when a text has twice as many words: a least-squares slope on log₂ of the words.
// The standard error leaves out clusters (CR3); if every unit is a cluster, it is HC3 (MacKinnon and White 1985). Units without words do
// not count. The result is missing with fewer than leastUnits units.
func (t Table) LengthBias(p Pairs, confidence float64) (bias stats.Figure) {
	differences := p.JudgeMinusReference()
	words := make([]float64, 0, len(p.Units))
	gaps := make([]float64, 0, len(p.Units))
	clusters := make([]int, 0, len(p.Units))
	for k, i := range p.Units {
		if n := t.Units[i].Words; n > 0 {
			words = append(words, math.Log2(float64(n)))
			gaps = append(gaps, differences[k])
			clusters = append(clusters, p.Clusters[k])
		}
	}
	if len(words) < leastUnits {
		return bias
	}
	words, gaps = stats.Deviations(words), stats.Deviations(gaps)
	squared := stats.Dot(words, words) // computed once, as each cluster would need it
	sums := make([]float64, 5)
	slopes := stats.AddUp(clusters, len(sums), func(k int) []float64 {
		sums[0], sums[1], sums[2], sums[3], sums[4] = 1, words[k], gaps[k], words[k]*words[k], words[k]*gaps[k]
		return sums
	}).LeaveOut(func(sum []float64) []float64 {
		spread := sum[3] - sum[1]*sum[1]/sum[0]
		if spread < 1e-9*squared { // only one cluster has texts of different lengths
			spread = math.NaN()
		}
		return []float64{(sum[4] - sum[1]*sum[2]/sum[0]) / spread}
	})
	slope := slopes.Values[0]
	squares := 0.0
	for _, v := range slopes.ByFigure[0] {
		squares += (v - slope) * (v - slope)
	}
	e := stats.Estimate{Value: slope, SE: math.Sqrt(squares), DF: float64(len(slopes.ByFigure[0]) - 2), Level: confidence}
	if squared > 1e-9 && stats.IsFinite(e.SE) && e.SE > 0 && e.DF >= 1 && e.SetBounds() == nil {
		bias = Difference{e}.Figure()
	}
	return bias
}

// AltTest runs the alternative-annotator test of a judge and people (agreement.AltTest), by cluster. Values are scored by their distance if
// points is true, and else by equality.
func (t Table) AltTest(judge Rater, people []Rater, points bool, epsilon ...float64) (agreement.AltTestResult, error) {
	o := agreement.AltTestOptions{Epsilon: epsilon, Clusters: t.clusters()}
	if points {
		o.Scoring = agreement.NegRMSE
	}
	columns := columnsOf(append([]Rater{judge}, people...))
	return agreement.AltTest(columns[0], columns[1:], o)
}
