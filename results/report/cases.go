package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"compqa/data"
	"compqa/results/store"
	"compqa/results/table"
	"compqa/rubric"
)

// A Verdict on an answer, as a column of a case.
type Verdict struct {
	Name   string // of judge and answer
	To     *table.Target
	Scores data.Scores
	Status data.Status
	Total  *float64
}

// CriteriaTable has the points of verdicts by criterion; criteria on which they differ come first.
func CriteriaTable(r rubric.Rubric, of []Verdict) *table.Table {
	view := table.New(1, "criterion")
	var totals []any
	for i, v := range of {
		view.Header = append(view.Header, v.Name)
		view.SetHead(i+1, func(h *table.Head) { h.To = v.To })
		total := table.Cell{Text: string(v.Status), Class: "bad"}
		if v.Status == data.Valid && v.Total != nil {
			total = pointsCell(*v.Total)
		}
		totals = append(totals, total)
	}
	type line struct {
		spread float64
		cells  []any
	}
	var lines []line
	for _, c := range r.Criteria {
		row := line{cells: []any{c.ID + " " + c.Name}}
		low, high := math.Inf(1), math.Inf(-1)
		for _, v := range of {
			points, given := v.Scores[c.ID]
			cell := table.Cell{Text: table.None}
			if given && v.Status == data.Valid {
				low, high = min(low, points), max(high, points)
				cell = pointsCell(points)
			}
			row.cells = append(row.cells, cell)
		}
		if row.spread = high - low; row.spread > 0 && len(of) > 1 {
			for i := range of {
				cell := row.cells[i+1].(table.Cell)
				cell.Class = "differs"
				row.cells[i+1] = cell
			}
			row.cells[0] = table.Cell{Text: "≠ " + c.ID + " " + c.Name}
		}
		lines = append(lines, row)
	}
	slices.SortStableFunc(lines, func(a, b line) int { return -cmp.Compare(a.spread, b.spread) })
	for _, row := range lines {
		view.Add(row.cells...)
	}
	view.Add(append([]any{"total"}, totals...)...)
	return view
}

// pointsCell is points with at most two decimals.
func pointsCell(points float64) table.Cell {
	return table.Cell{Text: table.Shortest(math.Round(100*points) / 100), Value: table.Bounded{Value: table.Number(points)}}
}

// Cases are the answers to different questions on which the judge of the order and people differ
// most, with their texts.
func (t *Report) Cases(most int) (list []table.Section, err error) {
	judge := t.JudgeNamed(t.Headline)
	if judge < 0 || t.People(judge) || t.References() == nil {
		return nil, nil
	}
	type gap struct {
		answer     int
		difference float64
	}
	var gaps []gap
	t.EachDifference(t.AnswerTotals(judge), t.AnswerTotals(t.References()...), func(answer int, difference float64) {
		gaps = append(gaps, gap{answer, difference})
	})
	slices.SortStableFunc(gaps, func(a, b gap) int { return -cmp.Compare(math.Abs(a.difference), math.Abs(b.difference)) })
	var stores []*store.Store
	for _, dir := range t.Dirs {
		s, err := store.Open(dir)
		if err != nil {
			return nil, err
		}
		defer s.Close()
		stores = append(stores, s)
	}
	seen := map[int]bool{}
	for _, g := range gaps {
		if seen[t.Question[g.answer]] || len(list) == most || g.difference == 0 {
			continue
		}
		seen[t.Question[g.answer]] = true
		for _, s := range stores {
			section, found, err := t.caseOf(s, g.answer, g.difference)
			if err != nil {
				return nil, err
			}
			if found {
				section.ID = fmt.Sprintf("case-%d", len(list)+1)
				list = append(list, section)
				break
			}
		}
	}
	if list != nil {
		list = append([]table.Section{{Title: "Where judges and people differ most",
			About: fmt.Sprintf("The answers on which %s and people differ most in points, each to another question.", t.Headline)}}, list...)
	}
	return list, nil
}

// caseOf is one answer with the points of the judge of the order and of people.
func (t *Report) caseOf(s *store.Store, answer int, difference float64) (table.Section, bool, error) {
	row := t.Answers[answer]
	a, found, err := s.Answer(row.ID)
	if err != nil || !found {
		return table.Section{}, false, err
	}
	verdicts, err := s.VerdictsOn(row.ID)
	if err != nil {
		return table.Section{}, false, err
	}
	var shown []Verdict
	var reasons []table.Note
	for _, v := range verdicts {
		if v.Judge == t.Headline || data.IsHuman(v.Judge) {
			shown = append(shown, Verdict{Name: v.Judge, Scores: v.Scores, Status: v.Status, Total: v.Total})
			if v.Reason != "" {
				reasons = append(reasons, table.Note{Subject: v.Judge, Text: v.Judge + ": " + v.Reason})
			}
		}
	}
	title := row.Object1 + " or " + row.Object2
	if row.Aspect != "" {
		title += " (" + row.Aspect + ")"
	}
	return table.Section{Title: title, Verdict: fmt.Sprintf("%s, scenario %s: %s gives %s points, relative to people.", row.System,
		row.Scenario, t.Headline, table.Signed(difference, 1).Text),
		Quote: a.Text, Table: CriteriaTable(t.Rubric, shown), Notes: reasons}, true, nil
}
