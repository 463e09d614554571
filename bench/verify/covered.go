package verify

import (
	"cmp"
	"slices"

	"compqa/bench/config"
	"compqa/bench/plan"
	"compqa/bench/run"
	"compqa/results/archive"
	"compqa/results/store"
)

// A partyOf names a party in the plan of one kind of results. method is the method of a pairwise judge, "" for other parties.
type partyOf struct{ kind, party, method string }

// displayNames returns the kind and party by the names that the account uses. All rounds of a pairwise judge have the name of their entry
// in the configuration.
func (c *Recheck) displayNames(owner partyOf) (kind, party string) {
	switch {
	case owner.kind == store.KindPreference:
		return owner.kind, c.entry(owner.party)
	case kindRank(owner.kind) == len(store.Kinds): // one of data.LabelKinds
		return "label (" + owner.kind + ")", owner.party
	}
	return owner.kind, owner.party
}

// A walk counts the tasks that the latest plan has for a party.
type taskCount struct {
	tasks, missing int
	sampled        bool // whether the party is a pairwise judge that is asked about a sample
}

// countTask counts a task of the latest plan for its party, and whether its result is on record.
func (c *Recheck) countTask(cfg *config.Config, t run.Task, r replayOutcome) {
	party := partyOf{kind: t.At.Kind, party: t.Party.Name}
	switch t.At.Kind {
	case store.KindAnswer:
		if cell, planned := t.Group.(*plan.Job); planned && !cell.Contestant.Answers() {
			return // answers from a file, which are all on record
		}
	case store.KindLabel:
		party = partyOf{kind: t.At.Variant, party: t.At.Party}
	case store.KindPreference:
		party = partyOf{t.At.Kind, t.At.Party, t.At.Variant}
	case store.KindSample, store.KindGrade, "":
		return // the record has no plan for these kinds
	}
	w := c.taskCounts[party]
	if w == nil {
		w = &taskCount{sampled: slices.ContainsFunc(cfg.JudgesOf(party.kind), func(j *config.Judge) bool {
			return party.kind == store.KindPreference && j.Name == t.Party.Name && j.Sample > 0
		})}
		c.taskCounts[party] = w
	}
	w.tasks++
	if !r.recorded {
		w.missing++
	}
}

// A cell is a group of results of one kind that one party makes: the answers of a system, the verdicts or labels on them, or the
// preferences about a set of pairs.
type cell struct {
	store.Covered     // how many results the recorded plan has, and how many are on record
	plannedNow    int // preferences only: how many the latest configuration with pairs plans; for other kinds, replan compares the plans
}

func (c cell) owner() partyOf { return partyOf{c.Kind, c.Party(), c.Method} }

// allCells returns first the cells that the latest configuration with pairs plans, in its order. The other cells of the recorded plan, and
// those of other results on record, follow.
func (c *Recheck) allCells() (cells []cell, err error) {
	index := map[store.Due]int{}
	for _, now := range c.preferenceCells {
		index[now.Due()] = len(cells)
		cells = append(cells, cell{store.Covered{Due: now.Due()}, now.Planned})
	}
	recorded, err := c.db.Coverage()
	for _, then := range recorded {
		i, known := index[then.Due]
		if !known {
			i = len(cells)
			cells = append(cells, cell{})
		}
		cells[i].Covered = then
	}
	return cells, err
}

// A recordedCounts says which results are on record, and why the others are not.
type recordedCounts struct {
	results        map[partyOf]int   // number of results by party
	answers        map[string]int    // number of answers by system
	missingReasons map[string]string // reason why results are missing, by the part of the run
}

// part returns the part of a run that makes the results of a cell: store.PartPairs or store.PartAnswers.
func (c cell) part() string {
	if c.Kind == store.KindPreference {
		return store.PartPairs
	}
	return store.PartAnswers
}

// checkCoverage compares the planned results with the recorded ones, for all kinds of results. A party without any result was not run, and
// neither was a system without answers. The missing results of both are listed in notRun. Any other missing result means that the run is
// not finished. That holds whatever reason the record gives, because nothing shows that the result was not removed.
//
// For example, 40 verdicts of the judge rules are planned on answers of the system template, and 40 on answers of the system gpt. If 70 of
// them are on record, 10 are missing, and the run is not finished. If no verdict is on record, rules was not run. If gpt has no answers, 40
// verdicts less are expected, because gpt was not run.
func (c *Recheck) checkCoverage() (err error) {
	c.entry, err = c.db.Entries()
	if err != nil {
		return err
	}
	cells, err := c.allCells()
	if err != nil {
		return err
	}
	found := recordedCounts{results: map[partyOf]int{}, answers: map[string]int{}, missingReasons: map[string]string{}}
	for _, part := range []string{store.PartAnswers, store.PartPairs} {
		unfinished, err := c.db.Unfinished(part)
		if err != nil {
			return err
		}
		found.missingReasons[part] = "nothing on record shows why"
		if unfinished {
			found.missingReasons[part] = "the run did not finish"
		}
	}
	for _, cell := range cells {
		if cell.Active {
			found.results[cell.owner()] += cell.Recorded
			c.plannedCounts[cell.owner()] += cell.Planned
			c.counts.add(cell)
		}
		if cell.Active && cell.Kind == store.KindAnswer {
			found.answers[cell.System] += cell.Recorded
		}
	}
	short := map[partyOf]int{} // number of results that the cells of a party lack
	for _, cell := range cells {
		n, err := c.addMissing(cell, found)
		if err != nil {
			return err
		}
		short[cell.owner()] += n
	}
	c.addTasksWithoutCells(short)
	return c.addUnaskedPairs(cells)
}

// addMissing adds the results that a cell lacks to missing or notRun, and returns their number. A cell that is recorded without a plan,
// although the configuration plans it, is a difference.
func (c *Recheck) addMissing(cell cell, found recordedCounts) (n int, err error) {
	owner := cell.owner()
	kind, party := c.displayNames(owner)
	if !cell.Active {
		switch {
		case cell.plannedNow == 0: // the latest configuration does not plan it; see reason
		case cell.Recorded > 0:
			err = archive.Differ("preferences of %s on the set %s, order %s, are recorded, but not planned", cell.Judge, cell.Dataset, cell.Order)
		default: // the flag --judge left out the judge or the set
			c.notRun.add(kind, party, cell.plannedNow, "it was not asked about the set %s", cell.Dataset)
		}
		return cell.plannedNow, err
	}
	more := max(0, cell.plannedNow-cell.Planned) // pairs that were added later
	if w := c.taskCounts[owner]; !cell.Floor && (w == nil || w.sampled) {
		more = 0 // pairs outside the judge's sample; a planned result that is missing is counted below
	}
	c.notRun.add(kind, party, more, "pairs of the set %s that it was not asked about", cell.Dataset)
	n = max(0, cell.Planned-cell.Recorded)
	switch {
	case cell.Kind != store.KindAnswer && cell.System != "" && found.answers[cell.System] == 0:
		c.notRun.add(kind, party, n, "no answer of %s is on record", cell.System)
	case found.results[owner] == 0:
		c.notRun.add(kind, party, n, "none is on record")
	default:
		c.missing.add(kind, party, n, "%s", cmp.Or(cell.Note, found.missingReasons[cell.part()]))
	}
	return n + more, nil
}

// addTasksWithoutCells adds the tasks without a result that are not in short, the number of results that the cells of each party lack.
// There are two causes: other results are on record in their place, or the recorded plan has no cell of the party.
func (c *Recheck) addTasksWithoutCells(short map[partyOf]int) {
	for owner, w := range c.taskCounts {
		kind, party := c.displayNames(owner)
		_, planned := c.plannedCounts[owner]
		switch {
		case planned:
			c.missing.add(kind, party, w.missing-short[owner], "on record are others in their place")
		case owner.kind == store.KindPreference: // addMissing lists these
		case w.missing < w.tasks:
			c.missing.add(kind, party, w.missing, "nothing on record shows why")
		default:
			c.notRun.add(kind, party, w.missing, "none is on record")
		}
	}
}

// addUnaskedPairs adds to notSampled the pairs that a judge was not asked about although it was asked about other pairs of the set. They
// are outside its sample, or have no choice in the file of a person or another program. Baselines are left out.
func (c *Recheck) addUnaskedPairs(cells []cell) error {
	type asked struct {
		partyOf
		set string
	}
	then := map[asked]int{}
	now := map[asked]int{} // planned preferences in all orders, in the latest configuration
	for _, cell := range cells {
		key := asked{cell.owner(), cell.Dataset}
		now[key] += cell.plannedNow
		if cell.Kind == store.KindPreference && cell.Active && !cell.Floor {
			then[key] += cell.Planned
		}
	}
	for _, set := range c.pairSets {
		for key, planned := range then {
			if key.set != set.Name {
				continue
			}
			n := len(set.Pairs)*c.orders[set.Name] - max(planned, now[key])
			why := "that the configuration does not ask it about"
			w := c.taskCounts[key.partyOf]
			if w == nil { // the choices come from a file
				chosen, err := c.db.CountChosen(key.party, key.method, set.Name)
				if err != nil {
					return err
				}
				n = len(set.Pairs) - chosen
				why = "without a choice on record"
			} else if w.sampled {
				why = "outside its sample"
			}
			kind, party := c.displayNames(key.partyOf)
			c.notSampled.add(kind, party, n, "pairs of the set %s %s", set.Name, why)
		}
	}
	return nil
}
