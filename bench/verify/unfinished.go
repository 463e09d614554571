package verify

import (
	"fmt"

	"compqa/bench/run"
	"compqa/data"
	"compqa/llm/limits"
	"compqa/results/store"
)

// A partyOf is a party in the plan; the method is that of a judge of pairs.
type partyOf struct{ kind, party, method string }

// An ending is where the results of a party end in a run that was stopped. A run begins the tasks of
// a party in a fixed order, so what a stop leaves out is the end of that order, and of the tasks in
// flight. Results that are missing elsewhere were removed.
type ending struct {
	gaps    int // missing results before a recorded one
	longest int // most missing results at the end of one cell that has others
	allowed int // tasks that can be in flight
}

// cell adds a cell of a party's results in the order of their tasks: which of them are on record.
func (e *ending) cell(recorded []bool) {
	missing, tail := 0, 0
	for _, is := range recorded {
		if tail++; is {
			tail = 0
		} else {
			missing++
		}
	}
	if missing < len(recorded) { // else the run did not come to this cell
		e.gaps += missing
		e.longest = max(e.longest, tail)
	}
}

// stopped reports whether a stop of the run can have left out what is missing.
func (e *ending) stopped() bool { return e != nil && e.gaps-e.longest <= e.allowed }

// endings are the ends of parties' results in a run that did not finish.
type endings struct {
	why     string // "": the run finished
	parties map[partyOf]*ending
}

// offlineGaps is the number of results of a party without a model that a stop can leave out before
// others: tasks that a worker took, but had not begun.
const offlineGaps = 2

// endings derives where the results of the latest run end, if it is on record as not finished.
func (c *Recheck) endings(s *store.Store) (*endings, error) {
	all := &endings{parties: map[partyOf]*ending{}}
	finished, err := store.Query(s, `SELECT coalesce(finished, '') FROM run WHERE part = 'answers' ORDER BY id DESC LIMIT 1`, nil,
		func(text *string) []any { return []any{text} })
	if err != nil || len(finished) == 0 || finished[0] != "" || c.again == nil {
		return all, err
	}
	if all.why, err = c.whyUnfinished(s); err != nil {
		return nil, err
	}
	concurrency := run.ConcurrencyOf(c.remade.plan.Config)
	of := func(kind, party, provider string, recorded []bool) {
		key := partyOf{kind: kind, party: party}
		if all.parties[key] == nil {
			all.parties[key] = &ending{allowed: offlineGaps}
			if provider != run.Offline {
				all.parties[key].allowed = run.Workers(concurrency[provider])
			}
		}
		all.parties[key].cell(recorded)
	}
	answers := map[store.CellKey]map[string]data.Status{}
	for i := range c.again.Answers {
		cell := &c.again.Answers[i]
		statuses, err := s.AnswerStatuses(cell.System, cell.Scenario)
		if err != nil {
			return nil, err
		}
		answers[cell.Key()] = statuses
		if len(cell.Items) > 0 {
			recorded := make([]bool, len(cell.Items))
			for k, it := range cell.Items {
				recorded[k] = statuses[it.ID] != ""
			}
			of(store.KindAnswer, cell.System, cell.Contestant.Provider, recorded)
		}
	}
	for i := range c.again.Verdicts {
		v := &c.again.Verdicts[i]
		statuses, err := s.VerdictStatuses(v.Judge, v.System, v.Scenario)
		if err != nil {
			return nil, err
		}
		var recorded []bool
		for _, key := range v.Keys() {
			if answers[v.Cell.Key()][key.Answer] != "" { // else the missing answer is what counts
				recorded = append(recorded, statuses[key] != "")
			}
		}
		of(store.KindVerdict, v.Judge, v.Scorer.Provider, recorded)
	}
	return all, c.labelEndings(s, of, answers)
}

func (c *Recheck) labelEndings(s *store.Store, of func(kind, party, provider string, recorded []bool),
	answers map[store.CellKey]map[string]data.Status) error {
	for i := range c.again.Labels {
		l := &c.again.Labels[i]
		statuses, err := s.LabelStatuses(l.PlanCell)
		if err != nil {
			return err
		}
		var recorded []bool
		for _, id := range l.Answers() {
			if answers[l.Cell.Key()][id] != "" {
				recorded = append(recorded, statuses[id] != "")
			}
		}
		of(l.Kind, l.Judge, l.Labeller.Provider, recorded)
	}
	return nil
}

// whyUnfinished is the reason why a run did not finish: its budget, with what is spent, or a stop.
func (c *Recheck) whyUnfinished(s *store.Store) (string, error) {
	cfg := c.remade.plan.Config
	budgets := run.NewBudgets(cfg)
	if err := budgets.Charge(cfg, s); err != nil {
		return "", err
	}
	if limit := budgets.All.Limit(); limit > 0 {
		return fmt.Sprintf("the run did not finish (%s of its budget of %s are spent)", limits.Dollars(budgets.All.Spent()),
			limits.Dollars(limit)), nil
	}
	return "the run did not finish", nil
}
