package stats

import (
	"fmt"
	"math"
)

// ErrChance says that a judge is right no more often than by chance, so that its rates say nothing
// about the truth.
var ErrChance = fmt.Errorf("%w: the judge is right no more often than by chance", ErrUndefined)

// RoganGladen estimates the share of items that people would call positive from the share p that a
// judge calls positive, and its rates of being right where people labelled (q0 of negatives, q1 of
// positives; Rogan and Gladen 1978):
//
//	θ = (p + q0 - 1) / (q0 + q1 - 1)
//
// within [0, 1]. All values are 0 or 1; p is over all judged items. The labels need not be a random
// sample of the items, as PPIMean's must be, but q0 and q1 must be the same where nobody labelled.
//
// The interval is that of Lee et al. 2026 (arXiv:2511.21140, equation 6; Lang and Reiczigel 2014)
// with Student's t for the normal quantile, and with clusters: z² items are added to p, half of them
// positive, and one item of each kind to q0 and q1. With these,
//
//	SE² = Σ_c ( Σ_{i in c} r_i )² / (q0 + q1 - 1)²,  r = (F-p)/n + (1-θ)·(correct-q0)/m0 - θ·(correct-q1)/m1
//	θ + 2z²·( θ·q1(1-q1)/m1 - (1-θ)·q0(1-q0)/m0 ) ± t·SE
//
// where the second and third terms of r are of the labelled negatives and positives, and an item that
// was added is a cluster of its own. The degrees of freedom are the labelled clusters less one.
//
// Other values are ErrInvalidValue. Labels of one kind only are ErrTooShort, in one cluster
// ErrOneCluster, and q0 + q1 ≤ 1 is ErrChance. Further errors as of PPIMean.
func RoganGladen(s PPISample, level float64) (Estimate, error) {
	est := Estimate{Level: level, N: len(s.Human), Method: "Rogan–Gladen"}
	fail := func(err error) (Estimate, error) { return est, fmt.Errorf("corrected rate: %w", err) }
	if err := s.check(s.Clusters != nil); err != nil {
		return fail(err)
	}
	g, err := NewGrouping(append(append([]int(nil), s.Clusters...), s.UnlabelledClusters...), len(s.Human)+len(s.Unlabelled))
	if s.Clusters == nil {
		g, err = NewGrouping(nil, len(s.Human)+len(s.Unlabelled))
	}
	if err != nil {
		return fail(err)
	}
	var judged rate
	var right [2]rate // of people's negatives and positives
	for _, values := range [][]float64{s.Human, s.Judge, s.Unlabelled} {
		for _, v := range values {
			if v != 0 && v != 1 {
				return fail(fmt.Errorf("%w: %v is neither 0 nor 1", ErrInvalidValue, v))
			}
		}
	}
	for i, f := range s.Judge {
		judged.add(f == 1)
		right[int(s.Human[i])].add(f == s.Human[i])
	}
	for _, f := range s.Unlabelled {
		judged.add(f == 1)
	}
	est.Clusters = distinct(g.Of[:len(s.Human)])
	switch q0, q1 := right[0], right[1]; {
	case q0.n == 0 || q1.n == 0:
		return fail(fmt.Errorf("%w: people's labels are all alike", ErrTooShort))
	case q0.share()+q1.share() <= 1:
		return fail(ErrChance)
	case est.Clusters < 2:
		return fail(ErrOneCluster)
	default:
		est.Value = max(0, min(1, (judged.share()+q0.share()-1)/(q0.share()+q1.share()-1)))
	}
	z, err := studentTQuantile((1+level)/2, float64(est.Clusters-1))
	if err != nil {
		return fail(err)
	}
	judged.extend(z * z / 2)
	right[0].extend(1)
	right[1].extend(1)
	p, q0, q1 := judged.share(), right[0].share(), right[1].share()
	between := q0 + q1 - 1
	theta := (p + q0 - 1) / between
	weights := [2]float64{(1 - theta) / right[0].n, -theta / right[1].n}
	sums := make([]float64, g.Count())
	for i, c := range g.Of {
		if i >= len(s.Human) {
			sums[c] += (s.Unlabelled[i-len(s.Human)] - p) / judged.n
			continue
		}
		h := int(s.Human[i])
		sums[c] += (s.Judge[i]-p)/judged.n + weights[h]*(1-math.Abs(s.Judge[i]-s.Human[i])-right[h].share())
	}
	variance := Dot(sums, sums) + judged.extended(z*z/2)/(judged.n*judged.n)
	for h, w := range weights {
		variance += w * w * right[h].extended(1)
	}
	est.SE, est.DF = math.Sqrt(variance)/between, float64(est.Clusters-1)
	shift := 2 * z * z * (theta*q1*(1-q1)/right[1].n - (1-theta)*q0*(1-q0)/right[0].n)
	est.Low, est.High = max(0, theta+shift-z*est.SE), min(1, theta+shift+z*est.SE)
	return est, nil
}

// A rate counts hits among n items.
type rate struct{ hits, n float64 }

func (r *rate) add(hit bool) {
	r.n++
	if hit {
		r.hits++
	}
}

// extend adds k hits and k misses; extended is the sum of their squared residuals.
func (r *rate) extend(k float64) { r.hits, r.n = r.hits+k, r.n+2*k }

func (r *rate) extended(k float64) float64 {
	q := r.share()
	return k * (q*q + (1-q)*(1-q))
}

func (r *rate) share() float64 { return r.hits / r.n }
