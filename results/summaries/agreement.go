package summaries

import (
	"slices"
	"strconv"

	"compqa/data"
	"compqa/results/dataset"
	"compqa/results/raters"
	"compqa/results/table"
	"compqa/stats"
	"compqa/stats/agreement"
)

// A level is what labels are compared on: a property of each row, of each pair of rows, or of each value of a table.
type level struct {
	name, kind string                                          // kind is the kind of labels that the level uses
	measure    func(data.ContrastTable, data.Labels) []float64 // one number for each unit; -1 if it has no label
}

const levelUseful = "useful"

var levels = []level{
	{"label", data.LabelRows, func(_ data.ContrastTable, l data.Labels) []float64 {
		return data.Each(l.Rows, func(r data.RowLabel) float64 { return float64(slices.Index(data.RowLabelNames, r.Label)) })
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

// rowsAs returns a function that measures a property of each row: 1, 0, or -1 if the property is not known.
func rowsAs(value func(data.RowLabel) (is, known bool)) func(data.ContrastTable, data.Labels) []float64 {
	return func(_ data.ContrastTable, l data.Labels) []float64 {
		return data.Each(l.Rows, func(r data.RowLabel) float64 {
			if is, known := value(r); known {
				return dataset.Indicator(is)
			}
			return -1
		})
	}
}

// valuesAs returns a function that measures a property of each value of a table: 1 or 0.
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

// An AgreementRow is the agreement of a judge of contrastive tables with a reference. The reference is the majority of the people who
// labelled a unit, or another judge. Units on which people are tied are left out.
type AgreementRow struct {
	Judge        string       `csv:"judge"`
	Reference    string       `csv:"reference"`
	Kind         string       `csv:"kind"` // judge, floor (a baseline), or human (people with each other, the ceiling)
	Level        string       `csv:"level"`
	N            int          `csv:"n"`
	Ties         int          `csv:"ties"`
	Agreement    stats.Figure `csv:"agreement,ci_low,ci_high"`
	AlphaNominal stats.Figure `csv:"alpha_nominal"`
	TrainedOn    string       `csv:"trained_on"`
}

// AgreementTable has the agreement on labels of rows and values.
var AgreementTable = table.Def[AgreementRow]{File: "summary_agreement.csv", Views: []table.View[AgreementRow]{{Title: "Agreement",
	About: "Levels: “label” and “useful” (YES or not) of a row, “relevant”, “merged” (two attributes are one), " +
		"“kept” (a value is in the largest consistent set), “supported”, *wrong_entity*. People's label is that of the majority; ties " +
		"are left " +
		"out. Kind “human” is the agreement among people, the ceiling; “floor” is a content-blind judge: always the most " +
		"frequent label, or its own labels of other units.",
	Words: 4, Shown: []string{"judge", "reference", "kind", "level", "n", "ties", "agreement", "alpha_nominal=alpha (nominal)"}}}}

// rated returns the labels of all judges at a level, as a table of raters. Units are in the order of answers.
func (t *Tables) rated(asked level) raters.Table {
	rated := raters.Table{Criterion: asked.name, Scale: raters.Scale{Level: agreement.Nominal},
		Raters: data.Each(t.judges, func(j judge) raters.Rater { return raters.Rater{Name: j.name, Kind: raters.Kind(j.kind)} })}
	for i, a := range t.x.Answers {
		if a.Summary == nil || t.x.ConditionOf[i] < 0 {
			continue
		}
		for k, j := range t.judges {
			l, ok := labels(a.Summary, j.name, asked.kind)
			if !ok {
				continue
			}
			r := &rated.Raters[k]
			r.Values = fill(r.Values, len(rated.Units))
			for _, label := range asked.measure(*a.Summary.Table, l) {
				value := raters.Missing(raters.NotAsked)
				if label >= 0 {
					value = raters.Number(label)
				}
				r.Values = append(r.Values, value)
			}
		}
		n := 0
		for _, r := range rated.Raters {
			n = max(n, len(r.Values))
		}
		for len(rated.Units) < n {
			rated.Units = append(rated.Units, raters.Unit{ID: strconv.Itoa(len(rated.Units)), Cluster: t.x.Question[i]})
		}
	}
	for k := range rated.Raters { // raters without labels on the last answers
		rated.Raters[k].Values = fill(rated.Raters[k].Values, len(rated.Units))
	}
	return rated
}

// fill appends missing values up to the length n.
func fill(values []raters.Value, n int) []raters.Value {
	return append(values, slices.Repeat([]raters.Value{raters.Missing(raters.NotAsked)}, n-len(values))...)
}

// agree compares the judges with people, then baselines with people, then the judges with each other, at each level.
func (t *Tables) agree() {
	machines := data.Where(t.judges, func(j judge) bool { return j.kind != dataset.KindHuman })
	for _, level := range levels {
		rated := t.rated(level)
		persons := rated.Kind(raters.Person)
		reference := rated.Majority(persons)
		row := AgreementRow{Reference: people, Kind: dataset.KindOfJudge, Level: level.name, Ties: reference.Tied()}
		if len(persons) == 1 {
			row.Reference = persons[0].Name
		}
		values := func(name string) raters.Rater {
			r, _ := rated.Rater(name)
			return r
		}
		for _, j := range machines {
			row.Judge = j.name
			row.TrainedOn = j.trainedOn
			t.compare(row, rated, values(j.name), reference)
		}
		if most := reference.MostFrequent(); most != nil {
			t.among(persons, rated)
			row.Judge = raters.ConstantName
			row.Kind = dataset.KindFloor
			row.TrainedOn = "" // a content-blind baseline is not trained
			t.compare(row, rated, rated.Constant(most[0]), reference)
			for _, j := range machines {
				rater := values(j.name)
				row.Judge = raters.ShuffledPrefix + j.name
				t.compare(row, rated, rated.Shuffled(rater, rater, stats.NewRNG(t.x.Resampling().Seed, row.Judge+level.name)), reference)
			}
		}
		for i, j := range machines {
			for _, other := range machines[i+1:] {
				t.compare(AgreementRow{Judge: j.name, Reference: other.name, Kind: dataset.KindOfJudge, Level: level.name, TrainedOn: j.trainedOn},
					rated, values(j.name), values(other.name))
			}
		}
	}
}

// options are the same for all rows. Alpha is nominal and has no interval.
var options = raters.Options{Figures: raters.Shares | raters.Levels}

// compare adds a row if judge and reference have units in common.
func (t *Tables) compare(row AgreementRow, rated raters.Table, judge, reference raters.Rater) {
	t.add(row, rated.Against(judge, reference, options))
}

func (t *Tables) add(row AgreementRow, measured raters.Row) {
	t.calc.Value(0, measured.Fault())
	row.N = measured.N
	if row.N > 0 {
		row.Agreement, row.AlphaNominal = measured.Agreement, measured.AlphaNominal.Point()
		t.Agreements = append(t.Agreements, row)
	}
}

// among adds the agreement of people with each other, which is the ceiling for judges. For each unit that several people labelled, it takes
// the share of pairs of people with the same label. The agreement is the mean over units.
func (t *Tables) among(persons []raters.Rater, rated raters.Table) {
	o := options
	o.EqualHasNone = true
	t.add(AgreementRow{Judge: people, Reference: people, Kind: dataset.KindHuman, Level: rated.Criterion}, rated.Among(persons, o))
}
