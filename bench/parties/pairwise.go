package parties

import (
	"cmp"
	"context"

	"compqa/bench/config"
	"compqa/data"
	"compqa/judges/pairwise"
	"compqa/llm"
	"compqa/results/store"
)

// A PairJudge is a pairwise judge that is ready to use.
type PairJudge struct {
	store.Participant
	Ref       *config.Judge      // its entry; an empty entry, or nil: no entry names the judge
	Under     map[string]Decider // by the name of the set; "": for sets without a task of their own
	Providers map[pairwise.Role]string
	Sample    int
	Imported  bool // it also judges imported answers
}

// A Decider decides on pairs under one task, which has the criterion, the prompts and the examples.
type Decider struct {
	Decide   pairwise.Judge
	Identity string // hash of everything that its choices depend on besides the pair
	Calls    int    // calls for one choice
}

// GivenPairJudge returns a judge whose preferences come from a file.
func GivenPairJudge(name, method string) *PairJudge {
	judge := &PairJudge{Participant: ofFile(name, "", "given preferences", nil).Participant}
	judge.Method = method
	return judge
}

// Party returns the party that is asked and pays, the same for all rounds of an entry. Without an entry it is the judge itself.
func (j PairJudge) Party() *Party {
	party := &Party{Participant: j.Participant}
	if j.Ref != nil {
		party = PairParty(j.Ref, j.Providers[pairwise.RolePreference])
	}
	party.Kind = j.Kind
	party.Name = cmp.Or(party.Name, j.Name)
	return party
}

// PairParty returns the party of an entry whose pairs are judged at a provider.
func PairParty(ref *config.Judge, provider string) *Party {
	party := live(ref.Name, ref.Family, ref.Asked, ref.Batch)
	party.Provider = provider
	return &party
}

// OfflinePairJudges returns the pairwise judges that ask no model: surface-pair, its calibrations, and the floors (first, longer, random).
// An entry can give such a judge another name.
func OfflinePairJudges(c *config.Config) (list []PairJudge, err error) {
	for _, m := range pairwise.Methods {
		if m.Live() {
			continue
		}
		refs := []config.Judge{{}} // the method itself, and its calibrations
		for _, ref := range c.JudgesOf(store.KindPreference) {
			switch {
			case ref.Method == m.Name && ref.Calibration != nil:
				refs = append(refs, *ref)
			case ref.Method == m.Name:
				refs[0] = *ref
			}
		}
		for _, ref := range refs {
			built, err := pairwise.New(pairwise.Options{Method: m.Name, Seed: c.Run.Seed, Calibration: ref.Calibration})
			if err != nil {
				return nil, err
			}
			who := store.Participant{Name: cmp.Or(ref.Name, m.Name), Kind: config.KindEmbedded, About: m.About, Method: m.Name,
				TrainedOn: ref.TrainedOn}
			if m.Floor {
				who.Kind = config.KindFloor
			}
			if ref.Calibration != nil {
				who.About = "fitted to " + ref.Calibration.FittedOn
			}
			list = append(list, PairJudge{Participant: who, Ref: &ref, Imported: true,
				Under: map[string]Decider{"": {Decide: built.Judge, Identity: built.Fingerprint}}})
		}
	}
	return list, nil
}

// LivePairJudges builds the judges of an entry, one for each of its repeats. If advised is not "", it stands for the rationale of another
// judge that the entry sees. Estimates use this.
func LivePairJudges(c *config.Config, ref *config.Judge, advised string) (list []PairJudge, err error) {
	models, providers := c.PairwiseModels(*ref)
	method, _ := pairwise.MethodNamed(ref.Method)
	about := ref.Model + " at " + ref.Provider
	if ref.Model == "" {
		about = models[pairwise.RolePreference].Name + " at " + providers[pairwise.RolePreference]
	}
	for round := 1; round <= max(1, ref.Repeats.Times); round++ {
		j := PairJudge{
			Participant: store.Participant{Name: ref.Name, Kind: config.KindModel,
				Family: ref.Family, About: about,
				Method: ref.Method, Hinted: method.Hinted, TrainedOn: ref.TrainedOn},
			Ref: ref, Under: map[string]Decider{}, Providers: providers, Sample: ref.Sample, Imported: ref.Imported != nil && *ref.Imported,
		}
		for _, set := range append([]config.PairSet{{}}, c.PairSets()...) {
			if set.Name != "" && (set.Task == config.Task{} || !ref.On(set.Name)) {
				continue
			}
			d, err := newDecider(c, ref, set.Task, advised)
			if err != nil {
				return nil, c.Wrong("pairwise", ref.Name, err)
			}
			j.Under[set.Name] = d
			if round > 1 {
				j.Name, j.Under[set.Name] = store.Round(ref.Name, round), d.forRound(round)
			}
		}
		list = append(list, j)
	}
	return list, nil
}

// newDecider builds what decides on pairs for an entry and a task. advised is as in LivePairJudges.
func newDecider(c *config.Config, ref *config.Judge, task config.Task, advised string) (Decider, error) {
	_, providers := c.PairwiseModels(*ref)
	copied := *ref
	if advised != "" {
		copied.RationaleFrom = ""
	}
	o, err := c.PairwiseOptions(copied, task)
	if err != nil {
		return Decider{}, err
	}
	built, err := pairwise.New(o)
	if err != nil {
		return Decider{}, err
	}
	if advised != "" && ref.RationaleFrom != "" {
		built.Judge = pairwise.WithAdvice(built.Judge, advised)
	}
	servers := data.Each(built.Roles, func(r pairwise.Role) string { return c.Providers[providers[r]].Server() })
	return Decider{Decide: built.Judge, Identity: config.HashOf(built.Fingerprint, servers, c.Run.Seed), Calls: built.Calls}, nil
}

// forRound returns the decider of a later round, which asks with other sample numbers.
func (d Decider) forRound(round int) Decider {
	const apart = 1000 // more than the sample numbers of a round
	decide := d.Decide
	d.Decide = func(ctx context.Context, s pairwise.OrderedPair, ask pairwise.Ask) pairwise.Opinion {
		return decide(ctx, s, func(ctx context.Context, role pairwise.Role, sample int, r llm.Request) (llm.Reply, error) {
			if pairwise.IsAdvice(role) { // all rounds see the same rationale
				return ask(ctx, role, sample, r)
			}
			return ask(ctx, role, sample+apart*(round-1), r)
		})
	}
	d.Identity = config.HashOf(d.Identity, round)
	return d
}

// Fingerprint returns the hash of everything that a choice on a pair depends on. For a hinted judge, this includes the label.
func (d Decider) Fingerprint(hinted bool, p store.SetPair) string {
	gold := data.NoChoice
	if hinted {
		gold = p.Label
	}
	return config.HashOf(d.Identity, p.ID, p.Question, p.A, p.B, gold, p.Object1, p.Object2, p.Aspect)
}
