// Package cli has what the commands share: flags, streams, signals, and output on a terminal, as JSON and as a log. It also asks whether a
// configuration by somebody else may send secrets. It knows nothing about tasks, which are in package run.
package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"os"
	"os/signal"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"compqa/bench/config"
)

// Command returns a command that checks its number of arguments. The words after the name in use give that number: NAME is a required
// argument, [NAME] an optional one, and NAME… takes any number. A wrong number is a usage error with a hint where the cause is known.
func Command(use, short string, do func(cmd *cobra.Command, args []string) error) *cobra.Command {
	least, most := arguments(use)
	return &cobra.Command{Use: use, Short: short, RunE: do, Args: func(cmd *cobra.Command, args []string) error {
		if len(args) < least || len(args) > most {
			text := "usage: " + cmd.UseLine()
			out := cmd.Flags().Lookup("out")
			if flag := withoutEquals(cmd); flag != "" && len(args) > most {
				text += fmt.Sprintf("; a value of --%s follows a =, as in --%[1]s=%s", flag, args[0])
			} else if out != nil && most == 0 && len(args) == 1 && strings.Contains(out.Usage, "folder `DIR`") {
				text += "; the folder is --out DIR"
			}
			return config.Usagef("%s", text)
		}
		return nil
	}}
}

// withoutEquals returns the name of a flag that was given without its optional value, as --serve in "--serve ADDRESS"; "" if no flag was.
func withoutEquals(cmd *cobra.Command) (name string) {
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if f.NoOptDefVal != "" && f.Value.Type() == "string" && f.Value.String() == f.NoOptDefVal {
			name = f.Name
		}
	})
	return name
}

// OnRun returns a command that works on the folder of a recorded run. If the user leaves out the last argument, it is config.DefaultOut.
func OnRun(use, short string, do func(cmd *cobra.Command, args []string) error) *cobra.Command {
	least, _ := arguments(use)
	return Command(use, short, func(cmd *cobra.Command, args []string) error {
		if len(args) == least {
			args = append(args, config.DefaultOut)
		}
		return do(cmd, args)
	})
}

// flagsOfUse matches the flags with their values, and the | between alternatives, in the use text of a command.
var flagsOfUse = regexp.MustCompile(`\[?--\S+( [^\s|]+)?|\|`)

// arguments returns the smallest and the largest number of arguments that the use text of a command allows.
func arguments(use string) (least, most int) {
	for _, name := range strings.Fields(flagsOfUse.ReplaceAllString(use, ""))[1:] {
		most++
		if !strings.HasPrefix(name, "[") {
			least++
		}
		if strings.ContainsAny(name, "….") {
			most = math.MaxInt
		}
	}
	return least, most
}

// Require makes a command fail before it runs if a named flag has no value. The message names all flags that have none.
func Require(cmd *cobra.Command, names ...string) {
	cmd.PreRunE = func(cmd *cobra.Command, _ []string) error { return Missing(cmd, names...) }
}

// Missing returns a usage error that lists the named flags without a value, with the command's first example if it has one. It returns nil
// if all have a value.
func Missing(cmd *cobra.Command, names ...string) error {
	slices.Sort(names)
	var missing []string
	for _, name := range names {
		if cmd.Flag(name).Value.String() == "" {
			missing = append(missing, "--"+name)
		}
	}
	if missing == nil {
		return nil
	}
	needs := strings.Join(missing, " and ")
	if example, _, _ := strings.Cut(strings.TrimSpace(cmd.Example), "\n"); example != "" {
		command, _, _ := strings.Cut(example, "  #")
		return config.Usagef("%s needs %s, for example: %s; see `%[1]s --help`", cmd.CommandPath(), needs, strings.TrimSpace(command))
	}
	return config.Usagef("%s needs %s; see `%[1]s --help`", cmd.CommandPath(), needs)
}

// Flags are the flags of the commands that make calls to models and record the replies.
type Flags struct {
	Config, Out         string
	Limit, Concurrency  int
	RetryFailed, Strict bool
	SkipUnreachable     bool
	Log                 *slog.Logger // nil if nothing is logged
	Queue               string       // the URL of PostgreSQL, whose workers make the calls; "" if this program makes them
	Retain              bool         // replies stay in the queue's tables
	Serve               string       // the address at which the run's pages are served; "" if they are not

	allowUnknown bool
	trusted      bool
	budget       float64
	limited      bool // whether --budget overrides the configuration's budget
	verbose      bool
	format       string // the value of --log-format
}

// Add adds the flags to a command. It does not add --config, whose default differs between commands.
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

// Check returns a usage error if a flag has an invalid value. items names what --limit counts, such as "questions".
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

// FleetVersion returns the program's version and commit, by which the workers of a queue identify it.
func FleetVersion() string {
	program, revision := BuildVersion()
	return program + " (commit " + revision + ")"
}

// Configure applies to a configuration the values that the flags override.
func (f Flags) Configure(c *config.Config) {
	c.AllowUnknownPrices = f.allowUnknown
	c.Trusted = f.trusted
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

const (
	logText = "text"
	logJSON = "json"
)

// Logged runs do with the log that --verbose and --log-format ask for. With a log, standard error has no progress lines that are redrawn.
// In JSON format, standard error has only JSON records. The last record is then the error that ends the command.
func (f *Flags) Logged(ctx context.Context, streams Streams, do func(context.Context, Streams) error) error {
	if !f.verbose && f.format == "" {
		return do(ctx, streams)
	}
	options := &slog.HandlerOptions{Level: slog.LevelInfo}
	if f.verbose {
		options.Level = slog.LevelDebug
	}
	if f.format != logJSON {
		streams.Err = NewScreen(streams.Err) // hides a terminal, so that no status lines are drawn
		f.Log = slog.New(slog.NewTextHandler(streams.Err, options))
		return do(ctx, streams)
	}
	f.Log = slog.New(slog.NewJSONHandler(streams.Err, options))
	streams.Err = &lineLogger{log: f.Log}
	err := do(ctx, streams)
	if err != nil {
		f.Log.Error(err.Error())
		err = errors.Join(ErrSilent, err)
	}
	return err
}

// A lineLogger is a writer that logs each non-empty line written to it.
type lineLogger struct {
	log  *slog.Logger
	mu   sync.Mutex
	rest []byte
}

func (w *lineLogger) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.rest = append(w.rest, p...)
	for {
		line, rest, whole := bytes.Cut(w.rest, []byte("\n"))
		if !whole {
			return len(p), nil
		}
		if len(bytes.TrimSpace(line)) > 0 {
			w.log.Info(string(line))
		}
		w.rest = rest
	}
}

// ErrSilent marks an error that was already printed.
var ErrSilent = errors.New("")

// ErrInterrupted ends a command after Ctrl-C. ErrStopped does so in a command that keeps a record, from which it can continue.
var (
	ErrInterrupted = errors.New("stopped")
	ErrStopped     = fmt.Errorf("%w; all results so far are recorded, and the same command continues from there", ErrInterrupted)
)

// Streams are the input and outputs of a command.
type Streams struct {
	In       io.Reader
	Out, Err io.Writer
}

// ErrIncomplete ends a run that has finished although some items, for which models were called, have no valid result.
var ErrIncomplete = errors.New("some items have no valid result")

// StopSignals returns the signals that stop a command: Ctrl-C, SIGTERM and, except under nohup, SIGHUP.
func StopSignals() []os.Signal {
	if signal.Ignored(syscall.SIGHUP) {
		return []os.Signal{os.Interrupt, syscall.SIGTERM}
	}
	return []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP}
}

// Interruptible lets the user stop work in two steps. The first signal of StopSignals, such as Ctrl-C, calls drain. The second cancels the
// context running. The caller must call done at the end.
func Interruptible(ctx context.Context, drain func()) (running context.Context, done func()) {
	ctx, cancel := context.WithCancel(ctx)
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, StopSignals()...)
	go func() {
		for _, do := range []func(){drain, cancel} {
			select {
			case <-signals:
				do()
			case <-ctx.Done():
				return
			}
		}
	}()
	return ctx, func() {
		signal.Stop(signals)
		cancel()
	}
}

// BuildDate returns the date of the commit that the program was built from, or "unknown" if the Go toolchain did not record it.
func BuildDate() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if day, _, found := strings.Cut(s.Value, "T"); s.Key == "vcs.time" && found {
				return day
			}
		}
	}
	return "unknown"
}

// BuildVersion returns the program's version and the commit that it was built from. Each is "unknown" if the Go toolchain did not record
// it.
func BuildVersion() (version, revision string) {
	version = "unknown"
	revision = "unknown"
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return version, revision
	}
	if info.Main.Version != "" {
		version = info.Main.Version
	}
	modified := false
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			revision = s.Value
		case "vcs.modified":
			modified = s.Value == "true"
		}
	}
	if modified {
		revision += " with changes"
	}
	return version, revision
}
