package bench

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"compqa/bench/cli"
	"compqa/bench/config"
	"compqa/bench/run"
	"compqa/data"
	"compqa/data/sources"
	"compqa/results/agreement"
	"compqa/results/checks"
	"compqa/results/raters"
	"compqa/results/table"
	"compqa/results/validation/scales"
	rating "compqa/stats/agreement"
)

// The values of --format: the formats of annotation tables.
const (
	formatLong       = "long"
	formatJudgeBench = "judge-bench"
)

// agreeCommand builds `compqa agree`.
func agreeCommand(streams cli.Streams) *cobra.Command {
	var f agreeFlags
	cmd := cli.Command("agree --units FILE [--out FILE]", "Compute the agreement of any table of annotations",
		func(cmd *cobra.Command, _ []string) error { return f.run(streams) })
	cmd.Flags().StringVar(&f.units, "units", "", "the `FILE` with the ratings")
	cmd.Flags().StringVar(&f.out, "out", "", "the `FILE` to write the agreement to")
	cmd.Flags().StringVar(&f.format, "format", "", "the file's `FORMAT`: "+formatLong+" or "+
		formatJudgeBench+" (default: found by its content)")
	cmd.Flags().StringVar(&f.options.Level, "level", "",
		"`LEVEL` of measurement: nominal, ordinal, interval, ratio (default: interval, of labels without an order nominal; for "+
			"JUDGE-BENCH, as its file says)")
	cmd.Flags().StringVar(&f.cluster, "cluster", "", "the `COLUMN` that says which units belong together (default: cluster, if it exists)")
	f.reading.Add(cmd.Flags())
	f.reading.AddChecks(cmd.Flags())
	f.reading.AddReading(cmd.Flags())
	f.reading.AddJudge(cmd.Flags())
	cmd.Flags().Uint64Var(&f.options.Seed, "seed", 1, "seed `N` of the resamples; the same seed gives the same intervals")
	f.asJSON.Add(cmd.Flags())
	cli.Require(cmd, "units")
	return cmd
}

type agreeFlags struct {
	units, out, format, cluster string
	reading                     cli.Reading
	options                     agreement.AgreeOptions
	read                        sources.Options
	asJSON                      cli.JSON[agreementJSON]
}

// agreementJSON is what `compqa agree --json` prints.
type agreementJSON struct {
	Read []string                       `json:"read"` // what was read from the file, and what was not
	Rows table.Rows[agreement.UnitsRow] `json:"agreement"`
}

// run reads the ratings, gives labels that mean the same one name, computes the agreement on each criterion, and writes and prints it. With
// --show-reading it only prints how the file was read.
func (f agreeFlags) run(streams cli.Streams) error {
	if err := f.check(); err != nil {
		return config.UsageError{Err: err}
	}
	j, log, err := f.judgements(streams.In)
	if err != nil {
		return config.UsageError{Err: err}
	}
	for _, column := range j.Columns {
		for i, word := range column.Words {
			column.Words[i] = cmp.Or(f.reading.Same[scales.Canonical(word)], word)
		}
	}
	lines := []string{} // computed before the agreement, so that the memory of what was read can be freed
	if log != nil {
		if unused := f.read.Unused(log); unused != "" {
			log.Notes = append(log.Notes, unused)
		}
		lines = append(append(append(lines, log.Summary(true)), f.reading.Shown(log.Readings)...), log.Notes...)
	}
	if f.reading.Show {
		printLines(streams.Out, lines)
		return nil
	}
	if log != nil {
		log.Items = nil // the judgements have the items
	}
	rows, notes, err := f.agree(j, log)
	lines = append(lines, notes...)
	if err != nil {
		return config.UsageError{Err: err} // the error can only come from the ratings
	}
	if f.out != "" {
		if err := writeOut(f.out, streams.Out, table.CSV(rows)); err != nil {
			return err
		}
	}
	if f.asJSON.On {
		return f.asJSON.Print(streams.Out, agreementJSON{lines, rows})
	}
	shown := streams.Out
	if f.out == "-" {
		shown = streams.Err
	}
	printLines(shown, lines)
	return agreement.PrintUnits(shown, rows)
}

// printLines prints what was read, and what was not.
func printLines(w io.Writer, lines []string) {
	for _, line := range lines {
		table.PrintRow(w, table.Printable(line))
	}
}

// agree computes the agreement on each criterion. notes are sentences about what the checks of the values found. A finding that stops the
// computation leaves out its criterion. If it stops all criteria, that is an error.
func (f *agreeFlags) agree(j *data.Judgements, log *sources.Log) (rows []agreement.UnitsRow, notes []string, err error) {
	names := data.Each(j.Criteria, func(c data.Measured) string { return c.ID })
	for name := range f.read.Scales {
		if name != "" && !slices.Contains(names, name) {
			return nil, nil, fmt.Errorf("--scale %s=…: there is no criterion %q%s", name, name, data.Suggest(name, "criteria", names))
		}
	}
	if log != nil {
		for _, name := range slices.Sorted(maps.Keys(log.Stopped)) {
			notes = append(notes, "No figure of "+name+": "+log.Stopped[name])
		}
	}
	for k, name := range names {
		o := f.options
		if scale := cmp.Or(f.read.Scales[name], f.read.Scales[""]); scale != "" {
			o, err = scaled(o, scale)
			if err != nil {
				return nil, nil, err
			}
		}
		found := f.checked(j, k, log)
		notes = append(notes, data.Each(found, checks.Finding.Sentence)...)
		if checks.Stopped(found) {
			continue
		}
		row, err := agreement.AgreeOn(j, k, o)
		if err != nil {
			return nil, nil, err
		}
		rows = append(rows, row)
	}
	if rows == nil && notes != nil {
		return nil, nil, errors.New(strings.Join(notes, "\n"))
	}
	return rows, notes, nil
}

// checked runs the checks of values on the criterion with this index.
func (f *agreeFlags) checked(judgements *data.Judgements, criterion int, log *sources.Log) []checks.Finding {
	column := &judgements.Columns[criterion]
	name := judgements.Criteria[criterion].ID
	j := &checks.Joined{Criterion: name}
	given := cmp.Or(f.read.Scales[name], f.read.Scales[""]) != ""
	side := checks.Side{Given: given}
	numbers := map[string]float64{}
	labels := map[string]int{}
	for place, n := range column.Frequency() {
		label := scales.Canonical(column.Words[place])
		if x, number := data.Number(label); number {
			numbers[label] = x
		} else if n > 0 && column.Words[place] != "" {
			labels[label] = 0
		}
	}
	for index, label := range slices.Sorted(maps.Keys(labels)) {
		numbers[label] = -1e9 + float64(index) // stands for a label that is not a number
	}
	values := data.Each(column.Words, func(word string) raters.Value { return raters.Number(numbers[scales.Canonical(word)]) })
	written := make([]int, len(column.Words)) // 1 + the index of each word in side.Values
	items := int(column.Items())
	people := map[int32]int{} // rater to the index in j.People
	for row, word := range column.Word {
		if column.Words[word] == "" {
			continue
		}
		if written[word] == 0 {
			side.Values = append(side.Values, checks.Written{Text: column.Words[word]})
			written[word] = len(side.Values)
		}
		side.Values[written[word]-1].N++
		who := column.Rater[row]
		k, known := people[who]
		if !known && len(people) < mostCheckedRaters {
			k = len(j.People)
			people[who] = k
			rater := raters.Rater{Values: slices.Repeat([]raters.Value{raters.Missing(raters.NotAsked)}, items)}
			if who != data.NoRater {
				rater.Name = judgements.Raters[who].Name
			}
			j.People = append(j.People, rater)
		} else if !known {
			continue
		}
		j.People[k].Values[column.Item[row]] = values[word]
	}
	if log != nil {
		if name == data.NoCriterion && len(log.Words) == 1 {
			for only := range log.Words {
				name = only
			}
		}
		side.Words = log.Words[name]
		side.Empty = log.Empty[name]
		j.Spellings = log.Spellings
	}
	j.Labels = len(labels) > 0
	j.Sides = []checks.Side{side}
	found := checks.Run(j, f.reading.Answered)
	for i := range found {
		if found[i].Kind == checks.Mark {
			found[i].Kind = checks.Say // agree has no verdict that a mark could limit
		}
	}
	return found
}

// mostCheckedRaters is the largest number of raters that are compared with each other, to find copies and a rater who is the consensus of
// the others.
const mostCheckedRaters = 50

// scaled returns the options for the values of a scale: a range such as 1..5, a list such as no,partly,yes, "labels" for labels without an
// order, or "labels:a,b" for a list of them.
func scaled(o agreement.AgreeOptions, scale string) (agreement.AgreeOptions, error) {
	low, high, isRange := strings.Cut(scale, "..")
	if list, isList := strings.CutPrefix(scale, "labels:"); isList {
		o.Level = cmp.Or(o.Level, "nominal")
		o.Scale = strings.Split(list, ",")
		return o, nil
	}
	if scale == "labels" {
		o.Level = cmp.Or(o.Level, "nominal")
		return o, nil
	}
	if isRange {
		from, err := strconv.Atoi(low)
		to, fault := strconv.Atoi(high)
		if err != nil || fault != nil || from >= to || to-from > 1000 {
			return o, fmt.Errorf("--scale %s: a range is LOW..HIGH in whole numbers, for instance 1..5", scale)
		}
		for x := from; x <= to; x++ {
			o.Scale = append(o.Scale, strconv.Itoa(x))
		}
		return o, nil
	}
	var err error
	o.Scale, err = data.ParseScale(scale)
	return o, err
}

// check checks the flags, and parses the flags of reading into f.read.
func (f *agreeFlags) check() error {
	if f.options.Level != "" {
		if _, err := rating.ParseLevel(f.options.Level); err != nil {
			return fmt.Errorf("--level: %w", err)
		}
	}
	switch {
	case f.format != "" && f.format != formatLong && f.format != formatJudgeBench:
		return fmt.Errorf("--format is %q; it is %s or %s", f.format, formatLong, formatJudgeBench)
	case f.format == formatJudgeBench && f.cluster != "":
		return fmt.Errorf("--cluster needs a table; JUDGE-BENCH's files have no columns")
	case f.asJSON.On && f.out == "-":
		return fmt.Errorf("--json and --out - both write to standard output")
	case run.SameFile(f.units, f.out):
		return fmt.Errorf("--out and --units are the same file, which would be overwritten")
	}
	var err error
	f.read, err = f.reading.Options()
	return err
}

// judgements reads the ratings. It also returns the log that they came from, or nil for a file in the format of JUDGE-BENCH.
func (f *agreeFlags) judgements(in io.Reader) (*data.Judgements, *sources.Log, error) {
	if f.format == formatJudgeBench || f.format == "" && f.units != "-" && sources.FormatOf(f.units) == formatJudgeBench {
		j, err := sources.ReadJudgeBench(f.units)
		if err == nil && !slices.ContainsFunc(j.Columns, func(c data.Column) bool { return len(c.Item) > 0 }) {
			err = fmt.Errorf("%s has no ratings", f.units)
		}
		return j, nil, err
	}
	if f.units == "-" {
		return f.ratingsFrom(in)
	}
	return sources.ReadRatings(f.units, f.cluster, f.read)
}

// ratingsFrom reads ratings from a stream. It copies the stream to a temporary file, because the ratings are read more than once.
func (f *agreeFlags) ratingsFrom(in io.Reader) (j *data.Judgements, log *sources.Log, err error) {
	file, remove, err := spool(context.Background(), in, "compqa-input-")
	defer remove()
	if err != nil {
		return nil, nil, err
	}
	j, log, err = sources.ReadRatings(file, f.cluster, f.read)
	if err != nil {
		err = errors.New(strings.ReplaceAll(err.Error(), file, standardInput))
	}
	if log != nil {
		log.Path = standardInput
	}
	j.From = standardInput
	return j, log, err
}
