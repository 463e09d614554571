package plan

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"compqa/bench/config"
	"compqa/bench/run"
	"compqa/data"
	"compqa/judges/pairwise"
	"compqa/llm"
	"compqa/results/preferences"
	"compqa/results/store"
)

// A PairJudge is a pairwise judge that is ready to use.
type PairJudge struct {
	store.PairwiseJudge
	ref       *config.PairwiseJudge // with nothing set: a judge that no entry asks for
	decider                         // under the task of sets that have none of their own
	under     map[string]decider    // by the name of a set with a task
	Providers map[pairwise.Role]string
	Sample    int
	Imported  bool // judges imported answers too
}

// A decider decides on pairs under one task.
type decider struct {
	Decide   pairwise.Judge
	identity string // all that its preferences depend on beside the pair
	calls    int    // for one preference
}

// on is how the judge decides on the pairs of a set's entry.
func (j *PairJudge) on(set string) decider {
	if d, own := j.under[set]; own {
		return d
	}
	return j.decider
}

// provider is the provider of its tasks.
func (j PairJudge) provider() string { return j.Providers[pairwise.RolePreference] }

// Live reports whether it asks models.
func (j PairJudge) Live() bool { return j.Kind == config.KindModel }

// OfflinePairJudges are surface-pair and the floors, with the names that entries give them.
func OfflinePairJudges(c *config.Config) (list []PairJudge, err error) {
	add := func(m pairwise.Method, ref config.PairwiseJudge) error {
		built, err := pairwise.New(pairwise.Options{Method: m.Name, Seed: c.Run.Seed, Calibration: ref.Calibration})
		if err != nil {
			return err
		}
		who := store.Participant{Name: cmp.Or(ref.Name, m.Name), Kind: config.KindEmbedded, About: m.About}
		if m.Floor {
			who.Kind = config.KindFloor
		}
		if ref.Calibration != nil {
			who.About = "fitted to " + ref.Calibration.FittedOn
		}
		list = append(list, PairJudge{PairwiseJudge: store.PairwiseJudge{Participant: who, Method: m.Name, TrainedOn: ref.TrainedOn},
			ref: &ref, decider: decider{Decide: built.Judge, identity: built.Fingerprint}, Imported: true})
		return nil
	}
	for _, m := range pairwise.Methods {
		if m.Live() {
			continue
		}
		plain, own := config.PairwiseJudge{}, []config.PairwiseJudge{}
		for _, ref := range c.Pairwise {
			switch {
			case ref.Method == m.Name && ref.Calibration != nil:
				own = append(own, ref)
			case ref.Method == m.Name:
				plain = ref
			}
		}
		for _, ref := range append([]config.PairwiseJudge{plain}, own...) {
			if err := add(m, ref); err != nil {
				return nil, err
			}
		}
	}
	return list, nil
}

// LivePairJudges builds the judges of an entry, one for each round of its repeats. With advised, the
// rationale of another judge that the entry is shown is this text, as estimates assume.
func LivePairJudges(c *config.Config, ref *config.PairwiseJudge, advised string) (list []PairJudge, err error) {
	models, providers := c.PairwiseModels(*ref)
	method, _ := pairwise.MethodNamed(ref.Method)
	about := ref.Model + " at " + ref.Provider
	if ref.Model == "" {
		about = models[pairwise.RolePreference].Name + " at " + providers[pairwise.RolePreference]
	}
	for round := 1; round <= max(1, ref.Repeats); round++ {
		j := PairJudge{
			PairwiseJudge: store.PairwiseJudge{Participant: store.Participant{Name: ref.Name, Kind: config.KindModel, Family: ref.Family, About: about},
				Method: ref.Method, Hinted: method.Hinted, TrainedOn: ref.TrainedOn},
			ref: ref, under: map[string]decider{}, Providers: providers, Sample: ref.Sample, Imported: ref.Imported != nil && *ref.Imported,
		}
		for _, set := range append([]config.PairSet{{}}, c.PairSets()...) {
			if set.Name != "" && (set.Task == config.Task{} || !ref.On(set.Name)) {
				continue
			}
			d, err := newDecider(c, ref, set.Task, advised)
			if err != nil {
				return nil, c.Locate(config.At("pairwise", ref.Name, config.Named("pairwise judge", ref.Name, err)))
			}
			if round > 1 {
				d = d.again(round)
			}
			if j.under[set.Name] = d; set.Name == "" {
				j.decider = d
			}
		}
		if round > 1 {
			j.Name = preferences.Round(j.Name, round)
		}
		list = append(list, j)
	}
	return list, nil
}

func newDecider(c *config.Config, ref *config.PairwiseJudge, task config.Task, advised string) (decider, error) {
	models, providers := c.PairwiseModels(*ref)
	own := *ref
	if advised != "" {
		own.RationaleFrom = ""
	}
	o, err := c.PairwiseOptions(own, models, task)
	if err != nil {
		return decider{}, err
	}
	built, err := pairwise.New(o)
	if err != nil {
		return decider{}, err
	}
	if advised != "" && ref.RationaleFrom != "" {
		built.Judge = pairwise.WithAdvice(built.Judge, advised)
	}
	var servers []string
	for _, r := range built.Roles {
		servers = append(servers, c.Providers[providers[r]].Server())
	}
	return decider{Decide: built.Judge, identity: config.HashOf(built.Fingerprint, servers, c.Run.Seed), calls: built.Calls}, nil
}

// again is the decider of another round: its requests are those of other samples.
func (d decider) again(round int) decider {
	const apart = 1000 // more than the samples of a round
	decide := d.Decide
	d.Decide = func(ctx context.Context, s pairwise.Shown, ask pairwise.Ask) pairwise.Opinion {
		return decide(ctx, s, func(ctx context.Context, role pairwise.Role, sample int, r llm.Request) (llm.Reply, error) {
			if pairwise.IsAdvice(role) { // all rounds are shown the same rationale
				return ask(ctx, role, sample, r)
			}
			return ask(ctx, role, sample+apart*(round-1), r)
		})
	}
	d.identity = config.HashOf(d.identity, round)
	return d
}

// A PairItem is one pair to be shown in one order.
type PairItem struct {
	Pair        store.SetPair
	Order       string
	fingerprint string
	decide      pairwise.Judge
}

// A pairWork is the work of one judge on one set.
type pairWork struct {
	judge *PairJudge
	Set   string
	Items []PairItem
	note  string // why it cannot be done
	calls int    // for one item
}

// layOut plans the decisions: every judge decides on every pair of the sets that it is asked about,
// except outside its sample and for imported answers that cost money. A pair with a bias belongs to
// the same sample as the pair that it is made of. entry is the entry of a set.
func layOut(judges []PairJudge, sets []store.PairSet, entry map[string]config.PairSet, imported map[string]bool, seed int64) []pairWork {
	var all []pairWork
	for i := range judges {
		j := &judges[i]
		var asked []store.PairSet
		for _, set := range sets {
			if j.ref == nil || j.ref.On(entry[set.Name].Name) || j.ref.On(set.Name) {
				asked = append(asked, set)
			}
		}
		keep := j.chosen(asked, imported, seed)
		for _, set := range asked {
			d := j.on(entry[set.Name].Name)
			work := pairWork{judge: j, Set: set.Name, calls: d.calls}
			for _, p := range set.Pairs {
				if !keep[cmp.Or(p.Base, p.ID)] {
					continue
				}
				for _, order := range entry[set.Name].Orders() {
					work.Items = append(work.Items, PairItem{p, order, d.fingerprint(j.Hinted, p), d.Decide})
				}
			}
			if len(work.Items) > 0 {
				all = append(all, work)
			}
		}
	}
	return all
}

// fingerprint is the hash of all that a preference on a pair depends on.
func (d decider) fingerprint(hinted bool, p store.SetPair) string {
	gold := data.NoChoice
	if hinted {
		gold = p.Label
	}
	return config.HashOf(d.identity, p.ID, p.Question, p.A, p.B, gold, p.Object1, p.Object2, p.Aspect)
}

// DecideAs is how the judge decided on a pair with a fingerprint; nil: it decides in another way.
func (j *PairJudge) DecideAs(fingerprint string, p data.Pair) pairwise.Judge {
	for _, d := range append([]decider{j.decider}, slices.Collect(maps.Values(j.under))...) {
		if d.fingerprint(j.Hinted, store.SetPair{Pair: p}) == fingerprint {
			return d.Decide
		}
	}
	return nil
}

// chosen are the ids of the pairs that a judge judges: all that it may, or its sample, the same for
// every judge with that number, in proportion to sets, scenarios and pairs of systems.
func (j *PairJudge) chosen(sets []store.PairSet, imported map[string]bool, seed int64) map[string]bool {
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
		shares = Proportional(j.Sample, sizes)
	}
	keep := map[string]bool{}
	for i, name := range names {
		if shares[i] == sizes[i] {
			for _, id := range strata[name] {
				keep[id] = true
			}
			continue
		}
		maps.Copy(keep, Smallest(strata[name], shares[i], seed))
	}
	return keep
}

// prefer lets a judge decide on one item.
func (j *PairJudge) prefer(ctx context.Context, ask run.Asker, it PairItem) run.Item {
	o := it.decide(ctx, pairwise.Show(it.Pair.Pair, it.Order), ask.Roles(j.Providers))
	p := data.Preference{ID: it.Pair.ID, Judge: j.Name, Method: j.Method, Order: it.Order, Status: o.Status, Choice: string(o.Choice.In(it.Order)), Rationale: o.Rationale}
	about := store.PreferenceAbout{Fingerprint: it.fingerprint, Reason: o.Reason, Detail: o.Detail}
	return run.Item{Status: p.Status, Write: func(b store.Batch, calls []int64) error { return b.Preference(p, about, calls) }}
}

// key identifies a judge's preference on an item.
func (it PairItem) key(j *PairJudge) store.PreferenceKey {
	return store.PreferenceKey{ID: it.Pair.ID, Judge: j.Name, Method: j.Method, Order: it.Order}
}
