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
	if AboutPairs(only) {
		p.faults, err = e.Connect(ctx, providers, strict, w)
		return err
	}
	for i := range p.Answers {
		if s := p.Answers[i].Contestant; s != nil {
			providers = append(providers, s.Providers()...)
		}
	}
	for i := range p.Verdicts {
		providers = append(providers, p.Verdicts[i].Scorer.Provider)
	}
	for i := range p.Labels {
		providers = append(providers, p.Labels[i].Labeller.Provider)
	}
	faults, err := e.Connect(ctx, providers, strict, w)
	p.faults = faults
	for i := range p.Answers {
		if s := p.Answers[i].Contestant; s != nil {
			p.Answers[i].Note = ""
			for _, provider := range s.Providers() {
				p.Answers[i].Note = cmp.Or(p.Answers[i].Note, faults[provider])
			}
		}
	}
	for i := range p.Verdicts {
		p.Verdicts[i].Note = faults[p.Verdicts[i].Scorer.Provider]
	}
	for i := range p.Labels {
		p.Labels[i].Note = faults[p.Labels[i].Labeller.Provider]
	}
	return err
}
