package summaries

import (
	"cmp"
	"maps"
	"slices"

	"compqa/data"
	"compqa/results/dataset"
	"compqa/results/table"
	"compqa/stats"
	"compqa/stats/agreement"
)

// A level is what judges of summaries are compared on: a label of each row, of each pair of rows, or
// of each value.
type level struct {
	name, kind string                                          // kind of the labels
	of         func(data.ContrastTable, data.Labels) []float64 // -1: not given
}

const levelUseful = "useful"

var levels = []level{
	{"label", data.LabelRows, rowsAs(func(r data.RowLabel) float64 { return float64(slices.Index(data.RowLabelNames, r.Label)) })},
	{levelUseful, data.LabelRows, rowsAs(func(r data.RowLabel) float64 {
		if r.Label == data.RowUnlabelled {
			return -1
		}
		return dataset.Indicator(r.Helps())
	})},
	{"relevant", data.LabelRows, rowsAs(func(r data.RowLabel) float64 {
		if r.Relevant == nil {
			return -1
		}
		return dataset.Indicator(*r.Relevant)
	})},
	{"merged", data.LabelPartition, func(t data.ContrastTable, l data.Labels) (list []float64) {
		group := make([]int, len(t.Rows)+1)
		for g, rows := range l.Partition {
			for _, r := range rows {
				group[r] = g
			}
		}
		for i := range t.Rows {
			for j := range i {
				list = append(list, dataset.Indicator(group[i+1] == group[j+1]))
			}
		}
		return list
	}},
	{"kept", data.LabelConsistent, valuesAs(func(l data.Labels, row, cell, value int) bool {
		return slices.Contains(l.Consistent[row].Cells()[cell], value+1)
	})},
	{"supported", data.LabelSupport, valuesAs(func(l data.Labels, row, cell, value int) bool {
		return l.Support[row].Cells()[cell][value].Supported
	})},
	{"wrong_entity", data.LabelSupport, valuesAs(func(l data.Labels, row, cell, value int) bool {
		return l.Support[row].Cells()[cell][value].WrongEntity
	})},
}

func rowsAs(of func(data.RowLabel) float64) func(data.ContrastTable, data.Labels) []float64 {
	return func(_ data.ContrastTable, l data.Labels) (list []float64) {
		for _, r := range l.Rows {
			list = append(list, of(r))
		}
		return list
	}
}

func valuesAs(is func(l data.Labels, row, cell, value int) bool) func(data.ContrastTable, data.Labels) []float64 {
	return func(t data.ContrastTable, l data.Labels) (list []float64) {
		for i, row := range t.Rows {
			for k, values := range row.Cells() {
				for v := range values {
					list = append(list, dataset.Indicator(is(l, i, k, v)))
				}
			}
		}
		return list
	}
}

// An AgreementRow is the agreement of a judge of summaries with a reference: with people, by
// the majority of those who labelled a unit, or with another judge. Where people are tied, a unit
// is left out.
type AgreementRow struct {
	Judge        string        `csv:"judge"`
	Reference    string        `csv:"reference"`
	Kind         string        `csv:"kind"` // human: among people, the ceiling
	Level        string        `csv:"level"`
	N            int           `csv:"n"`
	Ties         int           `csv:"ties"`
	Agreement    table.Bounded `csv:"agreement,ci_low,ci_high"`
	AlphaNominal table.Figure  `csv:"alpha_nominal"`
	TrainedOn    string        `csv:"trained_on"`
}

// A unit is a thing that judges label: its summary, and its number within it.
type unit struct{ answer, number int }

// units are a judge's labels at a level.
func (t *Tables) units(judge string, at level) map[unit]float64 {
	of := map[unit]float64{}
	for _, s := range t.systems {
		t.each(t.x.Systems[s].Name, func(i int, s *dataset.Summary) {
			l, ok := labels(s, judge, at.kind)
			if !ok {
				return
			}
			for n, v := range at.of(*s.Table, l) {
				if v >= 0 {
					of[unit{i, n}] = v
				}
			}
		})
	}
	return of
}

// agree compares the judges with people, and with each other.
func (t *Tables) agree() {
	var machines, persons []judge
	for _, j := range t.judges {
		if j.kind == dataset.KindHuman {
			persons = append(persons, j)
		} else {
			machines = append(machines, j)
		}
	}
	for _, at := range levels {
		by := map[string]map[unit]float64{}
		for _, j := range t.judges {
			by[j.name] = t.units(j.name, at)
		}
		reference, ties := majorities(persons, by)
		row := AgreementRow{Reference: people, Kind: dataset.KindOfJudge, Level: at.name, Ties: ties}
		if len(persons) == 1 {
			row.Reference = persons[0].name
		}
		for _, j := range machines {
			row.Judge, row.TrainedOn = j.name, j.trainedOn
			t.compare(row, by[j.name], reference)
		}
		if len(reference) > 0 {
			t.among(persons, by, at.name)
			row.Judge, row.Kind, row.TrainedOn = "constant", dataset.KindFloor, ""
			t.compare(row, constant(reference), reference)
			for _, j := range machines {
				row.Judge = dataset.ShuffledPrefix + j.name
				t.compare(row, t.shuffled(by[j.name], j.name+at.name), reference)
			}
		}
		for i, j := range machines {
			for _, other := range machines[i+1:] {
				t.compare(AgreementRow{Judge: j.name, Reference: other.name, Kind: dataset.KindOfJudge, Level: at.name, TrainedOn: j.trainedOn},
					by[j.name], by[other.name])
			}
		}
	}
}

// shuffled gives each unit the judge's label of another one, drawn with the run's seed.
func (t *Tables) shuffled(judge map[unit]float64, name string) map[unit]float64 {
	list := sorted(judge)
	from := slices.Clone(list)
	stats.NewRNG(t.x.Resampling().Seed, dataset.ShuffledPrefix+name).Shuffle(len(from), func(i, k int) { from[i], from[k] = from[k], from[i] })
	of := map[unit]float64{}
	for i, u := range list {
		of[u] = judge[from[i]]
	}
	return of
}

// majorities are what most of the people who labelled a unit say of it, and the number of units
// at which they are tied.
func majorities(persons []judge, by map[string]map[unit]float64) (of map[unit]float64, ties int) {
	votes := map[unit][]float64{}
	for _, p := range persons {
		for u, v := range by[p.name] {
			votes[u] = append(votes[u], v)
		}
	}
	of = map[unit]float64{}
	for u, given := range votes {
		if most := frequent(given); len(most) == 1 {
			of[u] = most[0]
		} else {
			ties++
		}
	}
	return of, ties
}

// frequent are the most frequent of labels, ascending.
func frequent(labels []float64) (most []float64) {
	counts := map[float64]int{}
	for _, v := range labels {
		counts[v]++
	}
	n := slices.Max(slices.Collect(maps.Values(counts)))
	maps.DeleteFunc(counts, func(_ float64, k int) bool { return k < n })
	return slices.Sorted(maps.Keys(counts))
}

// constant gives every unit the most frequent label of a reference: a judge that does not look.
func constant(reference map[unit]float64) map[unit]float64 {
	most := frequent(slices.Collect(maps.Values(reference)))[0]
	of := map[unit]float64{}
	for u := range reference {
		of[u] = most
	}
	return of
}

// sorted are the units of labels in their order.
func sorted(of map[unit]float64) []unit {
	return slices.SortedFunc(maps.Keys(of), func(a, b unit) int {
		return cmp.Or(cmp.Compare(a.answer, b.answer), cmp.Compare(a.number, b.number))
	})
}

// compare adds a row, if the two have units in common.
func (t *Tables) compare(row AgreementRow, judge, reference map[unit]float64) {
	var same dataset.Sample
	var x, y []float64
	for _, u := range sorted(judge) {
		if v, both := reference[u]; both {
			same.Add(dataset.Indicator(judge[u] == v), t.x.Question[u.answer])
			x, y = append(x, judge[u]), append(y, v)
		}
	}
	if row.N = len(x); row.N == 0 {
		return
	}
	row.Agreement = t.calc.Share(same, stats.ErrUndefined).Bounded
	row.AlphaNominal = table.FigureOf(t.calc.Alpha(x, y, agreement.Nominal))
	t.Agreements = append(t.Agreements, row)
}

// among adds the agreement among people: the mean, over units that several of them labelled, of
// the share of pairs of people who say the same. It is the ceiling of a judge.
func (t *Tables) among(persons []judge, by map[string]map[unit]float64, level string) {
	row := AgreementRow{Judge: people, Reference: people, Kind: dataset.KindHuman, Level: level}
	all := map[unit]float64{}
	for _, p := range persons {
		maps.Copy(all, by[p.name])
	}
	raters := make([]agreement.Rater, len(persons))
	var sample dataset.Sample
	for _, u := range sorted(all) {
		var given []float64
		for i, p := range persons {
			v, has := by[p.name][u]
			raters[i].Values, raters[i].Missing = append(raters[i].Values, v), append(raters[i].Missing, !has)
			if has {
				given = append(given, v)
			}
		}
		if share, several := pairs(given); several {
			sample.Add(share, t.x.Question[u.answer])
		}
	}
	if row.N = len(sample.Values); row.N == 0 {
		return
	}
	row.Agreement = t.calc.Mean(sample).Bounded
	clamp(&row.Agreement, 0, 1)
	ratings, err := agreement.NewRatings(raters...)
	var alpha agreement.AlphaResult
	if err == nil {
		alpha, err = agreement.Alpha(ratings, agreement.Nominal)
	}
	row.AlphaNominal = table.FigureOf(t.calc.Value(alpha.Alpha, err))
	t.Agreements = append(t.Agreements, row)
}

// pairs is the share of pairs of people who say the same of a unit, in [0, 1]; false for fewer
// than two people.
func pairs(labels []float64) (float64, bool) {
	var of ratio
	for i := range labels {
		for _, other := range labels[i+1:] {
			of.add(labels[i] == other)
		}
	}
	if of.of == 0 {
		return 0, false
	}
	return float64(of.part) / float64(of.of), true
}
