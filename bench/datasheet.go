package bench

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"compqa/bench/attack"
	"compqa/bench/cli"
	"compqa/bench/config"
	"compqa/bench/estimate"
	"compqa/bench/plan"
	"compqa/data"
	"compqa/data/sources"
	"compqa/judges"
	"compqa/judges/pairwise"
	"compqa/results/dataset"
	"compqa/results/judgequality"
	"compqa/results/report"
	"compqa/results/store"
	"compqa/results/table"
)

// datasheetAnswers is the default number of answers that a datasheet attacks.
const datasheetAnswers = 20

// datasheetFlags are the flags of `compqa datasheet`. The record of a datasheet is a run whose systems or pairs are the attacked answers.
// Budgets, limits, continuation, export and verification therefore work as for runs.
type datasheetFlags struct {
	runFlags
	in      string
	answers int
	yes     bool
	asJSON  cli.JSON[judgequality.DatasheetJSON]
}

// datasheetCommand builds `compqa datasheet`.
func datasheetCommand(streams cli.Streams) *cobra.Command {
	var f datasheetFlags
	const short = "Try a judge out on answers that were changed on purpose"
	cmd := cli.Command("datasheet JUDGE", short, func(cmd *cobra.Command, args []string) error {
		if err := f.check(cmd, "answers"); err != nil {
			return err
		}
		return f.Logged(cmd.Context(), streams, func(ctx context.Context, streams cli.Streams) error { return f.do(ctx, args[0], streams) })
	})
	cmd.Flags().StringVar(&f.Config, "config", "",
		"the configuration `FILE` that names the judge (default: "+config.DefaultConfig+", if it exists)")
	cmd.Flags().StringVar(&f.in, "in", "",
		"take the answers from a `FILE` of answers, or from the run in a folder DIR, with what people scored (default: the built-in references)")
	f.Add(cmd, "", fmt.Sprintf("change `N` answers, drawn at random (0: all; default: %d)", datasheetAnswers))
	cmd.Flags().Lookup("limit").DefValue = fmt.Sprint(datasheetAnswers)
	cmd.Flags().Lookup("out").Usage = "the `DIR` of the datasheet and its record " +
		"(default: datasheets/JUDGE in the run of --in, else in results)"
	f.Limit = datasheetAnswers
	cmd.Flags().BoolVar(&f.yes, "yes", false, "make calls that may cost money without a question")
	f.asJSON.Add(cmd.Flags())
	return cmd
}

// do reads the answers, writes their attacked versions, has the judge score or compare them as a run, and writes the datasheet. If the
// answers come from a run, it also records the result of a judge that is a model there.
func (f datasheetFlags) do(ctx context.Context, judge string, streams cli.Streams) error {
	f.answers = f.Limit
	f.Limit = 0
	c, err := f.configured(judge)
	if err != nil {
		return err
	}
	from, err := f.source(c)
	if err != nil {
		return err
	}
	folder := filepath.Join("results", "datasheets", url.PathEscape(judge))
	if from.run != "" {
		folder = filepath.Join(from.run, "datasheets", url.PathEscape(judge))
	}
	f.Out = cmp.Or(f.Out, folder)
	f.content = store.ContentDatasheet + store.Contents(judge)
	if err := f.begin(ctx, c, from, streams); err != nil {
		return err
	}
	quiet := streams
	quiet.Out = io.Discard
	failed := f.perform(ctx, c, quiet)
	if failed != nil && !errors.Is(failed, cli.ErrIncomplete) {
		return failed
	}
	sheet, attacked, err := f.read(c, judge, from)
	if err != nil {
		return err
	}
	if err := f.write(sheet, streams); err != nil {
		return err
	}
	if from.run != "" && sheet.Kind == config.KindModel && attacked != nil {
		if err := recordIn(from.run, judge, attacked); err != nil {
			return err
		}
		fmt.Fprintf(streams.Err, "recorded in %s: `compqa report %[1]s` writes its reports with it\n", from.run)
	}
	return failed
}

// begin writes the attacked answers into the folder of the datasheet, if the user agrees to the calls. They are written to a temporary
// folder first, whose paths in the configuration are then replaced.
func (f datasheetFlags) begin(ctx context.Context, c *config.Config, from datasheetSource, streams cli.Streams) error {
	folder, err := store.OpenFolder(f.Out, store.Output{Command: "datasheet", Content: f.content})
	if err != nil {
		return err
	}
	defer folder.Close()
	if err := f.prepare(c, folder.New, from); err != nil {
		return err
	}
	if err := f.agree(ctx, c, streams); err != nil {
		return err
	}
	if err := folder.Commit(); err != nil {
		return err
	}
	made, failed := filepath.Abs(folder.New)
	kept, err := filepath.Abs(folder.Dir)
	c.Dataset = strings.Replace(c.Dataset, made, kept, 1)
	for i := range c.Models {
		c.Models[i].Path = strings.Replace(c.Models[i].Path, made, kept, 1)
	}
	for i := range c.Pairs {
		c.Pairs[i].Path = strings.Replace(c.Pairs[i].Path, made, kept, 1)
	}
	return errors.Join(failed, err)
}

// configured returns the configuration reduced to the judge that is tested.
func (f *datasheetFlags) configured(judge string) (*config.Config, error) {
	path := f.Config
	if _, err := os.Stat(config.DefaultConfig); err == nil {
		path = cmp.Or(path, config.DefaultConfig)
	}
	c, err := config.LoadOr(path, "constant") // without a file, the built-in judges are known
	if err != nil {
		return nil, err
	}
	f.Configure(c)
	// If several judges have the name, a judge of answers comes before a judge of pairs, and an entry of the configuration before a
	// built-in judge.
	asked := slices.Concat(c.JudgesOf(store.KindVerdict), c.JudgesOf(store.KindPreference))
	known := append(strings.Split(judges.EmbeddedNames(), ", "), data.Each(asked, func(j *config.Judge) string { return j.Name })...)
	known = append(known, pairwise.OfflineMethods()...)
	entry, found := data.First(asked, func(j *config.Judge) bool { return j.Name == judge })
	_, embedded := judges.EmbeddedNamed(judge)
	var one config.Judge
	switch {
	case found && (entry.Asks == store.KindVerdict || !embedded):
		one = *entry
	case embedded:
		one = config.EmbeddedJudge(judge)
	case slices.Contains(pairwise.OfflineMethods(), judge):
		one = config.Judge{Asks: store.KindPreference, Entry: config.Entry{Name: judge}, Choosing: config.Choosing{Method: judge}}
	default:
		return nil, config.Usagef("there is no judge %q%s", judge, data.Suggest(judge, "judges", known))
	}
	switch {
	case one.Provider == config.ProviderFile:
		return nil, config.Usagef("the results of %s are in a file; a datasheet needs a judge that can be asked", judge)
	case one.Provider == config.ProviderCalibrated:
		return nil, config.Usagef("%s is the calibration of another judge; `compqa datasheet` with the name of that judge asks it", judge)
	case one.RationaleFrom != "":
		return nil, config.Usagef("%s is shown the rationales of %s, which know nothing of changed answers", judge, one.RationaleFrom)
	}
	one.Sample = 0
	one.Imported = nil
	if one.Asks == store.KindPreference {
		one.Repeats = config.Repeats{}
		one.Grades = nil
		one.Samples = 0
		one.Grader = ""
		one.Sets = []string{probesSet}
		f.only = plan.OnlyPairs
	}
	c.Models = nil
	c.Judges = []config.Judge{one}
	c.Pairs = nil
	c.Headline = ""
	return c, nil
}

// probesSet is the set of all pairs of a datasheet, and againSet the set of pairs that are asked twice.
const probesSet, againSet = store.DatasheetPairs, "again"

// A datasheetSource holds the answers of a datasheet and where they come from.
type datasheetSource struct {
	answers  []data.Answer
	question func(data.Answer) data.Question
	text     string // names the source in a sentence
	run      string // the folder of the run, "" if the answers are not from a run
	note     string // what was read from a file
}

// source reads the answers: from the built-in references, a run or a file. It then draws the sample of answers to attack.
func (f datasheetFlags) source(c *config.Config) (s datasheetSource, err error) {
	set, err := c.LoadQuestions()
	if err != nil {
		return s, err
	}
	info, failed := os.Stat(f.in)
	switch {
	case f.in == "":
		s.text = "the built-in reference answers"
		references := data.References()
		for _, q := range data.CQA50() {
			s.answers = append(s.answers, data.Answer{ID: q.ID, Object1: q.Object1, Object2: q.Object2, Aspect: q.Aspect, Status: data.Valid,
				Text: references[q.Pair()]})
		}
		set = data.CQA50()
	case failed != nil:
		return s, config.Usagef("--in: %w", failed)
	case info.IsDir():
		db, err := store.Open(f.in)
		if err != nil {
			return s, config.UsageError{Err: err}
		}
		defer db.Close()
		s.run = f.in
		s.text = "the run in " + f.in
		if set, err = db.Questions(); err == nil {
			s.answers, err = db.SomeAnswers(f.answers, c.Run.Seed)
		}
		if err != nil {
			return s, err
		}
	default:
		s.answers, s.note, err = sources.ReadAnswers(f.in, set, sources.Options{})
		if err != nil {
			return s, config.UsageError{Err: err}
		}
		s.text = f.in
	}
	written := data.Where(s.answers, func(a data.Answer) bool { return strings.TrimSpace(a.Text) != "" })
	s.answers = attack.Sample(written, f.answers, c.Run.Seed)
	if len(s.answers) == 0 {
		return s, config.Usagef("%s has no answers with a text", s.text)
	}
	questions := data.By(set, data.Question.Pair)
	s.question = func(a data.Answer) data.Question {
		q, is := questions[data.PairKey(a.Object1, a.Object2)]
		if !is || data.QuestionCluster(q.Aspect) != data.QuestionCluster(a.Aspect) {
			q = data.QuestionOf(a)
		}
		return q
	}
	return s, nil
}

// original is the name of the system whose answers are not changed.
const original = store.DatasheetSystem

// prepare writes the original and the attacked answers into a folder, as input files of a run. It changes the configuration to use these
// files.
func (f datasheetFlags) prepare(c *config.Config, to string, from datasheetSource) error {
	folder, err := filepath.Abs(to)
	if err != nil {
		return err
	}
	attacked := attack.ApplyAll(from.answers, uint64(c.Run.Seed), from.question)
	if c.Judges[0].Asks == store.KindPreference {
		return f.preparePairs(c, folder, from, attacked)
	}
	questions := map[string]data.Question{}
	type line struct { // a line of a file of answers
		ID      string `json:"id"`
		Object1 string `json:"object1"`
		Object2 string `json:"object2"`
		Aspect  string `json:"aspect"`
		System  string `json:"system"`
		Text    string `json:"text"`
	}
	var answers []line
	for i, a := range attacked {
		q := from.question(a)
		q.ID = a.Pair() + " " + q.Aspect
		questions[q.ID] = q
		answers = append(answers, line{probedID(from.answers, i), a.Object1, a.Object2, a.Aspect, probeOf(i, len(from.answers)), a.Text})
	}
	c.Dataset = filepath.Join(folder, "questions.jsonl")
	path := filepath.Join(folder, "answers.jsonl")
	c.Models = []config.Model{{Entry: config.Entry{Name: "changed answers",
		Asked: config.Asked{Provider: config.ProviderFile}, Path: path}}}
	ids := slices.Sorted(maps.Keys(questions))
	err = table.WriteFiles(folder, map[string]func(io.Writer) error{
		"questions.jsonl": linesOf(data.Each(ids, func(id string) data.Question { return questions[id] })), "answers.jsonl": linesOf(answers),
	})
	if err != nil {
		return err
	}
	return c.Check()
}

// probeOf returns the system of entry i of attack.ApplyAll on n answers: original, or the name of the attack.
func probeOf(i, n int) string {
	if i < n {
		return original
	}
	return judges.Attacks[i/n-1].Name
}

// probedID returns the id of entry i of attack.ApplyAll: the system that probeOf returns, and the id of the answer.
func probedID(answers []data.Answer, i int) string {
	return probeOf(i, len(answers)) + ": " + answers[i%len(answers)].ID
}

// preparePairs writes the input files for a judge of pairs. It pairs each answer with the answer after each attack, and with itself. Since
// a pair must not have identical texts, the copy of the answer has one more space. A judge that asks a model also compares some pairs
// twice.
func (f datasheetFlags) preparePairs(c *config.Config, folder string, from datasheetSource, attacked []data.Answer) error {
	var pairs, again []data.Pair
	n := len(from.answers)
	add := func(a data.Answer, probe, changed string) {
		q := from.question(a)
		text := cmp.Or(q.Text, fmt.Sprintf("Which is better, %s or %s?", a.Object1, a.Object2))
		pairs = append(pairs, data.Pair{ID: probe + ": " + a.ID, Question: text, A: a.Text, B: changed, Cluster: a.Pair(), Domain: probe})
	}
	for _, a := range from.answers {
		add(a, judgequality.Identical, strings.Replace(strings.TrimSpace(a.Text), " ", "  ", 1))
	}
	for i := n; i < len(attacked); i++ {
		a := from.answers[i%n]
		if strings.TrimSpace(attacked[i].Text) != strings.TrimSpace(a.Text) {
			add(a, probeOf(i, n), attacked[i].Text)
		}
	}
	for _, p := range pairs {
		if p.Domain == judges.Rungs[1] {
			p.ID = againSet + " " + p.ID
			again = append(again, p)
		}
	}
	type line struct { // a line of a file of pairs
		ID       string `json:"id"`
		Question string `json:"question"`
		A        string `json:"a"`
		B        string `json:"b"`
		Label    string `json:"label"`
		Cluster  string `json:"cluster"`
		Domain   string `json:"domain"`
	}
	lines := func(pairs []data.Pair) func(io.Writer) error {
		return linesOf(data.Each(pairs, func(p data.Pair) line { return line{p.ID, p.Question, p.A, p.B, "none", p.Cluster, p.Domain} }))
	}
	files := map[string]func(io.Writer) error{probesSet + ".jsonl": lines(pairs), againSet + ".jsonl": lines(again)}
	c.Pairs = []config.PairSet{{Name: probesSet, Format: sources.FormatFile, Path: filepath.Join(folder, probesSet+".jsonl")}}
	entry := c.Judges[0]
	if m, _ := pairwise.MethodNamed(entry.Method); m.Live() {
		c.Pairs = append(c.Pairs, config.PairSet{Name: againSet, Format: sources.FormatFile, Path: filepath.Join(folder, againSet+".jsonl")})
		entry.Name += " " + againSet
		entry.Sets = []string{againSet}
		entry.Repeats = config.Repeats{Times: 2}
		c.Judges = append(c.Judges, entry)
	}
	if err := table.WriteFiles(folder, files); err != nil {
		return err
	}
	return c.Check()
}

// linesOf returns a function that writes values as JSON lines.
func linesOf[Value any](values []Value) func(io.Writer) error {
	return func(w io.Writer) error {
		for _, v := range values {
			if err := table.WriteLine(w, v); err != nil {
				return err
			}
		}
		return nil
	}
}

// agree prints what the calls will take, and asks the user whether to make them. With --yes it does not ask. Without a terminal and without
// --yes it returns an error.
func (f datasheetFlags) agree(ctx context.Context, c *config.Config, streams cli.Streams) error {
	if c.LiveProviders() == nil {
		return nil
	}
	p, err := f.plan(c)
	if err != nil {
		return err
	}
	db, err := store.Open(f.Out)
	if err != nil {
		db = nil // no record exists yet
	}
	defer db.Close()
	e, err := estimate.Of(ctx, p, db, f.only, f.RetryFailed)
	if err == nil {
		err = e.Print(streams.Err)
	}
	calls := 0
	if err == nil {
		for _, row := range e.Rows {
			calls += row.Calls
		}
	}
	if err != nil || calls == 0 || f.yes {
		return err
	}
	if !term.IsTerminal(int(os.Stdin.Fd())) || !term.IsTerminal(int(os.Stderr.Fd())) {
		return config.Usagef("nothing was asked: --yes makes these calls without a question, --limit N changes fewer answers, --budget DOLLARS " +
			"stops before they cost more")
	}
	fmt.Fprint(os.Stderr, "Make these calls? [y/N] ")
	answer, _ := bufio.NewReader(os.Stdin).ReadString('\n')
	if !slices.Contains([]string{"y", "yes"}, strings.ToLower(strings.TrimSpace(answer))) {
		return config.Usagef("nothing was asked")
	}
	return nil
}

// read computes the datasheet from its record. For a judge of answers, it also returns the points before and after each attack.
func (f datasheetFlags) read(c *config.Config, judge string, from datasheetSource) (
	*judgequality.Datasheet, []store.AttackedAnswer, error,
) {
	d := &judgequality.Datasheet{Format: judgequality.DatasheetFormat, Judge: judge,
		Answers: len(from.answers), Source: from.text, Seed: c.Run.Seed}
	db, err := store.Open(f.Out)
	if err != nil {
		return nil, nil, err
	}
	defer db.Close()
	bills, _, err := db.CostAccounts()
	if err != nil {
		return nil, nil, err
	}
	for _, b := range bills {
		d.Calls += b.Calls
		d.Cost += b.Cost
		d.Unpriced += b.Unpriced
		d.Tokens += b.Prompt + b.Completion
	}
	if c.Judges[0].Asks == store.KindPreference {
		record, err := dataset.LoadPairs(db, "")
		if err == nil {
			err = d.ReadPairs(record, probesSet, againSet, data.Each(judges.Attacks, func(a judges.Attack) judgequality.Change {
				return judgequality.Change{Name: a.Name, About: a.About, Expects: a.Expects}
			}))
		}
		if err == nil && from.run != "" {
			err = d.ComparePairs(from.run)
		}
		return d, nil, err
	}
	record, err := dataset.Load(f.Out)
	if err != nil {
		return nil, nil, err
	}
	totals := d.ReadSheets(record)
	byAttack := map[string]float64{}
	n := len(from.answers)
	for i := range (1 + len(judges.Attacks)) * n {
		if total, valid := totals[probedID(from.answers, i)]; valid {
			byAttack[attack.IDOf(from.answers[i%n].ID, i/n)] = total
		}
	}
	attacked := attack.Compare(judge, from.answers, byAttack)
	d.Probes, err = judgequality.AttackRows(attacked, d.Maximum)
	d.Steps = judgequality.StepsOf(judges.Rungs, attacked)
	if err == nil && from.run != "" {
		err = d.CompareSheets(from.run)
	}
	return d, attacked, err
}

// The names of the files of a datasheet beside its record.
const datasheetPage, datasheetJSON = "datasheet.html", "datasheet.json"

// write writes the datasheet as a page and as JSON, and prints its tables.
func (f datasheetFlags) write(d *judgequality.Datasheet, streams cli.Streams) error {
	doc := d.Document()
	page, err := report.PageOf("Datasheet of "+d.Judge, d.Source, doc)
	if err != nil {
		return err
	}
	object := func(w io.Writer) error { return table.WriteJSON(w, d.JSON()) }
	err = againIn("datasheet", f.Out, func(to string) error {
		return table.WriteFiles(to, map[string]func(io.Writer) error{datasheetPage: table.Text(page), datasheetJSON: object})
	})
	if err != nil {
		return err
	}
	if f.asJSON.On {
		return f.asJSON.Print(streams.Out, d.JSON())
	}
	fmt.Fprintf(streams.Out, "%s.\n\n", table.Printable(doc.Title))
	for _, s := range doc.Shown() {
		if s.Title == "What was changed" {
			continue
		}
		fmt.Fprintf(streams.Out, "%s\n", table.Printable(s.Title))
		if s.Verdict != "" {
			fmt.Fprintln(streams.Out, table.Printable(s.Verdict))
		}
		if err := s.Table.Terminal(streams.Out); err != nil {
			return err
		}
		for _, note := range s.Notes {
			fmt.Fprintln(streams.Out, note.Text)
		}
		fmt.Fprintln(streams.Out)
	}
	fmt.Fprintf(streams.Out, "page: %s, JSON: %s, record: %s\n", filepath.Join(f.Out, datasheetPage), filepath.Join(f.Out, datasheetJSON),
		filepath.Join(f.Out, store.RecordName))
	return nil
}

// recordIn records the result of a datasheet in the run in dir that the answers come from.
func recordIn(dir, judge string, attacked []store.AttackedAnswer) error {
	db, err := store.Create(dir)
	if err != nil {
		return err
	}
	defer db.Close()
	return db.Write(func(b store.Batch) error { return b.SetDatasheet(judge, attacked) })
}
