// Package leaderboard computes points by judge, system and scenario, with intervals, ranks and the differences of systems.
package leaderboard

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"compqa/data"
	"compqa/results/dataset"
	"compqa/results/store"
	"compqa/results/table"
	"compqa/results/trust"
	"compqa/stats"
	"compqa/stats/ranking"
)

// A LeaderboardRow has the points of a system in a scenario by one judge. For AllScenarios, it has the mean of the scenario means and the
// mean of their sample deviations, as in Nikishina et al., Table 3. An answer counts once: its points are the mean over its valid sheets. A
// scenario without valid verdicts is left out of both means, but counts in the worst and the best case. Its system has no rank over all
// scenarios.
type LeaderboardRow struct {
	Judge    string `csv:"judge"`
	System   string `csv:"system"`
	Scenario string `csv:"scenario"`
	Planned  int    `csv:"planned"`
	Valid    int    `csv:"valid"`

	Mean stats.Figure `csv:"mean"`
	SD   stats.Figure `csv:"sd"`
	Rank stats.Figure `csv:"rank"` // among the judge's systems in the scenario; equal systems share the best rank

	CILow    stats.Figure `csv:"ci_low"` // of the mean, clustered by question
	CIHigh   stats.Figure `csv:"ci_high"`
	RankLow  stats.Figure `csv:"rank_low"` // range of the rank; the ranges hold for all systems at once
	RankHigh stats.Figure `csv:"rank_high"`

	WorstCase stats.Figure `csv:"worst_case"` // mean if every planned verdict that is not valid had the rubric's minimum
	BestCase  stats.Figure `csv:"best_case"`  // the same with the rubric's maximum

	HumanMean  stats.Figure `csv:"human_mean,human_low,human_high"` // estimated human score, by prediction-powered inference
	Lambda     stats.Figure `csv:"lambda"`                          // weight of the judge in HumanMean
	NHuman     stats.Figure `csv:"n_human"`                         // number of answers that both people and the judge scored
	NEffective stats.Figure `csv:"n_effective"`                     // number of human-scored answers that would give the same precision

	Alone        stats.Figure     `csv:"-"` // the mean human score from human scores alone
	Corrected    trust.Correction `csv:"-"` // HumanMean before it is cut off at the ends of the scale
	Asked        int              `csv:"-"` // planned verdicts on answers that exist
	LeftToOthers int              `csv:"-"` // those of Asked that are left to other judges or to people
	Above        []string         `csv:"-"` // systems that this one is significantly above, by the tests behind RankLow and RankHigh
	fewQuestions bool             // as stats.Figure.Few
	system       int              // index in the run
	cells        []int            // indices of the conditions with valid verdicts
	partial      bool             // a scenario of the system has no valid verdict, so Mean cannot be compared
}

// BoardTable has the points of each system by each judge.
var BoardTable = table.Def[LeaderboardRow]{File: "leaderboard.csv"}

// A board computes the rows of one judge.
type board struct {
	*dataset.Dataset
	dataset.Calculator
	judge   int
	places  *dataset.Places
	tallies []dataset.Tally // by condition
	items   []trust.Items   // by condition; nil for human judges, or without human scores
}

func (b *board) isPlanned(cell int) bool { return b.tallies[cell].Planned > 0 }

// rows returns the rows without ranks, sorted by system and scenario, with AllScenarios last.
func (b *board) rows() (rows []LeaderboardRow) {
	for s := range b.Systems {
		for _, scope := range b.Scopes(s, b.isPlanned) {
			rows = append(rows, b.row(scope))
		}
	}
	return rows
}

// row computes the row of a scope without its rank. It collects the points of the scope's conditions, computes mean, deviation, interval
// and the worst and best case, and estimates the human mean if people scored answers.
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
		r.LeftToOthers += t.Left
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
		r.CILow, r.CIHigh, r.fewQuestions = e.Lower(), e.Upper(), e.Few
	}
	if b.items != nil {
		b.correct(&r)
	}
	return r
}

// LeastVerdicts is the least number of valid verdicts for a rank. They must be on at least stats.FewClusters questions.
const LeastVerdicts = 10

// Thin reports whether a row has no rank because it has too few verdicts, or verdicts on too few questions.
func (r LeaderboardRow) Thin() bool { return thin(r.Rank) }

func thin(rank stats.Figure) bool { return errors.Is(rank.Why, stats.ErrTooShort) }

// withholdThin marks a row with too few verdicts as having no rank. questions has the question of each verdict.
func (r *LeaderboardRow) withholdThin(questions []int, baseline bool) {
	n := len(slices.Compact(slices.Sorted(slices.Values(questions))))
	if baseline || n == 0 || n >= stats.FewClusters && r.Valid >= LeastVerdicts {
		return
	}
	r.Rank = stats.MissingFigure(TooFew("", NeededOf(r.Valid, LeastVerdicts, "verdict", "verdicts")+" on "+
		NeededOf(n, stats.FewClusters, "question", "questions")))
}

// TooFew returns the reason of a missing rank. who begins the text, as "people scored "; counted is a text of NeededOf.
func TooFew(who, counted string) error { return stats.NotEnough("too few: " + who + counted) }

// NeededOf returns a count in words, with the needed number if the count is lower: "8 of 10 verdicts", "12 verdicts".
func NeededOf(n, needed int, one, several string) string {
	if n < needed {
		return fmt.Sprintf("%d of %d %s", n, needed, several)
	}
	return data.Plural(n, one, several)
}

// TooFewText describes what "too few verdicts" means.
var TooFewText = fmt.Sprintf("fewer than %d, or on fewer than %d questions", LeastVerdicts, stats.FewClusters)

// TooFewMark follows the points of a system with too few verdicts for a rank. TooFewKey explains it below a table.
const TooFewMark = "¶"

// TooFewKey returns the text that explains TooFewMark, or "" if no cell of the table has the mark.
func TooFewKey(view *table.Table) string {
	marked := func(row []table.Cell) bool {
		return slices.ContainsFunc(row, func(c table.Cell) bool { return strings.Contains(c.Mark, TooFewMark) })
	}
	if view == nil || !slices.ContainsFunc(view.Rows, marked) {
		return ""
	}
	return " " + TooFewMark + " too few verdicts for a rank: " + TooFewText + "."
}

// means returns the mean of the scenarios' means, and the mean of their sample deviations.
func (b *board) means(scenarios [][]float64) (mean, sd stats.Figure) {
	var means, sds []stats.Figure
	for _, values := range scenarios {
		m := b.Moments(values)
		means = append(means, stats.FigureOf(m.Mean))
		sds = append(sds, stats.FigureOf(m.SD))
	}
	return b.MeanKnown(means), b.MeanKnown(sds)
}

// Tables has points by system, scenario and judge, also by group of criteria, and the differences between systems.
type Tables struct {
	*dataset.Dataset
	Board       []LeaderboardRow
	At          map[dataset.PlanKey]*LeaderboardRow
	Differences []ComparisonRow
	ByGroup     []GroupRow
	Fragile     []dataset.Fragility // one for each judge, if few questions decide its first place

	Faithfulness []FaithfulnessRow

	Order
	Headline    string       // the judge whose points and figures are shown first; "" if none
	FittedNotes []table.Note // explain the marks behind names of judges
}

// NewTables computes the tables. It computes judges in parallel, because comparing systems takes most of the time of a report. people has
// the totals of people.
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

// Overall returns the row of a judge and a system over all scenarios, or the zero row if there is none.
func (t *Tables) Overall(judge, system string) LeaderboardRow {
	if r := t.At[dataset.PlanKey{Judge: judge, System: system, Scenario: dataset.AllScenarios}]; r != nil {
		return *r
	}
	return LeaderboardRow{}
}

// correct estimates the mean human score from two sources: the answers that people and the judge scored, and the judge's verdicts on the
// other answers (trust.Correct). Answers with human scores must be a random sample. Over several scenarios, the estimate is the mean of the
// scenario means. This needs two human-scored answers in each scenario, and other verdicts in all scenarios or in none.
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
		r.Alone = table.OnScale(c.LabelMean, b.Rubric.Min(), b.Rubric.Max())
	}
}

// A GroupRow has the points on a group of criteria by one judge. For AllScenarios, it has means of scenarios, as in a LeaderboardRow.
type GroupRow struct {
	Judge    string       `csv:"judge"`
	System   string       `csv:"system"`
	Scenario string       `csv:"scenario"`
	Group    string       `csv:"group"`
	Valid    int          `csv:"valid"`
	Mean     stats.Figure `csv:"mean"`
	SD       stats.Figure `csv:"sd"`
}

// GroupsTable has the points by group of criteria.
var GroupsTable = table.Def[GroupRow]{File: "groups.csv"}

// groupRows returns the rows sorted by system, scenario (AllScenarios last) and group of the rubric.
func (b *board) groupRows() (rows []GroupRow) {
	for s, system := range b.Systems {
		for _, scope := range b.Scopes(s, b.isPlanned) {
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

// Who orders the systems (Order.By).
const (
	ByPeople      = "people"       // people's scores of every ranked system
	ByHumanPoints = "human points" // predicted points of people
	ByJudge       = "judge"        // the opinion of one judge
)

// An Order says who orders the systems on the board, and in which order.
type Order struct {
	By       string // one of the above, or "" if nobody
	Judge    string // whose points order the systems; people's scores may correct them
	Sentence string // the first line of the board
	Assumed  string // what predicted points rest on
	Unread   string // names the judges with many unreadable verdicts, see dataset.UnreadText
	Places   []Place
}

// A Place is the place of a system in the order. A baseline has no rank next to other systems.
type Place struct {
	System                  string
	Baseline                bool
	Rank, RankLow, RankHigh stats.Figure // Rank is missing without a reason if the place may still get one
	Few                     bool         // the range is not shown, as it comes from too few common questions
	Above                   []string     // systems that this one is significantly above, by the tests behind the rank range
	Points                  stats.Figure
	Uncut                   stats.Figure // predicted Points before they are cut off at the ends of the scale
	Basis                   string       // people, people+judge, transfer, judge
}

// Thin reports whether a place has no rank because it has too few verdicts, or because people scored too few of its answers.
func (s Place) Thin() bool { return thin(s.Rank) }

// SortPlaces sorts places by points, best first. Places without points come last, by name.
func SortPlaces(all []Place) {
	slices.SortStableFunc(all, func(a, b Place) int {
		if !a.Points.Known && !b.Points.Known {
			return cmp.Compare(a.System, b.System)
		}
		return cmp.Or(stats.CompareFigures(a.Points.Point(), b.Points.Point(), -1), cmp.Compare(a.Rank.Text(0), b.Rank.Text(0)))
	})
}

// Tiers returns the tier of each place, from 1, or 0 for a place without a rank. places must be sorted, best first. A new tier begins with
// a system that is significantly below some system of the current tier. The systems of a tier therefore cannot be told apart.
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

// Note says why a place has no rank: "baseline", or too few verdicts and how many are needed. It returns "" for other places.
func (s Place) Note() string {
	switch {
	case s.Thin():
		return s.Rank.Reason()
	case s.Baseline && !s.Rank.Known:
		return "baseline"
	}
	return ""
}

// RankText returns the rank, followed by its range if that has several ranks: "2 (1–3)". It returns "2 (?)" if the range is not known.
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
	points.Few = r.fewQuestions
	return points
}

// PointsName returns the column heading of the points that order the systems.
func (o Order) PointsName() string {
	if o.By == ByJudge || o.By == "" {
		return "points"
	}
	return "human points"
}

// PlotTitle returns the title of the plot whose systems are ordered as on the board.
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

// HeadlineText says who orders the systems, and what a reader must know before the ranking.
func (t *Tables) HeadlineText() string {
	return strings.Join(strings.Fields(t.Sentence+" "+t.Assumed+" "+t.Unread+t.TrainedText()), " ")
}

// A ComparisonRow is the difference between two systems by one judge in one scenario (see trust.ComparePaired). The adjusted p-value is
// Holm's over all pairs of systems of the same judge and scenario.
type ComparisonRow struct {
	Judge      string       `csv:"judge"`
	Scenario   string       `csv:"scenario"`
	SystemA    string       `csv:"system_a"`
	SystemB    string       `csv:"system_b"`
	Questions  int          `csv:"n_questions"`
	Difference stats.Figure `csv:"difference,ci_low,ci_high"` // A - B, points
	table.PValue
}

// ComparisonsTable has the differences between systems.
var ComparisonsTable = table.Def[ComparisonRow]{File: "comparisons.csv"}

// rank sets the ranks in a judge's rows, for each scenario. It tests every pair of systems on the questions that both answered, and returns
// the differences.
func (b *board) rank(rows []LeaderboardRow) (comparisons []ComparisonRow) {
	sides := b.Sides(b.judge, b.places, func(s *data.Given) []float64 { return []float64{s.Total} })
	for _, scenario := range append(b.Scenarios(), dataset.AllScenarios) {
		var ranked []*LeaderboardRow
		for i := range rows {
			if r := &rows[i]; r.Scenario == scenario && r.Mean.Known && !r.partial {
				ranked = append(ranked, r)
			}
		}
		under := data.Each(ranked, func(r *LeaderboardRow) trust.Side { return b.places.Under(sides[r.system], scenario) })
		pairs := len(ranked) * (len(ranked) - 1) / 2
		tests := make([]pairTest, 0, pairs)
		of := make([]ComparisonRow, 0, pairs)
		for i, x := range ranked {
			for k, y := range ranked[i+1:] {
				differences, err := trust.ComparePaired(under[i], under[i+1+k])
				if b.Value(0, err) == nil {
					return nil
				}
				d := differences[0]
				of = append(of, ComparisonRow{x.Judge, scenario, x.System, y.System, d.Value.N, d.Value, table.PValue{P: d.P}})
				tests = append(tests, pairTest{i, i + 1 + k, d})
			}
		}
		b.Value(0, table.Adjust(of, func(ComparisonRow) bool { return true }, func(r *ComparisonRow) *table.PValue { return &r.PValue }))
		b.rankCandidates(ranked, under, tests)
		comparisons = append(comparisons, of...)
	}
	return comparisons
}

// A pairTest is the difference between two rows, given by their indices.
type pairTest struct {
	A, B int
	trust.Difference
}

// rankCandidates ranks the candidates that have enough verdicts. If two systems share fewer than dataset.MinQuestions questions, it
// compares all points that either system got (trust.CompareIndependent).
func (b *board) rankCandidates(rows []*LeaderboardRow, sides []trust.Side, tests []pairTest) {
	candidates := b.Candidates()
	others := 0
	means := make([]stats.Figure, len(rows)) // known only of ranked candidates
	for i, r := range rows {
		if candidates[r.system] && !r.Thin() {
			means[i] = r.Mean
		} else {
			others++
		}
	}
	var pairs []ranking.PairTest // without pairs that cannot be compared, which widen the rank ranges of their two systems only
	for _, t := range tests {
		if !means[t.A].Known || !means[t.B].Known {
			continue
		}
		d := t.Difference
		if d.Value.N < dataset.MinQuestions {
			apart, err := trust.CompareIndependent(sides[t.A], sides[t.B])
			if b.Value(0, err) == nil {
				return
			}
			if apart.P.Known {
				d = apart
			}
		}
		if d.P.Known {
			pairs = append(pairs, ranking.PairTest{A: t.A, B: t.B, Difference: d.Value.Value, P: d.P.Value})
		}
	}
	ranges, err := ranking.RankIntervals(len(rows), pairs, dataset.Confidence)
	if b.Value(0, err) == nil {
		return
	}
	sure, err := ranking.Significant(len(rows), pairs, dataset.Confidence)
	if b.Value(0, err) == nil {
		return
	}
	for _, t := range sure {
		rows[t.A].Above = append(rows[t.A].Above, rows[t.B].System)
	}
	for i, rank := range dataset.Ranks(means) {
		if rank.Known {
			rows[i].Rank, rows[i].RankLow, rows[i].RankHigh = rank, stats.Count(ranges[i].Low), stats.Count(ranges[i].High-others)
		}
	}
}

// mostChallengers is the number of systems behind the first one that fragility tries to put first.
const mostChallengers = 3

// fragility says how few questions must be left out to put another system first over all scenarios: one of the next three
// (stats.Sums.Fewest). It returns no row if leaving out a fifth of the questions is not enough, or if the judge is a baseline.
func (b *board) fragility(rows []LeaderboardRow) []dataset.Fragility {
	candidates := b.Candidates()
	ranked := data.Where(rows, func(r LeaderboardRow) bool {
		return r.Scenario == dataset.AllScenarios && r.Rank.Known && candidates[r.system]
	})
	slices.SortStableFunc(ranked, func(x, y LeaderboardRow) int { return stats.CompareFigures(x.Mean, y.Mean, -1) })
	if len(ranked) < 2 || b.Judges[b.judge].Kind == dataset.KindFloor ||
		ranked[0].Mean.Value-ranked[1].Mean.Value <= dataset.EqualMeans {
		return nil
	}
	type total struct {
		cell   int
		points float64
	}
	questions := map[int][]total{}
	for _, r := range ranked {
		for _, c := range r.cells {
			for i, q := range b.tallies[c].Questions {
				questions[q] = append(questions[q], total{c, b.tallies[c].Totals[i]})
			}
		}
	}
	order := slices.Sorted(maps.Keys(questions))
	sums, err := stats.NewSums(len(order), nil, 2*len(b.tallies), func(unit int, add func(index int, amount float64)) {
		for _, total := range questions[order[unit]] {
			add(2*total.cell, total.points)
			add(2*total.cell+1, 1)
		}
	})
	if err != nil {
		return nil
	}
	challengers := ranked[1:min(len(ranked), 1+mostChallengers)]
	fewest, ok := sums.Fewest(len(order)/5, func(sum []float64) []float64 {
		return data.Each(challengers, func(r LeaderboardRow) float64 { return meanOf(r, sum) - meanOf(ranked[0], sum) - dataset.EqualMeans })
	})
	if !ok {
		return nil
	}
	slices.Sort(fewest)
	first := ""
	most := math.Inf(-1)
	left := sums.WeightsWithout(fewest)
	for _, r := range ranked {
		if mean := meanOf(r, left); mean > most+dataset.EqualMeans {
			first = r.System
			most = mean
		}
	}
	names := data.Each(fewest, func(unit int) string {
		index := slices.Index(b.Question, order[unit])
		return strings.Join(strings.Fields(b.Answers[index].Pair), "_")
	})
	judge := b.Judges[b.judge].Name
	return []dataset.Fragility{{What: "rank 1 by " + judge, Target: first, Removed: len(names), Of: len(order),
		Items: strings.Join(names, " "), Judge: judge, First: ranked[0].System}}
}

// meanOf returns a system's mean over its scenarios. sum holds, for each condition c, the sum of points at 2c and their number at 2c+1. The
// mean is NaN if a scenario has no points.
func meanOf(row LeaderboardRow, sum []float64) (mean float64) {
	for _, c := range row.cells {
		mean += sum[2*c] / sum[2*c+1] / float64(len(row.cells))
	}
	return mean
}
