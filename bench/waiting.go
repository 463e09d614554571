package bench

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"

	"compqa/llm"
)

// A watch is what a run's screen shows beside its cells: what each provider is
// doing, what its calls wait for, and what is spent.
type watch struct {
	clients map[string]llm.Client
	till    *till
	bars    []*mpb.Bar // one a provider, on a terminal
}

// watch begins to show providers and money.
func (p *progress) watch(clients map[string]llm.Client, t *till) {
	w := &watch{clients: map[string]llm.Client{}, till: t}
	for name, client := range clients {
		if client != nil {
			w.clients[name] = client
		}
	}
	if p.bars != nil && len(w.clients) > 0 {
		for _, name := range slices.Sorted(maps.Keys(w.clients)) {
			w.bars = append(w.bars, p.textBar(func() string { return w.provider(name) }))
		}
		w.bars = append(w.bars, p.textBar(w.spent))
	}
	p.mu.Lock()
	p.seen = w
	p.mu.Unlock()
}

// textBar is a line among the bars.
func (p *progress) textBar(text func() string) *mpb.Bar {
	return p.bars.New(1, mpb.NopStyle(), mpb.PrependDecorators(decor.Any(func(decor.Statistics) string { return text() })))
}

// provider is one provider's state in words, "" when it has nothing to do.
func (w *watch) provider(name string) string {
	state := w.clients[name].State().String()
	if state == "" {
		return ""
	}
	return name + ": " + state
}

// providers are the states of all that have something to do, in words.
func (w *watch) providers() string {
	var states []string
	if w != nil {
		for _, name := range slices.Sorted(maps.Keys(w.clients)) {
			if state := w.provider(name); state != "" {
				states = append(states, state)
			}
		}
	}
	return strings.Join(states, "; ")
}

// spent is what is spent, in words, "" while nothing is.
func (w *watch) spent() string {
	if w == nil || w.till == nil {
		return ""
	}
	return w.till.sums()
}

// close takes the lines off the screen.
func (w *watch) close() {
	if w != nil {
		for _, bar := range w.bars {
			bar.Abort(true)
		}
	}
}

// say tells of a provider that went down, came back or was given up.
func (p *progress) say(provider, text string) {
	line := fmt.Sprintf("provider %s %s\n", provider, text)
	if p.bars != nil {
		p.bars.Write([]byte(line)) // above the bars; an error means that they are gone, and the run with them
		return
	}
	fmt.Fprint(p.out, line)
}
