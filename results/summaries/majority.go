package summaries

import (
	"math"

	"compqa/data"
	"compqa/results/dataset"
	"compqa/results/table"
)

// Measures by a majority of judges (Gunel et al., Table 3).
const (
	useful   = "useful" // share of rows that more labellers find helpful than not; ties are left out
	assessed = "rows"   // mean number of rows of a table that at least one judge labelled
)

// models is the name of the majority of the judges that are not people.
const models = "judges"

// byMajority adds the measures by the majority of people, and by the majority of the other judges if at least two label rows.
func (t *Tables) byMajority(system string) {
	persons := data.Where(t.judges, func(j judge) bool { return j.kind == dataset.KindHuman })
	t.majority(system, people, persons)
	others := data.Where(t.judges, func(j judge) bool {
		return j.kind != dataset.KindHuman && t.planned(system, j.name, data.LabelRows) > 0
	})
	if len(others) > 1 {
		t.majority(system, models, others)
	}
}

// majority adds a row for each of the two measures, if the judges are planned to label tables of the system. A table has no value if no row
// has a majority.
func (t *Tables) majority(system, name string, judges []judge) {
	planned := 0
	for _, j := range judges {
		planned = max(planned, t.planned(system, j.name, data.LabelRows))
	}
	if planned == 0 {
		return
	}
	var rows, helpful dataset.Sample
	valid := 0
	t.each(system, func(i int, s *dataset.Summary) {
		var votes []int // by row: votes for helpful minus votes against; nil without labels
		for _, j := range judges {
			l, ok := labels(s, j.name, data.LabelRows)
			if !ok {
				continue
			}
			if votes == nil {
				votes = make([]int, len(s.Table.Rows))
			}
			for k, is := range rowsAs(helps)(*s.Table, l) {
				votes[k] += [...]int{0, -1, 1}[int(is)+1]
			}
		}
		before := len(helpful.Values)
		for _, v := range votes {
			if v != 0 {
				helpful.Add(dataset.Indicator(v > 0), t.x.Question[i])
			}
		}
		valid += int(dataset.Indicator(len(helpful.Values) > before))
		if len(votes) > 0 {
			rows.Add(float64(len(votes)), t.x.Question[i])
		}
	})
	row := MeasureRow{System: system, Measure: useful, Judge: name, Planned: max(planned, valid), Valid: valid}
	t.Measures = append(t.Measures, t.summed(row, helpful, 0, 1))
	row.Measure = assessed
	row.Valid = len(rows.Values)
	t.Measures = append(t.Measures, t.summed(row, rows, 0, math.Inf(1)))
}

// majorityTable returns the measures by majorities, with the number of rows that they cover.
func (t *Tables) majorityTable() *table.Table {
	view := table.New(2, "system", "majority of", "summaries", "rows of a summary", "useful rows")
	for _, s := range t.systems {
		for _, name := range []string{people, models} {
			if r := t.exactly(s.Name, name, useful); r.Measure != "" {
				view.Add(s.Name, name, r.counts(), t.exactly(s.Name, name, assessed).Value, r.Value)
			}
		}
	}
	return view
}

// exactly returns the row of a measure by a judge, or the zero row if there is none.
func (t *Tables) exactly(system, judge, measure string) MeasureRow {
	return table.First(t.Measures, func(r MeasureRow) bool { return r.System == system && r.Measure == measure && r.Judge == judge })
}
