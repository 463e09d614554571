package results

import (
	"bytes"
	"database/sql"
	"slices"
)

// callCosts are what calls have cost, by the beginning of their keys: a record
// may hold a million of them. Attempts are read in one go, since a look for each
// row that names a call would take longer than all the rest of a report.
type callCosts struct {
	keys  []uint64 // sorted
	costs []float64
	known []bool // false: an attempt of the call has no known cost
}

// readCosts reads the costs of all calls; nil where none is known.
func (s *Store) readCosts() (*callCosts, error) {
	var some bool
	if err := s.db.QueryRow(`SELECT EXISTS (SELECT 1 FROM attempts WHERE cost IS NOT NULL)`).Scan(&some); err != nil || !some {
		return nil, err
	}
	c := &callCosts{}
	err := s.each(`SELECT call, total(cost), count(cost) = count(*) FROM attempts GROUP BY call ORDER BY call`, nil, func(rows *sql.Rows) error {
		var call sql.RawBytes
		var cost float64
		var known bool
		err := rows.Scan(&call, &cost, &known)
		c.keys, c.costs, c.known = append(c.keys, hexWord(string(call), 0)), append(c.costs, cost), append(c.known, known)
		return err
	})
	return c, err
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
		i, found := slices.BinarySearch(c.keys, hexWord(string(key), 0))
		if !found {
			continue
		}
		if !c.known[i] {
			return 0, false
		}
		sum, known = sum+c.costs[i], true
	}
	return sum, known
}
