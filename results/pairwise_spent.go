package results

import (
	"database/sql"
	"slices"
)

// A spending is what was spent on something by the attempts that were made for it.
type spending struct {
	tokens, cost, seconds float64
	made, told, priced    bool // an attempt was; it had its tokens told; it had a price
}

func (s *spending) add(more spending) {
	s.tokens, s.cost, s.seconds = s.tokens+more.tokens, s.cost+more.cost, s.seconds+more.seconds
	s.made, s.told, s.priced = s.made || more.made, s.told || more.told, s.priced || more.priced
}

// known are the parts of it that are known.
func (s spending) known() (tokens, cost, seconds *float64) {
	if s.told && s.tokens > 0 {
		tokens = &s.tokens
	}
	if s.priced {
		cost = &s.cost
	}
	if s.made {
		seconds = &s.seconds
	}
	return tokens, cost, seconds
}

// loadSpent reads what was spent on each preference: all attempts at the calls that
// it rests on, each call once.
func (r *pairwiseRecord) loadSpent(s *Store) error {
	spent := map[string]spending{}
	for _, p := range r.prefs {
		for _, key := range p.keys {
			spent[key] = spending{}
		}
	}
	if len(spent) == 0 {
		return nil
	}
	err := s.each(`SELECT call, coalesce(prompt_tokens, 0) + coalesce(completion_tokens, 0), prompt_tokens IS NOT NULL, coalesce(cost, 0), cost IS NOT NULL, latency_ms / 1000 FROM attempts`, nil, func(rows *sql.Rows) error {
		var call string
		more := spending{made: true}
		if err := rows.Scan(&call, &more.tokens, &more.told, &more.cost, &more.priced, &more.seconds); err != nil {
			return err
		}
		if sum, ours := spent[call]; ours {
			sum.add(more)
			spent[call] = sum
		}
		return nil
	})
	if err != nil {
		return err
	}
	for i := range r.prefs {
		p, sum := &r.prefs[i], spending{}
		slices.Sort(p.keys)
		for _, key := range slices.Compact(p.keys) {
			sum.add(spent[key])
		}
		p.keys = nil
		p.tokens, p.cost, p.seconds = sum.known()
	}
	return nil
}
