package ranking

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/graph/simple"
	"gonum.org/v1/gonum/graph/topo"

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

// ErrTieParameter says that Davidson's model has no maximum although the items are
// connected. The wins are so one-sided compared with the ties that the likelihood grows
// with the tie parameter without limit.
var ErrTieParameter = fmt.Errorf("%w: no finite tie parameter: the wins form no cycle that outweighs the ties", stats.ErrUndefined)

// NotConnectedError says that no maximum-likelihood strengths exist. The items form
// several components. Between two components all wins go in one direction, or there are
// no matches, so that their distance has no finite maximum (Ford 1957). Components are in
// the order of their smallest item, items ascending. It is an ErrUndefined.
type NotConnectedError struct{ Components [][]int }

func (e *NotConnectedError) Error() string {
	parts := make([]string, len(e.Components))
	for i, c := range e.Components {
		parts[i] = fmt.Sprint(c)
	}
	return fmt.Sprintf("%v: wins do not connect the items: %d components %s", stats.ErrUndefined, len(parts), strings.Join(parts, " "))
}

func (e *NotConnectedError) Unwrap() error { return stats.ErrUndefined }

// BradleyTerry fits the strengths p_i of items from matches,
//
//	P(i beats j) = p_i / (p_i + p_j)
//
// by maximum likelihood; a tie counts as half a win each way. It is Davidson's model with
// v = 0. The maximum exists exactly when the wins connect every item with every other in
// both directions (Ford 1957; *NotConnectedError names the components otherwise). Items
// without matches are components too. Fewer than two items are ErrTooShort; items out of
// range, an item against itself and unknown outcomes are ErrInvalidValue.
//
// Zermelo 1929; Bradley and Terry 1952.
func BradleyTerry(items int, matches []Match) (*Strengths, error) { return fit(items, matches, false) }

// Davidson fits the Bradley–Terry model with ties as an outcome of their own,
//
//	P(i beats j) = p_i / D,  P(tie) = 2v·√(p_i p_j) / D,
//	D = p_i + p_j + 2v·√(p_i p_j)
//
// by maximum likelihood over log p and log v (a concave problem, by Newton's
// method). v >= 0 is Strengths.Tie: two equal items tie with probability
// v/(1+v). Strengths are scaled to a geometric mean of 1 (log strengths to a sum of 0). An
// item as anchor is rejected, because it would seem to have no uncertainty.
//
// Without any tie the maximum is at v = 0 and the strengths are Bradley–Terry's.
// Otherwise it exists exactly when wins and ties together connect the items
// (*NotConnectedError) and some cycle of results holds more wins than ties
// (ErrTieParameter): else strengths could be spread so that every winner is
// above the loser by at least a step and every tied pair within one. Further
// errors as for BradleyTerry. Exact to rounding; O(matches + K³) a step, some ten steps.
//
// Davidson 1970, with ν = 2v.
func Davidson(items int, matches []Match) (*Strengths, error) { return fit(items, matches, true) }

func fit(items int, matches []Match, ties bool) (*Strengths, error) {
	table, err := countMatches(items, matches)
	if err == nil {
		err = table.connected()
	}
	var start []float64
	switch won, tied := table.totals(); {
	case err != nil:
	case !ties || tied == 0:
		table.tiesAsHalves()
		start = make([]float64, items)
	case !table.winsOutweighTies():
		err = ErrTieParameter
	default:
		start = append(make([]float64, items), math.Log(tied/won)) // the maximum if all items were equal
	}
	var s *Strengths
	if err == nil {
		s, err = table.maximum(start, matches)
	}
	if err != nil {
		return nil, fmt.Errorf("strengths: %w", err)
	}
	return s, nil
}

// matchTable counts wins and ties of k items: wins[i*k+j] of i over j, and ties
// symmetrically.
type matchTable struct {
	k          int
	wins, ties []float64
}

// countMatches checks the matches and counts them.
func countMatches(items int, matches []Match) (matchTable, error) {
	if items < 2 {
		return matchTable{}, fmt.Errorf("%w: %d items", stats.ErrTooShort, items)
	}
	t := matchTable{items, make([]float64, items*items), make([]float64, items*items)}
	for i, m := range matches {
		inRange := min(m.A, m.B) >= 0 && max(m.A, m.B) < items
		if !inRange || m.A == m.B || m.Outcome < FirstWins || m.Outcome > Tie {
			return t, fmt.Errorf("%w: match %d: %+v of %d items", stats.ErrInvalidValue, i, m, items)
		}
		switch first, second := m.A*items+m.B, m.B*items+m.A; m.Outcome {
		case FirstWins:
			t.wins[first]++
		case SecondWins:
			t.wins[second]++
		case Tie:
			t.ties[first]++
			t.ties[second]++
		}
	}
	return t, nil
}

func (t matchTable) totals() (won, tied float64) {
	for i := range t.wins {
		won, tied = won+t.wins[i], tied+t.ties[i]/2
	}
	return won, tied
}

// tiesAsHalves turns every tie into half a win each way.
func (t matchTable) tiesAsHalves() {
	for i := range t.wins {
		t.wins[i], t.ties[i] = t.wins[i]+t.ties[i]/2, 0
	}
}

// connected returns *NotConnectedError unless wins and ties connect the items in both directions.
func (t matchTable) connected() error {
	g := simple.NewDirectedGraph()
	for i := range t.k {
		g.AddNode(simple.Node(i))
	}
	for i := range t.wins {
		if t.wins[i]+t.ties[i] > 0 {
			g.SetEdge(simple.Edge{F: simple.Node(i / t.k), T: simple.Node(i % t.k)})
		}
	}
	var all [][]int
	for _, nodes := range topo.TarjanSCC(g) {
		var c []int
		for _, n := range nodes {
			c = append(c, int(n.ID()))
		}
		slices.Sort(c)
		all = append(all, c)
	}
	if len(all) == 1 {
		return nil
	}
	slices.SortFunc(all, func(a, b []int) int { return cmp.Compare(a[0], b[0]) })
	return &NotConnectedError{all}
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
