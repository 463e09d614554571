package config

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"compqa/data"
	"compqa/scenarios/strum"
)

// checkStrum checks an entry whose answers are rendered from contrastive tables.
func (c *Config) checkStrum(m *Model) error {
	if !slices.Contains(strum.Methods, m.Method) {
		return fmt.Errorf("there is no method %q%s", m.Method, data.Suggest(m.Method, "methods", strum.Methods))
	}
	for _, name := range slices.Sorted(maps.Keys(m.Roles)) {
		if !slices.Contains(strum.Roles, name) {
			return fmt.Errorf("there is no role %q%s", name, data.Suggest(name, "roles", strum.Roles))
		}
	}
	if m.Rounds != nil {
		if err := within(bound{"rounds", float64(*m.Rounds), mostRepeats}); err != nil {
			return err
		}
	}
	for _, of := range c.StrumOptions(*m).Models {
		if err := within(bound{"examples", float64(of.Examples), strum.MostExamples}); err != nil {
			return err
		}
	}
	for _, role := range m.OwnRoles() {
		if m.Batch && (role.Provider != m.Provider || role.Model != m.Asked.Model) {
			return fmt.Errorf("batch needs one model for all roles")
		}
		if err := c.checkLive(role); err != nil {
			return err
		}
	}
	_, err := strum.New(c.StrumOptions(*m))
	return err
}

// OwnRoles are the models that an entry asks: its own, or those of its roles.
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

// RoleOf is the model for a role.
func (m Model) RoleOf(r strum.Role) Asked { return m.Asked.with(m.Roles[string(r)].Asked) }

// StrumOptions are the options of an entry's method.
func (c *Config) StrumOptions(m Model) strum.Options {
	o := strum.Options{Models: map[strum.Role]strum.Model{}, Rounds: strum.DefaultRounds, Critiques: m.Critiques, Repair: c.Run.Repair}
	if m.Rounds != nil {
		o.Rounds = *m.Rounds
	}
	for _, name := range strum.Roles {
		role := m.RoleOf(strum.Role(name))
		of := strum.Model{Name: role.Model, Options: role.AllOptions(), Extra: role.Extra, Examples: m.Examples}
		if own := m.Roles[name].Examples; own != nil {
			of.Examples = *own
		}
		o.Models[strum.Role(name)] = of
	}
	return o
}

// asks says in words which models an entry asks.
func (m Model) Asks() string {
	var names []string
	for _, role := range m.OwnRoles() {
		names = append(names, role.Model+" at "+role.Provider)
	}
	return strings.Join(names, ", ")
}
