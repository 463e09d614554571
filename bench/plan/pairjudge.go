package plan

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"maps"
	"math"
	"slices"
	"sync"

	"compqa/bench/config"
	"compqa/bench/parties"
	"compqa/bench/run"
	"compqa/data"
	"compqa/judges/pairwise"
	"compqa/results/store"
	"compqa/results/table"
)

// A pairItem is one pair that a judge sees in one order.
type pairItem struct {
	pair       *store.SetPair
	order      string
	given      *data.Preference // a preference from a file; nil: the judge is asked
	candidates []string         // all answers to the pair's question, for a judge that sees them as a list
}

// A pairCell is the job of one judge's preferences on one set of pairs.
type pairCell struct {
	*Job
	judge *parties.PairJudge
	parties.Decider
	items iter.Seq[pairItem]       // made anew each time, because judges without a model have many
	shown map[string]int           // number of items, by order
	only  map[store.At]store.State // the places that have tasks; nil: all
	given bool                     // the preferences are from files
}

// newPairCell returns a job of a judge on a set, without pairs.
func newPairCell(j *parties.PairJudge, party *parties.Party, set string, d parties.Decider) *pairCell {
	return &pairCell{Job: &Job{Party: party, PlanCell: store.PlanCell{Kind: store.KindPreference, Judge: j.Name, Method: j.Method,
		Dataset: set}}, judge: j, Decider: d, shown: map[string]int{}}
}

// plan sets the pairs of the job.
func (c *pairCell) plan(items iter.Seq[pairItem]) {
	c.items = items
	for it := range items {
		c.shown[it.order]++
		c.Planned++
	}
}

// layOut plans the decisions of a judge: one for each pair and order of the sets that it judges. It leaves out pairs outside the judge's
// sample, and pairs of imported answers if they would cost money. A pair with a bias is in the sample if its original pair is.
func (r *pairing) layOut(j *parties.PairJudge) (all []*pairCell) {
	asked := data.Where(r.Sets, func(set store.PairSet) bool {
		return j.Ref == nil || j.Ref.On(r.entry[set.Name].Name) || j.Ref.On(set.Name)
	})
	keep := r.chosen(j, asked)
	party := j.Party()
	for _, set := range asked {
		d, named := j.Under[r.entry[set.Name].Name]
		if !named {
			d = j.Under[""]
		}
		c := newPairCell(j, party, set.Name, d)
		c.asked = data.Each(slices.Sorted(maps.Keys(j.Providers)), func(role pairwise.Role) string { return j.Providers[role] })
		c.typical = r.typical(j)
		c.results = c.preferences()
		var candidates map[string][]string
		if m, _ := pairwise.MethodNamed(j.Method); m.Lists {
			candidates = pairwise.CandidatesOf(data.Each(set.Pairs, func(p store.SetPair) data.Pair { return p.Pair }), r.Plan.Config.Run.Seed)
		}
		entry := r.entry[set.Name]
		c.plan(func(yield func(pairItem) bool) {
			for i := range set.Pairs {
				p := &set.Pairs[i]
				original := cmp.Or(p.Base, p.ID)
				if keep != nil && !keep[original] {
					continue
				}
				for _, order := range entry.Orders(original, r.Plan.Config.Run.Seed) {
					if !yield(pairItem{pair: p, order: order, candidates: candidates[p.Item]}) {
						return
					}
				}
			}
		})
		if c.Planned > 0 {
			all = append(all, c)
		}
	}
	return all
}

// typical reports whether an estimate gives typical replies to a judge's calls, so that it can count the calls that follow them.
func (r *pairing) typical(j *parties.PairJudge) bool {
	m, known := pairwise.MethodNamed(j.Method)
	return r.Assume && known && m.Typical() && j.Ref != nil && j.Ref.Reads == nil
}

// preferences returns the planned preferences of the job.
func (c *pairCell) preferences() iter.Seq2[Result, error] {
	return func(yield func(Result, error) bool) {
		var shown pairwise.OrderedPair // the same for both orders of a pair
		var hash func() string         // of the pair, computed once, because it reads both texts
		for it := range c.items {
			if _, has := c.only[c.place(it)]; c.only != nil && !has {
				continue
			}
			if shown.ID != it.pair.ID {
				shown = pairwise.OrderPair(it.pair.Pair, it.order)
				shown.Candidates = it.candidates
				hash = sync.OnceValue(func() string { return c.fingerprint(it) })
			}
			pair := shown.InOrder(it.order)
			fingerprint := hash
			if !yield(Result{At: c.place(it), Fingerprint: fingerprint, Calls: c.Calls,
				Make: func(ctx context.Context, ask run.Asker) (run.Item, error) {
					return c.prefer(ctx, ask, pair, fingerprint()), nil
				}}, nil) {
				return
			}
		}
	}
}

// prefer asks the judge for its choice on a pair.
func (c *pairCell) prefer(ctx context.Context, ask run.Asker, shown pairwise.OrderedPair, fingerprint string) run.Item {
	asked := ask.Roles(c.judge.Providers)
	if c.typical {
		asked = pairwise.Typically(asked)
	}
	o := c.Decide(ctx, shown, asked)
	p := data.Preference{ID: shown.ID, Judge: c.Judge, Method: c.Method, Order: shown.Order, Status: o.Status,
		Choice: string(o.Choice.In(shown.Order)), Rationale: o.Rationale, Reason: o.Reason}
	about := store.PreferenceAbout{Fingerprint: fingerprint, Detail: o.Detail}
	return run.Item{Status: p.Status, Write: func(b store.Batch, calls []int64) error { return b.Preference(p, about, calls) }}
}

// chosen returns the ids of the pairs that a judge decides on: all that it may judge, or its sample. It returns nil if the judge decides on
// all pairs of the sets. The sample is stratified by set, scenario and the pair of systems, in proportion to their sizes. Judges with the
// same sample size have the same sample.
func (r *pairing) chosen(j *parties.PairJudge, sets []store.PairSet) map[string]bool {
	imported := map[string]bool{} // systems whose answers were imported
	for _, c := range r.Plan.Answers {
		imported[c.System] = c.Contestant == nil
	}
	var strata [][]string
	all := j.Sample == 0
	for _, set := range sets {
		if set.Base != "" {
			all = false // the original pairs may be in none of the sets
			continue
		}
		var pairs []*store.SetPair
		for i := range set.Pairs {
			if p := &set.Pairs[i]; j.Imported || !imported[p.SystemA] && !imported[p.SystemB] || p.AnswerA == "" {
				pairs = append(pairs, p)
			}
		}
		all = all && len(pairs) == len(set.Pairs)
		for _, group := range table.Grouped(pairs, func(p *store.SetPair) [3]string { return [3]string{p.Scenario, p.SystemA, p.SystemB} }) {
			strata = append(strata, data.Each(group, func(p *store.SetPair) string { return p.ID }))
		}
	}
	if all {
		return nil
	}
	return config.Draw(cmp.Or(j.Sample, math.MaxInt), strata, r.Plan.Config.Run.Seed)
}

// place returns where the preference on an item is recorded.
func (c *pairCell) place(it pairItem) store.At {
	return store.PreferenceAt(it.pair.ID, c.Judge, c.Method, it.order)
}

// fingerprint returns the hash of everything that the preference on an item depends on.
func (c *pairCell) fingerprint(it pairItem) string {
	if it.given != nil {
		return config.HashOf("given", *it.given)
	}
	fingerprint := c.Decider.Fingerprint(c.judge.Hinted, *it.pair)
	if it.candidates != nil {
		fingerprint = config.HashOf(fingerprint, it.candidates)
	}
	return fingerprint
}

// given returns the preferences from files as jobs, one for each judge, method and set.
func (r *pairing) given(setOf map[string]string) (all []*pairCell) {
	for _, preferences := range table.Grouped(r.Given, func(g data.Preference) [3]string {
		return [3]string{g.Judge, g.Method,
			setOf[g.ID]}
	}) {
		judge := parties.GivenPairJudge(preferences[0].Judge, preferences[0].Method)
		c := newPairCell(judge, nil, setOf[preferences[0].ID], parties.Decider{})
		c.given = true
		c.plan(func(yield func(pairItem) bool) {
			for i := range preferences {
				g := &preferences[i]
				if !yield(pairItem{pair: &store.SetPair{Pair: data.Pair{ID: g.ID}}, order: g.Order, given: g}) {
					return
				}
			}
		})
		all = append(all, c)
	}
	return all
}

// byOrder splits a job into the cells that the record has: one for each order in which pairs are shown.
func (c *pairCell) byOrder() (cells []store.PlanCell) {
	for _, order := range data.Orders {
		if c.shown[order] > 0 {
			cell := c.PlanCell
			cell.Order = order
			cell.Planned = c.shown[order]
			cells = append(cells, cell)
		}
	}
	return cells
}

// Cells returns the recorded cells of all planned preferences.
func (r *pairing) Cells() (cells []store.PlanCell) {
	for _, c := range r.preferred {
		cells = append(cells, c.byOrder()...)
	}
	return cells
}

// begin records the sets of pairs, the given preferences and the plan of preferences. It deletes recorded preferences that were made with
// other inputs, and takes sets out of the tables that the configuration no longer has.
func (r *pairing) begin() error {
	var sources, names []string
	for _, set := range r.Sets {
		sources = append(sources, set.Name+": "+set.Source)
		names = append(names, set.Name)
	}
	made, err := r.Plan.made()
	if err != nil {
		return err
	}
	made.Part, made.Sources = store.PartPairs, string(config.Encoded(sources))
	setOf, _ := r.setOf()
	write, err := r.recording(slices.Concat(r.preferred, r.given(setOf)), setOf)
	if err != nil {
		return err
	}
	some := r.only != nil || r.samplesOnly
	if some { // the other judges' cells stay planned
		names = nil
	}
	var retired []string
	if r.AllSets && !some {
		recorded, err := r.Store.PairSets()
		if err != nil {
			return err
		}
		retired = data.Where(data.Each(recorded, func(s store.PairSet) string { return s.Name }),
			func(name string) bool { return !slices.Contains(names, name) })
	}
	r.begun, err = begin(r.Store, made, func(b store.Batch) error {
		err := errors.Join(b.PairSets(r.Sets), b.RetireCells(names))
		if err == nil {
			err = write(b)
		}
		return errors.Join(err, b.RetirePairSets(retired))
	})
	return err
}

// recording returns a function that writes, in one transaction, what is planned about pairs. It deletes outdated preferences, then records
// the given preferences, the judges and the cells of the planned jobs.
func (r *pairing) recording(planned []*pairCell, setOf map[string]string) (write func(store.Batch) error, err error) {
	judges := data.Each(r.Judges, func(j parties.PairJudge) store.Participant { return j.Participant })
	var cells []store.PlanCell
	var outdated []store.At
	for _, c := range planned {
		if !slices.Contains(judges, c.judge.Participant) {
			judges = append(judges, c.judge.Participant)
		}
		cells = append(cells, c.byOrder()...)
		places, err := r.outdated(c, setOf)
		if err != nil {
			return nil, err
		}
		outdated = append(outdated, places...)
		if len(places) > 0 && c.given {
			r.say("%s on %s: %s deleted or replaced, which this input does not have, or has otherwise; give all preferences of a judge or "+
				"person on a set together, or import without --pairs and with --keep %s", c.Judge, c.Dataset,
				data.Plural(len(places), "preference", "preferences"), c.Judge)
		}
	}
	return func(b store.Batch) error {
		if err := b.Drop(outdated); err != nil {
			return err
		}
		for _, g := range r.Given {
			about := store.PreferenceAbout{Fingerprint: config.HashOf("given", g), Detail: data.Detail{Strength: g.Strength}}
			if err := b.Preference(g, about, nil); err != nil {
				return err
			}
		}
		return b.SetPlan(store.FromPairs, nil, judges, cells)
	}, nil
}

// outdated returns the places of recorded preferences of a job's judge that no longer count. They were made with other inputs, or are on
// pairs of the set that are no longer planned: outside a smaller sample, or in another order. The calls behind them stay on record.
func (r *pairing) outdated(c *pairCell, setOf map[string]string) (places []store.At, err error) {
	states, err := r.Store.States(store.PlanCell{Kind: store.KindPreference, Judge: c.Judge, Method: c.Method})
	for it := range c.items {
		place := c.place(it)
		if state, recorded := states[place]; recorded && c.fingerprint(it) != state.Fingerprint {
			places = append(places, place)
		}
		delete(states, place)
	}
	for place := range states {
		if setOf[place.Subject] == c.Dataset {
			places = append(places, place)
		}
	}
	return places, err
}
