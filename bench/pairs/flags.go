package pairs

import (
	"context"
	"fmt"
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
	run.Flags
	Pairs, Llmbar    string
	Judges           []string
	Order            string
	Margin           float64
	Inject           []string
	Rewriter, Grades string
	Format, In, Gold string
	Samples          int
	Product          bool
	NoHints          bool
	Grader           string // of sampled judgments; "": none
}

// Logged runs a command with the log of its flags.
func (f Flags) Logged(cmd *cobra.Command, streams run.Streams, do func(context.Context, Flags, run.Streams) error) error {
	if err := f.Check(cmd, "pairs"); err != nil {
		return err
	}
	return f.Flags.Logged(cmd.Context(), streams, func(ctx context.Context, streams run.Streams) error { return do(ctx, f, streams) })
}

// check checks the flags of pairs.
func (f Flags) check() error {
	switch {
	case f.Margin < 0:
		return fmt.Errorf("--margin is %v; it must be points, 0 or more", f.Margin)
	case f.Samples < 0:
		return fmt.Errorf("--samples is %d; it must be a number of samples", f.Samples)
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

// configuration checks the flags and reads the named file, or the default one if it
// exists. A command that needs no model works without.
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
	f.Configure(c)
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
		if !slices.Contains(known, name) {
			return nil, config.UsageError{Err: fmt.Errorf("there is no pairwise judge %q%s", name, data.Suggest(name, "pairwise judges", known))}
		}
	}
	return refs, nil
}
