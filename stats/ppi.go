package stats

import (
	"fmt"
	"math"
	"slices"
)

// PPISample is what prediction-powered inference is made of: a random sample of items that people scored, with the
// judge's score of the same items, and the judge's scores of other items of the same population. The two sets must be
// disjoint, and the labelled one random: people's labels on the hard items alone say nothing about the rest.
//
// Clusters and UnlabelledClusters label the question of each item, in one numbering, as an item of either set may share
// its question with one of the other. Both nil means that every item is a question of its own.
type PPISample struct {
	Human, Judge       []float64 // n labelled items
	Unlabelled         []float64 // the judge on N further items
	Clusters           []int
	UnlabelledClusters []int
}

// PPI is a mean in people's units, and what the judge contributed to it.
type PPI struct {
	Estimate // N and Clusters count the labelled items

	Lambda     float64  // weight of the judge in [0, 1]; 0 leaves it out
	Labelled   int      // n
	Unlabelled int      // N
	Classical  Estimate // from people's labels alone
	EffectiveN float64  // n·(SE_classical/SE)²: labels that would have served as well
}

// PPIMean estimates the mean that people would give to the whole population, from few labels and many verdicts (PPI++,
// Angelopoulos, Duchi and Zrnic 2023, arXiv:2311.01453, section 6 for λ):
//
//	θ = λ·mean(F̃) + mean(Y - λF)
//
// with Y people's and F the judge's scores of the n labelled items, F̃ the judge's of N others. A judge's bias cancels;
// a judge's noise only costs width. The published form undercovers below 50 labels (93 % at 30, 88 % at 10) and knows
// no clusters. Here, with H_c and D_c what leaving out cluster c (the jackknife) takes from
//
//	H: mean(Y)
//	D: mean(F) - mean(F̃)
//
// so that a cluster that is labelled in part counts in both means at once, λ is the slope that makes the variance of θ
// smallest, and the standard error what that slope leaves over:
//
//	λ  = clip( Σ_c H_c D_c / Σ_c D_c², 0, 1 )
//	SE = √( Σ_c (H_c - λ D_c)² )
//
// where what is labelled carries the factor √((G-1)/G) of its G clusters and the rest that of theirs. The interval is
// Student's with G-1 degrees of freedom. An estimated λ above 0 is paid for as in any regression: the labelled factor
// gains √((G-1)/(G-2)), and the degrees of freedom are G-2.
//
// λ is 0, and the result the classical one, for a judge that is constant or agrees the wrong way round, and for fewer
// than three labelled or two other clusters. Coverage of 95 % is 0.93 to 0.95, also with clusters that are labelled in
// part and of unequal size; 0.92 for 24 labels of yes and no. Errors are as for MeanInterval on the labels, and
// ErrLength.
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
	if p.labelled >= 3 && p.others >= 2 {
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

// ppiSums say how much each cluster moves the means: human and judge those of labelled items, other that of the rest.
type ppiSums struct {
	human, judge, other []float64
	labelled, others    int     // clusters with labelled items, and with others
	people, gap         float64 // Ȳ, and F̄ - F̃̄ if there are others
}

// sums returns those of a sample that check accepts.
func (s PPISample) sums() ppiSums {
	n := len(s.Human)
	g, _ := NewGrouping(slices.Concat(s.Clusters, s.UnlabelledClusters), n+len(s.Unlabelled))
	p := ppiSums{human: make([]float64, g.Count()), judge: make([]float64, g.Count()), other: make([]float64, g.Count())}
	labelled := g.Of[:n]
	rest := g.Of[n:]
	p.people, p.labelled = addMoves(p.human, labelled, s.Human), distinct(labelled)
	if len(rest) > 0 && !constant(s.Judge, s.Unlabelled) {
		p.gap = addMoves(p.judge, labelled, s.Judge) - addMoves(p.other, rest, s.Unlabelled)
		p.others = distinct(rest)
	}
	return p
}

// constant reports whether the judge gave one value to everything. λ would be 0/0, or made of rounding noise.
func constant(judge, unlabelled []float64) bool {
	all := slices.Concat(judge, unlabelled)
	return slices.Min(all) == slices.Max(all)
}

// addMoves adds to each cluster how far it moves the mean of the values, and returns the mean.
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
	other := smallSample(p.others, 1)
	var hd, dd float64
	for c := range p.human {
		h := labelled * p.human[c]
		d := labelled*p.judge[c] - other*p.other[c]
		hd += h * d
		dd += d * d
	}
	if !(hd > 0) || dd == 0 || !IsFinite(hd/dd) {
		return 0
	}
	return math.Min(1, hd/dd)
}

// standardError returns that of θ for λ, of which parameters-1 was estimated.
func (p ppiSums) standardError(lambda float64, parameters int) float64 {
	labelled := smallSample(p.labelled, parameters)
	other := smallSample(p.others, 1)
	var sum float64
	for c := range p.human {
		v := labelled * (p.human[c] - lambda*p.judge[c])
		if lambda > 0 {
			v += other * lambda * p.other[c]
		}
		sum += v * v
	}
	return math.Sqrt(sum)
}

// smallSample returns √( (G-1)/G · (G-1)/(G-k) ) for k estimated parameters, the jackknife's √((G-1)/G) for one.
func smallSample(clusters, parameters int) float64 {
	g := float64(clusters)
	return math.Sqrt((g - 1) / g * (g - 1) / (g - float64(parameters)))
}
