package bench

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"compqa/bench/cli"
	"compqa/bench/config"
	"compqa/bench/plan"
	"compqa/data"
	"compqa/data/sources"
	"compqa/judges/pairwise"
	"compqa/results/preferences"
	"compqa/results/store"
	"compqa/results/table"
)

// pairwiseCommand builds `compqa pairwise`.
func pairwiseCommand(streams cli.Streams) *cobra.Command {
	cmd := &cobra.Command{Use: "pairwise", Short: "Compare answers in pairs: SC2, Con-J and their baselines"}
	cmd.AddCommand(pairwiseReportCommand(streams), pairwiseSampleCommand(streams), pairwiseImportCommand(streams),
		pairwiseCalibrateCommand(streams))
	return cmd
}

// pairwiseImportCommand builds `compqa pairwise import`. If the run in --out has the pairs, importOnRecord imports the preferences into it.
// Otherwise the import is executed like a run with a configuration that importInto makes.
func pairwiseImportCommand(streams cli.Streams) *cobra.Command {
	f := runFlags{only: plan.OnlyPairs, judges: []string{importedJudge}, imports: true}
	var set config.PairSet
	var in, file, grades string
	var stays []string
	var reading cli.Reading
	var cmd *cobra.Command
	cmd = f.command("import", "Import preferences of people and judges, with their pairs or for the pairs of a run", streams,
		func(ctx context.Context, streams cli.Streams) error {
			if in == "" {
				return config.Usagef("compqa pairwise import needs --in, the folder or file of the preferences")
			}
			o, err := reading.Options()
			if err != nil {
				return config.UsageError{Err: err}
			}
			if o.Given != nil {
				o.Map, err = o.Given.PairMap(in, set.Format)
				if err != nil {
					return config.UsageError{Err: err}
				}
				o.Given = nil // o.Map has what the reading file says
			}
			if reading.Show {
				return showPairReading(streams, in, set.Format, o)
			}
			if set.Format == sources.FormatFile && file == "" && set.Gold == config.GoldLabel {
				done, err := importOnRecord(streams, f.Out, in, grades, stays, withoutUse(cmd.Flags()), reading, o)
				if done || err != nil {
					return err
				}
			}
			if len(stays) > 0 && (set.Format != sources.FormatFile || file != "" || set.Gold != config.GoldLabel) {
				return config.Usagef("--keep is for a run in --out that has the pairs, without --pairs, --format and --gold")
			}
			if grades != "" {
				return config.Usagef("--grades needs a run in --out that has the pairs, without --pairs, --format and --gold")
			}
			c, err := f.configuration()
			if err != nil {
				return err
			}
			if set.Format != sources.FormatFile {
				f.judges = []string{}
			}
			if err := importInto(c, set, in, file, o); err != nil {
				return config.UsageError{Err: err}
			}
			r, err := f.executed(ctx, c, streams)
			if err != nil {
				return err
			}
			err = r.tasks.PrintGiven(streams.Out)
			if err == nil {
				err = keepPairReading(f.Out, in, r.tasks, reading, o)
			}
			return r.end(ctx, err)
		})
	cmd.Flags().StringVar(&set.Format, "format", sources.FormatFile,
		"the format of --in (file: preferences; table: pairs, recognised by their columns): "+
			strings.Join(append([]string{sources.FormatFile, sources.TableOfPairs}, sources.PairFormatNames()...), ", "))
	cmd.Flags().StringVar(&in, "in", "", "read the preferences of this `PATH`: a file, or the folder of a published set")
	cmd.Flags().StringVar(&set.Name, "set", "", "the `NAME` of the set of pairs (default: that of its file, or of a published format)")
	cmd.Flags().StringVar(&file, "pairs", "", "with --format file: the `FILE` of the pairs "+
		"(default: the pairs that the run in --out has, else the sets of the configuration)")
	cmd.Flags().StringVar(&grades, "grades", "", "also read people's grades of rationales from `FILE`, "+
		"as annotate export writes it (grades.csv)")
	reading.AddChoices(cmd.Flags())
	cmd.Flags().StringSliceVar(&stays, "keep", nil, "keep what the judge or person `JUDGE` chose before, of pairs that --in does not have")
	cmd.Flags().StringVar(&set.Gold, "gold", config.GoldLabel,
		fmt.Sprintf("the reference `NAME`: %s (of the pairs), %s (of people's preferences), or a person, for instance human:1",
			config.GoldLabel, config.GoldMajority))
	return cmd
}

// showPairReading prints how the columns of a file of pairs or preferences are read.
func showPairReading(streams cli.Streams, path, format string, o sources.Options) error {
	o.Alone = true
	reading, err := sources.ReadingOfPairs(path, format, o)
	if err != nil {
		return config.UsageError{Err: err}
	}
	var all []*sources.Reading
	if reading != nil {
		all = []*sources.Reading{reading}
	}
	printReadings(streams.Out, path, all, cli.Reading{Show: true})
	return nil
}

// keepPairReading writes how the columns of an imported file were read, in the form that --reading takes.
func keepPairReading(dir, path string, s *plan.Planner, flags cli.Reading, o sources.Options) error {
	return keepReadings(dir, flags.Readings(o), data.Where(s.Paired.Readings, func(r *sources.Reading) bool {
		return r.File == filepath.Base(path)
	}))
}

// keepReadings adds the readings of imported files to the reading file in a folder. A new reading replaces the earlier one of the same file
// and side.
func keepReadings(dir string, all *sources.Readings, readings []*sources.Reading) error {
	if len(readings) == 0 {
		return nil
	}
	before, err := sources.OpenReadings(filepath.Join(dir, sources.ReadingName))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if before != nil {
		all.Readings = data.Where(before.Readings, func(r *sources.Reading) bool {
			return !slices.ContainsFunc(readings, func(reading *sources.Reading) bool { return r.File == reading.File && r.Side == reading.Side })
		})
	}
	all.Readings = append(all.Readings, readings...)
	return againIn("pairwise import", dir, func(to string) error {
		return table.WriteFiles(to, map[string]func(io.Writer) error{sources.ReadingName: all.Write})
	})
}

// importedJudge is the name of the entry under which preferences are imported. An import asks no other judge.
const importedJudge = "imported preferences"

// withoutUse returns the flags that were given, but have no effect if the run in --out has the pairs. For instance, no judge is asked then.
func withoutUse(flags *pflag.FlagSet) (names []string) {
	flags.Visit(func(f *pflag.Flag) {
		if !slices.Contains([]string{"in", "out", "grades", "keep", "format", "gold", "map", "missing", "repeats", "reading", "log-format",
			"verbose"}, f.Name) {
			names = append(names, "--"+f.Name)
		}
	})
	return names
}

// importOnRecord imports preferences from the file in, about pairs that the run in dir has. done is false if the run has no pairs. grades
// is a file of grades of rationales, or "". stays are the judges whose earlier preferences are kept. If the user gave any flags in unused,
// it returns an error.
func importOnRecord(streams cli.Streams, dir, in, grades string, stays, unused []string, reading cli.Reading,
	o sources.Options) (done bool, err error) {
	db, err := store.Open(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	sets, err := db.PairSets()
	if err := errors.Join(err, db.Close()); err != nil || len(sets) == 0 {
		return false, err
	}
	if unused != nil {
		return false, config.Usagef("%s has the pairs, and an import into it does not use %s; leave them out, or take the pairs of --pairs FILE",
			dir, data.List(unused))
	}
	c := &config.Config{Run: config.DefaultRun}
	if err := importInto(c, config.PairSet{Format: sources.FormatFile}, in, "", o); err != nil {
		return false, config.UsageError{Err: err}
	}
	if grades != "" {
		whole, err := filepath.Abs(grades)
		if err != nil {
			return false, err
		}
		c.Judges = append(c.Judges, config.Judge{Asks: store.KindPreference, Entry: config.Entry{Name: "imported grades",
			Asked: config.Asked{Provider: config.ProviderFile}, Path: whole},
			Choosing: config.Choosing{Method: pairwise.MethodMeta}})
		if err := c.Check(); err != nil {
			return false, config.UsageError{Err: err}
		}
	}
	db, err = store.Create(dir)
	if err != nil {
		return false, err
	}
	s, err := plan.TakeGiven(c, db, streams.Err, stays)
	if err == nil {
		err = s.PrintGiven(streams.Out)
	}
	if err := errors.Join(err, db.Close()); err != nil {
		return false, err
	}
	r, err := reportPairs("pairwise import", dir)
	if err != nil {
		return false, err
	}
	if err := r.Print(streams.Out, dir, "", false); err != nil {
		return false, err
	}
	return true, keepPairReading(dir, in, s, reading, o)
}

// reportPairs writes the report about the pairs of a record into the record's folder.
func reportPairs(command, dir string) (r *preferences.Report, err error) {
	err = againIn(command, dir, func(to string) (err error) {
		r, err = preferences.Write(dir, to)
		return err
	})
	return r, err
}

// nameOfFile returns the base name of a file without .gz and its extension.
func nameOfFile(path string) string {
	name := strings.TrimSuffix(filepath.Base(path), ".gz")
	return strings.TrimSuffix(name, filepath.Ext(name))
}

// importInto adds what is to be imported to a configuration: a set of pairs, if set has a format of published sets or of tables, or else
// preferences in a file. Preferences are about the pairs of another file, or of the configuration's sets.
func importInto(c *config.Config, set config.PairSet, in, file string, o sources.Options) error {
	path, err := filepath.Abs(in)
	if err != nil {
		return err
	}
	formats := append([]string{sources.FormatFile, sources.TableOfPairs}, sources.PairFormatNames()...)
	switch {
	case !slices.Contains(formats, set.Format):
		return fmt.Errorf("there is no format %q%s", set.Format, data.Suggest(set.Format, "formats", formats))
	case set.Format != sources.FormatFile && file != "":
		return fmt.Errorf("--format %s contains its own pairs; leave --pairs out", set.Format)
	case set.Format != sources.FormatFile:
		set.Path = path
		set.Reading = config.Reading{Missing: o.Missing, Map: o.Map, FromFlags: true}
		if set.Format == sources.TableOfPairs {
			set.Name = cmp.Or(set.Name, nameOfFile(in))
			set.Format = "" // the format is found by the content
		}
		set.Name = cmp.Or(set.Name, set.Format)
		c.Pairs = []config.PairSet{set}
	default:
		c.Judges = append(slices.Clone(c.Judges), config.Judge{Asks: store.KindPreference, Entry: config.Entry{Name: importedJudge,
			Asked: config.Asked{Provider: config.ProviderFile}, Path: path},
			Reading: config.Reading{Missing: o.Missing, Map: o.Map, FromFlags: true},
			Extent:  config.Extent{Repeats: config.Repeats{Rule: o.Repeats}}})
		if file != "" {
			if set.Path, err = filepath.Abs(file); err != nil {
				return err
			}
			set.Name = cmp.Or(set.Name, nameOfFile(file))
			c.Pairs = []config.PairSet{set}
		}
		c.Pairs = slices.Clone(c.PairSets())
		for i := range c.Pairs {
			c.Pairs[i].Gold = cmp.Or(set.Gold, c.Pairs[i].Gold)
		}
	}
	for i := range c.Judges {
		c.Judges[i].Sets = nil // the sets that the judges name may not exist here
	}
	return c.Check()
}

// pairwiseReportCommand builds `compqa pairwise report`. It reports on a record, or with --llmbar on LLMBar's released completions.
func pairwiseReportCommand(streams cli.Streams) *cobra.Command {
	var llmbar, out, ties string
	var papers bool
	var asJSON cli.JSON[preferences.JSON]
	cmd := cli.Command("report [DIR]", "Compute the reports of a record, or of LLMBar's released completions",
		func(cmd *cobra.Command, args []string) error {
			if llmbar != "" {
				if asJSON.On {
					return config.Usagef("--json prints the report of a record; --llmbar makes one, for compqa pairwise report DIR --json")
				}
				if len(args) > 0 {
					return config.Usagef("--llmbar makes its own record in --out; do not name a folder")
				}
				if out == "" {
					return config.Usagef("compqa pairwise report --llmbar needs --out, the folder that the record and the reports are written to")
				}
				if err := store.CheckFolder(out, store.Output{Command: "pairwise report", Content: store.ContentRun}); err != nil {
					return err
				}
				return reportLLMBar(cmd.Context(), llmbar, out, streams)
			}
			dir := append(args, config.DefaultOut)[0]
			out = cmp.Or(out, dir)
			if _, known := preferences.Ties[ties]; ties != "" && !known {
				return config.Usagef("--ties is %q; it must be wrong, half or skip", ties)
			}
			if ties != "" && asJSON.On {
				return config.Usagef("--json prints the accuracy by each rule for ties: accuracy (wrong), accuracy_half and accuracy_skip; " +
					"leave --ties out")
			}
			var r *preferences.Report
			err := reportInto("pairwise report", []string{dir}, out, func(to string) (err error) {
				r, err = preferences.Write(dir, to)
				return err
			})
			switch {
			case err != nil:
				return err
			case asJSON.On:
				return asJSON.Print(streams.Out, r.JSON(out))
			}
			return r.Print(streams.Out, out, ties, papers)
		})
	asJSON.Add(cmd.Flags())
	cmd.Flags().StringVar(&ties, "ties", "", "also print the agreement with the labels, ties scored by `RULE`: wrong, half or skip")
	cmd.Flags().BoolVar(&papers, "papers", false, "also print the figures of the papers on SC2 and Con-J")
	cmd.Flags().StringVar(&llmbar, "llmbar", "", "report on LLMBar's released completions, from a checkout in `DIR`")
	cmd.Flags().StringVar(&out, "out", "", "write the reports to `DIR` (default: the run's own folder)")
	return cmd
}

// reportLLMBar makes a record of LLMBar's pairs and released completions. The judges that need no model decide on the pairs. It then writes
// the reports, and recomputes the authors' statistics.
func reportLLMBar(ctx context.Context, path, out string, streams cli.Streams) error {
	c := &config.Config{Pairs: []config.PairSet{{Name: "llmbar", Format: "llmbar", Path: path}}, Run: config.DefaultRun}
	if err := c.Check(); err != nil {
		return config.UsageError{Err: err}
	}
	f := runFlags{only: plan.OnlyPairs, Flags: cli.Flags{Out: out}}
	r, err := f.executed(ctx, c, streams)
	if err != nil {
		return err
	}
	var reproduced error
	for _, bar := range r.plan.Pairs.Bars {
		for _, skipped := range slices.Compact(bar.Skipped) {
			fmt.Fprintf(streams.Err, "skipped: %s contains no completions\n", skipped)
		}
		reproduced = writeReproduction(bar, out, streams.Out)
	}
	if err := r.end(ctx, nil); err != nil {
		return err
	}
	return reproduced
}

// pairwiseSampleCommand builds `compqa pairwise sample`.
func pairwiseSampleCommand(streams cli.Streams) *cobra.Command {
	f := runFlags{only: plan.OnlySamples}
	var entry config.Judge
	var product bool
	cmd := f.command("sample", "Sample judgments as Con-J does, for the training of a judge", streams,
		func(ctx context.Context, streams cli.Streams) error {
			c, err := f.configuration()
			if err != nil {
				return err
			}
			ref, err := sampledEntry(c, entry, f.judges)
			if err != nil {
				return config.UsageError{Err: err}
			}
			f.judges = []string{ref.Name}
			r, err := f.executed(ctx, c, streams)
			if err != nil {
				return err
			}
			sampled, err := r.tasks.Sampled(ref.Name)
			if err == nil {
				err = writeContrasts(sampled, product, f.Out, streams.Out)
			}
			return r.end(ctx, err)
		})
	f.addPairs(cmd)
	cmd.Flags().StringSliceVar(&f.judges, "judge", nil, "the `ENTRY` of method con-j that is sampled, if there are several")
	cmd.Flags().IntVar(&entry.Samples, "samples", 0, "sample `N` judgments on each prompt (default: samples of the entry, or 8)")
	cmd.Flags().StringVar(&entry.Grader, "grader", "",
		"the `ENTRY` of method meta-judge that grades the rationales of right judgments (see train export --rationales)")
	cmd.Flags().BoolVar(&product, "product", false, "pair every right judgment with every wrong one")
	cmd.Flags().BoolVar(&f.samples.OnBenchmark, "train-on-benchmark", false, "allow the questions of cqa50 and of published benchmarks")
	cmd.Flags().BoolVar(&entry.NoHints, "no-hints", false, "do not sample with hints")
	return cmd
}

// sampledEntry returns the judge whose judgments are sampled, with the values of the flags. names is the value of --judge. It returns an
// error unless exactly one entry fits.
func sampledEntry(c *config.Config, flags config.Judge, names []string) (ref *config.Judge, err error) {
	n := 0
	var all []string
	for _, p := range c.JudgesOf(store.KindPreference) {
		if p.Method == pairwise.MethodConJ {
			all = append(all, p.Name)
			if names == nil || slices.Contains(names, p.Name) {
				ref = p
				n++
			}
		}
	}
	switch {
	case all == nil:
		return nil, fmt.Errorf("sampling needs one judge of method %s: add {name: con-j, method: con-j, provider: …, model: …} "+
			"under pairwise", pairwise.MethodConJ)
	case n != 1:
		return nil, fmt.Errorf("sampling needs one judge of method %s: choose one of %s with --judge", pairwise.MethodConJ, data.List(all))
	}
	ref.Samples = cmp.Or(flags.Samples, ref.Samples, pairwise.ConJSamples)
	ref.Grader = cmp.Or(flags.Grader, ref.Grader)
	ref.NoHints = flags.NoHints || ref.NoHints
	return ref, c.Check()
}

// helpTables returns pairs of a placeholder in help texts and the list that replaces it. Examples are {formats}, the formats of sets of
// pairs, and {methods}, the methods that ask models.
func helpTables() []string {
	newLine := "\n" + strings.Repeat(" ", 25)
	helpWidth := 70
	return []string{
		"{formats}", helpList(sources.PairFormats(), func(f *sources.Format) (name, about string) { return f.Name, f.About }),
		"{criteria}", helpList(pairwise.Criteria, func(c pairwise.Criterion) (name, about string) { return c.Name, c.About }),
		"{methods}", helpList(data.Where(pairwise.EntryMethods(), pairwise.Method.Live), func(m pairwise.Method) (name, about string) {
			return m.Name, strings.ReplaceAll(m.About, "\n", newLine)
		}),
		"{options}", helpList(data.Where(pairwise.EntryOptions, func(o pairwise.Option) bool { return o.About != "" }),
			func(o pairwise.Option) (name, about string) {
				return o.Name, strings.Join(table.Wrap(o.Text(), helpWidth), newLine)
			}),
		"{set}", helpList(config.PairSetKeys(), func(k config.Key) (name, about string) {
			return k.Name, strings.Join(table.Wrap(k.About, helpWidth), newLine)
		}),
		"{offline}", strings.Join(pairwise.OfflineMethods(), ", "),
	}
}

func helpList[T any](list []T, entry func(T) (name, about string)) string {
	var b strings.Builder
	for _, item := range list {
		name, about := entry(item)
		fmt.Fprintf(&b, "  %-22s %s\n", name, about)
	}
	return b.String()
}
