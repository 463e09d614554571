package ranking

import (
	"fmt"
	"math"

	"compqa/stats"
)

// ErrTieParameter says that Davidson's model has no maximum although the items are
// connected. The wins are so one-sided compared with the ties that the likelihood grows
// with the tie parameter without limit.
var ErrTieParameter = fmt.Errorf("%w: no finite tie parameter: the wins form no cycle that outweighs the ties", stats.ErrUndefined)

// Davidson fits the Bradley–Terry model with ties as an outcome of their own,
//
//	P(i beats j) = p_i / D,  P(tie) = 2v·√(p_i p_j) / D,
//	D = p_i + p_j + 2v·√(p_i p_j)
//
// by maximum likelihood over log p and log v (a concave problem, by Newton's
// method). v >= 0 is Strengths.Tie: two equal items tie with probability
// v/(1+v). Strengths are scaled to a geometric mean of 1.
//
// Without any tie the maximum is at v = 0 and the strengths are Bradley–Terry's.
// Otherwise it exists exactly when wins and ties together connect the items
// (*NotConnectedError) and some cycle of results holds more wins than ties
// (ErrTieParameter): else strengths could be spread so that every winner is
// above the loser by at least a step and every tied pair within one. Further
// errors as for BradleyTerry. Exact to rounding.
//
// Davidson 1970, with ν = 2v.
func Davidson(items int, matches []Match) (*Strengths, error) {
	table, err := countMatches(items, matches)
	if err != nil {
		return nil, fmt.Errorf("Davidson strengths: %w", err)
	}
	var won, tied float64
	for i := range table.wins {
		won += table.wins[i]
		tied += table.ties[i] / 2
	}
	if tied == 0 {
		return BradleyTerry(items, matches)
	}
	if err := connected(items, table.tiesAsHalves().beat); err != nil {
		return nil, fmt.Errorf("Davidson strengths: %w", err)
	}
	if !table.winsOutweighTies() {
		return nil, fmt.Errorf("Davidson strengths: %w", ErrTieParameter)
	}
	start := make([]float64, items+1)
	start[items] = math.Log(tied / won) // the maximum if all items were equal
	l := table.likelihood()
	x, err := l.maximise(start)
	if err != nil {
		return nil, fmt.Errorf("Davidson strengths: %w", err)
	}
	s, err := newStrengths(l, x, matches, func(m Match) (float64, float64) {
		p := outcomes(x[m.A]-x[m.B], x[items])
		half := [...]float64{FirstWins: 0.5, SecondWins: -0.5, Tie: 0}
		isTie := [...]float64{Tie: 1}
		return half[m.Outcome] - (p.first-p.second)/2, isTie[m.Outcome] - p.tie
	})
	if err != nil {
		return nil, fmt.Errorf("Davidson strengths: %w", err)
	}
	s.Tie = math.Exp(x[items])
	return s, nil
}

// outcomeProbabilities are Davidson's of one match.
type outcomeProbabilities struct {
	first, second, tie float64
	logDenominator     float64 // of D/√(p_i p_j)
}

// outcomes takes the difference of log strengths and log v.
func outcomes(d, logV float64) outcomeProbabilities {
	a, b, t := math.Exp(d/2), math.Exp(-d/2), 2*math.Exp(logV)
	total := a + b + t
	return outcomeProbabilities{a / total, b / total, t / total, math.Log(total)}
}

// likelihood is Davidson's, over the log strengths and, last, log v. For one
// match with outcome y = ½, -½ or 0 (won, lost, tied), and z = 1 for a tie:
//
//	log L = y·d + z·log 2v - log(D/√(p_i p_j)),   d = log p_i - log p_j
//
// so that the gradient is (y, z) less its mean, and the information its
// covariance.
func (t matchTable) likelihood() likelihood {
	k, size := t.k, t.k+1
	at := func(x, grad, hess []float64) float64 {
		value := 0.0
		for i := range k {
			for j := i + 1; j < k; j++ {
				won, lost, tied := t.wins[i*k+j], t.wins[j*k+i], t.ties[i*k+j]
				n := won + lost + tied
				if n == 0 {
					continue
				}
				d := x[i] - x[j]
				p := outcomes(d, x[k])
				mean := (p.first - p.second) / 2
				value += float64((won-lost)/2*d) + float64(tied*(math.Ln2+x[k])) - float64(n*p.logDenominator)
				addPair(grad, hess, size, i, j, (won-lost)/2-float64(n*mean), n*((p.first+p.second)/4-float64(mean*mean)))
				grad[k] += tied - float64(n*p.tie)
				hess[k*size+k] += float64(n * p.tie * (1 - p.tie))
				cross := n * mean * p.tie // minus the covariance of y and z
				hess[i*size+k] -= cross
				hess[k*size+i] -= cross
				hess[j*size+k] += cross
				hess[k*size+j] += cross
			}
		}
		return value
	}
	return likelihood{size: size, items: k, at: at}
}

// winsOutweighTies reports whether some cycle, along wins downwards and ties both
// ways, has more wins than ties: a negative cycle for Bellman and Ford when a
// win weighs -1 and a tie +1.
func (t matchTable) winsOutweighTies() bool {
	distance := make([]float64, t.k)
	for range t.k {
		relaxed := false
		for i := range t.k {
			for j := range t.k {
				weight := 0.0
				switch {
				case t.wins[i*t.k+j] > 0:
					weight = -1
				case t.ties[i*t.k+j] > 0:
					weight = 1
				default:
					continue
				}
				if distance[i]+weight < distance[j] {
					distance[j] = distance[i] + weight
					relaxed = true
				}
			}
		}
		if !relaxed {
			return false
		}
	}
	return true
}
