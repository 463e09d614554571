package ranking

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"compqa/stats"
)

// Strengths holds the fitted strengths of items, with the covariance of their logarithms.
type Strengths struct {
	Log       []float64 // log strengths, with sum 0
	Tie       float64   // Davidson's v >= 0; 0 in a Bradley–Terry fit
	HasPlaces bool      // places were modelled; see FirstPlaceEffect
	Matches   int
	Clusters  int // G, the number of questions

	placeLog   float64       // log γ
	placeAt    int           // index of log γ among the parameters
	covariance *mat.SymDense // of all parameters, clustered by question; nil if G < 2
}

// strengths returns the Strengths of a fit, with their covariance. The score of a match is the vector of derivatives of its log-likelihood
// by the parameters x.
func (t matchTable) strengths(x []float64, information *mat.Cholesky, matches []Match) (*Strengths, error) {
	labels := make([]int, len(matches))
	for i, m := range matches {
		labels[i] = m.Cluster
	}
	g, err := stats.NewGrouping(labels, len(matches))
	if err != nil {
		return nil, err
	}
	s := &Strengths{Log: x[:t.k:t.k], Matches: len(matches), Clusters: g.Count()}
	if t.tied {
		s.Tie = math.Exp(x[t.tieAt])
	}
	if t.hasPlaces {
		s.HasPlaces = true
		s.placeLog = x[t.placeAt]
		s.placeAt = t.placeAt
	}
	if g.Count() < 2 {
		return s, nil
	}
	scores := make([]float64, len(x)*g.Count()) // parameters × questions
	won := [...]float64{FirstWins: 0.5, SecondWins: -0.5, Tie: 0}
	tie := [...]float64{Tie: 1}
	for i, m := range matches {
		p := t.outcomes(x, m.A, m.B, float64(m.Place))
		d := won[m.Outcome] - (p.first-p.second)/2
		scores[m.A*g.Count()+g.ClusterOf[i]] += d
		scores[m.B*g.Count()+g.ClusterOf[i]] -= d
		if t.hasPlaces {
			scores[t.placeAt*g.Count()+g.ClusterOf[i]] += float64(float64(m.Place) * d)
		}
		if t.tied {
			scores[t.tieAt*g.Count()+g.ClusterOf[i]] += tie[m.Outcome] - p.tie
		}
	}
	s.covariance, err = sandwich(information, mat.NewDense(len(x), g.Count(), scores))
	return s, err
}

// Strength returns the strengths themselves, with geometric mean 1.
func (s *Strengths) Strength() []float64 {
	p := make([]float64, len(s.Log))
	for i, v := range s.Log {
		p[i] = math.Exp(v)
	}
	return p
}

// Difference returns log p_i - log p_j with its interval, from the covariance clustered by question and Student's distribution with G-1
// degrees of freedom. Use differences to compare items, because the interval of a single strength depends on its reference. One question is
// ErrOneCluster, and a covariance of zero ErrZeroWidth; with both errors, the difference is set.
func (s *Strengths) Difference(i, j int, level float64) (stats.Estimate, error) {
	return s.sum(level, weight{i, 1}, weight{j, -1})
}

// Interval returns log p_i, relative to the mean of all log strengths, with its interval. Errors are as for Difference.
func (s *Strengths) Interval(i int, level float64) (stats.Estimate, error) {
	return s.sum(level, weight{i, 1})
}

// FirstPlaceEffect returns log γ with its interval: the log odds with which the item shown first is preferred over an equally strong one.
// If places were not modelled, it is ErrUndefined. Other errors are as for Difference.
func (s *Strengths) FirstPlaceEffect(level float64) (stats.Estimate, error) {
	if !s.HasPlaces {
		return stats.Estimate{Level: level, N: s.Matches, Clusters: s.Clusters},
			fmt.Errorf("place of items: %w: matches have none", stats.ErrUndefined)
	}
	return s.interval(s.placeLog, level, weight{s.placeAt, 1})
}

// A weight is the factor of one parameter in a weighted sum.
type weight struct {
	item int // or index of another parameter
	by   float64
}

// sum returns a weighted sum of log strengths with its interval.
func (s *Strengths) sum(level float64, weights ...weight) (stats.Estimate, error) {
	value := 0.0
	for _, w := range weights {
		if w.item < 0 || w.item >= len(s.Log) {
			return stats.Estimate{}, fmt.Errorf("interval of strengths: %w: item %d of %d", stats.ErrInvalidValue, w.item, len(s.Log))
		}
		value += w.by * s.Log[w.item]
	}
	return s.interval(value, level, weights...)
}

// interval returns the interval of a value that is a weighted sum of parameters.
func (s *Strengths) interval(value, level float64, weights ...weight) (stats.Estimate, error) {
	est := stats.Estimate{Value: value, Level: level, N: s.Matches, Clusters: s.Clusters}
	if s.covariance == nil {
		return est, fmt.Errorf("interval of strengths: %w", stats.ErrOneCluster)
	}
	variance := 0.0
	for _, w := range weights {
		for _, v := range weights {
			variance += w.by * v.by * s.covariance.At(w.item, v.item)
		}
	}
	est.DF = float64(s.Clusters - 1)
	se := math.Sqrt(max(0, variance))
	if se < 1e-12 {
		return est, fmt.Errorf("interval of strengths over %d questions: %w", s.Clusters, stats.ErrZeroWidth)
	}
	est.SE = se
	return est, est.SetBounds()
}

// Ranks returns the simultaneous rank interval of each item; see RankIntervals. Pairs whose difference has no interval count as not
// significant.
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
