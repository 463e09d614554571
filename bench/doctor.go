package bench

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/spf13/cobra"

	"compqa/bench/config"
	"compqa/bench/doctor"
	"compqa/bench/plan"
	"compqa/bench/run"
	"compqa/data"
)

func doctorCommand(streams run.Streams) *cobra.Command {
	var path, out string
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Check the configuration, its providers and models",
		Long: `Checks the configuration and its files, whether each provider is reachable with its
key, whether it knows each model, whether the model follows a JSON schema, and
whether a run can be recorded. For each problem it says what to do. The check of a
model is one short chat, which costs a few tokens.

Exit codes: 0 no problems; 1 something is unreachable or not writable; 2 the
configuration is invalid.`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := config.Load(path)
			if err != nil {
				return err
			}
			p, err := plan.New(c, 0, nil)
			if err != nil {
				return err
			}
			fmt.Fprintf(streams.Out, "%s: fine: %s, %s, rubric %s (%s, %v points), %s, %s\n", path,
				data.Plural(len(p.Questions), "question", "questions"), data.Plural(len(p.Scenarios), "scenario", "scenarios"),
				p.Rubric.Name, data.Plural(len(p.Rubric.Criteria), "criterion", "criteria"), p.Rubric.Max(),
				data.Plural(len(p.Systems), "model", "models"), data.Plural(len(p.Judges), "judge", "judges"))
			room, fine := doctor.Writable(out)
			fmt.Fprintf(streams.Out, "%s: %s\n", out, room)
			err = examine(c, cmd.Context(), streams)
			if err == nil {
				err = run.CheckBudget(c)
			}
			if err == nil && !fine {
				err = fmt.Errorf("a run cannot be recorded in %s", out)
			}
			return err
		},
	}
	cmd.Flags().StringVar(&path, "config", config.DefaultConfig, "the configuration `FILE`")
	cmd.Flags().StringVar(&out, "out", defaultOut, "the folder `DIR` for the record of a run")
	return cmd
}

// examine checks each provider that a model or a judge uses.
func examine(c *config.Config, ctx context.Context, streams run.Streams) error {
	wanted := map[string][]string{}
	for _, e := range c.LiveEntries() {
		if !slices.Contains(wanted[e.Provider], e.Model) {
			wanted[e.Provider] = append(wanted[e.Provider], e.Model)
		}
	}
	if len(wanted) == 0 {
		fmt.Fprintln(streams.Out, "no model behind a provider is configured: nothing to reach (`compqa models` prints entries to copy)")
		return nil
	}
	unusable := 0
	for _, name := range slices.Sorted(maps.Keys(wanted)) {
		provider := c.Providers[name]
		provider.Name = name
		for _, model := range wanted[name] {
			found, fine := doctor.Examine(ctx, provider, model)
			fmt.Fprintf(streams.Out, "%s, %s: %s\n", name, model, found)
			if !fine {
				unusable++
			}
		}
	}
	if unusable > 0 {
		return fmt.Errorf("%s not usable", data.Plural(unusable, "model is", "models are"))
	}
	return nil
}
