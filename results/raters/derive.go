package raters

import (
	"slices"

	"compqa/data"
	"compqa/stats"
	"compqa/stats/agreement"
)

// Repeats says how several values that a rater gave to one unit become one.
type Repeats int

const (
	FirstValue  Repeats = iota // the first value that is not missing
	MeanOfThem                 // the mean of the values that are not missing
	MostOfThem                 // for labels: the most frequent value, or missing (Tied) if several are equally frequent
	OnlyOfFirst                // the first value, even if it is missing
)

// Of returns one value for the values that a rater gave to one unit, in their order.
func (r Repeats) Of(values []Value) Value {
	given := make([]float64, 0, len(values))
	for _, v := range values {
		if v.Given() {
			given = append(given, v.Number())
		}
	}
	switch {
	case len(values) == 0:
		return Missing(NotAsked)
	case len(given) == 0 || r == OnlyOfFirst:
		return values[0]
	case r == MeanOfThem:
		return Number(stats.Mean(given))
	case r == MostOfThem:
		return most(given)
	}
	return Number(given[0])
}

// MostFrequent returns the most frequent numbers in ascending order; there are several if they are equally frequent.
func MostFrequent(numbers []float64) (frequent []float64) {
	sorted := slices.Sorted(slices.Values(numbers))
	highest := 0
	n := 0 // how often the current number has occurred
	for i, x := range sorted {
		if i > 0 && x != sorted[i-1] {
			n = 0
		}
		n++
		if n > highest {
			highest = n
			frequent = frequent[:0]
		}
		if n == highest {
			frequent = append(frequent, x)
		}
	}
	return frequent
}

// MostFrequent returns the values that a rater gives most often, in ascending order, or nil if it gives none.
func (r Rater) MostFrequent() []float64 {
	var given []float64
	for _, v := range r.Values {
		if v.Given() {
			given = append(given, v.Number())
		}
	}
	return MostFrequent(given)
}

// most returns the most frequent number, or a missing value (Tied) if several numbers are equally frequent.
func most(numbers []float64) Value {
	switch frequent := MostFrequent(numbers); len(frequent) {
	case 0:
		return Missing(NotAsked)
	case 1:
		return Number(frequent[0])
	}
	return Missing(Tied)
}

// givenBy returns the values that some raters gave to a unit.
func givenBy(raters []Rater, unit int) []float64 {
	n := 0
	for _, r := range raters {
		if r.Values[unit].Given() {
			n++
		}
	}
	numbers := make([]float64, 0, n)
	for _, r := range raters {
		if v := r.Values[unit]; v.Given() {
			numbers = append(numbers, v.Number())
		}
	}
	return numbers
}

// Given returns the values that all raters of the table gave to a unit.
func (t Table) Given(unit int) []float64 { return givenBy(t.Raters, unit) }

// derived returns a rater whose value for each unit is computed from the values that people gave to the unit. It is missing (NotAsked) if
// they gave none.
func (t Table) derived(name string, people []Rater, derive func(given []float64) Value) Rater {
	r := Rater{Name: name, Kind: Derived, Values: make([]Value, len(t.Units))}
	for i := range t.Units {
		r.Values[i] = Missing(NotAsked)
		given := givenBy(people, i)
		if len(given) > 0 {
			r.Values[i] = derive(given)
		}
	}
	return r
}

// Majority returns a rater with the most frequent value of people for each unit. The value is missing (Tied) if several values are equally
// frequent.
func (t Table) Majority(people []Rater) Rater { return t.derived("majority", people, most) }

// Mean returns a rater with the mean of people's values for each unit.
func (t Table) Mean(people []Rater) Rater {
	return t.derived("mean", people, func(given []float64) Value { return Number(stats.Mean(given)) })
}

// Median returns a rater with the median of people's values for each unit.
func (t Table) Median(people []Rater) Rater {
	return t.derived("median", people, func(given []float64) Value {
		slices.Sort(given)
		return Number(stats.Quantile(given, 0.5))
	})
}

// Tied counts the units on which a rater, such as a majority, is tied.
func (r Rater) Tied() (n int) {
	for _, v := range r.Values {
		if v.Missing() == Tied {
			n++
		}
	}
	return n
}

// Only returns a rater that keeps its values for the units for which in is true. Its other values are missing (NotAsked).
func (r Rater) Only(in func(unit int) bool) Rater {
	copied := false
	for i, v := range r.Values {
		if !v.Given() || in(i) {
			continue
		}
		if !copied {
			r.Values = slices.Clone(r.Values)
			copied = true
		}
		r.Values[i] = Missing(NotAsked)
	}
	return r
}

// Where returns a table of the units for which in is true.
func (t Table) Where(in func(unit int) bool) Table {
	var kept []int
	for i := range t.Units {
		if in(i) {
			kept = append(kept, i)
		}
	}
	return t.Take(kept)
}

// Take returns a table of the units with the given indexes.
func (t Table) Take(places []int) Table {
	view := t
	view.Units, view.Raters, view.Criteria = make([]Unit, len(places)), slices.Clone(t.Raters), nil
	view.Sheets = nil
	view.Strata = taken(t.Strata, places)
	view.Inclusion = taken(t.Inclusion, places)
	for k, r := range t.Raters {
		view.Raters[k].Values = make([]Value, len(places))
		for i, place := range places {
			view.Raters[k].Values[i] = r.Values[place]
		}
	}
	for i, place := range places {
		view.Units[i] = t.Units[place]
		if t.Criteria != nil {
			view.Criteria = append(view.Criteria, t.Criteria[place])
			view.Sheets = append(view.Sheets, t.Sheets[place])
		}
	}
	return view
}

// taken returns the values with the given indexes, or nil if values is nil.
func taken[V any](values []V, places []int) []V {
	if values == nil {
		return nil
	}
	return data.Each(places, func(place int) V { return values[place] })
}

// Pooled joins the tables of several criteria with the same units and raters into one. Each value of each criterion becomes a unit.
func Pooled(criterion string, tables []Table) Table {
	view := PooledUnits(criterion, tables)
	for k := range tables[0].Raters {
		view.Raters = append(view.Raters, PooledRater(tables, k))
	}
	return view
}

// PooledUnits returns the table of Pooled with its units but without raters.
func PooledUnits(criterion string, tables []Table) Table {
	n := len(tables) * len(tables[0].Units)
	view := Table{Criterion: criterion, Scale: tables[0].Scale, Units: make([]Unit, 0, n)}
	view.Criteria = make([]int, 0, n)
	view.Sheets = make([]int, 0, n)
	for i, u := range tables[0].Units {
		for k := range tables {
			view.Units = append(view.Units, u)
			view.Criteria = append(view.Criteria, k)
			view.Sheets = append(view.Sheets, i)
		}
	}
	return view
}

// PooledRater returns one rater of Pooled. rater is its index in each of the tables.
func PooledRater(tables []Table, rater int) Rater {
	r := tables[0].Raters[rater]
	r.Values = make([]Value, 0, len(tables)*len(r.Values))
	for i := range tables[0].Units {
		for _, t := range tables {
			r.Values = append(r.Values, t.Raters[rater].Values[i])
		}
	}
	return r
}

// Sums adds up each rater's values over the tables of several criteria with the same units and raters. A sum is missing if one of its
// values is.
func Sums(criterion string, tables []Table) Table {
	view := tables[0]
	view.Criterion, view.Raters = criterion, slices.Clone(view.Raters)
	for k := range view.Raters {
		values := slices.Clone(view.Raters[k].Values)
		for _, t := range tables[1:] {
			for i, v := range t.Raters[k].Values {
				switch {
				case values[i].Given() && v.Given():
					values[i] = Number(values[i].Number() + v.Number())
				case values[i].Given():
					values[i] = v
				}
			}
		}
		view.Raters[k].Values = values
	}
	for _, t := range tables[1:] {
		view.Scale.Low += t.Scale.Low
		view.Scale.High += t.Scale.High
	}
	return view
}

// Centring returns a table of the units that both raters rated, with the rater's mean in the unit's stratum subtracted from each value.
// Agreement in this table goes beyond knowing what is usual in a stratum. strata has the stratum of each unit, as any number.
func (t Table) Centring(judge, reference Rater, strata []int) (view Table, ofJudge, ofReference Rater) {
	p := t.Pairs(judge, reference)
	t.Raters = nil
	view = t
	if len(p.Units) < len(t.Units) {
		view = t.Take(p.Units)
	}
	counts := make([]int, len(p.Units))
	for i, unit := range p.Units {
		counts[i] = strata[unit]
	}
	counts = stats.ClusterLabels(counts)
	view.Centred = true
	judge.Values = data.Each(centred(p.Judge, counts), Number)
	reference.Values = data.Each(centred(p.Reference, counts), Number)
	view.Raters = []Rater{judge, reference}
	return view, judge, reference
}

// centred subtracts the mean of its stratum from each value. Strata are numbered from 0 without gaps.
func centred(values []float64, strata []int) []float64 {
	sums := make([]float64, len(values))
	n := make([]int, len(values))
	for i, s := range strata {
		sums[s] += values[i]
		n[s]++
	}
	rest := make([]float64, len(values))
	for i, s := range strata {
		rest[i] = values[i] - sums[s]/float64(n[s])
	}
	return rest
}

// Each returns a table of all pairs of the judge's value and one person's value. It repeats the units for each person, and has two raters:
// the judge and "each person". Its agreement compares with that of people among themselves, however many people there are. It is not
// weighted.
func (t Table) Each(judge Rater, people []Rater) (view Table, ofJudge, person Rater) {
	view = t
	view.Units = slices.Repeat(t.Units, len(people))
	view.Criteria = nil
	view.Sheets = nil
	view.Strata = nil
	ofJudge = Rater{Name: judge.Name, Kind: judge.Kind, Values: slices.Repeat(judge.Values, len(people))}
	person = Rater{Name: "each person", Kind: Derived, Values: make([]Value, 0, len(view.Units))}
	for _, p := range people {
		person.Values = append(person.Values, p.Values...)
	}
	view.Raters = []Rater{ofJudge, person}
	return view, ofJudge, person
}

// Sheets has the complete score sheets of two raters on the same units, with the cluster of each unit. The scores of a sheet are in the
// order of the criteria.
type Sheets struct {
	Reference, Judge [][]float64
	Clusters         []int
}

// Add adds one answer: the points of the reference and of the judge on each criterion, and the answer's question as cluster.
func (s *Sheets) Add(reference, judge []float64, cluster int) {
	s.Reference = append(s.Reference, reference)
	s.Judge = append(s.Judge, judge)
	s.Clusters = append(s.Clusters, cluster)
}

// Criteria returns a table of points for each of n criteria. Each table has the reference as its first rater and the judge as its second.
func (s Sheets) Criteria(n int) []Table {
	tables := make([]Table, n)
	for k := range tables {
		reference := make([]float64, len(s.Reference))
		judge := make([]float64, len(s.Judge))
		for i, sheet := range s.Reference {
			reference[i], judge[i] = sheet[k], s.Judge[i][k]
		}
		tables[k] = Points(reference, judge, s.Clusters)
	}
	return tables
}

// Points returns a table of two raters who gave points to the same units: first the reference, then the judge. If clusters is nil, each
// unit is a cluster of its own.
func Points(reference, judge []float64, clusters []int) Table {
	t := Table{Scale: Scale{Level: agreement.Interval}, Units: make([]Unit, len(reference)),
		Raters: []Rater{{Name: "reference", Kind: Person}, {Name: "judge", Kind: Judge}}}
	for i := range t.Units {
		t.Units[i].Cluster = i
		if clusters != nil {
			t.Units[i].Cluster = clusters[i]
		}
		t.Raters[0].Values = append(t.Raters[0].Values, Number(reference[i]))
		t.Raters[1].Values = append(t.Raters[1].Values, Number(judge[i]))
	}
	return t
}

// Pair measures the second rater of a table of two against the first, which is the reference (see Against).
func (t Table) Pair(o Options) Row { return t.Against(t.Raters[1], t.Raters[0], o) }
