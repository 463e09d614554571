// Package compare compares two runs, or two systems: the points of the same judge for answers
// to the same questions in the same scenarios.
package compare

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"

	"compqa/data"
	"compqa/results/dataset"
	"compqa/results/table"
	"compqa/stats"
)

// A Side is one system of a run.
type Side struct {
	*dataset.Dataset
	System   string
	Scenario string // whose answers alone count; "" or dataset.AllScenarios: of all
	Group    string // of criteria that alone count; "": all
	// Own is whether a question's points are the mean over all scenarios of this system, and left out
	// without points in one of them, as in leaderboard.ComparisonRow. Else both sides are compared under
	// the scenarios that they share.
	Own bool
}

// A Row is the difference of two sides by one judge, in points: of totals, or of one criterion.
// Its interval is clustered by question. See stats.MeanInterval.
type Row struct {
	Judge      string        `csv:"judge"`
	SystemA    string        `csv:"system_a"`
	SystemB    string        `csv:"system_b"`
	Criterion  string        `csv:"criterion"` // "-": the total
	Questions  int           `csv:"n_questions"`
	A          table.Figure  `csv:"mean_a"`
	B          table.Figure  `csv:"mean_b"`
	Difference table.Bounded `csv:"difference,ci_low,ci_high"` // B − A
}

// A Move is a question whose total differs between the sides.
type Move struct {
	Judge      string       `csv:"judge"`
	SystemA    string       `csv:"system_a"`
	SystemB    string       `csv:"system_b"`
	Question   string       `csv:"question"`
	A          table.Figure `csv:"points_a"`
	B          table.Figure `csv:"points_b"`
	Difference table.Figure `csv:"difference"`
}

// A Comparison is all rows and, for each judge, the questions that moved most.
type Comparison struct {
	Rows  []Row
	Moved []Move
}

// mostMoved is the number of questions that are listed for a judge.
const mostMoved = 5

// Judges are the judges of both runs but floors and people, in the order of the first.
func Judges(a, b *dataset.Dataset) (names []string) {
	for _, j := range a.Judges {
		if b.JudgeNamed(j.Name) >= 0 && j.Kind != dataset.KindFloor && !data.IsHuman(j.Name) {
			names = append(names, j.Name)
		}
	}
	return names
}

// Add compares two sides by one judge. It adds nothing if the judge scored no answer of both
// to the same question (under the same scenario, see Side.Own).
func (c *Comparison) Add(judge string, a, b Side) error {
	before, after := a.points(judge), b.points(judge)
	perQuestion := map[string][2][]float64{} // points by criterion, the total last; sums over scenarios
	scenarios := map[string]float64{}
	for _, at := range inOrder(before) {
		if y, both := after[at]; both {
			sums := perQuestion[at.pair]
			perQuestion[at.pair] = [2][]float64{plus(sums[0], before[at], 1), plus(sums[1], y, 1)}
			scenarios[at.pair]++
		}
	}
	questions := slices.Sorted(maps.Keys(perQuestion))
	if questions == nil {
		return nil
	}
	of := append([]string{"-"}, a.Rubric.IDs()...)
	for k, criterion := range of {
		if k > 0 && a.Group != "" && a.Rubric.Criteria[k-1].Group != a.Group {
			continue
		}
		at := (k + len(of) - 1) % len(of) // the total first
		var x, y, differences []float64
		for _, q := range questions {
			first, second := perQuestion[q][0][at]/scenarios[q], perQuestion[q][1][at]/scenarios[q]
			x, y, differences = append(x, first), append(y, second), append(differences, second-first)
			if k == 0 && first != second {
				c.Moved = append(c.Moved, Move{judge, a.System, b.System, q, table.Number(first), table.Number(second), table.Number(second - first)})
			}
		}
		var calc dataset.Calculator
		c.Rows = append(c.Rows, Row{judge, a.System, b.System, criterion, len(questions),
			table.Number(stats.Mean(x)), table.Number(stats.Mean(y)), calc.Mean(dataset.Sample{Values: differences}).Bounded})
		if calc.Err != nil {
			return fmt.Errorf("comparing %s and %s by %s: %w", a.System, b.System, judge, calc.Err)
		}
	}
	return nil
}

// plus adds values, divided by a number, to a sum, which is nil without values.
func plus(sum, values []float64, by float64) []float64 {
	if sum == nil {
		sum = make([]float64, len(values))
	}
	for k, v := range values {
		sum[k] += v / by
	}
	return sum
}

// A cell is a question under a scenario.
type cell struct{ pair, scenario string }

// points are a judge's mean points for a side's answers: by criterion, the total last.
func (s Side) points(judge string) map[cell][]float64 {
	sums, n := map[cell][]float64{}, map[cell]float64{}
	for _, sheet := range s.Valid(s.JudgeNamed(judge)) {
		answer := &s.Answers[sheet.Answer]
		if answer.System == s.System && (s.Scenario == "" || s.Scenario == dataset.AllScenarios || s.Scenario == answer.Scenario) {
			at := cell{answer.Pair, answer.Scenario}
			sums[at] = plus(sums[at], append(slices.Clone(sheet.Scores), s.total(sheet)), 1)
			n[at]++
		}
	}
	for at, sum := range sums {
		sums[at] = plus(nil, sum, n[at])
	}
	if s.Own {
		return overScenarios(sums)
	}
	return sums
}

// total is the total of a sheet, or the sum of its scores of the side's group.
func (s Side) total(sheet *dataset.Sheet) float64 {
	if s.Group == "" {
		return sheet.Total
	}
	return s.GroupTotal(sheet, slices.Index(s.Groups, s.Group))
}

// overScenarios are the mean points of the questions that have points in all scenarios.
func overScenarios(points map[cell][]float64) map[cell][]float64 {
	scenarios := map[string]bool{}
	for at := range points {
		scenarios[at.scenario] = true
	}
	means, n := map[cell][]float64{}, map[cell]int{}
	for _, at := range inOrder(points) {
		of := cell{pair: at.pair}
		means[of] = plus(means[of], points[at], float64(len(scenarios)))
		n[of]++
	}
	maps.DeleteFunc(means, func(of cell, _ []float64) bool { return n[of] < len(scenarios) })
	return means
}

// inOrder are the cells with points, so that sums do not depend on the order of a map.
func inOrder(points map[cell][]float64) []cell {
	return slices.SortedFunc(maps.Keys(points), func(a, b cell) int {
		return cmp.Or(cmp.Compare(a.pair, b.pair), cmp.Compare(a.scenario, b.scenario))
	})
}

// Worse are the differences of totals below −points.
func (c *Comparison) Worse(points float64) []Row {
	return table.Where(c.totals(), func(r Row) bool { return *r.Difference.Value.Number < -points })
}

func (c *Comparison) totals() []Row {
	return table.Where(c.Rows, func(r Row) bool { return r.Criterion == "-" })
}

// Print prints the totals; for a single pair of systems also the criteria and the questions
// that moved most.
func (c *Comparison) Print(w io.Writer) error {
	totals := c.totals()
	if err := table.View(3, totals, "judge", "system_a=first", "system_b=second", "n_questions:0=questions", "mean_a=points, first",
		"mean_b=points, second", "difference+2").Terminal(w); err != nil {
		return err
	}
	if slices.ContainsFunc(totals, func(r Row) bool { return r.SystemA != totals[0].SystemA }) {
		return nil
	}
	fmt.Fprint(w, "\nBy criterion\n\n")
	criteria := table.Where(c.Rows, func(r Row) bool { return r.Criterion != "-" })
	if err := table.View(2, criteria, "judge", "criterion", "mean_a=points, first", "mean_b=points, second",
		"difference+2").Terminal(w); err != nil {
		return err
	}
	fmt.Fprint(w, "\nQuestions that changed most\n\n")
	return table.View(2, c.mostMoved(), "judge", "question", "points_a=points, first", "points_b=points, second", "difference+2").Terminal(w)
}

// mostMoved are the questions of each judge with the largest differences.
func (c *Comparison) mostMoved() (list []Move) {
	var judges []string
	for _, r := range c.totals() {
		if slices.Contains(judges, r.Judge) {
			continue
		}
		judges = append(judges, r.Judge)
		of := table.Where(c.Moved, func(m Move) bool { return m.Judge == r.Judge })
		slices.SortStableFunc(of, func(a, b Move) int {
			return cmp.Compare(math.Abs(*b.Difference.Number), math.Abs(*a.Difference.Number))
		})
		list = append(list, of[:min(mostMoved, len(of))]...)
	}
	return list
}
