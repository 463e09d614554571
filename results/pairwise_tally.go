package results

import (
	"errors"

	"compqa/data"
	"compqa/stats"
)

// A rowTally collects what a row is made of.
type rowTally struct {
	b   *preferenceBoard
	row *PairwiseRow

	right           []float64 // of each valid one with a gold preference: 1 or 0
	rightClusters   []int
	first           []float64 // of each choice: 1 where it is of the answer shown first
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

func (t *rowTally) preference(pair int, p *preferenceRow) {
	t.price(p)
	t.row.statuses[p.status]++
	if p.status != data.Valid {
		return
	}
	t.row.Valid++
	t.position(pair, p)
	if gold := t.b.pairs[pair].label; gold.Decided() {
		t.judge(pair, p.choice == gold)
	}
}

func (t *rowTally) pair(j judged) {
	for _, p := range []*preferenceRow{j.ab, j.ba} {
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
	if j.ab.choice == j.ba.choice {
		t.same++
	}
	if gold := t.b.pairs[j.pair].label; gold.Decided() {
		t.judge(j.pair, j.ab.choice == gold && j.ba.choice == gold)
	}
}

// worse is the status of a pair that is not valid in both orders: that of the
// order which is not.
func worse(j judged) data.Status {
	for _, p := range []*preferenceRow{j.ab, j.ba} {
		switch {
		case p == nil:
			return data.Pending
		case p.status != data.Valid:
			return p.status
		}
	}
	return data.Valid
}

func (t *rowTally) judge(pair int, right bool) {
	value := 0.0
	if right {
		value = 1
	}
	t.right, t.rightClusters = append(t.right, value), append(t.rightClusters, t.b.pairs[pair].cluster)
}

func (t *rowTally) position(pair int, p *preferenceRow) {
	t.decisions++
	if !p.choice.Decided() {
		t.ties++
		return
	}
	value := 0.0
	if p.firstShown() {
		value = 1
	}
	t.first, t.firstClusters = append(t.first, value), append(t.firstClusters, t.b.pairs[pair].cluster)
}

func (t *rowTally) price(p *preferenceRow) {
	t.calls += p.calls
	for _, of := range []struct {
		sum   *float64
		known *bool
		value *float64
	}{{&t.tokens, &t.hasTokens, p.tokens}, {&t.cost, &t.hasCost, p.cost}, {&t.seconds, &t.hasSeconds, p.seconds}} {
		if of.value != nil {
			*of.sum += *of.value
			*of.known = true
		}
	}
}

func (t *rowTally) finish(kind string) {
	r := t.row
	r.gold = len(t.right)
	r.Accuracy, r.AccuracyLow, r.AccuracyHigh = t.b.proportion(t.right, t.rightClusters)
	r.FirstShare, r.firstLow, r.firstHigh = t.b.proportion(t.first, t.firstClusters)
	if t.decisions > 0 {
		r.TieRate = figure(float64(t.ties) / float64(t.decisions))
	}
	if r.Valid == 0 {
		return
	}
	n := float64(r.Valid)
	if r.Order == orderBoth {
		r.Consistency = figure(float64(t.same) / n)
	}
	if kind == kindImported {
		return // nobody knows what was paid for them
	}
	r.CallsPerPair = figure(float64(t.calls) / n)
	for _, of := range []struct {
		into  *Figure
		sum   float64
		known bool
	}{{&r.TokensPer, t.tokens, t.hasTokens}, {&r.CostPer, t.cost, t.hasCost}, {&r.secondsPer, t.seconds, t.hasSeconds}} {
		if of.known {
			*of.into = figure(of.sum / n)
		}
	}
}

// proportion is the mean of zeros and ones with its interval at 95 %, clustered.
// Where the values leave no width (all are equal, or there are too few), it is
// Wilson's over as many trials as there are clusters, the successes in their
// proportion.
func (c *computer) proportion(values []float64, clusters []int) (mean, low, high Figure) {
	if len(values) == 0 {
		return Figure{}, Figure{}, Figure{}
	}
	e, err := stats.MeanInterval(values, clusters, confidence)
	mean = figure(e.Value)
	if err == nil {
		return mean, figure(max(0, e.Low)), figure(min(1, e.High))
	}
	if !errors.Is(err, stats.ErrUndefined) {
		c.value(0, err)
		return mean, Figure{}, Figure{}
	}
	trials := 0
	seen := map[int]bool{}
	for _, cluster := range clusters {
		if !seen[cluster] {
			seen[cluster] = true
			trials++
		}
	}
	p, err := stats.Wilson(int(e.Value*float64(trials)+0.5), trials, confidence)
	return mean, Figure{c.value(p.Low, err)}, Figure{c.value(p.High, err)}
}
