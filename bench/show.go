package bench

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"compqa/bench/cli"
	"compqa/bench/config"
	"compqa/data"
	"compqa/results/dataset"
	"compqa/results/report"
	"compqa/results/store"
	"compqa/results/table"
	"compqa/rubric"
)

// A showing holds the folder, the selection and the flags of `compqa show`.
type showing struct {
	dir, system, question string
	disagree, raw         bool
	limit                 int
	asJSON                cli.JSON[shownJSON]
}

// showCommand builds `compqa show`.
func showCommand(streams cli.Streams) *cobra.Command {
	var f showing
	cmd := cli.Command("show [DIR] [ID | --system S --question Q | --disagree]",
		"Show an answer with the score sheets of all judges and people",
		func(_ *cobra.Command, args []string) error {
			index := slices.IndexFunc(args, data.IsFolder) // an argument that is not a folder is the id of an answer
			if len(args) == 2 || len(args) == 1 && (f.disagree || f.system+f.question != "") {
				index = max(0, index) // in this position only a folder is possible
			}
			f.dir = config.DefaultOut
			if index >= 0 {
				f.dir = args[index]
				args = slices.Delete(args, index, index+1)
			}
			id := strings.Join(args, "")
			modes := 0
			for _, asked := range []bool{id != "", f.system+f.question != "", f.disagree} {
				if asked {
					modes++
				}
			}
			if modes != 1 {
				return config.Usagef("compqa show needs the ID of an answer, --system and --question, or --disagree")
			}
			if f.limit < 0 {
				return config.Usagef("--limit is %d; it must not be negative", f.limit)
			}
			return f.show(id, streams.Out)
		})
	cmd.Flags().StringVar(&f.system, "system", "", "answers of the system `S`")
	cmd.Flags().StringVar(&f.question, "question", "", "answers to questions whose id or objects contain `Q`")
	cmd.Flags().BoolVar(&f.disagree, "disagree", false, "list the answers for which a judge and people differ most")
	cmd.Flags().IntVar(&f.limit, "limit", 10, "show at most `N` answers")
	cmd.Flags().BoolVar(&f.raw, "raw", false, "print the judges' raw replies too")
	f.asJSON.Add(cmd.Flags())
	return cmd
}

// show prints the answer with this id, or if id is "" the answers that the flags select, or with --disagree the answers on which judges and
// people differ most.
func (f showing) show(id string, out io.Writer) error {
	s, err := store.Open(f.dir)
	if err != nil {
		return config.UsageError{Err: err}
	}
	defer s.Close()
	if f.disagree {
		return f.contrasts(s, out)
	}
	ids := []string{id}
	if id == "" {
		ids, err = s.AnswersTo(f.system, f.question)
		if err != nil {
			return err
		}
		if len(ids) == 0 {
			return config.Usagef("%s has no answer with --system %q and --question %q", f.dir, f.system, f.question)
		}
	}
	if f.asJSON.On {
		return f.answersJSON(s, ids, out)
	}
	for i, id := range ids {
		if i == f.limit {
			fmt.Fprintf(out, "\n%d more answers: --limit shows more of them\n", len(ids)-i)
			break
		}
		if err := f.answer(s, id, out); err != nil {
			return err
		}
	}
	return nil
}

// contrasts lists the answers on which a judge differs most from people.
func (f showing) contrasts(s *store.Store, out io.Writer) error {
	list, err := s.Contrasts()
	if err != nil {
		return err
	}
	if len(list) == 0 {
		return config.Usagef("%s has no answer that was scored by both a judge and people; compqa annotate init %s lets people score answers",
			f.dir, f.dir)
	}
	list = list[:min(f.limit, len(list))]
	if f.asJSON.On {
		return f.asJSON.Print(out, shownJSON{Disagreements: list})
	}
	t := table.New(2, "answer", "judge", "points", "people", "difference")
	for _, c := range list {
		t.Add(c.Answer, c.Judge, points(&c.Points), points(&c.People), fmt.Sprintf("%+.4g", c.Difference))
	}
	if err := t.Terminal(out); err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "\n`compqa show %s %q` shows the first of them\n", f.dir, list[0].Answer)
	return err
}

// A shownAnswer is an answer in JSON, with the text of its question and its verdicts.
type shownAnswer struct {
	data.Answer
	Asked    string         `json:"question_text"`
	Verdicts []data.Verdict `json:"verdicts"`
}

// shownJSON is what `compqa show --json` prints: answers, or the verdicts that differ most from people.
type shownJSON struct {
	Answers       []shownAnswer    `json:"answers,omitempty"`
	More          int              `json:"more,omitempty"` // the number of answers beyond --limit
	Disagreements []store.Contrast `json:"disagreements,omitempty"`
}

// answersJSON prints answers as JSON. Without --raw it leaves out raw replies and reasoning.
func (f showing) answersJSON(s *store.Store, ids []string, out io.Writer) error {
	shown := shownJSON{More: max(0, len(ids)-f.limit)}
	for _, id := range ids[:len(ids)-shown.More] {
		a, verdicts, err := f.judged(s, id)
		if err != nil {
			return err
		}
		text, err := s.QuestionText(a.Question)
		if err != nil {
			return err
		}
		if !f.raw {
			a.Reasoning = ""
			for i := range verdicts {
				verdicts[i].Raw = ""
			}
		}
		shown.Answers = append(shown.Answers, shownAnswer{a, text, slices.Concat([]data.Verdict{}, verdicts)})
	}
	return f.asJSON.Print(out, shown)
}

// judged returns an answer with its verdicts.
func (f showing) judged(s *store.Store, id string) (data.Answer, []data.Verdict, error) {
	a, found, err := s.Answer(id)
	if err == nil && !found {
		err = config.Usagef("%s has no answer with the id %q; answers.csv lists them, and --system with --question finds them", f.dir, id)
	}
	if err != nil {
		return a, nil, err
	}
	verdicts, err := s.VerdictsOn(id)
	return a, verdicts, err
}

// answer prints an answer, and a table with a row for each criterion and a column for each score sheet.
func (f showing) answer(s *store.Store, id string, out io.Writer) error {
	a, verdicts, err := f.judged(s, id)
	if err != nil {
		return err
	}
	r, err := s.Rubric()
	if err != nil {
		return err
	}
	text, err := s.QuestionText(a.Question)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "%s\n%s", a.ID, data.InShort(a.Object1, a.Object2, "", text))
	if a.Aspect != "" {
		fmt.Fprintf(out, ", with regard to %s", a.Aspect)
	}
	fmt.Fprintf(out, "; system %s, scenario %s\n\n", a.System, a.Scenario)
	if a.Status != data.Valid {
		fmt.Fprintf(out, "(%s) %s\n\n", a.Status, a.Reason)
	}
	for paragraph := range strings.Lines(a.Text) {
		table.PrintWrapped(out, paragraph)
	}
	fmt.Fprintln(out)
	judges, err := s.Parties(store.RoleJudge)
	if err != nil {
		return err
	}
	floors := data.Each(data.Where(judges, func(j store.Participant) bool { return j.Kind == dataset.KindFloor }),
		func(j store.Participant) string { return j.Name })
	return printSheets(out, r, verdicts, floors, f.raw)
}

// printSheets prints a table of the score sheets on one answer, followed by the judges' reasons and, if raw is true, their replies.
func printSheets(out io.Writer, r rubric.Rubric, verdicts []data.Verdict, floors []string, raw bool) error {
	var shown []report.Verdict
	for _, v := range verdicts {
		name := v.Judge
		if v.Repeat > 1 {
			name = fmt.Sprintf("%s (%d)", name, v.Repeat)
		}
		shown = append(shown, report.Verdict{Verdict: v, Name: name, Floor: slices.Contains(floors, v.Judge)})
	}
	t := report.CriteriaTable(r, shown)
	if err := t.Shortened().Terminal(out); err != nil {
		return err
	}
	for _, v := range verdicts {
		if v.Reason != "" {
			fmt.Fprintf(out, "\n%s: %s\n", v.Judge, v.Reason)
		}
		if raw && v.Raw != "" {
			fmt.Fprintf(out, "\n%s, as received:\n%s\n", v.Judge, v.Raw)
		}
	}
	return nil
}

func points(p *float64) string {
	if p == nil {
		return ""
	}
	return fmt.Sprintf("%.4g", *p)
}
