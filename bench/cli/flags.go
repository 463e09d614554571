package cli

import (
	"log/slog"

	"github.com/spf13/cobra"

	"compqa/bench/config"
)

// Flags are the flags of the commands that make calls and record them.
type Flags struct {
	Config, Out         string
	Limit, Concurrency  int
	RetryFailed, Strict bool
	SkipUnreachable     bool
	Log                 *slog.Logger // nil: nothing is logged
	Queue               string       // PostgreSQL's URL; "": this program makes the calls
	Retain              bool         // replies stay in the queue's tables
	Serve               string       // the address of the pages; "": none

	allowUnknown bool
	trusted      bool
	budget       float64
	limited      bool // by --budget, in place of the configuration's budget
	verbose      bool
	format       string // of the log
}

// Add adds the flags to a command, except --config, whose default differs.
func (f *Flags) Add(cmd *cobra.Command, defaultOut, limitUsage string) {
	cmd.Flags().StringVar(&f.Out, "out", defaultOut, "the run's folder `DIR`, created if missing")
	cmd.Flags().IntVar(&f.Limit, "limit", 0, limitUsage)
	cmd.Flags().IntVar(&f.Concurrency, "concurrency", 0, "at most `N` calls in flight per provider; overrides the configuration")
	cmd.Flags().Float64Var(&f.budget, "budget", 0,
		"stop before the run costs more than `DOLLARS` in total; overrides the configuration; 0: no limit")
	cmd.Flags().BoolVar(&f.allowUnknown, "allow-unknown-prices", false,
		"accept a budget although some prices are unknown; calls of unknown price are not counted")
	cmd.Flags().BoolVar(&f.trusted, "trust", false, TrustUsage)
	cmd.Flags().BoolVar(&f.RetryFailed, "retry-failed", false,
		"ask again where a call failed, was refused or truncated, or its reply could not be read")
	cmd.Flags().BoolVar(&f.Strict, "strict", false, "stop before anything is asked if a model or judge is unreachable or has no key")
	cmd.Flags().BoolVar(&f.SkipUnreachable, "skip-unreachable", false,
		"exit with 0 although models or judges were skipped because they are unreachable or have no key")
	cmd.Flags().StringVar(&f.Queue, "queue", "", "have the workers at the PostgreSQL `URL` make the calls (see compqa fleet worker --help)")
	cmd.Flags().BoolVar(&f.Retain, "retain", false, "with --queue, keep replies in the queue's tables")
	cmd.Flags().BoolVarP(&f.verbose, "verbose", "v", false,
		"log every request to a model on standard error; without it, --log-format logs failed requests only")
	cmd.Flags().StringVar(&f.format, "log-format", "", "log as `FORMAT`, text or json; with json, standard error has only JSON records")
}

// Check checks the flags; items are what --limit counts.
func (f *Flags) Check(cmd *cobra.Command, items string) error {
	f.limited = cmd.Flags().Changed("budget")
	switch {
	case f.Limit < 0:
		return config.Usagef("--limit is %d; it must be a number of %s", f.Limit, items)
	case f.Concurrency < 0 || f.Concurrency > config.MostAtOnce:
		return config.Usagef("--concurrency is %d; it must be a number of calls, at most %d", f.Concurrency, config.MostAtOnce)
	case !(f.budget >= 0):
		return config.Usagef("--budget is %v; it must be US dollars, 0 or more", f.budget)
	case f.Retain && f.Queue == "":
		return config.Usagef("--retain needs --queue, whose tables keep the replies")
	case f.format != "" && f.format != logText && f.format != logJSON:
		return config.Usagef("--log-format is %q; must be %s or %s", f.format, logText, logJSON)
	}
	return nil
}

// FleetVersion identifies the program to the workers of a queue.
func FleetVersion() string {
	program, revision := BuildVersion()
	return program + " (commit " + revision + ")"
}

// Configure sets what the flags override in a configuration.
func (f Flags) Configure(c *config.Config) {
	c.AllowUnknownPrices, c.Trusted = f.allowUnknown, f.trusted
	if f.limited {
		c.Run.Budget = f.budget
	}
	if f.Concurrency == 0 {
		return
	}
	c.Run.Concurrency = f.Concurrency
	for name, p := range c.Providers {
		p.Concurrency = f.Concurrency
		c.Providers[name] = p
	}
}
