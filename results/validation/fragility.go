package validation

import (
	"cmp"
	"fmt"
	"strings"

	"compqa/data"
	"compqa/results/dataset"
	"compqa/stats/labels"
)

// defaultLimit is Krippendorff's least alpha for tentative conclusions.
const defaultLimit = 0.667

// fragility says how few labels put alpha with people's mean on the other side of the limit.
func (p *Pairing) fragility() (rows []dataset.Fragility) {
	limit := cmp.Or(p.o.Limit, defaultLimit)
	if p.nominal() || !p.SameScale || p.sampling.unjudged || !p.row(Mean).Alpha.Known {
		return nil
	}
	x := p.t.Pairs(p.judge, p.mean)
	var weights []float64
	if p.sampling.weighted() {
		all := p.t.Sample(func(i int) bool { return p.judge.Values[i].Given() }, func(i int) bool { return p.mean.Values[i].Given() }).Weight()
		for _, unit := range x.Units {
			weights = append(weights, all[unit])
		}
	}
	removed, ok := labels.FewestForAlpha(x.Judge, x.Reference, weights, limit)
	if !ok {
		return nil
	}
	target := fmt.Sprintf("below %v", limit)
	if p.row(Mean).Alpha.Value < limit {
		target = fmt.Sprintf("at least %v", limit)
	}
	names := data.Each(removed, func(k int) string {
		return strings.Join(strings.Fields(cmp.Or(p.Units[x.Units[k]].ID, fmt.Sprint("item ", x.Units[k]+1))), "_")
	})
	return []dataset.Fragility{{What: fmt.Sprintf("alpha (%s) of %s (%s)", p.level(), p.Criterion, p.Judge), Target: target,
		Removed: len(removed), Of: len(x.Units), Items: strings.Join(names, " ")}}
}
