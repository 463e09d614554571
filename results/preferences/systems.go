package preferences

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"compqa/data"
	"compqa/results/table"
	"compqa/stats"
)

// mostSystems is the largest number of systems in the first table of systems.
const mostSystems = 20

// choices says whose choices order the systems, as "people's choices (group 2)".
func (s *systemBoard) choices() string {
	text := s.name(s.group) + "'s choices"
	if s.Judge == byLabels {
		text = "the labels of pairs"
		if s.peopleChose() {
			text = "people's choices"
		}
	}
	if s.which > 0 {
		text += fmt.Sprintf(" (group %d)", s.which)
	}
	return text
}

// systemsSection returns the table and plot of the systems' shares of points, by people's choices or the labels. If no labels order
// systems, it uses the best judge.
func (r *Report) systemsSection(choosers []chooser) table.Section {
	board := r.firstBoard(choosers)
	if board == nil {
		return table.Section{}
	}
	people := board.Judge == byLabels && r.peopleChose()
	view := table.New(2, "rank", "system", "share of points", "matches")
	view.Key = 1
	view.SetHead(3, func(h *table.Head) { h.Aside = true })
	shown := []stats.Figure{stats.Number(.5)}
	mayBeFirst := false
	for _, row := range board.rows[:min(len(board.rows), mostSystems)] {
		name := table.Cell{Text: row.System, To: toPairs("system", row.System), Row: &table.Row{}}
		if board.Judge != byLabels {
			name.To.Query = append(name.To.Query, "chosen_by", board.heading())
		}
		share := table.Cell{Text: table.Percents(row.Share), Value: row.Share, Class: "key", Drawn: &table.Drawn{Empty: row.Share.Few}}
		if people && !row.Share.Few {
			share.Drawn = &table.Drawn{Others: row.Share, Alone: true}
		}
		rank := table.Cell{Text: fmt.Sprint(row.Rank), Value: stats.Count(row.Rank)}
		matches := fmt.Sprintf("%d won · %d tied · %d lost", row.Wins, row.Ties, row.Losses)
		switch {
		case row.Share.Few:
			rank = table.Cell{Text: stats.Missing}
			name.Row.Class = "thin"
			matches += " · too few questions to rank"
		case row.RankLow.Known && row.RankLow.Value == row.RankHigh.Value:
			matches += " · rank " + row.RankLow.Text(0)
		case row.RankLow.Known:
			matches += " · ranks " + row.Ranks
		}
		if row.RankLow.Known && row.RankLow.Value == 1 && !row.Share.Few {
			name.Row.Class = "tied"
			mayBeFirst = true
		}
		if !row.Share.Few {
			shown = append(shown, row.Share)
		}
		view.Add(rank, name, share, matches)
	}
	if rest := len(board.rows) - mostSystems; rest > 0 {
		view.Foot = fmt.Sprintf("%s more are in bradley_terry.csv.", data.Plural(rest, "system", "systems"))
	}
	axis := percentAxis(shown...)
	axis.Words[.5] = "even"
	keys := []table.Key{{Mark: "dot", Text: board.name(board.group) + ", 95 % interval"}}
	title := "Which system does " + board.name(board.group) + " prefer?"
	if people {
		title = "Which system do people prefer?"
		keys[0] = table.Key{Mark: "diamond", Text: "people, 95 % interval"}
	} else if board.Judge == byLabels {
		title = "Which system do the labels prefer?"
		keys[0].Text = "labels, 95 % interval"
	}
	if mayBeFirst {
		keys = append(keys, table.Key{Mark: "tied", Text: "may be first"})
	}
	return table.Section{ID: "systems", Title: title, Lead: strings.ReplaceAll(board.lead(r), "**", ""), Keys: keys,
		Table: view.Draw("share of points", axis)}
}

// firstBoard returns the board that the first table shows: the largest board by the labels, or else by the first of choosers that has one.
// It returns nil if no board has two systems.
func (r *Report) firstBoard(choosers []chooser) *systemBoard {
	place := func(s *systemBoard) int {
		if s.Judge == byLabels {
			return -1
		}
		return slices.IndexFunc(choosers, func(c chooser) bool { return c.Judge == s.Judge && c.Method == s.Method })
	}
	boards := data.Where(r.boards, func(s *systemBoard) bool { return len(s.rows) > 1 && (s.Judge == byLabels || place(s) >= 0) })
	if len(boards) == 0 {
		return nil
	}
	return slices.MinFunc(boards, func(a, b *systemBoard) int { return cmp.Or(place(a)-place(b), len(b.rows)-len(a.rows)) })
}

// lead says what the shares are, how few pairs decide who is first, and which judges put another system first.
func (s *systemBoard) lead(r *Report) string {
	text := "Share of points: a win 1, a tie ½."
	for _, f := range s.fragility() {
		text += fmt.Sprintf(" Leaving out %d of %s would put %s first.", f.Removed, data.Plural(f.Of, "pair", "pairs"), f.Target)
	}
	first := map[string][]string{} // judges by the system that they put first
	for _, other := range r.boards {
		if other.Judge != byLabels && len(other.rows) > 1 && other.rows[0].System != s.rows[0].System &&
			slices.Contains(s.systems, other.rows[0].System) {
			first[other.rows[0].System] = append(first[other.rows[0].System], other.name(other.group))
		}
	}
	for _, row := range s.rows {
		if judges := first[row.System]; judges != nil {
			text += fmt.Sprintf(" By %s %s is first.", data.List(judges[:min(3, len(judges))]), row.System)
		}
	}
	return text
}
