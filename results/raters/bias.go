package raters

import (
	"maps"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"compqa/stats"
	"compqa/stats/agreement"
)

const (
	leastGroup = 5  // units of each group of a contrast
	leastUnits = 10 // units from which a slope is fitted
)

// An Interval is an estimate that is missing where its standard error is 0.
type Interval struct{ stats.Estimate }

// Figure is the estimate with its bounds.
func (e Interval) Figure() Figure {
	known := e.SE > 0
	return Figure{Value: e.Value, Low: e.Low, High: e.High, Known: known, Bounded: known}
}

// Contrast is the difference between the means of values inside and outside of a group of pairs, by cluster (see
// stats.Linearised); of judge minus reference, inside being systems of the judge's family, it is the family bias. The standard
// error is CR1, with Student's t of G-1 degrees of freedom; without leastGroup values on each side, or three clusters, it is missing.
func (p Pairs) Contrast(values []float64, inside []bool, confidence float64) (e Interval) {
	groups, of := make([][]float64, 2), make([][]int, 2)
	for i, v := range values {
		k := int(indicator(inside[i]))
		groups[k], of[k] = append(groups[k], v), append(of[k], p.Clusters[i])
	}
	if min(len(groups[0]), len(groups[1])) < leastGroup {
		return e
	}
	_, linear := stats.Linearised(groups, []float64{-1, 1})
	if se, err := stats.StandardErrors(linear, slices.Concat(of...)); err == nil && se.Clusters >= 3 {
		e.Estimate, _ = se.Interval(stats.CR1, confidence)
	}
	return e
}

// LengthBias is the change of judge minus reference for a unit of twice as many words: least squares on log₂ of the words, with
// standard errors by leaving out clusters (CR3), which are HC3 where every unit is a cluster (MacKinnon and White 1985). Units
// without words do not count; fewer than leastUnits have none.
func (t Table) LengthBias(p Pairs, confidence float64) (bias Figure) {
	differences := p.JudgeMinusReference()
	var words, gaps []float64
	var clusters []int
	for k, i := range p.Units {
		if n := t.Units[i].Words; n > 0 {
			words, gaps, clusters = append(words, math.Log2(float64(n))), append(gaps, differences[k]), append(clusters, p.Clusters[k])
		}
	}
	if len(words) < leastUnits {
		return bias
	}
	words, gaps = stats.Deviations(words), stats.Deviations(gaps)
	slope, leftOut := LeaveOut(clusters, 5, func(k int) []float64 {
		return []float64{1, words[k], gaps[k], words[k] * words[k], words[k] * gaps[k]}
	}, func(sum []float64) float64 {
		spread := sum[3] - sum[1]*sum[1]/sum[0]
		if spread < 1e-9*stats.Dot(words, words) { // one cluster decides
			return math.NaN()
		}
		return (sum[4] - sum[1]*sum[2]/sum[0]) / spread
	})
	squares := 0.0
	for _, v := range leftOut {
		squares += (v - slope) * (v - slope)
	}
	e := stats.Estimate{Value: slope, SE: math.Sqrt(squares), DF: float64(len(leftOut) - 2), Level: confidence}
	if stats.Dot(words, words) > 1e-9 && stats.IsFinite(e.SE) && e.SE > 0 && e.DF >= 1 && e.SetBounds() == nil {
		bias = Interval{e}.Figure()
	}
	return bias
}

// LeaveOut is a statistic of n sums over units, and its values without each cluster. A unit without sums does not count.
func LeaveOut(clusters []int, n int, sumsOf func(i int) []float64, statistic func(sums []float64) float64) (v float64, leftOut []float64) {
	all, of := make([]float64, n), map[int][]float64{}
	for i, cluster := range clusters {
		if sums := sumsOf(i); sums != nil {
			if of[cluster] == nil {
				of[cluster] = make([]float64, n)
			}
			floats.Add(of[cluster], sums)
			floats.Add(all, sums)
		}
	}
	for _, c := range slices.Sorted(maps.Keys(of)) {
		leftOut = append(leftOut, statistic(floats.SubTo(make([]float64, n), all, of[c])))
	}
	return statistic(all), leftOut
}

// AltTest is the alternative-annotator test of a judge and people (agreement.AltTest), by cluster. points says that values are
// scored by their distance, and else by equality.
func (t Table) AltTest(judge Rater, people []Rater, points bool, epsilon ...float64) (agreement.AltTestResult, error) {
	o := agreement.AltTestOptions{Epsilon: epsilon, Clusters: t.clusters()}
	if points {
		o.Scoring = agreement.NegRMSE
	}
	columns := columnsOf(append([]Rater{judge}, people...))
	return agreement.AltTest(columns[0], columns[1:], o)
}
