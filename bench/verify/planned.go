package verify

import (
	"cmp"
	"maps"
	"slices"

	"compqa/bench/attack"
	"compqa/bench/config"
	"compqa/bench/plan"
	"compqa/data"
	"compqa/results/archive"
	"compqa/results/store"
)

// planned lays out the plan again and compares it with the recorded one: systems, judges, and
// cells with the hashes of their items.
func (c *Recheck) planned(s *store.Store) error {
	if err := c.participants(); err != nil {
		return err
	}
	work, err := store.Query(s, `SELECT kind, judge, system, scenario, work FROM plan WHERE active AND kind <> 'preference'`, nil,
		func(w *cellWork) []any {
			return []any{&w.Kind, &w.Judge, &w.System, &w.Scenario, &w.work}
		})
	if err != nil {
		return err
	}
	recorded := map[store.CellKey]store.PlanCell{}
	for _, cell := range c.run.Plan {
		recorded[cell.Key()] = cell
	}
	for _, w := range work {
		cell := recorded[w.CellKey]
		cell.Work = w.work
		recorded[w.CellKey] = cell
	}
	if c.labelCells, err = s.LabelCells(); err != nil {
		return err
	}
	for _, cell := range c.labelCells {
		cell.Work = recorded[cell.Key()].Work
		recorded[cell.Key()] = cell
	}
	existing, limit, err := c.existing(s)
	if err != nil {
		return err
	}
	// People may have scored answers after the samples were drawn, and a limit may be that of a
	// file of answers.
	scored, err := c.scoredByPeople(s)
	if err != nil {
		return err
	}
	var first error
	for _, people := range scored {
		for _, n := range []int{limit, 0} {
			again := c.remade.plan.Again(c.set, n, existing, people)
			err := c.compare(recorded, again)
			if err == nil {
				c.again = again
				return nil
			}
			first = cmp.Or(first, err)
		}
	}
	return first
}

// scoredByPeople are the answers that people may have scored before the samples of judges were drawn: all that
// they scored, those in files of the configuration, or none.
func (c *Recheck) scoredByPeople(s *store.Store) (sets []map[string]bool, err error) {
	files := map[string]bool{}
	for _, cell := range c.run.Plan {
		if cell.Kind == store.KindVerdict && cell.Origin == store.FromConfig {
			files[cell.Judge] = true
		}
	}
	for _, fits := range []func(string) bool{data.IsHuman, func(judge string) bool { return data.IsHuman(judge) && files[judge] }} {
		ids, err := s.ScoredBy(fits)
		if err != nil {
			return nil, err
		}
		set := map[string]bool{}
		for _, id := range ids {
			set[id] = true
		}
		sets = append(sets, set)
	}
	return append(sets, nil), nil
}

type cellWork struct {
	store.CellKey
	work string
}

// existing are the cells of answers that the configuration does not generate, and the number
// of questions that the others were planned for.
func (c *Recheck) existing(s *store.Store) (cells []plan.AnswerCell, limit int, err error) {
	limit = len(c.set)
	for _, cell := range c.run.Plan {
		if cell.Kind != store.KindAnswer {
			continue
		}
		if system, generated := c.remade.systems[cell.System]; generated && cell.Origin == store.FromConfig {
			limit = min(limit, cell.Planned/system.Choices)
			continue
		}
		statuses, err := s.AnswerStatuses(cell.System, cell.Scenario)
		if err != nil {
			return nil, 0, err
		}
		cells = append(cells, plan.ExistingCell(cell, slices.Collect(maps.Keys(statuses)), cell.Origin == store.FromConfig))
	}
	return cells, limit, nil
}

// compare finds the first difference between the recorded cells and a plan.
func (c *Recheck) compare(recorded map[store.CellKey]store.PlanCell, p *plan.Plan) error {
	cells := map[store.CellKey]store.PlanCell{}
	for _, cell := range p.Answers {
		cells[cell.Key()] = cell.PlanCell
	}
	for _, cell := range p.Verdicts {
		cells[cell.Key()] = cell.PlanCell
	}
	for _, cell := range p.Labels {
		cells[cell.Key()] = cell.PlanCell
	}
	for _, cell := range slices.Concat(c.run.Plan, c.labelCells) {
		now, planned := cells[cell.Key()]
		then := recorded[cell.Key()]
		_, known := c.remade.judges[cell.Judge]
		_, generated := c.remade.systems[cell.System]
		switch {
		case cell.Kind == store.KindVerdict && !known || cell.Kind == store.KindAnswer && !generated,
			cell.Kind != store.KindAnswer && cell.Kind != store.KindVerdict &&
				(!generated || c.remade.summaryJudge(cell.Judge) == nil && c.labelsFromFiles()):
			continue // of files, imports and calibrated judges
		case cell.Origin != store.FromConfig || !planned:
			return archive.Differ("%s: recorded with the origin %s, but the configuration does not plan them", cellName(cell), cell.Origin)
		case then.Planned != now.Planned || then.Work != now.Work:
			return archive.Differ("%s: %d are recorded as planned, but the configuration plans %d, or different ones", cellName(cell), then.Planned,
				now.Planned)
		case generated && cell.Fingerprint != now.Fingerprint:
			return archive.Differ("%s: they were planned with another configuration than the recorded one", cellName(cell))
		}
	}
	ran := func(cell store.PlanCell) bool { return cell.Origin == store.FromConfig }
	if !slices.ContainsFunc(slices.Collect(maps.Values(recorded)), ran) {
		return nil // a record of pairs or imports alone: nothing of the configuration ran
	}
	for key, cell := range cells {
		if _, found := recorded[key]; !found && cell.Origin == store.FromConfig {
			return archive.Differ("%s: the configuration plans %d, but the recorded plan has none", cellName(cell), cell.Planned)
		}
	}
	return nil
}

func cellName(c store.PlanCell) string {
	switch c.Kind {
	case store.KindAnswer:
		return "answers of " + c.System + " under scenario " + c.Scenario
	case store.KindVerdict:
	default:
		return "labels (" + c.Kind + ") of " + c.Judge + " on answers of " + c.System + " under scenario " + c.Scenario
	}
	return "verdicts of " + c.Judge + " on answers of " + c.System + " under scenario " + c.Scenario
}

// participants compares the recorded systems and judges with those of the configuration.
func (c *Recheck) participants() error {
	var systems, judges []store.Participant
	for _, s := range c.remade.plan.Systems {
		systems = append(systems, s.Participant)
	}
	for _, j := range c.remade.plan.Judges {
		judges = append(judges, j.Participant)
	}
	for _, list := range []struct {
		what       string
		now, there []store.Participant
	}{{"system", systems, c.run.Systems}, {"judge", judges, c.run.Judges}} {
		for _, now := range list.now {
			at := slices.IndexFunc(list.there, func(p store.Participant) bool { return p.Name == now.Name })
			if at >= 0 && list.there[at] != now {
				return archive.Differ("the %s %s is recorded as %+v, but the configuration gives %+v", list.what, now.Name, list.there[at], now)
			}
		}
		for _, there := range list.there {
			known := slices.ContainsFunc(list.now, func(p store.Participant) bool { return p.Name == there.Name })
			if !known && !slices.Contains([]string{config.KindFile, config.KindImported, config.KindHuman, config.KindEmbedded}, there.Kind) {
				return archive.Differ("the %s %s is recorded as %s, but the configuration has no such entry", list.what, there.Name, there.Kind)
			}
		}
	}
	return nil
}

// complete reports whether all planned results are on record; a run then records the attacks.
func complete(s *store.Store) (bool, error) {
	cells, err := s.Coverage()
	return !slices.ContainsFunc(cells, func(c store.Covered) bool { return c.Recorded < c.Planned }), err
}

// attacks scores the attacked answers again. A run records them when it is finished; after a later
// import they are of the answers before it.
func (c *Recheck) attacks(s *store.Store) error {
	work, err := s.AttackWork()
	if err != nil {
		return err
	}
	answers, err := s.SomeAnswers(attack.SampleSize, c.run.Made[0].Seed)
	if err != nil {
		return err
	}
	list, now, err := attack.Totals(c.Ctx, c.remade.plan, answers)
	if err != nil {
		return err
	}
	slices.SortFunc(list, func(a, b store.AttackedAnswer) int {
		return cmp.Or(cmp.Compare(a.Judge, b.Judge), cmp.Compare(a.Position, b.Position), cmp.Compare(a.Answer, b.Answer))
	})
	if (now == work || len(list) == 0) && slices.Equal(list, c.run.Attacked) {
		return nil
	}
	imported := slices.ContainsFunc(c.run.Plan, func(cell store.PlanCell) bool {
		return cell.Kind == store.KindAnswer && cell.Origin != store.FromConfig
	})
	all, err := complete(s)
	switch {
	case err != nil:
		return err
	case work == "" && (imported || !all):
		add(&c.absent, Rest{"attack", "embedded judges", len(list), "the run did not come to them"})
	case work == "":
		return archive.Differ("the attacks on embedded judges are missing, although all planned results are there (`compqa run` records them)")
	case imported:
		add(&c.rests, Rest{"attack", "embedded judges", len(c.run.Attacked), "answers were imported after them"})
	default:
		return archive.Differ("the recorded attacks on embedded judges differ from those computed now")
	}
	return nil
}
