package verify

import (
	"math"

	"compqa/bench/cli"
	"compqa/bench/config"
	"compqa/llm"
	"compqa/results/archive"
	"compqa/results/store"
)

// costPrecision is the largest relative difference between a recorded and a recomputed cost that counts as rounding.
const costPrecision = 1e-9

// A priced is a price that a recorded configuration gives to a model.
type configuredPrice struct {
	llm.Price
	certain bool // the price is in the configuration, or in the built-in list of the same build of the program
}

// checkCosts recomputes the cost of each paid attempt from the recorded tokens and the prices of the recorded configurations. A cost that
// fits none of the prices is a difference if one price is certain. Otherwise it is added to what cannot be recomputed, and so are estimated
// costs and those of models without a price.
func (c *Recheck) checkCosts() error {
	runs, err := c.db.Runs()
	if err != nil {
		return err
	}
	var configs []*config.Config
	for _, made := range runs {
		cfg, err := config.ParseRecorded(made.Config)
		if err != nil {
			return archive.Differ("a recorded configuration cannot be parsed: %w", err)
		}
		configs = append(configs, cfg)
	}
	known := map[[2]string][]configuredPrice{} // by provider and model
	return c.db.EachPaid(func(a store.PaidAttempt) error {
		key := [2]string{a.Provider, a.Model}
		prices, found := known[key]
		if !found {
			prices = pricesOf(runs, configs, a.Provider, a.Model)
			known[key] = prices
		}
		if a.Estimated {
			c.rests.add("cost", a.Party, 1, "estimated, not recomputed: the server reported no usage or a tier without a price")
			return nil
		}
		certain := false
		for _, price := range prices {
			if sameCost(a.Cost, costAt(price.Price, a)) {
				return nil
			}
			certain = certain || price.certain
		}
		if certain {
			return archive.Differ("attempt %d of %s: its cost is recorded as %g US dollars, but its tokens and the recorded price give %g",
				a.ID, a.Party, a.Cost, costAt(prices[0].Price, a))
		}
		c.rests.add("cost", a.Party, 1, "not recomputed: no recorded configuration has the price of %s that was paid", a.Model)
		return nil
	})
}

// pricesOf returns the prices that the configurations give to a model, the latest configuration first.
func pricesOf(runs []store.Provenance, configs []*config.Config, provider, model string) (prices []configuredPrice) {
	program, revision := cli.BuildVersion()
	for i, cfg := range configs {
		price, source, known := cfg.PriceSource(provider, model)
		if !known {
			continue
		}
		entry := cfg.Providers[provider]
		_, builtIn, inList := llm.KnownPrice(entry, model)
		same := runs[i].Program == program && runs[i].Revision == revision
		prices = append(prices, configuredPrice{price, !inList || source != builtIn || llm.TypeOf(entry.Type).Local || same})
	}
	return prices
}

// costAt returns the cost of an attempt at a price. An attempt without usage was refused or never processed, and is free.
func costAt(price llm.Price, a store.PaidAttempt) float64 {
	if a.InBatch {
		price = price.InBatch()
	} else {
		price, _ = price.InTier(a.ServiceTier)
	}
	cost, _ := price.Cost(a.Usage)
	return cost
}

func sameCost(recorded, computed float64) bool {
	return math.Abs(recorded-computed) <= costPrecision*max(math.Abs(recorded), math.Abs(computed))+1e-15
}
