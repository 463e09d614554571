package bench

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"compqa/bench/attack"
	"compqa/bench/calibrate"
	"compqa/bench/config"
	"compqa/bench/importing"
	"compqa/bench/look"
	"compqa/bench/plan"
	"compqa/bench/run"
	"compqa/results/report"
	"compqa/results/store"
)

// runFlags are the flags of `compqa run`.
type runFlags struct {
	run.Flags
	release, only string
	reuse         []string
}

func runCommand(streams run.Streams) *cobra.Command {
	var f runFlags
	cmd := &cobra.Command{
		Use:   "run",
		Short: "Run the benchmark and write the reports",
		RunE: func(cmd *cobra.Command, _ []string) error {
			if f.only != "" && f.only != plan.OnlyAnswers && f.only != plan.OnlyVerdicts {
				return config.UsageError{Err: fmt.Errorf("--only is %q; must be %s or %s", f.only, plan.OnlyAnswers, plan.OnlyVerdicts)}
			}
			if err := f.Check(cmd, "questions"); err != nil {
				return err
			}
			return f.Logged(cmd.Context(), streams, func(ctx context.Context, streams run.Streams) error {
				end := func(error) {}
				err := f.run(ctx, streams, &end)
				end(err)
				return err
			})
		},
	}
	f.Add(cmd, config.DefaultOut, "use only the first `N` questions (0: all); recorded results of other questions stay in the reports")
	cmd.Flags().StringVar(&f.Config, "config", config.DefaultConfig, "the configuration `FILE`")
	cmd.Flags().StringVar(&f.release, "release", "", "import the CompQA authors' release from a checkout in `DIR`")
	cmd.Flags().StringVar(&f.only, "only", "", "do only one `PART`: answers or verdicts")
	cmd.Flags().StringVar(&f.Serve, "serve", "", "serve the pages of `compqa serve` at `ADDRESS` while it runs, and afterwards until Ctrl-C")
	cmd.Flags().Lookup("serve").NoOptDefVal = look.DefaultListen
	cmd.Flags().StringArrayVar(&f.reuse, "reuse", nil, "reuse replies to identical calls from the run in `DIR`; can be repeated")
	return cmd
}

// run runs the benchmark; end is to be called with its error once the record is closed.
func (f runFlags) run(ctx context.Context, streams run.Streams, end *func(error)) error {
	c, err := config.Load(f.Config)
	if err != nil {
		return err
	}
	f.Configure(c)
	var release *importing.Import
	if f.release != "" {
		if release, err = importing.ReadRelease(f.release); err != nil {
			return err
		}
	}
	p, err := plan.New(c, f.Limit, nil) // errors of the input come before anything is written
	if err == nil {
		err = run.CheckBudget(c)
	}
	if err != nil {
		return err
	}
	if f.Queue == "" {
		if err := run.Trust(c, c.LiveProviders(), streams.Err); err != nil {
			return err
		}
	}
	earlier, err := run.OpenEarlier(f.reuse, f.Out)
	if err != nil {
		return err
	}
	defer run.CloseEarlier(earlier, streams.Err)
	db, err := store.Create(f.Out)
	if err != nil {
		return err
	}
	defer db.Close()
	if release != nil {
		questions, err := c.LoadQuestions() // all of them, whatever --limit is
		if err != nil {
			return err
		}
		if _, err := release.Record(ctx, db, p.Rubric, questions, streams.Err); err != nil {
			return err
		}
	}
	if err := p.TakeImported(db, f.Limit); err != nil {
		return err
	}
	last, err := db.LastReport()
	if err != nil {
		return err
	}
	e := run.New(c, db, f.Log)
	e.Retry, e.Reuse = f.RetryFailed, earlier
	if *end, err = look.Beside(ctx, f.Serve, f.Out, e.Waits, streams); err != nil {
		return err
	}
	if err := f.Join(ctx, e, streams.Err); err != nil {
		return err
	}
	state, left, err := performRun(ctx, p, e, f, streams)
	if err != nil {
		return err
	}
	fresh, err := calibrate.ApplyConfigured(ctx, p, f.Out, db)
	if err != nil {
		return fmt.Errorf("calibrating judges: %w", err)
	}
	p.Changed = p.Changed || fresh
	if fresh, err = attack.RecordRun(ctx, p, db); err != nil {
		return fmt.Errorf("attacking judges: %w", err)
	}
	p.Changed = p.Changed || fresh
	if err := writeReports(p, db, last, config.HashOf(state, f.Out), f.Out, streams.Out); err != nil {
		return fmt.Errorf("writing the reports: %w", err)
	}
	if left != "" {
		return fmt.Errorf("%w: %s", run.ErrIncomplete, left)
	}
	if err := e.Unusable(f.SkipUnreachable); err != nil {
		return err
	}
	if err := outcomeOf(p, db, f.only); !errors.Is(err, errInvalid) {
		return err
	}
	again, err := plan.NewSources(p, db, true)
	if err != nil {
		return err
	}
	again.Assume = true
	advice, err := e.Advice(ctx, again.All(f.only))
	return cmp.Or(err, fmt.Errorf("%w; failures.csv lists them, and %s", errInvalid, advice))
}

// writeReports writes the reports, unless they exist and nothing they depend on has
// changed.
func writeReports(p *plan.Plan, db *store.Store, last store.Reported, state, dir string, out io.Writer) error {
	if p.Changed || last.State != state || !report.HasReports(dir) {
		var summary strings.Builder
		if err := report.Write([]string{dir}, "", &summary); err != nil {
			return err
		}
		last = store.Reported{State: state, Summary: summary.String()}
	}
	if _, err := io.WriteString(out, last.Summary); err != nil {
		return err
	}
	return db.SetReport(last)
}

// noteServers names the providers that have another address than in the last run: their
// recorded replies are kept.
func noteServers(c *config.Config, db *store.Store, w io.Writer) error {
	text, err := db.LastConfig()
	if err != nil || text == "" {
		return err
	}
	var before config.Config
	if err := json.Unmarshal([]byte(text), &before); err != nil {
		return fmt.Errorf("reading the recorded configuration: %w", err)
	}
	for _, name := range slices.Sorted(maps.Keys(c.Providers)) {
		was, known := before.Providers[name]
		if now := c.Providers[name]; known && fmt.Sprint(was.BaseURL, was.BaseURLs) != fmt.Sprint(now.BaseURL, now.BaseURLs) && now.Fingerprint == "" {
			fmt.Fprintf(w, "provider %s has another address than in the last run; recorded replies are kept (`fingerprint: url` asks again)\n", name)
		}
	}
	return nil
}

// performRun executes the plan. state is a hash of everything that the reports depend on
// besides answers and verdicts. left gives the reasons for calls that were not made, "" if
// all were.
func performRun(ctx context.Context, p *plan.Plan, e *run.Engine, f runFlags, streams run.Streams) (state, left string, err error) {
	if err := p.Connect(ctx, e, f.Strict, streams.Err); err != nil {
		return "", "", err
	}
	sources, err := plan.NewSources(p, e.Store, f.RetryFailed)
	if err == nil {
		err = e.Budgets.Charge(p.Config, e.Store)
	}
	if err != nil {
		return "", "", err
	}
	if err := noteServers(p.Config, e.Store, streams.Err); err != nil {
		return "", "", err
	}
	id, state, err := p.Begin(e.Store)
	if err != nil {
		return "", "", err
	}
	ctx, end := e.Start(ctx, streams.Err)
	sources.Record, sources.Exhausted = e.Record, e.Budgets.Exhausted
	e.ShowProgress(streams.Err, "cells", p.Parties(f.only))
	err = e.Run(ctx, sources.All(f.only))
	stopped := e.Stopped(ctx)
	err = errors.Join(err, end())
	p.Changed = e.Record.Wrote()
	e.EndProgress()
	if err != nil {
		return "", "", err
	}
	if stopped {
		return "", "", run.ErrStopped
	}
	if left = e.Unmade.Reasons(e.Budgets); left != "" || f.only != "" {
		return state, left, nil
	}
	return state, "", e.Store.FinishRun(id, time.Now())
}

// outcomeOf is errInvalid unless all answers of live models and verdicts of live judges are
// valid. Items that --only excludes do not count.
func outcomeOf(p *plan.Plan, db *store.Store, only string) error {
	invalid := func(c store.PlanCell, kind string, ids []string) error {
		if kind != config.KindModel || c.Note != "" {
			return nil
		}
		n, err := db.Invalid(c, ids)
		if err == nil && n > 0 {
			err = errInvalid
		}
		return err
	}
	for _, c := range p.Answers {
		if c.Contestant == nil {
			continue
		}
		if err := invalid(c.PlanCell, c.Contestant.Kind, c.IDs); err != nil {
			return err
		}
	}
	for _, c := range p.Verdicts {
		if only == plan.OnlyAnswers {
			break
		}
		if err := invalid(c.PlanCell, c.Scorer.Kind, c.Cell.IDs); err != nil {
			return err
		}
	}
	for _, c := range p.Labels {
		if only == plan.OnlyAnswers {
			break
		}
		if err := invalid(c.PlanCell, c.Labeller.Kind, c.Cell.IDs); err != nil {
			return err
		}
	}
	return nil
}

var errInvalid = fmt.Errorf("%w", run.ErrIncomplete)
