package results

import (
	"math"
	"slices"
	"strings"
)

// callCosts are what the attempts at calls have cost, by the beginning of the calls'
// keys: a record may hold a million of them.
type callCosts struct {
	keys  []uint64  // once sealed: by their highest 16 bits
	costs []float64 // NaN: not known
	some  bool      // of the costs are known
	begin []int     // of the keys that have so many as their highest 16 bits
}

// add takes an attempt.
func (c *callCosts) add(call string, cost float64, priced bool) {
	if !priced {
		cost = math.NaN()
	}
	c.keys, c.costs = append(c.keys, hexWord(call, 0)), append(c.costs, cost)
	c.some = c.some || priced
}

// sealed makes the costs ready to be looked up; nil where none is known. Those of a
// call stay in the order in which they were added.
func (c *callCosts) sealed() *callCosts {
	if !c.some {
		return nil
	}
	s := &callCosts{keys: make([]uint64, len(c.keys)), costs: make([]float64, len(c.keys)), some: true, begin: make([]int, 1<<16+1)}
	for _, key := range c.keys {
		s.begin[key>>48+1]++
	}
	for high := range 1 << 16 {
		s.begin[high+1] += s.begin[high]
	}
	next := slices.Clone(s.begin)
	for i, key := range c.keys {
		at := next[key>>48]
		next[key>>48]++
		s.keys[at], s.costs[at] = key, c.costs[i]
	}
	return s
}

// of is what a call has cost, NaN where that is not known of an attempt; false where
// no attempt was made for it.
func (c *callCosts) of(word uint64) (cost float64, made bool) {
	from, to := c.begin[word>>48], c.begin[word>>48+1]
	for i, key := range c.keys[from:to] {
		if key == word {
			cost, made = cost+c.costs[from+i], true
		}
	}
	return cost, made
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
