package dataset

import (
	"compqa/data"
	"compqa/results/store"
	"compqa/stats"
)

// A Tally is the points of one cell by one judge. An answer counts once: its points are the mean over its valid sheets.
type Tally struct {
	Planned   int
	Valid     int         // sheets
	Unasked   int         // sheets that were skipped because their answer does not exist, for instance a question without arguments
	Left      int         // sheets that were skipped because other judges decide, or people
	Totals    []float64   // of every answer with a valid sheet
	Questions []int       // of each total
	Groups    [][]float64 // by group: its points in every answer with a valid sheet

	present int     // sheets, also those that are not valid
	answers float64 // with a sheet
	sum     float64 // over answers of the mean over all sheets, those that are not valid as 0
	lost    float64 // over answers of the share of sheets that are not valid
}

// Tallies collects a judge's sheets by cell. Planned includes imported sheets whose
// answer was not found; they are not valid.
func (x *Dataset) Tallies(judge int) []Tally {
	name := x.Judges[judge].Name
	tallies := make([]Tally, len(x.Conditions))
	sheets := x.SheetsOf(judge)
	for from, to := 0, 0; from < len(sheets); from = to {
		answer := sheets[from].Item
		for to < len(sheets) && sheets[to].Item == answer {
			to++
		}
		if index := x.ConditionOf[answer]; index >= 0 {
			tallies[index].add(x, sheets[from:to])
			if x.Answers[answer].Status == data.Skipped {
				tallies[index].Unasked += to - from
			}
			tallies[index].Left += len(data.Where(sheets[from:to], data.Given.Left))
		}
	}
	for i, c := range x.Conditions {
		tallies[i].Planned = x.PlannedOf(name, c, tallies[i].present+x.UnplacedIn[PlanKey{name, x.Systems[c.System].Name, c.Scenario}])
	}
	return tallies
}

// add adds the sheets of an answer.
func (t *Tally) add(x *Dataset, sheets []data.Given) {
	total, valid, groups := 0.0, 0.0, make([]float64, len(x.Groups))
	for i := range sheets {
		if s := &sheets[i]; s.Status == data.Valid {
			valid++
			total += s.Total
			for g := range groups {
				groups[g] += x.GroupTotal(s, g)
			}
		}
	}
	n := float64(len(sheets))
	t.present, t.answers, t.Valid = t.present+len(sheets), t.answers+1, t.Valid+int(valid)
	t.sum, t.lost = t.sum+total/n, t.lost+(n-valid)/n
	if valid == 0 {
		return
	}
	t.Totals, t.Questions = append(t.Totals, total/valid), append(t.Questions, x.Question[sheets[0].Item])
	if t.Groups == nil {
		t.Groups = make([][]float64, len(x.Groups))
	}
	for g := range t.Groups {
		t.Groups[g] = append(t.Groups[g], groups[g]/valid)
	}
}

// Recorded returns the number of verdicts on record. An imported sheet whose answer was not found is a skipped verdict.
func (x *Dataset) Recorded() int {
	return len(x.Sheets) + len(data.Where(x.Unplaced, func(u store.Unplaced) bool { return u.Kind() == store.KindVerdict }))
}

// Bound returns the mean over answers if every planned sheet that is not valid had the given total. Planned sheets that are not
// recorded are of answers with as many sheets as the recorded ones have on average.
func (t *Tally) Bound(total float64) stats.Figure {
	if t.Planned == 0 {
		return stats.Figure{}
	}
	unrecorded := float64(t.Planned - t.present)
	if t.present > 0 {
		unrecorded *= t.answers / float64(t.present)
	}
	return stats.Number((t.sum + total*(t.lost+unrecorded)) / (t.answers + unrecorded))
}

// GroupTotal returns the sum of the scores of a group of criteria.
func (x *Dataset) GroupTotal(s *data.Given, group int) float64 {
	sum := 0.0
	for c, g := range x.groupOf {
		if g == group {
			sum += s.Scores[c]
		}
	}
	return sum
}

// Valid returns a judge's valid sheets, in order.
func (x *Dataset) Valid(judge int) []*data.Given {
	var of []*data.Given
	sheets := x.SheetsOf(judge)
	for i := range sheets {
		if sheets[i].Status == data.Valid {
			of = append(of, &sheets[i])
		}
	}
	return of
}
