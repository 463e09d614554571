package verify

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"compqa/bench/config"
	"compqa/bench/plan"
	"compqa/bench/run"
	"compqa/data"
	"compqa/llm/limits"
	"compqa/results/archive"
	"compqa/results/store"
)

// The verdicts of a verification.
const (
	Verified    = "verified"     // everything was recomputed from this program and the questions
	Consistent  = "consistent"   // everything that can be recomputed was; some results cannot
	NotVerified = "not verified" // there is a difference, or results are missing without a reason
)

// CannotKnow is what no verification can know.
const CannotKnow = "No file can show that models gave these replies, that people gave these scores, or that no system, judge or run " +
	"was left out: " +
	"all of these can be fabricated. Checksums protect against accidents, not against the author of the record."

// A Rest is a number of results of one kind and party that a verdict depends on and that nobody can
// recompute from the export, or that are missing from it.
type Rest struct {
	Kind  string `json:"kind"`
	Party string `json:"party"`
	Count int    `json:"count"`
	Why   string `json:"why"`
}

func (r Rest) String() string {
	return fmt.Sprintf("%s of %s: %s", data.Plural(r.Count, r.Kind, r.Kind+"s"), r.Party, r.Why)
}

// add adds a number to the item of a kind, a party and a reason.
func add(list *[]Rest, r Rest) {
	if r.Count == 0 {
		return
	}
	for i := range *list {
		if of := &(*list)[i]; of.Kind == r.Kind && of.Party == r.Party && of.Why == r.Why {
			of.Count += r.Count
			return
		}
	}
	*list = append(*list, r)
}

// why are the reasons why results of parties of some kinds cannot be recomputed.
var why = map[string]string{
	config.KindModel:    "replies of a model",
	config.KindFile:     "from a file",
	config.KindImported: "imported",
	config.KindHuman:    "people's scores",
}

// rest counts the results that nobody can recompute, by kind and party.
func (c *Recheck) rest() error {
	entry, err := c.db.Entries()
	for _, k := range store.Kinds {
		if err != nil {
			return err
		}
		err = c.db.EachResult(k, func(r store.Result) error {
			reason := why[r.By]
			switch k.Name {
			case store.KindLabel:
				if j := summaryJudge(c.plan, r.Party); r.Party == data.OfflineClaims || j != nil && j.Kind != config.KindModel {
					return nil
				} else if reason = "of people or a file"; j != nil {
					reason = why[config.KindModel]
				}
			case store.KindGrade:
				reason = "of a model or of people"
			case store.KindSample:
				reason = why[config.KindModel]
			case store.KindPreference:
				r.Party = entry(r.Party)
			}
			if reason != "" && r.Status != data.Skipped && (r.Active && r.Origin != "" || k.Due == nil || k.Name == store.KindLabel) {
				add(&c.rests, Rest{k.Name, r.Party, 1, reason})
			}
			return nil
		})
	}
	if err != nil {
		return err
	}
	slices.SortStableFunc(c.rests, func(a, b Rest) int { return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Party, b.Party)) })
	return c.unasked(entry)
}

// unasked counts the pairs that a judge of pairs was not asked about, although about others of their set. Those outside its
// sample were not planned, if the recorded plan has as many pairs as the sample that is drawn again.
func (c *Recheck) unasked(entry func(judge string) string) error {
	cells, err := c.db.Coverage()
	left, failed := c.db.UnplannedPairs()
	planned := map[partyOf]int{}
	for _, cell := range cells {
		planned[partyOf{cell.Kind, cell.Party, cell.Method}] += cell.Planned
	}
	for _, m := range left {
		of := partyOf{store.KindPreference, m.Judge, m.Method}
		list, why := &c.absent, "pairs of the set "+m.Dataset+" that it was not asked about"
		if e := c.ends[of]; e != nil && e.sampled && e.tasks == planned[of] {
			list, why = &c.outside, "pairs of the set "+m.Dataset+" outside its sample"
		}
		add(list, Rest{store.KindPreference, entry(m.Judge), m.Count, why})
	}
	return cmp.Or(err, failed)
}

// pairsLeftOut are the pairs of each judge of pairs that are neither in its plan nor outside its sample: it was asked about
// others of their set, before there were so many.
func (c *Recheck) pairsLeftOut() (map[partyOf]int, error) {
	left, err := c.db.UnplannedPairs()
	n := map[partyOf]int{}
	for _, m := range left {
		if of := (partyOf{store.KindPreference, m.Judge, m.Method}); c.ends[of] != nil && !c.ends[of].sampled {
			n[of] += m.Count
		}
	}
	return n, err
}

// covered compares the plan with what is on record. A party without any result was not run, which is
// told, and so are results that a run which did not finish, or had no access to a provider, can have left out. Other results that
// are missing beside some of the same party leave the record unverified, since nothing shows why.
func (c *Recheck) covered() error {
	cells, err := c.db.Coverage()
	entry, failed := c.db.Entries()
	if err := cmp.Or(err, failed); err != nil {
		return err
	}
	ended := map[bool]string{} // why the run about pairs, and the other one, did not finish
	for pairs, part := range map[bool]string{false: store.PartAnswers, true: store.PartPairs} {
		if ended[pairs], err = c.whyUnfinished(part); err != nil {
			return err
		}
	}
	recorded, answered := map[partyOf]int{}, map[string]int{}
	waiting := map[store.Place]bool{} // where answers are missing because a provider could not be used, so that verdicts are, too
	for _, cell := range cells {
		if cell.Kind == store.KindAnswer && cell.Note != "" && cell.Recorded < cell.Planned {
			waiting[store.Place{System: cell.System, Scenario: cell.Scenario}] = c.live(partyOf{kind: cell.Kind, party: cell.Party})
		}
		recorded[partyOf{cell.Kind, cell.Party, cell.Method}] += cell.Recorded
		if cell.Kind == store.KindPreference {
			c.preferences += cell.Recorded
		}
		if cell.Kind == store.KindAnswer {
			answered[cell.System] += cell.Recorded
		}
	}
	rest := func(of partyOf, n int, why string) Rest {
		switch of.kind {
		case store.KindPreference:
			of.party = entry(of.party)
		case store.KindAnswer, store.KindVerdict:
		default:
			of.kind = "label (" + of.kind + ")"
		}
		return Rest{of.kind, of.party, max(0, n), why}
	}
	unasked, err := c.pairsLeftOut()
	if err != nil {
		return err
	}
	counted, why := map[partyOf]int{}, map[partyOf]string{} // missing results, and the reason
	for _, cell := range cells {
		of := partyOf{cell.Kind, cell.Party, cell.Method}
		missing := rest(of, cell.Planned-cell.Recorded, "on record are some of the planned results")
		counted[of] += missing.Count
		why[of] = ended[cell.Kind == store.KindPreference]
		if c.live(of) || waiting[store.Place{System: cell.System, Scenario: cell.Scenario}] {
			why[of] = cmp.Or(cell.Note, why[of])
		}
		switch {
		case cell.Kind != store.KindAnswer && cell.System != "" && answered[cell.System] == 0:
			missing.Why = "the system " + cell.System + " was not run"
			add(&c.absent, missing)
		case recorded[of] == 0:
			missing.Why = "it was not run"
			add(&c.absent, missing)
		case why[of] != "" && c.stopped(of):
			missing.Why = why[of]
			add(&c.absent, missing)
		default:
			add(&c.missing, missing)
		}
	}
	for _, of := range slices.SortedFunc(maps.Keys(c.ends), func(a, b partyOf) int { return cmp.Compare(fmt.Sprint(a), fmt.Sprint(b)) }) {
		found, planned := counted[of]
		if !planned {
			continue
		}
		missing := rest(of, c.ends[of].missing()-found-unasked[of], "on record are others in their place")
		if why[of] != "" && c.stopped(of) {
			missing.Why = why[of]
			add(&c.absent, missing)
		} else {
			add(&c.missing, missing)
		}
	}
	if n := total(c.missing); n > 0 {
		return archive.Differ("%s missing, and nothing on record shows why: first %s",
			data.Plural(n, "planned result is", "planned results are"), c.missing[0])
	}
	return nil
}

// NotCompared counts texts of an export by another version.
func (c *Recheck) NotCompared(v archive.Verified) {
	for _, name := range v.Other {
		add(&c.rests, Rest{"text", name, 1, "the words of another version of compqa; its numbers are those of the tables"})
	}
}

// Verdict is the verdict on an export without differences, and the verdict in a sentence.
func (c *Recheck) Verdict() (verdict, sentence string) {
	rests, absent := total(c.rests), total(c.absent)
	resting := data.Plural(rests, "result rests", "results rest") + " on replies or people that nobody can recompute"
	left := data.Plural(absent, "planned result was", "planned results were") + " not made"
	switch {
	case rests > 0 && absent > 0:
		return Consistent, "consistent, but " + resting + ", and " + left
	case rests > 0:
		return Consistent, "consistent, but " + resting
	case absent > 0:
		return Consistent, "consistent, but " + left
	}
	return Verified, Verified
}

func total(list []Rest) (n int) {
	for _, r := range list {
		n += r.Count
	}
	return n
}

// A partyOf is a party in the plan; the method is that of a judge of pairs.
type partyOf struct{ kind, party, method string }

// An ending is where the results of a party end. A run begins the tasks of a cell in a fixed order, so what a stop leaves
// out is the end of that order, and of the tasks in flight. Results that are missing elsewhere were removed.
type ending struct {
	groups  map[[2]any][]int64 // of each group's results in their order: the first call, or one of the constants below
	tasks   int
	allowed int  // tasks that can be in flight
	sampled bool // of a judge of pairs with a sample
	live    bool // asks a provider
}

// What an ending has of a result that was not read from a call.
const (
	notRecorded = -iota
	withoutCall // of a model: it could be recorded at any time
	madeOffline
)

// offlineGaps is the number of results of a party without a model that a stop can leave out before
// others: tasks that a worker took, but had not begun.
const offlineGaps = 2

// follow notes what is on record of the next task in a plan.
func (c *Recheck) follow(cfg *config.Config, t run.Task, r replayed) {
	if cell, is := t.Group.(*plan.Cell); t.Group == nil || is && cell.Contestant != nil && !cell.Contestant.Answers() {
		return // of a file, all of which are on record
	}
	key, group := partyOf{kind: t.Party.Kind, party: t.Party.Name}, [2]any{t.Group}
	switch t.At.Table {
	case "verdicts":
		group[1] = t.At.Key[2] // a run with more repeats has those of the one before it
	case "labels":
		key.kind, key.party = t.At.Key[2].(string), t.At.Key[1].(string)
	case "preferences":
		key.party, key.method = t.At.Key[1].(string), t.At.Key[2].(string)
	}
	e := c.ends[key]
	if e == nil {
		e = &ending{groups: map[[2]any][]int64{}, allowed: offlineGaps}
		e.sampled = slices.ContainsFunc(cfg.Pairwise, func(j config.PairwiseJudge) bool {
			return t.At.Table == "preferences" && j.Name == t.Party.Name && j.Sample > 0
		})
		if e.live = t.Provider != run.Offline; e.live {
			e.allowed = run.Workers(run.ConcurrencyOf(cfg)[t.Provider])
		}
		c.ends[key] = e
	}
	state := r.call
	switch {
	case !r.recorded:
		state = notRecorded
	case t.Provider == run.Offline:
		state = madeOffline
	case state == 0:
		state = withoutCall
	}
	e.groups[group] = append(e.groups[group], state)
	e.tasks++
	c.results[state]++
}

// live reports whether a party asks a provider.
func (c *Recheck) live(of partyOf) bool { return c.ends[of] != nil && c.ends[of].live }

// missing counts the results that are not on record.
func (e *ending) missing() (n int) {
	for _, group := range e.groups {
		n += len(data.Where(group, func(state int64) bool { return state == notRecorded }))
	}
	return n
}

// stopped reports whether a stop of the run can have left out what is missing of a party. A result whose call is also that
// of another one can be on record although those before it are not: its reply was there.
func (c *Recheck) stopped(party partyOf) bool {
	e := c.ends[party]
	if e == nil {
		return false
	}
	gaps := 0 // missing results before others of their group
	for _, group := range e.groups {
		missing := 0
		for _, state := range group {
			switch {
			case state == notRecorded:
				missing++
			case state == madeOffline || state > 0 && c.results[state] == 1:
				gaps, missing = gaps+missing, 0
			}
		}
	}
	return gaps <= e.allowed
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
	if b := budgets[""]; b.Limit > 0 {
		return fmt.Sprintf("the run did not finish (%s of its budget of %s are spent)", limits.Dollars(b.Spent()), limits.Dollars(b.Limit)), nil
	}
	return "the run did not finish", nil
}
