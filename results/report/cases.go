package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"compqa/data"
	"compqa/results/dataset"
	"compqa/results/store"
	"compqa/results/table"
	"compqa/rubric"
	"compqa/stats"
)

// A Verdict is a verdict on an answer, shown as a column of a case.
type Verdict struct {
	data.Verdict
	Name  string // of the judge, and of the answer if several are shown
	Floor bool   // the judge does not read the answer
	Base  bool   // the judge has no model
	To    *table.Target
}

// NotJudged is the status of an answer on which a judge has no verdict.
const NotJudged data.Status = "not judged"

// points returns the points on a criterion. given is false if the verdict is not valid or lacks them.
func (v Verdict) points(criterion string) (points float64, given bool) {
	points, given = v.Scores[criterion]
	return points, given && v.Status == data.Valid
}

// spread returns the largest minus the smallest points on a criterion. Baselines (floors) are left out, because they differ from everyone
// who reads the answer.
func spread(verdicts []Verdict, criterion string) float64 {
	var all []float64
	for _, v := range verdicts {
		if points, given := v.points(criterion); given && !v.Floor {
			all = append(all, points)
		}
	}
	if all == nil {
		return 0
	}
	return slices.Max(all) - slices.Min(all)
}

// CriteriaTable returns the points of verdicts by criterion. Criteria on which verdicts differ come first, marked with ≠.
func CriteriaTable(r rubric.Rubric, verdicts []Verdict) *table.Table {
	view := table.New(1, "criterion")
	totals := []any{"total"}
	for i, v := range verdicts {
		view.Header = append(view.Header, v.Name)
		view.SetHead(i+1, func(h *table.Head) { h.To = v.To })
		total := table.Cell{Text: string(v.Status), Class: "bad"}
		if v.Status == data.Valid && v.Total != nil {
			total = table.Points(*v.Total)
		} else if v.Status == NotJudged {
			total.Class = ""
		}
		totals = append(totals, total)
	}
	spreads := map[string]float64{}
	for _, id := range r.IDs() {
		spreads[id] = spread(verdicts, id)
	}
	for _, c := range slices.SortedStableFunc(slices.Values(r.Criteria), func(a, b rubric.Criterion) int {
		return cmp.Compare(spreads[b.ID], spreads[a.ID])
	}) {
		row := []any{c.ID + " " + c.Name}
		differs := spreads[c.ID] > 1e-9 // people's means are rounded
		if differs {
			row[0] = "≠ " + c.ID + " " + c.Name
		}
		for _, v := range verdicts {
			cell := table.Cell{Text: stats.Missing}
			if points, given := v.points(c.ID); given {
				cell = table.Points(points)
				if differs && !v.Floor {
					cell.Class = "differs"
				}
			}
			row = append(row, cell)
		}
		view.Add(row...)
	}
	view.Add(totals...)
	return view
}

// Cases returns the answers on which the headline judge and people differ most, with their texts. There are at most most of them, each to
// another question.
func (t *Report) Cases(most int) (list []table.Section, err error) {
	judge := t.JudgeNamed(t.Leaderboard.Headline)
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
	for _, found := range table.Grouped(gaps, func(g gap) int { return t.Question[g.answer] }) {
		g := found[0]
		if len(list) == most || g.difference == 0 {
			break
		}
		for _, dir := range t.Dirs {
			section, found, err := t.caseOf(dir, judge, g.answer, g.difference)
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
		list = append([]table.Section{{ID: "cases", Title: "Where " + t.NameOfJudge(t.Leaderboard.Headline) + " and people differ most",
			Lead: "Each to another question."}}, list...)
	}
	return list, nil
}

// caseOf returns the section of one answer, with the points of the headline judge and of people. It returns false if the record in dir does
// not have the answer.
func (t *Report) caseOf(dir string, judge, answer int, difference float64) (table.Section, bool, error) {
	row := t.Answers[answer]
	s, err := store.Open(dir)
	if err != nil {
		return table.Section{}, false, err
	}
	defer s.Close()
	a, found, err := s.Answer(row.ID)
	if err != nil || !found {
		return table.Section{}, false, err
	}
	verdicts, err := s.VerdictsOn(row.ID)
	if err != nil {
		return table.Section{}, false, err
	}
	var shown []Verdict
	for _, v := range verdicts {
		if v.Judge == t.Leaderboard.Headline || data.IsHuman(v.Judge) {
			shown = append(shown, Verdict{Verdict: v, Name: t.NameOfJudge(v.Judge)})
		}
	}
	totals := t.AnswerTotals(judge)
	people := t.AnswerTotals(t.References()...)
	x, _ := totals.Of(answer)
	y, _ := people.Of(answer)
	given := table.Line{Who: t.NameOfJudge(t.Leaderboard.Headline), Class: sideClasses[judges], Value: table.Points(x).Text + " ▼",
		Mark: "less"}
	if difference > 0 {
		given.Value = table.Points(x).Text + " ▲"
		given.Mark = "more"
	}
	given.Text = "of " + stats.Shortest(t.Rubric.Max()) + " · " + t.SystemName(row.System)
	if row.Scenario != data.NoScenario {
		given.Text += ", " + dataset.ScenarioName(row.Scenario)
	}
	beside := []table.Line{{Who: "People", Class: sideClasses[persons], Value: table.Points(y).Text}, given}
	if about := t.mostlyAbout(judge, answer, difference); about != nil {
		beside = append(beside, table.Line{Text: "They differ most on " + data.List(about) + "."})
	}
	sheet := SheetTable(t.Rubric, shown)
	return table.Section{Title: row.Asks(), Quote: a.Text, Beside: beside, Table: sheet, About: SheetAbout(sheet)}, true, nil
}
