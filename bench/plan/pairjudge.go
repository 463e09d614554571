package plan

import (
	"cmp"
	"context"
	"maps"
	"strings"

	"compqa/bench/config"
	"compqa/bench/parties"
	"compqa/bench/run"
	"compqa/data"
	"compqa/judges/pairwise"
	"compqa/results/store"
)

// A PairItem is one pair to be shown in one order.
type PairItem struct {
	Pair        store.SetPair
	Order       string
	fingerprint string
	decide      pairwise.Judge
}

// A pairWork is the work of one judge on one set.
type pairWork struct {
	judge *parties.PairJudge
	Set   string
	Items []PairItem
	note  string // why it cannot be done
	calls int    // for one item
}

// layOut plans the decisions: every judge decides on every pair of the sets that it is asked about,
// except outside its sample and for imported answers that cost money. A pair with a bias belongs to
// the same sample as the pair that it is made of. entry is the entry of a set.
func layOut(judges []parties.PairJudge, sets []store.PairSet, entry map[string]config.PairSet, imported map[string]bool,
	seed int64) []pairWork {
	var all []pairWork
	for i := range judges {
		j := &judges[i]
		var asked []store.PairSet
		for _, set := range sets {
			if j.Ref == nil || j.Ref.On(entry[set.Name].Name) || j.Ref.On(set.Name) {
				asked = append(asked, set)
			}
		}
		keep := chosen(j, asked, imported, seed)
		for _, set := range asked {
			d := j.On(entry[set.Name].Name)
			work := pairWork{judge: j, Set: set.Name, calls: d.Calls}
			for _, p := range set.Pairs {
				if !keep[cmp.Or(p.Base, p.ID)] {
					continue
				}
				for _, order := range entry[set.Name].Orders() {
					work.Items = append(work.Items, PairItem{p, order, d.Fingerprint(p), d.Decide})
				}
			}
			if len(work.Items) > 0 {
				all = append(all, work)
			}
		}
	}
	return all
}

// chosen are the ids of the pairs that a judge judges: all that it may, or its sample, the same for
// every judge with that number, in proportion to sets, scenarios and pairs of systems.
func chosen(j *parties.PairJudge, sets []store.PairSet, imported map[string]bool, seed int64) map[string]bool {
	strata := map[string][]string{}
	var names []string
	total := 0
	for _, set := range sets {
		if set.Base != "" {
			continue
		}
		for _, p := range set.Pairs {
			if !j.Imported && (imported[p.SystemA] || imported[p.SystemB]) && p.AnswerA != "" {
				continue
			}
			stratum := strings.Join([]string{set.Name, p.Scenario, p.SystemA, p.SystemB}, "\x00")
			if strata[stratum] == nil {
				names = append(names, stratum)
			}
			strata[stratum] = append(strata[stratum], p.ID)
			total++
		}
	}
	sizes := make([]int, len(names))
	for i, name := range names {
		sizes[i] = len(strata[name])
	}
	shares := sizes
	if j.Sample > 0 && j.Sample < total {
		shares = config.Proportional(j.Sample, sizes)
	}
	keep := map[string]bool{}
	for i, name := range names {
		if shares[i] == sizes[i] {
			for _, id := range strata[name] {
				keep[id] = true
			}
			continue
		}
		maps.Copy(keep, config.Smallest(strata[name], shares[i], seed))
	}
	return keep
}

// prefer lets a judge decide on the item.
func (it PairItem) prefer(ctx context.Context, ask run.Asker, j *parties.PairJudge) run.Item {
	o := it.decide(ctx, pairwise.Show(it.Pair.Pair, it.Order), ask.Roles(j.Providers))
	p := data.Preference{ID: it.Pair.ID, Judge: j.Name, Method: j.Method, Order: it.Order, Status: o.Status,
		Choice: string(o.Choice.In(it.Order)), Rationale: o.Rationale, Reason: o.Reason}
	about := store.PreferenceAbout{Fingerprint: it.fingerprint, Detail: o.Detail}
	return run.Item{Status: p.Status, Write: func(b store.Batch, calls []int64) error { return b.Preference(p, about, calls) }}
}

// key identifies a judge's preference on an item.
func (it PairItem) key(j *parties.PairJudge) store.PreferenceKey {
	return store.PreferenceKey{ID: it.Pair.ID, Judge: j.Name, Method: j.Method, Order: it.Order}
}
