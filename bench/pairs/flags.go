package pairs

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"compqa/bench/config"
	"compqa/bench/run"
	"compqa/data"
	"compqa/judges/pairwise"
)

// Flags are those of `compqa pairwise run` and `sample`.
type Flags struct {
	Config, Out        string
	Pairs, Llmbar      string
	Judges             []string
	Order              string
	Margin             float64
	Limit, Concurrency int
	Inject             []string
	Rewriter, Grades   string
	RetryFailed        bool
	Strict             bool
	Samples            int
	Product            bool
	NoHints            bool
	Sum                float64  // of --budget
	budget             *float64 // nil: as configured
	AllowUnknown       bool     // --allow-unknown-prices
	Log                run.LogFlags
	logger             *slog.Logger // nil: nothing is logged
}

// Logged runs a command with the log and the budget of its flags.
func (f Flags) Logged(cmd *cobra.Command, streams run.Streams, do func(context.Context, Flags, run.Streams) error) error {
	if err := f.Log.Check(); err != nil {
		return err
	}
	if cmd.Flags().Changed("budget") {
		f.budget = &f.Sum
	}
	streams, f.logger = f.Log.Open(streams)
	return f.Log.Tell(f.logger, do(cmd.Context(), f, streams))
}

// check checks the flags.
func (f Flags) check() error {
	switch {
	case f.Limit < 0:
		return fmt.Errorf("--limit is %d; must be a number of pairs", f.Limit)
	case f.Concurrency < 0:
		return fmt.Errorf("--concurrency is %d; must be a number of calls", f.Concurrency)
	case f.Margin < 0:
		return fmt.Errorf("--margin is %v; must be points, 0 or more", f.Margin)
	case f.budget != nil && !(*f.budget >= 0):
		return fmt.Errorf("--budget is %v; must be US dollars, 0 or more", *f.budget)
	case f.Samples < 0:
		return fmt.Errorf("--samples is %d; must be a number of samples", f.Samples)
	}
	if _, err := f.orders(); err != nil {
		return err
	}
	_, err := f.biases()
	return err
}

// orders are the orders in which pairs are shown.
func (f Flags) orders() ([]string, error) {
	switch f.Order {
	case "", "both":
		return data.Orders, nil
	case data.OrderAB, data.OrderBA:
		return []string{f.Order}, nil
	}
	return nil, fmt.Errorf("--order is %q; must be both, ab or ba", f.Order)
}

func (f Flags) biases() ([]pairwise.Bias, error) {
	var biases []pairwise.Bias
	for _, name := range f.Inject {
		bias, ok := pairwise.BiasNamed(name)
		if !ok {
			var known []string
			for _, b := range pairwise.Biases {
				known = append(known, b.String())
			}
			return nil, fmt.Errorf("--inject %q is unknown; the biases are %s", name, strings.Join(known, ", "))
		}
		biases = append(biases, bias)
	}
	return biases, nil
}

// configuration checks the flags and reads the named file, or the default one if it exists. A command that needs
// no model works without.
func (f Flags) configuration() (*config.Config, error) {
	if err := f.check(); err != nil {
		return nil, config.UsageError{Err: err}
	}
	path := f.Config
	if path == "" {
		if _, err := os.Stat(config.DefaultConfig); err != nil {
			return defaultPairwise()
		}
		path = config.DefaultConfig
	}
	c, err := config.Load(path)
	if err != nil {
		return nil, err
	}
	run.SetConcurrency(c, f.Concurrency)
	if f.budget != nil {
		c.Run.Budget = *f.budget
	}
	c.AllowUnknownPrices = f.AllowUnknown
	return c, nil
}

// defaultPairwise is a configuration that contains only the offline judges.
func defaultPairwise() (*config.Config, error) {
	c := &config.Config{Pairwise: []config.PairwiseJudge{{Method: pairwise.MethodSurface}}, Run: config.Run{Seed: 1, Concurrency: 8, Repair: 1}}
	if err := c.Check(); err != nil {
		return nil, config.UsageError{Err: err}
	}
	return c, nil
}

// Entries are the wanted entries of the configuration; --judge selects some of them.
func (f Flags) Entries(c *config.Config, wanted func(*config.PairwiseJudge) bool) ([]*config.PairwiseJudge, error) {
	var refs []*config.PairwiseJudge
	var known []string
	for i := range c.Pairwise {
		ref := &c.Pairwise[i]
		if !wanted(ref) {
			continue
		}
		known = append(known, ref.Name)
		if f.Judges == nil || slices.Contains(f.Judges, ref.Name) {
			refs = append(refs, ref)
		}
	}
	for _, name := range f.Judges {
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
