package bench

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"compqa/judges/pairwise"
)

var errNothingToInject = errors.New("--inject: people's preference is known of no pair, so that there is nothing to speak against")

// inject adds the sets with biases in them.
func (r *pairwiseRun) inject(ctx context.Context) error {
	biases, _ := r.flags.biases() // checked with the flags
	if len(biases) == 0 {
		return nil
	}
	rewrite, by := pairwise.Rewriter(pairwise.OfflineRewriter), "by word lists, without a model"
	m, err := r.rewriterModel()
	if err != nil {
		return err
	}
	if m != nil {
		if fault := r.faults[m.Provider]; fault != "" {
			return fmt.Errorf("--rewriter %s: provider %s cannot be used: %s", m.Name, m.Provider, fault)
		}
		var calls []string
		lanes := map[pairwise.Role]string{pairwise.RolePreference: m.Provider}
		rewrite, by = pairwise.ModelRewriter(pairwise.Model{Name: m.Model, Options: m.Options, Extra: m.Extra}, r.ask(m.Name, lanes, &calls)), "by "+m.Name
	}
	sets, err := injected(ctx, r.sets, biases, rewrite, by, r.streams.Err)
	if err != nil {
		return err
	}
	if len(sets) == 0 {
		return usageError{errNothingToInject}
	}
	r.sets = append(r.sets, sets...)
	return nil
}

// rewriterModel is the entry under models that --rewriter names, nil for none.
func (r *pairwiseRun) rewriterModel() (*Model, error) {
	if r.flags.rewriter == "" {
		return nil, nil
	}
	var known []string
	for i := range r.config.Models {
		m := &r.config.Models[i]
		if _, live := r.config.Providers[m.Provider]; !live {
			continue
		}
		if m.Name == r.flags.rewriter {
			return m, nil
		}
		known = append(known, m.Name)
	}
	return nil, usageError{fmt.Errorf("--rewriter is %q; it takes the name of a live model under models (%s)", r.flags.rewriter, strings.Join(known, ", "))}
}
