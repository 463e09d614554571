package ranking

import (
	"fmt"
	"math"

	"compqa/stats"
)

// Outcome is the result of a comparison of two items.
type Outcome int8

const (
	FirstWins Outcome = iota
	SecondWins
	Tie
)

// Match is one comparison: A and B are items, numbered from 0; Cluster labels
// the question it was made on, which several matches may share (both orders,
// several judges, other pairs of systems).
type Match struct {
	A, B    int
	Outcome Outcome
	Cluster int
}

// BradleyTerry fits the strengths p_i of items from matches,
//
//	P(i beats j) = p_i / (p_i + p_j)
//
// by maximum likelihood; a tie counts as half a win each way. With W_ij the
// wins of i over j it solves, by Newton's method on log p,
//
//	Σ_j W_ij = Σ_j (W_ij + W_ji)·P(i beats j)     for every i
//
// Strengths are scaled to a geometric mean of 1 (log strengths to a sum of 0). An item as
// anchor is rejected, because it would seem to have no uncertainty.
//
// The maximum exists exactly when the wins connect every item with every other
// in both directions (Ford 1957); this is checked first and *NotConnectedError
// names the components otherwise. Items without matches are components too.
// Fewer than two items are ErrTooShort; items out of range, an item against
// itself and unknown outcomes are ErrInvalidValue. Exact to rounding;
// O(matches + K³) a step, some ten steps.
//
// Zermelo 1929; Bradley and Terry 1952.
func BradleyTerry(items int, matches []Match) (*Strengths, error) {
	table, err := countMatches(items, matches)
	if err != nil {
		return nil, fmt.Errorf("Bradley–Terry strengths: %w", err)
	}
	halves := table.tiesAsHalves()
	var x []float64
	if err = connected(items, halves.beat); err == nil {
		x, err = halves.likelihood().maximise(make([]float64, items))
	}
	if err != nil {
		return nil, fmt.Errorf("Bradley–Terry strengths: %w", err)
	}
	return newStrengths(halves.likelihood(), x, matches, func(m Match) (float64, float64) {
		won := [...]float64{FirstWins: 1, SecondWins: 0, Tie: 0.5}
		return won[m.Outcome] - winProbability(x[m.A]-x[m.B]), 0
	})
}

// matchTable counts wins and ties of k items: wins[i*k+j] of i over j, and ties
// symmetrically.
type matchTable struct {
	k          int
	wins, ties []float64
}

func (t matchTable) add(m Match, times float64) {
	switch m.Outcome {
	case FirstWins:
		t.wins[m.A*t.k+m.B] += times
	case SecondWins:
		t.wins[m.B*t.k+m.A] += times
	case Tie:
		t.ties[m.A*t.k+m.B] += times
		t.ties[m.B*t.k+m.A] += times
	}
}

// countMatches checks the matches and counts them.
func countMatches(items int, matches []Match) (matchTable, error) {
	if items < 2 {
		return matchTable{}, fmt.Errorf("%w: %d items", stats.ErrTooShort, items)
	}
	table := matchTable{items, make([]float64, items*items), make([]float64, items*items)}
	for i, m := range matches {
		inRange := m.A >= 0 && m.A < items && m.B >= 0 && m.B < items
		if !inRange || m.A == m.B || m.Outcome < FirstWins || m.Outcome > Tie {
			return table, fmt.Errorf("%w: match %d: %+v of %d items", stats.ErrInvalidValue, i, m, items)
		}
		table.add(m, 1)
	}
	return table, nil
}

// winTable is a matchTable with every tie turned into half a win each way.
type winTable struct {
	k    int
	wins []float64
}

func (t matchTable) tiesAsHalves() winTable {
	w := winTable{t.k, make([]float64, len(t.wins))}
	for i := range w.wins {
		w.wins[i] = t.wins[i] + t.ties[i]/2
	}
	return w
}

func (w winTable) beat(i, j int) bool { return w.wins[i*w.k+j] > 0 }

// likelihood is Σ W_ij log P(i beats j).
func (w winTable) likelihood() likelihood {
	k := w.k
	at := func(x, grad, hess []float64) float64 {
		value := 0.0
		for i := range k {
			for j := i + 1; j < k; j++ {
				won, lost := w.wins[i*k+j], w.wins[j*k+i]
				n := won + lost
				if n == 0 {
					continue
				}
				d := x[i] - x[j]
				p := winProbability(d)
				value -= float64(won*math.Log1p(math.Exp(-d))) + float64(lost*math.Log1p(math.Exp(d)))
				addPair(grad, hess, k, i, j, won-float64(n*p), n*p*winProbability(-d))
			}
		}
		return value
	}
	return likelihood{size: k, items: k, at: at}
}

// addPair adds the gradient g and the information h of the difference of two
// strengths.
func addPair(grad, hess []float64, size, i, j int, g, h float64) {
	grad[i] += g
	grad[j] -= g
	hess[i*size+i] += h
	hess[j*size+j] += h
	hess[i*size+j] -= h
	hess[j*size+i] -= h
}

// winProbability is the logistic function of a difference of log strengths.
func winProbability(d float64) float64 { return 1 / (1 + math.Exp(-d)) }
