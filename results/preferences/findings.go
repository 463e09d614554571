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

// Findings returns the conclusions on the main set, in the order in which reports show them:
//   - how often the best judge chooses as people do (the headline)
//   - which judges do better than the best baseline
//   - which system people prefer
//   - how often the other judges choose as people do
//   - which systems the judges prefer
//   - which judge to buy
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

// unchecked reports whether nothing shows how well the judges choose: no person chose, and no pair of the main set has a label.
func (r *Report) unchecked() bool {
	return len(r.persons()) == 0 && !slices.ContainsFunc(r.Pairs,
		func(p dataset.PairRow) bool { return r.onMainSet(p) && p.Label != data.NoChoice })
}

// preferred returns the first two systems of the board, whether the first one is surely first, and the systems that may also be first.
func (s *systemBoard) preferred() trust.Preferred {
	first := s.rows[0]
	second := s.rows[1]
	p := trust.Preferred{By: s.choices(), First: first.System, Second: second.System, Systems: len(s.rows),
		Shares: [2]stats.Figure{first.Share, second.Share}, Sure: first.RankHigh.Known && first.RankHigh.Value == 1 && !first.Share.Few}
	if len(s.rows) == 2 && !first.Strength.Known { // there are no strengths if one of the two systems never lost
		p.Sure = first.Share.Interval() && first.Share.Low > .5
	}
	for _, row := range s.rows[1:] {
		if row.RankLow.Known && row.RankLow.Value == 1 {
			p.Rivals = append(p.Rivals, row.System)
		}
	}
	return p
}

// chooser returns the finding about a judge of pairs.
func (r *Report) chooser(c chooser) trust.Chooser {
	chooser := trust.Chooser{Judge: r.name(c.group), Meaningless: c.group.who.degenerate, RightShare: c.Accuracy, Pairs: c.gold,
		Tuned: c.group.fittedOn() != "", People: r.peopleChose(), AmongPeople: r.amongPeople()}
	if c.Order == orderBoth {
		chooser.SameInBothOrders = c.Consistency
	}
	return chooser
}

// baseline returns the best judge without a model, and which judges do better than it and which do not. A judge is compared in both orders
// by the table of comparisons, or else in the order in which it chose. compared is false without such a baseline, or if no judge shares
// enough pairs with it.
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
	baseline = trust.Baseline{Name: r.name(best.group), Description: best.does(), RightShare: best.Accuracy}
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

// comparison returns the row of two judges in the table of comparisons, turned so that the difference is a minus b. known is false
// without such a row.
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

// comparedWith compares two judges on the pairs on which both chose, in both orders or in one, as the first judge's row has it.
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

// settled returns the choice over both orders if both is true. Else it returns the choice of the first order that has a valid one.
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
