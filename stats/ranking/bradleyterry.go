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

// An Outcome is the result of a comparison of two items.
type Outcome int8

const (
	FirstWins  Outcome = iota // the first item wins
	SecondWins                // the second item wins
	Tie                       // neither wins
)

// A Match is one comparison. A and B are items, numbered from 0. Cluster labels the question, which several matches can share (both orders,
// several judges, other pairs). Place is 1 if A was shown first and -1 if B was; 0 if the order is not known, or both were judged at once.
type Match struct {
	A, B    int
	Outcome Outcome
	Cluster int
	Place   int
}

// ErrTieParameter means that Davidson's model has no maximum although the items are connected. Compared with the ties, the wins are so
// one-sided that the likelihood grows with the tie parameter without limit.
var ErrTieParameter error = stats.Reason("no finite tie parameter: the wins form no cycle that outweighs the ties")

// A NotConnectedError means that no maximum-likelihood strengths exist, because the items form several components. Between two components,
// all wins go in one direction or there are no matches, so that their distance has no finite maximum (Ford 1957). Components are in the
// order of their smallest item, with items in ascending order. It wraps ErrUndefined.
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
// by maximum likelihood. A tie counts as half a win each way. It is Davidson's model with v = 0. With W_ij the wins of i over j it solves
//
//	Σ_j W_ij = Σ_j (W_ij + W_ji)·P(i beats j)     for every i
//
// The maximum exists exactly if chains of wins lead from every item to every other (Ford 1957). Otherwise the error is a *NotConnectedError
// with the components; an item without matches is a component. Fewer than two items are ErrTooShort. Items out of range, an item against
// itself, and unknown outcomes and places are ErrInvalidValue. Places are modelled as by Davidson.
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
// by maximum likelihood over log p and log v, a concave problem, with Newton's method. v >= 0 is Strengths.Tie: two equal items tie with
// probability v/(1+v). Strengths are scaled to a geometric mean of 1 (log strengths to a sum of 0). An item as reference was rejected,
// because it would seem to have no uncertainty.
//
// Without ties the maximum is at v = 0, and the strengths are Bradley–Terry's. Otherwise two conditions must hold: wins and ties together
// connect the items (else *NotConnectedError), and some cycle of results has more wins than ties (else ErrTieParameter). Without such a
// cycle, strengths could be spread so that every winner is at least a step above the loser and every tied pair within one step. Other
// errors are as for BradleyTerry. Exact up to rounding; each of about ten steps takes O(matches + K³).
//
// If matches have a place, the strength of the item shown first is multiplied by γ (Davidson and Beaver 1977, the multiplicative order
// effect). The maximum is then over log γ, too, and Strengths.First returns log γ with its interval. Without γ, a judge that prefers the
// first place would look undecided, and its strengths would be biased. If places explain all results of a pair, the maximum may not exist:
// ErrNotConverged.
//
// Davidson 1970, with ν = 2v.
func Davidson(items int, matches []Match) (*Strengths, error) {
	return fit("Davidson", items, matches, false)
}

// fit fits the strengths by maximum likelihood. With splitTies, a tie is half a win each way; otherwise ties are modelled. model is for
// errors.
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

// A results counts the results of items i and j, i < j, with i shown first (place 1), second (-1), or unknown (0).
type results struct {
	i, j            int
	place           float64
	won, lost, tied float64 // results of i
}

// add adds the weight of one match of i against j with this outcome.
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

// A matchTable counts the results of k items, by items and place. Its model has a tie parameter if there are ties, and a place parameter if
// there are places.
type matchTable struct {
	k               int
	cells           []results
	cellOf          []int32 // index of each match's cell
	tied, hasPlaces bool
	tieAt, placeAt  int // index of these parameters; the log strengths come before them
}

// ordered returns a valid match with its items in ascending order. Its Cluster is 0.
func (m Match) ordered() Match {
	if m.A > m.B {
		return Match{A: m.B, B: m.A, Outcome: [...]Outcome{FirstWins: SecondWins, SecondWins: FirstWins, Tie: Tie}[m.Outcome], Place: -m.Place}
	}
	m.Cluster = 0
	return m
}

// countMatches checks the matches and counts their results.
func countMatches(items int, matches []Match) (matchTable, error) {
	if items < 2 {
		return matchTable{}, fmt.Errorf("%w: %d items", stats.ErrTooShort, items)
	}
	t := matchTable{k: items, cellOf: make([]int32, len(matches))}
	numbers := make([]int32, 3*items*items) // 1 + the index of the cell, or 0
	index := func(m Match) int { return (m.A*items+m.B)*3 + m.Place + 1 }
	for i, m := range matches {
		inRange := min(m.A, m.B) >= 0 && max(m.A, m.B) < items && m.Place >= -1 && m.Place <= 1
		if !inRange || m.A == m.B || m.Outcome < FirstWins || m.Outcome > Tie {
			return t, fmt.Errorf("%w: match %d: %+v of %d items", stats.ErrInvalidValue, i, m, items)
		}
		numbers[index(m.ordered())] = 1
		t.tied = t.tied || m.Outcome == Tie
		t.hasPlaces = t.hasPlaces || m.Place != 0
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

// weighted returns the table of the same matches, each counted with its weight. The items of each match must be in ascending order.
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

// splitTies returns a table in which every tie is half a win each way.
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

// mostPlace is a value of log γ that no matches support. There the likelihood is flat up to rounding, and grows without limit.
const mostPlace = 25

// maximum returns the parameters x of the greatest likelihood, beginning with the log strengths, and their information. Without a
// maximum, the error is NotConnectedError or ErrTieParameter.
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
	if t.hasPlaces {
		start = append(start, 0)
	}
	return t.maximumNear(start)
}

// maximumNear returns the maximum, which must exist, in few steps from a start close to it.
func (t matchTable) maximumNear(start []float64) (x []float64, information *mat.Cholesky, err error) {
	x, information, err = likelihood(t.likelihood).maximise(start)
	if err == nil && t.hasPlaces && math.Abs(x[t.placeAt]) > mostPlace {
		err = fmt.Errorf("%w: places explain the results", ErrNotConverged)
	}
	return x, information, err
}

// graph returns the graph of results. An edge of weight -1 leads from each item to every item that it beat, and an edge of weight 1 to
// every other item that it tied with.
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

// components returns the strongly connected components: items between which edges lead in both directions. They are in the order of their
// smallest item.
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

// An outcomes holds Davidson's probabilities of the results of one match.
type outcomes struct{ first, second, tie float64 }

// outcomes returns the probabilities for items i and j at parameters x: the log strengths and, if they are modelled, log v and log γ.
func (t matchTable) outcomes(x []float64, i, j int, place float64) outcomes {
	d := x[i] - x[j]
	tie := 0.0
	if t.hasPlaces {
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

// likelihood is the log-likelihood of Davidson's model. For one match with y = ½, -½ or 0 (won, lost, tied), and z = 1 for a tie:
//
//	log L = y·d + z·log 2v - log(D/√(p_i p_j)),   d = log p_i - log p_j + place·log γ
//
// so that the gradient by (d, log v) is (y, z) minus its mean, and the information is the covariance of (y, z). The value is the sum of the
// outcomes' logarithms, computed so that it is exact for one-sided results. A common shift of all strengths has no effect on the
// likelihood, so c·11ᵀ is added to the information of the strengths. This makes it invertible, and does not change the solution for a
// gradient that sums to zero.
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
		if t.hasPlaces {
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
			if t.hasPlaces { // after the tie parameter: the upper triangle
				hess[t.tieAt*size+t.placeAt] -= float64(c.place * cross)
			}
		}
	}
	for i := range k {
		floats.AddConst(trace/float64(k*k), hess[i*size:i*size+k])
	}
	return value, mat.NewVecDense(size, grad), mat.NewSymDense(size, hess)
}
