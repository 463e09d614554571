package store

import "compqa/llm"

// An Adaptation is what was learnt about a provider's model.
type Adaptation struct {
	Provider string
	llm.Adaptation
}

// Adaptation records what was learnt about a model.
func (b Batch) Adaptation(a Adaptation) error {
	return b.tx.put("adaptations", "provider, model, parameter, value, reason", a.Provider, a.Model, a.Parameter, a.Value, a.Reason)
}

// Adaptations are those on record, by provider, model and parameter.
func (s *Store) Adaptations() ([]Adaptation, error) {
	return Query(s, `SELECT provider, model, parameter, value, reason FROM adaptations ORDER BY provider, model, parameter`, nil,
		func(a *Adaptation) []any { return []any{&a.Provider, &a.Model, &a.Parameter, &a.Value, &a.Reason} })
}
