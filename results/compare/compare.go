// Package compare compares two runs, or two systems: the points of the same judge for answers to the same questions in the
// same scenarios.
package compare

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"compqa/data"
	"compqa/results/dataset"
	"compqa/results/store"
	"compqa/results/table"
	"compqa/results/trust"
	"compqa/stats"
)

// A Side is one system of a run, possibly restricted to a scenario or a group of criteria.
type Side struct {
	*dataset.Dataset
	System   string
	Scenario string // the only scenario that counts; "" or dataset.AllScenarios for all
	Group    string // the only group of criteria that counts; "" for all
}

// A Row is the difference between two sides by one judge, in points, on totals or on one criterion (see trust.ComparePaired).
type Row struct {
	Judge      string       `csv:"judge"`
	SystemA    string       `csv:"system_a"`
	SystemB    string       `csv:"system_b"`
	Criterion  string       `csv:"criterion"`   // ID of the criterion, or "-" for totals
	Questions  int          `csv:"n_questions"` // 0 if nothing can be compared; then there are no points
	PlannedA   int          `csv:"planned_a"`   // planned verdicts, as in leaderboard.csv
	ValidA     int          `csv:"valid_a"`
	PlannedB   int          `csv:"planned_b"`
	ValidB     int          `csv:"valid_b"`
	A          stats.Figure `csv:"mean_a"`
	B          stats.Figure `csv:"mean_b"`
	Difference stats.Figure `csv:"difference,ci_low,ci_high"` // A − B

	Asked int `csv:"-"` // questions on which both sides have points, where each aspect of a pair is a question
}

// A Move is a question whose total differs between the sides. If a pair of objects has several aspects, each aspect is a question.
type Move struct {
	Asked      dataset.Question `csv:"-"`
	Judge      string           `csv:"judge"`
	SystemA    string           `csv:"system_a"`
	SystemB    string           `csv:"system_b"`
	Question   string           `csv:"question"`
	A          stats.Figure     `csv:"points_a"`
	B          stats.Figure     `csv:"points_b"`
	Difference stats.Figure     `csv:"difference"` // A − B
	Criteria   []float64        `csv:"-"`          // A − B on each criterion, in the order of the rubric
}

// A Comparison has all rows, and the questions whose totals differ, by judge.
type Comparison struct {
	Rows  []Row
	Moved []Move
	Found table.Findings // set if two systems of one run are compared; else Findings says what has changed

	compared *dataset.Dataset
	judge    string // the judge of the latest rows
	places   *dataset.Places
	runs     [2]*dataset.Dataset // the runs of the latest rows, to which places belongs
	judged   map[sideOf]judged
}

// A JSON is a Comparison for programs.
type JSON struct {
	Findings table.Findings   `json:"findings"`
	Prompts  []string         `json:"scenarios_with_other_prompts"` // only for two runs
	Rows     table.Rows[Row]  `json:"rows"`
	Moved    table.Rows[Move] `json:"moved"` // questions whose totals differ
}

// A sideOf is a run and the group of criteria that count.
type sideOf struct {
	run   *dataset.Dataset
	group string
}

// A judged has what a judge scored in a run: the tallies by condition, and the points by system.
type judged struct {
	tallies []dataset.Tally
	sides   []trust.Side
}

// by returns what a judge scored in the run of a side. The values of a point are the total (of the side's group, if it has one), then each
// criterion. It caches the result for the latest judge.
func (c *Comparison) by(judge string, s Side) judged {
	if c.judge != judge || c.judged == nil {
		c.judge = judge
		c.judged = map[sideOf]judged{}
	}
	key := sideOf{s.Dataset, s.Group}
	known, is := c.judged[key]
	if j := s.JudgeNamed(judge); !is && j >= 0 {
		group := slices.Index(s.Groups, s.Group)
		known = judged{s.Tallies(j), s.Sides(j, c.places, func(sheet *data.Given) []float64 {
			sum := sheet.Total
			if group >= 0 {
				sum = s.GroupTotal(sheet, group)
			}
			return append([]float64{sum}, sheet.Scores...)
		})}
		c.judged[key] = known
	}
	return known
}

// points returns the points that a judge gave to a side. If the sides are different scenarios (two prompts), the points of each are treated
// as being in one common scenario, so that they can be compared.
func (c *Comparison) points(judge string, s, other Side) trust.Side {
	known := c.by(judge, s)
	system := store.Named(s.Systems, s.System)
	if system < 0 || known.sides == nil {
		return trust.Side{Name: s.name(other)}
	}
	side := c.places.Under(known.sides[system], s.Scenario)
	side.Name = s.name(other)
	if s.Scenario != other.Scenario {
		side = side.OverScenarios()
	}
	return side
}

// mostMoved is the largest number of questions that are listed for each judge.
const mostMoved = 5

// Judges returns the names of a run's judges, without baselines (floors) and people.
func Judges(a *dataset.Dataset) (names []string) {
	for _, j := range a.Judges {
		if j.Kind != dataset.KindFloor && !data.IsHuman(j.Name) {
			names = append(names, j.Name)
		}
	}
	return names
}

// Add compares two sides by one judge and adds the rows. If the judge scored no question in the same scenario on both sides, it adds one
// row without points.
func (c *Comparison) Add(judge string, a, b Side) error {
	c.compared = a.Dataset
	if runs := [2]*dataset.Dataset{a.Dataset, b.Dataset}; c.runs != runs {
		c.runs, c.judged, c.places = runs, nil, dataset.NewPlaces(a.Dataset, b.Dataset)
	}
	first, second := trust.CommonPlaces(c.points(judge, a, b), c.points(judge, b, a))
	differences, err := trust.ComparePaired(first, second)
	if err != nil {
		return fmt.Errorf("comparing %s and %s by %s: %w", a.System, b.System, judge, err)
	}
	row := Row{Judge: judge, SystemA: first.Name, SystemB: second.Name, Questions: differences[0].Value.N}
	row.PlannedA, row.ValidA = a.counts(c.by(judge, a))
	row.PlannedB, row.ValidB = b.counts(c.by(judge, b))
	row.Asked = c.move(row, first.OverScenarios(), second.OverScenarios())
	for k, d := range differences {
		row.Criterion = total
		row.A = d.First
		row.B = d.Second
		row.Difference = d.Value
		if k > 0 {
			criterion := a.Rubric.Criteria[k-1]
			row.Criterion = criterion.ID
			if a.Group != "" && criterion.Group != a.Group {
				continue
			}
		}
		c.Rows = append(c.Rows, row)
	}
	return nil
}

// total is the criterion of rows on totals.
const total = "-"

// move adds the questions whose totals differ. It returns the number of all compared questions.
func (c *Comparison) move(row Row, first, second trust.Side) int {
	var moved []Move
	for i, p := range first.Points {
		q := c.places.Named[p.Question]
		x := p.Values
		y := second.Points[i].Values
		if math.Abs(x[0]-y[0]) > 1e-9 { // means over scenarios are rounded
			moved = append(moved, Move{q, row.Judge, row.SystemA, row.SystemB, q.String(), stats.Number(x[0]), stats.Number(y[0]),
				stats.Number(x[0] - y[0]), minus(x[1:], y[1:])})
		}
	}
	slices.SortFunc(moved, func(a, b Move) int {
		return cmp.Or(strings.Compare(a.Asked.Pair, b.Asked.Pair), strings.Compare(a.Asked.Aspect, b.Asked.Aspect))
	})
	c.Moved = append(c.Moved, moved...)
	return len(first.Points)
}

// name returns the name of the side's system. If the other side has another scenario, the scenario follows in brackets.
func (s Side) name(other Side) string {
	if s.Scenario == other.Scenario {
		return s.System
	}
	return fmt.Sprintf("%s [%s]", s.System, s.Scenario)
}

// minus returns x − y, element by element.
func minus(x, y []float64) []float64 {
	difference := make([]float64, len(x))
	for i := range x {
		difference[i] = x[i] - y[i]
	}
	return difference
}

// has reports whether answers of a system in a scenario belong to the side.
func (s Side) has(system, scenario string) bool {
	return system == s.System && (s.Scenario == "" || s.Scenario == dataset.AllScenarios || s.Scenario == scenario)
}

// counts returns the numbers of a judge's planned and valid verdicts on the side's answers.
func (s Side) counts(by judged) (planned, valid int) {
	for i, tally := range by.tallies {
		if c := s.Conditions[i]; s.has(s.Systems[c.System].Name, c.Scenario) {
			planned += tally.Planned
			valid += tally.Valid
		}
	}
	return planned, valid
}

// Worse returns the rows of totals on which the second side may have lost more than the given points. These are rows with a larger
// difference, and rows with too few questions to know.
func (c *Comparison) Worse(points float64) []Row {
	return data.Where(c.Totals(), func(r Row) bool {
		return r.Questions > 0 && (!r.Difference.Known || r.Difference.Value > points)
	})
}

// Fewer returns the comparisons in which verdicts are missing on the second side. Either no question can be compared, or a smaller share of
// the planned verdicts is valid than on the first side. A decrease of up to accepted, as a share, is allowed.
func (c *Comparison) Fewer(accepted float64) []Row {
	return data.Where(c.Totals(), func(r Row) bool {
		if r.ValidA == 0 {
			return false
		}
		share := float64(r.ValidB) / float64(r.ValidA) * float64(r.PlannedA) / float64(max(1, r.PlannedB))
		return r.Questions == 0 || share < 1-accepted-1e-9
	})
}

// Totals returns the rows of totals.
func (c *Comparison) Totals() []Row {
	return data.Where(c.Rows, func(r Row) bool { return r.Criterion == total })
}

// Findings says whether two systems of one run differ, or what has changed between two runs. If there are several differences, the first
// finding counts them.
func (c *Comparison) Findings() (all table.Findings) {
	if c.Found != nil {
		return c.Found
	}
	clear := 0
	for _, r := range c.Totals() {
		if r.Questions == 0 {
			continue
		}
		a := r.SystemA
		b := r.SystemB
		if a == b {
			a += " (first)"
			b += " (second)"
		}
		f := trust.Difference{By: r.Judge, A: a, B: b, Value: r.Difference}.Changed()
		if f.Claim == trust.ClaimChanged {
			clear++
		}
		all = append(all, f)
	}
	if len(all) > 1 {
		all = append(table.Findings{trust.Changes(clear, len(all))}, all...)
	}
	return all
}

// mostFindings is the largest number of findings on the terminal.
const mostFindings = 4

// differenceHead is the heading of columns with differences.
const differenceHead = "first minus second"

// Print prints the findings and the totals. If all rows are about one system, it also prints the criteria and the questions that moved
// most.
func (c *Comparison) Print(w io.Writer) error {
	findings := c.Findings()
	for _, text := range findings[:min(len(findings), mostFindings)].Texts() {
		table.PrintWrapped(w, table.Printable(text))
	}
	fmt.Fprintln(w)
	totals := c.Totals()
	view := table.New(3, "judge", "first", "second", "valid, first", "valid, second", "questions", "points, first", "points, second",
		differenceHead)
	for _, r := range totals {
		view.Add(r.Judge, r.SystemA, r.SystemB, fmt.Sprintf("%d/%d", r.ValidA, r.PlannedA), fmt.Sprintf("%d/%d", r.ValidB, r.PlannedB),
			r.Questions, table.Figured(r.A, 2), table.Figured(r.B, 2), table.Signed(r.Difference, 2))
	}
	if err := view.Terminal(w); err != nil {
		return err
	}
	unmoved := func() error {
		if !slices.ContainsFunc(totals, func(r Row) bool { return r.Questions > 0 }) {
			return nil // nothing was compared
		}
		_, err := fmt.Fprint(w, "\nNo total of a question differs.\n")
		return err
	}
	if len(c.Rows) == len(totals) || slices.ContainsFunc(totals, func(r Row) bool { return r.SystemA != totals[0].SystemA }) {
		if len(c.Moved) == 0 {
			return unmoved()
		}
		return nil
	}
	if err := c.printCriteria(w); err != nil {
		return err
	}
	if len(c.Moved) == 0 {
		return unmoved()
	}
	fmt.Fprint(w, "\nQuestions that changed most\n\n")
	moved := table.New(2, "judge", "question", "points, first", "points, second", differenceHead)
	most := c.mostMoved()
	for _, m := range most {
		moved.Add(m.Judge, m.Question, table.Figured(m.A, 2), table.Figured(m.B, 2), table.Signed(m.Difference, 2))
	}
	if err := moved.Terminal(w); err != nil || len(most) == len(c.Moved) {
		return err
	}
	_, err := fmt.Fprintf(w, " and %d more: --json\n", len(c.Moved)-len(most))
	return err
}

// printCriteria prints the differences on each criterion.
func (c *Comparison) printCriteria(w io.Writer) error {
	fmt.Fprint(w, "\nBy criterion\n\n")
	view := table.New(2, "judge", "criterion", "points, first", "points, second", differenceHead)
	for _, r := range c.Rows {
		if r.Criterion != total {
			view.Add(r.Judge, c.compared.ItemName(dataset.LevelCriterion, r.Criterion), table.Figured(r.A, 2), table.Figured(r.B, 2),
				table.Signed(r.Difference, 2))
		}
	}
	return view.Terminal(w)
}

// SortMoved sorts the questions by the size of their difference, largest first.
func (c *Comparison) SortMoved() {
	slices.SortStableFunc(c.Moved, func(a, b Move) int {
		return cmp.Compare(math.Abs(b.Difference.Value), math.Abs(a.Difference.Value))
	})
}

// mostMoved returns, for each judge, the questions with the largest differences.
func (c *Comparison) mostMoved() (list []Move) {
	for _, moves := range table.Grouped(c.Moved, func(m Move) string { return m.Judge }) {
		slices.SortStableFunc(moves, func(a, b Move) int {
			return cmp.Compare(math.Abs(b.Difference.Value), math.Abs(a.Difference.Value))
		})
		list = append(list, moves[:min(mostMoved, len(moves))]...)
	}
	return list
}
