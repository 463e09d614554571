package summaries

import (
	"maps"
	"slices"

	"compqa/data"
	"compqa/results/dataset"
	"compqa/results/table"
	"compqa/stats"
	"compqa/stats/agreement"
)

// The levels at which judges of summaries are compared.
const (
	levelLabel       = "label"        // the label of a row, of those in data.RowLabelNames
	levelUseful      = "useful"       // whether a row helps
	levelRelevant    = "relevant"     // whether a row is relevant
	levelMerged      = "merged"       // whether two attributes of a summary are the same
	levelKept        = "kept"         // whether a value is in the largest consistent set
	levelSupported   = "supported"    // whether quotes support a value
	levelWrongEntity = "wrong_entity" // whether a value is about the other object
)

var levels = []string{levelLabel, levelUseful, levelRelevant, levelMerged, levelKept, levelSupported, levelWrongEntity}

// kindOfLevel is the kind of labels that a level looks at.
var kindOfLevel = map[string]string{levelLabel: data.LabelRows, levelUseful: data.LabelRows, levelRelevant: data.LabelRows,
	levelMerged: data.LabelPartition, levelKept: data.LabelConsistent, levelSupported: data.LabelSupport, levelWrongEntity: data.LabelSupport}

// The kinds of agreement, as in agreement.csv.
const (
	kindJudge = dataset.KindOfJudge
	kindHuman = dataset.KindHuman // among people: the ceiling
	kindFloor = dataset.KindFloor
)

// An AgreementRow is the agreement of a judge of summaries with a reference: with people, by
// the majority of those who labelled a unit, or with another judge. Units are rows, pairs of
// attributes, or values. Where people are tied, a unit is left out.
type AgreementRow struct {
	Judge        string        `csv:"judge"`
	Reference    string        `csv:"reference"`
	Kind         string        `csv:"kind"`
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
func (t *Tables) units(judge, level string) map[unit]float64 {
	of := map[unit]float64{}
	for _, s := range t.systems {
		t.each(t.x.Systems[s].Name, func(i int, s *dataset.Summary) {
			l, ok := labels(s, judge, kindOfLevel[level])
			if !ok {
				return
			}
			for n, v := range codes(l, *s.Table, level) {
				if v >= 0 {
					of[unit{i, n}] = v
				}
			}
		})
	}
	return of
}

// codes are the labels of a summary's units as numbers; -1: not given.
func codes(l data.Labels, t data.ContrastTable, level string) (list []float64) {
	is := func(b bool) { list = append(list, dataset.Indicator(b)) }
	switch level {
	case levelMerged:
		group := make([]int, len(t.Rows)+1)
		for g, rows := range l.Partition {
			for _, r := range rows {
				group[r] = g
			}
		}
		for i := range t.Rows {
			for j := range i {
				is(group[i+1] == group[j+1])
			}
		}
		return list
	case levelLabel, levelUseful, levelRelevant:
		for _, r := range l.Rows {
			switch {
			case r.Label == data.RowUnlabelled && level != levelRelevant:
				list = append(list, -1)
			case level == levelLabel:
				list = append(list, float64(slices.Index(data.RowLabelNames, r.Label)))
			case level == levelUseful:
				is(r.Helps())
			case r.Relevant == nil:
				list = append(list, -1)
			default:
				is(*r.Relevant)
			}
		}
		return list
	}
	for i, row := range t.Rows {
		for k, values := range row.Cells() {
			for v := range values {
				switch level {
				case levelKept:
					is(slices.Contains(l.Consistent[i].Cells()[k], v+1))
				case levelSupported:
					is(l.Support[i].Cells()[k][v].Supported)
				case levelWrongEntity:
					is(l.Support[i].Cells()[k][v].WrongEntity)
				}
			}
		}
	}
	return list
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
	for _, level := range levels {
		by := map[string]map[unit]float64{}
		for _, j := range t.judges {
			by[j.name] = t.units(j.name, level)
		}
		reference, ties := majorities(persons, by)
		name := people
		if len(persons) == 1 {
			name = persons[0].name
		}
		for _, j := range machines {
			t.compare(AgreementRow{Judge: j.name, Reference: name, Kind: kindJudge, Level: level, Ties: ties, TrainedOn: j.trainedOn}, by[j.name],
				reference)
		}
		if len(reference) > 0 {
			t.among(persons, by, level)
			t.compare(AgreementRow{Judge: "constant", Reference: name, Kind: kindFloor, Level: level, Ties: ties}, constant(reference), reference)
			for _, j := range machines {
				t.compare(AgreementRow{Judge: dataset.ShuffledPrefix + j.name, Reference: name, Kind: kindFloor, Level: level, Ties: ties},
					t.shuffled(by[j.name], j.name+level), reference)
			}
		}
		for i, j := range machines {
			for _, other := range machines[i+1:] {
				t.compare(AgreementRow{Judge: j.name, Reference: other.name, Kind: kindJudge, Level: level, TrainedOn: j.trainedOn}, by[j.name],
					by[other.name])
			}
		}
	}
}

// majorities are what most of the people who labelled a unit say of it, and the number of units
// at which they are tied.
func majorities(persons []judge, by map[string]map[unit]float64) (of map[unit]float64, ties int) {
	votes := map[unit]map[float64]int{}
	for _, p := range persons {
		for u, v := range by[p.name] {
			if votes[u] == nil {
				votes[u] = map[float64]int{}
			}
			votes[u][v]++
		}
	}
	of = map[unit]float64{}
	for u, counts := range votes {
		most := slices.Max(slices.Collect(maps.Values(counts)))
		var winners []float64
		for v, n := range counts {
			if n == most {
				winners = append(winners, v)
			}
		}
		if len(winners) > 1 {
			ties++
			continue
		}
		of[u] = winners[0]
	}
	return of, ties
}

// sorted are the units of labels in their order.
func sorted(of map[unit]float64) []unit {
	return slices.SortedFunc(maps.Keys(of), func(a, b unit) int {
		if a.answer != b.answer {
			return a.answer - b.answer
		}
		return a.number - b.number
	})
}

// compare adds a row, if the two have units in common.
func (t *Tables) compare(row AgreementRow, judge, reference map[unit]float64) {
	var same dataset.Sample
	var x, y []float64
	for _, u := range sorted(judge) {
		v, both := reference[u]
		if !both {
			continue
		}
		same.Add(dataset.Indicator(judge[u] == v), t.x.Question[u.answer])
		x, y = append(x, judge[u]), append(y, v)
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
	row := AgreementRow{Judge: people, Reference: people, Kind: kindHuman, Level: level}
	all := map[unit]float64{}
	for _, p := range persons {
		maps.Copy(all, by[p.name])
	}
	list := sorted(all)
	raters := make([]agreement.Rater, len(persons))
	var pairs dataset.Sample
	for _, u := range list {
		var given []float64
		for i, p := range persons {
			v, has := by[p.name][u]
			raters[i].Values, raters[i].Missing = append(raters[i].Values, v), append(raters[i].Missing, !has)
			if has {
				given = append(given, v)
			}
		}
		if share, several := Pairs(given); several {
			pairs.Add(share, t.x.Question[u.answer])
		}
	}
	if row.N = len(pairs.Values); row.N == 0 {
		return
	}
	row.Agreement = t.calc.Mean(pairs).Bounded
	clamp(&row.Agreement, 0, 1)
	ratings, err := agreement.NewRatings(raters...)
	if err == nil {
		var alpha agreement.AlphaResult
		alpha, err = agreement.Alpha(ratings, agreement.Nominal)
		row.AlphaNominal = table.FigureOf(t.calc.Value(alpha.Alpha, err))
	} else {
		t.calc.Value(0, err)
	}
	t.Agreements = append(t.Agreements, row)
}

// constant gives every unit the most frequent label of a reference: a judge that does not look.
func constant(reference map[unit]float64) map[unit]float64 {
	counts := map[float64]int{}
	for _, v := range reference {
		counts[v]++
	}
	best := slices.MaxFunc(slices.Sorted(maps.Keys(counts)), func(a, b float64) int { return counts[a] - counts[b] })
	of := map[unit]float64{}
	for u := range reference {
		of[u] = best
	}
	return of
}

// shuffled gives each unit the judge's label of another one, drawn with the run's seed.
func (t *Tables) shuffled(judge map[unit]float64, name string) map[unit]float64 {
	list := sorted(judge)
	values := make([]float64, len(list))
	for i, u := range list {
		values[i] = judge[u]
	}
	r := t.x.Resampling()
	stats.NewRNG(r.Seed, dataset.ShuffledPrefix+name).Shuffle(len(values), func(i, k int) { values[i], values[k] = values[k], values[i] })
	of := map[unit]float64{}
	for i, u := range list {
		of[u] = values[i]
	}
	return of
}
