package results

// A spending is what was spent on something by the attempts that were made for it.
type spending struct {
	attempts, told, priced int
	tokens, cost, seconds  float64
}

func (s *spending) add(more spending) {
	s.attempts, s.told, s.priced = s.attempts+more.attempts, s.told+more.told, s.priced+more.priced
	s.tokens, s.cost, s.seconds = s.tokens+more.tokens, s.cost+more.cost, s.seconds+more.seconds
}

// known are the parts of it that are known.
func (s *spending) known() (tokens, cost, seconds *float64) {
	if s.told > 0 && s.tokens > 0 {
		tokens = &s.tokens
	}
	if s.priced > 0 {
		cost = &s.cost
	}
	if s.attempts > 0 {
		seconds = &s.seconds
	}
	return tokens, cost, seconds
}

// loadSpent reads what was spent on each preference: all attempts at the calls that
// it rests on, each call once.
func (r *pairwiseRecord) loadSpent(s *Store) error {
	spent := map[uint64]*spending{}
	for _, p := range r.prefs {
		for _, key := range p.calls {
			spent[hexWord(key, 0)] = &spending{}
		}
	}
	if len(spent) == 0 {
		return nil
	}
	err := s.walk(`SELECT call, prompt_tokens, completion_tokens, cost, latency_ms FROM attempts`, func(found *foundRow) error {
		of := spent[hexWord(found.text(0), 0)]
		if of == nil {
			return nil
		}
		prompt, told := found.wholeOr0(1)
		completion, _ := found.wholeOr0(2)
		cost, priced := found.realOr0(3)
		one := spending{attempts: 1, tokens: float64(prompt + completion), cost: cost, seconds: found.real(4) / 1000}
		if told {
			one.told = 1
		}
		if priced {
			one.priced = 1
		}
		of.add(one)
		return nil
	})
	if err != nil {
		return err
	}
	for i := range r.prefs {
		p, sum, counted := &r.prefs[i], spending{}, map[string]bool{}
		for _, key := range p.calls {
			if !counted[key] {
				counted[key] = true
				sum.add(*spent[hexWord(key, 0)])
			}
		}
		p.tokens, p.cost, p.seconds = sum.known()
	}
	return nil
}
