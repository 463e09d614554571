package plan

import (
	"cmp"
	"context"
	"io"

	"compqa/bench/run"
)

// Connect connects to the providers of a plan, and notes in its cells which are skipped.
func (p *Plan) Connect(ctx context.Context, e *run.Engine, strict bool, w io.Writer) error {
	var providers []string
	for i := range p.Answers {
		if s := p.Answers[i].Contestant; s != nil {
			providers = append(providers, s.providers()...)
		}
	}
	for i := range p.Verdicts {
		providers = append(providers, p.Verdicts[i].Scorer.Provider)
	}
	for i := range p.Labels {
		providers = append(providers, p.Labels[i].Labeller.Provider)
	}
	faults, err := e.Connect(ctx, providers, strict, w)
	for i := range p.Answers {
		if s := p.Answers[i].Contestant; s != nil {
			p.Answers[i].Note = ""
			for _, provider := range s.providers() {
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
