package bench

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"compqa/bench/cli"
	"compqa/bench/config"
	"compqa/bench/estimate"
	"compqa/bench/plan"
	"compqa/bench/run"
	"compqa/data"
	"compqa/judges"
	"compqa/judges/text/lexical"
	"compqa/results/store"
	"compqa/results/table"
	"compqa/rubric"
	"compqa/scenarios"
	"compqa/stats"
)

// checkOffline checks configurations with their questions, rubrics and files, without the network, as for a commit hook or CI. It checks
// all of them, and returns an error if any is not valid.
func checkOffline(files []string) (checked []configuration, err error) {
	var wrong []error
	for _, file := range files {
		one := configuration{File: file, Found: []string{}}
		c, err := config.Load(file)
		if err == nil {
			var p *plan.Plan
			p, err = plan.New(c, 0)
			if err == nil {
				one.Valid, one.Found = true, described(p)
			}
		}
		if err != nil {
			one.Error = err.Error()
			wrong = append(wrong, err)
		}
		checked = append(checked, one)
	}
	if len(wrong) > 0 {
		return checked, config.UsageError{Err: errors.Join(wrong...)}
	}
	return checked, nil
}

// A configuration is the result of checking one file. Found describes what a valid file has.
type configuration struct {
	File  string   `json:"config"`
	Valid bool     `json:"valid"`
	Found []string `json:"found"`
	Error string   `json:"error,omitempty"`
}

func (c configuration) print(w io.Writer) {
	for _, sentence := range c.Found {
		table.PrintRow(w, c.File+": "+sentence)
	}
}

// described says in sentences what a configuration has, and what may surprise the user.
func described(p *plan.Plan) []string {
	sentences := []string{fmt.Sprintf("valid: %s, %s, rubric %s (%v points), %s, %s",
		data.Plural(len(p.Questions), "question", "questions"), data.Plural(len(p.Scenarios), "scenario", "scenarios"),
		p.Rubric.Name, p.Rubric.Max(),
		data.Plural(len(p.Systems), "model", "models"), data.Plural(len(p.Judges), "judge", "judges"))}
	if sentence := judged(p); sentence != "" {
		sentences = append(sentences, sentence)
	}
	if len(p.Config.Joined) > 0 {
		sentences = append(sentences, strings.Join(p.Config.Joined, ", ")+" in two places, read as one")
	}
	if sentence := p.AspectsUnasked(); sentence != "" {
		sentences = append(sentences, sentence)
	}
	return append(sentences, unread(p)...)
}

// mostScales is the largest number of criteria of a rubric that are listed.
const mostScales = 5

// judged says which points a judge may give on each criterion of the user's own rubric. It returns "" for the built-in rubric.
func judged(p *plan.Plan) string {
	if p.Rubric.BuiltIn() {
		return ""
	}
	var scales []string
	for _, c := range p.Rubric.Criteria[:min(mostScales, len(p.Rubric.Criteria))] {
		points := data.Each(c.Levels, func(l rubric.Level) string { return stats.Shortest(l.Points) })
		if last := len(points) - 1; last > 5 {
			points = []string{points[0], points[1], "…", points[last]}
		}
		scales = append(scales, c.Name+" "+strings.Join(points, ", "))
	}
	sentence := "a judge may give: " + strings.Join(scales, "; ")
	if more := len(p.Rubric.Criteria) - mostScales; more > 0 {
		sentence += fmt.Sprintf("; and %s", data.Plural(more, "more criterion", "more criteria"))
	}
	return sentence
}

// A checkup is what `compqa doctor --json` prints. Out and Entries are left out with --offline.
type checkup struct {
	Configurations []configuration `json:"configurations"`
	Out            *recordFolder   `json:"out,omitempty"`
	Entries        []checkedEntry  `json:"entries,omitempty"`
}

// A recordFolder says whether a run can be recorded in a folder.
type recordFolder struct {
	Folder string `json:"folder"`
	Usable bool   `json:"usable"`
	Found  string `json:"found"`
}

// doctorCommand builds `compqa doctor`. In this order, it checks the configuration, the folder of the record, which secrets are sent where,
// the models at their servers, and the budget. With --offline it only checks configurations.
func doctorCommand(streams cli.Streams) *cobra.Command {
	var path, out string
	var trusted, offline bool
	var asJSON cli.JSON[checkup]
	cmd := cli.Command("doctor [FILE…]", "Check the configuration, its providers, models and options",
		func(cmd *cobra.Command, files []string) error {
			if len(files) == 0 {
				files = []string{path}
			}
			if offline {
				return doctorOffline(files, asJSON, streams.Out)
			}
			if len(files) > 1 || files[0] != path && cmd.Flags().Changed("config") {
				return config.Usagef("doctor asks the servers of one configuration; with --offline it checks several files")
			}
			path := files[0]
			if info, err := os.Stat(path); err == nil && info.IsDir() {
				return config.Usagef("cannot read %s: it is a folder; the folder of a run is --out DIR", path)
			}
			streams, printed := streams, streams.Out
			c, err := config.Load(path)
			if err != nil {
				return err
			}
			p, err := plan.New(c, 0)
			if err != nil {
				return err
			}
			if asJSON.On {
				streams.Out = io.Discard
			}
			valid := configuration{File: path, Valid: true, Found: described(p)}
			valid.print(streams.Out)
			room, fine := writable(out, estimate.Disk(cmd.Context(), p, out))
			if s, err := store.Open(out); err == nil {
				s.Close()
			} else if errors.Is(err, store.ErrRecord) { // run refuses such a folder
				room = err.Error()
				fine = false
			}
			fmt.Fprintf(streams.Out, "%s: %s\n", out, room)
			c.Trusted = trusted
			if err := cli.Trust(c, c.LiveProviders(), streams.Out); err != nil {
				return err
			}
			found, err := checkEntries(cmd.Context(), c, streams.Out)
			if asJSON.On {
				err = errors.Join(err, asJSON.Print(printed, checkup{[]configuration{valid}, &recordFolder{out, fine, room}, found}))
			}
			if err == nil {
				err = run.CheckBudget(c)
			}
			if err == nil && !fine {
				err = fmt.Errorf("a run cannot be recorded in %s", out)
			}
			return err
		})
	cmd.Flags().StringVar(&path, "config", config.DefaultConfig, "the configuration `FILE`")
	cmd.Flags().StringVar(&out, "out", config.DefaultOut, "the folder `DIR` for the record of a run")
	cmd.Flags().BoolVar(&offline, "offline", false, "check configurations with their questions, rubrics and files; ask no server")
	asJSON.Add(cmd.Flags())
	cmd.Flags().BoolVar(&trusted, "trust", false, cli.TrustUsage)
	return cmd
}

// doctorOffline prints the result of checkOffline.
func doctorOffline(files []string, asJSON cli.JSON[checkup], out io.Writer) error {
	checked, invalid := checkOffline(files)
	if asJSON.On {
		if err := asJSON.Print(out, checkup{Configurations: checked}); err != nil {
			return err
		}
		return invalid
	}
	for _, one := range checked {
		one.print(out)
	}
	return invalid
}

// unread says how many questions of a plan are not in English, if the plan has offline systems or embedded judges that read only English.
func unread(p *plan.Plan) (sentences []string) {
	var names []string
	for _, m := range p.Config.Models {
		if o, known := scenarios.OfflineNamed(m.BuiltIn()); m.Provider == config.ProviderBaseline && known && o.English {
			names = append(names, m.Name)
		}
	}
	for _, j := range p.Config.JudgesOf(store.KindVerdict) {
		if e, known := judges.EmbeddedNamed(j.BuiltIn()); j.Provider == config.ProviderEmbedded && known && e.English {
			names = append(names, j.Name)
		}
	}
	foreign := data.Where(p.Questions, func(q data.Question) bool {
		texts := data.Each(q.Arguments, func(a data.Argument) string { return a.Text })
		return lexical.NotEnglish(q, strings.Join(append(texts, q.Text), "\n")) != ""
	})
	if names != nil && foreign != nil {
		sentences = append(sentences, fmt.Sprintf("%d of %s in another language than English (for instance %q), which %s cannot read: "+
			"answers and verdicts there are skipped", len(foreign), data.Plural(len(p.Questions), "question is", "questions are"),
			data.Clip(foreign[0].ID), data.List(names)))
	}
	return sentences
}
