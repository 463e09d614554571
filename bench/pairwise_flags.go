package bench

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"compqa/bench/config"
	"compqa/data"
	"compqa/judges/pairwise"
)

// pairwiseFlags is what `compqa pairwise run` and `sample` are told beside their
// configuration.
type pairwiseFlags struct {
	config, out        string
	pairs, llmbar      string
	judges             []string
	order              string
	margin             float64
	limit, concurrency int
	inject             []string
	rewriter, grades   string
	retryFailed        bool
	strict             bool
	samples            int
	product            bool
	noHints            bool
	sum                float64  // of --budget
	budget             *float64 // nil: as configured
	log                logFlags
	logger             *slog.Logger // nil: nothing is logged
}

// logged does a command's work with the log and the budget that its flags ask for.
func (f pairwiseFlags) logged(cmd *cobra.Command, streams Streams, do func(context.Context, pairwiseFlags, Streams) error) error {
	if err := f.log.check(); err != nil {
		return err
	}
	if cmd.Flags().Changed("budget") {
		f.budget = &f.sum
	}
	streams, f.logger = f.log.open(streams)
	return f.log.tell(f.logger, do(cmd.Context(), f, streams))
}

// check looks at the flags.
func (f pairwiseFlags) check() error {
	switch {
	case f.limit < 0:
		return fmt.Errorf("--limit is %d; it takes a number of pairs", f.limit)
	case f.concurrency < 0:
		return fmt.Errorf("--concurrency is %d; it takes a number of calls", f.concurrency)
	case f.margin < 0:
		return fmt.Errorf("--margin is %v; it takes points, 0 or more", f.margin)
	case f.budget != nil && !(*f.budget >= 0):
		return fmt.Errorf("--budget is %v; it takes US dollars, 0 or more", *f.budget)
	case f.samples < 0:
		return fmt.Errorf("--samples is %d; it takes a number of samples", f.samples)
	}
	if _, err := f.orders(); err != nil {
		return err
	}
	_, err := f.biases()
	return err
}

// orders are those in which pairs are shown.
func (f pairwiseFlags) orders() ([]string, error) {
	switch f.order {
	case "", "both":
		return data.Orders, nil
	case data.OrderAB, data.OrderBA:
		return []string{f.order}, nil
	}
	return nil, fmt.Errorf("--order is %q; it is both, ab or ba", f.order)
}

func (f pairwiseFlags) biases() ([]pairwise.Bias, error) {
	var biases []pairwise.Bias
	for _, name := range f.inject {
		bias, ok := pairwise.BiasNamed(name)
		if !ok {
			var known []string
			for _, b := range pairwise.Biases {
				known = append(known, b.String())
			}
			return nil, fmt.Errorf("--inject %q is unknown; there are %s", name, strings.Join(known, ", "))
		}
		biases = append(biases, bias)
	}
	return biases, nil
}

// configuration is the one named, or the usual file where there is one; a
// command that needs no model can do without.
func (f pairwiseFlags) configuration() (*config.Config, error) {
	path := f.config
	if path == "" {
		if _, err := os.Stat(defaultConfig); err != nil {
			return defaultPairwise()
		}
		path = defaultConfig
	}
	c, err := config.Load(path)
	if err != nil {
		return nil, err
	}
	setConcurrency(c, f.concurrency)
	if f.budget != nil {
		c.Run.Budget = *f.budget
	}
	return c, nil
}

// defaultPairwise is a configuration with nothing in it but the judges that are
// always there.
func defaultPairwise() (*config.Config, error) {
	c := &config.Config{Pairwise: []config.PairwiseJudge{{Method: pairwise.MethodSurface}}, Run: config.Run{Seed: 1, Concurrency: 8, Repair: 1}}
	if err := c.Check(); err != nil {
		return nil, config.UsageError{Err: err}
	}
	return c, nil
}

// entries are those of the configuration that are wanted, or that --judge names.
func (f pairwiseFlags) entries(c *config.Config, wanted func(*config.PairwiseJudge) bool) ([]*config.PairwiseJudge, error) {
	var refs []*config.PairwiseJudge
	var known []string
	for i := range c.Pairwise {
		ref := &c.Pairwise[i]
		if !wanted(ref) {
			continue
		}
		known = append(known, ref.Name)
		if f.judges == nil || slices.Contains(f.judges, ref.Name) {
			refs = append(refs, ref)
		}
	}
	for _, name := range f.judges {
		if slices.Contains(known, name) {
			continue
		}
		if near := data.Nearest(name, known); near != "" {
			return nil, config.UsageError{Err: fmt.Errorf("there is no pairwise judge %q; did you mean %q?", name, near)}
		}
		return nil, config.UsageError{Err: fmt.Errorf("there is no pairwise judge %q (known: %s)", name, strings.Join(known, ", "))}
	}
	return refs, nil
}
