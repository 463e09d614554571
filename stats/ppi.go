package stats

import (
	"fmt"
	"math"
	"slices"
)

// A PPISample is the data of prediction-powered inference: a random sample of items that people scored, with the judge's scores of the same
// items, and the judge's scores of other items from the same population. The two sets of items must be disjoint, and the labelled set must
// be random: labels on the hard items only say nothing about the rest.
//
// Clusters and UnlabelledClusters label the question of each item. They share one numbering, because items of both sets can belong to the
// same question. If both are nil, every item is a question of its own.
type PPISample struct {
	Human, Judge       []float64 // n labelled items
	Unlabelled         []float64 // the judge's scores of N further items
	Clusters           []int
	UnlabelledClusters []int
}

// A PPI is an estimated mean of people's scores, with what the judge contributed to it.
type PPI struct {
	Estimate // N and Clusters are of the labelled items

	Lambda     float64  // weight of the judge's scores, in [0, 1]; 0 means that they are not used
	Labelled   int      // n
	Unlabelled int      // N
	Classical  Estimate // the estimate from people's labels only
	EffectiveN float64  // n·(SE_classical/SE)²: number of labels that would give the same SE without the judge
}

// PPIMean estimates the mean that people would give to the whole population, from few labels and many verdicts (PPI++,
// Angelopoulos, Duchi and Zrnic 2023, arXiv:2311.01453, section 6 for λ):
//
//	θ = λ·mean(F̃) + mean(Y - λF)
//
// Y are people's and F the judge's scores of the n labelled items, F̃ the judge's scores of the N others. A bias of the judge cancels;
// noise of the judge only widens the interval. The published form has too low coverage below 50 labels (93 % at 30, 88 % at 10), and does
// not handle clusters. Here, H_c and D_c are the changes when cluster c is left out (jackknife) of
//
//	H: mean(Y)
//	D: mean(F) - mean(F̃)
//
// A cluster that is only partly labelled changes both means at once. λ is the slope that minimises the variance of θ, and the standard
// error is what remains with that slope:
//
//	λ  = clip( Σ_c H_c D_c / Σ_c D_c², 0, 1 )
//	SE = √( Σ_c (H_c - λ D_c)² )
//
// Values of labelled items carry the factor √((G-1)/G) for their G clusters, values of the others the factor for their number of
// clusters. The interval is Student's with G-1 degrees of freedom. If λ is estimated and above 0, it costs a degree of freedom as in any
// regression: the factor of the labelled items is multiplied by √((G-1)/(G-2)), and G-2 degrees of freedom are left.
//
// λ is 0, and the result the classical one, if the judge's scores are constant or correlate negatively with people's, or with fewer than
// three labelled or two other clusters. Coverage of 95 % is 0.93 to 0.95, also with partly labelled clusters of unequal size, and 0.92 for
// 24 labels of yes and no. Errors are as for MeanInterval of the labels, and ErrLength.
func PPIMean(s PPISample, level float64) (result PPI, err error) {
	defer Wrap("prediction-powered mean", &err)
	result = PPI{Labelled: len(s.Human), Unlabelled: len(s.Unlabelled), EffectiveN: float64(len(s.Human))}
	if err := s.check(); err != nil {
		return result, err
	}
	scale := 0.0
	for _, v := range s.Human {
		scale = max(scale, math.Abs(v))
	}
	p := s.sums()
	result.Classical = Estimate{Value: p.people, Level: level, N: result.Labelled, Clusters: p.labelled}
	result.Estimate = result.Classical
	switch {
	case len(s.Human) < 2:
		return result, fmt.Errorf("people's labels: %w", ErrTooShort)
	case p.labelled < 2:
		return result, fmt.Errorf("people's labels: %w", ErrOneCluster)
	}
	set := func(e *Estimate, parameters int) error {
		e.SE = p.standardError(result.Lambda, parameters)
		e.DF = float64(p.labelled - parameters)
		if e.SE <= 1e-13*scale {
			e.SE = 0
			return ErrZeroWidth
		}
		return e.SetBounds()
	}
	if err := set(&result.Classical, 1); err != nil {
		return result, fmt.Errorf("people's labels: %w", err)
	}
	result.Estimate = result.Classical
	if p.labelled >= 3 && p.unlabelledClusters >= 2 {
		result.Lambda = p.lambda()
	}
	if result.Lambda == 0 {
		return result, nil
	}
	result.Value = p.people - result.Lambda*p.gap
	if err := set(&result.Estimate, 2); err != nil {
		return result, err
	}
	ratio := result.Classical.SE / result.SE
	result.EffectiveN *= ratio * ratio
	return result, nil
}

// check returns an error if lengths differ or values are not finite.
func (s PPISample) check() error {
	labelled := len(s.Clusters)
	others := len(s.UnlabelledClusters)
	if labelled == 0 && others == 0 { // every item is its own cluster
		labelled = len(s.Human)
		others = len(s.Unlabelled)
	}
	if err := CheckLengths(len(s.Human), len(s.Judge)); err != nil {
		return fmt.Errorf("labels and verdicts: %w", err)
	}
	if err := CheckLengths(labelled, len(s.Human)); err != nil {
		return fmt.Errorf("clusters of the labelled items: %w", err)
	}
	if err := CheckLengths(others, len(s.Unlabelled)); err != nil {
		return fmt.Errorf("clusters of the unlabelled items: %w", err)
	}
	for _, values := range [][]float64{s.Human, s.Judge, s.Unlabelled} {
		if err := CheckFinite(values); err != nil {
			return err
		}
	}
	return nil
}

// ppiSums holds how far each cluster moves the means of the labelled items' scores (human, judge) and of the others' scores (other).
type ppiSums struct {
	human, judge, unlabelled     []float64
	labelled, unlabelledClusters int     // clusters with labelled items, and with others
	people, gap                  float64 // Ȳ; and F̄ - F̃̄, or 0 without others
}

// sums returns the sums of a sample that check accepts.
func (s PPISample) sums() ppiSums {
	n := len(s.Human)
	g, _ := NewGrouping(slices.Concat(s.Clusters, s.UnlabelledClusters), n+len(s.Unlabelled))
	p := ppiSums{human: make([]float64, g.Count()), judge: make([]float64, g.Count()), unlabelled: make([]float64, g.Count())}
	labelled := g.ClusterOf[:n]
	rest := g.ClusterOf[n:]
	p.people, p.labelled = addMoves(p.human, labelled, s.Human), distinct(labelled)
	if len(rest) > 0 && !constant(s.Judge, s.Unlabelled) {
		p.gap = addMoves(p.judge, labelled, s.Judge) - addMoves(p.unlabelled, rest, s.Unlabelled)
		p.unlabelledClusters = distinct(rest)
	}
	return p
}

// constant reports whether all scores of the judge are equal. λ would be 0/0, or a quotient of rounding errors.
func constant(judge, unlabelled []float64) bool {
	all := slices.Concat(judge, unlabelled)
	return slices.Min(all) == slices.Max(all)
}

// addMoves adds to the sum of each cluster how far the cluster moves the mean of the values, and returns the mean.
func addMoves(sums []float64, cluster []int, values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	sizes := make([]float64, len(sums))
	for _, c := range cluster {
		sizes[c]++
	}
	n := float64(len(values))
	for i, e := range Deviations(values) {
		sums[cluster[i]] += e / (n - sizes[cluster[i]])
	}
	return Mean(values)
}

// distinct returns the number of different clusters.
func distinct(clusters []int) int {
	return len(slices.Compact(slices.Sorted(slices.Values(clusters))))
}

// lambda returns the slope of H on D through the origin, clipped to [0, 1].
func (p ppiSums) lambda() float64 {
	labelled := smallSample(p.labelled, 1)
	other := smallSample(p.unlabelledClusters, 1)
	var hd, dd float64
	for c := range p.human {
		h := labelled * p.human[c]
		d := labelled*p.judge[c] - other*p.unlabelled[c]
		hd += h * d
		dd += d * d
	}
	if !(hd > 0) || dd == 0 || !IsFinite(hd/dd) {
		return 0
	}
	return math.Min(1, hd/dd)
}

// standardError returns the standard error of θ for λ. parameters is the number of estimated parameters, including the mean.
func (p ppiSums) standardError(lambda float64, parameters int) float64 {
	labelled := smallSample(p.labelled, parameters)
	other := smallSample(p.unlabelledClusters, 1)
	var sum float64
	for c := range p.human {
		v := labelled * (p.human[c] - lambda*p.judge[c])
		if lambda > 0 {
			v += other * lambda * p.unlabelled[c]
		}
		sum += v * v
	}
	return math.Sqrt(sum)
}

// smallSample returns √( (G-1)/G · (G-1)/(G-k) ) for G clusters and k estimated parameters. For k = 1 it is the jackknife's
// √((G-1)/G).
func smallSample(clusters, parameters int) float64 {
	g := float64(clusters)
	return math.Sqrt((g - 1) / g * (g - 1) / (g - float64(parameters)))
}
