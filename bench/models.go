package bench

import (
	"cmp"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"time"

	"github.com/spf13/cobra"

	"compqa/bench/config"
	"compqa/bench/importing"
	"compqa/bench/run"
	"compqa/data/sources/release"
	"compqa/llm"
	"compqa/results/table"
)

// entries.yaml holds entries to copy into compqa.yaml.
//
//go:embed entries.yaml
var entries string

func modelsCommand(streams run.Streams) *cobra.Command {
	var path string
	var asJSON bool
	cmd := run.Command("models [MODEL]", "List models and judges with their prices, or the prices of a model, and print entries to copy",
		func(cmd *cobra.Command, args []string) error {
			c, err := config.Load(path)
			if errors.Is(err, fs.ErrNotExist) && len(args) > 0 && !cmd.Flags().Changed("config") {
				c, err = &config.Config{}, nil // the built-in list needs no configuration
			}
			if err != nil {
				return err
			}
			rows := configuredPrices(c)
			if len(args) > 0 {
				rows = pricesOf(c, args[0])
			}
			switch {
			case asJSON && len(args) > 0:
				return table.WriteJSON(streams.Out, rows)
			case asJSON:
				return table.WriteJSON(streams.Out, partiesOf(c))
			case len(args) > 0:
				return printPrices(streams.Out, rows)
			}
			listParties(c, streams.Out)
			fmt.Fprintln(streams.Out, "\nPrices:")
			if err := printPrices(streams.Out, rows); err != nil {
				return err
			}
			_, err = fmt.Fprintf(streams.Out, "\nEntries to copy:\n\n%s", entries)
			return err
		})
	cmd.Flags().StringVar(&path, "config", config.DefaultConfig, "the configuration `FILE`")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON: an unknown price is null")
	return cmd
}

// A partyRow is a model or a judge of the configuration.
type partyRow struct {
	Kind     string `json:"kind"` // model, judge, pairwise
	Name     string `json:"name"`
	Provider string `json:"provider,omitempty"`
	Model    string `json:"model,omitempty"`
	Method   string `json:"method,omitempty"`
	Path     string `json:"path,omitempty"`

	Price  *llm.Price `json:"price,omitempty"` // of a model at a provider; nil: unknown
	Source string     `json:"price_source,omitempty"`
}

func partiesOf(c *config.Config) (rows []partyRow) {
	for _, m := range c.Models {
		rows = append(rows, partyRow{Kind: "model", Name: m.Name, Provider: m.Provider, Model: m.Asked.Model, Method: m.Method, Path: m.Path})
	}
	for _, j := range c.Judges {
		rows = append(rows, partyRow{Kind: "judge", Name: j.Name, Provider: j.Provider, Model: j.Model, Path: j.Path})
	}
	for _, ref := range c.Pairwise {
		rows = append(rows, partyRow{Kind: "pairwise", Name: ref.Name, Provider: ref.Provider, Model: ref.Model, Method: ref.Method})
	}
	for i := range rows {
		if _, live := c.Providers[rows[i].Provider]; live {
			at := priceAt(c, rows[i].Provider, rows[i].Model)
			rows[i].Price, rows[i].Source = at.Price, at.Source
		}
	}
	return rows
}

// listParties lists the models and judges of the configuration.
func listParties(c *config.Config, w io.Writer) {
	last := ""
	for _, row := range partiesOf(c) {
		if row.Kind != last {
			fmt.Fprintf(w, "%s in %s:\n", map[string]string{"model": "Models", "judge": "Judges", "pairwise": "Judges of pairs"}[row.Kind], c.File)
			last = row.Kind
		}
		what := whose(row.Provider, row.Model, row.Path)
		if row.Kind == "pairwise" {
			what = row.Method + ", " + cmp.Or(what, "no model")
		} else if row.Method != "" {
			what = row.Method + ", " + what
		}
		fmt.Fprintf(w, "  %-20s %s\n", row.Name, what)
	}
}

func whose(provider, model, path string) string {
	switch {
	case path != "":
		return "from " + path
	case model != "":
		return model + " at " + provider
	}
	return provider
}

func fetchCommand(streams run.Streams) *cobra.Command {
	var dir, remote, commit string
	var timeout time.Duration
	var brief bool
	cmd := run.Command("fetch", "Fetch the CompQA authors' release by git", func(cmd *cobra.Command, _ []string) error {
		ctx, cancel := context.WithTimeout(cmd.Context(), timeout)
		defer cancel()
		there, err := importing.FetchRelease(ctx, remote, commit, dir)
		switch {
		case err != nil && brief:
			return fmt.Errorf("continuing without the CompQA authors' release, which could not be fetched: %w", err)
		case err != nil:
			return fmt.Errorf("the CompQA authors' release could not be fetched: %w\nContinue without it (make bench OFFLINE=1), or with a "+
				"checkout that you have (make bench RELEASE=dir)", err)
		case !there:
			fmt.Fprintf(streams.Err, "the CompQA authors' release is in %s (commit %.12s)\n", dir, commit)
		}
		return nil
	})
	cmd.Flags().StringVar(&dir, "out", "release", "the folder `DIR` to create")
	cmd.Flags().StringVar(&remote, "remote", importing.ReleaseRemote, "the repository's `URL`")
	cmd.Flags().StringVar(&commit, "commit", release.Commit, "the `HASH` of the commit")
	cmd.Flags().DurationVar(&timeout, "timeout", 5*time.Minute, "stop after this `TIME`")
	cmd.Flags().BoolVar(&brief, "brief", false, "report a failure in one line")
	return cmd
}
