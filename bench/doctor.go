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
	"compqa/results/table"
	"compqa/scenarios"
)

// lintCommand is doctor without the network, for a hook or CI.
func lintCommand(streams run.Streams) *cobra.Command {
	return run.Command("lint [FILE…]", "Check configurations with their questions and rubrics, without the network",
		func(_ *cobra.Command, files []string) error {
			if len(files) == 0 {
				files = []string{config.DefaultConfig}
			}
			var wrong []error
			for _, file := range files {
				c, err := config.Load(file)
				if err == nil {
					var p *plan.Plan
					p, err = plan.New(c, 0)
					if err == nil {
						describe(streams.Out, file, p)
					}
				}
				wrong = append(wrong, err)
			}
			if err := errors.Join(wrong...); err != nil {
				return config.UsageError{Err: err}
			}
			return nil
		})
}

// describe says what a configuration has, and what may surprise in it.
func describe(w io.Writer, path string, p *plan.Plan) {
	fmt.Fprintf(w, "%s: valid: %s, %s, rubric %s (%s, %v points), %s, %s\n", path,
		data.Plural(len(p.Questions), "question", "questions"), data.Plural(len(p.Scenarios), "scenario", "scenarios"),
		p.Rubric.Name, data.Plural(len(p.Rubric.Criteria), "criterion", "criteria"), p.Rubric.Max(),
		data.Plural(len(p.Systems), "model", "models"), data.Plural(len(p.Judges), "judge", "judges"))
	if len(p.Config.Joined) > 0 {
		fmt.Fprintf(w, "%s: %s in two places, read as one\n", path, strings.Join(p.Config.Joined, ", "))
	}
	for _, sentence := range unread(p) {
		fmt.Fprintf(w, "%s: %s\n", path, sentence)
	}
}

func doctorCommand(streams run.Streams) *cobra.Command {
	var path, out string
	var asJSON, trusted bool
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
		if asJSON {
			streams.Out = io.Discard
		}
		describe(streams.Out, path, p)
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
		if asJSON {
			err = errors.Join(err, table.WriteJSON(printed,
				map[string]any{"config": path, "out": map[string]any{"folder": out, "usable": fine, "found": room}, "entries": found}))
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
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
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
