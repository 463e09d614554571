package bench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"compqa/llm"
)

// connect makes a client for each of the providers, and says why those that cannot be
// used cannot: their items are skipped. With strict that is an error.
func (e *engine) connect(ctx context.Context, providers []string, strict bool, w io.Writer) (faults map[string]string, err error) {
	faults = map[string]string{}
	slices.Sort(providers)
	for _, provider := range slices.Compact(providers) {
		if provider == offline {
			continue
		}
		client, err := e.client(ctx, provider)
		if err == nil {
			e.clients[provider] = client
			continue
		}
		if strict {
			return nil, fmt.Errorf("provider %s cannot be used: %w", provider, err)
		}
		fmt.Fprintf(w, "skipped: everything of provider %s: %v\n", provider, err)
		faults[provider] = err.Error()
	}
	return faults, nil
}

// client makes a provider's client and asks the provider for its models.
func (e *engine) client(ctx context.Context, name string) (llm.Client, error) {
	provider := e.config.Providers[name]
	provider.Name, provider.Concurrency = name, concurrencyOf(e.config)[name]
	client, err := llm.New(provider, os.Getenv, e.hooks(name))
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	if _, err := client.Models(ctx); err != nil && unreachable(err) {
		return nil, err
	}
	return client, nil
}

// unreachable tells a server that is not there, or rejects our key, from one that has no
// list of models, or none for a key with few rights (403).
func unreachable(err error) bool {
	var e *llm.Error
	return errors.As(err, &e) && (e.HTTPStatus == 0 || e.HTTPStatus == 401)
}

// connect connects to the providers that a plan needs, and notes in its cells which of
// them are skipped.
func (p *plan) connect(ctx context.Context, e *engine, strict bool, w io.Writer) error {
	var providers []string
	for i := range p.answers {
		if s := p.answers[i].system; s != nil {
			providers = append(providers, s.provider)
		}
	}
	for i := range p.verdicts {
		providers = append(providers, p.verdicts[i].judge.provider)
	}
	faults, err := e.connect(ctx, providers, strict, w)
	for i := range p.answers {
		if s := p.answers[i].system; s != nil {
			p.answers[i].Note = faults[s.provider]
		}
	}
	for i := range p.verdicts {
		p.verdicts[i].Note = faults[p.verdicts[i].judge.provider]
	}
	return err
}
