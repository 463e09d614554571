package bench

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"

	"compqa/bench/config"
	"compqa/llm"
	"compqa/results/table"
)

// A priceRow is the price of a model at a provider.
type priceRow struct {
	Model    string     `json:"model"`
	Provider string     `json:"provider"`
	Price    *llm.Price `json:"price"`  // nil: unknown
	Source   string     `json:"source"` // "" for none
}

// configuredPrices are the prices of the models that the configuration names.
func configuredPrices(c *config.Config) []priceRow {
	rows := []priceRow{}
	for _, e := range c.LiveEntries() {
		if !slices.ContainsFunc(rows, func(r priceRow) bool { return r.Model == e.Model && r.Provider == e.Provider }) {
			rows = append(rows, priceAt(c, e.Provider, e.Model))
		}
	}
	return rows
}

func priceAt(c *config.Config, provider, model string) priceRow {
	row := priceRow{Model: model, Provider: provider}
	if price, source, known := c.PriceSource(provider, model); known {
		row.Price, row.Source = &price, source
	}
	return row
}

// pricesOf are the known prices of a model, or of the model of an entry: at the providers of
// the configuration, and at the makers' addresses. If none is known, there is one row.
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
		if named || row.Price != nil && !llm.TypeOf(c.Providers[provider].Type).Local { // every name is free there
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
			view.Add(priceCells("", fmt.Sprintf("prompt > %d", p.Long.Above), p.For(p.Long.Above+1), "")...)
		}
	}
	if err := view.Terminal(out); err != nil {
		return err
	}
	_, err := fmt.Fprintln(out, "US dollars per million tokens; in a batch: a factor.")
	return err
}

// priceCells are a row; prices that are not given are those that apply instead.
func priceCells(model, provider string, p llm.Price, source string) []any {
	text := func(x *float64) string { return strconv.FormatFloat(*x, 'g', 6, 64) }
	return []any{model, provider, source, text(p.Input), text(cmp.Or(p.Cached, p.Input)), text(cmp.Or(p.Written, p.Input)),
		text(p.Output), fmt.Sprint(llm.ValueOr(p.Batch, 0.5))}
}
