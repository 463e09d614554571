package results

import (
	"bytes"
	"database/sql"
	"slices"
)

// callCosts are what calls have cost, by the beginning of their keys: a record
// may hold a million of them.
type callCosts struct {
	keys  []uint64 // sorted
	costs []float64
	known []bool // false: an attempt of the call has no known cost
	some  bool   // of the costs are known
	last  []byte // call added
	begin []int  // of the keys that have so many as their highest 16 bits
}

// add takes an attempt; those of a call come one after the other, and the calls in
// order.
func (c *callCosts) add(call []byte, cost sql.NullFloat64) {
	if len(c.keys) == 0 || !bytes.Equal(call, c.last) {
		c.last = append(c.last[:0], call...)
		c.keys, c.costs, c.known = append(c.keys, hexWord(string(call), 0)), append(c.costs, 0), append(c.known, true)
	}
	last := len(c.keys) - 1
	c.costs[last] += cost.Float64
	c.known[last] = c.known[last] && cost.Valid
	c.some = c.some || cost.Valid
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

// of is what the calls in a row's column calls have cost; false where no attempt
// was made for them, or one of unknown cost.
func (c *callCosts) of(calls []byte) (sum float64, known bool) {
	if c == nil {
		return 0, false
	}
	for len(calls) > 0 {
		// A list of keys in JSON, which are hexadecimal: every other part between
		// quotes is one.
		_, rest, ok := bytes.Cut(calls, []byte{'"'})
		key, after, closed := bytes.Cut(rest, []byte{'"'})
		if !ok || !closed {
			break
		}
		calls = after
		word := hexWord(string(key), 0)
		from, to := c.begin[word>>48], c.begin[word>>48+1]
		i, found := slices.BinarySearch(c.keys[from:to], word)
		if !found {
			continue
		}
		if i += from; !c.known[i] {
			return 0, false
		}
		sum, known = sum+c.costs[i], true
	}
	return sum, known
}
