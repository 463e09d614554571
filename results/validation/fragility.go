package validation

import (
	"cmp"
	"fmt"
	"strings"

	"compqa/data"
	"compqa/results/dataset"
	"compqa/results/raters"
	"compqa/stats"
)

// defaultLimit is Krippendorff's least alpha for tentative conclusions.
const defaultLimit = 0.667

const leastFragile = 10 // labels from which their removal is tried

// fragility says how few labels put alpha with people's mean on the other side of the limit (stats.Sums.Fewest), of a fifth of them.
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
	removed, below, ok := fewestForAlpha(x, weights, limit)
	if !ok || len(x.Units) < leastFragile {
		return nil
	}
	target := fmt.Sprintf("below %v", limit)
	if below {
		target = fmt.Sprintf("at least %v", limit)
	}
	names := data.Each(removed, func(k int) string {
		return strings.Join(strings.Fields(cmp.Or(p.Units[x.Units[k]].ID, fmt.Sprint("item ", x.Units[k]+1))), "_")
	})
	return []dataset.Fragility{{What: fmt.Sprintf("alpha (%s) of %s (%s)", p.level(), p.Criterion, p.Judge), Target: target,
		Removed: len(removed), Of: len(x.Units), Items: strings.Join(names, " ")}}
}

// fewestForAlpha are the labels without which interval alpha of judge and reference, each pair with a weight (nil: 1), is on the other side
// of a limit; below says that it is below the limit with them.
func fewestForAlpha(x raters.Pairs, weights []float64, limit float64) (removed []int, below, ok bool) {
	sums := stats.AddUp(x.Units, 5, func(k int) []float64 {
		w := 1.0
		a := x.Judge[k]
		b := x.Reference[k]
		if weights != nil {
			w = weights[k]
		}
		return []float64{1, w, w * (a + b), w * (a*a + b*b), w * (a - b) * (a - b)}
	})
	alpha := func(sum []float64) float64 {
		mean := sum[2] / (2 * sum[1])
		n := 2 * sum[0]
		return 1 - sum[4]/sum[1]/(2*(sum[3]/(2*sum[1])-mean*mean)*n/(n-1))
	}
	below = alpha(sums.Whole) < limit
	removed, ok = sums.Fewest(len(x.Units)/5, func(sum []float64) []float64 {
		if below {
			return []float64{alpha(sum) - limit}
		}
		return []float64{limit - alpha(sum)}
	})
	return removed, below, ok
}
