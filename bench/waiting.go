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
	bars    []*mpb.Bar        // one a provider, on a terminal
	texts   map[string]string // of batches under way; guarded by progress.mu
}

// watch begins to show providers and money.
func (p *progress) watch(clients map[string]llm.Client, t *till) {
	w := &watch{clients: map[string]llm.Client{}, till: t, texts: map[string]string{}}
	for name, client := range clients {
		if client != nil {
			w.clients[name] = client
		}
	}
	if p.bars != nil && len(w.clients) > 0 {
		for _, name := range slices.Sorted(maps.Keys(w.clients)) {
			w.bars = append(w.bars, p.textBar(func() string { return w.provider(name) }))
		}
		w.bars = append(w.bars, p.textBar(func() string { return p.batches(w) }), p.textBar(w.spent))
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

// doing is what all providers do that have something to do, in words.
func (w *watch) doing() string {
	if w == nil {
		return ""
	}
	var states []string
	for _, name := range slices.Sorted(maps.Keys(w.clients)) {
		if state := w.provider(name); state != "" {
			states = append(states, state)
		}
	}
	return strings.Join(append(states, slices.Sorted(maps.Values(w.texts))...), "; ")
}

// batches is how the batches are getting on, in words.
func (p *progress) batches(w *watch) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return strings.Join(slices.Sorted(maps.Values(w.texts)), "; ")
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

// show sets one of the texts that stand beside the providers' states; "" takes it
// away.
func (p *progress) show(key, text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.seen == nil {
		return
	}
	if text == "" {
		delete(p.seen.texts, key)
	} else {
		p.seen.texts[key] = text
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
