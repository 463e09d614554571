package preferences

import (
	"slices"

	"compqa/data"
	"compqa/results/dataset"
	"compqa/results/store"
	"compqa/results/table"
	"compqa/results/trust"
	"compqa/stats"
)

// Findings are the conclusions of the preferences on the main set. The first is the headline of every surface: how often the best judge
// chooses as people do; then which judges do better than one without a model, which system people prefer, the other judges, which
// systems they prefer, and what to buy.
func (r *Report) Findings() (all table.Findings) {
	var first, later, byPeople, byJudges table.Findings
	choosers := r.choosers()
	for _, c := range choosers {
		kind := c.group.who.Kind
		finding := r.chooser(c).Finding()
		switch {
		case kind == dataset.KindFloor || c.group.who.Hinted || c.group.who.degenerate == "" && !c.Accuracy.Known:
		case first == nil && c.lane != laneTuned && c.Accuracy.Interval() && c.group.who.degenerate == "":
			first = table.Findings{finding}
		default:
			later = append(later, finding)
		}
	}
	for _, s := range r.boards {
		switch {
		case len(s.rows) < 2:
		case s.Judge == byLabels:
			byPeople = append(byPeople, s.preferred().Finding())
		default:
			byJudges = append(byJudges, s.preferred().Finding())
		}
	}
	if baseline, compared := r.baseline(choosers); compared {
		first = append(first, baseline.Finding())
	}
	if r.unchecked() && byJudges != nil {
		byJudges = slices.Insert(byJudges, 1, trust.NobodyChose(dataset.MinShared))
	}
	all = slices.Concat(first, byPeople, later, byJudges)
	if o, ok := r.offers(); ok {
		all = append(all, o.Finding())
	}
	if all == nil {
		all = table.Findings{trust.NoChoices()}
	}
	return all
}

// unchecked reports whether nothing shows how well the judges choose: no pair of the main set has a label, and no person chose.
func (r *Report) unchecked() bool {
	return len(r.persons()) == 0 && !slices.ContainsFunc(r.Pairs, func(p store.PairRow) bool { return r.onMainSet(p) && p.Label != data.NoChoice })
}

// preferred are the first two systems of the board.
func (s *systemBoard) preferred() trust.Preferred {
	first, second := s.rows[0], s.rows[1]
	p := trust.Preferred{By: s.choices(), First: first.System, Second: second.System, Systems: len(s.rows),
		Shares: [2]stats.Figure{first.Share, second.Share}, Sure: first.RankHigh.Known && first.RankHigh.Value == 1}
	if len(s.rows) == 2 && !first.Strength.Known { // no strengths where one never lost
		p.Sure = first.Share.Interval() && first.Share.Low > .5
	}
	for _, row := range s.rows[1:] {
		if row.RankLow.Known && row.RankLow.Value == 1 {
			p.Rivals = append(p.Rivals, row.System)
		}
	}
	return p
}

// chooser is a judge of pairs as a finding tells of it.
func (r *Report) chooser(c chooser) trust.Chooser {
	chooser := trust.Chooser{Judge: r.name(c.group), Nothing: c.group.who.degenerate, Right: c.Accuracy, Pairs: c.gold,
		Tuned: c.group.fittedOn() != "", People: r.peopleChose(), Among: r.amongPeople()}
	if c.Order == orderBoth {
		chooser.Same = c.Consistency
	}
	return chooser
}

// A comparedWith is a judge next to one without a model, on the same pairs: the judge's share of better answers minus the other's.
type comparedWith struct {
	judge      string
	difference stats.Figure
	table.PValue
}

// baseline is the best judge without a model, with the judges that share enough pairs with it; compared is false if there are none.
func (r *Report) baseline(choosers []chooser) (baseline trust.Baseline, compared bool) {
	best, found := data.First(choosers, func(c chooser) bool { return c.lane == laneWithout && c.Accuracy.Interval() })
	if !found {
		return baseline, false
	}
	var rows []comparedWith
	for _, c := range choosers {
		if c.lane != laneJudges || c.group.who.degenerate != "" {
			continue
		}
		x, y := c.together(best)
		if dataset.TooFew(len(x.Values), "pairs", len(slices.Compact(slices.Sorted(slices.Values(x.Questions))))) == "" {
			row := comparedWith{judge: r.name(c.group)}
			row.difference, row.P = r.Difference(x, y)
			rows = append(rows, row)
		}
	}
	r.Value(0, table.Adjust(rows, func(comparedWith) string { return "" }, func(row *comparedWith) *table.PValue { return &row.PValue }))
	baseline = trust.Baseline{Name: r.name(best.group), Does: best.does(), Right: best.Accuracy}
	for _, row := range rows {
		if row.Adjusted.Known && row.Adjusted.Value < 1-dataset.Confidence && row.difference.Value > 0 {
			baseline.Better = append(baseline.Better, row.judge)
		} else {
			baseline.Not = append(baseline.Not, row.judge)
		}
	}
	return baseline, rows != nil
}

// together has whether the judge, and another one, is right on each pair that both chose on, in the orders of the judge's row.
func (c chooser) together(other chooser) (x, y dataset.Sample) {
	theirs := map[[2]int]judged{}
	for _, j := range other.group.pairs {
		theirs[[2]int{j.pair, j.round}] = j
	}
	for _, j := range c.group.pairs {
		choice, chose := j.settled(c.Order == orderBoth)
		against, chosen := theirs[[2]int{j.pair, 1}].settled(c.Order == orderBoth)
		if chose && chosen && j.Label.Decided() {
			x.Add(j.right(choice), j.Cluster)
			y.Add(j.right(against), j.Cluster)
		}
	}
	return x, y
}

// settled is the valid choice over both orders, or in the first order that has one.
func (j judged) settled(both bool) (c data.Choice, valid bool) {
	if both {
		return j.choice(orderBoth)
	}
	for _, order := range data.Orders {
		c, valid = j.choice(order)
		if valid {
			break
		}
	}
	return c, valid
}
