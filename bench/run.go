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

// runFlags are the flags of `compqa run`.
type runFlags struct {
	cli.Flags
	release, only string
	pairs         string // a file of pairs, in place of the configuration's sets
	inject        []string
	samples       plan.Samples
	reuse, judges []string
	content       store.Contents // of the folder; "": a run
	imports       bool           // sets of pairs stand next to those on record
}

// runCommand builds `compqa run`.
func runCommand(streams cli.Streams) *cobra.Command {
	var f runFlags
	cmd := f.command("run", "Run the benchmark and write the reports", streams, func(ctx context.Context, streams cli.Streams) error {
		c, err := f.configuration()
		if err != nil {
			return err
		}
		return f.perform(ctx, c, streams, nil)
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

// command returns a command that performs tasks, with the flags of all of these. Those about pairs alone need no configuration.
func (f *runFlags) command(use, short string, streams cli.Streams, do func(context.Context, cli.Streams) error) *cobra.Command {
	file, items := "the configuration `FILE`", "questions"
	limit := "use only the first `N` questions, and the first N pairs of each set (0: all); " +
		"answers and verdicts on record beyond these stay in the reports; preferences beyond these are shown again without --limit"
	if plan.AboutPairs(f.only) {
		file, items, limit = file+", if it exists", "pairs", "use only the first `N` pairs of each set (0: all)"
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

// check checks the flags; items are what --limit counts.
func (f *runFlags) check(cmd *cobra.Command, items string) error {
	if f.only != "" && !slices.Contains(plan.Parts, f.only) {
		return config.Usagef("--only is %q; must be one of %s", f.only, strings.Join(plan.Parts, ", "))
	}
	return f.Check(cmd, items)
}

// configuration reads the configuration. Without a file there are the judges of pairs that need no model.
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

// ofPairs makes the file of --pairs the only set of pairs.
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

// addPairs adds the flags about pairs.
func (f *runFlags) addPairs(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.pairs, "pairs", "",
		"use the pairs of `FILE`, in any format of sets of pairs, in place of the sets of the configuration")
	cmd.Flags().StringSliceVar(&f.inject, "inject", nil,
		"also ask about the pairs of --pairs with these `BIASES`: format, verbosity, with -preferred or -other after it for one side")
}

// perform checks the inputs of a configuration, opens its record, performs the tasks and writes the reports. It calls before, unless it
// is nil, when the tasks are done and before the reports.
func (f runFlags) perform(ctx context.Context, c *config.Config, streams cli.Streams, before func(*plan.Planner) error) (err error) {
	end := func(error) {}
	defer func() { end(err) }() // once the record is closed
	p, release, err := f.inputs(c, streams)
	if err != nil {
		return err
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
	if err := f.takeImported(ctx, release, p, db, streams); err != nil {
		return err
	}
	last, err := db.LastReport()
	if err != nil {
		return err
	}
	e := run.New(c, db, f.Log)
	e.Retry, e.Reuse = f.RetryFailed, earlier
	end, err = serveBeside(ctx, f.Serve, f.Out, e, streams)
	if err != nil {
		return err
	}
	sources, state, err := f.execute(ctx, p, e, db, streams)
	if err == nil && before != nil {
		err = before(sources)
	}
	if err == nil && !plan.AboutPairs(f.only) {
		err = f.report(ctx, p, db, last, config.HashOf(state, f.Out), streams)
	}
	if err != nil {
		return err
	}
	paired := sources.Paired != nil && f.only != plan.OnlySamples
	outcome := f.outcome(ctx, p, e, sources) // the last that needs the plan, which takes as much memory as the report
	if paired {
		if err := f.reportPairs(streams); err != nil {
			return fmt.Errorf("writing the reports: %w", err)
		}
	}
	return outcome
}

// inputs reads and checks all that a run needs, before anything is written; release is nil without --release.
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

// takeImported records the release, and takes all imported answers into the plan.
func (f runFlags) takeImported(ctx context.Context, release *importedResults, p *plan.Plan, db *store.Store, streams cli.Streams) error {
	if release != nil {
		if _, err := release.Record(ctx, db, p, streams.Err); err != nil {
			return err
		}
	}
	if err := p.TakeImported(db, f.Limit); err != nil {
		return err
	}
	return p.CheckFiles(f.Limit, streams.Err)
}

// execute joins a queue, if there is one, and performs the tasks of the plan; state is that of the record afterwards.
func (f runFlags) execute(ctx context.Context, p *plan.Plan, e *run.Engine, db *store.Store, streams cli.Streams) (
	sources *plan.Planner, state string, err error) {
	if err := e.Join(ctx, f.Flags, streams.Err); err != nil {
		return nil, "", err
	}
	if err := noteServers(p.Config, db, streams.Err); err != nil {
		return nil, "", err
	}
	if sentence := p.AspectsUnasked(); sentence != "" && !plan.AboutPairs(f.only) {
		fmt.Fprintln(streams.Err, sentence)
	}
	return p.Perform(ctx, e, f.only, f.Flags, streams.Err)
}

// reportPairs writes the reports about pairs, and prints them: briefly after those about answers.
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

// checkFolder returns an error if --only pairs finds no record, if the run would overwrite a page of validate, if the folder holds
// something else, or if the plan has nothing to do.
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

// plan plans a configuration.
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

// outcome returns the error of a run that has ended.
func (f runFlags) outcome(ctx context.Context, p *plan.Plan, e *run.Engine, sources *plan.Planner) error {
	if left := e.Unmade.Reasons(e.Budgets); left != "" {
		return fmt.Errorf("%w: %s", cli.ErrIncomplete, left)
	}
	if len(e.Unusable) > 0 && !f.SkipUnreachable {
		return fmt.Errorf("%w: %s (--skip-unreachable accepts this)", cli.ErrIncomplete, strings.Join(e.Unusable, "; "))
	}
	missing, err := sources.Missing(f.only)
	if err != nil || missing.All() == 0 {
		return err
	}
	again, err := plan.NewPlanner(p, e.Store, true)
	if err != nil {
		return err
	}
	asked := 0
	for stage, err := range again.Stages(f.only) {
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

// report applies calibrations and attacks to what a run has recorded, and writes the reports.
func (f runFlags) report(ctx context.Context, p *plan.Plan, db *store.Store, last store.Reported, state string, streams cli.Streams) error {
	fresh, err := applyConfiguredCalibrations(ctx, p, f.Out, db)
	if err != nil {
		return fmt.Errorf("calibrating judges: %w", err)
	}
	p.Changed = p.Changed || fresh
	fresh, err = attack.RecordRun(ctx, p, db)
	if err != nil {
		return fmt.Errorf("attacking judges: %w", err)
	}
	p.Changed = p.Changed || fresh
	if err := writeReports(p, db, last, state, f.Out, streams.Out); err != nil {
		return fmt.Errorf("writing the reports: %w", err)
	}
	ownModel := slices.ContainsFunc(p.Config.Models, func(m config.Model) bool { return m.Provider != config.ProviderBaseline })
	if !ownModel && f.release == "" && len(p.Config.LiveEntries()) == 0 {
		table.PrintWrapped(streams.Out, firstSteps)
	}
	return nil
}

// firstSteps are what a new user can do after a run of baselines alone, on one line: judges against people, the authors' answers, and
// entries for models of one's own.
const firstSteps = "Next: compqa validate --demo, compqa fetch, compqa models"

// writeReports writes the reports, unless they exist and nothing they depend on has changed, nor the width of the terminal.
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

// noteServers names the providers that share replies although their addresses differ: those that are asked for a
// model of one name, and those that had another address in the last run.
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
		was, now := before.Providers[name], c.Providers[name]
		if now.Type != "" && now.Fingerprint == "" && address(was) != address(now) { // without a type it is gone
			fmt.Fprintf(w, "provider %s has another address than in the last run; recorded replies are kept (`fingerprint: url` asks again)\n", name)
		}
	}
	return nil
}
