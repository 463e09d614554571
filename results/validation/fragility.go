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

// defaultLimit is the alpha from which Krippendorff allows tentative conclusions.
const defaultLimit = 0.667

const leastFragile = 10 // fewest labels for which fragility is computed

// fragility finds the fewest labels without which alpha with people's mean would lie on the other side of the limit (stats.Sums.Fewest). It
// tries at most a fifth of the labels. It returns nothing without such a set, or alpha has no meaning.
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

// fewestForAlpha finds the fewest labels without which interval alpha of judge and reference lies on the other side of a limit. Each pair
// counts with its weight (nil: 1). removed are the indexes of the labels. below reports whether alpha with all labels is below the limit.
// ok is false if a fifth of the labels is not enough.
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
	below = alpha(sums.SampleWeights) < limit
	removed, ok = sums.Fewest(len(x.Units)/5, func(sum []float64) []float64 {
		if below {
			return []float64{alpha(sum) - limit}
		}
		return []float64{limit - alpha(sum)}
	})
	return removed, below, ok
}
