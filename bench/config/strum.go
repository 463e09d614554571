package config

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"compqa/data"
	"compqa/scenarios/strum"
)

// checkStrum checks an entry of models with a method that first makes a contrastive table and then renders the answer from it. It checks
// the method, its roles, the numbers and the models.
func (c *Config) checkStrum(m *Model) error {
	if !slices.Contains(strum.Methods, m.Method) {
		return fmt.Errorf("there is no method %q%s", m.Method, data.Suggest(m.Method, "methods", strum.Methods))
	}
	for _, name := range slices.Sorted(maps.Keys(m.Roles)) {
		if !slices.Contains(strum.Roles, name) {
			return fmt.Errorf("there is no role %q%s", name, data.Suggest(name, "roles", strum.Roles))
		}
	}
	o := c.StrumOptions(*m)
	bounds := []bound{{"rounds", float64(o.Rounds), mostRepeats}}
	for _, model := range o.Models {
		bounds = append(bounds, bound{"examples", float64(model.Examples), strum.MostExamples})
	}
	if err := checkBounds(bounds...); err != nil {
		return err
	}
	if err := c.checkRoles(m.Asked, m.Batch.On(), m.OwnRoles()); err != nil {
		return err
	}
	_, err := strum.New(o)
	return err
}

// checkRoles checks the models of an entry's roles. An entry with batches must use one model for all roles.
func (c *Config) checkRoles(asked Asked, batch bool, roles []Asked) error {
	for _, role := range roles {
		if batch && (role.Provider != asked.Provider || role.Model != asked.Model) {
			return errors.New("batch needs one model for all roles")
		}
		if err := c.checkLive(role); err != nil {
			return err
		}
	}
	return nil
}

// OwnRoles returns the models that an entry asks, each once: its own model, or the models of its method's steps.
func (m Model) OwnRoles() []Asked {
	if m.Method == "" {
		return []Asked{m.Asked}
	}
	var roles []Asked
	for _, name := range strum.Roles {
		if role := m.RoleOf(strum.Role(name)); !slices.ContainsFunc(roles,
			func(a Asked) bool { return a.Provider == role.Provider && a.Model == role.Model }) {
			roles = append(roles, role)
		}
	}
	return roles
}

// RoleOf returns the model that performs a role, which is a step of the entry's method.
func (m Model) RoleOf(r strum.Role) Asked {
	return m.Asked.forRole(m.Roles[string(r)].Asked)
}

// StrumOptions returns the options of an entry's method: the model of each step, the rounds of critiques, and the repairs.
func (c *Config) StrumOptions(m Model) strum.Options {
	o := strum.Options{Models: map[strum.Role]strum.Model{}, Rounds: strum.DefaultRounds, Critiques: m.Critiques, Repair: c.Run.Repair}
	if m.Rounds != nil {
		o.Rounds = *m.Rounds
	}
	for _, name := range strum.Roles {
		role := m.RoleOf(strum.Role(name))
		model := strum.Model{Name: role.Model, Options: role.AllOptions(), Extra: role.Extra, Examples: m.Examples}
		if number := m.Roles[name].Examples; number != nil {
			model.Examples = *number
		}
		o.Models[strum.Role(name)] = model
	}
	return o
}
