package trust

import (
	"errors"
	"math"
	"slices"

	"compqa/results/raters"
	"compqa/stats"
	"compqa/stats/agreement"
)

// An estimate is a figure with its standard error, which is 0 if nothing varies.
type estimate struct{ stats.Estimate }

// A measurement has the figures of a study, and what is needed to decide.
type measurement struct {
	Study
	Figures
	single, difference estimate
	unbiased, gain     stats.Figure // Single if Bias is subtracted from the judge's values, and the same minus People
	twiceClusters      int
	alike              bool // all values of the judge and people are the same
	constantJudge      bool // all values of the judge are the same
}

// Indexes of the sums over items from which all figures are computed. Sums of values are sums of moments: at interval level the value and
// its square, at nominal level an indicator of each category.
const (
	sumItems   = iota // items that the judge and a person rated
	sumApart          // mean distance of the judge's value from people's
	sumBias           // the judge's value minus people's mean
	sumTwice          // items that two people rated
	sumValues         // number of people's values of these items
	sumWithin         // number of values times their mean distance from each other
	sumMoments        // first index of three sums of moments: the judge's, people's mean, and people's of the items in sumTwice
)

// compute fills in the figures of the items for which in is true, or of all items if in is nil.
func (m *measurement) compute(in func(unit int) bool) {
	clusters := make([]int, 0, len(m.Table.Units)) // cluster of each item
	twice := make([]int, 0, len(m.Table.Units))    // cluster of each item that two people rated
	persons := make([]bool, len(m.PeopleRaters))
	values := map[float64]bool{}
	given := map[float64]bool{} // values of all, and values of the judge
	byPeople := func(i int) bool {
		return (in == nil || in(i)) && slices.ContainsFunc(m.PeopleRaters, func(p raters.Rater) bool { return p.Values[i].Given() })
	}
	rated := func(i int) bool { return m.JudgeRater.Values[i].Given() && byPeople(i) }
	for i := range m.Table.Units {
		if !rated(i) {
			if missing := m.JudgeRater.Values[i].Missing(); missing != raters.Given && missing != raters.NotAsked && byPeople(i) {
				m.Silent++
			}
			continue
		}
		n := 0
		values[m.JudgeRater.Values[i].Number()], given[m.JudgeRater.Values[i].Number()] = true, true
		for k, p := range m.PeopleRaters {
			if p.Values[i].Given() {
				persons[k], values[p.Values[i].Number()] = true, true
				n++
			}
		}
		m.Items++
		clusters = append(clusters, m.Table.Units[i].Cluster)
		if n > 1 {
			m.ItemsOfTwoPeople++
			twice = append(twice, m.Table.Units[i].Cluster)
		}
	}
	m.Clusters = stats.Different(clusters)
	m.twiceClusters = stats.Different(twice)
	m.alike = len(values) == 1
	for _, rated := range persons {
		if rated {
			m.Persons++
		}
	}
	m.constantJudge = len(given) == 1
	if m.Items == 0 {
		return
	}
	categories := sorted(values)
	scale := distances{agreement.NewDistances(categories, m.Table.Scale.Level)}
	sums := func(i int) []float64 { return scale.sums(m.JudgeRater.Values[i].Number(), m.PeopleRaters, i) }
	estimates := m.leaveOut(in, rated, sumMoments+3*len(scale.Moments(categories[0])), sums, scale.figures)
	bound := func(k int, factor float64) (estimate, stats.Figure) {
		e := estimates[k]
		e.Value = factor * e.Value
		e.SE = factor * e.SE
		if math.IsNaN(e.Value) {
			return e, stats.Figure{}
		}
		f := stats.Number(e.Value)
		if !math.IsNaN(e.SE) {
			t := stats.Estimate{Value: e.Value, SE: e.SE, DF: e.DF, Level: level}
			t.Low = e.Value
			t.High = e.Value
			if e.SE > 0 && t.SetBounds() != nil {
				return e, f
			}
			f.Low = t.Low
			f.High = t.High
			f.Bounded = true
		}
		return e, f
	}
	m.single, m.Single = bound(0, 1)
	_, m.People = bound(1, 1)
	m.Single, m.People = clampInterval(m.Single), clampInterval(m.People)
	m.difference, m.Difference = bound(2, 1)
	if !scale.Nominal() {
		_, m.Bias = bound(3, scale.Width())
		_, m.unbiased = bound(4, 1)
		_, m.gain = bound(5, 1)
		m.Unbiased = m.unbiased.Point()
	}
}

// clampInterval limits the bounds of a figure to [-1, 1].
func clampInterval(f stats.Figure) stats.Figure {
	if f.Bounded {
		f.Low = max(-1, f.Low)
		f.High = min(1, f.High)
	}
	return f
}

func sorted(values map[float64]bool) (list []float64) {
	for v := range values {
		list = append(list, v)
	}
	slices.Sort(list)
	return list
}

// A distances measures how far the values of a judge and people are apart.
type distances struct{ agreement.Distances }

// sums returns the sums of one item. All figures are computed from their totals over items.
func (d distances) sums(judge float64, people []raters.Rater, item int) []float64 {
	values := d.Moments(judge)
	width := len(values)
	sums := make([]float64, sumMoments+3*width)
	ofJudge := sums[sumMoments : sumMoments+width]
	ofPeople := sums[sumMoments+width : sumMoments+2*width]
	ofTwice := sums[sumMoments+2*width:]
	copy(ofJudge, values)
	var given []float64
	for _, p := range people {
		if p.Values[item].Given() {
			given = append(given, p.Values[item].Number())
		}
	}
	unit := d.UnitSums(given)
	n := unit[0]
	within := unit[1]
	copy(ofPeople, unit[2:])
	if !d.Nominal() {
		x := values[0]
		s := ofPeople[0]
		q := ofPeople[1]
		sums[sumApart] = x*x - 2*x*s/n + q/n
		sums[sumBias] = x - s/n
	} else {
		sums[sumApart] = 1 - stats.Dot(values, ofPeople)/n
	}
	sums[sumItems] = 1
	if n > 1 {
		sums[sumTwice] = 1
		sums[sumValues] = n
		sums[sumWithin] = within
		copy(ofTwice, ofPeople)
	}
	for k := range ofPeople {
		ofPeople[k] /= n
	}
	return sums
}

// figures returns six figures from totals: single, people, single minus people, bias, single without bias, and the latter minus people. A
// figure is NaN if it is undefined.
func (d distances) figures(total []float64) []float64 {
	n := total[sumItems]
	width := (len(total) - sumMoments) / 3
	pooled := make([]float64, width)
	unbiased := make([]float64, width)
	people := make([]float64, width)
	bias := total[sumBias] / n
	for k := range width {
		ofJudge := total[sumMoments+k] / n
		ofPeople := total[sumMoments+width+k] / n
		pooled[k] = (ofJudge + ofPeople) / 2
		unbiased[k] = pooled[k]
		people[k] = total[sumMoments+2*width+k] / total[sumValues]
	}
	if !d.Nominal() {
		mean := total[sumMoments] / n // mean of the judge's values
		unbiased[0] -= bias / 2
		unbiased[1] += (bias*bias - 2*bias*mean) / 2
	}
	single := 1 - total[sumApart]/n/d.Expected(pooled, 2*n)
	among := math.NaN()
	if total[sumTwice] > 0.5 {
		among = 1 - total[sumWithin]/total[sumValues]/d.Expected(people, total[sumValues])
	}
	without := 1 - (total[sumApart]/n-bias*bias)/d.Expected(unbiased, 2*n)
	return []float64{single, among, single - among, bias, without, without - among}
}

// leaveOut returns the figures with standard errors from leaving out clusters. A standard error is NaN if a figure is undefined without
// some cluster.
func (m *measurement) leaveOut(in, rated func(int) bool, width int, sums func(int) []float64, figures stats.Statistic) (all []estimate) {
	units, err := m.sums(in, rated, width, sums)
	if err != nil { // no stratum has labels
		return slices.Repeat([]estimate{{stats.Estimate{Value: math.NaN(), SE: math.NaN()}}}, len(figures(make([]float64, width))))
	}
	without := units.LeaveOut(figures)
	perfect := func(k int) bool { return without.Values[k] == 1 } // the figure is 1 whichever cluster is left out
	for k := range without.Values {
		e, err := without.Jackknife(k, level)
		certain := !m.Table.Weighted() || k < 2 && perfect(k) || k == 2 && perfect(0) && perfect(1)
		if err != nil && !(errors.Is(err, stats.ErrZeroWidth) && certain) {
			e.SE = math.NaN()
		}
		all = append(all, estimate{e})
	}
	return all
}

// sums adds up the sums of all rated items, with the weights of the table.
func (m *measurement) sums(in, rated func(int) bool, width int, sums func(int) []float64) (*stats.Sums, error) {
	if m.Table.Weighted() {
		judged := func(i int) bool { return (in == nil || in(i)) && m.JudgeRater.Values[i].Given() }
		return m.Table.Sample(judged, rated).NewSums(width, func(i int, add func(kind int, amount float64)) {
			for k, v := range sums(i) {
				if v != 0 {
					add(k, v)
				}
			}
		}, nil)
	}
	units := make([]int, 0, len(m.Table.Units))
	clusters := make([]int, 0, len(m.Table.Units)) // cluster of each rated item
	for i, u := range m.Table.Units {
		if rated(i) {
			units = append(units, i)
			clusters = append(clusters, u.Cluster)
		}
	}
	return stats.AddUp(clusters, width, func(k int) []float64 { return sums(units[k]) }), nil
}
