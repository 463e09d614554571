package summaries

import (
	"slices"

	"compqa/data"
	"compqa/results/dataset"
	"compqa/results/raters"
	"compqa/results/table"
	"compqa/stats"
	"compqa/stats/agreement"
)

// A level is what judges of summaries are compared on: a label of each row, of each pair of rows, or of each value.
type level struct {
	name, kind string                                          // kind of the labels
	of         func(data.ContrastTable, data.Labels) []float64 // -1: not given
}

const levelUseful = "useful"

var levels = []level{
	{"label", data.LabelRows, func(_ data.ContrastTable, l data.Labels) []float64 {
		return table.Each(l.Rows, func(r data.RowLabel) float64 { return float64(slices.Index(data.RowLabelNames, r.Label)) })
	}},
	{levelUseful, data.LabelRows, rowsAs(helps)},
	{"relevant", data.LabelRows, rowsAs(relevant)},
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

// rowsAs is a property of rows as 1, 0 and -1 where it is not known.
func rowsAs(of func(data.RowLabel) (is, known bool)) func(data.ContrastTable, data.Labels) []float64 {
	return func(_ data.ContrastTable, l data.Labels) []float64 {
		return table.Each(l.Rows, func(r data.RowLabel) float64 {
			if is, known := of(r); known {
				return dataset.Indicator(is)
			}
			return -1
		})
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

// An AgreementRow is the agreement of a judge of summaries with a reference: with people, by the majority of those who
// labelled a unit, or with another judge. Where people are tied, a unit is left out.
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

// units are what judges label at a level, in the order of answers.
type units struct {
	questions []int
	by        map[string][]float64 // a judge's labels; -1: not given
}

func (t *Tables) units(at level) units {
	u := units{by: map[string][]float64{}}
	for i, a := range t.x.Answers {
		if a.Summary == nil || t.x.CellOf[i] < 0 {
			continue
		}
		for _, j := range t.judges {
			if l, ok := labels(a.Summary, j.name, at.kind); ok {
				u.by[j.name] = append(u.by[j.name], at.of(*a.Summary.Table, l)...)
				u.questions = append(u.questions, slices.Repeat([]int{t.x.Question[i]}, max(0, len(u.by[j.name])-len(u.questions)))...)
			}
		}
		for _, j := range t.judges { // those without labels of the answer
			u.by[j.name] = append(u.by[j.name], slices.Repeat([]float64{-1}, len(u.questions)-len(u.by[j.name]))...)
		}
	}
	return u
}

// agree compares the judges with people, and with each other.
func (t *Tables) agree() {
	persons := table.Where(t.judges, func(j judge) bool { return j.kind == dataset.KindHuman })
	machines := table.Where(t.judges, func(j judge) bool { return j.kind != dataset.KindHuman })
	for _, at := range levels {
		u := t.units(at)
		reference, ties := u.majorities(persons)
		row := AgreementRow{Reference: people, Kind: dataset.KindOfJudge, Level: at.name, Ties: ties}
		if len(persons) == 1 {
			row.Reference = persons[0].name
		}
		for _, j := range machines {
			row.Judge, row.TrainedOn = j.name, j.trainedOn
			t.compare(row, u.questions, u.by[j.name], reference)
		}
		if labelled := given(reference); len(labelled) > 0 {
			t.among(persons, u, at.name)
			row.Judge, row.Kind, row.TrainedOn = "constant", dataset.KindFloor, "" // a judge that does not look
			t.compare(row, u.questions, slices.Repeat(dataset.MostFrequent(labelled)[:1], len(reference)), reference)
			for _, j := range machines {
				row.Judge = raters.ShuffledPrefix + j.name
				t.compare(row, u.questions, t.shuffled(u.by[j.name], j.name+at.name), reference)
			}
		}
		for i, j := range machines {
			for _, other := range machines[i+1:] {
				t.compare(AgreementRow{Judge: j.name, Reference: other.name, Kind: dataset.KindOfJudge, Level: at.name, TrainedOn: j.trainedOn},
					u.questions, u.by[j.name], u.by[other.name])
			}
		}
	}
}

func given(labels []float64) []float64 {
	return table.Where(labels, func(v float64) bool { return v >= 0 })
}

// shuffled gives each unit the judge's label of another one, drawn with the run's seed.
func (t *Tables) shuffled(labels []float64, name string) []float64 {
	from := given(labels)
	stats.NewRNG(t.x.Resampling().Seed, raters.ShuffledPrefix+name).Shuffle(len(from), func(i, k int) { from[i], from[k] = from[k], from[i] })
	of := slices.Clone(labels)
	for i, v := range of {
		if v >= 0 {
			of[i], from = from[0], from[1:]
		}
	}
	return of
}

func (u units) labelsOf(unit int, persons []judge) []float64 {
	return given(table.Each(persons, func(p judge) float64 { return u.by[p.name][unit] }))
}

// majorities are what most of the people who labelled a unit say of it, and the number of units at which they are tied.
func (u units) majorities(persons []judge) (of []float64, ties int) {
	for i := range u.questions {
		most := dataset.MostFrequent(u.labelsOf(i, persons))
		if len(most) != 1 {
			most, ties = []float64{-1}, ties+min(1, len(most))
		}
		of = append(of, most[0])
	}
	return of, ties
}

// compare adds a row, if the two have units in common.
func (t *Tables) compare(row AgreementRow, questions []int, judge, reference []float64) {
	var same dataset.Sample
	var x, y []float64
	for i, v := range judge {
		if v >= 0 && reference[i] >= 0 {
			same.Add(dataset.Indicator(v == reference[i]), questions[i])
			x, y = append(x, v), append(y, reference[i])
		}
	}
	if row.N = len(x); row.N == 0 {
		return
	}
	row.Agreement = t.calc.Share(same, stats.ErrUndefined).Bounded
	row.AlphaNominal = table.FigureOf(t.calc.Alpha(x, y, agreement.Nominal))
	t.Agreements = append(t.Agreements, row)
}

// among adds the agreement among people: the mean, over units that several of them labelled, of the share of pairs of people
// who say the same. It is the ceiling of a judge.
func (t *Tables) among(persons []judge, u units, level string) {
	row := AgreementRow{Judge: people, Reference: people, Kind: dataset.KindHuman, Level: level}
	var sample dataset.Sample
	for i, question := range u.questions {
		if share := dataset.Alike(u.labelsOf(i, persons)); share.Known() {
			sample.Add(*share.Number, question)
		}
	}
	if row.N = len(sample.Values); row.N == 0 {
		return
	}
	row.Agreement = t.calc.Mean(sample).Bounded
	clamp(&row.Agreement, 0, 1)
	raters := table.Each(persons, func(p judge) agreement.Rater {
		return agreement.Rater{Values: u.by[p.name], Missing: table.Each(u.by[p.name], func(v float64) bool { return v < 0 })}
	})
	ratings, err := agreement.NewRatings(raters...)
	row.AlphaNominal = table.FigureOf(t.calc.AlphaOf(ratings, agreement.Nominal, err))
	t.Agreements = append(t.Agreements, row)
}
