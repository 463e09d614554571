package validation

import (
	"fmt"
	"math"

	"compqa/data"
	"compqa/results/trust"
	"compqa/stats"
	"compqa/stats/labels"
)

// A pick says how the next labels of a criterion are chosen: by the expected squared error of people's value within cells. A cell has the
// items with the same system and the same value of the judge. Errors are shares of the squared width of the scale.
type pick struct {
	*Pairing
	errors  []float64 // error of each unit; 0: the judge has no value
	earlier []float64 // for each unit: share of its cell that has labels
	known   bool      // there are enough labels to say how errors differ
}

// pick returns the errors of a pairing by unit. Without enough labels, all errors are equal.
func (p *Pairing) pick() pick {
	chosen := pick{Pairing: p, errors: make([]float64, len(p.Units)), earlier: make([]float64, len(p.Units))}
	units, labelled, _ := p.judgedUnits()
	if len(units) == 0 || !p.SameScale || p.nominal() {
		return chosen
	}
	verdict := p.verdictLevels(units)
	systems, _ := stats.NumberLabels(data.Each(units, func(i int) string { return p.Units[i].System }))
	cells := make([]int, len(units))
	for k := range units {
		cells[k] = systems[k]*len(verdict.Names) + verdict.Level[k]
	}
	cells = stats.ClusterLabels(cells)
	count := 0
	size := map[int]float64{}
	n := map[int]float64{}
	var values []float64
	var labelledCells []int
	for k, i := range units {
		count = max(count, cells[k]+1)
		size[cells[k]]++
		if labelled[k] {
			n[cells[k]]++
			values = append(values, p.mean.Values[i].Number())
			labelledCells = append(labelledCells, cells[k])
		}
	}
	variances := labels.CellVariances(values, labelledCells, count)
	chosen.known = variances != nil && len(values) >= trust.LeastLabels
	width := max(p.PeopleScale.High-p.PeopleScale.Low, 1e-300)
	for k, i := range units {
		chosen.errors[i] = 1
		chosen.earlier[i] = n[cells[k]] / size[cells[k]]
		if chosen.known {
			chosen.errors[i] = variances[cells[k]] / (width * width)
		}
	}
	return chosen
}

// next draws the items to label next, so that the rates of all criteria become as precise as possible. Each item gets the probability that
// it is labelled by then.
func (r *Result) next() {
	n := r.o.Budget
	picks := []pick{}
	for _, p := range r.comparable() {
		if chosen := p.pick(); len(chosen.errors) > 0 {
			picks = append(picks, chosen)
		}
	}
	var units []int // units without a label that a judge scored
	var errors []float64
	known := false
	for i, u := range r.Units {
		sum := 0.0
		judged := false
		for _, chosen := range picks {
			judged = judged || chosen.errors[i] > 0
			sum += chosen.errors[i]
			known = known || chosen.known
		}
		if judged && !u.Labelled {
			units = append(units, i)
			errors = append(errors, sum)
		}
	}
	if len(units) == 0 {
		r.Done = append(r.Done, "--budget: every judged item has a label already, or no criterion has an order")
		return
	}
	n = min(n, len(units))
	if n < r.o.Budget {
		r.Done = append(r.Done, fmt.Sprintf("--budget %d: only %s no label", r.o.Budget,
			data.Plural(n, "judged item has", "judged items have")))
	}
	p := labels.Probabilities(errors, n)
	for _, k := range labels.Draw(p, stats.NewRNG(r.o.Seed, "budget")) {
		u := r.Units[units[k]]
		before := picks[0].earlier[units[k]]
		r.ToLabel = append(r.ToLabel, ToLabel{u, stats.Number(math.Round(1e6*(before+(1-before)*p[k])) / 1e6)})
	}
	how := "with equal probabilities, since too few labels say where the judge errs"
	if known {
		how = "more of them where people's values vary most for the same verdict and system"
	}
	r.Done = append(r.Done, fmt.Sprintf("tables/to_label.csv has the %s to label next, chosen at random, %s; keep its column "+
		"inclusion: validate --inclusion tables/to_label.csv weights by it", data.Plural(len(r.ToLabel), "item", "items"), how))
	for _, picked := range picks {
		if picked.known {
			chosen, random := picked.expected(units, p, n)
			r.Labels = append(r.Labels, trust.Expected(r.name(picked.Pairing), chosen, random))
		}
	}
}

// expected returns the expected half-width of the interval of people's rate after the next labels, if they are chosen by probabilities p,
// and if as many are drawn at random:
//
//	1.96 √( d Σ_i e_i / π_i ) / N
//
// e_i is the variance within the cell, π_i the probability of being labelled by then, and d the design effect of all labels by then.
func (of pick) expected(units []int, p []float64, n int) (withChosen, atRandom stats.Figure) {
	chosen := map[int]float64{}
	random := float64(n) / float64(len(units))
	total := 0.0
	for k, i := range units {
		chosen[i] = p[k]
	}
	width := of.PeopleScale.High - of.PeopleScale.Low
	var sums [2]float64 // chosen, at random
	for i, e := range of.errors {
		if e <= 0 {
			continue
		}
		total++
		before := of.earlier[i]
		for k, pi := range [2]float64{before + (1-before)*chosen[i], before + (1-before)*random} {
			if chosen[i] == 0 && of.Units[i].Labelled {
				pi = max(before, before+(1-before)*random)
			}
			sums[k] += e / max(pi, 1e-3)
		}
	}
	sample := of.items().Random()
	effect := precisionOf(sample).designEffect(len(sample.Human) + n)
	half := func(k int) stats.Figure { return stats.Number(1.96 * width * math.Sqrt(effect*sums[k]) / total) }
	return half(0), half(1)
}

// comparable returns the pairings. If nobody has labelled anything yet, it returns a pairing for each criterion of judges.
func (r *Result) comparable() []*Pairing {
	if len(r.Pairings) > 0 {
		return r.Pairings
	}
	var pairings []*Pairing
	for _, judge := range r.Judges {
		if p, err := r.pairing(judge, judge.ID); !judge.Extra && err == nil {
			pairings = append(pairings, p)
		}
	}
	return pairings
}
