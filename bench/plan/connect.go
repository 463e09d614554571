package plan

import (
	"cmp"
	"context"
	"io"

	"compqa/bench/run"
)

// Connect connects to the providers of the parts of a plan that only names, and notes in its cells
// which are skipped.
func (p *Plan) Connect(ctx context.Context, e *run.Engine, only string, strict bool, w io.Writer) (err error) {
	var providers []string
	if p.Pairs != nil && (only == "" || AboutPairs(only)) {
		providers = p.Pairs.providers()
	}
	cells := p.Cells()
	if AboutPairs(only) {
		cells = nil
	}
	for _, c := range cells {
		providers = append(providers, c.providers()...)
	}
	p.faults, err = e.Connect(ctx, providers, strict, w)
	for _, c := range cells {
		c.Note = ""
		for _, provider := range c.providers() {
			c.Note = cmp.Or(c.Note, p.faults[provider])
		}
	}
	return err
}

// providers are all that the results of a cell are asked of.
func (c *Cell) providers() []string {
	if c.Contestant != nil {
		return c.Contestant.Providers()
	}
	return []string{c.Provider}
}
