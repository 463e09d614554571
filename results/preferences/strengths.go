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

// A StrengthRow has a system's rank and strength by a judge's preferences. The system is ranked among the systems that it met, directly or
// through others. Strengths are of the Bradley–Terry model with ties (Davidson 1970): a system of strength p is preferred over one of
// strength q with odds p : q. Their geometric mean is 1, and their intervals are clustered by question. Wins, losses and ties count
// matches. A match is a pair that is valid in both orders; different choices in the two orders are a tie. Strengths use the choices in each
// order, with a factor for the answer shown first (Davidson and Beaver 1977). They can therefore be compared between judges that prefer a
// place more or less.
//
// A strength exists only if a system can be reached from each other one by a chain of wins or ties, and can reach it. If this does not hold
// for all systems, strengths exist for the largest group for which it does. A system outside the group has no strength. It never lost to
// the group, or never won against it, and ranks above or below the group.
type StrengthRow struct {
	System   string       `csv:"system"`
	Strength stats.Figure `csv:"strength,low,high"`
	Rank     int          `csv:"rank"`
	RankLow  stats.Figure `csv:"rank_low"` // ranks that hold with 95 % confidence for all systems with a strength at once
	RankHigh stats.Figure `csv:"rank_high"`
	Wins     int          `csv:"wins"`
	Losses   int          `csv:"losses"`
	Ties     int          `csv:"ties"`
	Judge    string       `csv:"judge"`
	Method   string       `csv:"method"`
	Group    int          `csv:"group"` // number of the group of systems that met, from 1; each group is ranked by itself

	Share  stats.Figure `csv:"-"` // share of the points: a win is 1, a tie ½
	Ranks  string       `csv:"-"` // RankLow to RankHigh, as text
	beside int          // 1 for a rank above the systems with a strength, -1 below them, 0 with a strength
}

// A systemBoard ranks systems by one judge's preferences, or by the labels of pairs.
type systemBoard struct {
	group
	which   int      // number of the group of systems that met, from 1; 0 if all systems met
	systems []string // in the order of their appearance; matches refer to these indices
	matches []ranking.Match
	ids     []string        // IDs of the pairs, by match
	shown   []ranking.Match // the matches in each order, which strengths are fitted to; by labels, the matches without an order
	rows    []StrengthRow   // best system first
	caveat  string          // limits of the strengths, as a sentence
	ties    stats.Figure    // Davidson's v: two equal systems tie with probability v/(1+v)
	place   stats.Figure    // odds at which the answer shown first is preferred over an equally good one
}

// byLabels is the judge and the method of a board by the labels of pairs. The labels are people's choices or a benchmark's.
const byLabels = "labels"

// systemBoards returns the boards by the labels, then the boards of each judge. Baselines, degenerate judges and judges that are told the
// answer have no board. Systems that no chain of pairs connects, such as those of two sets, are on different boards.
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

// boards ranks the systems by the choices of pairs. For each valid choice it adds a match to the board of its systems, and merges two
// boards that the pair connects. Then it computes each board's rows, strengths and ranks.
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
		case b != nil && a != b: // the pair connects two boards
			a.join(b)
			boards = slices.DeleteFunc(boards, func(s *systemBoard) bool { return s == b })
		}
		m := ranking.Match{A: a.number(j.SystemA), B: a.number(j.SystemB), Outcome: outcomes[c], Cluster: j.Cluster}
		a.matches = append(a.matches, m)
		a.ids = append(a.ids, j.Id)
		if g.Judge == byLabels {
			a.shown = append(a.shown, m)
		} else {
			for i, place := range []int{1, -1} { // 1 where a is shown first, -1 where b is, by order
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

// number returns the index of a system on the board. It adds a new system.
func (s *systemBoard) number(system string) int {
	if !slices.Contains(s.systems, system) {
		s.systems = append(s.systems, system)
	}
	return slices.Index(s.systems, system)
}

// join adds the systems and matches of another board.
func (s *systemBoard) join(other *systemBoard) {
	renumbered := func(m ranking.Match) ranking.Match {
		m.A, m.B = s.number(other.systems[m.A]), s.number(other.systems[m.B])
		return m
	}
	s.matches = append(s.matches, data.Each(other.matches, renumbered)...)
	s.shown = append(s.shown, data.Each(other.shown, renumbered)...)
	s.ids = append(s.ids, other.ids...)
}

// A side is one of the two systems of a match, with its opponent and its points: 1 for a win, ½ for a tie.
type side struct {
	system, other int
	points        float64
}

func sides(m ranking.Match) [2]side {
	points := map[ranking.Outcome]float64{ranking.FirstWins: 1, ranking.Tie: 0.5}[m.Outcome]
	return [2]side{{m.A, m.B, points}, {m.B, m.A, 1 - points}}
}

// record makes a row for each system, with wins, losses, ties and the share of points.
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

// fit sets the strengths of the systems that wins and ties connect in both directions, and marks the other systems as above or below them.
// It tries these models in order, and notes each change in caveat:
//  1. the Davidson model, with parameters for ties and for the place of an answer
//  2. if this does not converge: the model without the place
//  3. if the parameter of ties cannot be estimated: the Bradley–Terry model, where each tie is half a win
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
	if e, err := strengths.FirstPlaceEffect(dataset.Confidence); strengths.HasPlaces {
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
		r.Strength.Few = strengths.Clusters < stats.FewClusters
		if ranks != nil {
			r.RankLow, r.RankHigh = stats.Count(ranks[i].Low+above), stats.Count(ranks[i].High+above)
			r.Ranks = r.RankLow.Text(0) + " to " + r.RankHigh.Text(0)
		}
	}
}

// among returns the matches between two of the connected systems, which get new numbers: their indices in connected.
func among(all []ranking.Match, connected []int) (matches []ranking.Match) {
	for _, m := range all {
		m.A, m.B = slices.Index(connected, m.A), slices.Index(connected, m.B)
		if min(m.A, m.B) >= 0 {
			matches = append(matches, m)
		}
	}
	return matches
}

// limit appends a sentence to caveat about what the strengths leave out.
func (s *systemBoard) limit(text string) { s.caveat = strings.TrimPrefix(s.caveat+"; "+text, "; ") }

// order sorts and ranks the systems, best first. Where strengths could be estimated, systems above the group with strengths come first,
// then this group by strength, then systems below it. Otherwise the share of points decides. Equal systems share the best rank.
func (s *systemBoard) order() {
	value := func(r StrengthRow) float64 {
		if r.Strength.Known {
			return r.Strength.Value
		}
		return r.Share.Value
	}
	for i := range s.rows {
		r := &s.rows[i]
		r.Rank = 1 + len(data.Where(s.rows, func(o StrengthRow) bool { // values that differ by rounding are equal
			return o.beside > r.beside || o.beside == r.beside && value(o)-value(*r) > dataset.EqualMeans
		}))
	}
	slices.SortFunc(s.rows, func(a, b StrengthRow) int { return cmp.Or(a.Rank-b.Rank, cmp.Compare(a.System, b.System)) })
}

// besides returns 1 if a system ranks above the connected systems and -1 if it ranks below them. The first match with a connected system
// decides: a win means above. Without such a match, its share of points decides.
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

// caption describes the board: matches, systems, ties, the effect of the place, skipped pairs, limits and doubts.
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
	if slices.ContainsFunc(s.rows, func(r StrengthRow) bool { return r.Share.Few }) {
		text += fmt.Sprintf("; a system compared on fewer than %d questions has no rank", stats.FewClusters)
	}
	if s.caveat != "" {
		text += "; " + s.caveat
	}
	return text + "." + s.doubts()
}

// title names the judge and, if not all systems met, the group.
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

// table returns the table of the board. As on the leaderboard, a system with too few questions has no rank there.
func (s *systemBoard) table() *table.Table {
	view := table.From(1, s.rows, "system", "rank", "Ranks=possible ranks", "strength", "Share=share of points", "wins", "losses", "ties")
	for i, row := range s.rows {
		if row.Share.Few {
			view.Rows[i][1] = table.Cell{Text: stats.Missing}
			view.Rows[i][2] = table.Cell{Text: stats.Missing}
		}
	}
	return view
}

// toPairs returns a link to the list of pairs, filtered by a query of names and values, as "system", "x".
func toPairs(query ...string) *table.Target { return &table.Target{Page: "comparisons", Query: query} }

// matrix returns the share of points of each system against each other system, with the number of matches. Each cell links to its pairs.
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

// A BoardsRow compares two rankings of the same systems: by a judge's preferences, and by a rubric judge's points or the labels. Arena-Hard
// compares judges with the votes of Chatbot Arena in this way.
type BoardsRow struct {
	Judge    string       `csv:"judge"`
	Method   string       `csv:"method"`
	Rubric   string       `csv:"rubric_judge"` // the rubric judge, or byLabels
	Systems  int          `csv:"systems"`
	Spearman stats.Figure `csv:"spearman"`
	Kendall  stats.Figure `csv:"kendall_tau_b"`
	Disagree int          `csv:"pairs_disagreed"` // pairs of systems that the two rankings order oppositely
}

// beside compares the ranking of the board with another ranking of its systems by value, where higher is better. It returns no row if fewer
// than two systems have a value.
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

// comparedBoards compares the ranking of each judge with two kinds of other rankings: by the labels, and by the points of each rubric judge
// of run. The ranking by labels is also compared with the rubric judges. run may be nil.
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
