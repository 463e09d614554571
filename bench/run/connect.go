package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"time"

	"compqa/bench/cli"

	"compqa/bench/config"
	"compqa/llm"
	"compqa/llm/client"
	"compqa/llm/fleet"
	"compqa/results/store"
)

// Connect makes a client for each of the providers. faults are the reasons why some cannot be
// used: their items are skipped, or with strict that is an error. See Unusable.
func (e *Engine) Connect(ctx context.Context, providers []string, strict bool, w io.Writer) (faults map[string]string, err error) {
	faults = map[string]string{}
	if e.Fleet == nil { // else the keys are the workers'
		if err := cli.Trust(e.config, providers, w); err != nil {
			return nil, err
		}
	}
	known, err := e.Store.Adaptations()
	if err != nil {
		return nil, err
	}
	slices.Sort(providers)
	for _, provider := range slices.Compact(providers) {
		if provider == Offline {
			continue
		}
		if warning := e.config.Providers[provider].Exposes(); warning != "" {
			fmt.Fprintf(w, "provider %s: %s\n", provider, warning)
		}
		client, err := e.client(ctx, provider, known)
		if err == nil {
			e.Clients[provider] = client
			continue
		}
		if strict {
			return nil, fmt.Errorf("provider %s cannot be used: %w", provider, err)
		}
		fmt.Fprintf(w, "skipped: all items of provider %s: %v\n", provider, err)
		faults[provider] = err.Error()
		e.Unusable = append(e.Unusable, fmt.Sprintf("provider %s cannot be used: %v", provider, err))
	}
	return faults, nil
}

// client makes a provider's client and asks the provider for its models.
func (e *Engine) client(ctx context.Context, name string, known []store.Adaptation) (client.Client, error) {
	provider := e.config.Providers[name]
	provider.Name, provider.Concurrency = name, ConcurrencyOf(e.config)[name]/len(provider.Servers()) // of one server
	if e.Fleet != nil {
		provider.Concurrency = cmp.Or(e.config.Providers[name].Concurrency, e.config.Run.Concurrency) // the key is the workers'
		return e.Fleet.Client(ctx, provider, e.hooks(name, known))
	}
	client, err := client.New(provider, os.Getenv, e.hooks(name, known))
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	// A server may have no list of models, or none for a key with few rights (403).
	_, err = client.Models(ctx)
	if e, ok := errors.AsType[*llm.Error](err); ok && (e.HTTPStatus == 0 || e.HTTPStatus == 401) {
		return nil, err
	}
	return client, nil
}

// ConcurrencyOf returns the number of concurrent calls at each provider, and of offline tasks.
func ConcurrencyOf(c *config.Config) map[string]int {
	counts := map[string]int{Offline: runtime.GOMAXPROCS(0)}
	for name, p := range c.Providers {
		most := c.Run.Concurrency
		if p.Type == llm.TypeCommand {
			most = 1 // a program that answers line by line need not repeat the id of a request
		}
		counts[name] = cmp.Or(p.Concurrency, most) * len(p.Servers())
	}
	return counts
}

// Join has the workers of a queue make the calls of the engine, if --queue is given.
func (e *Engine) Join(ctx context.Context, f cli.Flags, w io.Writer) (err error) {
	if f.Queue == "" {
		return nil
	}
	for _, entry := range e.config.LiveEntries() {
		if entry.Batch.On() {
			return config.Usagef("%s %q has batch: true, which --queue does not support, because batches need the key on "+
				"this machine", entry.What, entry.Name)
		}
	}
	e.Fleet, err = fleet.Open(ctx, f.Queue, os.Getenv(fleet.KeyEnv), cli.FleetVersion(), f.Retain, func(text string) { fmt.Fprintln(w, text) })
	return err
}
