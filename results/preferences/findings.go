package preferences

import (
	"slices"

	"compqa/data"
	"compqa/results/dataset"
	"compqa/results/table"
	"compqa/results/trust"
	"compqa/stats"
)

// Findings are the conclusions of the preferences on the main set: which system is preferred, by the labels first, and how well each judge
// chooses, the best first, and what to buy. The first is the headline of every surface.
func (r *Report) Findings() (all table.Findings) {
	for _, s := range r.boards {
		if len(s.rows) > 1 {
			all = append(all, s.preferred().Finding())
		}
	}
	rows := data.Where(onMain(r.board, r.overall), func(row PairwiseRow) bool {
		kind := row.group.who.Kind // of people the labels may be
		return kind != dataset.KindFloor && kind != dataset.KindHuman && !row.group.who.Hinted
	})
	var choosers []trust.Chooser
	for _, compared := range table.Grouped(rows, func(row PairwiseRow) JudgeOn { return row.JudgeOn }) {
		row := overall(compared)
		if c := row.chooser(); c.Nothing != "" || c.Right.Known {
			choosers = append(choosers, c)
		}
	}
	slices.SortStableFunc(choosers, func(a, b trust.Chooser) int { return stats.CompareFigures(a.Right.Point(), b.Right.Point(), -1) })
	for _, c := range choosers {
		all = append(all, c.Finding())
	}
	if o, ok := r.offers(); ok {
		all = append(all, o.Finding())
	}
	if all == nil {
		all = table.Findings{trust.NoChoices()}
	}
	return all
}

// preferred are the first two systems of the board.
func (s *systemBoard) preferred() trust.Preferred {
	first, second := s.rows[0], s.rows[1]
	p := trust.Preferred{By: "the preferences of " + s.title(), First: first.System, Second: second.System,
		Shares: [2]stats.Figure{first.Share, second.Share}, Sure: first.RankHigh.Known && first.RankHigh.Value == 1}
	if len(s.rows) == 2 && !first.Strength.Known { // no strengths where one never lost
		p.Sure = first.Share.Interval() && first.Share.Low > .5
	}
	if s.Judge == byLabels {
		p.By = "the labels of pairs"
		if s.which > 0 {
			p.By = "the " + s.title() + " of pairs"
		}
	}
	for _, row := range s.rows[1:] {
		if row.RankLow.Known && row.RankLow.Value == 1 {
			p.Rivals = append(p.Rivals, row.System)
		}
	}
	return p
}

// chooser is the judge of a row, which is one over both orders.
func (row PairwiseRow) chooser() trust.Chooser {
	g := row.group
	c := trust.Chooser{Judge: g.heading(), Nothing: g.who.degenerate, Right: row.Accuracy, Pairs: row.gold, Tuned: g.fittedOn() != ""}
	if row.Order == orderBoth {
		c.BothOrder, c.Same = true, row.Consistency
	}
	return c
}
