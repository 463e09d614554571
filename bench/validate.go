package bench

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"compqa/bench/cli"
	"compqa/bench/config"
	"compqa/data"
	"compqa/data/sources"
	"compqa/results/dataset"
	"compqa/results/store"
	"compqa/results/table"
	"compqa/results/trust"
	"compqa/results/validation"
	"compqa/stats"
)

// defaultValidation is the default value of --out of validate.
const defaultValidation = "results/runs/validation"

type validateFlags struct {
	people, reference, join, mapScale, out string
	failBelow                              []string
	require, plan                          string
	judges, pairs, thresholds, by, since   []string
	json                                   cli.JSON[validation.JSON]
	format                                 string // format in which the gate's checks are printed
	demo                                   bool
	replace                                bool   // whether to replace an earlier validation even if people added to its record
	answers                                bool   // whether to record the answers even if there are very many
	looks                                  string // the folder of --record with earlier looks at the data; "" if none are kept
	unrecorded                             bool   // whether no record is made because there are too many values
	unpacked                               bool   // whether there are so many values that an export lacks the tables of this validation
	recorded                               bool   // whether a record was made
	reading                                cli.Reading
	read                                   sources.Options
	summaries                              []string // what was read from each side, the judges and people
	readings                               *sources.Readings
	inclusion                              string            // the file with the items' probabilities of being labelled
	input                                  *validation.Input // nil if it is too large for an export, or no record is made
	options                                validation.Options
	records                                map[string]*dataset.Dataset // run by folder
	least                                  []leastFigure               // the figures of --fail-below
	required                               []string                    // the criteria of --require; nil for all
	callPrices                             []string
	set                                    *pflag.FlagSet
}

// validateCommand builds `compqa validate`.
func validateCommand(streams cli.Streams) *cobra.Command {
	var f validateFlags
	cmd := cli.Command("validate [LOG…] --people FILE",
		"Say how far a judge can stand in for people, from any tool's log and people's scores",
		func(cmd *cobra.Command, logs []string) error { return f.run(cmd.Context(), streams, logs) })
	f.add(cmd.Flags())
	return cmd
}

// add adds the flags of validate to a set.
func (f *validateFlags) add(set *pflag.FlagSet) {
	set.SortFlags = false // help and page show the flags in this order
	f.set = set
	set.StringVar(&f.people, "people", "", "the `FILE` with people's scores")
	set.StringArrayVar(&f.judges, "judge", nil,
		"the judge's values, as `NAME=PATH`, for instance grader=.gradingResult.score; a rater's NAME alone: that rater is the judge "+
			"(may be repeated)")
	f.reading.Add(set)
	f.reading.AddChecks(set)
	f.reading.AddReading(set)
	set.StringVar(&f.reference, "reference", "", "what judges are compared with: `WHOM`, mean (of people, the default) or adjudicated "+
		"(the decisions of a study's owner)")
	set.StringVar(&f.join, "join", "", "join by id or by text (`HOW`; default: by id if any id is in both)")
	set.StringArrayVar(&f.pairs, "pair", nil, "a judge's criterion and that of people it stands for: `JUDGE=PEOPLE` (may be repeated)")
	set.StringVar(&f.mapScale, "map-scale", "", "`linear` maps the judge's scale onto people's where they differ")
	set.StringArrayVar(&f.thresholds, "threshold", nil,
		"the least value that passes: `N`, or CRITERION=N, judge.CRITERION=N, people.CRITERION=N (may be repeated)")
	set.StringArrayVar(&f.by, "by", nil, "compare the items by the values of a `COLUMN` of the log (may be repeated)")
	set.StringArrayVar(&f.since, "since", nil, "an older `LOG` of the same judge: what changed (may be repeated)")
	set.Float64Var(&f.options.LabelsFor, "labels-for", 0,
		"how many labels, of which items, would give the corrected rate an interval of ± `WIDTH`")
	set.IntVar(&f.options.Budget, "budget", 0, "choose `N` items to label next, with probabilities: to_label.csv")
	set.StringVar(&f.inclusion, "inclusion", "", "a `FILE` with the probabilities of items that were chosen to be labelled, "+
		"for instance an earlier to_label.csv")
	set.Float64Var(&f.options.Epsilon, "epsilon", 0.15, "the advantage `E` of people in the alternative-annotator test, as they cost more: "+
		"0.2 for experts, 0.15 for skilled annotators, 0.1 for a crowd")
	set.Float64Var(&f.options.Margin, "margin", trust.DefaultMargin, "how much less than people with each other (`ALPHA`) a judge may agree "+
		"with a person and stand in for one")
	set.Float64Var(&f.options.Unread, "unread", 0, "say which of the judge's verdicts may stand unread, so that people would agree with at "+
		"least a `SHARE` of these, for instance .9: needs the judge's confidence, a column (--map confidence=COLUMN) or repeats")
	set.Float64Var(&f.options.Sure, "sure", 0, "with --unread, how sure that is to be: a `PROBABILITY` (default .95)")
	set.BoolVar(&f.options.OfAll, "of-all", false,
		"with --unread, the SHARE is of all verdicts: those that people read count as right")
	set.StringSliceVar(&f.options.Escalate, "escalate", nil, "with --unread, judges that decide together: `JUDGE,JUDGE`, the cheapest "+
		"first; what one is not sure of, the next one decides, and people the rest")
	f.addTogether(set)
	set.StringArrayVar(&f.options.Sets, "sets", nil, "values of a `CRITERION` are sets of right answers, as a|b or lists; the first of a set "+
		"is the forced choice (may be repeated)")
	set.StringVar(&f.plan, "plan", "",
		"before a study: how many items and people give an answer, for `TEXT` as \"people 3, scale 1..5, people .7\", or from LOG and "+
			"--people: pilot")
	set.StringVar(&f.require, "require", "", "exit with 4 unless the judge can stand in for one person: `ANSWER`, yes or yes=CRITERION,…")
	set.StringArrayVar(&f.failBelow, "fail-below", nil, "exit with 4 where a figure is less: [[JUDGE/]CRITERION/]NAME[.low]=`X`, NAME a "+
		"column of validation.csv, for instance kappa.low=0.4 (may be repeated)")
	f.json.Add(set)
	set.StringVar(&f.format, "format", "", "with --require or --fail-below, "+gateUsage)
	set.Uint64Var(&f.options.Seed, "seed", 1, "seed `N` of resamples and of items to label")
	set.StringVar(&f.out, "out", defaultValidation, "write the report and the tables to `DIR`")
	set.StringVar(&f.looks, "record", "", "keep this look in `DIR` beside earlier ones: intervals that hold at all looks, and what has "+
		"moved; the judge needs the same name each time (--judge NAME=COLUMN)")
	set.BoolVar(&f.answers, "answers", false,
		fmt.Sprintf("also record the answers, which serve, show, annotate and export open, of more than %d values", mostRecordedItems))
	set.BoolVar(&f.replace, "replace", false, "replace an earlier validation in --out also where people or imports added to its record")
	set.BoolVar(&f.demo, "demo", false, "write an example of 60 items, three people and two judges to --out, and validate it")
}

// run validates judges in these steps: check the flags, open the folders, write the demo's files if asked for, compute, write the results,
// print them, and check the gate. With --plan or --show-reading it only prints and writes nothing.
func (f *validateFlags) run(ctx context.Context, streams cli.Streams, files []string) error {
	if err := f.parse(); err != nil {
		return config.UsageError{Err: err}
	}
	switch {
	case f.plan != "":
		return f.printPlan(streams, files)
	case f.demo && (len(files) > 0 || f.people != ""):
		return config.Usagef("--demo has files of its own; leave out LOG and --people")
	case !f.demo && len(files) == 0:
		return config.Usagef("usage: compqa validate LOG… --people FILE; for an example: compqa validate --demo")
	}
	if slices.ContainsFunc(files, func(file string) bool { return filepath.Clean(file) == filepath.Clean(f.out) && data.IsFolder(file) }) {
		return config.Usagef("%s is read, so it cannot be written too: name another folder with --out", f.out)
	}
	folder, err := store.OpenFolder(f.out, store.Output{Command: "validate", Content: store.ContentValidation, Replace: f.replace})
	if err != nil {
		return err
	}
	defer folder.Close()
	var looks *store.Folder // the folder of --record; a second command waits for the first
	if f.looks != "" {
		looks, err = store.OpenFolder(f.looks, store.Output{Command: "validate --record", Waits: streams.Err, Continues: true})
		if err != nil {
			return err
		}
		defer looks.Close()
	}
	var created []string // files of --demo, removed if validate fails
	defer func() { removeFiles(created) }()
	if f.demo {
		files, created, err = f.writeDemo(streams)
		if err != nil {
			return err
		}
		if !f.json.On {
			defer f.printDemoNext(streams.Out)
		}
	}
	result, err := f.compute(files)
	if f.reading.Show && f.readings != nil {
		for _, line := range append(f.summaries, f.reading.Shown(f.readings.Readings)...) {
			fmt.Fprintln(streams.Out, table.Printable(line))
		}
		return nil
	}
	if err != nil {
		return f.usage(files, err)
	}
	if err := f.write(ctx, files, result, folder, looks); err != nil {
		return err
	}
	created = nil
	switch {
	case f.format != "":
		required, err := f.checks(files, result)
		if err == nil {
			err = writeGate(streams.Out, f.format, "compqa validate", required)
		}
		if err != nil {
			return err
		}
	case f.json.On:
		all := result.JSON()
		all.Read = f.summaries
		err = f.json.Print(streams.Out, all)
	default:
		first := append(f.summaries, f.reading.Shown(f.readings.Readings)...)
		err = result.Print(streams.Out, first, "Page: "+filepath.Join(f.out, "report.html")+"; tables; "+f.answersText(result))
	}
	if err != nil || !f.gated() {
		return err
	}
	if err := f.gateRefused(files, result); err != nil {
		return err
	}
	required, err := f.checks(files, result)
	if err != nil {
		return err
	}
	return gateFailed(required)
}

// answersText says how to show the answers, or why this is not possible.
func (f *validateFlags) answersText(result *validation.Result) string {
	switch {
	case f.unrecorded:
		return fmt.Sprintf("no record of so many values (%d), which --answers makes", result.Values())
	case !f.recorded:
		return "no record, so nothing to serve or export: no criterion has ordered values on one scale of a judge and people"
	case f.unpacked:
		return "answers: compqa serve " + f.out + "; an export will lack these tables (" + validation.TooLarge + ")"
	}
	return "answers: compqa serve " + f.out
}

// mostTried is the largest number of flag values that are tried to correct an error.
const mostTried = 8

// usage returns the usage error for an error of compute. If adding a flag would correct the error, and trying it out gives figures, the
// message has the corrected command. Otherwise it lists the columns of the files.
func (f *validateFlags) usage(files []string, err error) error {
	needed, ok := errors.AsType[*validation.Needed](err)
	switch {
	case !ok:
		return config.UsageError{Err: err}
	case f.mends(files, needed.Flags):
		return config.Usagef("%w\n  %s", err, f.command(files, needed.Flags...))
	case len(needed.Others) > 0 && len(needed.Others) <= mostTried:
		others := data.Where(needed.Others, func(value string) bool { return f.mends(files, []string{needed.Flags[0], value}) })
		if len(others) == 1 {
			return config.Usagef("%w\n  %s", err, f.command(files, needed.Flags[0], others[0]))
		}
	}
	return config.Usagef("%w: %s. %s", err, cmp.Or(needed.Way, strings.Join(needed.Flags, " ")), f.columns(files))
}

// columns describes the columns of the judges' and the people's files, with an example value of each.
func (f *validateFlags) columns(files []string) string {
	var parts []string
	for _, file := range append(slices.Clone(files), f.people) {
		sheet, err := sources.OpenSheet(file)
		if err != nil {
			continue
		}
		var names []string
		for _, c := range sheet.Columns[:min(12, len(sheet.Columns))] {
			names = append(names, fmt.Sprintf("%s (%q)", c.Path, data.Clip(c.Example)))
		}
		parts = append(parts, fmt.Sprintf("%s has the columns %s", file, strings.Join(names, ", ")))
	}
	return strings.Join(parts, "; ")
}

// mends reports whether the flags in more, added to the command, would give figures. They do if nine in ten items are joined and a
// criterion has values on one scale.
func (f *validateFlags) mends(files, more []string) bool {
	var g validateFlags
	set := pflag.NewFlagSet("validate", pflag.ContinueOnError)
	g.add(set)
	f.set.Visit(func(flag *pflag.Flag) {
		if list, is := flag.Value.(pflag.SliceValue); is {
			set.Lookup(flag.Name).Value.(pflag.SliceValue).Replace(list.GetSlice())
		} else if len(more) == 0 || "--"+flag.Name != more[0] {
			set.Set(flag.Name, flag.Value.String())
		}
	})
	if set.Parse(more) != nil || g.parse() != nil {
		return false
	}
	r, err := g.compute(files)
	if err != nil || 10*r.Join.Joined < 9*min(r.Join.Items, r.Join.Records) {
		return false
	}
	return slices.ContainsFunc(r.Pairings, func(p *validation.Pairing) bool { return p.Why == "" && len(p.Rows) > 0 && p.Rows[0].N > 0 })
}

// command returns the command line with its flags and the words in more. A flag in more replaces the same flag, except --pair.
func (f *validateFlags) command(files []string, more ...string) string {
	words := append([]string{"compqa", "validate"}, files...)
	f.set.Visit(func(flag *pflag.Flag) {
		if flag.Name == "json" || flag.Name == "demo" || len(more) > 0 && "--"+flag.Name == more[0] && flag.Name != "pair" {
			return
		}
		values := []string{flag.Value.String()}
		if list, is := flag.Value.(pflag.SliceValue); is {
			values = list.GetSlice()
		}
		for _, value := range values {
			switch flag.NoOptDefVal {
			case "":
				words = append(words, "--"+flag.Name, value)
			case value:
				words = append(words, "--"+flag.Name)
			default: // after a space, the value would be read as a file
				words = append(words, "--"+flag.Name+"="+value)
			}
		}
	})
	words = append(words, more...)
	for i, word := range words {
		if strings.ContainsFunc(word, needsShellQuotes) {
			words[i] = "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
		}
	}
	return strings.Join(words, " ")
}

// needsShellQuotes reports whether a word with this character must be quoted in a shell.
func needsShellQuotes(r rune) bool {
	return !strings.ContainsRune("-_=.,/:+@%", r) && !unicode.IsLetter(r) && !unicode.IsDigit(r)
}

// parse checks the flags and copies them to f.options and f.read.
func (f *validateFlags) parse() (err error) {
	o := &f.options
	f.read, err = f.reading.Options()
	if err != nil {
		return err
	}
	if err := f.parseGate(); err != nil {
		return err
	}
	f.read.Columns = f.by
	o.Scales = f.read.Scales
	f.read.Confidence = o.Unread > 0
	f.read.Sets = o.Sets
	o.Join = f.join
	o.MapLinear = f.mapScale == "linear"
	o.EpochsMean = f.read.Repeats == sources.RepeatsMean
	o.Columns = f.by
	o.PeoplesMean = o.EpochsMean
	o.Last = f.read.Repeats == sources.RepeatsLast
	o.Same = f.reading.Same
	o.Answered = f.reading.Answered
	switch {
	case f.mapScale != "" && !o.MapLinear:
		return fmt.Errorf("--map-scale is %q; it must be linear", f.mapScale)
	case !(o.Epsilon > 0 && o.Epsilon < 1):
		return fmt.Errorf("--epsilon is %v; it is above 0 and below 1", o.Epsilon)
	case !(o.Margin > 0 && o.Margin < 1):
		return fmt.Errorf("--margin is %v; it is above 0 and below 1", o.Margin)
	case f.set.Changed("unread") && !(o.Unread >= .5 && o.Unread < 1):
		return fmt.Errorf("--unread is %v; it is a share from .5 to below 1, for instance .9", o.Unread)
	case f.set.Changed("sure") && !(o.Sure > .5 && o.Sure < 1):
		return fmt.Errorf("--sure is %v; it is a probability above .5 and below 1, for instance .95", o.Sure)
	case o.Sure > 0 && o.Unread == 0:
		return errors.New("--sure says how sure the answer of --unread SHARE is to be, which is not given")
	case o.Together == "" && o.Escalate == nil && (f.set.Changed("label-price") || len(f.callPrices) > 0):
		return errors.New("--label-price and --call-price are prices for --together or --escalate, which are not given")
	case f.set.Changed("label-price") && !(o.LabelPrice > 0 && stats.IsFinite(o.LabelPrice)):
		return fmt.Errorf("--label-price is %v; it is what a label costs, in dollars, above 0", o.LabelPrice)
	case (o.OfAll || o.Escalate != nil) && o.Unread == 0:
		return errors.New("--of-all and --escalate say what --unread SHARE is about, which is not given")
	case o.Escalate != nil && (len(o.Escalate) < 2 || len(data.Set(slices.Clone(o.Escalate))) < len(o.Escalate)):
		return fmt.Errorf("--escalate is %s; it needs two judges or more, each once", strings.Join(o.Escalate, ","))
	case o.Budget < 0 || o.Budget > 0 && o.LabelsFor > 0:
		return errors.New("--budget is a number of items, above 0, and not used with --labels-for: both write to_label.csv")
	case f.looks != "" && filepath.Clean(f.looks) == filepath.Clean(f.out):
		return errors.New("--record is a folder of its own, not that of --out, whose files each look replaces")
	case o.Sets != nil && f.since != nil:
		return errors.New("--sets is not used with --since: first answers of the two logs would be compared")
	case o.LabelsFor < 0:
		return errors.New("--labels-for is half the width of an interval, above 0")
	}
	if f.inclusion != "" {
		o.Inclusion, err = sources.Inclusions(f.inclusion)
		if err != nil {
			return err
		}
	}
	if o.Pairs, err = assignments("pair", f.pairs); err != nil {
		return err
	}
	if f.read.Given != nil {
		for judge, people := range f.read.Given.Pairs {
			o.Pairs[judge] = cmp.Or(o.Pairs[judge], people)
		}
	}
	o.Thresholds = map[string]float64{}
	for _, text := range f.thresholds {
		index := strings.LastIndexByte(text, '=')
		x, ok := data.Number(text[index+1:])
		if o.Thresholds[text[:max(0, index)]] = x; !ok {
			return fmt.Errorf("--threshold is %q; a number is needed, or CRITERION=N", text)
		}
	}
	return nil
}

// twiceGiven adds to the error about a name that a flag has twice what to type instead.
var twiceGiven = map[string]string{"judge": "; several criteria of one judge are --map " +
	"judge.CRITERION=COLUMN,judge.CRITERION=COLUMN, several judges " +
	"have several names", "pair": "; a criterion of the judge is compared with one of people"}

// assignments parses the values NAME=VALUE of a flag. It splits at the first =. Spaces around name and value, and quotes around the value,
// are removed.
func assignments(flag string, texts []string) (map[string]string, error) {
	m := map[string]string{}
	for _, text := range texts {
		name, value, found := strings.Cut(text, "=")
		if !found || name == "" || value == "" {
			return nil, fmt.Errorf("--%s is %q; NAME=VALUE is needed", flag, text)
		}
		name = strings.TrimSpace(name)
		value = strings.Trim(strings.TrimSpace(value), `"`)
		if before, twice := m[name]; twice && before != value {
			return nil, fmt.Errorf("--%s has %s twice, for %s and for %s%s", flag, name, before, value, twiceGiven[flag])
		}
		m[name] = value
	}
	return m, nil
}

// compute compares judges with people: it reads both sides, aligns them, joins them as a study, pairs their criteria, and computes all
// figures. With --show-reading the result is nil, and f.readings has how the files were read.
func (f *validateFlags) compute(files []string) (*validation.Result, error) {
	options, err := f.judgeOptions()
	if err != nil {
		return nil, err
	}
	judged, people, older, err := f.readSides(files, options)
	if err != nil {
		return nil, err
	}
	if err := f.prepare(judged, people, older, options); err != nil {
		return nil, err
	}
	if f.reading.Show {
		return nil, nil
	}
	if f.looks != "" {
		f.options.Looks, err = validation.ReadLooks(f.looks)
		if err != nil {
			return nil, err
		}
	}
	if err := f.priceCalls(files, judged); err != nil {
		return nil, err
	}
	f.input = validation.NewInput(judged, people, older, f.options)
	var newer *sources.Log
	if older != nil {
		newer = judged.Clone() // the study takes over the values of judged
	}
	study, err := validation.NewStudy(judged, people, f.options)
	if err != nil {
		return nil, err
	}
	if people == nil {
		if err := f.withoutPeople(); err != nil {
			return nil, err
		}
	}
	result, err := study.Paired()
	if err != nil {
		return nil, err
	}
	f.unrecorded = !f.answers && result.Values() > mostRecordedItems
	if f.unrecorded {
		f.input = nil // it is only written beside a record
	}
	if err := result.Complete(newer, older); err != nil {
		return nil, err
	}
	return result, nil
}

// judgeOptions returns the options for reading logs. --judge NAME=PATH names a column with a judge's values, and --judge NAME a rater who
// is the judge.
func (f *validateFlags) judgeOptions() (sources.Options, error) {
	options := f.read
	var columns []string
	for _, text := range f.judges {
		if strings.Contains(text, "=") {
			columns = append(columns, text)
		} else {
			options.JudgeNames = append(options.JudgeNames, text)
		}
	}
	var err error
	options.Judges, err = assignments("judge", columns)
	return options, err
}

// readSides reads the logs of the judges, people's scores, and the older logs of --since. People's scores may be in the log itself, if
// --people names the same file. people and older are nil if there are none.
func (f *validateFlags) readSides(files []string, options sources.Options) (judged, people, older *sources.Log, err error) {
	withPeople := options
	withPeople.Other = []string{f.people}
	judged, err = f.readLogs(files, withPeople)
	if err != nil {
		return nil, nil, nil, err
	}
	if f.since != nil {
		older, err = f.readLogs(f.since, options)
		if err != nil {
			return nil, nil, nil, err
		}
	}
	f.summaries = []string{judged.Summary(false)}
	people, err = f.readPeople(options, judged, files, data.Where(slices.Concat(files, f.since), data.IsFolder))
	if err != nil {
		return nil, nil, nil, err
	}
	f.summaries[0] = judged.Summary(false) // people are no longer among the raters of judged
	return judged, people, older, nil
}

// prepare leaves out scores that --reference does not ask for, and gives criteria and labels of both sides the same names. It also notes
// what was assumed about columns.
func (f *validateFlags) prepare(judged, people, older *sources.Log, options sources.Options) error {
	if err := f.referenceOnly(people); err != nil {
		return err
	}
	notes, err := sources.Align(judged, people, options)
	if err != nil {
		return err
	}
	sources.Settle(judged, people)
	f.readings = f.reading.Readings(options, judged, people)
	f.readings.Pairs = f.options.Pairs
	if f.reading.Show {
		return nil
	}
	judged.Notes = append(judged.Notes, notes...)
	if unused := options.Unused(judged, people, older); unused != "" {
		judged.Notes = append(judged.Notes, unused)
	}
	return nil
}

// withoutPeople returns an error if the flags ask for something that needs people's scores, or for nothing that can be computed without
// them.
func (f *validateFlags) withoutPeople() error {
	switch {
	case f.options.Unread > 0 && f.options.Budget == 0:
		return errors.New("--unread needs --people, the file with people's scores; before there is one, --budget N draws items to label")
	case f.options.Together != "":
		return errors.New("--together needs --people, the file with people's scores of a part of the items")
	case f.options.LabelsFor == 0 && f.options.Budget == 0 && f.since == nil:
		return errors.New("compqa validate needs --people, the file with people's scores; " +
			"without it, --labels-for says how many labels to collect, --budget which, and --since what changed")
	}
	return nil
}

// recordOf reads the run in a folder. It reads each run only once, because the run's judges and its people are needed.
func (f *validateFlags) recordOf(dir string) (*dataset.Dataset, error) {
	if known := f.records[dir]; known != nil {
		return known, nil
	}
	r, err := validation.ReadRun(dir, f.read.Confidence)
	if err != nil {
		return nil, err
	}
	if f.records == nil {
		f.records = map[string]*dataset.Dataset{}
	}
	f.records[dir] = r
	return r, nil
}

// readLogs reads the logs of judges. A folder is read as a run.
func (f *validateFlags) readLogs(files []string, o sources.Options) (*sources.Log, error) {
	var logs []*sources.Log
	for _, file := range files {
		read := func() (*sources.Log, error) { return sources.Read(file, o) }
		if data.IsFolder(file) {
			read = func() (*sources.Log, error) {
				r, err := f.recordOf(file)
				if err != nil {
					return nil, err
				}
				log := validation.SideOfRun(r.Judgements, validation.Side{Repeats: o.Confidence})
				if log.Values.Len() == 0 && len(files) == 1 {
					return nil, noJudge(r.Judgements)
				}
				return log, nil
			}
		}
		log, err := read()
		if err != nil {
			return nil, err
		}
		logs = append(logs, log)
	}
	return sources.Together(logs...), nil
}

// readPeople reads people's scores from the file or run of --people, and from the runs in the folders runs. It adds a summary of each to
// f.summaries. It returns nil if there are no people's scores.
func (f *validateFlags) readPeople(o sources.Options, judged *sources.Log, files, runs []string) (people *sources.Log, err error) {
	o.People = true
	listed := map[string]bool{}
	for _, s := range judged.Values.Series() {
		name := s.ID // the name of the criterion on people's side
		for _, key := range []string{s.ID, "judge." + s.ID, s.Rater.Name + "." + s.ID} {
			name = cmp.Or(f.options.Pairs[key], name)
		}
		if !listed[name] {
			o.Names = append(o.Names, name)
			listed[name] = true
		}
	}
	switch {
	case data.IsFolder(f.people):
		runs = append(runs, f.people)
	case f.people != "":
		o.Other = files
		people, err = sources.Read(f.people, o)
		if err != nil {
			return nil, err
		}
		if people.Values.Len() == 0 {
			if why := sources.Turned(f.people, judged); why != "" {
				return nil, errors.New(why)
			}
			return nil, fmt.Errorf("%s has no scores of people that can be read%s. A score is a number, a truth value or one of "+
				"a few labels; its row needs an id or a text (--map people.item=COLUMN). Name the column or path of a score: --map people.NAME=PATH; "+
				"write a ranking as pairs: a table of question, output_1, output_2, annotator, winner", f.people, people.LeftOut())
		}
		sources.LeaveTwice(judged, people)
		f.summaries = append(f.summaries, people.Summary(true))
	}
	for _, dir := range runs {
		r, err := f.recordOf(dir)
		if err != nil {
			return nil, err
		}
		log := validation.SideOfRun(r.Judgements, validation.Side{People: true, Decisions: f.reference == adjudicatedReference})
		criteria := r.Rubric
		if len(files) == 1 && files[0] == dir && !f.set.Changed("seed") {
			f.options.Seed = r.Resampling().Seed
		}
		f.options.Declared = validation.DeclaredScales(r.Judgements)
		if people != nil && !data.IsFolder(f.people) {
			if err := f.belongs(people, judged, criteria); err != nil {
				return nil, err
			}
		}
		if log.Values.Len() > 0 {
			f.summaries = append(f.summaries, log.Summary(true))
		}
		if log.Values.Len() > 0 || people != nil {
			people = peopleTogether(log, people, criteria)
		}
	}
	return people, nil
}

// logFormats lists the formats of logs and of people's scores, for the help.
func logFormats() string {
	var b strings.Builder
	for _, f := range sources.Formats() {
		if f.Refuse == "" && (f.Source == "" || f.Name == "alpaca-eval") {
			fmt.Fprintf(&b, "  %s\n", f.About)
		}
	}
	return b.String()
}

// answersToLabel returns the answers of a run, or of an earlier validation, that people should label next. It returns n answers, each with
// the probability with which it was drawn.
func answersToLabel(dir string, n int, seed uint64) ([]validation.ToLabel, error) {
	var f validateFlags
	f.add(pflag.NewFlagSet("validate", pflag.ContinueOnError))
	if err := f.parse(); err != nil {
		return nil, err
	}
	f.options.Budget = n
	if err := f.set.Set("seed", strconv.FormatUint(seed, 10)); err != nil {
		return nil, err
	}
	result, err := f.compute([]string{dir})
	if err != nil {
		return nil, err
	}
	if len(result.ToLabel) == 0 {
		return nil, fmt.Errorf("%s has no judged answer without a label", dir)
	}
	return result.ToLabel, nil
}

// answersToReview returns the ids of the n answers of a run, or of an earlier validation, on which a judge differs most from people. Each
// answer is listed once, even if several judges differ.
func answersToReview(dir string, n int) ([]string, error) {
	var f validateFlags
	f.add(pflag.NewFlagSet("validate", pflag.ContinueOnError))
	if err := f.parse(); err != nil {
		return nil, err
	}
	f.options.Worst = math.MaxInt
	result, err := f.compute([]string{dir})
	if err != nil {
		return nil, err
	}
	var ids []string
	for _, d := range result.Disagreements {
		if len(ids) < n && !slices.Contains(ids, d.ID) {
			ids = append(ids, d.ID)
		}
	}
	if len(ids) == 0 {
		return nil, fmt.Errorf("%s has no answer on which a judge and people differ", dir)
	}
	return ids, nil
}

// adjudicatedReference is the name of the decisions that the owner of an annotation study made after seeing people's sheets.
const adjudicatedReference = "adjudicated"

// referenceOnly leaves out the scores that --reference does not ask for: by default the decisions of the study's owner, with --reference
// adjudicated all others.
func (f *validateFlags) referenceOnly(people *sources.Log) error {
	isDecision := func(s data.Rating) bool {
		return strings.TrimPrefix(s.Rater.Name, data.Human+":") == adjudicatedReference
	}
	if f.reference == "" || f.reference == "mean" {
		if people == nil {
			return nil
		}
		before := people.Values.Len()
		people.Values.Delete(isDecision)
		if n := before - people.Values.Len(); n > 0 {
			if people.Values.Len() == 0 {
				return config.Usagef("all of people's scores are decisions made after seeing people's sheets (human:%s): --reference %s compares "+
					"judges with these", adjudicatedReference, adjudicatedReference)
			}
			people.Notes = append(people.Notes, fmt.Sprintf("%s of the study's owner (human:%s) made after seeing people's sheets left out; "+
				"--reference adjudicated compares judges with these alone", data.Plural(n, "score", "scores"), adjudicatedReference))
		}
		return nil
	}
	if f.reference != adjudicatedReference {
		return config.Usagef("--reference is %q; it must be mean or adjudicated", f.reference)
	}
	if people == nil {
		return config.Usagef("--reference adjudicated needs people's scores (--people, or a run)")
	}
	before := people.Values.Len()
	decided := map[int32]bool{}
	people.Values.Delete(func(s data.Rating) bool {
		is := isDecision(s)
		decided[s.Item] = decided[s.Item] || is
		return !is
	})
	if people.Values.Len() == 0 {
		return fmt.Errorf("--reference adjudicated: there are no decisions of human:%s among people's scores", adjudicatedReference)
	}
	n := 0
	for _, is := range decided {
		if is {
			n++
		}
	}
	people.Notes = append(people.Notes, fmt.Sprintf("the reference is what the study's owner decided on %s (human:%s), "+
		"after seeing people's sheets: "+
		"items without a decision, and %s of people, do not count", data.Plural(n, "item", "items"), adjudicatedReference,
		data.Plural(before-people.Values.Len(), "score", "scores")))
	return nil
}
