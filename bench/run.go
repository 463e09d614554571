package bench

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"compqa/bench/attack"
	"compqa/bench/cli"
	"compqa/bench/config"
	"compqa/bench/escalate"
	"compqa/bench/plan"
	"compqa/bench/run"
	"compqa/data"
	"compqa/judges/pairwise"
	"compqa/llm"
	"compqa/results/preferences"
	"compqa/results/report"
	"compqa/results/store"
	"compqa/results/table"
	"compqa/results/validation"
)

// runFlags holds the flags of `compqa run`, and what other commands that execute a run set in their place.
type runFlags struct {
	cli.Flags
	release, only string
	pairs         string // a file of pairs that replaces the configuration's sets
	inject        []string
	samples       plan.Samples
	reuse, judges []string
	content       store.Contents // what the folder holds; "" means a run
	imports       bool           // whether new sets of pairs are added to those on record
}

// runCommand builds `compqa run`.
func runCommand(streams cli.Streams) *cobra.Command {
	var f runFlags
	cmd := f.command("run", "Run the benchmark and write the reports", streams, func(ctx context.Context, streams cli.Streams) error {
		c, err := f.configuration()
		if err != nil {
			return err
		}
		return f.perform(ctx, c, streams)
	})
	cmd.Flags().StringVar(&f.release, "release", "", "import the CompQA authors' release from a checkout in `DIR`")
	cmd.Flags().StringVar(&f.only, "only", "", "do only one `PART`: "+strings.Join(plan.Parts, ", "))
	cmd.Flags().StringSliceVar(&f.judges, "judge", nil, "ask only these pairwise judges, `NAME,NAME`; results of others stay in the reports")
	f.addPairs(cmd)
	cmd.Flags().StringVar(&f.Serve, "serve", "",
		"serve the pages of the command serve at `ADDRESS` while it runs, and afterwards until Ctrl-C")
	cmd.Flags().Lookup("serve").NoOptDefVal = defaultListen
	cmd.Flags().StringArrayVar(&f.reuse, "reuse", nil, "reuse replies to identical calls from the run in `DIR`; can be repeated")
	return cmd
}

// command returns a command that executes tasks, with the flags that all such commands have. A command that is only about pairs needs no
// configuration file.
func (f *runFlags) command(use, short string, streams cli.Streams, do func(context.Context, cli.Streams) error) *cobra.Command {
	file := "the configuration `FILE`"
	items := "questions"
	limit := "use only the first `N` questions, and the first N pairs of each set (0: all); " +
		"answers and verdicts on record beyond these stay in the reports; preferences beyond these are shown again without --limit"
	if plan.AboutPairs(f.only) {
		file += ", if it exists"
		items = "pairs"
		limit = "use only the first `N` pairs of each set (0: all)"
	}
	cmd := cli.Command(use, short, func(cmd *cobra.Command, _ []string) error {
		if err := f.check(cmd, items); err != nil {
			return err
		}
		return f.Logged(cmd.Context(), streams, do)
	})
	cmd.Flags().StringVar(&f.Config, "config", config.DefaultConfig, file)
	f.Add(cmd, config.DefaultOut, limit)
	return cmd
}

// check checks the flags. items names what --limit counts.
func (f *runFlags) check(cmd *cobra.Command, items string) error {
	if f.only != "" && !slices.Contains(plan.Parts, f.only) {
		return config.Usagef("--only is %q; must be one of %s", f.only, strings.Join(plan.Parts, ", "))
	}
	return f.Check(cmd, items)
}

// configuration reads the configuration. For a command that is only about pairs, the file may be missing. The configuration then has only
// the pairwise judge that needs no model.
func (f runFlags) configuration() (c *config.Config, err error) {
	if _, missing := os.Stat(config.DefaultConfig); missing != nil && plan.AboutPairs(f.only) && f.Config == config.DefaultConfig {
		surface := config.Judge{Asks: store.KindPreference, Choosing: config.Choosing{Method: pairwise.MethodSurface}}
		c = &config.Config{Judges: []config.Judge{surface}, Run: config.DefaultRun}
		err = c.Check()
	} else if c, err = config.Load(f.Config); err == nil {
		c.Release = f.release
		f.Configure(c)
	}
	if err != nil {
		return nil, err
	}
	return c, f.ofPairs(c)
}

// ofPairs makes the file of --pairs, if it is given, the only set of pairs.
func (f runFlags) ofPairs(c *config.Config) error {
	if f.pairs == "" && f.inject != nil {
		return config.Usagef("--inject rewrites the pairs of --pairs; for the sets of the configuration, write inject under pairs")
	}
	if f.pairs == "" {
		return nil
	}
	path, err := filepath.Abs(f.pairs)
	if err != nil {
		return err
	}
	c.Pairs = []config.PairSet{{Name: strings.TrimSuffix(filepath.Base(path), filepath.Ext(path)), Path: path, Inject: f.inject}}
	for i := range c.Judges {
		c.Judges[i].Sets = nil
	}
	if err := c.Check(); err != nil {
		return config.UsageError{Err: err}
	}
	return nil
}

// addPairs adds the flags --pairs and --inject.
func (f *runFlags) addPairs(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.pairs, "pairs", "",
		"use the pairs of `FILE`, in any format of sets of pairs, in place of the sets of the configuration")
	cmd.Flags().StringSliceVar(&f.inject, "inject", nil,
		"also ask about the pairs of --pairs with these `BIASES`: format, verbosity, with -preferred or -other after it for one side")
}

// perform executes the tasks of a configuration and writes the reports.
func (f runFlags) perform(ctx context.Context, c *config.Config, streams cli.Streams) error {
	r, err := f.executed(ctx, c, streams)
	if err != nil {
		return err
	}
	return r.end(ctx, nil)
}

// A running is a run in progress, whose record is open.
type running struct {
	runFlags
	streams cli.Streams
	plan    *plan.Plan
	db      *store.Store
	engine  *run.Engine
	serving func(failed error) // ends the server of the pages during the run
	tasks   *plan.Planner      // set when the tasks are executed
	state   string             // state of the record after the tasks
	last    store.Reported
}

// executed checks the inputs of a configuration, opens the record, imports the release if --release is given, and executes the tasks. The
// caller must call end of the result.
func (f runFlags) executed(ctx context.Context, c *config.Config, streams cli.Streams) (*running, error) {
	p, release, err := f.inputs(c, streams)
	if err != nil {
		return nil, err
	}
	r, err := f.open(p, streams)
	if err != nil {
		return nil, err
	}
	err = r.takeImported(ctx, release)
	if err == nil {
		err = r.execute(ctx)
	}
	if err != nil {
		r.close(err)
		return nil, err
	}
	return r, nil
}

// open opens the record for a plan, and the records of earlier runs whose replies it reuses.
func (f runFlags) open(p *plan.Plan, streams cli.Streams) (*running, error) {
	earlier, err := run.OpenEarlier(f.reuse, f.Out)
	if err != nil {
		return nil, err
	}
	db, err := store.Create(f.Out)
	if err != nil {
		run.CloseEarlier(earlier, streams.Err)
		return nil, err
	}
	e := run.New(p.Config, db, f.Log)
	e.Retry = f.RetryFailed
	e.Reuse = earlier
	return &running{runFlags: f, streams: streams, plan: p, db: db, engine: e, serving: func(error) {}}, nil
}

// end writes the reports, unless the run has failed, and closes the record. It returns the error of the run or of the reports.
func (r *running) end(ctx context.Context, failed error) error {
	if failed == nil {
		failed = r.report(ctx)
	}
	r.close(failed)
	return failed
}

// close closes the record, the reused records, and the server of the pages, in this order.
func (r *running) close(failed error) {
	r.db.Close()
	run.CloseEarlier(r.engine.Reuse, r.streams.Err)
	r.serving(failed)
}

// inputs reads and checks all that a run needs, before anything is written. release is nil without --release.
func (f runFlags) inputs(c *config.Config, streams cli.Streams) (p *plan.Plan, release *importedResults, err error) {
	if f.release != "" {
		release, err = importRelease(f.release)
		if err != nil {
			return nil, nil, err
		}
	}
	p, err = f.plan(c)
	if err != nil {
		return nil, nil, err
	}
	if err := run.CheckBudget(c); err != nil {
		return nil, nil, err
	}
	if err := f.checkFolder(p); err != nil {
		return nil, nil, err
	}
	if f.Queue == "" {
		err = cli.Trust(c, c.LiveProviders(), streams.Err)
	}
	return p, release, err
}

// takeImported records the release, and adds all imported answers to the plan.
func (r *running) takeImported(ctx context.Context, release *importedResults) error {
	if release != nil {
		if _, err := release.Record(ctx, r.db, r.plan, r.streams.Err); err != nil {
			return err
		}
	}
	if err := r.plan.TakeImported(r.db, r.Limit); err != nil {
		return err
	}
	return r.plan.CheckFiles(r.Limit, r.streams.Err)
}

// execute serves the pages and joins a queue if the flags ask for it. It then executes the tasks of the plan.
func (r *running) execute(ctx context.Context) (err error) {
	r.last, err = r.db.LastReport()
	if err != nil {
		return err
	}
	r.serving, err = serveBeside(ctx, r.Serve, r.Out, r.engine, r.streams)
	if err != nil {
		return err
	}
	if err := r.engine.Join(ctx, r.Flags, r.streams.Err); err != nil {
		return err
	}
	if err := noteServers(r.plan.Config, r.db, r.streams.Err); err != nil {
		return err
	}
	if sentence := r.plan.AspectsUnasked(); sentence != "" && !plan.AboutPairs(r.only) {
		fmt.Fprintln(r.streams.Err, sentence)
	}
	r.tasks, r.state, err = r.plan.Perform(ctx, r.engine, r.only, r.Flags, r.streams.Err)
	return err
}

// report writes the reports. It returns ErrIncomplete if the run lacks results.
func (r *running) report(ctx context.Context) error {
	if !plan.AboutPairs(r.only) {
		if err := r.reportAnswers(ctx); err != nil {
			return err
		}
	}
	outcome := r.outcome(ctx)
	paired := r.tasks.Paired != nil && r.only != plan.OnlySamples
	r.plan = nil // lets the memory of the plan be freed, which is as large as that of the reports about pairs
	r.tasks = nil
	if paired {
		if err := r.reportPairs(r.streams); err != nil {
			return fmt.Errorf("writing the reports: %w", err)
		}
	}
	return outcome
}

// reportPairs writes and prints the reports about pairs. After reports about answers, it prints them briefly.
func (f runFlags) reportPairs(streams cli.Streams) error {
	pairs, err := reportPairs("run", f.Out)
	if err != nil {
		return err
	}
	if plan.AboutPairs(f.only) {
		return pairs.Print(streams.Out, f.Out, "", false)
	}
	return pairs.PrintBrief(streams.Out, f.Out)
}

// checkFolder returns an error if the run must not write into the folder: it holds something else, the run would overwrite a page of
// validate, or imported pairs clash with those on record. It also returns an error if there is nothing to do: --only pairs finds neither
// pairs nor a record, or the plan has no models.
func (f runFlags) checkFolder(p *plan.Plan) error {
	if p.Pairs != nil && p.Pairs.Sets == nil && plan.AboutPairs(f.only) {
		s, err := store.Open(f.Out)
		if err != nil {
			return config.Usagef("%w: %w", plan.ErrNoPairs, err)
		}
		s.Close()
	}
	if f.imports && p.Pairs != nil {
		if err := p.Pairs.CheckBeside(f.Out); err != nil {
			return err
		}
	}
	if taken := validation.Free(f.Out); taken != nil {
		return config.UsageError{Err: taken}
	}
	if err := store.CheckFolder(f.Out, store.Output{Command: "run", Content: cmp.Or(f.content, store.ContentRun)}); err != nil {
		return err
	}
	_, err := os.Stat(filepath.Join(f.Out, store.RecordName))
	if p.Pairs == nil && len(p.Config.Models) == 0 && f.release == "" && errors.Is(err, fs.ErrNotExist) {
		return config.Usagef("no models: an entry under models is needed, for instance " +
			"{name: template, provider: baseline}, or --release, or answers that compqa import recorded in --out")
	}
	return nil
}

// plan plans a configuration. If the configuration or --only is about pairs, the plan has pairs.
func (f runFlags) plan(c *config.Config) (*plan.Plan, error) {
	p, err := plan.New(c, f.Limit)
	if err == nil && (c.Pairs != nil || c.JudgesOf(store.KindPreference) != nil || plan.AboutPairs(f.only)) {
		var samples *plan.Samples
		if f.only == plan.OnlySamples {
			samples = &f.samples
		}
		p.Pairs, err = plan.NewPairs(p, f.judges, f.Limit, samples)
		if err == nil {
			p.Pairs.AllSets = f.pairs == "" && !f.imports
		}
	} else if err == nil && f.judges != nil {
		err = config.Usagef("--judge is %s, but the configuration has no pairwise judges", strings.Join(f.judges, ","))
	}
	return p, err
}

// outcome returns nil if the run has all planned results. Otherwise it returns ErrIncomplete with the reasons, and with advice on what
// another run would ask again.
func (r *running) outcome(ctx context.Context) error {
	e := r.engine
	if left := e.Unmade.Reasons(e.Budgets); left != "" {
		return fmt.Errorf("%w: %s", cli.ErrIncomplete, left)
	}
	if len(e.Unusable) > 0 && !r.SkipUnreachable {
		return fmt.Errorf("%w: %s (--skip-unreachable accepts this)", cli.ErrIncomplete, strings.Join(e.Unusable, "; "))
	}
	missing, err := r.tasks.Missing(r.only)
	if err != nil || missing.All() == 0 {
		return err
	}
	again, err := plan.NewPlanner(r.plan, r.db, true)
	if err != nil {
		return err
	}
	asked := 0
	for stage, err := range again.Stages(r.only) {
		n := 0
		if err == nil {
			n, err = e.Again(ctx, stage.Sources)
		}
		if err != nil {
			return err
		}
		asked += n
	}
	advice := run.Advice(missing.All(), asked)
	if missing.All() == missing.Results {
		return fmt.Errorf("%w; tables/failures.csv lists them, and %s", cli.ErrIncomplete, advice)
	}
	var left []string
	if missing.Results > 0 {
		left = append(left, "those in tables/failures.csv")
	}
	if n := missing.Preferences; n > 0 {
		left = append(left, fmt.Sprintf("%d of %d preferences (preferences.csv has the reasons)", n, missing.Planned))
	}
	if n := missing.Judgments; n > 0 {
		left = append(left, data.Plural(n, "sampled judgment", "sampled judgments")+" without a reply")
	}
	if n := missing.Grades; n > 0 {
		left = append(left, data.Plural(n, "grade", "grades")+" of rationales")
	}
	if n := missing.Rewritten; n > 0 {
		left = append(left, data.Plural(n, "pair", "pairs")+" that could not be rewritten with a bias")
	}
	return fmt.Errorf("%w: %s; %s", cli.ErrIncomplete, data.List(left), advice)
}

// reportAnswers applies the calibrations and attacks to what the run has recorded, and writes the reports about answers.
func (r *running) reportAnswers(ctx context.Context) error {
	p := r.plan
	fresh, err := applyConfiguredCalibrations(ctx, p, r.Out, r.db)
	if err != nil {
		return fmt.Errorf("calibrating judges: %w", err)
	}
	p.Changed = p.Changed || fresh
	fresh, err = attack.RecordRun(ctx, p, r.db)
	if err != nil {
		return fmt.Errorf("attacking judges: %w", err)
	}
	p.Changed = p.Changed || fresh
	if err := writeReports(p, r.db, r.last, config.HashOf(r.state, r.Out), r.Out, r.streams.Out); err != nil {
		return fmt.Errorf("writing the reports: %w", err)
	}
	ownModel := slices.ContainsFunc(p.Config.Models, func(m config.Model) bool { return m.Provider != config.ProviderBaseline })
	if !ownModel && r.release == "" && len(p.Config.LiveEntries()) == 0 {
		table.PrintWrapped(r.streams.Out, firstSteps)
	}
	return nil
}

// firstSteps tells a new user what to do after a run with only baselines: validate judges against people, get the authors' answers, and add
// entries for models.
const firstSteps = "Next: compqa validate --demo, compqa fetch, compqa models"

// writeReports writes and prints the reports. If the reports exist, and neither their inputs nor the width of the terminal have changed, it
// only prints the recorded summary again.
func writeReports(p *plan.Plan, db *store.Store, last store.Reported, state, dir string, out io.Writer) error {
	state += fmt.Sprintf(", %d columns", table.WidthOf(out))
	if p.Changed || last.State != state || !report.HasReports(dir) {
		screen := table.Recorded{Screen: out}
		var tables *report.Report
		err := againIn("run", dir, func(to string) (err error) {
			tables, err = report.Write([]string{dir}, to, preferences.Chapter, escalate.Chapter)
			return err
		})
		if err == nil {
			err = tables.Print(&screen, dir, false)
		}
		if err == nil {
			err = escalate.Print(&screen, dir, p.Config)
		}
		if err != nil {
			return err
		}
		return db.SetReport(store.Reported{State: state, Summary: screen.Text.String()})
	}
	if _, err := io.WriteString(out, last.Summary); err != nil {
		return err
	}
	return db.SetReport(last)
}

// noteServers prints which providers share recorded replies although their addresses differ. These are two providers that are asked for a
// model of the same name, or a provider whose address has changed since the last run.
func noteServers(c *config.Config, db *store.Store, w io.Writer) error {
	address := func(p llm.Provider) string { return fmt.Sprint(p.BaseURL, p.BaseURLs) }
	server := func(e config.LiveEntry) llm.Provider { return c.Providers[e.Provider].WithDefaults() }
	same := table.Grouped(c.LiveEntries(), func(e config.LiveEntry) [2]string { return [2]string{server(e).Server(), e.Model} })
	for _, asked := range same {
		first := asked[0]
		if e, is := data.First(asked, func(e config.LiveEntry) bool { return address(server(e)) != address(server(first)) }); is {
			fmt.Fprintf(w, "providers %s and %s are both asked for model %s: the same call is made once (`fingerprint: url` keeps them apart)\n",
				first.Provider, e.Provider, e.Model)
		}
	}
	text, err := db.LastConfig()
	if err != nil || text == "" {
		return err
	}
	var before struct{ Providers map[string]llm.Provider }
	if err := json.Unmarshal([]byte(text), &before); err != nil {
		return fmt.Errorf("reading the recorded configuration: %w", err)
	}
	for _, name := range slices.Sorted(maps.Keys(before.Providers)) {
		was := before.Providers[name]
		now := c.Providers[name]
		if now.Type != "" && now.Fingerprint == "" && address(was) != address(now) { // without a type, the provider no longer exists
			fmt.Fprintf(w, "provider %s has another address than in the last run; recorded replies are kept (`fingerprint: url` asks again)\n", name)
		}
	}
	return nil
}
