package bench

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"compqa/bench/config"
	"compqa/bench/doctor"
	"compqa/bench/plan"
	"compqa/bench/run"
	"compqa/data"
	"compqa/llm"
	"compqa/results/table"
)

func doctorCommand(streams run.Streams) *cobra.Command {
	var path, out string
	var asJSON, trusted bool
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Check the configuration, its providers, models and options",
		RunE: func(cmd *cobra.Command, _ []string) error {
			streams, printed := streams, streams.Out
			c, err := config.Load(path)
			if err != nil {
				return err
			}
			p, err := plan.New(c, 0, nil)
			if err != nil {
				return err
			}
			if asJSON {
				streams.Out = io.Discard
			}
			fmt.Fprintf(streams.Out, "%s: valid: %s, %s, rubric %s (%s, %v points), %s, %s\n", path,
				data.Plural(len(p.Questions), "question", "questions"), data.Plural(len(p.Scenarios), "scenario", "scenarios"),
				p.Rubric.Name, data.Plural(len(p.Rubric.Criteria), "criterion", "criteria"), p.Rubric.Max(),
				data.Plural(len(p.Systems), "model", "models"), data.Plural(len(p.Judges), "judge", "judges"))
			room, fine := doctor.Writable(out)
			fmt.Fprintf(streams.Out, "%s: %s\n", out, room)
			c.Trusted = trusted
			if err := run.Trust(c, c.LiveProviders(), streams.Out); err != nil {
				return err
			}
			found, err := examine(c, cmd.Context(), streams)
			if asJSON {
				err = errors.Join(err, table.WriteJSON(printed, map[string]any{"config": path, "out": map[string]any{"folder": out, "usable": fine, "found": room}, "entries": found}))
			}
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
	cmd.Flags().StringVar(&out, "out", config.DefaultOut, "the folder `DIR` for the record of a run")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	cmd.Flags().BoolVar(&trusted, "trust", false, run.TrustUsage)
	return cmd
}

// An examined entry is a model at a provider, asked with the options of an entry.
type examinedEntry struct {
	Provider string `json:"provider"`
	Server   string `json:"server,omitempty"` // of several
	Model    string `json:"model"`
	Usable   bool   `json:"usable"`
	Found    string `json:"found"`
}

// examine checks each entry that asks a provider, with its own options, except for the lengths of
// replies. A model is listed once, and once more for other options where those lead to another
// result.
func examine(c *config.Config, ctx context.Context, streams run.Streams) ([]examinedEntry, error) {
	list := []examinedEntry{}
	entries := c.LiveEntries()
	if len(entries) == 0 {
		fmt.Fprintln(streams.Out, "no model of a provider is configured, so there is no server to check (`compqa models` prints entries to copy)")
		return list, nil
	}
	slices.SortStableFunc(entries, func(a, b config.LiveEntry) int {
		return cmp.Or(strings.Compare(a.Provider, b.Provider), strings.Compare(a.Model, b.Model))
	})
	unusable := 0
	examined, listed := map[string]bool{}, map[string]string{}
	for _, e := range entries {
		provider, req := c.Providers[e.Provider], e.Request(nil)
		provider.Name = e.Provider
		same := config.HashOf(e.Provider, llm.Request{Model: req.Model, Options: withoutLengths(req.Options), Extra: withoutLengths(req.Extra)})
		if examined[same] {
			continue
		}
		examined[same] = true
		usable := false // at one server at least
		for _, server := range provider.Servers() {
			who, address := e.Provider, ""
			if len(provider.BaseURLs) > 0 {
				address = server.BaseURL
				who += " at " + address
			}
			found, fine, refused := doctor.Examine(ctx, server, req)
			usable = usable || fine
			result := fmt.Sprint(fine, refused, latency.ReplaceAllString(found, ""))
			if listed[who+" "+e.Model] == result {
				continue
			}
			listed[who+" "+e.Model] = result
			if refused != nil {
				found = c.Locate(e.Refusal(refused)).Error()
				fmt.Fprintln(streams.Out, found)
			} else {
				fmt.Fprintf(streams.Out, "%s, %s: %s\n", who, e.Model, found)
			}
			list = append(list, examinedEntry{e.Provider, address, e.Model, fine, found})
		}
		if !usable {
			unusable++
		}
	}
	if unusable > 0 {
		return list, fmt.Errorf("%s not usable", data.Plural(unusable, "entry is", "entries are"))
	}
	return list, nil
}

// latency matches the time of a reply in what was found.
var latency = regexp.MustCompile(` in [0-9.µa-z]+ |\([0-9.µa-z]+\)`)

// withoutLengths are options without limits of tokens: they do not decide whether a model can be
// used.
func withoutLengths(options map[string]any) map[string]any {
	options = maps.Clone(options)
	for _, name := range []string{"max_tokens", "max_completion_tokens", "num_predict", "num_ctx"} {
		delete(options, name)
	}
	if len(options) == 0 {
		return nil
	}
	return options
}
