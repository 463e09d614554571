package dataset

import (
	"compqa/data"
	"compqa/results/store"
	"compqa/results/table"
)

// A Tally is the points of one cell by one judge.
type Tally struct {
	Planned   int
	Totals    []float64   // of every valid sheet
	Questions []int       // of each total
	Groups    [][]float64 // by group: its points in every valid sheet
}

// Tallies collects a judge's sheets by cell. Planned includes imported sheets whose
// answer was not found; they are not valid.
func (x *Dataset) Tallies(judge int) []Tally {
	name := x.Judges[judge].Name
	of := make([]Tally, len(x.Cells))
	present := make([]int, len(x.Cells))
	for _, s := range x.SheetsOf(judge) {
		if at := x.CellOf[s.Answer]; at >= 0 {
			if present[at]++; s.Status == data.Valid {
				of[at].add(x, &s)
			}
		}
	}
	for i, c := range x.Cells {
		of[i].Planned = x.PlannedOf(name, c, present[i]+x.UnplacedIn[PlanKey{name, x.Systems[c.System].Name, c.Scenario}])
	}
	return of
}

func (t *Tally) add(x *Dataset, s *Sheet) {
	t.Totals = append(t.Totals, s.Total)
	t.Questions = append(t.Questions, x.Question[s.Answer])
	if t.Groups == nil {
		t.Groups = make([][]float64, len(x.Groups))
	}
	for g := range t.Groups {
		t.Groups[g] = append(t.Groups[g], x.GroupTotal(s, g))
	}
}

// Recorded is the number of verdicts on record. An imported sheet whose answer was not found is a skipped verdict.
func (x *Dataset) Recorded() int {
	return len(x.Sheets) + len(table.Where(x.Unplaced, func(u store.Unplaced) bool { return u.Kind() == store.KindVerdict }))
}

// Bound is the mean total if every planned sheet that is not valid had the given total.
func (t *Tally) Bound(total float64) table.Figure {
	if t.Planned == 0 {
		return table.Figure{}
	}
	sum := total * float64(t.Planned-len(t.Totals))
	for _, v := range t.Totals {
		sum += v
	}
	return table.Number(sum / float64(t.Planned))
}

// GroupTotal is the sum of the scores of a group of criteria.
func (x *Dataset) GroupTotal(s *Sheet, group int) float64 {
	sum := 0.0
	for c, g := range x.groupOf {
		if g == group {
			sum += s.Scores[c]
		}
	}
	return sum
}

// Valid are a judge's valid sheets, in order.
func (x *Dataset) Valid(judge int) []*Sheet {
	var of []*Sheet
	sheets := x.SheetsOf(judge)
	for i := range sheets {
		if sheets[i].Status == data.Valid {
			of = append(of, &sheets[i])
		}
	}
	return of
}
