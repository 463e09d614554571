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
	"compqa/results/report"
	"compqa/results/table"
	"compqa/stats"
	"compqa/stats/agreement"
	"compqa/stats/ranking"
)

// A StrengthRow is a system's rank by a judge's preferences, among the systems that it met, with its strength in the Bradley–Terry
// model with ties (Davidson 1970): a system of strength p is preferred over one of strength q with odds p : q. Strengths have a
// geometric mean of 1 and intervals clustered by question. A match is a pair that is valid in both orders; different choices
// are a tie among wins, losses and ties. Strengths come from the choices in each order, with a factor for the answer shown first
// (Davidson and Beaver 1977), so that they compare between judges that prefer a place more or less.
//
// Strengths exist for systems that are connected by wins and ties in both directions. If not all are, they exist for the
// largest such group. A system outside the group never lost to it or never won against it; it ranks above or below the group
// and has no strength.
type StrengthRow struct {
	System   string       `csv:"system"`
	Strength stats.Figure `csv:"strength,low,high"`
	Rank     int          `csv:"rank"`
	RankLow  stats.Figure `csv:"rank_low"` // ranks that hold for all systems with a strength at once
	RankHigh stats.Figure `csv:"rank_high"`
	Wins     int          `csv:"wins"`
	Losses   int          `csv:"losses"`
	Ties     int          `csv:"ties"`
	Judge    string       `csv:"judge"`
	Method   string       `csv:"method"`
	Group    int          `csv:"group"` // from 1: systems that met, directly or through others, are ranked together

	Share  stats.Figure `csv:"-"` // of points: a win 1, a tie ½
	Ranks  string       `csv:"-"` // RankLow to RankHigh
	beside int          // 1 above the group with strengths, -1 below, 0 in it
}

// A systemBoard ranks the systems by one judge's preferences, or by the labels.
type systemBoard struct {
	group
	which   int      // of the groups of systems that met, from 1; 0: all met
	systems []string // in order of appearance, to which matches refer
	matches []ranking.Match
	ids     []string        // of the pairs of matches
	shown   []ranking.Match // the matches in each order, from which strengths are; of labels those without an order
	rows    []StrengthRow   // best first
	caveat  string          // limits of the strengths
	ties    stats.Figure    // Davidson's v: two equal systems tie with probability v/(1+v)
	place   stats.Figure    // odds at which the answer shown first is preferred over an equally good one
}

// byLabels is the judge and the method of the board by the labels of pairs, which are people's choices or a benchmark's.
const byLabels = "labels"

// systemBoards returns the boards by the labels, and of all judges except floors, hinted and degenerate judges. Systems that no
// chain of pairs connects, as those of two sets, are on different boards.
func (b *board) systemBoards() (boards []*systemBoard) {
	labels := group{board: b, JudgeOn: JudgeOn{byLabels, byLabels, b.mainSet()}, who: &judge{}, set: -1}
	for i := range b.Pairs {
		if b.within(b.Pairs[i].Set, -1) {
			labels.pairs = append(labels.pairs, judged{PairRow: &b.Pairs[i], pair: i})
		}
	}
	boards = labels.boards(func(j judged) (data.Choice, bool) { return j.Label, j.Label != data.NoChoice })
	for _, j := range b.judges {
		if j.Kind != dataset.KindFloor && !j.Hinted && j.degenerate == "" {
			boards = append(boards, b.group(j, -1).boards(func(j judged) (data.Choice, bool) { return j.choice(orderBoth) })...)
		}
	}
	return boards
}

// boards rank the systems by choices of pairs.
func (g group) boards(choice func(judged) (data.Choice, bool)) (boards []*systemBoard) {
	outcomes := map[data.Choice]ranking.Outcome{data.ChoiceA: ranking.FirstWins, data.ChoiceB: ranking.SecondWins,
		data.ChoiceTie: ranking.Tie}
	met := map[string]*systemBoard{} // by system
	for _, j := range g.pairs {
		c, valid := choice(j)
		if !valid || j.SystemA == "" {
			continue
		}
		a := met[j.SystemA]
		b := met[j.SystemB]
		switch {
		case a == nil && b == nil:
			a = &systemBoard{group: g}
			boards = append(boards, a)
		case a == nil:
			a = b
		case b != nil && a != b: // so far they were apart
			a.join(b)
			boards = slices.DeleteFunc(boards, func(s *systemBoard) bool { return s == b })
		}
		m := ranking.Match{A: a.number(j.SystemA), B: a.number(j.SystemB), Outcome: outcomes[c], Cluster: j.Cluster}
		a.matches = append(a.matches, m)
		a.ids = append(a.ids, j.Id)
		if g.Judge == byLabels {
			a.shown = append(a.shown, m)
		} else {
			for i, place := range []int{1, -1} { // of data.Orders
				m.Outcome = outcomes[j.by[i].Choice]
				m.Place = place
				a.shown = append(a.shown, m)
			}
		}
		for _, system := range a.systems {
			met[system] = a
		}
	}
	for i, s := range boards {
		if len(boards) > 1 {
			s.which = i + 1
		}
		s.record()
		s.fit()
		s.order()
	}
	return boards
}

// number returns that of a system on the board.
func (s *systemBoard) number(system string) int {
	if !slices.Contains(s.systems, system) {
		s.systems = append(s.systems, system)
	}
	return slices.Index(s.systems, system)
}

// join takes in the systems of another board.
func (s *systemBoard) join(other *systemBoard) {
	renumbered := func(m ranking.Match) ranking.Match {
		m.A, m.B = s.number(other.systems[m.A]), s.number(other.systems[m.B])
		return m
	}
	s.matches = append(s.matches, data.Each(other.matches, renumbered)...)
	s.shown = append(s.shown, data.Each(other.shown, renumbered)...)
	s.ids = append(s.ids, other.ids...)
}

// A side is one of the systems of a match, its opponent, and its points: a win 1, a tie ½.
type side struct {
	system, other int
	points        float64
}

func sides(m ranking.Match) [2]side {
	points := map[ranking.Outcome]float64{ranking.FirstWins: 1, ranking.Tie: 0.5}[m.Outcome]
	return [2]side{{m.A, m.B, points}, {m.B, m.A, 1 - points}}
}

// record makes the rows, with wins, losses, ties and the share of points.
func (s *systemBoard) record() {
	s.rows = data.Each(s.systems, func(name string) StrengthRow {
		return StrengthRow{System: name, Judge: s.Judge, Method: s.Method, Group: max(1, s.which), Ranks: stats.Missing}
	})
	points := make([]dataset.Sample, len(s.rows))
	for _, m := range s.matches {
		for _, side := range sides(m) {
			points[side.system].Add(side.points, m.Cluster)
			switch r := &s.rows[side.system]; side.points {
			case 1:
				r.Wins++
			case 0:
				r.Losses++
			default:
				r.Ties++
			}
		}
	}
	for i := range s.rows {
		s.rows[i].Share = s.share(points[i])
	}
}

const placeExplains = "the place of the answers explains too many choices to model it: different choices in the two orders are a tie"

// fit sets the strengths of the connected systems, and on which side of them the others are.
func (s *systemBoard) fit() {
	var connected []int
	for i := range s.rows {
		connected = append(connected, i)
	}
	matches := s.shown
	strengths, err := ranking.Davidson(len(connected), matches)
	var apart *ranking.NotConnectedError
	if errors.As(err, &apart) {
		connected = slices.MaxFunc(apart.Components, func(a, b []int) int { return cmp.Compare(len(a), len(b)) })
		if len(connected) < 2 {
			s.caveat = "no finite strengths, because wins do not connect any two systems in both directions; ranks use the share of points"
			return
		}
		s.caveat = fmt.Sprintf("strengths are given for the %d systems that wins and ties connect in both directions; another system "+
			"never won against them, never lost to them, or was never compared with them, and is ranked above or below them (by its share of "+
			"points, if never compared)", len(connected))
		matches = among(s.shown, connected)
		strengths, err = ranking.Davidson(len(connected), matches)
	}
	if errors.Is(err, ranking.ErrNotConverged) && s.Judge != byLabels {
		matches = among(s.matches, connected)
		strengths, err = ranking.Davidson(len(connected), matches)
		s.limit(placeExplains)
	}
	if errors.Is(err, ranking.ErrTieParameter) {
		strengths, err = ranking.BradleyTerry(len(connected), matches)
		s.limit("there are too many ties to model them separately: each counts as half a win")
		if errors.Is(err, ranking.ErrNotConverged) && s.Judge != byLabels {
			strengths, err = ranking.BradleyTerry(len(connected), among(s.matches, connected))
			s.limit(placeExplains)
		}
	}
	if err != nil {
		s.Value(0, err)
		s.caveat = "no strengths: " + err.Error()
		return
	}
	if e, err := strengths.First(dataset.Confidence); strengths.Place {
		s.place = s.Interval(stats.Number(math.Exp(e.Value)), math.Exp(e.Low), math.Exp(e.High), err)
	}
	s.ties = stats.Number(strengths.Tie)
	above := 0
	for i := range s.rows {
		if !slices.Contains(connected, i) {
			s.rows[i].beside = s.besides(i, connected)
			above += max(0, s.rows[i].beside)
		}
	}
	ranks, err := strengths.Ranks(dataset.Confidence)
	s.Value(0, err)
	for i, p := range strengths.Strength() {
		r := &s.rows[connected[i]]
		e, err := strengths.Interval(i, dataset.Confidence)
		r.Strength = s.Interval(stats.Number(p), math.Exp(e.Low), math.Exp(e.High), err)
		if ranks != nil {
			r.RankLow, r.RankHigh = stats.Count(ranks[i].Low+above), stats.Count(ranks[i].High+above)
			r.Ranks = r.RankLow.Text(0) + " to " + r.RankHigh.Text(0)
		}
	}
}

// among returns the matches among the connected systems, which are renumbered.
func among(all []ranking.Match, connected []int) (matches []ranking.Match) {
	for _, m := range all {
		m.A, m.B = slices.Index(connected, m.A), slices.Index(connected, m.B)
		if min(m.A, m.B) >= 0 {
			matches = append(matches, m)
		}
	}
	return matches
}

// limit adds a sentence on what the strengths leave out.
func (s *systemBoard) limit(text string) { s.caveat = strings.TrimPrefix(s.caveat+"; "+text, "; ") }

// order sorts and ranks the rows, best first: systems above the connected ones, these by strength, systems below them;
// others by the share of points. Ties share the best rank.
func (s *systemBoard) order() {
	value := func(r StrengthRow) float64 {
		if r.Strength.Known {
			return r.Strength.Value
		}
		return r.Share.Value
	}
	for i := range s.rows {
		r := &s.rows[i]
		r.Rank = 1 + len(data.Where(s.rows, func(o StrengthRow) bool { // the last digits of equal strengths do not decide
			return o.beside > r.beside || o.beside == r.beside && value(o)-value(*r) > dataset.EqualMeans
		}))
	}
	slices.SortFunc(s.rows, func(a, b StrengthRow) int { return cmp.Or(a.Rank-b.Rank, cmp.Compare(a.System, b.System)) })
}

// besides reports whether a system ranks above or below those that it is not connected with: above if it won against one of them.
// Without matches, its share of points decides.
func (s *systemBoard) besides(system int, connected []int) int {
	side := func(above bool) int {
		if above {
			return 1
		}
		return -1
	}
	for _, m := range s.matches {
		for _, one := range sides(m) {
			if one.system == system && slices.Contains(connected, one.other) {
				return side(one.points == 1)
			}
		}
	}
	return side(s.rows[system].Share.Value > 0.5)
}

func (s *systemBoard) caption() string {
	from := "pairs that are valid in both orders"
	if s.Judge == byLabels {
		from = "the labels of pairs"
	}
	text := fmt.Sprintf("%s of %s, from %s", data.Plural(len(s.matches), "match", "matches"),
		data.Plural(len(s.rows), "system", "systems"), from)
	if s.which > 0 {
		text += fmt.Sprintf("; group %d: these systems never met those of another group, so they are not ranked together", s.which)
	}
	if s.ties.Known && s.ties.Value > 0 {
		text += fmt.Sprintf("; two equally strong systems tie in %.0f %% of matches", 100*s.ties.Value/(1+s.ties.Value))
	}
	if s.place.Bounded {
		text += fmt.Sprintf("; the answer shown first has odds of %s (95 %% interval %s to %s) against an equally good one, "+
			"and the strengths take this into account",
			s.place.Point().Text(2), s.place.Lower().Text(2), s.place.Upper().Text(2))
	}
	if n := s.lost[orderBoth]; n > 0 {
		text += fmt.Sprintf("; %s skipped, because an answer is not valid", data.Plural(n, "pair is", "pairs are"))
	}
	if s.caveat != "" {
		text += "; " + s.caveat
	}
	return text + "." + s.doubts()
}

// title names the judge and, where not all systems met, the group.
func (s *systemBoard) title() string {
	name := s.heading()
	if s.who != nil && s.who.Kind == dataset.KindImported && s.who.Method != panel {
		name += dataset.ImportMark
	}
	if s.which > 0 {
		name += fmt.Sprintf(", group %d", s.which)
	}
	return name
}

func (s *systemBoard) table() *table.Table {
	return table.From(1, s.rows, "system", "rank", "Ranks=possible ranks", "strength", "Share=share of points", "wins", "losses", "ties")
}

// toPairs leads to the list of pairs that a query lets through.
func toPairs(query ...string) *table.Target { return &table.Target{Page: "comparisons", Query: query} }

// matrix has the share of the points of each system against each other one, with the number of their matches; it leads to
// their pairs.
func (s *systemBoard) matrix() *table.Table {
	points := map[[2]string]float64{}
	n := map[[2]string]int{}
	for _, m := range s.matches {
		for _, side := range sides(m) {
			key := [2]string{s.systems[side.system], s.systems[side.other]}
			points[key] += side.points
			n[key]++
		}
	}
	grid := table.NewGrid("system")
	for _, row := range s.rows {
		for _, other := range s.rows {
			key := [2]string{row.System, other.System}
			cell := table.Cell{Text: stats.Missing}
			if other.System == row.System {
				cell.Text = ""
			} else if share := stats.Ratio(points[key], n[key]); share.Known {
				cell = table.Figured(share, 2)
				cell.Text += fmt.Sprintf(" (%d)", n[key])
				cell.To = toPairs("chosen_by", s.heading(), "system", row.System, "against", other.System)
			}
			grid.Set(cell, other.System, row.System)
		}
	}
	return &grid.Table
}

// A BoardsRow compares the ranking of systems by a judge's preferences with the ranking by a rubric judge's points, or by
// the labels, as Arena-Hard compares judges with the votes of Chatbot Arena.
type BoardsRow struct {
	Judge    string       `csv:"judge"`
	Method   string       `csv:"method"`
	Rubric   string       `csv:"rubric_judge"` // or byLabels
	Systems  int          `csv:"systems"`
	Spearman stats.Figure `csv:"spearman"`
	Kendall  stats.Figure `csv:"kendall_tau_b"`
	Disagree int          `csv:"pairs_disagreed"` // pairs of systems in opposite order
}

// beside compares the board with another order of its systems: higher values are better.
func (s *systemBoard) beside(name string, value func(system string) stats.Figure) (rows []BoardsRow) {
	var x, y []float64
	for _, r := range s.rows {
		if v := value(r.System); v.Known {
			x = append(x, -float64(r.Rank))
			y = append(y, v.Value)
		}
	}
	if len(x) < 2 {
		return nil
	}
	row := BoardsRow{Judge: s.Judge, Method: s.Method, Rubric: name, Systems: len(x),
		Spearman: s.Figure(agreement.Spearman(x, y)), Kendall: s.Figure(agreement.KendallTauB(x, y))}
	for i := range x {
		for k := range x {
			row.Disagree += int(dataset.Indicator(x[i] > x[k] && y[i] < y[k]-dataset.EqualMeans))
		}
	}
	return []BoardsRow{row}
}

// comparedBoards compare the boards of judges with those by the labels and with the rubric leaderboards of the run with the
// answers, nil if there is none.
func (r *Report) comparedBoards(run *report.Report) (rows []BoardsRow) {
	for _, s := range r.boards {
		for _, labels := range r.boards {
			if s.Judge != byLabels && labels.Judge == byLabels {
				rows = append(rows, s.beside(byLabels, func(system string) stats.Figure {
					row, known := data.First(labels.rows, func(o StrengthRow) bool { return o.System == system })
					if !known {
						return stats.Figure{}
					}
					return stats.Number(-float64(row.Rank))
				})...)
			}
		}
		if run == nil {
			continue
		}
		for _, j := range run.Scorers() {
			name := run.Judges[j].Name
			rows = append(rows, s.beside(name, func(system string) stats.Figure {
				mean := run.Leaderboard.At[dataset.PlanKey{Judge: name, System: system, Scenario: dataset.AllScenarios}]
				if mean == nil {
					return stats.Figure{}
				}
				return mean.Mean
			})...)
		}
	}
	return rows
}
