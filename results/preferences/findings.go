package preferences

import (
	"errors"
	"slices"

	"compqa/data"
	"compqa/results/dataset"
	"compqa/results/table"
	"compqa/results/trust"
	"compqa/stats"
)

// Findings returns the conclusions of the preferences on the main set. The first is the headline of every surface: how often the best judge
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
		case first == nil && c.kind != tunedOrTold && c.Accuracy.Interval() && c.group.who.degenerate == "":
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
	return len(r.persons()) == 0 && !slices.ContainsFunc(r.Pairs,
		func(p dataset.PairRow) bool { return r.onMainSet(p) && p.Label != data.NoChoice })
}

// preferred returns the first two systems of the board.
func (s *systemBoard) preferred() trust.Preferred {
	first := s.rows[0]
	second := s.rows[1]
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

// chooser returns a judge of pairs as a finding tells of it.
func (r *Report) chooser(c chooser) trust.Chooser {
	chooser := trust.Chooser{Judge: r.name(c.group), Nothing: c.group.who.degenerate, Right: c.Accuracy, Pairs: c.gold,
		Tuned: c.group.fittedOn() != "", People: r.peopleChose(), Among: r.amongPeople()}
	if c.Order == orderBoth {
		chooser.Same = c.Consistency
	}
	return chooser
}

// baseline returns the best judge without a model, with the judges that share enough pairs with it: by the table of comparisons where
// that has them in both orders, or by the one order of a judge; compared is false if there are none.
func (r *Report) baseline(choosers []chooser) (baseline trust.Baseline, compared bool) {
	best, found := data.First(choosers, func(c chooser) bool { return c.kind == withoutModel && c.Accuracy.Interval() })
	if !found {
		return baseline, false
	}
	var both, oneOrder []PairwiseComparisonRow
	for _, c := range choosers {
		if c.kind != withModel || c.group.who.degenerate != "" {
			continue
		}
		row, known := r.comparison(c.JudgeOn, best.JudgeOn)
		if !known {
			row = c.comparedWith(best)
		}
		switch {
		case errors.Is(row.Difference.Why, stats.ErrTooShort) || row.Pairs == 0:
		case known:
			both = append(both, row)
		default:
			oneOrder = append(oneOrder, row)
		}
	}
	r.Value(0, table.Adjust(oneOrder, PairwiseComparisonRow.family, func(row *PairwiseComparisonRow) *table.PValue { return &row.PValue }))
	baseline = trust.Baseline{Name: r.name(best.group), Does: best.does(), Right: best.Accuracy}
	for _, row := range append(both, oneOrder...) {
		name := r.name(group{JudgeOn: JudgeOn{Judge: row.JudgeA, Method: row.MethodA}})
		if row.Adjusted.Known && row.Adjusted.Value < 1-dataset.Confidence && row.Difference.Value > 0 {
			baseline.Better = append(baseline.Better, name)
		} else {
			baseline.Not = append(baseline.Not, name)
		}
	}
	return baseline, baseline.Better != nil || baseline.Not != nil
}

// comparison returns the row of the table of comparisons for two judges, a minus b.
func (r *Report) comparison(a, b JudgeOn) (row PairwiseComparisonRow, known bool) {
	for _, row = range onMain(r.board, r.compared) {
		first := JudgeOn{row.JudgeA, row.MethodA, row.Dataset}
		second := JudgeOn{row.JudgeB, row.MethodB, row.Dataset}
		switch {
		case first == a && second == b:
			return row, true
		case first == b && second == a:
			row.JudgeA, row.MethodA, row.JudgeB, row.MethodB = row.JudgeB, row.MethodB, row.JudgeA, row.MethodA
			row.Difference = table.Minus(row.Difference)
			return row, true
		}
	}
	return PairwiseComparisonRow{}, false
}

// comparedWith compares a judge with another one on the pairs that both chose on, in the orders of the judge's row.
func (c chooser) comparedWith(other chooser) PairwiseComparisonRow {
	r := PairwiseComparisonRow{Dataset: c.Dataset, JudgeA: c.Judge, MethodA: c.Method, JudgeB: other.Judge, MethodB: other.Method}
	var x, y dataset.Sample
	theirs := map[[2]int]judged{}
	for _, j := range other.group.pairs {
		theirs[[2]int{j.pair, j.round}] = j
	}
	for _, j := range c.group.pairs {
		choice, chose := j.settled(c.Order == orderBoth)
		against, chosen := theirs[[2]int{j.pair, 1}].settled(c.Order == orderBoth)
		if chose && chosen && j.Label.Decided() {
			first := j.right(choice)
			second := j.right(against)
			r.OnlyA += int(dataset.Indicator(first > second))
			r.OnlyB += int(dataset.Indicator(second > first))
			x.Add(first, j.Cluster)
			y.Add(second, j.Cluster)
		}
	}
	r.Pairs = len(x.Values)
	if r.Pairs > 0 {
		c.group.test(&r, x, y)
	}
	return r
}

// settled returns the valid choice over both orders, or in the first order that has one.
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
