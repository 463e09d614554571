package cli

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/spf13/pflag"

	"compqa/bench/config"
	"compqa/data"
	"compqa/data/sources"
	"compqa/results/checks"
	"compqa/results/validation/scales"
)

// Reading holds the flags of the commands that read files of other tools and of people. A flag means the same in every command.
type Reading struct {
	missing, scales []string
	userMap         string
	repeats         string
	same, leave     []string
	judges          []string
	Same            map[string]string // label, in the form of scales.Canonical, to the label that means the same
	Answered        []string          // names of the checks (package checks) that --checked answers
	file            string            // the value of --reading
	Show            bool              // the value of --show-reading
}

// ReadingHelp explains the flags of Reading, in the help of each command that has them.
const ReadingHelp = `Files of other tools and people are read by their content; every command says what it read and
what it left out. Where that is not what the file means:

  --missing VALUE   this value is no score, for instance -1 or 99. NA, N/A, None, null, nan, -, ., ?
                    and empty cells are always missing, and so is skip or unsure among numbers
  --map NAME=COLUMN[,NAME=COLUMN…], or a YAML file. NAME is item, question, text, system, group,
                    repeat, turn, inclusion (the probability with which an item was chosen to be
                    labelled), confidence (of the judge, for validate --unread); rater, criterion
                    and value of a long table; or judge.CRITERION, people.CRITERION. A path of JSON is written with dots: scores.correct
  --scale [NAME=]SCALE  the scale of a criterion, or of all: 1..5, no,partly,yes (worst first), or labels.
                    Where a rubric has the points, its values stand for the levels, the worst first
  --repeats first|last|mean  what counts where one rater has several values of an item; without it, values
                    that differ in more than 2 % of the items are an error, which names the column
                    that tells them apart
  --same LABEL=LABEL  labels that mean the same, as "supported=yes,unsupported=no" (validate, agree)
  --leave-out PERSON  who is nobody, as the consensus of the others
  --judge NAME      who of the raters in a file of judges and people is the judge; the others are people
                    (validate, agree, import); agree leaves the judge out
  --checked CHECK   a question about the joined values that you answer: it is right so (copy, reversed …;
                    validate, agree)

validate, agree, import and judge print what each column was read as where anything is assumed:

  --show-reading    print that, and stop there; a question mark stands before what is assumed
  --reading FILE    read exactly so: the reading.yaml that compqa validate writes beside its figures,
                    and import into the run's folder. A column that is new, gone or has new labels is
                    an error

people. in front of a NAME or a VALUE (people.99, people.item=nr) is of people's file, judge. of the
judge's; without either, it is of both.

Entries of compqa.yaml with provider file have keys with the same words and values:

  - {name: anna, provider: file, path: scores.xlsx, people: true, missing: [99], map: {item: Nr},
     scale: {Helpful: "no,partly,yes"}, repeats: first}
`

// Add adds the flags of a command that reads scores: --map, --scale, --missing, --repeats and --leave-out.
func (r *Reading) Add(set *pflag.FlagSet) {
	r.AddMap(set)
	set.StringArrayVar(&r.scales, "scale", nil,
		"a criterion's scale, `[NAME=]SCALE`: 1..5, no,partly,yes (worst first), or labels (may be repeated)")
	set.StringArrayVar(&r.missing, "missing", nil, "a `VALUE` that is no score, also people.VALUE or judge.VALUE (may be repeated)")
	set.StringVar(&r.repeats, "repeats", "", "of several values of one rater of an item: `first`, last or mean")
	set.StringArrayVar(&r.leave, "leave-out", nil, "a `PERSON` who is left out, as one who is the others' consensus (may be repeated)")
}

// AddChecks adds the flags of a command that compares the values of raters: --same and --checked.
func (r *Reading) AddChecks(set *pflag.FlagSet) {
	set.StringArrayVar(&r.same, "same", nil, "labels that mean the same, `LABEL=LABEL`[,LABEL=LABEL…] (may be repeated)")
	set.StringArrayVar(&r.Answered, "checked", nil, "a `CHECK` of the joined values whose question you answer with: it is right so, as copy "+
		"(may be repeated)")
}

// AddReading adds the flags --show-reading, which prints how the files are read, and --reading, which reads them the same way again.
func (r *Reading) AddReading(set *pflag.FlagSet) {
	set.BoolVar(&r.Show, "show-reading", false, "print what each column is read as, and why, and stop there")
	set.StringVar(&r.file, "reading", "", "read each file exactly as `FILE` says, which an earlier validation or import wrote (reading.yaml)")
}

// AddJudge adds the flag --judge, which names the judge in a file of judges and people.
func (r *Reading) AddJudge(set *pflag.FlagSet) {
	set.StringArrayVar(&r.judges, "judge", nil,
		"a rater's `NAME`: that rater is the judge, the others are people; or NAME=PATH, the judge's values (may be repeated)")
}

// AddChoices adds the flags of a command that reads choices between two answers.
func (r *Reading) AddChoices(set *pflag.FlagSet) {
	r.AddReading(set)
	set.StringVar(&r.userMap, "map", "", "what columns are: a YAML `FILE`, or "+
		"item=COLUMN,choice=COLUMN,person=COLUMN,order=COLUMN,left=COLUMN …")
	set.StringArrayVar(&r.missing, "missing", nil, "a `VALUE` that is no choice (may be repeated)")
	set.StringVar(&r.repeats, "repeats", "", "of several choices of one rater on a pair: `first` or last")
}

// AddMap adds only --map, for a command that reads no scores.
func (r *Reading) AddMap(set *pflag.FlagSet) {
	set.StringVar(&r.userMap, "map", "",
		"where things are: a YAML `FILE`, or item=COLUMN,text=COLUMN,judge.CRITERION=COLUMN,people.item=COLUMN …")
}

// Options converts the flags to options of package sources. It first parses --judge, --checked, --same and --repeats. With --reading, it
// then merges in the options that the reading file keeps. Last, it parses --map and --scale. A --scale takes precedence over the scale in
// the reading file.
func (r *Reading) Options() (o sources.Options, err error) {
	o.Missing = r.missing
	o.Repeats = r.repeats
	o.Leave = r.leave
	for _, text := range r.judges {
		name, path, found := strings.Cut(text, "=")
		if !found {
			o.JudgeNames = append(o.JudgeNames, text)
			continue
		}
		if o.Judges == nil {
			o.Judges = map[string]string{}
		}
		if name == "" || path == "" || o.Judges[name] != "" {
			return o, fmt.Errorf("--judge is %q; NAME or NAME=PATH is needed, each NAME once", text)
		}
		o.Judges[name] = path
	}
	if err := checks.Known(r.Answered); err != nil {
		return o, err
	}
	r.Same = map[string]string{}
	for _, text := range r.same {
		for _, pair := range strings.Split(text, ",") {
			label, other, found := strings.Cut(pair, "=")
			if !found || strings.TrimSpace(label) == "" || strings.TrimSpace(other) == "" {
				return o, fmt.Errorf("--same is %q; LABEL=LABEL is needed, for instance yes=ok", data.Clip(text))
			}
			r.Same[scales.Canonical(label)] = strings.TrimSpace(other)
		}
	}
	if err := config.CheckRepeats(r.repeats); err != nil {
		return o, fmt.Errorf("--%w", err)
	}
	if r.file != "" && r.userMap != "" {
		return o, fmt.Errorf("--reading says what all columns are: change the file in place of --map")
	}
	if r.file != "" {
		o.Given, err = sources.OpenReadings(r.file)
		if err != nil {
			return o, err
		}
		o.Missing = append(o.Missing, o.Given.Missing...)
		o.Repeats = cmp.Or(o.Repeats, o.Given.Repeats)
		r.Answered = append(r.Answered, o.Given.Checked...)
		o.Leave = append(o.Leave, o.Given.Leave...)
		for label, other := range o.Given.Same {
			r.Same[label] = cmp.Or(r.Same[label], other)
		}
	}
	if r.userMap != "" {
		o.Map, err = sources.ParseMap(r.userMap)
		if err != nil {
			return o, err
		}
	}
	o.Scales = map[string]string{}
	for _, text := range r.scales {
		name, scale, found := strings.Cut(text, "=")
		if !found {
			name = ""
			scale = text
		}
		name = strings.Trim(strings.TrimSpace(name), `"`)
		scale = strings.Trim(strings.TrimSpace(scale), `"`)
		if scale == "" {
			return o, fmt.Errorf("--scale is %q; SCALE or NAME=SCALE is needed, for instance 1..5", data.Clip(text))
		}
		o.Scales[name] = scale
	}
	if o.Given != nil {
		for name, scale := range o.Given.Scales {
			o.Scales[name] = cmp.Or(o.Scales[name], scale)
		}
	}
	return o, nil
}

// Readings returns the readings of the logs together with the flags that they were read with. --reading takes the file written from the
// result.
func (r *Reading) Readings(o sources.Options, logs ...*sources.Log) *sources.Readings {
	all := &sources.Readings{Missing: o.Missing, Repeats: o.Repeats, Scales: o.Scales, Checked: r.Answered, Same: r.Same, Leave: o.Leave}
	for _, log := range logs {
		if log != nil {
			all.Readings = append(all.Readings, log.Readings...)
		}
	}
	return all
}

// Shown returns the lines that describe readings. With --show-reading it describes all of them, otherwise those in which something is
// assumed.
func (r *Reading) Shown(readings []*sources.Reading) (lines []string) {
	for _, reading := range readings {
		if r.Show || len(reading.Assumed()) > 0 {
			lines = append(lines, reading.Lines(mostShownColumns)...)
		}
	}
	if len(lines) > 0 && !r.Show {
		lines = append(lines, "  ? is assumed: --map role=COLUMN says otherwise, --reading keeps it")
	}
	return lines
}

// mostShownColumns is the largest number of a file's columns that are shown.
const mostShownColumns = 12
