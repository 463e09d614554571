package llm

import (
	_ "embed"
	"sync"

	"go.yaml.in/yaml/v4"
)

// PricesOf is the date of the built-in prices.
const PricesOf = "November 2026"

// A PriceList is the built-in prices of one maker, by the model's name without its date.
type PriceList struct {
	Page   string           `yaml:"page"` // where they are published
	Prices map[string]Price `yaml:"prices"`
}

//go:embed prices.yaml
var builtinPrices []byte

// BuiltinPrices are the price lists by the host of base_url.
var BuiltinPrices = sync.OnceValue(func() map[string]PriceList {
	var lists map[string]PriceList
	if err := yaml.Load(builtinPrices, &lists); err != nil {
		panic(err) // the file is part of the program
	}
	return lists
})
