package ranking

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/graph"
	"gonum.org/v1/gonum/graph/path"
	"gonum.org/v1/gonum/graph/simple"
	"gonum.org/v1/gonum/graph/topo"
	"gonum.org/v1/gonum/mat"

	"compqa/stats"
)

// Outcome is the result of a comparison of two items.
type Outcome int8

const (
	FirstWins  Outcome = iota // the first item wins
	SecondWins                // the second item wins
	Tie                       // neither wins
)

// Match is one comparison: A and B are items, numbered from 0; Cluster labels the question it was made on, which
// several matches may share (both orders, several judges, other pairs of systems). Place is 1 if A was shown first and -1 if B was;
// 0 if the order is not known or both were judged together.
type Match struct {
	A, B    int
	Outcome Outcome
	Cluster int
	Place   int
}

// ErrTieParameter says that Davidson's model has no maximum although the items are connected. The wins are so one-sided
// compared with the ties that the likelihood grows with the tie parameter without limit.
var ErrTieParameter error = stats.Reason("no finite tie parameter: the wins form no cycle that outweighs the ties")

// NotConnectedError says that no maximum-likelihood strengths exist. The items form several components. Between two
// components all wins go in one direction, or there are no matches, so that their distance has no finite maximum (Ford
// 1957). Components are in the order of their smallest item, items ascending. It is an ErrUndefined.
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
// v = 0. With W_ij the wins of i over j it solves
//
//	Σ_j W_ij = Σ_j (W_ij + W_ji)·P(i beats j)     for every i
//
// The maximum exists exactly when the wins connect every item with every other in both directions (Ford 1957); this is
// checked first and *NotConnectedError names the components otherwise. Items without matches are components too. Fewer
// than two items are ErrTooShort; items out of range, an item against itself, unknown outcomes and places are ErrInvalidValue.
// Places are as for Davidson.
//
// Zermelo 1929; Bradley and Terry 1952.
func BradleyTerry(items int, matches []Match) (*Strengths, error) {
	return fit("Bradley–Terry", items, matches, true)
}

// Davidson fits the Bradley–Terry model with ties as an outcome of their own,
//
//	P(i beats j) = p_i / D,  P(tie) = 2v·√(p_i p_j) / D,
//	D = p_i + p_j + 2v·√(p_i p_j)
//
// by maximum likelihood over log p and log v (a concave problem, by Newton's method). v >= 0 is Strengths.Tie: two
// equal items tie with probability v/(1+v). Strengths are scaled to a geometric mean of 1 (log strengths to a sum of
// 0). An item as anchor is rejected, because it would seem to have no uncertainty.
//
// Without any tie the maximum is at v = 0 and the strengths are Bradley–Terry's. Otherwise it exists exactly when wins
// and ties together connect the items (*NotConnectedError) and some cycle of results holds more wins than ties
// (ErrTieParameter): else strengths could be spread so that every winner is above the loser by at least a step and
// every tied pair within one. Further errors as for BradleyTerry. Exact to rounding; O(matches + K³) a step, some ten
// steps.
//
// If matches have a place, the strength of the item shown first is multiplied by γ (Davidson and Beaver 1977, the
// multiplicative order effect), the maximum is over log γ too, and Strengths.First is γ with its interval. Without it, a
// judge that prefers the first place looks undecided, and its strengths are pulled apart or together. If places explain all
// results of a pair the maximum may not exist: ErrNotConverged.
//
// Davidson 1970, with ν = 2v.
func Davidson(items int, matches []Match) (*Strengths, error) {
	return fit("Davidson", items, matches, false)
}

func fit(model string, items int, matches []Match, splitTies bool) (s *Strengths, err error) {
	defer stats.Wrap(model+" strengths", &err)
	t, err := countMatches(items, matches)
	if err != nil {
		return nil, err
	}
	if splitTies {
		t = t.splitTies()
	}
	x, information, err := t.maximum()
	if err != nil {
		return nil, err
	}
	return t.strengths(x, information, matches)
}

// results counts the results of two items, i before j, of which i was shown first (place 1), second (-1), or neither (0).
type results struct {
	i, j            int
	place           float64
	won, lost, tied float64 // of i
}

func (r *results) add(outcome Outcome, weight float64) {
	switch outcome {
	case FirstWins:
		r.won += weight
	case SecondWins:
		r.lost += weight
	case Tie:
		r.tied += weight
	}
}

// matchTable counts the results of k items, by items and place. Its model has a tie parameter if it has ties, and a place
// parameter if it has places.
type matchTable struct {
	k              int
	cells          []results
	cellOf         []int32 // of each match
	tied, placed   bool
	tieAt, placeAt int // among the parameters, which begin with the log strengths
}

// ordered returns a valid match with its items in ascending order, without its cluster.
func (m Match) ordered() Match {
	if m.A > m.B {
		return Match{A: m.B, B: m.A, Outcome: [...]Outcome{FirstWins: SecondWins, SecondWins: FirstWins, Tie: Tie}[m.Outcome], Place: -m.Place}
	}
	m.Cluster = 0
	return m
}

// countMatches checks the matches and counts them.
func countMatches(items int, matches []Match) (matchTable, error) {
	if items < 2 {
		return matchTable{}, fmt.Errorf("%w: %d items", stats.ErrTooShort, items)
	}
	t := matchTable{k: items, cellOf: make([]int32, len(matches))}
	numbers := make([]int32, 3*items*items) // 1 + the number of a cell
	index := func(m Match) int { return (m.A*items+m.B)*3 + m.Place + 1 }
	for i, m := range matches {
		inRange := min(m.A, m.B) >= 0 && max(m.A, m.B) < items && m.Place >= -1 && m.Place <= 1
		if !inRange || m.A == m.B || m.Outcome < FirstWins || m.Outcome > Tie {
			return t, fmt.Errorf("%w: match %d: %+v of %d items", stats.ErrInvalidValue, i, m, items)
		}
		numbers[index(m.ordered())] = 1
		t.tied = t.tied || m.Outcome == Tie
		t.placed = t.placed || m.Place != 0
	}
	for i, met := range numbers {
		if met > 0 {
			t.cells = append(t.cells, results{i: i / 3 / items, j: i / 3 % items, place: float64(i%3 - 1)})
			numbers[i] = int32(len(t.cells))
		}
	}
	for i, m := range matches {
		t.cellOf[i] = numbers[index(m.ordered())] - 1
		t.cells[t.cellOf[i]].add(m.ordered().Outcome, 1)
	}
	t.tieAt = items
	t.placeAt = items
	if t.tied {
		t.placeAt++
	}
	return t, nil
}

// weighted returns the table of the same matches with weights, each with its items in ascending order.
func (t matchTable) weighted(matches []Match, weights []float64) matchTable {
	t.cells = slices.Clone(t.cells)
	for i := range t.cells {
		t.cells[i].won = 0
		t.cells[i].lost = 0
		t.cells[i].tied = 0
	}
	for i, m := range matches {
		t.cells[t.cellOf[i]].add(m.Outcome, weights[i])
	}
	return t
}

// splitTies turns every tie into half a win each way.
func (t matchTable) splitTies() matchTable {
	t.cells = slices.Clone(t.cells)
	for i := range t.cells {
		c := &t.cells[i]
		c.won += 0.5 * c.tied
		c.lost += 0.5 * c.tied
		c.tied = 0
	}
	t.tied = false
	t.placeAt = t.k
	return t
}

// mostPlace is a log γ that no set of matches supports: there the likelihood is flat to rounding, and grows without limit.
const mostPlace = 25

// maximum returns the parameters x of greatest likelihood, which begin with the log strengths, and their information. The error is
// NotConnectedError or ErrTieParameter where there is none.
func (t matchTable) maximum() (x []float64, information *mat.Cholesky, err error) {
	g := t.graph()
	if all := components(g); len(all) > 1 {
		return nil, nil, &NotConnectedError{all}
	}
	start := make([]float64, t.k)
	if t.tied {
		if _, balanced := path.BellmanFordFrom(simple.Node(0), g); balanced { // without a cycle of negative weight
			return nil, nil, ErrTieParameter
		}
		won := 0.0
		tied := 0.0
		for _, c := range t.cells {
			won = won + c.won + c.lost
			tied += c.tied
		}
		start = append(start, math.Log(tied/won)) // the maximum if all items were equal
	}
	if t.placed {
		start = append(start, 0)
	}
	return t.maximumNear(start)
}

// maximumNear returns the maximum, which must exist, in few steps from a point near it.
func (t matchTable) maximumNear(start []float64) (x []float64, information *mat.Cholesky, err error) {
	x, information, err = likelihood(t.likelihood).maximise(start)
	if err == nil && t.placed && math.Abs(x[t.placeAt]) > mostPlace {
		err = fmt.Errorf("%w: places explain the results", ErrNotConverged)
	}
	return x, information, err
}

// graph has an edge from each item to those that it won against, of weight -1, and to the others that
// it tied with, of weight 1.
func (t matchTable) graph() *simple.DirectedMatrix {
	g := simple.NewDirectedMatrix(t.k, math.Inf(1), 0, math.Inf(1))
	edge := func(from, to int, won, tied float64) {
		id := simple.Node(from)
		other := simple.Node(to)
		switch {
		case won > 0:
			g.SetWeightedEdge(simple.WeightedEdge{F: id, T: other, W: -1})
		case tied > 0 && !g.HasEdgeFromTo(id.ID(), other.ID()):
			g.SetWeightedEdge(simple.WeightedEdge{F: id, T: other, W: 1})
		}
	}
	for _, c := range t.cells {
		edge(c.i, c.j, c.won, c.tied)
		edge(c.j, c.i, c.lost, c.tied)
	}
	return g
}

// components returns the items that edges connect in both directions, in the order of their smallest item.
func components(g graph.Directed) (all [][]int) {
	for _, nodes := range topo.TarjanSCC(g) {
		var c []int
		for _, n := range nodes {
			c = append(c, int(n.ID()))
		}
		slices.Sort(c)
		all = append(all, c)
	}
	slices.SortFunc(all, slices.Compare[[]int])
	return all
}

// An outcomes is Davidson's probabilities of one match.
type outcomes struct{ first, second, tie float64 }

// outcomes returns those of items i and j at parameters x: the log strengths and, if they are modelled, log v and log γ.
func (t matchTable) outcomes(x []float64, i, j int, place float64) outcomes {
	d := x[i] - x[j]
	tie := 0.0
	if t.placed {
		d += float64(place * x[t.placeAt])
	}
	if t.tied {
		tie = 2 * math.Exp(x[t.tieAt])
	}
	a := math.Exp(d / 2)
	b := math.Exp(-d / 2)
	total := a + b + tie
	return outcomes{a / total, b / total, tie / total}
}

// likelihood is Davidson's. For one match with outcome y = ½, -½ or 0 (won, lost, tied), and z = 1 for a tie:
//
//	log L = y·d + z·log 2v - log(D/√(p_i p_j)),   d = log p_i - log p_j + place·log γ
//
// so that the gradient by (d, log v) is (y, z) less its mean, and the information its covariance. The value is the
// sum of the outcomes' logarithms, which are exact for one-sided results. The information is pinned:
// adding c·11ᵀ on the strengths, which may be shifted together without effect, makes it invertible and
// leaves the solution for a gradient that sums to zero as it is.
func (t matchTable) likelihood(x []float64) (value float64, gradient *mat.VecDense, information *mat.SymDense) {
	k := t.k
	size := len(x)
	grad := make([]float64, size)
	hess := make([]float64, size*size)
	trace := 0.0
	for _, c := range t.cells {
		i := c.i
		j := c.j
		n := c.won + c.lost + c.tied
		p := t.outcomes(x, i, j, c.place)
		mean := (p.first - p.second) / 2
		value -= float64(c.won*math.Log1p((p.second+p.tie)/p.first)) + float64(c.lost*math.Log1p((p.first+p.tie)/p.second))
		g := (c.won-c.lost)/2 - float64(n*mean)
		h := n * (float64(p.first*p.second) + float64((p.first+p.second)*p.tie)/4)
		grad[i] += g
		grad[j] -= g
		hess[i*size+i] += h
		hess[j*size+j] += h
		hess[i*size+j] -= h
		trace += 2 * h
		if t.placed {
			grad[t.placeAt] += float64(c.place * g)
			hess[t.placeAt*size+t.placeAt] += float64(c.place * c.place * h)
			hess[i*size+t.placeAt] += float64(c.place * h)
			hess[j*size+t.placeAt] -= float64(c.place * h)
		}
		if t.tied {
			value += float64(c.tied * math.Log(p.tie))
			grad[t.tieAt] += c.tied - float64(n*p.tie)
			hess[t.tieAt*size+t.tieAt] += float64(n * p.tie * (1 - p.tie))
			cross := n * mean * p.tie // minus the covariance of y and z
			hess[i*size+t.tieAt] -= cross
			hess[j*size+t.tieAt] += cross
			if t.placed { // after the tie parameter: the upper triangle
				hess[t.tieAt*size+t.placeAt] -= float64(c.place * cross)
			}
		}
	}
	for i := range k {
		floats.AddConst(trace/float64(k*k), hess[i*size:i*size+k])
	}
	return value, mat.NewVecDense(size, grad), mat.NewSymDense(size, hess)
}
