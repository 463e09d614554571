package preferences

import (
	"slices"

	"compqa/data"
	"compqa/results/dataset"
	"compqa/results/table"
	"compqa/results/trust"
	"compqa/stats"
)

// offers returns the judges of the main set by price and accuracy in both orders. Judges that were trained on these pairs, told the answer
// or degenerate are left out. If the dollar price of any judge is unknown, all judges are compared by calls. ok is false if fewer than two
// judges cost calls.
func (r *Report) offers() (o trust.Offers, ok bool) {
	var rows []PairwiseRow
	for _, compared := range table.Grouped(onMain(r.board, r.overall), func(row PairwiseRow) JudgeOn { return row.JudgeOn }) {
		row := overall(compared)
		who := row.group.who
		if row.Accuracy.Known && row.CallsPerPair.Known && !row.group.given() && !who.Hinted && who.degenerate == "" &&
			who.Kind != dataset.KindFloor && row.group.fittedOn() == "" {
			rows = append(rows, row)
		}
	}
	paid := data.Where(rows, func(row PairwiseRow) bool { return row.CallsPerPair.Value > 0 })
	if len(paid) < 2 {
		return o, false
	}
	o = trust.Offers{Set: r.mainSet(), Least: dataset.MinShared, Dollars: !slices.ContainsFunc(paid, func(row PairwiseRow) bool {
		return !row.CostPer.Known
	})}
	all := map[string]PairwiseRow{}
	var offers []trust.Offer
	for _, row := range rows {
		price := row.CallsPerPair
		if o.Dollars {
			price = row.CostPer
		}
		if row.CallsPerPair.Value == 0 {
			o.Free = append(o.Free, trust.Offer{Judge: row.group.heading(), Accuracy: row.Accuracy})
			continue
		}
		o.Pairs = max(o.Pairs, row.gold)
		all[row.group.heading()] = row
		offers = append(offers, trust.Offer{Judge: row.group.heading(), Accuracy: row.Accuracy, Price: stats.Number(1000 * price.Value)})
	}
	slices.SortStableFunc(offers, func(a, b trust.Offer) int { return stats.CompareFigures(a.Price, b.Price, 1) })
	for _, offer := range offers {
		if slices.ContainsFunc(offers, func(other trust.Offer) bool { return dominates(other, offer) }) {
			o.Dominated = append(o.Dominated, offer.Judge)
			continue
		}
		o.Best = append(o.Best, offer)
	}
	if n := len(o.Best); n > 1 {
		o.Gain = r.gain(all[o.Best[n-1].Judge], all[o.Best[n-2].Judge])
	}
	return o, true
}

// dominates reports whether offer a is at least as cheap and as accurate as offer b, and better in at least one of the two.
func dominates(a, b trust.Offer) bool {
	return a.Price.Value <= b.Price.Value && a.Accuracy.Value >= b.Accuracy.Value &&
		(a.Price.Value < b.Price.Value || a.Accuracy.Value > b.Accuracy.Value)
}

// gain returns the accuracy of judge a minus that of judge b on the same pairs.
func (r *Report) gain(a, b PairwiseRow) stats.Figure {
	row, _ := r.comparison(a.JudgeOn, b.JudgeOn)
	return row.Difference
}

// addOffers adds the table of the judges that no other judge dominates, and of judges without calls.
func (r *Report) addOffers() {
	o, ok := r.offers()
	if !ok {
		return
	}
	price := "calls for 1,000 pairs"
	if o.Dollars {
		price = "$ for 1,000 pairs"
	}
	view := table.New(1, "judge", "accuracy, both orders", price)
	for _, offer := range o.Best {
		view.Add(offer.Judge, table.Figured(offer.Accuracy, 3), table.Figured(offer.Price, 2))
	}
	for _, offer := range o.Free {
		view.Add(offer.Judge, table.Figured(offer.Accuracy, 3), "no calls")
	}
	r.put(r.chapters.costs, table.Section{ID: "offers", Title: "What to buy", Verdict: o.Finding().Text, Table: view,
		About: "Judges of pairs without those that another judge dominates, which costs no more and is at least as accurate. Accuracy is " +
			"of pairs that are right in both orders on " + o.Set + "; the price is of both orders. Judges that were trained on these " +
			"labels are left out."})
}
