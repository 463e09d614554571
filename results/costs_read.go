package results

import "encoding/json"

// callCosts are what the attempts at each call have cost, by the call's key; nil
// where the price of an attempt is not known.
type callCosts map[string]*float64

// add adds an attempt.
func (c callCosts) add(call string, cost *float64) {
	sum, known := c[call]
	switch {
	case !known:
		c[call] = cost
	case sum == nil || cost == nil:
		c[call] = nil
	default:
		total := *sum + *cost
		c[call] = &total
	}
}

// of is what the calls of a row have cost, given its column of keys (a JSON list);
// nil where no attempt was made for them, or the price of one is not known.
func (c callCosts) of(calls string) (*float64, error) {
	if calls == "[]" || calls == "null" || len(c) == 0 {
		return nil, nil
	}
	var keys []string
	if err := json.Unmarshal([]byte(calls), &keys); err != nil {
		return nil, err
	}
	var sum float64
	made := false
	for _, key := range keys {
		cost, known := c[key]
		if known && cost == nil {
			return nil, nil
		}
		if known {
			sum, made = sum+*cost, true
		}
	}
	if !made {
		return nil, nil
	}
	return &sum, nil
}
