// Package compare compares two runs, or two systems: the points of the same judge for answers
// to the same questions in the same scenarios.
package compare

import (
	"cmp"
	"errors"
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
	scenarios := map[string]int{}
	for _, at := range inOrder(before) {
		x := before[at]
		y, both := after[at]
		if !both {
			continue
		}
		sums, known := perQuestion[at.pair]
		if !known {
			sums = [2][]float64{make([]float64, len(x)), make([]float64, len(y))}
		}
		for k := range x {
			sums[0][k] += x[k]
			sums[1][k] += y[k]
		}
		perQuestion[at.pair] = sums
		scenarios[at.pair]++
	}
	if len(perQuestion) == 0 {
		return nil
	}
	questions := slices.Sorted(maps.Keys(perQuestion))
	criteria := a.Rubric.Criteria
	for k := range len(criteria) + 1 {
		row := Row{Judge: judge, SystemA: a.System, SystemB: b.System, Criterion: "-", Questions: len(questions)}
		if k > 0 {
			row.Criterion = criteria[k-1].ID
		}
		at := (k + len(criteria)) % (len(criteria) + 1) // the total first
		var of [3][]float64
		for _, q := range questions {
			x, y := perQuestion[q][0][at]/float64(scenarios[q]), perQuestion[q][1][at]/float64(scenarios[q])
			of[0], of[1], of[2] = append(of[0], x), append(of[1], y), append(of[2], y-x)
			if k == 0 && x != y {
				c.Moved = append(c.Moved, Move{judge, a.System, b.System, q, table.Number(x), table.Number(y), table.Number(y - x)})
			}
		}
		row.A, row.B = table.Number(stats.Mean(of[0])), table.Number(stats.Mean(of[1]))
		m, err := stats.MeanInterval(of[2], nil, dataset.Confidence)
		row.Difference.Value = table.Number(m.Value)
		switch {
		case err == nil:
			row.Difference.Low, row.Difference.High = table.Number(m.Low), table.Number(m.High)
		case !errors.Is(err, stats.ErrTooShort) && !errors.Is(err, stats.ErrOneCluster) && !errors.Is(err, stats.ErrZeroWidth):
			return fmt.Errorf("comparing %s and %s by %s: %w", a.System, b.System, judge, err)
		}
		c.Rows = append(c.Rows, row)
	}
	return nil
}

// A cell is a question under a scenario.
type cell struct{ pair, scenario string }

// points are a judge's mean points for a side's answers: by criterion, the total last.
func (s Side) points(judge string) map[cell][]float64 {
	sums, n := map[cell][]float64{}, map[cell]float64{}
	for _, sheet := range s.SheetsOf(s.JudgeNamed(judge)) {
		answer := &s.Answers[sheet.Answer]
		if answer.System != s.System || sheet.Status != data.Valid ||
			s.Scenario != "" && s.Scenario != dataset.AllScenarios && s.Scenario != answer.Scenario {
			continue
		}
		at := cell{answer.Pair, answer.Scenario}
		if sums[at] == nil {
			sums[at] = make([]float64, len(sheet.Scores)+1)
		}
		for k, v := range sheet.Scores {
			sums[at][k] += v
		}
		sums[at][len(sheet.Scores)] += sheet.Total
		n[at]++
	}
	for at, sum := range sums {
		for k := range sum {
			sum[k] /= n[at]
		}
	}
	if s.Own {
		return overScenarios(sums)
	}
	return sums
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
		if means[of] == nil {
			means[of] = make([]float64, len(points[at]))
		}
		for k, x := range points[at] {
			means[of][k] += x / float64(len(scenarios))
		}
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
	one := !slices.ContainsFunc(totals, func(r Row) bool { return r.SystemA != totals[0].SystemA })
	if !one {
		return nil
	}
	fmt.Fprintln(w, "\nBy criterion")
	fmt.Fprintln(w)
	criteria := table.Where(c.Rows, func(r Row) bool { return r.Criterion != "-" })
	if err := table.View(2, criteria, "judge", "criterion", "mean_a=points, first", "mean_b=points, second",
		"difference+2").Terminal(w); err != nil {
		return err
	}
	fmt.Fprintln(w, "\nQuestions that changed most")
	fmt.Fprintln(w)
	return table.View(2, c.mostMoved(), "judge", "question", "points_a=points, first", "points_b=points, second", "difference+2").Terminal(w)
}

// mostMoved are the questions of each judge with the largest differences.
func (c *Comparison) mostMoved() (list []Move) {
	var judges []string
	for _, r := range c.totals() {
		if !slices.Contains(judges, r.Judge) {
			judges = append(judges, r.Judge)
		}
	}
	for _, judge := range judges {
		of := table.Where(c.Moved, func(m Move) bool { return m.Judge == judge })
		slices.SortStableFunc(of, func(a, b Move) int {
			return cmp.Compare(math.Abs(*b.Difference.Number), math.Abs(*a.Difference.Number))
		})
		list = append(list, of[:min(mostMoved, len(of))]...)
	}
	return list
}
