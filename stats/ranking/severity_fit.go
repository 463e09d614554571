package ranking

import (
	"iter"
	"maps"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"compqa/stats"
)

// pairs yields each two ratings of an item. The rater with the lower number comes first.
func pairs(item []itemScore) iter.Seq2[itemScore, itemScore] {
	return func(yield func(a, b itemScore) bool) {
		for k, a := range item {
			for _, b := range item[k+1:] {
				if !yield(a, b) {
					return
				}
			}
		}
	}
}

// A slope is the derivative of log-odds by one parameter.
type slope struct {
	parameter int
	value     float64
}

// compare returns the log-odds of categories (a, b) against (a-1, b+1) by raters r and s, and its slopes. The parameters x are C of all
// raters, then F_2 - F_1, F_3 - F_2, …
func compare(x []float64, raters, r, s, a, b int) (odds float64, slopes []slope) {
	slopes = []slope{{r, -1}, {s, 1}}
	for k := a; k <= b; k++ { // F_(b+1) - F_a
		slopes = append(slopes, slope{raters + k - 1, 1})
	}
	for k := b + 1; k < a; k++ {
		slopes = append(slopes, slope{raters + k - 1, -1})
	}
	for _, by := range slopes {
		odds += float64(by.value * x[by.parameter])
	}
	return odds, slopes
}

// estimate fits the model and fills in the panel.
func (f *facets) estimate(p *Panel, origin []bool) (err error) {
	count := len(p.Raters)
	pinned := make([]bool, count) // raters of the origin; their mean is fixed at 0, which no comparison determines
	for r := range pinned {
		pinned[r] = origin[r] && p.Raters[r].Side == 0
	}
	if !slices.Contains(pinned, true) {
		return stats.Reason("the severity of no person is finite")
	}
	x, information, err := f.likelihood(p.Raters, pinned).maximise(make([]float64, count+f.top-1))
	if err != nil {
		return err
	}
	p.covariance, err = sandwich(information, f.scores(x, count))
	if err != nil {
		return err
	}
	for r := range p.Raters {
		e := stats.Estimate{Value: x[r], SE: math.Sqrt(p.covariance.At(r, r)), Level: .95, DF: float64(f.groups.Count() - 1)}
		if err = e.SetBounds(); err != nil {
			return err
		}
		p.Raters[r].Severity = e
	}
	p.Steps = make([]float64, f.top)
	for k, width := range x[count:] {
		p.Steps[k+1] = p.Steps[k] + width
	}
	p.Steps = stats.Deviations(p.Steps)
	f.fit(p)
	return nil
}

// likelihood returns the composite likelihood, with a prior for steps, and for raters without comparisons.
func (f *facets) likelihood(raters []Strictness, pinned []bool) likelihood {
	keys := slices.SortedFunc(maps.Keys(f.counts), func(a, b [2]int) int { return slices.Compare(a[:], b[:]) })
	size := len(raters) + f.top - 1
	return func(x []float64) (value float64, gradient *mat.VecDense, information *mat.SymDense) {
		gradient, information = mat.NewVecDense(size, nil), mat.NewSymDense(size, nil)
		add := func(slopes []slope, slopeOf, weight float64) {
			for i, s := range slopes {
				gradient.SetVec(s.parameter, gradient.AtVec(s.parameter)+float64(s.value*slopeOf))
				for _, t := range slopes[i:] {
					information.SetSym(s.parameter, t.parameter, information.At(s.parameter, t.parameter)+float64(s.value*t.value*weight))
				}
			}
		}
		square := func(slopes []slope, precision float64) { // a normal prior, with mean 0, for a linear form of the parameters
			sum := 0.0
			for _, s := range slopes {
				sum += float64(s.value * x[s.parameter])
			}
			value -= float64(precision * sum * sum / 2)
			add(slopes, -precision*sum, precision)
		}
		var origin []slope
		for r := range raters {
			if pinned[r] {
				origin = append(origin, slope{r, 1})
			} else if raters[r].Side != 0 {
				square([]slope{{r, 1}}, 1)
			}
		}
		square(origin, 1)
		for k := len(raters); k < size; k++ {
			square([]slope{{k, 1}}, stepPrior)
		}
		for _, key := range keys {
			for a := 1; a <= f.top; a++ {
				for b := range f.top {
					up := f.counts[key][a*(f.top+1)+b]
					down := f.counts[key][(a-1)*(f.top+1)+b+1]
					if up+down == 0 {
						continue
					}
					odds, slopes := compare(x, len(raters), key[0], key[1], a, b)
					share := winProbability(odds)
					value -= float64(up*math.Log1p(math.Exp(-odds))) + float64(down*math.Log1p(math.Exp(odds)))
					add(slopes, up-float64((up+down)*share), (up+down)*share*(1-share))
				}
			}
		}
		return value, gradient, information
	}
}

// scores returns the derivatives of the log-likelihood, with a column for each cluster.
func (f *facets) scores(x []float64, raters int) *mat.Dense {
	scores := mat.NewDense(len(x), f.groups.Count(), nil)
	derivatives := make([][]slope, len(f.forms)) // by form: derivatives of the comparisons that its pairs of ratings are part of
	for form, item := range f.forms {
		add := func(r, s itemScore, a, b int, won float64) {
			odds, slopes := compare(x, raters, r.rater, s.rater, a, b)
			for _, by := range slopes {
				derivatives[form] = append(derivatives[form], slope{by.parameter, by.value * (won - winProbability(odds))})
			}
		}
		for r, s := range pairs(item) {
			if r.category > 0 && s.category < f.top {
				add(r, s, r.category, s.category, 1)
			}
			if r.category < f.top && s.category > 0 {
				add(r, s, r.category+1, s.category-1, 0)
			}
		}
	}
	for i, form := range f.formOf {
		for _, by := range derivatives[form] {
			scores.RawRowView(by.parameter)[f.groups.ClusterOf[i]] += by.value
		}
	}
	return scores
}

// fit computes infit and outfit. With the residual e of a value from its expectation given the item's total, its variance V and its fourth
// moment M,
//
//	outfit = Σ e²/V / n        SE² = Σ (M/V² - 1) / n²
//	infit  = Σ e² / Σ V        SE² = Σ (M - V²) / (Σ V)²
//
// Items of two raters are left out, because both raters have the same residual there, and it does not show who it comes from.
func (f *facets) fit(p *Panel) {
	type sums struct{ square, scaled, variance, spread, scaledSpread float64 }
	all := make([]sums, len(p.Raters))
	weights := make([][]float64, len(p.Raters)) // weights of each rater's categories, for B = 0
	for r := range weights {
		weights[r] = []float64{1}
		for k, step := range p.Steps {
			weights[r] = append(weights[r], weights[r][k]*math.Exp(-p.Raters[r].Severity.Value-step))
		}
	}
	known := map[string][]moments{} // by raters and total of an item
	ofForm := make([][]moments, len(f.forms))
	for form, item := range f.forms {
		total := 0
		key := ""
		for _, x := range item {
			total += x.category
			key += string(rune(x.rater))
		}
		if len(item) < 3 || total == 0 || total == len(item)*f.top {
			continue
		}
		key += string(rune(total))
		if known[key] == nil {
			known[key] = conditional(item, weights, total)
		}
		ofForm[form] = known[key]
	}
	for _, form := range f.formOf {
		for k, m := range ofForm[form] {
			x := f.forms[form][k]
			s := &all[x.rater]
			e := float64(x.category) - m.mean
			s.square += e * e
			s.variance += m.variance
			s.spread = s.spread + m.fourth - m.variance*m.variance
			s.scaled += e * e / m.variance
			s.scaledSpread = s.scaledSpread + m.fourth/(m.variance*m.variance) - 1
			p.Raters[x.rater].Outfit.Items++
		}
	}
	for r, s := range all {
		if n := p.Raters[r].Outfit.Items; n > 0 {
			p.Raters[r].Outfit = MeanSquare{s.scaled / float64(n), math.Sqrt(max(0, s.scaledSpread)) / float64(n), n}
			p.Raters[r].Infit = MeanSquare{s.square / s.variance, math.Sqrt(max(0, s.spread)) / s.variance, n}
		}
	}
}

// moments holds the mean, variance and fourth central moment of a category.
type moments struct{ mean, variance, fourth float64 }

// conditional returns the moments of each rater's category given the total of an item. weights belong to each rater's categories.
func conditional(item []itemScore, weights [][]float64, total int) (all []moments) {
	after := [][]float64{{1}} // weights of the totals of the last 0, 1, 2 … raters
	for _, x := range slices.Backward(item) {
		after = append(after, convolved(weights[x.rater], after[len(after)-1]))
	}
	before := []float64{1}
	for k, x := range item {
		others := convolved(before, after[len(item)-1-k])
		weight := weights[x.rater]
		before = convolved(before, weight)
		sum := func(power, from float64) (sum float64) {
			for c := max(0, total-len(others)+1); c <= min(total, len(weight)-1); c++ {
				sum += float64(weight[c] * others[total-c] * math.Pow(float64(c)-from, power))
			}
			return sum
		}
		one := sum(0, 0)
		mean := sum(1, 0) / one
		all = append(all, moments{mean, sum(2, mean) / one, sum(4, mean) / one})
	}
	return all
}

// convolved returns the weights of the sums of two numbers, up to a common factor.
func convolved(x, y []float64) []float64 {
	sums := make([]float64, len(x)+len(y)-1)
	for i, a := range x {
		for k, b := range y {
			sums[i+k] += float64(a * b)
		}
	}
	most := slices.Max(sums) // avoids overflow
	for i := range sums {
		sums[i] /= most
	}
	return sums
}
