// Package leaderboard computes points by judge, system and scenario, with intervals, ranks and the differences of systems.
package leaderboard

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"compqa/data"
	"compqa/results/dataset"
	"compqa/results/store"
	"compqa/results/table"
	"compqa/results/trust"
	"compqa/stats"
)

// A LeaderboardRow is the points of a system in a scenario by one judge. For AllScenarios it is the mean of the scenario
// means, with the mean of their sample deviations, as in Nikishina et al., Table 3. An answer counts once: its points are the
// mean over its valid sheets. A scenario without valid verdicts is
// excluded from both means but included in the worst and best case; such a system has no rank over all scenarios.
type LeaderboardRow struct {
	Judge    string `csv:"judge"`
	System   string `csv:"system"`
	Scenario string `csv:"scenario"`
	Planned  int    `csv:"planned"`
	Valid    int    `csv:"valid"`

	Mean stats.Figure `csv:"mean"`
	SD   stats.Figure `csv:"sd"`
	Rank stats.Figure `csv:"rank"` // among the judge's systems in the scenario; ties share the best rank

	CILow    stats.Figure `csv:"ci_low"` // of the mean, clustered by question
	CIHigh   stats.Figure `csv:"ci_high"`
	RankLow  stats.Figure `csv:"rank_low"` // simultaneous for all systems
	RankHigh stats.Figure `csv:"rank_high"`

	WorstCase stats.Figure `csv:"worst_case"` // mean if every planned verdict that is not valid were the rubric's minimum
	BestCase  stats.Figure `csv:"best_case"`  // … its maximum

	HumanMean  stats.Figure `csv:"human_mean,human_low,human_high"` // estimated human score, by prediction-powered inference
	Lambda     stats.Figure `csv:"lambda"`
	NHuman     stats.Figure `csv:"n_human"` // answers that people and the judge scored
	NEffective stats.Figure `csv:"n_effective"`

	Alone     stats.Figure     `csv:"-"` // the same from human scores alone
	Corrected trust.Correction `csv:"-"` // HumanMean before it is cut off at the ends of the scale
	Asked     int              `csv:"-"` // planned verdicts of answers that exist
	Left      int              `csv:"-"` // of these, those that other judges decide, or people
	Above     []string         `csv:"-"` // the systems that it is surely above: by the tests that give the ranks their ranges
	few       bool             // see stats.Figure
	system    int              // its place in the run
	cells     []int            // those with valid verdicts
	partial   bool             // a scenario of the system has no valid verdict, so its mean is not comparable
}

// BoardTable is the points of each system by each judge.
var BoardTable = table.Def[LeaderboardRow]{File: "leaderboard.csv"}

type board struct {
	*dataset.Dataset
	dataset.Calculator
	judge   int
	places  *dataset.Places
	tallies []dataset.Tally // of each cell
	items   []trust.Items   // of each cell; nil for human judges, and without human scores
}

func (b *board) planned(cell int) bool { return b.tallies[cell].Planned > 0 }

// rows are in the order of systems and scenarios, AllScenarios last; without ranks.
func (b *board) rows() (rows []LeaderboardRow) {
	for s := range b.Systems {
		for _, scope := range b.Scopes(s, b.planned) {
			rows = append(rows, b.row(scope))
		}
	}
	return rows
}

func (b *board) row(scope dataset.Scope) LeaderboardRow {
	r := LeaderboardRow{Judge: b.Judges[b.judge].Name, System: b.Systems[scope.System].Name, Scenario: scope.Scenario, system: scope.System}
	var worst, best []stats.Figure
	var totals [][]float64
	var questions []int
	for _, c := range scope.Cells {
		t := &b.tallies[c]
		r.Planned += t.Planned
		r.Valid += t.Valid
		r.Asked = r.Asked + t.Planned - t.Unasked
		r.Left += t.Left
		worst = append(worst, t.Bound(b.Rubric.Min()))
		best = append(best, t.Bound(b.Rubric.Max()))
		if len(t.Totals) > 0 {
			r.cells = append(r.cells, c)
			totals = append(totals, t.Totals)
			questions = append(questions, t.Questions...)
		}
	}
	r.withholdThin(questions, b.Systems[scope.System].Kind == dataset.KindBaseline)
	r.partial = scope.Scenario == dataset.AllScenarios && len(r.cells) < len(b.BySystem[scope.System])
	r.Mean, r.SD = b.means(totals)
	r.WorstCase, r.BestCase = b.MeanKnown(worst), b.MeanKnown(best)
	if values := b.OverScenarios(totals); values != nil {
		e := b.Calculator.Mean(dataset.Sample{Values: values, Questions: questions})
		r.CILow, r.CIHigh, r.few = e.Lower(), e.Upper(), e.Few
	}
	if b.items != nil {
		b.correct(&r)
	}
	return r
}

// LeastVerdicts is the number of valid verdicts, on stats.FewClusters questions, from which a system has a rank.
const LeastVerdicts = 10

// Thin reports whether a row has no rank because it has too few verdicts, or verdicts on too few questions.
func (r LeaderboardRow) Thin() bool { return thin(r.Rank) }

func thin(rank stats.Figure) bool { return errors.Is(rank.Why, stats.ErrTooShort) }

// withholdThin gives a row with too few verdicts no rank; questions has the question of each verdict.
func (r *LeaderboardRow) withholdThin(questions []int, baseline bool) {
	n := len(slices.Compact(slices.Sorted(slices.Values(questions))))
	if baseline || n == 0 || n >= stats.FewClusters && r.Valid >= LeastVerdicts {
		return
	}
	r.Rank = stats.Lacking(TooFew("", NeededOf(r.Valid, LeastVerdicts, "verdict", "verdicts")+" on "+
		NeededOf(n, stats.FewClusters, "question", "questions")))
}

// TooFew is the reason for a missing rank: who counted what, and how much of it there is.
func TooFew(who, counted string) error { return stats.NotEnough("too few: " + who + counted) }

// NeededOf returns a count in words, with the number that is needed if there are fewer: "8 of 10 verdicts", "12 verdicts".
func NeededOf(n, needed int, one, several string) string {
	if n < needed {
		return fmt.Sprintf("%d of %d %s", n, needed, several)
	}
	return data.Plural(n, one, several)
}

// TooFewText says what is too few.
var TooFewText = fmt.Sprintf("fewer than %d, or on fewer than %d questions", LeastVerdicts, stats.FewClusters)

// TooFewMark follows the points of a system that has too few verdicts for a rank; TooFewKey says so below a table that has the mark.
const TooFewMark = "¶"

// TooFewKey explains TooFewMark in the text of a table; "" where no cell has it.
func TooFewKey(view *table.Table) string {
	marked := func(row []table.Cell) bool {
		return slices.ContainsFunc(row, func(c table.Cell) bool { return strings.Contains(c.Mark, TooFewMark) })
	}
	if view == nil || !slices.ContainsFunc(view.Rows, marked) {
		return ""
	}
	return " " + TooFewMark + " too few verdicts for a rank: " + TooFewText + "."
}

// means returns the mean of the scenarios' means, and that of their sample deviations.
func (b *board) means(scenarios [][]float64) (mean, sd stats.Figure) {
	var means, sds []stats.Figure
	for _, values := range scenarios {
		m := b.Moments(values)
		means = append(means, stats.FigureOf(m.Mean))
		sds = append(sds, stats.FigureOf(m.SD))
	}
	return b.MeanKnown(means), b.MeanKnown(sds)
}

// Tables are the tables of points by system, scenario and judge, also by group of criteria, and the differences between
// systems.
type Tables struct {
	*dataset.Dataset
	Board       []LeaderboardRow
	At          map[dataset.PlanKey]*LeaderboardRow
	Differences []ComparisonRow
	ByGroup     []GroupRow
	Fragile     []dataset.Fragility // one for each judge whose first system few questions decide

	Faithfulness []FaithfulnessRow

	Order
	Headline    string       // the judge whose points and figures come first; "": none
	FittedNotes []table.Note // explain the marks of judges
}

// NewTables computes the tables of all judges in parallel, because the comparisons of systems take most of the time of a
// report.
func NewTables(x *dataset.Dataset, people dataset.AnswerTotals) (*Tables, error) {
	t := &Tables{Dataset: x, At: map[dataset.PlanKey]*LeaderboardRow{}}
	tables, places := make([]Tables, len(x.Judges)), dataset.NewPlaces(x)
	err := data.SideBySide(len(x.Judges), func(j int) error {
		b := &board{Dataset: x, judge: j, places: places, tallies: x.Tallies(j)}
		if !x.People(j) && people.Any() {
			b.items = x.ItemsByCell(x.AnswerTotals(j), people)
		}
		rows := b.rows()
		tables[j] = Tables{Board: rows, Differences: b.rank(rows), ByGroup: b.groupRows()}
		tables[j].Fragile = b.fragility(rows)
		return b.Err
	})
	if err != nil {
		return nil, err
	}
	t.Board = slices.Concat(data.Each(tables, func(judge Tables) []LeaderboardRow { return judge.Board })...)
	t.Differences = slices.Concat(data.Each(tables, func(judge Tables) []ComparisonRow { return judge.Differences })...)
	t.ByGroup = slices.Concat(data.Each(tables, func(judge Tables) []GroupRow { return judge.ByGroup })...)
	t.Fragile = slices.Concat(data.Each(tables, func(judge Tables) []dataset.Fragility { return judge.Fragile })...)
	t.Faithfulness, err = faithfulness(x)
	if err != nil {
		return nil, err
	}
	for i := range t.Board {
		r := &t.Board[i]
		t.At[dataset.PlanKey{Judge: r.Judge, System: r.System, Scenario: r.Scenario}] = r
	}
	return t, nil
}

// Overall returns the row of a judge and a system over all scenarios, the zero row if there is none.
func (t *Tables) Overall(judge, system string) LeaderboardRow {
	if r := t.At[dataset.PlanKey{Judge: judge, System: system, Scenario: dataset.AllScenarios}]; r != nil {
		return *r
	}
	return LeaderboardRow{}
}

// correct estimates the mean human score from the answers that people and the judge scored and the judge's verdicts on the others
// (trust.Correct). The answers with human scores must be a random sample. Over several scenarios it is the mean of the scenario means; this
// needs two human-scored answers in each scenario, and other verdicts in all of them or in none.
func (b *board) correct(r *LeaderboardRow) {
	var human, judge, others [][]float64
	var s stats.PPISample
	n := 0
	for _, c := range r.cells {
		cell := b.items[c].Random()
		n += len(cell.Human)
		human = append(human, cell.Human)
		judge = append(judge, cell.Judge)
		s.Clusters = append(s.Clusters, cell.Clusters...)
		if len(cell.Unlabelled) > 0 {
			others = append(others, cell.Unlabelled)
			s.UnlabelledClusters = append(s.UnlabelledClusters, cell.UnlabelledClusters...)
		}
	}
	r.NHuman = stats.Count(n)
	if n == 0 || len(others) > 0 && len(others) < len(human) {
		return
	}
	s.Human, s.Judge, s.Unlabelled = b.OverScenarios(human), b.OverScenarios(judge), b.OverScenarios(others)
	if s.Human == nil || len(others) > 0 && s.Unlabelled == nil {
		return
	}
	c, err := trust.Correct(s)
	b.Value(0, err)
	r.Corrected = c
	r.Lambda = c.Lambda
	r.NEffective = c.EffectiveN
	r.HumanMean = table.OnScale(c.Mean, b.Rubric.Min(), b.Rubric.Max())
	if c.Mean.Known {
		r.Alone = table.OnScale(c.Alone, b.Rubric.Min(), b.Rubric.Max())
	}
}

// A GroupRow is the points of a group of criteria over a judge's valid verdicts; AllScenarios as in a LeaderboardRow.
type GroupRow struct {
	Judge    string       `csv:"judge"`
	System   string       `csv:"system"`
	Scenario string       `csv:"scenario"`
	Group    string       `csv:"group"`
	Valid    int          `csv:"valid"`
	Mean     stats.Figure `csv:"mean"`
	SD       stats.Figure `csv:"sd"`
}

// GroupsTable is the points by group of criteria.
var GroupsTable = table.Def[GroupRow]{File: "groups.csv"}

// groupRows are in the order of systems, scenarios (AllScenarios last) and the rubric's groups.
func (b *board) groupRows() (rows []GroupRow) {
	for s, system := range b.Systems {
		for _, scope := range b.Scopes(s, b.planned) {
			for g, group := range b.Groups {
				var points [][]float64
				valid := 0
				for _, c := range scope.Cells {
					valid += b.tallies[c].Valid
					if groups := b.tallies[c].Groups; groups != nil {
						points = append(points, groups[g])
					}
				}
				r := GroupRow{Judge: b.Judges[b.judge].Name, System: system.Name, Scenario: scope.Scenario, Group: group, Valid: valid}
				r.Mean, r.SD = b.means(points)
				rows = append(rows, r)
			}
		}
	}
	return rows
}

// What orders the systems.
const (
	ByPeople      = "people"       // people's scores of every ranked system
	ByHumanPoints = "human points" // predicted points of people
	ByJudge       = "judge"        // the opinion of one judge
)

// An Order is the order of the systems on the board, and who makes it.
type Order struct {
	By       string // "": nobody
	Judge    string // whose points these are, or whose points are corrected by people
	Sentence string // the first line of the board
	Unread   string // names the judges of whose verdicts many cannot be read, see dataset.UnreadText
	Places   []Place
}

// A Place is the place of a system. A baseline has no rank next to other systems.
type Place struct {
	System                  string
	Baseline                bool
	Rank, RankLow, RankHigh stats.Figure // of a place that may still be ranked, Rank is missing without a reason
	Few                     bool         // the range is from too few common questions to be shown
	Above                   []string     // the systems that it is surely above, by the tests that give the ranks their ranges
	Points                  stats.Figure
	Uncut                   stats.Figure // Points before they are cut off at the ends of the scale, where they are predicted
	Basis                   string       // people, people+judge, transfer, judge
}

// Thin reports whether a place has no rank because it has too few verdicts, or people scored too few of its answers.
func (s Place) Thin() bool { return thin(s.Rank) }

// SortPlaces puts the best first, and those without points last, by name.
func SortPlaces(all []Place) {
	slices.SortStableFunc(all, func(a, b Place) int {
		if !a.Points.Known && !b.Points.Known {
			return cmp.Compare(a.System, b.System)
		}
		return cmp.Or(stats.CompareFigures(a.Points.Point(), b.Points.Point(), -1), cmp.Compare(a.Rank.Text(0), b.Rank.Text(0)))
	})
}

// Tiers numbers the tiers of places in order, from 1: a system begins a new tier where one of the tier before is surely above it, so that
// the systems of a tier cannot be told apart. Places without a rank have 0.
func Tiers(places []Place) (tiers []int) {
	tier := 1
	first := 0
	for i, p := range places {
		if !p.Rank.Known {
			tiers = append(tiers, 0)
			continue
		}
		if slices.ContainsFunc(places[first:i], func(above Place) bool { return slices.Contains(above.Above, p.System) }) {
			tier++
			first = i
		}
		tiers = append(tiers, tier)
	}
	return tiers
}

// Note says why a place has no rank: a baseline, or too few verdicts, with the number that is needed; "" for other places.
func (s Place) Note() string {
	switch {
	case s.Thin():
		return s.Rank.Reason()
	case s.Baseline && !s.Rank.Known:
		return "baseline"
	}
	return ""
}

// RankText returns the rank, and its range if that has more ranks than one: "2 (1–3)"; "2 (?)" if that is not known.
func (s Place) RankText() string {
	if s.Few && s.Rank.Known {
		return s.Rank.Text(0) + " (?)"
	}
	if s.RankLow.Text(0) == s.RankHigh.Text(0) {
		return s.Rank.Text(0)
	}
	return s.Rank.Text(0) + " (" + s.RankLow.Text(0) + "–" + s.RankHigh.Text(0) + ")"
}

// Points returns the mean of a row with its 95 % interval, in points.
func (r LeaderboardRow) Points() stats.Figure {
	points := stats.Bound(r.Mean, r.CILow, r.CIHigh)
	points.Few = r.few
	return points
}

// PointsName returns the heading of the points in the order.
func (o Order) PointsName() string {
	if o.By == ByJudge || o.By == "" {
		return "points"
	}
	return "human points"
}

// PlotTitle returns the title of the plot that is ordered like the board.
func (o Order) PlotTitle() string {
	if o.By == ByJudge || o.By == "" {
		return "Points by " + o.Judge
	}
	return "Human points"
}

// RankedSystems returns all systems in the order of the board.
func (t *Tables) RankedSystems() []store.Participant {
	place := map[string]int{}
	for i, s := range t.Places {
		place[s.System] = i
	}
	inPlace := func(a, b store.Participant) int { return cmp.Compare(place[a.Name], place[b.Name]) }
	return slices.SortedStableFunc(slices.Values(t.Systems), inPlace)
}

// HeadlineText says who orders the systems, and what a reader has to know before the ranking.
func (t *Tables) HeadlineText() string {
	return strings.TrimSpace(t.Sentence+" "+t.Unread) + t.TrainedText()
}
