// Package compare compares two runs, or two systems: the points of the same judge for answers to the same questions in the
// same scenarios.
package compare

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"

	"compqa/data"
	"compqa/results/dataset"
	"compqa/results/table"
	"compqa/results/trust"
	"compqa/stats"
)

// A Side is one system of a run.
type Side struct {
	*dataset.Dataset
	System   string
	Scenario string // whose answers alone count; "" or dataset.AllScenarios: of all
	Group    string // of criteria that alone count; "": all
	// Own is whether a question's points are the mean over all scenarios of this system, and left out without points in one
	// of them, as in leaderboard.ComparisonRow. Else both sides are compared under the scenarios that they share.
	Own bool
}

// A Row is the difference of two sides by one judge, in points: of totals, or of one criterion. Its interval is clustered by
// question. See stats.MeanInterval.
type Row struct {
	Judge      string       `csv:"judge"`
	SystemA    string       `csv:"system_a"`
	SystemB    string       `csv:"system_b"`
	Criterion  string       `csv:"criterion"`   // "-": the total
	Questions  int          `csv:"n_questions"` // 0: nothing is compared, and there are no points
	PlannedA   int          `csv:"planned_a"`   // verdicts, as in leaderboard.csv
	ValidA     int          `csv:"valid_a"`
	PlannedB   int          `csv:"planned_b"`
	ValidB     int          `csv:"valid_b"`
	A          stats.Figure `csv:"mean_a"`
	B          stats.Figure `csv:"mean_b"`
	Difference stats.Figure `csv:"difference,ci_low,ci_high"` // B − A

	Asked int `csv:"-"` // questions with points of both: each aspect of a pair is one
}

// A Move is a question whose total differs between the sides. Of a pair of objects with several aspects, each is a question.
type Move struct {
	Asked      Question     `csv:"-"`
	Judge      string       `csv:"judge"`
	SystemA    string       `csv:"system_a"`
	SystemB    string       `csv:"system_b"`
	Question   string       `csv:"question"`
	A          stats.Figure `csv:"points_a"`
	B          stats.Figure `csv:"points_b"`
	Difference stats.Figure `csv:"difference"` // B − A
	Criteria   []float64    `csv:"-"`          // B − A by criterion, in the rubric's order
}

// A Question is a pair of objects, and the aspect that it asks about where there are several questions about the pair; its
// letters' case does not count.
type Question struct{ Pair, Aspect string }

// String is the pair, with the aspect in brackets.
func (q Question) String() string {
	if q.Aspect == "" {
		return q.Pair
	}
	return q.Pair + " (" + q.Aspect + ")"
}

// A Comparison is all rows and, for each judge, the questions that moved most.
type Comparison struct {
	Rows  []Row
	Moved []Move
	Found table.Findings // of two systems of one run; nil: Findings says what has changed

	compared *dataset.Dataset
	judge    string // of the last rows
	sheets   map[*dataset.Dataset]judged
}

// A JSON is a Comparison for programs.
type JSON struct {
	Findings table.Findings   `json:"findings"`
	Prompts  []string         `json:"scenarios_with_other_prompts"` // of two runs
	Rows     table.Rows[Row]  `json:"rows"`
	Moved    table.Rows[Move] `json:"moved"` // questions whose totals differ
}

// A judged is what a judge scored of a run.
type judged struct {
	tallies []dataset.Tally
	valid   map[string][]*data.Given // by system
}

// by is what a judge scored of a side's run.
func (c *Comparison) by(judge string, s Side) judged {
	if c.judge != judge || c.sheets == nil {
		c.judge, c.sheets = judge, map[*dataset.Dataset]judged{}
	}
	known, is := c.sheets[s.Dataset]
	if j := s.JudgeNamed(judge); !is && j >= 0 {
		known = judged{s.Tallies(j), map[string][]*data.Given{}}
		for _, sheet := range s.Valid(j) {
			system := s.Answers[sheet.Item].System
			known.valid[system] = append(known.valid[system], sheet)
		}
		c.sheets[s.Dataset] = known
	}
	return known
}

// mostMoved is the number of questions that are listed for a judge.
const mostMoved = 5

// Judges are the judges of a run but floors and people.
func Judges(a *dataset.Dataset) (names []string) {
	for _, j := range a.Judges {
		if j.Kind != dataset.KindFloor && !data.IsHuman(j.Name) {
			names = append(names, j.Name)
		}
	}
	return names
}

// Add compares two sides by one judge. If the judge scored no answer of both to the same question (under the same scenario,
// see Side.Own), it adds one row without points.
func (c *Comparison) Add(judge string, a, b Side) error {
	c.compared = a.Dataset
	before, after := a.points(c.by(judge, a)), b.points(c.by(judge, b))
	var questions []Question
	var ours, theirs [][]float64 // by question; see points
	for _, q := range slices.SortedFunc(maps.Keys(before), func(a, b Question) int {
		return cmp.Or(strings.Compare(a.Pair, b.Pair), strings.Compare(a.Aspect, b.Aspect))
	}) {
		x, y := before[q], after[q]
		if !a.Own {
			maps.DeleteFunc(x, func(scenario string, _ []float64) bool { return y[scenario] == nil })
			maps.DeleteFunc(y, func(scenario string, _ []float64) bool { return x[scenario] == nil })
		}
		if len(x) > 0 && len(y) > 0 {
			questions, ours, theirs = append(questions, q), append(ours, mean(inOrder(x))), append(theirs, mean(inOrder(y)))
		}
	}
	for i, q := range questions {
		one, other := ours[i][0], theirs[i][0]
		if math.Abs(other-one) > 1e-9 { // means over scenarios are rounded
			c.Moved = append(c.Moved, Move{q, judge, a.name(b), b.name(a), q.String(), stats.Number(one), stats.Number(other),
				stats.Number(other - one), minus(theirs[i][1:], ours[i][1:])})
		}
	}
	pairs := slices.CompactFunc(slices.Clone(questions), func(a, b Question) bool { return a.Pair == b.Pair })
	ours, theirs = byPair(questions, ours), byPair(questions, theirs)
	row := Row{Judge: judge, SystemA: a.name(b), SystemB: b.name(a), Criterion: "-", Questions: len(pairs), Asked: len(questions)}
	row.PlannedA, row.ValidA = a.counts(c.by(judge, a))
	row.PlannedB, row.ValidB = b.counts(c.by(judge, b))
	if len(pairs) == 0 {
		c.Rows = append(c.Rows, row)
		return nil
	}
	for k, criterion := range append([]string{"-"}, a.Rubric.IDs()...) {
		if k > 0 && a.Group != "" && a.Rubric.Criteria[k-1].Group != a.Group {
			continue
		}
		var x, y, differences []float64
		for i := range pairs {
			one, other := ours[i][k], theirs[i][k]
			x, y, differences = append(x, one), append(y, other), append(differences, other-one)
		}
		var calc dataset.Calculator
		row.Criterion, row.A, row.B = criterion, stats.Number(stats.Mean(x)), stats.Number(stats.Mean(y))
		row.Difference = calc.Mean(dataset.Sample{Values: differences})
		c.Rows = append(c.Rows, row)
		if calc.Err != nil {
			return fmt.Errorf("comparing %s and %s by %s: %w", a.System, b.System, judge, calc.Err)
		}
	}
	return nil
}

// name is the system's, with the scenario in brackets where the other side has another one.
func (s Side) name(other Side) string {
	if s.Scenario == other.Scenario {
		return s.System
	}
	return fmt.Sprintf("%s [%s]", s.System, s.Scenario)
}

// byPair are the means of the points of each pair's questions: a pair is one value of a row, whatever is asked about it.
func byPair(questions []Question, points [][]float64) (means [][]float64) {
	for i := 0; i < len(questions); {
		n := i + 1
		for n < len(questions) && questions[n].Pair == questions[i].Pair {
			n++
		}
		means, i = append(means, mean(points[i:n])), n
	}
	return means
}

// minus is x − y, value by value.
func minus(x, y []float64) []float64 {
	difference := make([]float64, len(x))
	for i := range x {
		difference[i] = x[i] - y[i]
	}
	return difference
}

func mean(lists [][]float64) []float64 {
	mean := make([]float64, len(lists[0]))
	for k := range mean {
		for _, points := range lists {
			mean[k] += points[k]
		}
		mean[k] /= float64(len(lists))
	}
	return mean
}

// points are a judge's mean points for a side's answers by question and scenario: the total, and then by criterion.
func (s Side) points(by judged) map[Question]map[string][]float64 {
	type cell struct {
		question Question
		scenario string
	}
	question := Questions(s.Dataset)
	lists, scenarios := map[cell][][]float64{}, map[string]bool{}
	for _, sheet := range by.valid[s.System] {
		answer := &s.Answers[sheet.Item]
		if s.has(answer.System, answer.Scenario) {
			place := cell{question(answer), answer.Scenario}
			lists[place], scenarios[place.scenario] = append(lists[place], append([]float64{s.total(sheet)}, sheet.Scores...)), true
		}
	}
	points := map[Question]map[string][]float64{}
	for place, list := range lists {
		if points[place.question] == nil {
			points[place.question] = map[string][]float64{}
		}
		points[place.question][place.scenario] = mean(list)
	}
	maps.DeleteFunc(points, func(_ Question, by map[string][]float64) bool { return s.Own && len(by) < len(scenarios) })
	return points
}

// Questions names the question of an answer of a run. The aspect is that of the question that was asked: an imported answer's
// own may be another one.
func Questions(run *dataset.Dataset) func(*dataset.AnswerRow) Question {
	asked := map[string]int{}
	for _, q := range run.Run.Questions {
		asked[q.Pair()]++
	}
	return func(a *dataset.AnswerRow) Question {
		if a.Asked == nil || asked[a.Pair] < 2 {
			return Question{Pair: a.Pair}
		}
		return Question{a.Pair, strings.ToLower(a.Asked.Aspect)}
	}
}

// has reports whether the answers of a system under a scenario are the side's.
func (s Side) has(system, scenario string) bool {
	return system == s.System && (s.Scenario == "" || s.Scenario == dataset.AllScenarios || s.Scenario == scenario)
}

// counts are a judge's planned and valid verdicts on the side's answers.
func (s Side) counts(by judged) (planned, valid int) {
	for i, tally := range by.tallies {
		if c := s.Cells[i]; s.has(s.Systems[c.System].Name, c.Scenario) {
			planned, valid = planned+tally.Planned, valid+tally.Valid
		}
	}
	return planned, valid
}

// total is the total of a sheet, or the sum of its scores of the side's group.
func (s Side) total(sheet *data.Given) float64 {
	if s.Group == "" {
		return sheet.Total
	}
	return s.GroupTotal(sheet, slices.Index(s.Groups, s.Group))
}

// inOrder are the points of scenarios, so that sums do not depend on the order of a map.
func inOrder(points map[string][]float64) [][]float64 {
	return data.Each(slices.Sorted(maps.Keys(points)), func(scenario string) []float64 { return points[scenario] })
}

// Worse are the differences of totals below −points.
func (c *Comparison) Worse(points float64) []Row {
	return data.Where(c.Totals(), func(r Row) bool { return r.Questions > 0 && r.Difference.Value < -points })
}

// Fewer are the comparisons in which answers are missing on the second side: none of the first can be compared, or fewer of
// its planned verdicts are valid, as a share, than of the first side's. Up to the share accepted of these may be missing.
func (c *Comparison) Fewer(accepted float64) []Row {
	return data.Where(c.Totals(), func(r Row) bool {
		if r.ValidA == 0 {
			return false
		}
		share := float64(r.ValidB) / float64(r.ValidA) * float64(r.PlannedA) / float64(max(1, r.PlannedB))
		return r.Questions == 0 || share < 1-accepted-1e-9
	})
}

// Totals are the rows of totals.
func (c *Comparison) Totals() []Row {
	return data.Where(c.Rows, func(r Row) bool { return r.Criterion == "-" })
}

// Findings are whether two systems of one run differ, or what has changed between the sides; of several differences their number first.
func (c *Comparison) Findings() (all table.Findings) {
	if c.Found != nil {
		return c.Found
	}
	clear := 0
	for _, r := range c.Totals() {
		if r.Questions == 0 {
			continue
		}
		a, b := r.SystemA, r.SystemB
		if a == b {
			a, b = a+" (first)", b+" (second)"
		}
		f := trust.Changed(r.Judge, a, b, r.Difference, data.Plural(r.Questions, "question", "questions"))
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

// mostFindings is the number of findings on the terminal.
const mostFindings = 4

// shownDifference is the heading of a difference, and the difference under it. Of two systems of one run it is that of the board and of
// comparisons.csv, the first minus the second; of two runs or prompts it is the second, which is the later one, minus the first.
func (c *Comparison) shownDifference(secondMinusFirst stats.Figure) (head string, difference stats.Figure) {
	if c.Found == nil {
		return "second minus first", secondMinusFirst
	}
	return "first minus second", table.Minus(secondMinusFirst)
}

// Print prints the findings and the totals; for a single pair of systems also the criteria and the questions that moved most.
func (c *Comparison) Print(w io.Writer) error {
	findings := c.Findings()
	for _, text := range findings[:min(len(findings), mostFindings)].Texts() {
		table.PrintWrapped(w, table.Printable(text))
	}
	fmt.Fprintln(w)
	totals := c.Totals()
	head, _ := c.shownDifference(stats.Figure{})
	view := table.New(3, "judge", "first", "second", "valid, first", "valid, second", "questions", "points, first", "points, second", head)
	for _, r := range totals {
		_, difference := c.shownDifference(r.Difference)
		view.Add(r.Judge, r.SystemA, r.SystemB, fmt.Sprintf("%d/%d", r.ValidA, r.PlannedA), fmt.Sprintf("%d/%d", r.ValidB, r.PlannedB),
			r.Questions, table.Figured(r.A, 2), table.Figured(r.B, 2), table.Signed(difference, 2))
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
	if err := c.printCriteria(w, head); err != nil {
		return err
	}
	if len(c.Moved) == 0 {
		return unmoved()
	}
	fmt.Fprint(w, "\nQuestions that changed most\n\n")
	moved := table.New(2, "judge", "question", "points, first", "points, second", head)
	for _, m := range c.mostMoved() {
		_, difference := c.shownDifference(m.Difference)
		moved.Add(m.Judge, m.Question, table.Figured(m.A, 2), table.Figured(m.B, 2), table.Signed(difference, 2))
	}
	return moved.Terminal(w)
}

// printCriteria prints the differences by criterion.
func (c *Comparison) printCriteria(w io.Writer, head string) error {
	fmt.Fprint(w, "\nBy criterion\n\n")
	view := table.New(2, "judge", "criterion", "points, first", "points, second", head)
	for _, r := range c.Rows {
		if r.Criterion != "-" {
			_, difference := c.shownDifference(r.Difference)
			view.Add(r.Judge, c.compared.ItemName(dataset.LevelCriterion, r.Criterion), table.Figured(r.A, 2), table.Figured(r.B, 2),
				table.Signed(difference, 2))
		}
	}
	return view.Terminal(w)
}

// SortMoved puts the questions with the largest differences first.
func (c *Comparison) SortMoved() {
	slices.SortStableFunc(c.Moved, func(a, b Move) int {
		return cmp.Compare(math.Abs(b.Difference.Value), math.Abs(a.Difference.Value))
	})
}

// mostMoved are the questions of each judge with the largest differences.
func (c *Comparison) mostMoved() (list []Move) {
	for _, moves := range table.Grouped(c.Moved, func(m Move) string { return m.Judge }) {
		slices.SortStableFunc(moves, func(a, b Move) int {
			return cmp.Compare(math.Abs(b.Difference.Value), math.Abs(a.Difference.Value))
		})
		list = append(list, moves[:min(mostMoved, len(moves))]...)
	}
	return list
}
