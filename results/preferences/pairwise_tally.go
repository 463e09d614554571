package preferences

import (
	"compqa/data"
	"compqa/results/dataset"
	"compqa/results/store"
	"compqa/results/table"
	"compqa/stats"
)

// A rowTally collects the data of a row.
type rowTally struct {
	b   *preferenceBoard
	row *PairwiseRow

	right           []float64 // of each valid preference with a label: 1 or 0
	rightClusters   []int
	first           []float64 // of each choice: 1 if it is the answer shown first
	firstClusters   []int
	ties, decisions int // of preferences
	same            int // pairs with the same choice in both orders
	calls           int
	tokens, cost    float64
	seconds         float64
	hasTokens       bool
	hasCost         bool
	hasSeconds      bool
}

func (t *rowTally) preference(pair int, p *store.PreferenceRow) {
	t.price(p)
	t.row.statuses[p.Status]++
	if p.Status != data.Valid {
		return
	}
	t.row.Valid++
	t.position(pair, p)
	if gold := t.b.Pairs[pair].Label; gold.Decided() {
		t.judge(pair, p.Choice == gold)
	}
}

func (t *rowTally) pair(j judged) {
	for _, p := range []*store.PreferenceRow{j.ab, j.ba} {
		if p != nil {
			t.price(p)
		}
		if valid(p) {
			t.position(j.pair, p)
		}
	}
	if !j.both() {
		t.row.statuses[worse(j)]++
		return
	}
	t.row.statuses[data.Valid]++
	t.row.Valid++
	if j.ab.Choice == j.ba.Choice {
		t.same++
	}
	if gold := t.b.Pairs[j.pair].Label; gold.Decided() {
		t.judge(j.pair, j.ab.Choice == gold && j.ba.Choice == gold)
	}
}

// worse is the status of the order that is not valid.
func worse(j judged) data.Status {
	for _, p := range []*store.PreferenceRow{j.ab, j.ba} {
		switch {
		case p == nil:
			return data.Pending
		case p.Status != data.Valid:
			return p.Status
		}
	}
	return data.Valid
}

func (t *rowTally) judge(pair int, right bool) {
	value := 0.0
	if right {
		value = 1
	}
	t.right, t.rightClusters = append(t.right, value), append(t.rightClusters, t.b.Pairs[pair].Cluster)
}

func (t *rowTally) position(pair int, p *store.PreferenceRow) {
	t.decisions++
	if !p.Choice.Decided() {
		t.ties++
		return
	}
	value := 0.0
	if firstShown(p) {
		value = 1
	}
	t.first, t.firstClusters = append(t.first, value), append(t.firstClusters, t.b.Pairs[pair].Cluster)
}

func (t *rowTally) price(p *store.PreferenceRow) {
	t.calls += p.Calls
	for _, of := range []struct {
		sum   *float64
		known *bool
		value *float64
	}{{&t.tokens, &t.hasTokens, p.Tokens}, {&t.cost, &t.hasCost, p.Cost}, {&t.seconds, &t.hasSeconds, p.Seconds}} {
		if of.value != nil {
			*of.sum += *of.value
			*of.known = true
		}
	}
}

func (t *rowTally) finish(kind string) {
	r := t.row
	r.gold = len(t.right)
	r.Accuracy, r.AccuracyLow, r.AccuracyHigh = t.b.share(t.right, t.rightClusters)
	r.FirstShare, r.firstLow, r.firstHigh = t.b.share(t.first, t.firstClusters)
	if t.decisions > 0 {
		r.TieRate = table.Number(float64(t.ties) / float64(t.decisions))
	}
	if r.Valid == 0 {
		return
	}
	n := float64(r.Valid)
	if r.Order == orderBoth {
		r.Consistency = table.Number(float64(t.same) / n)
	}
	if kind == dataset.KindImported {
		return // their costs are unknown
	}
	r.CallsPerPair = table.Number(float64(t.calls) / n)
	for _, of := range []struct {
		into  *table.Figure
		sum   float64
		known bool
	}{{&r.TokensPer, t.tokens, t.hasTokens}, {&r.CostPer, t.cost, t.hasCost}, {&r.secondsPer, t.seconds, t.hasSeconds}} {
		if of.known {
			*of.into = table.Number(of.sum / n)
		}
	}
}

// share is the mean of zeros and ones with its clustered interval.
func (b *preferenceBoard) share(values []float64, clusters []int) (mean, low, high table.Figure) {
	return b.Share(dataset.Sample{Values: values, Questions: clusters}, stats.ErrUndefined).Figures()
}
