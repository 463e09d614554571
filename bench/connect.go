package bench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"time"

	"compqa/llm"
)

// connect makes a client for each provider that the plan needs. A provider that
// cannot be used is told in one line and its cells are noted as skipped, unless
// the run is strict.
func (p *plan) connect(ctx context.Context, strict bool, w io.Writer) (map[string]llm.Client, error) {
	clients := map[string]llm.Client{}
	faults := map[string]error{}
	need := func(lane string) string {
		if lane == offlineLane {
			return ""
		}
		if _, tried := clients[lane]; !tried && faults[lane] == nil {
			clients[lane], faults[lane] = p.client(ctx, lane)
			if faults[lane] != nil && !strict {
				fmt.Fprintf(w, "skipped: everything of provider %s: %v\n", lane, faults[lane])
			}
		}
		if faults[lane] != nil {
			return faults[lane].Error()
		}
		return ""
	}
	for i := range p.answers {
		if s := p.answers[i].system; s != nil {
			p.answers[i].Note = need(s.lane)
		}
	}
	for i := range p.verdicts {
		p.verdicts[i].Note = need(p.verdicts[i].judge.lane)
	}
	for _, lane := range slices.Sorted(maps.Keys(faults)) {
		if faults[lane] != nil && strict {
			return nil, fmt.Errorf("provider %s cannot be used: %w", lane, faults[lane])
		}
	}
	return clients, nil
}

func (p *plan) client(ctx context.Context, lane string) (llm.Client, error) {
	client, err := p.newClient(lane)
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

// unreachable tells a server that is not there, or does not know our key, from
// one that has no list of models, or none for a key with few rights (403).
func unreachable(err error) bool {
	var e *llm.Error
	return errors.As(err, &e) && (e.HTTPStatus == 0 || e.HTTPStatus == 401)
}
