package bench

import (
	"cmp"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"compqa/bench/cli"
	"compqa/bench/config"
	"compqa/data"
	"compqa/data/sources/release"
	"compqa/llm"
	"compqa/results/store"
	"compqa/results/table"
)

// entries is a file of example entries to copy into compqa.yaml.
//
//go:embed entries.yaml
var entries string

// modelsCommand builds `compqa models`.
func modelsCommand(streams cli.Streams) *cobra.Command {
	var path string
	var asJSON cli.JSON[[]partyRow]
	cmd := cli.Command("models [MODEL]", "List models and judges with their prices, or the prices of a model, and print entries to copy",
		func(cmd *cobra.Command, args []string) error {
			c, err := config.Load(path)
			if errors.Is(err, fs.ErrNotExist) && len(args) > 0 && !cmd.Flags().Changed("config") {
				c = &config.Config{}
				err = nil // the built-in prices need no configuration
			}
			if err != nil {
				return err
			}
			rows := []priceRow{} // prices of the models that the configuration names
			for _, e := range c.LiveEntries() {
				if !slices.ContainsFunc(rows, func(r priceRow) bool { return r.Model == e.Model && r.Provider == e.Provider }) {
					rows = append(rows, priceAt(c, e.Provider, e.Model))
				}
			}
			if len(args) > 0 {
				rows = pricesOf(c, args[0])
			}
			switch {
			case asJSON.On && len(args) > 0:
				return asJSON.Print(streams.Out, data.Each(rows, func(r priceRow) partyRow {
					return partyRow{Kind: "price", Name: r.Model, Provider: r.Provider, Model: r.Model, Price: r.Price, Source: r.Source}
				}))
			case asJSON.On:
				return asJSON.Print(streams.Out, partiesOf(c))
			case len(args) > 0:
				return printPrices(streams.Out, rows)
			}
			fmt.Fprintf(streams.Out, "Models and judges of %s:\n\n", c.File)
			listed := partiesOf(c)
			for i, row := range listed {
				if row.Path != "" {
					listed[i].Model = "from " + row.Path
				}
			}
			view := table.From(5, listed, "Kind=kind", "Name=name", "Method=method", "Provider=provider", "Model=model")
			if err := view.Terminal(streams.Out); err != nil {
				return err
			}
			fmt.Fprintln(streams.Out, "\nPrices:")
			if err := printPrices(streams.Out, rows); err != nil {
				return err
			}
			_, err = fmt.Fprintf(streams.Out, "\nEntries to copy:\n\n%s", entries)
			return err
		})
	cmd.Flags().StringVar(&path, "config", config.DefaultConfig, "the configuration `FILE`")
	asJSON.Add(cmd.Flags())
	return cmd
}

// A partyRow is a model or a judge of the configuration, or the price of a model, as `compqa models --json` prints it.
type partyRow struct {
	Kind     string `json:"kind"` // model, judge, summary judge, pairwise; or price for the price of MODEL
	Name     string `json:"name"`
	Provider string `json:"provider,omitempty"`
	Model    string `json:"model,omitempty"`
	Method   string `json:"method,omitempty"`
	Path     string `json:"path,omitempty"`

	Price  *llm.Price `json:"price"` // nil if the price is unknown or the entry has no provider with prices
	Source string     `json:"price_source,omitempty"`
}

func partiesOf(c *config.Config) (rows []partyRow) {
	for _, m := range c.Models {
		rows = append(rows, partyRow{Kind: "model", Name: m.Name, Provider: m.Provider, Model: m.Asked.Model, Method: m.Method,
			Path: m.Path})
	}
	kinds := map[string]string{store.KindVerdict: "judge", store.KindLabel: "summary judge", store.KindPreference: "pairwise"}
	for _, j := range c.Judges {
		rows = append(rows, partyRow{Kind: kinds[j.Asks], Name: j.Name, Provider: j.Provider, Model: j.Model, Method: j.Method, Path: j.Path})
	}
	for i := range rows {
		if _, live := c.Providers[rows[i].Provider]; live {
			price := priceAt(c, rows[i].Provider, rows[i].Model)
			rows[i].Price = price.Price
			rows[i].Source = price.Source
		}
	}
	return rows
}

// fetchCommand builds `compqa fetch`.
func fetchCommand(streams cli.Streams) *cobra.Command {
	var dir, remote, commit string
	var timeout time.Duration
	var brief bool
	cmd := cli.Command("fetch", "Fetch the CompQA authors' release by git", func(cmd *cobra.Command, _ []string) error {
		ctx, cancel := context.WithTimeout(cmd.Context(), timeout)
		defer cancel()
		there, err := fetchRelease(ctx, remote, commit, dir)
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
	cmd.Flags().StringVar(&remote, "remote", releaseRemote, "the repository's `URL`")
	cmd.Flags().StringVar(&commit, "commit", release.Commit, "the `HASH` of the commit")
	cmd.Flags().DurationVar(&timeout, "timeout", 5*time.Minute, "stop after this `TIME`")
	cmd.Flags().BoolVar(&brief, "brief", false, "report a failure in one line")
	return cmd
}

// A priceRow is the price of a model at a provider.
type priceRow struct {
	Model    string
	Provider string
	Price    *llm.Price // nil if unknown
	Source   string     // where the price is from; "" if unknown
}

func priceAt(c *config.Config, provider, model string) priceRow {
	row := priceRow{Model: model, Provider: provider}
	if price, source, known := c.PriceSource(provider, model); known {
		row.Price = &price
		row.Source = source
	}
	return row
}

// pricesOf returns the known prices of a model, or of the model of the entry with this name. It looks at the providers of the configuration
// and at the built-in prices of the makers. If no price is known, it returns one row without a price.
func pricesOf(c *config.Config, name string) []priceRow {
	var rows []priceRow
	for _, e := range c.LiveEntries() {
		if e.Name == name && e.Model != name {
			rows = append(rows, priceAt(c, e.Provider, e.Model))
		}
	}
	for _, provider := range slices.Sorted(maps.Keys(c.Providers)) {
		named := slices.ContainsFunc(c.LiveEntries(), func(e config.LiveEntry) bool { return e.Provider == provider && e.Model == name })
		row := priceAt(c, provider, name)
		if named || row.Price != nil && !llm.TypeOf(c.Providers[provider].Type).Local { // a local server has no prices for any name
			rows = append(rows, row)
		}
	}
	for _, host := range slices.Sorted(maps.Keys(llm.BuiltinPrices())) {
		price, source, known := llm.KnownPrice(llm.Provider{BaseURL: "https://" + host}, name)
		if known && !slices.ContainsFunc(rows, func(r priceRow) bool { return r.Source == source }) {
			rows = append(rows, priceRow{name, host, &price, source})
		}
	}
	if rows == nil {
		rows = []priceRow{{Model: name, Provider: "any"}}
	}
	return rows
}

// printPrices prints a table of prices. Models with a higher price for long prompts have a second row.
func printPrices(out io.Writer, rows []priceRow) error {
	if len(rows) == 0 {
		_, err := fmt.Fprintln(out, "the configuration uses no model of a provider")
		return err
	}
	view := table.New(3, "model", "provider", "from", "input", "cached", "cache write", "output", "in a batch")
	for _, r := range rows {
		if r.Price == nil {
			view.Add(r.Model, r.Provider, "nowhere: add price: {input: 2.5, output: 10} to the entry", "?", "?", "?", "?", "?")
			continue
		}
		p := *r.Price
		view.Add(priceCells(r.Model, r.Provider, p, r.Source)...)
		if p.Long != nil {
			view.Add(priceCells("", fmt.Sprintf("prompt > %d", p.Long.AboveTokens), p.For(p.Long.AboveTokens+1), "")...)
		}
	}
	if err := view.Terminal(out); err != nil {
		return err
	}
	_, err := fmt.Fprintln(out, "US dollars per million tokens; in a batch: a factor.")
	return err
}

// priceCells returns the cells of a row. A price that is not given is filled in by the price that applies instead, for instance the input
// price for cached tokens.
func priceCells(model, provider string, p llm.Price, source string) []any {
	text := func(x *float64) string { return strconv.FormatFloat(*x, 'g', 6, 64) }
	return []any{model, provider, source, text(p.Input), text(cmp.Or(p.Cached, p.Input)), text(cmp.Or(p.CacheWrite, p.Input)),
		text(p.Output), fmt.Sprint(llm.ValueOr(p.Batch, 0.5))}
}
