package results

import "compqa/data"

// A tally is what one judge's sheets say of one cell.
type tally struct {
	planned   int
	totals    []float64   // of every valid sheet
	questions []int       // of each total
	groups    [][]float64 // by group: its points in every valid sheet
}

// tallies collects a judge's sheets by cell. planned counts imported sheets whose
// answer was not found: they are not valid, and not forgotten.
func (x *index) tallies(judge int) []tally {
	name := x.Judges[judge].Name
	of := make([]tally, len(x.cells))
	present := make([]int, len(x.cells))
	valid := make([]int, len(x.cells))
	sheets := x.sheets(judge)
	for i := range sheets {
		if at := x.cellOf[sheets[i].Answer]; at >= 0 {
			present[at]++
			valid[at] += int(indicator(sheets[i].Status == data.Valid))
		}
	}
	for at, n := range valid {
		if n > 0 {
			of[at].makeRoom(n, len(x.groups))
		}
	}
	for i := range sheets {
		if at := x.cellOf[sheets[i].Answer]; at >= 0 && sheets[i].Status == data.Valid {
			of[at].add(x, &sheets[i])
		}
	}
	unplaced := x.unplaced(name)
	for i, c := range x.cells {
		of[i].planned = x.planned(name, c, present[i]+unplaced[planKey{name, x.Systems[c.system].Name, c.scenario}])
	}
	return of
}

// makeRoom makes room for as many valid sheets as there are.
func (t *tally) makeRoom(sheets, groups int) {
	t.totals, t.questions, t.groups = make([]float64, 0, sheets), make([]int, 0, sheets), make([][]float64, groups)
	for g := range t.groups {
		t.groups[g] = make([]float64, 0, sheets)
	}
}

func (t *tally) add(x *index, s *Sheet) {
	t.totals = append(t.totals, s.Total)
	t.questions = append(t.questions, x.question[s.Answer])
	last := len(t.totals) - 1
	for g := range t.groups {
		t.groups[g] = append(t.groups[g], 0)
	}
	for c, g := range x.groupOf {
		t.groups[g][last] += s.Scores[c]
	}
}

// unplaced counts a judge's imported sheets whose answer was not found.
func (x *index) unplaced(judge string) map[planKey]int {
	counts := map[planKey]int{}
	for _, u := range x.Unplaced {
		if u.Judge == judge {
			counts[planKey{u.Judge, u.System, u.Scenario}]++
		}
	}
	return counts
}

// bound is the mean total if every planned sheet that is not valid had the given
// one.
func (t *tally) bound(total float64) Figure {
	if t.planned == 0 {
		return Figure{}
	}
	sum := total * float64(t.planned-len(t.totals))
	for _, v := range t.totals {
		sum += v
	}
	return figure(sum / float64(t.planned))
}

// overScenarios puts the totals of several scenarios together so that their mean
// is that of the scenarios' means m_s, and their residuals, summed by question,
// give its standard error: with S scenarios, n_s totals each and n in all,
//
//	v = m + n/(S·n_s) · (total - m_s),  m = 1/S Σ m_s
//
// (linearisation). Where every scenario has each question once it is the
// question's mean over scenarios that varies. A scenario with one total says
// nothing of its variance: nil, as without any.
func (c *computer) overScenarios(totals [][]float64) []float64 {
	if len(totals) == 1 {
		return totals[0]
	}
	n, mean := 0, 0.0
	means := make([]float64, len(totals))
	for s, values := range totals {
		if len(values) < 2 {
			return nil
		}
		means[s] = *c.moments(values).Mean
		mean += means[s] / float64(len(totals))
		n += len(values)
	}
	var all []float64
	for s, values := range totals {
		weight := float64(n) / float64(len(totals)*len(values))
		for _, v := range values {
			all = append(all, mean+float64(weight*(v-means[s]))) // the conversion keeps machines from fusing the two
		}
	}
	return all
}
