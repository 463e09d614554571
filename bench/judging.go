package bench

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"compqa/bench/cli"
	"compqa/bench/config"
	"compqa/bench/plan"
	"compqa/bench/run"
	"compqa/data"
	"compqa/data/sources"
	"compqa/judges"
	"compqa/judges/scoring"
	"compqa/llm"
	"compqa/results/store"
	"compqa/results/table"
	"compqa/rubric"
)

// judgeCommand builds `compqa judge`, which does the same as `compqa judge score` and has further subcommands.
func judgeCommand(streams cli.Streams) *cobra.Command {
	cmd := scoreCommand(streams, "judge")
	cmd.Short = "Let a judge score the answers of a file, or fit it to people"
	cmd.AddCommand(scoreCommand(streams, "score"), calibrateCommand(streams))
	return cmd
}

func scoreCommand(streams cli.Streams, name string) *cobra.Command {
	var f judgeFlags
	cmd := cli.Command(name+" --judge NAME --in FILE --out FILE", "Let a judge score the answers of a file",
		func(cmd *cobra.Command, _ []string) error { return f.run(cmd.Context(), streams) })
	f.add(cmd, "the `FILE` to write the verdicts to")
	cmd.Flags().StringVar(&f.release, "release", "",
		"read rubric: release, template: release and examples_from: people from a checkout in `DIR`")
	cmd.Flags().BoolVar(&f.explain, "explain", false, "also show the reason for the score of each criterion")
	cli.Require(cmd, "judge", "in", "out")
	return cmd
}

type judgeFlags struct {
	judge, in, out, config, release string
	explain, trusted                bool
	reading                         cli.Reading
}

// add adds the flags of a command that lets one judge score the answers in a file.
func (f *judgeFlags) add(cmd *cobra.Command, outUsage string) {
	cmd.Flags().StringVar(&f.judge, "judge", "", "the judge's `NAME`")
	cmd.Flags().StringVar(&f.in, "in", "", "the `FILE` with the answers")
	cmd.Flags().StringVar(&f.out, "out", "", outUsage)
	f.reading.AddMap(cmd.Flags())
	f.reading.AddReading(cmd.Flags())
	cmd.Flags().BoolVar(&f.trusted, "trust", false, cli.TrustUsage)
	cmd.Flags().StringVar(&f.config, "config", "", "the configuration `FILE` that names judge and rubric (default: "+config.DefaultConfig+
		", if it exists)")
}

// read plans one judge and reads the answers. It writes to w how the file was read, and which settings of the judge do not apply.
func (f judgeFlags) read(w io.Writer) (*plan.Plan, []data.Answer, error) {
	path := f.config
	if _, err := os.Stat(config.DefaultConfig); err == nil {
		path = cmp.Or(path, config.DefaultConfig)
	}
	o, err := f.reading.Options()
	if err != nil {
		return nil, nil, config.UsageError{Err: err}
	}
	c, err := config.LoadOr(path, f.judge)
	if err != nil {
		return nil, nil, err
	}
	c.Trusted = f.trusted
	c.Release = f.release
	p, err := newJudging(c, f.judge)
	if err != nil {
		return nil, nil, err
	}
	if err := addQuestions(p, f.in, o); err != nil {
		return nil, nil, err
	}
	answers, said, err := sources.ReadAnswers(f.in, p.Set, o)
	if err != nil {
		return nil, nil, config.UsageError{Err: err}
	}
	if said != "" {
		fmt.Fprintln(w, said)
	}
	readings, err := answersRead(f.in, o)
	if err != nil {
		return nil, nil, config.UsageError{Err: err}
	}
	for _, line := range f.reading.Shown(readings) {
		fmt.Fprintln(w, table.Printable(line))
	}
	if p.Judges[0].Batch.On() {
		fmt.Fprintf(w, "%s is called without batches, at the full price; only compqa run uses batches\n", p.Judges[0].Name)
	}
	return p, answers, nil
}

// addQuestions adds to a plan those questions of a file of answers that the plan's set lacks.
func addQuestions(p *plan.Plan, path string, o sources.Options) error {
	questions, err := sources.QuestionsOfAnswers(path, o)
	if err != nil {
		return config.UsageError{Err: err}
	}
	known := map[string]bool{}
	for _, q := range p.Set {
		known[q.ID], known[data.QuestionCluster(q.Text)] = true, true
	}
	added := data.Where(questions, func(q data.Question) bool { return !known[q.ID] && !known[data.QuestionCluster(q.Text)] })
	if added == nil {
		return nil
	}
	changed := *p.Config
	in := p.Inputs
	changed.Dataset = path
	in.Set = added
	if err := plan.CheckObjects(&changed, in); err != nil {
		return err
	}
	p.Set = slices.Concat(p.Set, added)
	p.SetOf = data.NewQuestionSet(p.Set)
	return nil
}

// showReading prints how the columns of the file of answers are read.
func (f judgeFlags) showReading(streams cli.Streams) error {
	o, err := f.reading.Options()
	if err != nil {
		return config.UsageError{Err: err}
	}
	readings, err := answersRead(f.in, o)
	if err != nil {
		return config.UsageError{Err: err}
	}
	printReadings(streams.Out, f.in, readings, f.reading)
	return nil
}

// run has the judge score the answers and writes the verdicts as JSON lines or, if the file ends with .csv, as CSV.
func (f judgeFlags) run(ctx context.Context, streams cli.Streams) error {
	if f.reading.Show {
		return f.showReading(streams)
	}
	p, answers, err := f.read(streams.Err)
	if err != nil {
		return err
	}
	if err := run.CheckBudget(p.Config); err != nil {
		return err
	}
	verdicts, invalid, failed := score(ctx, streams, p, answers)
	if failed != nil && len(verdicts) == 0 {
		return failed
	}
	// Verdicts that were given before a failure are written, too.
	err = writeOut(f.out, streams.Out, func(w io.Writer) error {
		names := map[string]string{} // id of a criterion to the name by which people's files may call it
		for _, c := range p.Rubric.Criteria {
			if c.Name != c.ID {
				names[c.ID] = c.Name
			}
		}
		write := func(v data.Verdict) error { return table.WriteLine(w, namedVerdict{v, names}) }
		if strings.EqualFold(filepath.Ext(f.out), ".csv") {
			write = verdictCSV(w, p.Rubric)
		}
		for i, v := range verdicts {
			if f.explain {
				explainVerdict(streams, f.out, p, answers[i], v)
			}
			if err := write(v); err != nil {
				return err
			}
		}
		return nil
	})
	if failed != nil && err == nil && p.Judges[0].Provider != run.Offline {
		failed = fmt.Errorf("%w; their verdicts are written to %s, and the same command asks about all answers again", failed, f.out)
	}
	if err := errors.Join(failed, err); err != nil {
		return err
	}
	if invalid > 0 {
		return fmt.Errorf("%w: %d of %d verdicts", cli.ErrIncomplete, invalid, len(answers))
	}
	return nil
}

// A namedVerdict is a verdict with the names of the criteria, by their ids.
type namedVerdict struct {
	data.Verdict
	Criteria map[string]string `json:"criteria,omitempty"`
}

// newJudging returns a plan with only one judge and no systems, for answers that come from a file.
func newJudging(c *config.Config, name string) (*plan.Plan, error) {
	scorers := c.JudgesOf(store.KindVerdict)
	calibrated, is := data.First(scorers, func(j *config.Judge) bool { return j.Name == name && j.Provider == config.ProviderCalibrated })
	if is {
		return newCalibratedJudging(c, *calibrated)
	}
	only := *c
	only.Models = nil
	only.Judges = nil
	for _, j := range scorers {
		if j.Name == name && j.Provider != config.ProviderFile {
			only.Judges = []config.Judge{*j}
		}
	}
	if only.Judges == nil {
		if _, ok := judges.EmbeddedNamed(name); !ok {
			names := data.Each(scorers, func(j *config.Judge) string { return j.Name })
			known := append(strings.Split(judges.EmbeddedNames(), ", "), names...)
			return nil, config.Usagef("there is no judge %q%s", name, data.Suggest(name, "judges", known))
		}
		only.Judges = []config.Judge{config.EmbeddedJudge(name)}
	}
	return plan.New(&only, 0)
}

// score has the judge score each answer once. The verdicts are in the order of the answers. If the run was stopped, they end before the
// first answer without a verdict, and an error says why. invalid is the number of verdicts that are not valid.
func score(ctx context.Context, streams cli.Streams, p *plan.Plan, answers []data.Answer) (verdicts []data.Verdict, invalid int,
	err error) {
	j := &p.Judges[0]
	verdicts = make([]data.Verdict, len(answers))
	tasks := make([]run.Task, len(answers))
	for i, a := range answers {
		tasks[i] = run.Task{Party: store.Party{Kind: store.KindVerdict, Name: j.Name}, Provider: j.Provider,
			Do: func(ctx context.Context, ask run.Asker) (run.Item, error) {
				verdicts[i] = j.Verdict(ctx, ask, p.Rubric, bareQuestion(p, a), a, 1)
				return run.Item{Status: verdicts[i].Status}, nil
			}}
	}
	interrupted, failed := perform(ctx, streams, run.New(p.Config, nil, nil), []string{j.Provider}, tasks)
	for i, v := range verdicts {
		switch v.Status {
		case "", data.Pending:
			stopped := cli.ErrInterrupted
			if !interrupted {
				stopped = fmt.Errorf("stopped, because %s", v.Reason)
			}
			return verdicts[:i], invalid, cmp.Or(failed, fmt.Errorf("%w after %d of %d answers", stopped, i, len(answers)))
		case data.Valid, data.Skipped:
		default:
			invalid++
		}
	}
	return verdicts, invalid, failed
}

// perform performs tasks that are not part of a recorded run. providers are the providers that the tasks call. It reports whether the user
// stopped it.
func perform(ctx context.Context, streams cli.Streams, e *run.Engine, providers []string, tasks []run.Task) (bool, error) {
	ctx, end := e.Start(ctx, streams.Err)
	if _, err := e.Connect(ctx, providers, true, streams.Err); err != nil {
		return false, errors.Join(err, end())
	}
	err := e.Run(ctx, []run.Source{run.SourceOf(tasks)})
	return e.Stopped(ctx), errors.Join(err, end())
}

// bareQuestion returns the question of an answer without arguments, because a file of answers does not say which arguments were given. A
// judge that compares answers with arguments gets the arguments of the set.
func bareQuestion(p *plan.Plan, a data.Answer) data.Question {
	q := p.Question(a)
	if !p.Judges[0].Arguments {
		q.Arguments = nil
	}
	return q
}

// verdictCSV returns a function that writes verdicts as CSV, with one column of points for each criterion.
func verdictCSV(out io.Writer, r rubric.Rubric) func(data.Verdict) error {
	w := table.NewCSVWriter(out)
	header := slices.Concat([]string{"id", "judge", "status"}, data.Each(r.IDs(), func(id string) string { return "c" + id }),
		[]string{"total", "reason", "raw", "repeat"})
	text := func(points float64, known bool) string {
		if !known {
			return ""
		}
		return strconv.FormatFloat(points, 'f', -1, 64)
	}
	return func(v data.Verdict) error {
		if header != nil {
			w.Write(header) // w.Flush returns an error of this call
			header = nil
		}
		line := []string{v.Answer, v.Judge, string(v.Status)}
		for _, id := range r.IDs() {
			points, scored := v.Scores[id]
			line = append(line, text(points, scored))
		}
		w.Write(append(line, text(llm.ValueOr(v.Total, 0), v.Total != nil), v.Reason, v.Raw, strconv.Itoa(v.Repeat)))
		return w.Flush()
	}
}

// explainVerdict prints the reason for the score on each criterion. It prints to standard error if the verdicts go to standard output.
func explainVerdict(streams cli.Streams, out string, p *plan.Plan, a data.Answer, v data.Verdict) {
	w := streams.Out
	if out == "-" {
		w = streams.Err
	}
	fmt.Fprintf(w, "%s (%s): %s", a.ID, data.InShort(a.Object1, a.Object2, "", a.Question), v.Status)
	if v.Total != nil {
		fmt.Fprintf(w, ", %v of %v points", *v.Total, p.Rubric.Max())
	}
	fmt.Fprintln(w)
	if v.Reason != "" {
		fmt.Fprintf(w, "  %s\n", v.Reason)
	}
	var findings []scoring.Finding
	if explain := p.Judges[0].Explain; explain != nil {
		findings = explain(bareQuestion(p, a), a)
	}
	for i, c := range p.Rubric.Criteria {
		points, ok := v.Scores[c.ID]
		if !ok {
			continue
		}
		fmt.Fprintf(w, "  %2s %-22s %v of %v", c.ID, c.Name, points, c.Max())
		if i < len(findings) {
			fmt.Fprintf(w, "  %s", findings[i].Facts)
		}
		fmt.Fprintln(w)
	}
}
