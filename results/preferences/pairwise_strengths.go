package preferences

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"compqa/data"
	"compqa/results/dataset"
	"compqa/results/table"
	"compqa/stats/ranking"
)

// A StrengthRow is a system's rank by a judge's preferences over all sets, with its
// strength in the Bradley–Terry model with ties (Davidson 1970): a system of strength p
// is preferred over one of strength q with odds p : q. Strengths have a geometric mean
// of 1 and intervals clustered by question. A match is a pair that is valid in both
// orders; different choices are a tie.
//
// Strengths exist for systems that are connected by wins and ties in both directions. If
// not all are, they are those of the largest such group. A system outside the group
// never lost to it or never won against it; it ranks above or below the group and has no
// strength.
type StrengthRow struct {
	System   string        `csv:"system"`
	Strength table.Bounded `csv:"strength,low,high"`
	Rank     int           `csv:"rank"`
	RankLow  table.Figure  `csv:"rank_low"` // ranks that hold for all systems with a strength at once
	RankHigh table.Figure  `csv:"rank_high"`
	Wins     int           `csv:"wins"`
	Losses   int           `csv:"losses"`
	Ties     int           `csv:"ties"`
	Judge    string        `csv:"judge"`
	Method   string        `csv:"method"`

	Share  table.Bounded `csv:"-"` // of points: a win 1, a tie ½
	Ranks  string        `csv:"-"` // RankLow to RankHigh
	beside int           // 1 above the group with strengths, -1 below, 0 in it
}

// A systemBoard ranks the systems by one judge's preferences.
type systemBoard struct {
	judge  int
	rows   []StrengthRow // best first
	caveat string        // limits of the strengths
	ties   table.Figure  // Davidson's v: two equal systems tie with probability v/(1+v)
}

// systemBoards are the boards of all judges except floors, hinted and degenerate judges.
func (b *preferenceBoard) systemBoards() []systemBoard {
	var boards []systemBoard
	for j, judge := range b.Judges {
		systems, matches := b.matches(j)
		if judge.Kind == dataset.KindFloor || judge.Hinted || b.degenerate[j] != "" || len(matches) == 0 {
			continue
		}
		board := systemBoard{judge: j}
		for _, name := range systems {
			board.rows = append(board.rows, StrengthRow{System: name, Judge: judge.Name, Method: judge.Method})
		}
		b.record(board.rows, matches)
		board.place(b.fit(&board, matches), matches)
		boards = append(boards, board)
	}
	return boards
}

// fit sets the strengths of the connected systems and returns their indices.
func (b *preferenceBoard) fit(board *systemBoard, matches []ranking.Match) []int {
	group := make([]int, len(board.rows))
	for i := range group {
		group[i] = i
	}
	s, err := ranking.Davidson(len(group), matches)
	var apart *ranking.NotConnectedError
	if errors.As(err, &apart) {
		group = slices.MaxFunc(apart.Components, func(a, b []int) int { return cmp.Compare(len(a), len(b)) })
		if len(group) < 2 {
			board.caveat = "no finite strengths, because wins do not connect any two systems in both directions; ranks use the share of points"
			return nil
		}
		board.caveat = fmt.Sprintf("strengths are given for the %d systems that wins and ties connect in both directions; another system "+
			"never won against them, never lost to them, or was never compared with them, and is ranked above or below them (by its share of "+
			"points, if never compared)", len(group))
		matches = amongThem(matches, group)
		s, err = ranking.Davidson(len(group), matches)
	}
	if errors.Is(err, ranking.ErrTieParameter) {
		s, err = ranking.BradleyTerry(len(group), matches)
		board.caveat = strings.TrimPrefix(board.caveat+"; there are too many ties to model them separately: each counts as half a win", "; ")
	}
	if err != nil {
		b.Value(0, err)
		board.caveat = "no strengths: " + err.Error()
		return nil
	}
	board.ties = table.Number(s.Tie)
	b.strengths(board.rows, group, s)
	return group
}

// amongThem are the matches within a group of systems, which are renumbered.
func amongThem(matches []ranking.Match, group []int) []ranking.Match {
	var of []ranking.Match
	for _, m := range matches {
		a, b := slices.Index(group, m.A), slices.Index(group, m.B)
		if a >= 0 && b >= 0 {
			m.A, m.B = a, b
			of = append(of, m)
		}
	}
	return of
}

// place sorts and ranks the rows, best first: systems above the group, the group by
// strength, systems below it; outside the group by the share of points. Ties share the
// best rank.
func (board *systemBoard) place(group []int, matches []ranking.Match) {
	above := 0
	for i := range board.rows {
		if group != nil && !slices.Contains(group, i) {
			board.rows[i].beside = side(i, group, matches, *board.rows[i].Share.Value.Number)
			above += max(0, board.rows[i].beside)
		}
	}
	for i := range board.rows {
		if r := &board.rows[i]; r.RankLow.Known() {
			r.RankLow, r.RankHigh = table.Number(*r.RankLow.Number+float64(above)), table.Number(*r.RankHigh.Number+float64(above))
			r.Ranks = r.RankLow.Text(0) + " to " + r.RankHigh.Text(0)
		}
	}
	value := func(r StrengthRow) float64 {
		if r.Strength.Known() {
			return *r.Strength.Value.Number
		}
		return *r.Share.Value.Number
	}
	slices.SortStableFunc(board.rows, func(a, b StrengthRow) int {
		return cmp.Or(cmp.Compare(b.beside, a.beside), cmp.Compare(value(b), value(a)), cmp.Compare(a.System, b.System))
	})
	for i := range board.rows {
		r := &board.rows[i]
		r.Rank = i + 1
		if i > 0 && r.beside == board.rows[i-1].beside && value(board.rows[i-1])-value(*r) <= dataset.EqualMeans {
			r.Rank = board.rows[i-1].Rank
		}
	}
}

// side is whether a system ranks above or below a group that it is not connected with:
// above if it won against one of them. Without matches, its share of points decides.
func side(system int, group []int, matches []ranking.Match, share float64) int {
	for _, m := range matches {
		first, second := m.A == system && slices.Contains(group, m.B), m.B == system && slices.Contains(group, m.A)
		switch {
		case first && m.Outcome == ranking.FirstWins, second && m.Outcome == ranking.SecondWins:
			return 1
		case first || second:
			return -1
		}
	}
	if share > 0.5 {
		return 1
	}
	return -1
}

// matches are a judge's pairs that are valid in both orders, as pairs of systems, and
// the systems in order of appearance.
func (b *preferenceBoard) matches(judge int) ([]string, []ranking.Match) {
	var systems []string
	number := func(name string) int {
		i := slices.Index(systems, name)
		if i < 0 {
			i = len(systems)
			systems = append(systems, name)
		}
		return i
	}
	var matches []ranking.Match
	for _, j := range b.of(judge, -1) {
		p := &b.Pairs[j.pair]
		if p.SystemA == "" || !j.both() {
			continue
		}
		m := ranking.Match{A: number(p.SystemA), B: number(p.SystemB), Outcome: ranking.Tie, Cluster: p.Cluster}
		switch j.combined() {
		case data.ChoiceA:
			m.Outcome = ranking.FirstWins
		case data.ChoiceB:
			m.Outcome = ranking.SecondWins
		}
		matches = append(matches, m)
	}
	return systems, matches
}

// record sets wins, losses, ties and the share of points.
func (b *preferenceBoard) record(rows []StrengthRow, matches []ranking.Match) {
	points := make([]dataset.Sample, len(rows))
	for _, m := range matches {
		first, second := &rows[m.A], &rows[m.B]
		value := 0.5
		switch m.Outcome {
		case ranking.FirstWins:
			value = 1
			first.Wins++
			second.Losses++
		case ranking.SecondWins:
			value = 0
			first.Losses++
			second.Wins++
		default:
			first.Ties++
			second.Ties++
		}
		points[m.A].Add(value, m.Cluster)
		points[m.B].Add(1-value, m.Cluster)
	}
	for i := range rows {
		rows[i].Share, rows[i].Ranks = b.share(points[i]), table.None
	}
}

// strengths sets the fitted strengths of a group of systems.
func (b *preferenceBoard) strengths(rows []StrengthRow, group []int, s *ranking.Strengths) {
	ranks, err := s.Ranks(dataset.Confidence)
	if err != nil {
		b.Value(0, err)
	}
	for i, p := range s.Strength() {
		r := &rows[group[i]]
		e, err := s.Interval(i, dataset.Confidence)
		r.Strength = table.Bounded{Value: table.Number(p), Low: table.FigureOf(b.Value(math.Exp(e.Low), err)),
			High: table.FigureOf(b.Value(math.Exp(e.High), err))}
		if ranks != nil {
			r.RankLow, r.RankHigh = table.Count(ranks[i].Low), table.Count(ranks[i].High)
		}
	}
}

// caption describes the data of a board.
func (b *preferenceBoard) caption(board systemBoard) string {
	matches := 0
	for _, r := range board.rows {
		matches += r.Wins + r.Losses + r.Ties
	}
	text := fmt.Sprintf("%s of %s, from pairs that are valid in both orders", data.Plural(matches/2, "match", "matches"),
		data.Plural(len(board.rows), "system", "systems"))
	if board.ties.Known() && *board.ties.Number > 0 {
		text += fmt.Sprintf("; two equally strong systems tie in %.0f %% of matches", 100**board.ties.Number/(1+*board.ties.Number))
	}
	if board.caveat != "" {
		text += "; " + board.caveat
	}
	return text + "."
}

// toPairs leads to the list of pairs that a query lets through.
func toPairs(query ...string) *table.Target { return &table.Target{Page: "comparisons", Query: query} }

// matrix has the share of the points of each system against each other one, with the number of their
// matches; it leads to their pairs.
func (b *preferenceBoard) matrix(board systemBoard) *table.Table {
	systems, matches := b.matches(board.judge)
	points, n := map[[2]string]float64{}, map[[2]string]int{}
	for _, m := range matches {
		won := map[ranking.Outcome]float64{ranking.FirstWins: 1, ranking.Tie: 0.5}[m.Outcome]
		for at, value := range map[[2]string]float64{{systems[m.A], systems[m.B]}: won, {systems[m.B], systems[m.A]}: 1 - won} {
			points[at] += value
			n[at]++
		}
	}
	judge := Heading(b.Judges[board.judge].Name, b.Judges[board.judge].Method)
	t := table.New(1, "system")
	for _, row := range board.rows {
		t.Header = append(t.Header, row.System)
		cells := []any{row.System}
		for _, other := range board.rows {
			at := [2]string{row.System, other.System}
			cell := table.Cell{Text: table.None}
			if other.System == row.System {
				cell.Text = ""
			} else if share := ratio(points[at], n[at]); share.Known() {
				cell = table.Figured(share, 2)
				cell.Text += fmt.Sprintf(" (%d)", n[at])
				cell.To = toPairs("chosen_by", judge, "system", row.System, "against", other.System)
			}
			cells = append(cells, cell)
		}
		t.Add(cells...)
	}
	return t
}
