package pairs

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"compqa/bench/config"
	"compqa/bench/run"
	"compqa/data"
	"compqa/judges/pairwise"
	"compqa/results/store"
)

var errNothingToInject = errors.New("--inject needs pairs with a known human preference, and there are none")

// inject adds the sets with biases.
func (r *Session) inject(ctx context.Context) error {
	biases, _ := r.flags.biases() // checked with the flags
	if len(biases) == 0 {
		return nil
	}
	by := "by word lists, without a model"
	m, err := r.rewriterModel()
	if err != nil {
		return err
	}
	if m != nil {
		if fault := r.faults[m.Provider]; fault != "" {
			return fmt.Errorf("--rewriter %s: provider %s cannot be used: %s", m.Name, m.Provider, fault)
		}
		by = "by " + m.Name
	}
	var sets []store.PairSet
	for _, bias := range biases {
		for _, set := range r.Sets {
			out := store.PairSet{Name: set.Name + "+" + bias.String(), Source: set.Name + ", rewritten " + by, Base: set.Name, Bias: bias.String(),
				Adversarial: bias.Adversarial(), Margin: set.Margin}
			if out.Pairs, err = r.rewritten(ctx, set, bias, m); err != nil {
				return err
			}
			if len(out.Pairs) > 0 {
				sets = append(sets, out)
			}
		}
	}
	if len(sets) == 0 {
		return config.UsageError{Err: errNothingToInject}
	}
	r.Sets = append(r.Sets, sets...)
	return nil
}

// rewritten are the pairs of a set with a known better answer, rewritten with a bias by a
// model or, if m is nil, by word lists. Pairs that cannot be rewritten are left out, and the
// reasons are printed.
func (r *Session) rewritten(ctx context.Context, set store.PairSet, bias pairwise.Bias, m *config.Model) ([]store.SetPair, error) {
	listed, faults := make([]data.Pair, len(set.Pairs)), make([]error, len(set.Pairs))
	tasks := func(yield func(run.Task, error) bool) {
		for i, p := range set.Pairs {
			if !p.Label.Decided() {
				continue
			}
			t := run.Task{Do: func(ctx context.Context, ask run.Asker) (run.Item, error) {
				rewrite := pairwise.OfflineRewriter
				if m != nil {
					model := pairwise.Model{Name: m.Model, Options: m.AllOptions(), Extra: m.Extra}
					rewrite = pairwise.ModelRewriter(model, ask.Roles(map[pairwise.Role]string{pairwise.RolePreference: m.Provider}))
				}
				listed[i], faults[i] = bias.Inject(ctx, p.Pair, rewrite)
				return run.Item{Status: data.Pending}, nil // its call is on record, and no more is needed
			}}
			if m != nil {
				t.Party, t.Provider, t.Calls = byPreference(m.Name), m.Provider, 1
			}
			if !yield(t, nil) {
				return
			}
		}
	}
	if err := r.Run(ctx, []run.Source{source(nil, "", tasks)}); err != nil {
		return nil, err
	}
	if r.Stopped(ctx) {
		return nil, run.ErrStopped
	}
	var out []store.SetPair
	for i, p := range set.Pairs {
		switch {
		case !p.Label.Decided():
		case faults[i] != nil:
			fmt.Fprintf(r.streams.Err, "left out of %s with the bias %s: %v\n", set.Name, bias, faults[i])
		default:
			pair := listed[i]
			pair.ID += "+" + bias.String()
			out = append(out, store.SetPair{Pair: pair, WordsA: pairwise.Length(pair.A), WordsB: pairwise.Length(pair.B), Base: p.ID})
		}
	}
	return out, nil
}

// rewriterModel is the entry under models that --rewriter names, nil for none.
func (r *Session) rewriterModel() (*config.Model, error) {
	if r.flags.Rewriter == "" {
		return nil, nil
	}
	var known []string
	for i := range r.Config.Models {
		m := &r.Config.Models[i]
		if _, live := r.Config.Providers[m.Provider]; !live {
			continue
		}
		if m.Name == r.flags.Rewriter {
			return m, nil
		}
		known = append(known, m.Name)
	}
	return nil, config.UsageError{Err: fmt.Errorf("--rewriter is %q; it must be the name of a live model under models (%s)", r.flags.Rewriter, strings.Join(known, ", "))}
}
