package verify

import (
	"fmt"

	"compqa/bench/config"
	"compqa/bench/plan"
	"compqa/bench/run"
	"compqa/llm/limits"
	"compqa/results/store"
)

// A partyOf is a party in the plan; the method is that of a judge of pairs.
type partyOf struct{ kind, party, method string }

// An ending is where the results of a party end. A run begins the tasks of a cell in a fixed order, so
// what a stop leaves out is the end of that order, and of the tasks in flight. Results that are missing
// elsewhere were removed.
type ending struct {
	group   any      // the last one
	groups  [][]bool // of each group's results in their order: whether it is on record
	allowed int      // tasks that can be in flight
}

// offlineGaps is the number of results of a party without a model that a stop can leave out before
// others: tasks that a worker took, but had not begun.
const offlineGaps = 2

// follow notes whether the result of the next task in a plan is on record.
func (c *Recheck) follow(cfg *config.Config, t run.Task, recorded bool) {
	if cell, is := t.Group.(*plan.Cell); t.Group == nil || is && cell.Contestant != nil && !cell.Contestant.Answers() {
		return // of a file, all of which are on record
	}
	key := partyOf{kind: t.Party.Kind, party: t.Party.Name}
	switch t.At.Table {
	case "labels":
		key.kind, key.party = t.At.Key[2].(string), t.At.Key[1].(string)
	case "preferences":
		key.method = t.At.Key[2].(string)
	}
	e := c.ends[key]
	if e == nil {
		e = &ending{allowed: offlineGaps}
		if t.Provider != run.Offline {
			e.allowed = run.Workers(run.ConcurrencyOf(cfg)[t.Provider])
		}
		c.ends[key] = e
	}
	if e.group != t.Group {
		e.group, e.groups = t.Group, append(e.groups, nil)
	}
	last := &e.groups[len(e.groups)-1]
	*last = append(*last, recorded)
}

// stopped reports whether a stop of the run can have left out what is missing. It can have come before all of
// a group.
func (e *ending) stopped() bool {
	if e == nil {
		return false
	}
	gaps, longest := 0, 0 // missing results of groups that have others, and most of them at the end of a group
	for _, group := range e.groups {
		missing, tail := 0, 0
		for _, recorded := range group {
			if tail++; recorded {
				tail = 0
			} else {
				missing++
			}
		}
		if missing < len(group) {
			gaps, longest = gaps+missing, max(longest, tail)
		}
	}
	return gaps-longest <= e.allowed
}

// whyUnfinished is the reason why the part of the latest run that makes results of a kind did not finish:
// its budget, with what is spent, or a stop; "": it finished.
func (c *Recheck) whyUnfinished(part string) (string, error) {
	end, ran, err := store.First[string](c.db, `SELECT coalesce(finished, '') FROM run WHERE part = ? ORDER BY id DESC`, part)
	if err != nil || !ran || end != "" {
		return "", err
	}
	cfg := c.plan.Config
	budgets := run.NewBudgets(cfg)
	if err := budgets.Charge(cfg, c.db); err != nil {
		return "", err
	}
	if limit := budgets.All.Limit; limit > 0 {
		return fmt.Sprintf("the run did not finish (%s of its budget of %s are spent)", limits.Dollars(budgets.All.Spent()),
			limits.Dollars(limit)), nil
	}
	return "the run did not finish", nil
}
