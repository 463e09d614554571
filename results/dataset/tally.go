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
	valid := make([]int, len(x.Cells))
	sheets := x.SheetsOf(judge)
	for i := range sheets {
		if at := x.CellOf[sheets[i].Answer]; at >= 0 {
			present[at]++
			valid[at] += int(Indicator(sheets[i].Status == data.Valid))
		}
	}
	for at, n := range valid {
		if n > 0 {
			of[at].makeRoom(n, len(x.Groups))
		}
	}
	for i := range sheets {
		if at := x.CellOf[sheets[i].Answer]; at >= 0 && sheets[i].Status == data.Valid {
			of[at].add(x, &sheets[i])
		}
	}
	unplaced := x.UnplacedCounts(name)
	for i, c := range x.Cells {
		of[i].Planned = x.PlannedOf(name, c, present[i]+unplaced[PlanKey{name, x.Systems[c.System].Name, c.Scenario}])
	}
	return of
}

// makeRoom allocates memory for the valid sheets.
func (t *Tally) makeRoom(sheets, groups int) {
	t.Totals, t.Questions, t.Groups = make([]float64, 0, sheets), make([]int, 0, sheets), make([][]float64, groups)
	for g := range t.Groups {
		t.Groups[g] = make([]float64, 0, sheets)
	}
}

func (t *Tally) add(x *Dataset, s *Sheet) {
	t.Totals = append(t.Totals, s.Total)
	t.Questions = append(t.Questions, x.Question[s.Answer])
	last := len(t.Totals) - 1
	for g := range t.Groups {
		t.Groups[g] = append(t.Groups[g], 0)
	}
	for c, g := range x.groupOf {
		t.Groups[g][last] += s.Scores[c]
	}
}

// Recorded is the number of verdicts on record. An imported sheet whose answer was not found is a skipped verdict.
func (x *Dataset) Recorded() int {
	return len(x.Sheets) + len(table.Where(x.Unplaced, func(u store.Unplaced) bool { return u.Kind() == store.KindVerdict }))
}

// UnplacedCounts counts a judge's imported sheets whose answer was not found.
func (x *Dataset) UnplacedCounts(judge string) map[PlanKey]int {
	counts := map[PlanKey]int{}
	for _, u := range x.Unplaced {
		if u.Judge == judge {
			counts[PlanKey{u.Judge, u.System, u.Scenario}]++
		}
	}
	return counts
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
