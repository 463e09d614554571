package results

import "slices"

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
	var calls []uint64
	for _, p := range r.prefs {
		calls = append(calls, p.keys...)
	}
	if calls == nil {
		return nil
	}
	slices.Sort(calls)
	calls = slices.Compact(calls)
	spent := make([]spending, len(calls))
	err := s.walk(`SELECT call, prompt_tokens, completion_tokens, cost, latency_ms FROM attempts`, func(found *foundRow) error {
		at, ours := slices.BinarySearch(calls, hexWord(found.text(0), 0))
		if !ours {
			return nil
		}
		prompt, told := found.wholeOr0(1)
		completion, _ := found.wholeOr0(2)
		cost, priced := found.realOr0(3)
		spent[at].add(spending{float64(prompt + completion), cost, found.real(4) / 1000, true, told, priced})
		return nil
	})
	if err != nil {
		return err
	}
	for i := range r.prefs {
		p, sum := &r.prefs[i], spending{}
		slices.Sort(p.keys)
		for _, key := range slices.Compact(p.keys) {
			at, _ := slices.BinarySearch(calls, key)
			sum.add(spent[at])
		}
		p.keys = nil
		p.tokens, p.cost, p.seconds = sum.known()
	}
	return nil
}
