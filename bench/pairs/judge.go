package pairs

import (
	"context"

	"compqa/bench/config"
	"compqa/judges/pairwise"
	"compqa/llm"
	"compqa/results/preferences"
	"compqa/results/store"
)

// A PairJudge is a pairwise judge that is ready to use.
type PairJudge struct {
	store.PairwiseJudge
	ref       *config.PairwiseJudge // nil: a judge that no entry asks for
	Decide    pairwise.Judge
	identity  string // all that its preferences depend on beside the pair
	Providers map[pairwise.Role]string
	calls     int // for one preference
	Sample    int
	Imported  bool // judges imported answers too
}

// provider is the provider of its tasks.
func (j PairJudge) provider() string { return j.Providers[pairwise.RolePreference] }

// Live reports whether it asks models.
func (j PairJudge) Live() bool { return j.Kind == config.KindModel }

// OfflinePairJudges are surface-pair and the floors, with the names that entries
// give them.
func OfflinePairJudges(c *config.Config) ([]PairJudge, error) {
	var list []PairJudge
	for _, method := range pairwise.Methods {
		if method.Live() {
			continue
		}
		name, trainedOn := method.Name, ""
		for _, ref := range c.Pairwise {
			if ref.Method == method.Name && ref.Calibration == nil {
				name, trainedOn = ref.Name, ref.TrainedOn
			}
		}
		add := func(name, trainedOn string, own *pairwise.Calibration) error {
			built, err := pairwise.New(pairwise.Options{Method: method.Name, Seed: c.Run.Seed, Calibration: own})
			if err != nil {
				return err
			}
			kind, about := config.KindEmbedded, method.About
			if method.Floor {
				kind = config.KindFloor
			}
			if own != nil {
				about = "fitted to " + own.FittedOn
			}
			list = append(list, PairJudge{PairwiseJudge: store.PairwiseJudge{Participant: store.Participant{Name: name, Kind: kind, About: about}, Method: method.Name, TrainedOn: trainedOn},
				Decide: built.Judge, identity: built.Fingerprint, Imported: true})
			return nil
		}
		if err := add(name, trainedOn, nil); err != nil {
			return nil, err
		}
		for _, ref := range c.Pairwise {
			if ref.Method == method.Name && ref.Calibration != nil {
				if err := add(ref.Name, ref.TrainedOn, ref.Calibration); err != nil {
					return nil, err
				}
			}
		}
	}
	return list, nil
}

// LivePairJudges builds the judges of an entry, one for each round of its repeats. aspects are what
// its file holds.
func LivePairJudges(c *config.Config, ref *config.PairwiseJudge, aspects []string) (list []PairJudge, err error) {
	for round := 1; round <= max(1, ref.Repeats); round++ {
		j, err := livePairJudge(c, ref, aspects)
		if err != nil {
			return nil, err
		}
		if round > 1 {
			j.again(round)
		}
		list = append(list, j)
	}
	return list, nil
}

// again makes the judge that of another round: its requests are those of other samples.
func (j *PairJudge) again(round int) {
	const apart = 1000 // more than the samples of a round
	decide := j.Decide
	j.Decide = func(ctx context.Context, s pairwise.Shown, ask pairwise.Ask) pairwise.Opinion {
		return decide(ctx, s, func(ctx context.Context, role pairwise.Role, sample int, r llm.Request) (llm.Reply, error) {
			if pairwise.IsAdvice(role) { // all rounds are shown the same rationale
				return ask(ctx, role, sample, r)
			}
			return ask(ctx, role, sample+apart*(round-1), r)
		})
	}
	j.Name, j.identity = preferences.Round(j.Name, round), config.HashOf(j.identity, round)
}

func livePairJudge(c *config.Config, ref *config.PairwiseJudge, aspects []string) (PairJudge, error) {
	models, providers := c.PairwiseModels(*ref)
	var built pairwise.Built
	o, err := c.PairwiseOptions(*ref, models, aspects)
	if err == nil {
		built, err = pairwise.New(o)
	}
	if err != nil {
		return PairJudge{}, c.Locate(config.At("pairwise", ref.Name, config.Named("pairwise judge", ref.Name, err)))
	}
	method, _ := pairwise.MethodNamed(ref.Method)
	var servers []string
	for _, r := range built.Roles {
		servers = append(servers, c.Providers[providers[r]].Server())
	}
	about := ref.Model + " at " + ref.Provider
	if ref.Model == "" {
		about = models[pairwise.RolePreference].Name + " at " + providers[pairwise.RolePreference]
	}
	return PairJudge{
		PairwiseJudge: store.PairwiseJudge{Participant: store.Participant{Name: ref.Name, Kind: config.KindModel, Family: ref.Family, About: about},
			Method: ref.Method, Hinted: method.Hinted, TrainedOn: ref.TrainedOn},
		ref: ref, Decide: built.Judge, identity: config.HashOf(built.Fingerprint, servers, c.Run.Seed), Providers: providers, calls: built.Calls,
		Sample: ref.Sample, Imported: ref.Imported != nil && *ref.Imported,
	}, nil
}
