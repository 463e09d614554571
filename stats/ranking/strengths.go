package ranking

import (
	"errors"
	"fmt"
	"math"

	"compqa/stats"
)

// Strengths are fitted item strengths with the covariance of their logarithms.
type Strengths struct {
	Log      []float64 // log strengths, of sum 0
	Tie      float64   // Davidson's v >= 0; 0 in a Bradley–Terry fit
	Matches  int
	Clusters int // G, the questions

	model  []float64 // covariance if every match were independent; K×K
	robust []float64 // sandwich, clustered by question; nil when G < 2
}

// Sandwich names the clustered covariance of fitted strengths.
const Sandwich stats.Method = "sandwich"

// newStrengths computes both covariances of the fit x. score returns the
// derivative of a match's log-likelihood by the difference of log strengths and
// by the tie parameter's logarithm.
//
//	model  = H⁺
//	robust = G/(G-1) · H⁺ (Σ_c s_c s_cᵀ) H⁺,   s_c = Σ_{m in c} score(m)
func newStrengths(l likelihood, x []float64, matches []Match, score func(Match) (float64, float64)) (*Strengths, error) {
	cov, err := l.covariance(x)
	if err != nil {
		return nil, fmt.Errorf("covariance of strengths: %w", err)
	}
	labels := make([]int, len(matches))
	for i, m := range matches {
		labels[i] = m.Cluster
	}
	g, err := stats.NewGrouping(labels, len(matches))
	if err != nil {
		return nil, fmt.Errorf("covariance of strengths: %w", err)
	}
	s := &Strengths{Log: x[:l.items:l.items], Matches: len(matches), Clusters: g.Count(), model: cov}
	if g.Count() >= 2 {
		s.robust = l.sandwich(cov, g, matches, score)
	}
	s.model = l.strengthsOnly(s.model)
	s.robust = l.strengthsOnly(s.robust)
	return s, nil
}

func (l likelihood) sandwich(cov []float64, g stats.Grouping, matches []Match, score func(Match) (float64, float64)) []float64 {
	sums := make([]float64, g.Count()*l.size)
	for i, m := range matches {
		s := sums[g.Of[i]*l.size : (g.Of[i]+1)*l.size]
		strength, tie := score(m)
		s[m.A] += strength
		s[m.B] -= strength
		if l.size > l.items {
			s[l.items] += tie
		}
	}
	robust := make([]float64, l.size*l.size)
	influence := make([]float64, l.size) // H⁺ s_c: how far question c moves the fit
	correction := float64(g.Count()) / float64(g.Count()-1)
	for c := range g.Count() {
		for i := range influence {
			influence[i] = stats.Dot(cov[i*l.size:(i+1)*l.size], sums[c*l.size:(c+1)*l.size])
		}
		for i, u := range influence {
			for j, v := range influence {
				robust[i*l.size+j] += float64(correction * u * v)
			}
		}
	}
	return robust
}

// strengthsOnly drops the rows and columns of other parameters.
func (l likelihood) strengthsOnly(cov []float64) []float64 {
	if cov == nil || l.size == l.items {
		return cov
	}
	small := make([]float64, 0, l.items*l.items)
	for i := range l.items {
		small = append(small, cov[i*l.size:i*l.size+l.items]...)
	}
	return small
}

// Strength returns the strengths themselves, of geometric mean 1.
func (s *Strengths) Strength() []float64 {
	p := make([]float64, len(s.Log))
	for i, v := range s.Log {
		p[i] = math.Exp(v)
	}
	return p
}

func (s *Strengths) differenceSE(cov []float64, i, j int) float64 {
	k := len(s.Log)
	return math.Sqrt(math.Max(0, cov[i*k+i]+cov[j*k+j]-2*cov[i*k+j]))
}

// Difference returns log p_i - log p_j with its interval from the covariance
// clustered by question and Student's distribution with G-1 degrees of freedom.
// Compare differences: the interval of a single strength depends on its reference. One
// question is ErrOneCluster, and a covariance of zero is ErrZeroWidth; both errors come
// with the difference.
func (s *Strengths) Difference(i, j int, level float64) (stats.Estimate, error) {
	if min(i, j) < 0 || max(i, j) >= len(s.Log) {
		return stats.Estimate{}, fmt.Errorf("difference of strengths: %w: items %d and %d of %d", stats.ErrInvalidValue, i, j, len(s.Log))
	}
	est := stats.Estimate{Value: s.Log[i] - s.Log[j], Level: level, N: s.Matches, Clusters: s.Clusters, Method: Sandwich}
	if s.robust == nil {
		return est, fmt.Errorf("difference of strengths: %w", stats.ErrOneCluster)
	}
	return s.bounded(est, s.differenceSE(s.robust, i, j))
}

// Interval returns log p_i, measured from the mean of all log strengths, with
// its interval. See Difference.
func (s *Strengths) Interval(i int, level float64) (stats.Estimate, error) {
	k := len(s.Log)
	if i < 0 || i >= k {
		return stats.Estimate{}, fmt.Errorf("interval of a strength: %w: item %d of %d", stats.ErrInvalidValue, i, k)
	}
	est := stats.Estimate{Value: s.Log[i], Level: level, N: s.Matches, Clusters: s.Clusters, Method: Sandwich}
	if s.robust == nil {
		return est, fmt.Errorf("interval of a strength: %w", stats.ErrOneCluster)
	}
	return s.bounded(est, math.Sqrt(math.Max(0, s.robust[i*k+i])))
}

func (s *Strengths) bounded(est stats.Estimate, se float64) (stats.Estimate, error) {
	est.DF = float64(s.Clusters - 1)
	if se < 1e-12 {
		return est, fmt.Errorf("interval of strengths over %d questions: %w", s.Clusters, stats.ErrZeroWidth)
	}
	est.SE = se
	return est, est.SetBounds()
}

// Ranks returns the simultaneous rank interval of every item; see
// RankIntervals. Pairs whose difference has no interval are not significant.
func (s *Strengths) Ranks(level float64) ([]RankInterval, error) {
	var tests []PairTest
	for i := range s.Log {
		for j := i + 1; j < len(s.Log); j++ {
			test := PairTest{A: i, B: j, Difference: s.Log[i] - s.Log[j], P: 1}
			est, err := s.Difference(i, j, level)
			if err == nil {
				test.P, err = est.PValue(0)
			}
			if err != nil && !errors.Is(err, stats.ErrUndefined) {
				return nil, err
			}
			tests = append(tests, test)
		}
	}
	return RankIntervals(len(s.Log), tests, level)
}
