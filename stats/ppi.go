package stats

import (
	"fmt"
	"math"
	"slices"
)

// PPISample is what prediction-powered inference is made of: a random sample of
// items that people scored, with the judge's score of the same items, and the
// judge's scores of other items of the same population. The two sets must be
// disjoint, and the labelled one random: people's labels on the hard items
// alone say nothing about the rest.
//
// Clusters and UnlabelledClusters label the question of each item, in one
// numbering, as an item of either set may share its question with one of the
// other. Both nil means that every item is a question of its own.
type PPISample struct {
	Human, Judge       []float64 // n labelled items
	Unlabelled         []float64 // the judge on N further items
	Clusters           []int
	UnlabelledClusters []int

	// PublishedLambda takes λ as the paper does, by items and not by clusters.
	PublishedLambda bool
}

// PPI is a mean in people's units, and what the judge contributed to it.
type PPI struct {
	Estimate // N and Clusters are those of the labelled items

	Lambda     float64  // weight of the judge in [0, 1]; 0 leaves it out
	Labelled   int      // n
	Unlabelled int      // N
	Classical  Estimate // from people's labels alone
	EffectiveN float64  // n·(SE_classical/SE)²: labels that would have served as well
}

// PPIMean estimates the mean that people would give to the whole population,
// from few labels and many verdicts (PPI++, Angelopoulos, Duchi and Zrnic 2023,
// arXiv:2311.01453, section 6 for λ):
//
//	θ = λ·mean(F̃) + mean(Y - λF)
//
// with Y people's and F the judge's scores of the n labelled items, F̃ the
// judge's of N others. A judge's bias cancels; a judge's noise only costs
// width. The published form undercovers below 50 labels (93 % at 30, 88 % at
// 10) and knows no clusters. Here, with H_c and D_c the sums over cluster c of
//
//	H: (Y - Ȳ)/n of its labelled items
//	D: (F - F̄)/n of its labelled items less (F̃ - F̃̄)/N of its others
//
// λ is the slope that makes the variance of θ smallest, and the standard error
// what that slope leaves over:
//
//	λ  = clip( Σ_c H_c D_c / Σ_c D_c², 0, 1 )
//	SE = √( Σ_c (H_c - λ D_c)² )
//
// where labelled sums carry the factor √(G/(G-1)) of their G clusters and the
// others that of theirs, as in CR1. The interval is Student's with G-1 degrees
// of freedom. An estimated λ above 0 is paid for as in any regression: the
// labelled factor becomes √(G/(G-2)) and the degrees of freedom G-2.
//
// λ is 0, and the result the classical one, for a judge that is constant or
// agrees the wrong way round, and for fewer than three labelled or two other
// clusters. Like CR1 it covers too little for few clusters of very unequal size.
// Errors are those of MeanInterval on the labels, and ErrLength.
func PPIMean(s PPISample, level float64) (PPI, error) {
	result := PPI{Labelled: len(s.Human), Unlabelled: len(s.Unlabelled)}
	if err := s.check(); err != nil {
		return result, fmt.Errorf("prediction-powered mean: %w", err)
	}
	se, err := StandardErrors(s.Human, s.Clusters)
	if err == nil {
		result.Classical, err = se.Interval(CR1, level)
	}
	if err != nil {
		return result, fmt.Errorf("prediction-powered mean, people's labels: %w", err)
	}
	result.Estimate, result.EffectiveN = result.Classical, float64(result.Labelled)

	p := s.parts()
	if p.labelledClusters < 3 || p.otherClusters < 2 || s.constantJudge() {
		return result, nil
	}
	if result.Lambda = p.lambda(); s.PublishedLambda {
		result.Lambda = s.publishedLambda()
	}
	if result.Lambda == 0 {
		return result, nil
	}
	result.Value = result.Lambda*Mean(s.Unlabelled) + se.Mean - result.Lambda*Mean(s.Judge)
	result.SE = p.standardError(result.Lambda)
	result.DF = float64(p.labelledClusters - 2)
	if result.SE <= 1e-13*se.scale {
		return result, fmt.Errorf("prediction-powered mean: %w", ErrZeroWidth)
	}
	if err := result.SetBounds(); err != nil {
		return result, fmt.Errorf("prediction-powered mean: %w", err)
	}
	ratio := result.Classical.SE / result.SE
	result.EffectiveN *= ratio * ratio
	return result, nil
}

func (s PPISample) check() error {
	if err := CheckLengths(len(s.Human), len(s.Judge)); err != nil {
		return fmt.Errorf("labels and verdicts: %w", err)
	}
	if (s.Clusters == nil) != (s.UnlabelledClusters == nil) && len(s.Unlabelled) > 0 {
		return fmt.Errorf("%w: clusters for one of the two sets only", ErrLength)
	}
	if s.UnlabelledClusters != nil && len(s.UnlabelledClusters) != len(s.Unlabelled) {
		return fmt.Errorf("clusters of the unlabelled items: %w", CheckLengths(len(s.UnlabelledClusters), len(s.Unlabelled)))
	}
	for _, scores := range [][]float64{s.Human, s.Judge, s.Unlabelled} {
		if err := CheckFinite(scores); err != nil {
			return err
		}
	}
	return nil
}

// publishedLambda is the weight of the paper (section 6) for independent items, in [0, 1]:
//
//	λ = cov(Y, F) / ((1 + n/N) var(F, F̃)),  cov with divisor n, var of all n + N with n + N − 1
func (s PPISample) publishedLambda() float64 {
	if s.constantJudge() {
		return 0
	}
	n, others := float64(len(s.Human)), float64(len(s.Unlabelled))
	all := Deviations(slices.Concat(s.Judge, s.Unlabelled))
	covariance := Dot(Deviations(s.Human), Deviations(s.Judge)) / n
	return math.Max(0, math.Min(1, covariance/((1+n/others)*Dot(all, all)/(n+others-1))))
}

// constantJudge says that the judge gave one value to everything. λ would be
// 0/0, or made of rounding noise.
func (s PPISample) constantJudge() bool {
	all := slices.Concat(s.Judge, s.Unlabelled)
	return slices.Min(all) == slices.Max(all)
}

// ppiParts are the sums of residuals of each cluster: human and judge over its
// labelled items divided by n, other over the rest divided by N.
type ppiParts struct {
	human, judge, other             []float64
	labelledClusters, otherClusters int
}

func (s PPISample) parts() ppiParts {
	n := len(s.Human)
	var labels []int
	if s.Clusters != nil {
		labels = slices.Concat(s.Clusters, s.UnlabelledClusters)
	}
	g, _ := NewGrouping(labels, n+len(s.Unlabelled)) // lengths were checked
	p := ppiParts{
		human: make([]float64, g.Count()),
		judge: make([]float64, g.Count()),
		other: make([]float64, g.Count()),
	}
	p.labelledClusters = addResiduals(p.human, g.Of[:n], s.Human)
	addResiduals(p.judge, g.Of[:n], s.Judge)
	p.otherClusters = addResiduals(p.other, g.Of[n:], s.Unlabelled)
	return p
}

// addResiduals adds each value's deviation from the mean, divided by the number
// of values, to its cluster, and returns how many clusters have a value.
func addResiduals(sums []float64, cluster []int, values []float64) int {
	if len(values) == 0 {
		return 0
	}
	seen := make([]bool, len(sums))
	count := 0
	for i, e := range Deviations(values) {
		c := cluster[i]
		sums[c] += e / float64(len(values))
		if !seen[c] {
			seen[c] = true
			count++
		}
	}
	return count
}

// lambda returns the slope of H on D through the origin, clipped to [0, 1].
func (p ppiParts) lambda() float64 {
	labelled := smallSample(p.labelledClusters, 1)
	other := smallSample(p.otherClusters, 1)
	var hd, dd float64
	for c := range p.human {
		h := labelled * p.human[c]
		d := float64(labelled*p.judge[c]) - float64(other*p.other[c])
		hd += float64(h * d)
		dd += float64(d * d)
	}
	if !(hd > 0) || dd == 0 || !IsFinite(hd/dd) {
		return 0
	}
	return math.Min(1, hd/dd)
}

// standardError returns that of θ for an estimated λ.
func (p ppiParts) standardError(lambda float64) float64 {
	labelled := smallSample(p.labelledClusters, 2)
	other := smallSample(p.otherClusters, 1)
	var sum float64
	for c := range p.human {
		v := float64(labelled*(p.human[c]-float64(lambda*p.judge[c]))) + float64(other*lambda*p.other[c])
		sum += float64(v * v)
	}
	return math.Sqrt(sum)
}

// smallSample is √(G/(G-k)) for k estimated parameters.
func smallSample(clusters, parameters int) float64 {
	return math.Sqrt(float64(clusters) / float64(clusters-parameters))
}
