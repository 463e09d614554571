package preferences

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"compqa/data"
	"compqa/results/dataset"
	"compqa/results/table"
	"compqa/stats"
)

// choosersSection is how often each judge of the main set chooses as people do, with people's own agreement behind it, and judges without a
// model, such as the longer answer, apart and below.
func (r *Report) choosersSection() table.Section {
	const as = "as people"
	view := table.New(1, "judge", as, "what was tested")
	rows := data.Where(onMain(r.board, r.overall), func(row PairwiseRow) bool { return row.group.who.Kind != dataset.KindHuman })
	grouped := table.Grouped(rows, func(row PairwiseRow) JudgeOn { return row.JudgeOn })
	without := func(rows []PairwiseRow) bool {
		kind := rows[0].group.who.Kind
		return kind == dataset.KindFloor || kind == dataset.KindEmbedded
	}
	slices.SortStableFunc(grouped, func(a, b []PairwiseRow) int {
		return cmp.Or(int(dataset.Indicator(without(a))-dataset.Indicator(without(b))),
			stats.CompareFigures(overall(a).Accuracy.Point(), overall(b).Accuracy.Point(), -1))
	})
	band := table.First(onMain(r.board, r.agreed), func(a AgreementRow) bool { return a.Kind == kindCeiling }).Accuracy3
	shown := []stats.Figure{stats.Number(.5), stats.Number(1), band}
	for _, rows := range grouped {
		row := overall(rows)
		if !row.Accuracy.Known || row.group.who.degenerate != "" {
			continue
		}
		cell := table.Cell{Text: percents(row.Accuracy), Value: row.Accuracy, Class: "key",
			Drawn: &table.Drawn{Band: band, Hollow: without(rows), Empty: row.Accuracy.Few}}
		tested := "one order only: position bias not tested"
		if row.Order == orderBoth && row.Consistency.Known {
			tested = "same choice in both orders: " + percents(row.Consistency.Point())
		}
		name := table.Cell{Text: row.group.heading(), To: toPairs("chosen_by", row.group.heading()),
			Row: &table.Row{Group: map[bool]string{true: "without a model", false: "judges"}[without(rows)]}}
		view.Add(name, cell, fmt.Sprintf("%s (%s)", tested, data.Plural(row.gold, "pair", "pairs")))
		if !row.Accuracy.Few {
			shown = append(shown, row.Accuracy)
		}
	}
	if len(view.Rows) == 0 {
		return table.Section{}
	}
	axis := table.AxisOver("", shown...)
	axis.Low, axis.High, axis.Zero = math.Max(0, axis.Low), 1, false
	axis.Ticks, axis.Words = []float64{0, .25, .5, .75, 1}, map[float64]string{0: "0", .25: "25", .5: "50 %", .75: "75", 1: "100 %"}
	axis.Ticks = slices.DeleteFunc(axis.Ticks, func(tick float64) bool { return tick < axis.Low })
	keys := []table.Key{{Mark: "dot", Text: "judge, 95 % interval"}, {Mark: "hollow", Text: "without a model"}}
	if band.Known {
		keys = append(keys, table.Key{Mark: "among", Text: "a person with the other people: " + percents(band.Point())})
	}
	return table.Section{ID: "choosers", Title: "Who chooses as people do?", Keys: keys, Table: view.Draw(as, axis),
		About: "Share of the pairs of " + r.mainSet() + " with a known better answer of which a judge chooses that. A tie is wrong, and so is " +
			"a choice that the other order changes."}
}

// percents is a share in per cent with its interval, without decimals.
func percents(f stats.Figure) string {
	text := fmt.Sprintf("%.0f %%", 100*f.Value)
	if f.Interval() {
		text += fmt.Sprintf(" [%.0f, %.0f]", 100*f.Low, 100*f.High)
	}
	return text
}
