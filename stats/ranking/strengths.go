package ranking

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"compqa/stats"
)

// Strengths are fitted item strengths with the covariance of their logarithms.
type Strengths struct {
	Log      []float64 // log strengths, of sum 0
	Tie      float64   // Davidson's v >= 0; 0 in a Bradley–Terry fit
	Matches  int
	Clusters int // G, the questions

	robust *mat.SymDense // sandwich, clustered by question; nil when G < 2
}

// maximum fits the parameters from start on, with the covariance
//
//	robust = G/(G-1) · H⁺ (Σ_c s_c s_cᵀ) H⁺,   s_c = Σ_{m in c} score(m)
//
// where the score of a match are the derivatives of its log-likelihood, and H⁺ is the inverse of
// the pinned information: the covariance but for one constant added among the strengths, which no
// difference and no product with a score can see.
func (t matchTable) maximum(start []float64, matches []Match) (*Strengths, error) {
	x, factor, err := likelihood(t.likelihood).maximise(start)
	if err != nil {
		return nil, err
	}
	labels := make([]int, len(matches))
	for i, m := range matches {
		labels[i] = m.Cluster
	}
	g, err := stats.NewGrouping(labels, len(matches))
	if err != nil {
		return nil, err
	}
	s := &Strengths{Log: x[:t.k:t.k], Matches: len(matches), Clusters: g.Count()}
	if len(x) > t.k {
		s.Tie = math.Exp(x[t.k])
	}
	if g.Count() < 2 {
		return s, nil
	}
	half, isTie := [...]float64{FirstWins: 0.5, SecondWins: -0.5, Tie: 0}, [...]float64{Tie: 1}
	scores := make([]float64, len(x)*g.Count()) // parameters × questions
	for i, m := range matches {
		p := t.at(x, m.A, m.B)
		strength := half[m.Outcome] - (p.first-p.second)/2
		scores[m.A*g.Count()+g.Of[i]] += strength
		scores[m.B*g.Count()+g.Of[i]] -= strength
		if len(x) > t.k {
			scores[t.k*g.Count()+g.Of[i]] += isTie[m.Outcome] - p.tie
		}
	}
	var influence mat.Dense // H⁺ s_c: how far question c moves the fit
	if err := factor.SolveTo(&influence, mat.NewDense(len(x), g.Count(), scores)); err != nil {
		return nil, fmt.Errorf("%w: %v", ErrNotConverged, err)
	}
	s.robust = mat.NewSymDense(len(x), nil)
	s.robust.SymOuterK(float64(g.Count())/float64(g.Count()-1), &influence)
	return s, nil
}

// Strength returns the strengths themselves, of geometric mean 1.
func (s *Strengths) Strength() []float64 {
	p := make([]float64, len(s.Log))
	for i, v := range s.Log {
		p[i] = math.Exp(v)
	}
	return p
}

// Difference returns log p_i - log p_j with its interval from the covariance
// clustered by question and Student's distribution with G-1 degrees of freedom.
// Compare differences: the interval of a single strength depends on its reference. One
// question is ErrOneCluster, and a covariance of zero is ErrZeroWidth; both errors come
// with the difference.
func (s *Strengths) Difference(i, j int, level float64) (stats.Estimate, error) {
	return s.estimate(level, weight{i, 1}, weight{j, -1})
}

// Interval returns log p_i, measured from the mean of all log strengths, with
// its interval. See Difference.
func (s *Strengths) Interval(i int, level float64) (stats.Estimate, error) {
	return s.estimate(level, weight{i, 1})
}

type weight struct {
	item int
	by   float64
}

// estimate is a weighted sum of log strengths.
func (s *Strengths) estimate(level float64, weights ...weight) (stats.Estimate, error) {
	est := stats.Estimate{Level: level, N: s.Matches, Clusters: s.Clusters, DF: float64(s.Clusters - 1)}
	for _, w := range weights {
		if w.item < 0 || w.item >= len(s.Log) {
			return stats.Estimate{}, fmt.Errorf("interval of strengths: %w: item %d of %d", stats.ErrInvalidValue, w.item, len(s.Log))
		}
		est.Value += w.by * s.Log[w.item]
	}
	if s.robust == nil {
		return est, fmt.Errorf("interval of strengths: %w", stats.ErrOneCluster)
	}
	variance := 0.0
	for _, w := range weights {
		for _, v := range weights {
			variance += w.by * v.by * s.robust.At(w.item, v.item)
		}
	}
	se := math.Sqrt(max(0, variance))
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
