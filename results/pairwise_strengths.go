package results

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"compqa/data"
	"compqa/stats"
)

// A StrengthRow is a system's place by a judge's preferences over all sets: its
// strength in the Bradley–Terry model with ties (Davidson 1970), where of two
// systems of strengths p and q the first wins p times for q times of the second,
// scaled to a geometric mean of 1, with an interval clustered by question. A
// match is a pair decided in both orders; orders that disagree make a tie.
// Without a strength (somebody wins or loses everything) the rank is by the
// share of wins, ties counting half.
type StrengthRow struct {
	System   string `csv:"system"`
	Strength Figure `csv:"strength"`
	Low      Figure `csv:"low"`
	High     Figure `csv:"high"`
	Rank     int    `csv:"rank"`
	RankLow  Figure `csv:"rank_low"` // ranks that hold for all systems at once
	RankHigh Figure `csv:"rank_high"`
	Wins     int    `csv:"wins"`
	Losses   int    `csv:"losses"`
	Ties     int    `csv:"ties"`
	Judge    string `csv:"judge"`
	Method   string `csv:"method"`

	share, shareLow, shareHigh Figure // of points: a win 1, a tie ½
}

// A systemBoard is the systems by one judge's preferences.
type systemBoard struct {
	judge  int
	rows   []StrengthRow // best first
	caveat string        // why there are no strengths
	ties   Figure        // Davidson's v: two equal systems tie with probability v/(1+v)
}

// systemBoards are those of all judges but floors and hinted ones.
func (b *preferenceBoard) systemBoards() []systemBoard {
	var boards []systemBoard
	for j, judge := range b.judges {
		if judge.Kind == kindFloor || judge.Hinted {
			continue
		}
		if board, ok := b.systemBoard(j); ok {
			boards = append(boards, board)
		}
	}
	return boards
}

func (b *preferenceBoard) systemBoard(judge int) (systemBoard, bool) {
	systems, matches := b.matches(judge)
	if len(systems) < 2 || len(matches) == 0 {
		return systemBoard{}, false
	}
	board := systemBoard{judge: judge, rows: make([]StrengthRow, len(systems))}
	for i, name := range systems {
		board.rows[i] = StrengthRow{System: name, Judge: b.judges[judge].Name, Method: b.judges[judge].Method}
	}
	b.record(board.rows, matches)
	s, err := stats.Davidson(len(systems), matches)
	if errors.Is(err, stats.ErrTieParameter) {
		s, err = stats.BradleyTerry(len(systems), matches)
		board.caveat = "the ties are too many beside the wins for a model of their own: each counts as half a win"
	}
	var apart *stats.NotConnectedError
	switch {
	case errors.As(err, &apart):
		board.caveat = "no finite strengths: wins do not lead from every system to every other, so that one could stand infinitely far above another; the rank is by the share of wins"
	case err != nil:
		b.value(0, err)
		board.caveat = "no strengths: " + err.Error()
	default:
		board.ties = figure(s.Tie)
		b.strengths(board.rows, s)
	}
	rank(board.rows)
	return board, true
}

// matches are a judge's pairs of systems that are decided in both orders, and
// the systems in order of appearance.
func (b *preferenceBoard) matches(judge int) ([]string, []stats.Match) {
	var systems []string
	number := func(name string) int {
		i := slices.Index(systems, name)
		if i < 0 {
			i = len(systems)
			systems = append(systems, name)
		}
		return i
	}
	var matches []stats.Match
	for _, j := range b.of(judge, -1) {
		p := &b.pairs[j.pair]
		if p.systemA == "" || !j.both() {
			continue
		}
		m := stats.Match{A: number(p.systemA), B: number(p.systemB), Outcome: stats.Tie, Cluster: p.cluster}
		switch j.combined() {
		case data.ChoiceA:
			m.Outcome = stats.FirstWins
		case data.ChoiceB:
			m.Outcome = stats.SecondWins
		}
		matches = append(matches, m)
	}
	return systems, matches
}

// record fills in wins, losses, ties and the share of points.
func (b *preferenceBoard) record(rows []StrengthRow, matches []stats.Match) {
	points, clusters := make([][]float64, len(rows)), make([][]int, len(rows))
	add := func(system int, value float64, cluster int) {
		points[system], clusters[system] = append(points[system], value), append(clusters[system], cluster)
		switch value {
		case 1:
			rows[system].Wins++
		case 0:
			rows[system].Losses++
		default:
			rows[system].Ties++
		}
	}
	for _, m := range matches {
		value := map[stats.Outcome]float64{stats.FirstWins: 1, stats.SecondWins: 0, stats.Tie: 0.5}[m.Outcome]
		add(m.A, value, m.Cluster)
		add(m.B, 1-value, m.Cluster)
	}
	for i := range rows {
		rows[i].share, rows[i].shareLow, rows[i].shareHigh = b.proportion(points[i], clusters[i])
	}
}

// strengths fills in what was fitted.
func (b *preferenceBoard) strengths(rows []StrengthRow, s *stats.Strengths) {
	ranks, err := s.Ranks(confidence)
	if err != nil {
		b.value(0, err)
	}
	for i, p := range s.Strength() {
		r := &rows[i]
		r.Strength = figure(p)
		e, err := s.Interval(i, confidence)
		r.Low, r.High = Figure{b.value(math.Exp(e.Low), err)}, Figure{b.value(math.Exp(e.High), err)}
		if ranks != nil {
			r.RankLow, r.RankHigh = count(ranks[i].Low), count(ranks[i].High)
		}
	}
}

// rank sorts rows, the best first, and numbers them; equals share the best rank.
func rank(rows []StrengthRow) {
	value := func(r StrengthRow) float64 {
		if r.Strength.known() {
			return *r.Strength.number
		}
		return *r.share.number
	}
	slices.SortStableFunc(rows, func(a, b StrengthRow) int {
		return cmp.Or(cmp.Compare(value(b), value(a)), cmp.Compare(a.System, b.System))
	})
	for i := range rows {
		rows[i].Rank = i + 1
		if i > 0 && value(rows[i-1])-value(rows[i]) <= equalMeans {
			rows[i].Rank = rows[i-1].Rank
		}
	}
}

// A BoardsRow sets the order of systems by a judge's preferences beside that by
// a rubric judge's points.
type BoardsRow struct {
	Judge      string `csv:"judge"`
	Method     string `csv:"method"`
	Rubric     string `csv:"rubric_judge"`
	Systems    int    `csv:"systems"`
	Spearman   Figure `csv:"spearman"`
	Kendall    Figure `csv:"kendall_tau_b"`
	Disagree   int    `csv:"pairs_disagreed"` // pairs of systems that they put in opposite orders
	WithPairs  int    `csv:"people_with_preferences"`
	WithPoints int    `csv:"people_with_points"`
	Undecided  int    `csv:"people_undecided"` // no people's scores of both, or none that tell them apart
}

// A DisagreementRow is two systems that preferences and points put in opposite
// orders, and whose side people take, by the difference of their mean scores over
// the answers of both to the same question and scenario.
type DisagreementRow struct {
	Judge      string `csv:"judge"`
	Method     string `csv:"method"`
	Rubric     string `csv:"rubric_judge"`
	Preferred  string `csv:"preferred"` // by preferences
	Other      string `csv:"other"`     // by points
	N          int    `csv:"people_n"`
	Difference Figure `csv:"people_difference"` // of people's points, preferred less other
	Low        Figure `csv:"people_low"`
	High       Figure `csv:"people_high"`
	Side       string `csv:"people_side"` // preferences, points, undecided
}

// The sides that people can take.
const (
	sidePreferences = "preferences"
	sidePoints      = "points"
	sideUndecided   = "undecided"
)

// besideRubric compares the boards with the rubric leaderboards of the run that
// the answers are of.
func (b *preferenceBoard) besideRubric(boards []systemBoard, run *tables) ([]BoardsRow, []DisagreementRow) {
	var rows []BoardsRow
	var all []DisagreementRow
	for _, board := range boards {
		for j, rubric := range run.Judges {
			if rubric.Kind == kindFloor || rubric.Kind == kindHuman {
				continue
			}
			row := BoardsRow{Judge: b.judges[board.judge].Name, Method: b.judges[board.judge].Method, Rubric: rubric.Name}
			var x, y []float64
			var names []string
			for _, s := range board.rows {
				mean := run.at[planKey{run.Judges[j].Name, s.System, AllScenarios}]
				if mean == nil || !mean.Mean.known() {
					continue
				}
				names, y = append(names, s.System), append(y, *mean.Mean.number)
				x = append(x, -float64(s.Rank))
			}
			if row.Systems = len(names); row.Systems < 2 {
				continue
			}
			row.Spearman, row.Kendall = Figure{b.coefficient(stats.Spearman(x, y))}, Figure{b.coefficient(stats.KendallTauB(x, y, stats.KendallNormal))}
			for i := range names {
				for k := range names {
					if x[i] > x[k] && y[i] < y[k]-equalMeans {
						d := b.disagreement(run, names[i], names[k])
						d.Judge, d.Method, d.Rubric = row.Judge, row.Method, row.Rubric
						row.take(d.Side)
						all = append(all, d)
					}
				}
			}
			rows = append(rows, row)
		}
	}
	return rows, all
}

func (r *BoardsRow) take(side string) {
	r.Disagree++
	switch side {
	case sidePreferences:
		r.WithPairs++
	case sidePoints:
		r.WithPoints++
	default:
		r.Undecided++
	}
}

// disagreement asks people about two systems.
func (b *preferenceBoard) disagreement(run *tables, preferred, other string) DisagreementRow {
	d := DisagreementRow{Preferred: preferred, Other: other, Side: sideUndecided}
	people := run.answerTotals(run.references()...)
	if !people.any() {
		return d
	}
	type place struct {
		question int
		scenario string
	}
	sums, n := [2]map[place]float64{{}, {}}, [2]map[place]float64{{}, {}}
	for i, a := range run.Answers {
		total, ok := people.of(i)
		at := slices.Index([]string{preferred, other}, a.System)
		if !ok || at < 0 {
			continue
		}
		where := place{run.question[i], a.Scenario}
		sums[at][where] += total
		n[at][where]++
	}
	var x, y []float64
	var clusters []int
	for _, where := range slices.SortedFunc(maps.Keys(sums[0]), func(a, b place) int {
		return cmp.Or(cmp.Compare(a.question, b.question), cmp.Compare(a.scenario, b.scenario))
	}) {
		if n[1][where] > 0 {
			x, y = append(x, sums[0][where]/n[0][where]), append(y, sums[1][where]/n[1][where])
			clusters = append(clusters, where.question)
		}
	}
	if d.N = len(x); d.N == 0 {
		return d
	}
	difference, err := stats.PairedDifference(x, y, clusters, confidence)
	d.Difference = figure(difference.Value)
	d.Low, d.High = Figure{b.value(difference.Low, err)}, Figure{b.value(difference.High, err)}
	switch {
	case d.Low.known() && *d.Low.number > 0:
		d.Side = sidePreferences
	case d.High.known() && *d.High.number < 0:
		d.Side = sidePoints
	}
	return d
}

// caption says what a board rests on.
func (b *preferenceBoard) caption(board systemBoard) string {
	matches := 0
	for _, r := range board.rows {
		matches += r.Wins + r.Losses + r.Ties
	}
	text := fmt.Sprintf("%s of %s, over pairs decided in both orders", plural(matches/2, "match", "matches"), plural(len(board.rows), "system", "systems"))
	if board.ties.known() && *board.ties.number > 0 {
		text += fmt.Sprintf("; two equal systems tie in %.0f %% of matches", 100**board.ties.number/(1+*board.ties.number))
	}
	if board.caveat != "" {
		text += "; " + board.caveat
	}
	return text + "."
}
