package results

import (
	"math"
	"slices"
	"strings"
)

// callCosts are what calls have cost, by the beginning of their keys: a record
// may hold a million of them.
type callCosts struct {
	keys  []uint64  // sorted
	costs []float64 // NaN: an attempt of the call has no known cost
	some  bool      // of the costs are known
	last  string    // call added
	begin []int     // of the keys that have so many as their highest 16 bits
}

// add takes an attempt; those of a call come one after the other, and the calls in
// order.
func (c *callCosts) add(call string, cost float64, priced bool) {
	if len(c.keys) == 0 || call != c.last {
		c.last = call
		c.keys, c.costs = append(c.keys, hexWord(call, 0)), append(c.costs, 0)
	}
	if !priced {
		cost = math.NaN()
	}
	c.costs[len(c.costs)-1] += cost
	c.some = c.some || priced
}

// sealed makes the costs ready to be looked up; nil where none is known.
func (c *callCosts) sealed() *callCosts {
	if !c.some {
		return nil
	}
	for high := range uint64(1 << 16) {
		at, _ := slices.BinarySearch(c.keys, high<<48)
		c.begin = append(c.begin, at)
	}
	c.begin = append(c.begin, len(c.keys))
	return c
}

// of is what a call has cost, NaN where that is not known; false where no attempt
// was made for it.
func (c *callCosts) of(word uint64) (cost float64, made bool) {
	from, to := c.begin[word>>48], c.begin[word>>48+1]
	i, found := slices.BinarySearch(c.keys[from:to], word)
	if !found {
		return 0, false
	}
	return c.costs[from+i], true
}

// rowCalls are the calls that rows rest on, until it is known what they have cost.
type rowCalls struct {
	first []uint64         // beginning of the key of each row's first call, 0 where it rests on none
	more  map[int][]uint64 // of the others, where it rests on several
}

// add takes the column calls of a row.
func (r *rowCalls) add(calls string) {
	r.first = append(r.first, 0)
	at := len(r.first) - 1
	for n := 0; ; n++ {
		// A list of keys in JSON, which are hexadecimal: every other part between
		// quotes is one.
		_, rest, ok := strings.Cut(calls, `"`)
		key, after, closed := strings.Cut(rest, `"`)
		if !ok || !closed {
			return
		}
		calls = after
		if n == 0 {
			r.first[at] = hexWord(key, 0)
			continue
		}
		if r.more == nil {
			r.more = map[int][]uint64{}
		}
		r.more[at] = append(r.more[at], hexWord(key, 0))
	}
}

// ordered are the calls of the same rows in an order, which gives the place of each
// here.
func (r *rowCalls) ordered(order []int) rowCalls {
	o := rowCalls{first: make([]uint64, len(order)), more: map[int][]uint64{}}
	for to, from := range order {
		o.first[to] = r.first[from]
		if more := r.more[from]; more != nil {
			o.more[to] = more
		}
	}
	return o
}

// price sets what the calls of each row have cost; it leaves out the rows of which
// that is not known.
func (r *rowCalls) price(costs *callCosts, set func(row int, cost *float64)) {
	if costs == nil {
		return
	}
	var room []float64
	for row, word := range r.first {
		sum, known := costs.sum(word, r.more[row])
		if !known {
			continue
		}
		if len(room) == 0 {
			room = make([]float64, min(slab, len(r.first)-row))
		}
		room[0] = sum
		set(row, &room[0])
		room = room[1:]
	}
}

// sum is what the calls of a row have cost; false where no attempt was made for
// them, or one of unknown cost.
func (c *callCosts) sum(first uint64, more []uint64) (sum float64, known bool) {
	if first == 0 {
		return 0, false
	}
	if sum, known = c.of(first); math.IsNaN(sum) {
		return 0, false
	}
	for _, word := range more {
		cost, made := c.of(word)
		if math.IsNaN(cost) {
			return 0, false
		}
		sum, known = sum+cost, known || made
	}
	return sum, known
}
