package preferences

import (
	"slices"

	"compqa/data"
	"compqa/results/dataset"
	"compqa/results/store"
	"compqa/results/table"
	"compqa/stats"
)

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

// add takes in a preference, nil if it is missing.
func (t *tally) add(p *store.PreferenceRow) {
	if p == nil {
		return
	}
	t.n++
	t.statuses[p.Status]++
	t.price(p)
	if pair := &t.b.Pairs[p.Pair]; p.Status == data.Valid && pair.Label.Decided() {
		t.right.Add(dataset.Indicator(p.Choice == pair.Label), pair.Cluster)
	}
}

func (t *tally) addPair(j judged) {
	t.n++
	status := data.Valid // of the first order that is not valid
	for _, p := range j.by {
		if t.price(p); status == data.Valid {
			status = data.Pending
			if p != nil {
				status = p.Status
			}
		}
	}
	t.statuses[status]++
	if status != data.Valid {
		return
	}
	if j.by[0].Choice == j.by[1].Choice {
		t.same++
	}
	if pair := &t.b.Pairs[j.pair]; pair.Label.Decided() {
		t.right.Add(dataset.Indicator(j.combined() == pair.Label), pair.Cluster)
	}
}

// price adds the costs of a preference and the position of its choice.
func (t *tally) price(p *store.PreferenceRow) {
	if p == nil {
		return
	}
	t.calls += p.Calls
	t.spent.Add(p.Spending)
	switch {
	case p.Status != data.Valid:
	case p.Choice.Decided():
		t.first.Add(dataset.Indicator((p.Choice == data.ChoiceA) == (p.Order == data.OrderAB)), t.b.Pairs[p.Pair].Cluster)
	default:
		t.ties++
	}
}

// ratio is missing for n = 0.
func ratio(of float64, n int) table.Figure {
	if n == 0 {
		return table.Figure{}
	}
	return table.Number(of / float64(n))
}

// per is a sum per n, missing if it is unknown.
func per(s store.Sum, n int) table.Figure {
	if !s.Known {
		return table.Figure{}
	}
	return ratio(s.Total, n)
}

// share is the mean of zeros and ones with its clustered interval.
func (b *preferenceBoard) share(s dataset.Sample) table.Bounded {
	return b.Share(s, stats.ErrUndefined).Bounded
}

// A PValue is a p-value and Holm's adjustment of it.
type PValue struct {
	P         table.Figure `csv:"p"`
	PAdjusted table.Figure `csv:"p_adjusted"`
}

// adjust sets the adjusted p-values of a family; unknown p-values are no part of it.
func (b *preferenceBoard) adjust(family []*PValue) {
	family = slices.DeleteFunc(family, func(v *PValue) bool { return !v.P.Known() })
	p := make([]float64, len(family))
	for i, v := range family {
		p[i] = *v.P.Number
	}
	adjusted, err := stats.Holm(p)
	for i, v := range family {
		if err == nil {
			v.PAdjusted = table.Number(adjusted[i])
		}
	}
	b.Value(0, err)
}

// paired is the mean difference of paired values with its clustered interval.
func (b *preferenceBoard) paired(x, y []float64, clusters []int) (difference table.Bounded, p table.Figure) {
	d, err := stats.PairedDifference(x, y, clusters, dataset.Confidence)
	figure := func(v float64) table.Figure { return table.FigureOf(b.Value(v, err)) }
	return table.Bounded{Value: table.Number(d.Value), Low: figure(d.Low), High: figure(d.High)}, figure(d.P)
}
