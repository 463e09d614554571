package preferences

import (
	"slices"

	"gonum.org/v1/gonum/floats"

	"compqa/data"
	"compqa/results/dataset"
	"compqa/results/store"
	"compqa/results/table"
	"compqa/stats"
	"compqa/stats/ranking"
)

// A PairwiseRow is the result of a judge on the pairs of a set in one order, or in both. A preference is correct if it chooses the better
// answer by the label. A tie is not correct. Accuracy covers valid preferences on pairs with a known better answer. For order both, the
// counts are of pairs: a pair is valid (or correct) if its preferences are in both orders. Pairs whose answers are invalid cannot be asked
// about; they count as planned and skipped.
//
// Costs are per valid preference or pair. They include failed calls.
type PairwiseRow struct {
	JudgeOn
	Order        string       `csv:"order"`
	Planned      int          `csv:"planned"`
	Valid        int          `csv:"valid"`
	Unparsed     int          `csv:"unparsed"` // replies from which no choice can be read
	Accuracy     stats.Figure `csv:"accuracy,accuracy_low,accuracy_high"`
	Consistency  stats.Figure `csv:"consistency"` // order both: share of valid pairs with the same choice in both orders
	FirstShare   stats.Figure `csv:"first_share"` // share of choices of the answer shown first; missing if a file does not say which was
	TieRate      stats.Figure `csv:"tie_rate"`
	CallsPerPair stats.Figure `csv:"calls_per_pair"`
	TokensPer    stats.Figure `csv:"tokens_per_pair"`
	CostPer      stats.Figure `csv:"cost_per_pair"`
	Items        int          `csv:"n_items"`                                               // items of several pairs each, all valid
	ItemAccuracy stats.Figure `csv:"item_accuracy,item_accuracy_low,item_accuracy_high"`    // share of items with all pairs right
	WinRateLC    stats.Figure `csv:"win_rate_lc,win_rate_lc_low,win_rate_lc_high"`          // of a over b, if both were equally long
	WinRateStyle stats.Figure `csv:"win_rate_style,win_rate_style_low,win_rate_style_high"` // of a over b, if both had the same style

	group    group
	first    stats.Figure // FirstShare with its interval
	winRate  stats.Figure // how often a wins over b, without a correction; a tie is one half
	gold     int          // number of preferences, or pairs, that accuracy covers
	statuses map[data.Status]int
}

// rows returns the judge's results in order ab, in order ba, and in both. If the judge saw each pair in only one, random order, the third
// row covers all its preferences (orderOne).
func (g group) rows() (rows []PairwiseRow) {
	for _, order := range orders {
		t := g.tally(order)
		r := PairwiseRow{JudgeOn: g.JudgeOn, Order: order, Valid: t.statuses[data.Valid], group: g, gold: len(t.right.Values),
			statuses: t.statuses}
		r.Planned = max(g.planned[order], t.n)
		if r.Planned == 0 || order == orderBoth && g.oneOrder() {
			continue
		}
		if r.Planned > t.n {
			t.statuses[g.missing] += r.Planned - t.n
		}
		r.Planned += g.lost[order]
		t.statuses[data.Skipped] += g.lost[order]
		r.Unparsed = dataset.Unreadable(t.statuses)
		r.Accuracy, r.first = g.share(t.right), g.shareOfFirst(t)
		r.Items, r.ItemAccuracy = g.items(order)
		r.WinRateLC, r.WinRateStyle, r.winRate = g.winRates(order)
		r.FirstShare = r.first.Point()
		r.TieRate = stats.Ratio(t.ties, t.ties+len(t.first.Values))
		if order == orderBoth {
			r.Consistency = stats.Ratio(t.same, r.Valid)
		}
		if !g.given() { // the costs are known
			r.CallsPerPair, r.TokensPer, _, _, r.CostPer, _ = t.costs(r.Valid)
		}
		rows = append(rows, r)
	}
	if len(rows) == 2 && !g.given() { // the judge saw each pair in one order, chosen at random
		one := overall(rows)
		one.Order = orderOne
		one.Items = 0
		one.ItemAccuracy = stats.Figure{}
		return append(rows, one)
	}
	return rows
}

// sides reports whether "a" and "b" mean something on these pairs: one of them is the same system on all pairs. Without names of systems,
// this holds too.
func (g group) sides() bool {
	if len(g.pairs) == 0 {
		return false
	}
	first := g.pairs[0]
	return !slices.ContainsFunc(g.pairs, func(j judged) bool { return j.SystemA != first.SystemA }) ||
		!slices.ContainsFunc(g.pairs, func(j judged) bool { return j.SystemB != first.SystemB })
}

// winRates returns how often a wins over b in an order, by the judge's choices with a tie as one half. length is the rate if both answers
// were equally long (ranking.LengthControlledRate). style is the rate if both had the same style (ranking.StyleControlledRate). plain has
// no correction. Lengths are in words. For orderBoth, the choice in each order counts by itself. All rates are missing if sides is false.
func (g group) winRates(order string) (length, style stats.Figure, plain stats.Figure) {
	if !g.sides() {
		return length, style, plain
	}
	var wins, longer []float64
	var styles [][]float64
	var clusters []int
	for _, j := range g.pairs {
		for _, p := range j.in(order) {
			if p == nil || p.Status != data.Valid {
				continue
			}
			win := map[data.Choice]float64{data.ChoiceA: 1, data.ChoiceB: 0, data.ChoiceTie: .5}[p.Choice]
			wins = append(wins, win)
			longer = append(longer, float64(j.WordsA-j.WordsB))
			clusters = append(clusters, j.Cluster)
			styles = append(styles, j.style())
		}
	}
	bounded := func(s ranking.ControlledShare, err error) stats.Figure {
		figure := func(v float64) stats.Figure { return g.Figure(v, err) }
		return stats.Bound(figure(s.Value), figure(s.Low), figure(s.High))
	}
	return bounded(ranking.LengthControlledRate(wins, longer, clusters, dataset.Confidence)),
		bounded(ranking.StyleControlledRate(wins, styles, clusters, dataset.Confidence)), stats.Ratio(floats.Sum(wins), len(wins))
}

// style returns the difference in style between answers a and b, by Arena-Hard's measures. The first value is the difference of their
// lengths over the sum. The others compare headers, list items and bold texts per word: the difference over the sum plus one. Lengths are
// in words, where Arena-Hard uses a model's tokens.
func (j judged) style() []float64 {
	a := float64(j.WordsA)
	b := float64(j.WordsB)
	difference := []float64{(a - b) / max(1, a+b)}
	for _, n := range [][2]int{{j.StyleA.Headers, j.StyleB.Headers}, {j.StyleA.Lists, j.StyleB.Lists}, {j.StyleA.Bold, j.StyleB.Bold}} {
		inA := float64(n[0]) / max(1, a)
		inB := float64(n[1]) / max(1, b)
		difference = append(difference, (inA-inB)/(inA+inB+1))
	}
	return difference
}

// items returns the number of items, in all rounds, and the share of items on which the judge gets all pairs right in an order. An item is
// a question with several candidate answers, and the share is the accuracy of best of n. An item is left out if one of its pairs is not
// valid.
func (g group) items(order string) (int, stats.Figure) {
	type item struct {
		set, round int
		name       string
	}
	var sample dataset.Sample
	for _, pairs := range table.Grouped(data.Where(g.pairs, func(j judged) bool { return j.Item != "" && j.Label.Decided() }),
		func(j judged) item { return item{j.Set, j.round, j.Item} }) {
		right := 1.0
		for _, j := range pairs {
			c, valid := j.choice(order)
			if !valid {
				right = -1
				break
			}
			right = min(right, j.right(c))
		}
		if right >= 0 {
			sample.Add(right, pairs[0].Cluster)
		}
	}
	return len(sample.Values), g.share(sample)
}

// overall returns the row that summarises a judge: its row over both orders, if the last row is one. Else it computes a row over all
// preferences in whichever order they were made.
func overall(rows []PairwiseRow) PairwiseRow {
	row := rows[len(rows)-1]
	if row.Order == orderBoth || row.Order == orderOne {
		return row
	}
	t := row.group.tally(data.Orders...)
	row.Planned = 0
	row.Valid = 0
	row.Unparsed = 0
	row.gold = len(t.right.Values)
	for _, r := range rows {
		row.Planned += r.Planned
		row.Valid += r.Valid
		row.Unparsed += r.Unparsed
	}
	row.Accuracy, row.first = row.group.share(t.right), row.group.shareOfFirst(t)
	row.WinRateLC, row.WinRateStyle, row.winRate = row.group.winRates(orderBoth)
	row.FirstShare, row.TieRate = row.first.Point(), stats.Ratio(t.ties, t.ties+len(t.first.Values))
	if !row.group.given() {
		row.CallsPerPair, row.TokensPer, _, _, row.CostPer, _ = t.costs(row.Valid)
	}
	return row
}

// shareOfFirst returns the share of choices of the answer shown first. It is missing for given choices (imported, or a person's) that are
// all in one order. The reason is that a file without the place of answers lists each pair in the order of its columns.
func (g group) shareOfFirst(t tally) stats.Figure {
	in := func(place int) bool {
		return slices.ContainsFunc(g.pairs, func(j judged) bool { return j.by[place] != nil })
	}
	if g.given() && !(in(0) && in(1)) {
		return stats.Figure{}
	}
	return g.share(t.first)
}

// A tally counts the preferences of a group in one order or several, or its pairs in both orders, with their statuses, choices and calls.
type tally struct {
	n        int // preferences or pairs
	statuses map[data.Status]int
	right    dataset.Sample // for each valid preference, or pair, with a known better answer: 1 if right, else 0
	first    dataset.Sample // for each choice of a or b: 1 if it is the answer shown first, else 0
	ties     int            // preferences that are a tie
	same     int            // pairs with the same choice in both orders
	calls    int
	spent    store.Spending
}

func (g group) tally(orders ...string) tally {
	n := len(g.pairs) * len(orders)
	t := tally{statuses: map[data.Status]int{}, right: dataset.NewSample(n), first: dataset.NewSample(n)}
	for _, j := range g.pairs {
		for _, order := range orders {
			t.add(j, order)
		}
	}
	return t
}

// add counts a preference in an order, if there is one, or a pair in both orders. The status of a pair is Valid, or the status of the first
// order that is not valid.
func (t *tally) add(j judged, order string) {
	rows := j.in(order)
	if order != orderBoth && rows[0] == nil {
		return
	}
	t.n++
	status := data.Valid
	for _, p := range rows {
		orderStatus := data.Pending
		if p != nil {
			orderStatus = p.Status
			t.calls += len(p.Calls)
			t.spent.Add(p.Spending)
		}
		if status == data.Valid {
			status = orderStatus
		}
		switch {
		case orderStatus != data.Valid:
		case p.Choice.Decided():
			t.first.Add(dataset.Indicator((p.Choice == data.ChoiceA) == (p.Order == data.OrderAB)), j.Cluster)
		default:
			t.ties++
		}
	}
	t.statuses[status]++
	if c, valid := j.choice(order); valid {
		t.same += int(dataset.Indicator(j.same()))
		if j.Label.Decided() {
			t.right.Add(j.right(c), j.Cluster)
		}
	}
}

// costs returns the total calls, tokens, costs and seconds, divided by n. A figure is missing if it is not known for all calls.
func (t *tally) costs(n int) (calls, tokens, input, output, cost, seconds stats.Figure) {
	per := func(s store.Sum) stats.Figure {
		if !s.Known {
			return stats.Figure{}
		}
		return stats.Ratio(s.Total, n)
	}
	return stats.Ratio(t.calls, n), per(t.spent.Tokens()), per(t.spent.Input), per(t.spent.Output), per(t.spent.Cost), per(t.spent.Seconds)
}

// A PairwiseSliceRow is a judge's accuracy on a part of a set, where each order is an observation. The parts are pairs whose better answer
// is longer, or is not (Con-J, Table 12), and domains. The row with item "controlled" has the length-controlled accuracy: the accuracy
// expected for answers of equal length.
type PairwiseSliceRow struct {
	JudgeOn
	Slice    string       `csv:"slice"` // chosen, domain, length
	Item     string       `csv:"item"`  // longer, not longer; the domain; controlled
	N        int          `csv:"n"`
	Accuracy stats.Figure `csv:"accuracy,accuracy_low,accuracy_high"`
	Slope    stats.Figure `csv:"length_slope"` // length-controlled: log-odds of a correct choice per unit of relative length
}

// length returns the relative length of the better answer: its words minus those of the other answer, over the sum, in [-1, 1].
func (j judged) length() float64 {
	length := float64(j.WordsA-j.WordsB) / max(1, float64(j.WordsA+j.WordsB))
	if j.Label == data.ChoiceB {
		return -length
	}
	return length
}

func (g group) slices() (rows []PairwiseSliceRow) {
	g.pairs = data.Where(g.pairs, func(j judged) bool { return j.Label.Decided() && j.valid() != nil })
	if len(g.pairs) == 0 {
		return nil
	}
	slice := func(name, item string, in func(judged) bool) {
		right := group{pairs: data.Where(g.pairs, in)}.tally(data.Orders...).right
		rows = append(rows, PairwiseSliceRow{JudgeOn: g.JudgeOn, Slice: name, Item: item, N: len(right.Values), Accuracy: g.share(right)})
	}
	slice("chosen", "longer", func(j judged) bool { return j.length() > 0 })
	slice("chosen", "not longer", func(j judged) bool { return j.length() <= 0 })
	rows = append(rows, g.controlled())
	for _, d := range several(data.Each(g.pairs, func(j judged) string { return j.Domain })) {
		slice("domain", d, func(j judged) bool { return j.Domain == d })
	}
	return rows
}

// controlled returns the length-controlled accuracy of the judge, by a logistic model of the relative length.
func (g group) controlled() PairwiseSliceRow {
	var right []bool
	var length []float64
	var clusters []int
	for _, j := range g.pairs {
		for _, p := range j.valid() {
			right = append(right, p.Choice == j.Label)
			length = append(length, j.length())
			clusters = append(clusters, j.Cluster)
		}
	}
	s, err := ranking.ShareAtZero(right, length, clusters, dataset.Confidence)
	figure := func(v float64) stats.Figure { return g.Figure(v, err) }
	return PairwiseSliceRow{JudgeOn: g.JudgeOn, Slice: "length", Item: "controlled", N: len(right),
		Accuracy: stats.Bound(figure(s.Value), figure(s.Low), figure(s.High)), Slope: figure(s.Slope)}
}

// A RoundsRow describes how much a judge's results vary between rounds, which differ only in their random samples (SC2, Table 2, has means
// of five rounds).
type RoundsRow struct {
	JudgeOn
	Order  string       `csv:"order"`
	Rounds int          `csv:"rounds"` // rounds that have an accuracy
	Mean   stats.Figure `csv:"mean"`   // of the rounds' accuracies
	SD     stats.Figure `csv:"sd"`     // sample standard deviation between rounds
	Least  stats.Figure `csv:"min"`
	Most   stats.Figure `csv:"max"`
	N      int          `csv:"n"`    // pairs that are valid in all rounds
	Same   stats.Figure `csv:"same"` // share of the n pairs with the same choice in all rounds
}

// rounds returns a row for each order in which at least two rounds have an accuracy.
func (g group) rounds() (rows []RoundsRow) {
	if g.who.rounds < 2 {
		return nil
	}
	for _, order := range orders {
		right := make([][]float64, g.who.rounds)
		choices := map[int][]data.Choice{} // choices in all rounds, by pair
		for _, j := range g.pairs {
			c, valid := j.choice(order)
			if !valid {
				continue
			}
			choices[j.pair] = append(choices[j.pair], c)
			if j.Label.Decided() {
				right[j.round-1] = append(right[j.round-1], j.right(c))
			}
		}
		right = slices.DeleteFunc(right, func(round []float64) bool { return round == nil })
		if len(right) < 2 {
			continue
		}
		accuracies := data.Each(right, stats.Mean)
		m := g.Moments(accuracies)
		least := slices.Min(accuracies)
		most := slices.Max(accuracies)
		r := RoundsRow{JudgeOn: g.JudgeOn, Order: order, Rounds: m.N, Mean: stats.FigureOf(m.Mean), SD: stats.FigureOf(m.SD),
			Least: stats.Number(least), Most: stats.Number(most)}
		if least == most {
			r.SD = stats.Number(0) // the mean is rounded, so equal values could have a small deviation from it
		}
		same := 0
		for _, list := range choices {
			if len(list) == g.who.rounds {
				r.N++
				same += int(dataset.Indicator(slices.Min(list) == slices.Max(list)))
			}
		}
		r.Same = stats.Ratio(same, r.N)
		rows = append(rows, r)
	}
	return rows
}
