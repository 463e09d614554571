package preferences

import (
	"compqa/data"
	"compqa/results/dataset"
	"compqa/results/store"
	"compqa/results/table"
)

// A PairwiseRow is the result of a judge on the pairs of a set in one order, or in both.
// A preference is correct if it chooses the answer that people prefer; a tie is not.
// Accuracy is over valid preferences on pairs with a known better answer. For order
// both, planned and valid count pairs: a pair is valid if it is valid in both orders,
// and correct if it is correct in both.
//
// Costs include all calls, also failed ones, per valid preference or pair.
type PairwiseRow struct {
	JudgeOn
	Order        string        `csv:"order"`
	Planned      int           `csv:"planned"`
	Valid        int           `csv:"valid"`
	Accuracy     table.Bounded `csv:"accuracy"`
	Consistency  table.Figure  `csv:"consistency"` // order both: share of valid pairs with the same choice in both orders
	FirstShare   table.Figure  `csv:"first_share"` // share of choices of the answer shown first
	TieRate      table.Figure  `csv:"tie_rate"`
	CallsPerPair table.Figure  `csv:"calls_per_pair"`
	TokensPer    table.Figure  `csv:"tokens_per_pair"`
	CostPer      table.Figure  `csv:"cost_per_pair"`

	fittedOn   string        // what of the set the judge was trained on, as far as its configuration says
	first      table.Bounded // FirstShare with its bounds
	gold       int           // preferences, or pairs, that accuracy is over
	statuses   map[data.Status]int
	judge, set int // indices; set -1: all
}

// rows are in the order of sets (all sets without a bias last), judges, orders.
func (b *preferenceBoard) rows() (rows []PairwiseRow) {
	b.each(func(judge, set int, on JudgeOn) {
		for _, order := range orders {
			if r := b.row(judge, set, order); r.Planned > 0 && !(order == orderBoth && b.oneOrder(judge, set)) {
				r.JudgeOn = on
				rows = append(rows, r)
			}
		}
	})
	return rows
}

// row computes one row; Planned is 0 if nothing is planned or recorded.
func (b *preferenceBoard) row(judge, set int, order string) PairwiseRow {
	t := tally{b: b, statuses: map[data.Status]int{}}
	for _, j := range b.of(judge, set) {
		t.add(j, order)
	}
	r := PairwiseRow{Order: order, Valid: t.statuses[data.Valid], gold: len(t.right.Values), statuses: t.statuses,
		fittedOn: b.fittedOn(judge, set), judge: judge, set: set}
	planned, missing := b.planned(judge, set, order)
	if r.Planned = max(planned, t.n); r.Planned > t.n {
		t.statuses[missing] += r.Planned - t.n
	}
	r.Accuracy, r.first = b.share(t.right), b.share(t.first)
	r.FirstShare = r.first.Value
	r.TieRate = ratio(float64(t.ties), t.ties+len(t.first.Values))
	if order == orderBoth {
		r.Consistency = ratio(float64(t.same), r.Valid)
	}
	if kind := b.Judges[judge].Kind; kind != dataset.KindImported && kind != dataset.KindHuman { // their costs are unknown
		r.CallsPerPair, r.TokensPer, r.CostPer = ratio(float64(t.calls), r.Valid), per(t.spent.Tokens(), r.Valid), per(t.spent.Cost, r.Valid)
	}
	return r
}

// A tally collects the data of a row.
type tally struct {
	b        *preferenceBoard
	n        int // preferences or pairs
	statuses map[data.Status]int
	right    dataset.Sample // of each valid preference, or pair, with a known better answer: 1 or 0
	first    dataset.Sample // of each choice: 1 if it is the answer shown first
	ties     int            // of preferences
	same     int            // pairs with the same choice in both orders
	calls    int
	spent    store.Spending
}

// add takes in a preference in an order, if there is one, or a pair in both orders. The status of a
// pair is that of the first order that is not valid.
func (t *tally) add(j judged, order string) {
	pair, of := &t.b.Pairs[j.pair], j.in(order)
	if order != orderBoth && of[0] == nil {
		return
	}
	t.n++
	status := data.Valid
	for _, p := range of {
		own := data.Pending
		if p != nil {
			own = p.Status
			t.calls += p.Calls
			t.spent.Add(p.Spending)
		}
		if status == data.Valid {
			status = own
		}
		switch {
		case own != data.Valid:
		case p.Choice.Decided():
			t.first.Add(dataset.Indicator((p.Choice == data.ChoiceA) == (p.Order == data.OrderAB)), pair.Cluster)
		default:
			t.ties++
		}
	}
	t.statuses[status]++
	if c, valid := j.choice(order); valid {
		t.same += int(dataset.Indicator(j.same()))
		if pair.Label.Decided() {
			t.right.Add(dataset.Indicator(c == pair.Label), pair.Cluster)
		}
	}
}

// per is a sum per n, missing if it is unknown.
func per(s store.Sum, n int) table.Figure {
	if !s.Known {
		return table.Figure{}
	}
	return ratio(s.Total, n)
}

// A LengthRow is a judge's accuracy on the pairs of a set whose better answer is longer, or is not
// (Con-J, Table 12); each order is an observation.
type LengthRow struct {
	JudgeOn
	Item     string        `csv:"item"` // longer, not longer
	N        int           `csv:"n"`
	Accuracy table.Bounded `csv:"accuracy"`
}

func (b *preferenceBoard) lengths() (rows []LengthRow) {
	b.each(func(judge, set int, on JudgeOn) {
		right := map[string]*dataset.Sample{"longer": {}, "not longer": {}}
		for _, j := range b.of(judge, set) {
			pair := &b.Pairs[j.pair]
			item := "not longer"
			if pair.Label == data.ChoiceA && pair.WordsA > pair.WordsB || pair.Label == data.ChoiceB && pair.WordsB > pair.WordsA {
				item = "longer"
			}
			for _, p := range j.valid() {
				if pair.Label.Decided() {
					right[item].Add(dataset.Indicator(p.Choice == pair.Label), pair.Cluster)
				}
			}
		}
		if longer, other := *right["longer"], *right["not longer"]; len(longer.Values)+len(other.Values) > 0 {
			rows = append(rows, LengthRow{on, "longer", len(longer.Values), b.share(longer)},
				LengthRow{on, "not longer", len(other.Values), b.share(other)})
		}
	})
	return rows
}
