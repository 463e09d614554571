package preferences

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"compqa/data"
	"compqa/results/dataset"
	"compqa/results/store"
	"compqa/results/table"
	"compqa/results/trust"
	"compqa/stats"
)

// A chooserKind is a group of judges in the first table. The groups are shown in this order.
type chooserKind int

const (
	withModel chooserKind = iota
	withoutModel
	tunedOrTold // trained on these pairs, or told the answer
)

var chooserKinds = []string{"judges", "without a model", "tuned on these pairs or told the answer, so not comparable"}

// A chooser is a judge's result on the main set. It covers both orders, or the only order in which the judge saw the pairs.
type chooser struct {
	PairwiseRow
	kind chooserKind
}

// choosers returns all judges of the main set except people. They are sorted by kind, then the most accurate first.
func (r *Report) choosers() (all []chooser) {
	rows := data.Where(onMain(r.board, r.overall), func(row PairwiseRow) bool { return row.group.who.Kind != dataset.KindHuman })
	for _, compared := range table.Grouped(rows, func(row PairwiseRow) JudgeOn { return row.JudgeOn }) {
		c := chooser{PairwiseRow: overall(compared)}
		switch who := c.group.who; {
		case who.Hinted || c.group.fittedOn() != "":
			c.kind = tunedOrTold
		case who.Kind == dataset.KindFloor || who.Kind == dataset.KindEmbedded:
			c.kind = withoutModel
		}
		all = append(all, c)
	}
	slices.SortStableFunc(all, func(a, b chooser) int {
		return cmp.Or(int(a.kind-b.kind), stats.CompareFigures(a.Accuracy.Point(), b.Accuracy.Point(), -1))
	})
	if len(all) == 0 || all[0].kind != withModel || all[0].Order == orderBoth {
		return all
	}
	for i, c := range all { // judges have one order, so baselines are shown in one order: chance differs between one and both
		first := table.First(rows, func(row PairwiseRow) bool { return row.JudgeOn == c.JudgeOn })
		if c.group.who.Kind == dataset.KindFloor && first.Accuracy.Known {
			all[i].PairwiseRow = first
		}
	}
	return all
}

// name returns the name of a judge for sentences and the first table. The method is added only if another judge has the same name.
func (b *board) name(g group) string {
	same := data.Where(b.judges, func(j *judge) bool { return j.Name == g.Judge })
	if len(same) > 1 {
		return g.heading()
	}
	return g.Judge
}

// peopleChose reports whether the better answer of a pair is the one that people chose, or the one that they gave more points.
func (b *board) peopleChose() bool {
	return len(b.persons()) > 0 || slices.ContainsFunc(b.Sets, func(s store.PairSet) bool { return s.Margin != nil })
}

// persons returns the judges that are people.
func (b *board) persons() []*judge {
	return data.Where(b.judges, func(j *judge) bool { return j.Kind == dataset.KindHuman })
}

// amongPeople returns how often a person chooses as another person does, as a mean over all twos of people weighted by their pairs. The
// bounds are the lowest and the highest share of two people. With more than mostPeople people there are no bounds, because two of them
// share few pairs.
func (r *Report) amongPeople() stats.Figure {
	low := math.Inf(1)
	high := math.Inf(-1)
	sum := 0.0
	n := 0
	for _, a := range onMain(r.board, r.agreed) {
		between := a.Kind == dataset.KindHuman && a.Judge != people && a.Reference != gold && a.Order != orderBoth && a.Domain == anyDomain
		if between && a.Accuracy.Known && !a.Accuracy.Few {
			low = min(low, a.Accuracy.Value)
			high = max(high, a.Accuracy.Value)
			sum += a.Accuracy.Value * float64(a.N)
			n += a.N
		}
	}
	if n == 0 {
		return stats.Figure{}
	}
	mean := stats.Number(sum / float64(n))
	if len(r.persons()) > mostPeople {
		return mean
	}
	return stats.Bound(mean, stats.Number(low), stats.Number(high))
}

// does describes the rule of a judge without a model, as a phrase after "which". It returns "" if the name of the judge already says it.
func (c chooser) does() string {
	if c.group.who.Kind == dataset.KindEmbedded {
		return "reads form only"
	}
	return map[string]string{data.FloorLonger: "always takes the longer answer", data.FloorRandom: "is a coin",
		data.FloorFirst: "always takes the answer shown first"}[c.Method]
}

// tested describes what was tested besides accuracy: why the choices are degenerate, the rule of a baseline, consistency over both orders,
// or that there was one order. The number of pairs follows.
func (c chooser) tested() string {
	text := "one order only: position bias not tested"
	switch {
	case c.group.who.degenerate != "":
		return "its choices say nothing: it " + c.group.who.degenerate
	case c.group.who.Kind == dataset.KindFloor && c.does() != "":
		text = c.does()
	case c.Order == orderBoth && c.Consistency.Known:
		text = "same choice in both orders: " + table.Percents(c.Consistency.Point())
	}
	if c.Accuracy.Few {
		return "too few questions (" + data.Plural(c.gold, "pair", "pairs") + ")"
	}
	return fmt.Sprintf("%s (%s)", text, data.Plural(c.gold, "pair", "pairs"))
}

// choosersSection returns the first table: how often each judge of the main set chooses as people do (or rightly), next to people's own
// agreement. Judges without a model, and judges that were tuned on these pairs or told the answer, come below as groups of their own.
func (r *Report) choosersSection(all []chooser) table.Section {
	title := "Who chooses the better answer?"
	as := "right"
	key := "judge, 95 % interval"
	if r.peopleChose() {
		title = "Who chooses as people do?"
		as = "as people"
	}
	view := table.New(1, "judge", as, "what was tested")
	view.SetHead(2, func(h *table.Head) { h.Aside = true })
	band := r.amongPeople()
	shown := []stats.Figure{stats.Number(.5), stats.Number(1), band}
	for _, c := range all {
		noneRight := c.Method == data.FloorFirst && c.Order == orderBoth // its choice always changes with the order
		if noneRight || !c.Accuracy.Known && c.group.who.degenerate == "" {
			continue
		}
		thin := c.Accuracy.Few || c.group.who.degenerate != ""
		name := table.Cell{Text: r.name(c.group), To: toPairs("chosen_by", c.group.heading()), Row: &table.Row{Group: chooserKinds[c.kind]}}
		cell := table.Cell{Text: table.Percents(c.Accuracy), Value: c.Accuracy, Class: "key",
			Drawn: &table.Drawn{Band: band, Hollow: c.kind != withModel, Empty: thin}}
		if thin {
			name.Row.Class = "thin"
		} else {
			shown = append(shown, c.Accuracy)
		}
		view.Add(name, cell, c.tested())
	}
	if len(view.Rows) == 0 {
		return table.Section{}
	}
	keys := []table.Key{{Mark: "dot", Text: key}}
	if all[len(all)-1].kind != withModel {
		keys = append(keys, table.Key{Mark: "hollow", Text: "without a model, or tuned"})
	}
	if band.Known {
		keys = append(keys, table.Key{Mark: "among", Text: "people with each other: " + trust.PercentSpan(band)})
	}
	return table.Section{ID: "choosers", Title: title, Keys: keys, Table: view.Draw(as, percentAxis(shown...)), About: r.countsText()}
}

// countsText says which pairs the first table counts: pairs, sets, people, labels and ties, and how ties are scored.
func (r *Report) countsText() string {
	labels := map[data.Choice]int{}
	all := 0
	for _, p := range r.Pairs {
		if r.onMainSet(p) {
			labels[p.Label]++
			all++
		}
	}
	text := fmt.Sprintf("%s in %s", data.Plural(all, "pair", "pairs"), data.Plural(len(r.Sets), "set", "sets"))
	if n := len(r.persons()); n > 0 {
		text += ", " + data.Plural(n, "person", "people")
	}
	text += fmt.Sprintf("; of %d a better answer is known", labels[data.ChoiceA]+labels[data.ChoiceB])
	if ties := labels[data.ChoiceTie]; ties > 0 {
		text += fmt.Sprintf(" (%s left out)", data.Plural(ties, "tie is", "ties are"))
	}
	text += ". A judge's tie is wrong, and so is a choice that the other order changes. "
	return text + r.judgeNotes() + r.unreadText()
}

// percentAxis returns an axis for shares, in per cent, with a dashed line at one half.
func percentAxis(figures ...stats.Figure) *table.Axis {
	axis := table.AxisOver("", figures...)
	axis.Low, axis.High, axis.Dashed = math.Max(0, axis.Low), math.Min(1, axis.High), stats.Number(.5)
	axis.Ticks = table.Ticks(axis.Low, axis.High)
	axis.Words = map[float64]string{}
	for i, tick := range axis.Ticks {
		axis.Words[tick] = fmt.Sprintf("%.0f", math.Max(0, 100*tick)) // Max prevents "-0"
		if i == 0 || i == len(axis.Ticks)-1 {
			axis.Words[tick] += " %"
		}
	}
	return axis
}
