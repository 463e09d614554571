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

// A partyOf is a party in the plan of one kind of results; the method is that of a judge of pairs.
type partyOf struct{ kind, party, method string }

// named returns a kind and a party as the account names them. All rounds of a judge of pairs have the name of their entry.
func (c *Recheck) named(owner partyOf) (kind, party string) {
	switch {
	case owner.kind == store.KindPreference:
		return owner.kind, c.entry(owner.party)
	case rank(owner.kind) == len(store.Kinds): // one of data.LabelKinds
		return "label (" + owner.kind + ")", owner.party
	}
	return owner.kind, owner.party
}

// A walk is what the latest plan has of a party: its tasks, and those of them without a result on record.
type walk struct {
	tasks, left int
	sampled     bool // of a judge of pairs with a sample
}

// note counts a task of the latest plan.
func (c *Recheck) note(cfg *config.Config, t run.Task, r replayed) {
	party := partyOf{kind: t.At.Kind, party: t.Party.Name}
	switch t.At.Kind {
	case store.KindAnswer:
		if cell, planned := t.Group.(*plan.Job); planned && !cell.Contestant.Answers() {
			return // of a file, all of which are on record
		}
	case store.KindLabel:
		party = partyOf{kind: t.At.Variant, party: t.At.Party}
	case store.KindPreference:
		party = partyOf{t.At.Kind, t.At.Party, t.At.Variant}
	case store.KindSample, store.KindGrade, "":
		return // the record has no plan of them
	}
	w := c.walked[party]
	if w == nil {
		w = &walk{sampled: slices.ContainsFunc(cfg.JudgesOf(party.kind), func(j *config.Judge) bool {
			return party.kind == store.KindPreference && j.Name == t.Party.Name && j.Sample > 0
		})}
		c.walked[party] = w
	}
	w.tasks++
	if !r.recorded {
		w.left++
	}
}

// A cell is the results of one kind that one party makes of some subjects: answers of a system, verdicts or labels on these, preferences
// on a set of pairs.
type cell struct {
	store.Covered     // how many the recorded plan has, and how many are on record
	now           int // how many preferences the latest configuration about pairs plans; of other kinds, replan has compared the plans
}

func (c cell) owner() partyOf { return partyOf{c.Kind, c.Party(), c.Method} }

// allCells returns the cells that the latest configuration about pairs plans, in its order, and then those that the recorded plan has and
// those of other results on record.
func (c *Recheck) allCells() (cells []cell, err error) {
	index := map[store.Due]int{}
	for _, now := range c.preferred {
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

// An onRecord is what is on record of the cells of a plan, and why more is not.
type onRecord struct {
	of      map[partyOf]int   // results
	answers map[string]int    // by system
	ended   map[string]string // why results are missing, by the part of the run
}

// part returns the part of a run that makes the results of a cell.
func (c cell) part() string {
	if c.Kind == store.KindPreference {
		return store.PartPairs
	}
	return store.PartAnswers
}

// covered compares what is planned with what is on record, for results of all kinds. A party without any result was not run, and neither
// was a system without answers; these are listed. Any other planned result that is not there leaves the run unfinished, whatever the
// record says of the reason: nothing shows that it was not removed.
//
// For example, 40 verdicts of rules are planned on answers of template, and 40 on answers of gpt. If 70 of them are on record, 10 are
// missing, and the run is not finished. If none is on record, rules was not run. If gpt has no answers, there are 40 verdicts less,
// because gpt was not run.
func (c *Recheck) covered() (err error) {
	c.entry, err = c.db.Entries()
	if err != nil {
		return err
	}
	cells, err := c.allCells()
	if err != nil {
		return err
	}
	found := onRecord{of: map[partyOf]int{}, answers: map[string]int{}, ended: map[string]string{}}
	for _, part := range []string{store.PartAnswers, store.PartPairs} {
		unfinished, err := c.db.Unfinished(part)
		if err != nil {
			return err
		}
		found.ended[part] = "nothing on record shows why"
		if unfinished {
			found.ended[part] = "the run did not finish"
		}
	}
	for _, cell := range cells {
		if cell.Active {
			found.of[cell.owner()] += cell.Recorded
			c.due[cell.owner()] += cell.Planned
			c.counts.add(cell)
		}
		if cell.Active && cell.Kind == store.KindAnswer {
			found.answers[cell.System] += cell.Recorded
		}
	}
	short := map[partyOf]int{} // results that cells lack
	for _, cell := range cells {
		n, err := c.lacks(cell, found)
		if err != nil {
			return err
		}
		short[cell.owner()] += n
	}
	c.withoutCells(short)
	return c.notAsked(cells)
}

// lacks adds what is not on record of a cell to the lists, and returns how many results that are.
func (c *Recheck) lacks(cell cell, found onRecord) (n int, err error) {
	owner := cell.owner()
	kind, party := c.named(owner)
	if !cell.Active {
		switch {
		case cell.now == 0: // nobody plans it; see why
		case cell.Recorded > 0:
			err = archive.Differ("preferences of %s on the set %s, order %s, are recorded, but not planned", cell.Judge, cell.Dataset, cell.Order)
		default: // --judge left the judge or the set out
			c.absent.add(kind, party, cell.now, "it was not asked about the set %s", cell.Dataset)
		}
		return cell.now, err
	}
	more := max(0, cell.now-cell.Planned) // pairs that came later
	if w := c.walked[owner]; !cell.Floor && (w == nil || w.sampled) {
		more = 0 // what the sample of a judge lacks is missing
	}
	c.absent.add(kind, party, more, "pairs of the set %s that it was not asked about", cell.Dataset)
	n = max(0, cell.Planned-cell.Recorded)
	switch {
	case cell.Kind != store.KindAnswer && cell.System != "" && found.answers[cell.System] == 0:
		c.absent.add(kind, party, n, "no answer of %s is on record", cell.System)
	case found.of[owner] == 0:
		c.absent.add(kind, party, n, "none is on record")
	default:
		c.missing.add(kind, party, n, "%s", cmp.Or(cell.Note, found.ended[cell.part()]))
	}
	return n + more, nil
}

// withoutCells adds the tasks without a result that no cell lacks: where others are on record in their place, and of parties without a
// cell in the recorded plan. short is what cells lack.
func (c *Recheck) withoutCells(short map[partyOf]int) {
	for owner, w := range c.walked {
		kind, party := c.named(owner)
		_, planned := c.due[owner]
		switch {
		case planned:
			c.missing.add(kind, party, w.left-short[owner], "on record are others in their place")
		case owner.kind == store.KindPreference: // see lacks
		case w.left < w.tasks:
			c.missing.add(kind, party, w.left, "nothing on record shows why")
		default:
			c.absent.add(kind, party, w.left, "none is on record")
		}
	}
}

// notAsked adds the pairs that a judge was not asked about, although about others of their set: outside its sample, or without a choice in
// the file of a person or another program. A baseline is not asked.
func (c *Recheck) notAsked(cells []cell) error {
	type asked struct {
		partyOf
		set string
	}
	then := map[asked]int{}
	now := map[asked]int{} // planned preferences in all orders
	for _, cell := range cells {
		key := asked{cell.owner(), cell.Dataset}
		now[key] += cell.now
		if cell.Kind == store.KindPreference && cell.Active && !cell.Floor {
			then[key] += cell.Planned
		}
	}
	for _, set := range c.sets {
		for key, planned := range then {
			if key.set != set.Name {
				continue
			}
			n := len(set.Pairs)*c.orders[set.Name] - max(planned, now[key])
			why := "that the configuration does not ask it about"
			w := c.walked[key.partyOf]
			if w == nil { // of a file
				chosen, err := c.db.CountChosen(key.party, key.method, set.Name)
				if err != nil {
					return err
				}
				n = len(set.Pairs) - chosen
				why = "without a choice on record"
			} else if w.sampled {
				why = "outside its sample"
			}
			kind, party := c.named(key.partyOf)
			c.outside.add(kind, party, n, "pairs of the set %s %s", set.Name, why)
		}
	}
	return nil
}
