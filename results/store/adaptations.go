package store

import (
	"database/sql"
	"fmt"

	"compqa/llm"
)

// An Adaptation is what was learnt about a provider's model.
type Adaptation struct {
	Provider string
	llm.Adaptation
}

// Adaptation records what was learnt about a model.
func (b Batch) Adaptation(a Adaptation) error {
	_, err := b.tx.Exec(`INSERT OR REPLACE INTO adaptations (provider, model, parameter, value, reason) VALUES (?, ?, ?, ?, ?)`,
		a.Provider, a.Model, a.Parameter, a.Value, a.Reason)
	return err
}

// Adaptations are those on record, by provider, model and parameter.
func (s *Store) Adaptations() (list []Adaptation, err error) {
	err = s.Each(`SELECT provider, model, parameter, value, reason FROM adaptations ORDER BY provider, model, parameter`, nil, func(rows *sql.Rows) error {
		var a Adaptation
		err := rows.Scan(&a.Provider, &a.Model, &a.Parameter, &a.Value, &a.Reason)
		list = append(list, a)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("reading what was learnt about models: %w", err)
	}
	return list, nil
}
