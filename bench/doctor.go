package bench

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"compqa/bench/config"
	"compqa/bench/estimate"
	"compqa/bench/plan"
	"compqa/bench/run"
	"compqa/data"
	"compqa/judges"
	"compqa/judges/text/lexical"
	"compqa/results/store"
	"compqa/scenarios"
)

// lintCommand is doctor without the network, for a hook or CI.
func lintCommand(streams run.Streams) *cobra.Command {
	var asJSON run.JSON[[]linted]
	cmd := run.Command("lint [FILE…]", "Check configurations with their questions and rubrics, without the network",
		func(_ *cobra.Command, files []string) error {
			if len(files) == 0 {
				files = []string{config.DefaultConfig}
			}
			var wrong []error
			var checked []linted
			for _, file := range files {
				one := linted{Config: file, Found: []string{}}
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
				}
				checked, wrong = append(checked, one), append(wrong, err)
			}
			err := error(nil)
			if asJSON.On {
				err = asJSON.Print(streams.Out, checked)
			} else {
				for _, one := range checked {
					one.print(streams.Out)
				}
			}
			if invalid := errors.Join(wrong...); err == nil && invalid != nil {
				err = config.UsageError{Err: invalid}
			}
			return err
		})
	asJSON.Add(cmd.Flags())
	return cmd
}

// A linted is a configuration that was checked. Found says what a valid one has.
type linted struct {
	Config string   `json:"config"`
	Valid  bool     `json:"valid"`
	Found  []string `json:"found"`
	Error  string   `json:"error,omitempty"`
}

func (l linted) print(w io.Writer) {
	for _, sentence := range l.Found {
		fmt.Fprintf(w, "%s: %s\n", l.Config, sentence)
	}
}

// described says what a configuration has, and what may surprise in it.
func described(p *plan.Plan) []string {
	sentences := []string{fmt.Sprintf("valid: %s, %s, rubric %s (%s, %v points), %s, %s",
		data.Plural(len(p.Questions), "question", "questions"), data.Plural(len(p.Scenarios), "scenario", "scenarios"),
		p.Rubric.Name, data.Plural(len(p.Rubric.Criteria), "criterion", "criteria"), p.Rubric.Max(),
		data.Plural(len(p.Systems), "model", "models"), data.Plural(len(p.Judges), "judge", "judges"))}
	if len(p.Config.Joined) > 0 {
		sentences = append(sentences, strings.Join(p.Config.Joined, ", ")+" in two places, read as one")
	}
	return append(sentences, unread(p)...)
}

// A checkup is what doctor found, for programs.
type checkup struct {
	Config  string         `json:"config"`
	Out     recordFolder   `json:"out"`
	Entries []checkedEntry `json:"entries"`
}

// A recordFolder is where a run would be recorded.
type recordFolder struct {
	Folder string `json:"folder"`
	Usable bool   `json:"usable"`
	Found  string `json:"found"`
}

func doctorCommand(streams run.Streams) *cobra.Command {
	var path, out string
	var trusted bool
	var asJSON run.JSON[checkup]
	cmd := run.Command("doctor", "Check the configuration, its providers, models and options", func(cmd *cobra.Command, _ []string) error {
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
		linted{Config: path, Found: described(p)}.print(streams.Out)
		room, fine := writable(out, estimate.Disk(cmd.Context(), p, out))
		if s, err := store.Open(out); err == nil {
			s.Close()
		} else if errors.Is(err, store.ErrRecord) { // run refuses it
			room, fine = err.Error(), false
		}
		fmt.Fprintf(streams.Out, "%s: %s\n", out, room)
		c.Trusted = trusted
		if err := run.Trust(c, c.LiveProviders(), streams.Out); err != nil {
			return err
		}
		found, err := checkEntries(cmd.Context(), c, streams.Out)
		if asJSON.On {
			err = errors.Join(err, asJSON.Print(printed, checkup{path, recordFolder{out, fine, room}, found}))
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
	asJSON.Add(cmd.Flags())
	cmd.Flags().BoolVar(&trusted, "trust", false, run.TrustUsage)
	return cmd
}

// unread says which questions of a plan are in a language that its offline systems and embedded judges do not know.
func unread(p *plan.Plan) (sentences []string) {
	var names []string
	for _, m := range p.Config.Models {
		if o, known := scenarios.OfflineNamed(m.BuiltIn()); m.Provider == config.ProviderBaseline && known && o.English {
			names = append(names, m.Name)
		}
	}
	for _, j := range p.Config.Judges {
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
