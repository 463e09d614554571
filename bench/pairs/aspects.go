package pairs

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"go.yaml.in/yaml/v4"

	"compqa/bench/config"
	"compqa/bench/plan"
	"compqa/bench/run"
	"compqa/data"
	"compqa/judges/pairwise"
	"compqa/llm"
	"compqa/results/table"
)

// aspectsOf reads an entry's file of aspects. If the file does not exist, it is created
// with aspects that are extracted from pairs.
func (r *Session) aspectsOf(ctx context.Context, ref *config.PairwiseJudge) ([]string, error) {
	path := r.Config.AspectsPath(*ref)
	if path == "" {
		return nil, nil
	}
	names, found, err := config.ReadAspects(path)
	if err != nil || found {
		return names, err
	}
	models, providers := r.Config.PairwiseModels(*ref)
	provider := providers[pairwise.RoleAspects]
	if r.faults[provider] != "" {
		return config.SomeAspects, nil // nothing of this entry can be asked
	}
	corpus := r.corpus()
	extract := run.Task{Party: byPreference(ref.Name), Provider: provider, Calls: pairwise.ExtractCalls(len(corpus)), Do: func(ctx context.Context, ask run.Asker) (_ run.Item, err error) {
		names, err = pairwise.ExtractAspects(ctx, models[pairwise.RoleAspects], corpus, run.ConcurrencyOf(r.Config)[provider],
			func(ctx context.Context, role pairwise.Role, sample int, req llm.Request) (llm.Reply, error) {
				if !r.Assume && r.Stopped(ctx) { // it is one task, but of many calls
					return llm.Reply{}, context.Canceled
				}
				return ask(ctx, providers[role], sample, req)
			})
		return run.Item{Status: data.Pending}, err // it is kept in the file
	}}
	extraction := source(nil, "", func(yield func(run.Task, error) bool) { yield(extract, nil) })
	if r.Assume {
		r.Extractions = append(r.Extractions, extraction)
		return config.SomeAspects, nil
	}
	fmt.Fprintf(r.streams.Err, "%s: extracting aspects from %d pairs (%d calls)\n", ref.Name, len(corpus), extract.Calls)
	err = r.Run(ctx, []run.Source{extraction})
	switch {
	case r.Stopped(ctx):
		return nil, run.ErrStopped
	case err != nil:
		return nil, fmt.Errorf("pairwise judge %q: %w; write %s yourself, or set aspects to online", ref.Name, err, path)
	}
	return names, writeAspects(path, names, fmt.Sprintf("%d pairs of %s, by %s", len(corpus), r.Sets[0].Name, models[pairwise.RoleAspects].Name))
}

// corpusPairs is the number of pairs that aspects are extracted from, as in SC2's paper.
const corpusPairs = 50

// corpus are pairs drawn by the seed.
func (r *Session) corpus() []pairwise.Shown {
	at := map[string]data.Pair{}
	for _, set := range r.Sets {
		for _, p := range set.Pairs {
			if set.Base == "" {
				at[p.ID] = p.Pair
			}
		}
	}
	ids := slices.Collect(maps.Keys(at))
	var listed []pairwise.Shown
	for _, id := range slices.Sorted(maps.Keys(plan.Smallest(ids, min(corpusPairs, len(ids)), r.Config.Run.Seed))) {
		listed = append(listed, pairwise.Show(at[id], data.OrderAB))
	}
	return listed
}

// writeAspects writes aspects to a file; from is what they were extracted from.
func writeAspects(path string, names []string, from string) error {
	text, err := yaml.Marshal(struct {
		Aspects []string `yaml:"aspects"`
		From    string   `yaml:"from"`
	}{names, from})
	if err == nil {
		err = table.WriteFile(path, table.Text("# Aspects that pairs of answers are compared on. They may be edited.\n"+string(text)))
	}
	if err != nil {
		return fmt.Errorf("writing the aspects: %w", err)
	}
	return nil
}
