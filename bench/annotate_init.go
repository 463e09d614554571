package bench

import (
	"cmp"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"compqa/bench/cli"
	"compqa/bench/config"
	"compqa/bench/parties"
	"compqa/data"
	"compqa/data/sources"
	"compqa/results/table"
	"compqa/rubric"
	"compqa/stats"
	pages "compqa/web/annotate"
	"compqa/web/annotate/project"
)

// A studySetup holds the flags of `annotate init` and what the command derives from them to create a study.
type studySetup struct {
	dir, study, pairs, items       string
	sample, next, worst, people    int
	overlap                        string
	file                           studyPlan
	project.Settings               // the part that the project stores
	reading                        cli.Reading
	from                           sources.Options       // the options that reading gives
	said                           []string              // sentences about what was read from files
	known                          map[string]knownSheet // by the source of an item, its id
	systems                        []string
	overlapItems, mainItems, fixed int // numbers of items; fixed counts the items with known sheets
}

// A knownSheet is the expected sheet of an item of gold, practice or examples.
type knownSheet struct {
	role  string
	path  string
	sheet func(it project.Item) project.Sheet
}

// annotateInitCommand builds `compqa annotate init`.
func annotateInitCommand(streams cli.Streams) *cobra.Command {
	var f studySetup
	var example bool
	cmd := onRunFolder("init [DIR]", "Choose what people annotate, and how", func(dir string, _ []string) error {
		if example {
			return f.writeExample(streams.Out)
		}
		f.dir = dir
		return f.create(streams)
	})
	set := cmd.Flags()
	set.StringVar(&f.study, "study", "", "the study, a `FILE` in YAML (default: answers, scored by the run's rubric)")
	set.BoolVar(&example, "example", false, "write "+studyName+", or the file of --study, with all keys and comments, and stop there")
	set.StringVar(&f.pairs, "pairs", "", "compare the pairs of `FILE`")
	set.StringVar(&f.items, "items", "",
		"score the items of `FILE` in its order, for instance to_label.csv of compqa validate: id, text, question, group")
	set.IntVar(&f.next, "next", 0, "score the `N` answers of the run, without a label so far, "+
		"whose labels would make the judges' rates most precise: to_label.csv")
	set.IntVar(&f.worst, "worst", 0, "score the `N` answers of the run, or of a record of compqa validate, "+
		"on which judges and people differ most")
	set.IntVar(&f.sample, "sample", 0, "annotate a seeded sample of `N` items (default: all)")
	set.StringVar(&f.overlap, "overlap", "100", "several people annotate `N` items, or a share of them, for instance 0.3")
	set.IntVar(&f.people, "people", 2, "`N` people annotate each of these items, 1 to 5")
	f.reading.Add(set)
	return cmd
}

// writeExample writes the example study to a new file.
func (f *studySetup) writeExample(out io.Writer) error {
	path := cmp.Or(f.study, studyName)
	if err := createFile(path, exampleStudy); err != nil {
		return err
	}
	_, err := fmt.Fprintf(out, "%s: all that a study can have, as it is without the file. Change it there, then:\n"+
		"  compqa annotate init DIR --study %s\n  compqa annotate serve DIR --preview    # look at it; nothing is kept\n", path, path)
	return err
}

// load checks the flags, reads the study file if there is one, and puts its settings into f.
func (f *studySetup) load() error {
	wrong := func(format string, args ...any) error { return config.Usagef(format, args...) }
	switch {
	case f.sample < 0:
		return wrong("--sample must not be negative")
	case f.people < 1 || f.people > 5:
		return wrong("--people is %d; it must be 1 to 5", f.people)
	case f.items != "" && f.pairs != "":
		return wrong("--items are texts that people score, and --pairs are compared: use one of the two")
	}
	kind := project.Answer
	if f.pairs != "" {
		kind = project.Pair
	}
	f.file, f.People = usualStudy(kind), f.people
	if f.study != "" {
		if err := f.file.load(f.study); err != nil {
			return err
		}
	}
	kind = f.file.Kind
	form := project.FormOf(kind)
	switch {
	case f.pairs != "" && (!form.Sides || form.Attached != ""):
		return wrong("--pairs has no tables and no rationales, and nothing to score; kind: %s takes the items of a run", kind)
	case f.items != "" && (form.Sides || form.Rows):
		return wrong("--items are scored by a rubric, which is kind: %s; the study has kind: %s", project.Answer, kind)
	case f.next < 0 || f.next > 0 && (f.items+f.pairs != "" || form.Total == nil):
		return wrong("--next is a number of answers of the run, above 0, without --items, --pairs or another kind")
	case f.worst < 0 || f.worst > 0 && (f.items+f.pairs != "" || f.next > 0 || form.Total == nil):
		return wrong("--worst is a number of answers of the run, above 0, without --items, --pairs, --next or another kind")
	case f.file.lines["third"] > 0 && f.people != 2:
		return f.file.wrong("third", "a third person gets an answer on which two differ, so it needs --people 2: leave it out")
	}
	if err := f.file.settle(&f.Settings); err != nil {
		return err
	}
	f.Ordered = f.items != ""
	f.Source = cmp.Or(f.items, f.pairs)
	var err error
	f.from, err = f.reading.Options()
	if err != nil {
		return config.UsageError{Err: err}
	}
	files := data.Where([]string{f.items, f.pairs, f.file.Gold, f.file.Practice, f.file.Examples},
		func(path string) bool { return path != "" })
	f.from.Alone = len(files) < 2
	return nil
}

// overlapOf converts --overlap, a number or a share, to the number of items that several people annotate.
func (f *studySetup) overlapOf(items int) (int, error) {
	if n, err := strconv.Atoi(f.overlap); err == nil && n >= 0 {
		return min(n, items), nil
	}
	share, err := strconv.ParseFloat(f.overlap, 64)
	if err != nil || !(share >= 0 && share <= 1) {
		return 0, config.Usagef("--overlap is %q; it must be a number of items, or a share such as 0.3", f.overlap)
	}
	return int(share*float64(items) + 0.5), nil
}

// create reads the study file, the rubric, the items and the known sheets, assigns roles to the items, masks names of systems, and writes
// the project. It prints what was read, warnings, and what the checks find.
func (f *studySetup) create(streams cli.Streams) error {
	if err := f.load(); err != nil {
		return err
	}
	db, err := f.openRun()
	if err != nil {
		return err
	}
	if db != nil {
		defer db.Close()
	}
	f.Rubric, err = f.rubric(db)
	if err == nil && db != nil {
		err = f.noEarlier(db)
	}
	if err != nil {
		return err
	}
	items, err := f.read(db)
	if err != nil {
		return err
	}
	if err := (&project.Project{Settings: f.Settings}).CheckSeveral(items); err != nil {
		return f.file.wrong("several", err.Error())
	}
	if err := f.readKnown(); err != nil {
		return err
	}
	items, err = f.roles(items)
	if err != nil {
		return err
	}
	for _, sentence := range f.said {
		table.PrintWrapped(streams.Out, table.Printable(sentence))
	}
	f.Masked = slices.Concat(f.numbered(), f.file.MaskNames)
	named := maskNames(items, f.Masked, f.Mask)
	items = append(items, (&project.Project{Settings: f.Settings}).AttentionItems(items[:f.mainItems])...)
	replaced, err := project.Create(f.dir, f.Settings, items)
	if err != nil {
		return config.UsageError{Err: err}
	}
	if replaced {
		fmt.Fprintln(streams.Out, "The study that was there is replaced: nobody had been invited to it")
	}
	fmt.Fprintf(streams.Out, "%s/%s: %s, %d of them for %s; %d with known sheets\n", f.dir, project.FileName,
		data.Plural(f.mainItems, "item", "items"), f.overlapItems,
		data.Plural(f.People, "person", "people"), f.fixed)
	if named > 0 && !f.Mask {
		table.PrintWrapped(streams.Out, fmt.Sprintf("%d items contain the name of a system, so people can see who wrote them; mask: true in "+
			"the file of the study replaces names", named))
	}
	if n := len(data.Where(items, project.Item.HasFormulas)); n > 0 {
		table.PrintWrapped(streams.Out, data.Plural(n, "item contains", "items contain")+" LaTeX, which people see as it is written: the pages "+
			"do not typeset formulas")
	}
	for _, sentence := range f.whatChecksFind(items) {
		table.PrintWrapped(streams.Out, sentence)
	}
	if names := unwordedCriteria(f.Rubric); len(names) > 0 {
		table.PrintWrapped(streams.Out, "people see only the names of "+table.Printable(data.List(names))+": the rubric says neither what is "+
			"asked nor what the values mean; rubric: FILE in the file of the study gives the words")
	}
	sayMissingTexts(streams.Out, f.dir, f.Texts, items)
	fmt.Fprintf(streams.Out, "Next: compqa annotate invite NAME %s\n", f.dir)
	return nil
}

// unwordedCriteria returns the names of the criteria for which the rubric has only a name and numbers, as rubrics made from another tool's
// log do.
func unwordedCriteria(r rubric.Rubric) (names []string) {
	for _, c := range r.Criteria {
		worded := c.Text != "" && c.Text != c.Name || slices.ContainsFunc(c.Levels, func(l rubric.Level) bool {
			return l.Text != "" && l.Text != project.Points(l.Points)
		})
		if !worded {
			names = append(names, cmp.Or(c.Name, c.ID))
		}
	}
	return names
}

// sayMissingTexts prints which images in the texts cannot be shown, and why. It lists at most 10.
func sayMissingTexts(out io.Writer, dir string, texts project.Texts, items []project.Item) {
	faults := pages.MissingImages(dir, texts, items)
	for _, fault := range faults[:min(len(faults), 10)] {
		fmt.Fprintln(out, "an image is not shown, but its description: "+table.Printable(fault))
	}
	if more := len(faults) - 10; more > 0 {
		fmt.Fprintf(out, "%d more images are not shown\n", more)
	}
}

// numbered returns names of systems that have more than three characters and a digit, such as gpt-4o. Other names, such as template or
// reference, are ordinary words that must not be masked.
func (f *studySetup) numbered() []string {
	return data.Where(f.systems, func(name string) bool { return len(name) > 3 && strings.ContainsAny(name, "0123456789") })
}

// shuffle puts the items in a random order by the seed, unless they come from a file whose order counts.
func (f *studySetup) shuffle(items []project.Item) {
	if f.Ordered {
		return
	}
	slices.SortFunc(items, func(a, b project.Item) int { return strings.Compare(a.Source, b.Source) })
	rng := stats.NewRNG(f.Seed, "annotate")
	rng.Shuffle(len(items), func(i, j int) { items[i], items[j] = items[j], items[i] })
}

// roles assigns a role to each item and returns the items of the study. An item with a known sheet gets the role of the file with the
// sheet. The others are sampled if --sample is set. The first of them are annotated by several people, and have the role Overlap; the rest
// have the role Main.
func (f *studySetup) roles(items []project.Item) (all []project.Item, err error) {
	f.shuffle(items)
	var main, fixed []project.Item
	for _, it := range items {
		known, is := f.known[it.Source]
		if !is {
			main = append(main, it)
			continue
		}
		sheet := known.sheet(it)
		it.Role = known.role
		it.Expected = &sheet
		if project.FormOf(it.Kind).Total != nil {
			if fault := f.Rubric.Check(sheet.Scores(), false); fault != nil {
				return nil, config.Usagef("%s: verdict on %s: %w", known.path, it.Source, fault)
			}
		}
		delete(f.known, it.Source)
		fixed = append(fixed, it)
	}
	for source, known := range f.known {
		return nil, config.Usagef("%s: there is no item %q to annotate", known.path, source)
	}
	f.Chosen = f.choice(len(main))
	if f.sample > 0 {
		main = main[:min(f.sample, len(main))]
	}
	if len(main) == 0 {
		return nil, config.Usagef("%s: there is nothing of kind %s to annotate", f.dir, f.Kind)
	}
	f.overlapItems, err = f.overlapOf(len(main))
	if err != nil {
		return nil, err
	}
	for i := range main {
		main[i].Role = project.Main
		if i < f.overlapItems {
			main[i].Role = project.Overlap
		}
	}
	f.mainItems = len(main)
	f.fixed = len(fixed)
	return append(main, fixed...), nil
}

// choice describes in words how the items were chosen from n items.
func (f *studySetup) choice(n int) string {
	described := data.Plural(n, "item", "items") + " of " + "the run"
	if file := cmp.Or(f.items, f.pairs); file != "" {
		described = data.Plural(n, "item", "items") + " of " + filepath.Base(file) // published reports must not show folders
	}
	switch {
	case f.next > 0:
		return fmt.Sprintf("%d answers of the run at random, with probabilities that make the judges' rates most precise (seed %d)", n, f.Seed)
	case f.worst > 0:
		return fmt.Sprintf("the %d answers on which judges and people differ most: no random sample", n)
	case f.sample > 0 && f.sample < n && f.Ordered:
		return fmt.Sprintf("the first %d of the %s", f.sample, described)
	case f.sample > 0 && f.sample < n:
		return fmt.Sprintf("a random sample of %d of the %s (seed %d)", f.sample, described, f.Seed)
	}
	return "all " + described
}

// readKnown reads the files of known sheets: gold, practice and examples. An item may be in only one of them.
func (f *studySetup) readKnown() error {
	f.known = map[string]knownSheet{}
	for _, file := range []struct{ role, path string }{{project.Gold, f.file.beside(f.file.Gold)},
		{project.Practice, f.file.beside(f.file.Practice)}, {project.Example, f.file.beside(f.file.Examples)}} {
		if file.path == "" {
			continue
		}
		sheets, err := f.knownSheets(file.path)
		if err != nil {
			return config.UsageError{Err: err}
		}
		for source, sheet := range sheets {
			if before, twice := f.known[source]; twice {
				return config.Usagef("%s: item %q is also in %s", file.path, source, before.path)
			}
			f.known[source] = knownSheet{file.role, file.path, sheet}
		}
	}
	return nil
}

// An itemSheet returns the sheet that people should give for an item. It is a function because the fields of a table depend on the item's
// rows.
type itemSheet func(project.Item) project.Sheet

// knownSheets reads known sheets from a file in the format of an export for the study's kind. It maps the id of each item to its sheet. An
// item with two sheets is an error.
func (f *studySetup) knownSheets(path string) (map[string]itemSheet, error) {
	sheets := map[string]itemSheet{}
	var fault error
	add := func(id string, sheet itemSheet) {
		if sheets[id] != nil {
			fault = fmt.Errorf("%s: item %q has two sheets: keep the one that people should give", path, id)
		}
		sheets[id] = sheet
	}
	var err error
	switch project.FormOf(f.Kind).File {
	case project.VerdictsFile:
		err = f.eachKnownVerdict(path, add)
	case project.LabelsFile:
		err = eachKnownLabels(path, add)
	case project.PreferencesFile:
		err = f.eachKnownPreference(path, add)
	default:
		err = fmt.Errorf("%s: studies of kind %s have no known sheets: leave out gold, practice and examples", path, f.Kind)
	}
	if err != nil {
		return nil, err
	}
	return sheets, fault
}

// eachKnownVerdict calls add with the score sheet of each verdict in a file.
func (f *studySetup) eachKnownVerdict(path string, add func(id string, sheet itemSheet)) error {
	verdicts, said, err := parties.ReadVerdicts(path, f.Rubric, false, func(string) bool { return true }, f.from)
	if err != nil {
		return err
	}
	f.said = append(f.said, said.Lines...)
	for v := range verdicts.All() {
		add(v.Answer, func(project.Item) project.Sheet {
			s := project.ScoreSheet(v.Scores)
			s.Reason = v.Reason
			return s
		})
	}
	return nil
}

// eachKnownLabels calls add with the sheet of each line of labels in a file.
func eachKnownLabels(path string, add func(id string, sheet itemSheet)) error {
	labels, err := data.ReadLabels(path)
	for _, l := range labels {
		add(l.Answer, func(it project.Item) project.Sheet {
			s := project.LabelSheet(it.Content, l.Labels)
			s.Reason = l.Reason
			return s
		})
	}
	return err
}

// eachKnownPreference calls add with the sheet of each preference in a file. The rationale of the preference is the reason of the sheet.
func (f *studySetup) eachKnownPreference(path string, add func(id string, sheet itemSheet)) error {
	anyPair := func(id string) (data.Pair, bool) { return data.Pair{ID: id}, true }
	preferences, _, said, err := sources.ReadPreferences(path, anyPair, f.from)
	if err != nil {
		return err
	}
	if said != "" {
		f.said = append(f.said, said)
	}
	for _, p := range preferences {
		add(p.ID, func(project.Item) project.Sheet {
			return project.Sheet{Values: map[string]string{"choice": project.Side(data.Choice(p.Choice), data.OrderAB)}, Reason: p.Rationale}
		})
	}
	return nil
}

// kindsHelp returns a list of the kinds of items for the help of annotate init.
func kindsHelp() string {
	const width = 82 // columns for the description of a kind
	list := data.Each(project.Kinds, func(kind string) string {
		about := table.Wrap(project.FormOf(kind).About, width)
		return fmt.Sprintf("  %-11s %s\n", kind, strings.Join(about, "\n"+strings.Repeat(" ", 14)))
	})
	return strings.Join(list, "")
}
