package run

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/mattn/go-runewidth"
	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"

	"compqa/llm/client"
)

// A watch shows the state of each provider and the costs.
type watch struct {
	clients map[string]client.Client
	budgets *budgets
	bars    []*mpb.Bar                   // lines of text, on a terminal
	batches map[string]map[string]string // states of batches by provider and label; guarded by progress.mu
}

// Show adds the states of providers and the costs to the progress.
func (p *progress) Show(clients map[string]client.Client, b *budgets) {
	w := &watch{clients: clients, budgets: b, batches: map[string]map[string]string{}}
	p.mu.Lock()
	p.watch = w
	p.mu.Unlock()
	if p.bars == nil || len(w.clients) == 0 {
		return
	}
	for _, name := range slices.Sorted(maps.Keys(w.clients)) {
		w.bars = append(w.bars, p.textBar(func() string {
			p.mu.Lock()
			defer p.mu.Unlock()
			return w.provider(name)
		}))
	}
	w.bars = append(w.bars, p.textBar(func() string {
		p.mu.Lock()
		defer p.mu.Unlock()
		return p.totals()
	}))
}

// textBar is a line of text among the bars.
func (p *progress) textBar(text func() string) *mpb.Bar {
	return p.bars.New(1, mpb.NopStyle(), mpb.PrependDecorators(decor.Any(func(s decor.Statistics) string {
		return runewidth.Truncate(text(), max(20, s.AvailableWidth), "…")
	})))
}

// provider describes the state of one provider, "" when it is idle.
func (w *watch) provider(name string) string {
	states := slices.Sorted(maps.Values(w.batches[name]))
	if state := w.clients[name].State().String(); state != "" {
		states = slices.Insert(states, 0, state)
	}
	if states == nil {
		return ""
	}
	return name + ": " + strings.Join(states, "; ")
}

// doing describes the states of all providers that are not idle.
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
	return strings.Join(states, "; ")
}

// spent formats the costs so far, "" if there are none.
func (w *watch) spent() string {
	if w == nil || w.budgets == nil {
		return ""
	}
	return w.budgets.sums()
}

// close removes the lines from the screen.
func (w *watch) close() {
	if w != nil {
		for _, bar := range w.bars {
			bar.Abort(true)
		}
	}
}

// batch shows the state of a batch; "" removes it.
func (p *progress) batch(provider, label, text string) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.watch == nil:
	case text == "":
		delete(p.watch.batches[provider], label)
	default:
		if p.watch.batches[provider] == nil {
			p.watch.batches[provider] = map[string]string{}
		}
		p.watch.batches[provider][label] = text
	}
}

// say prints a notice about a provider.
func (p *progress) say(provider, text string) {
	if p == nil {
		return
	}
	line := fmt.Sprintf("provider %s %s\n", provider, text)
	if p.bars != nil {
		p.bars.Write([]byte(line)) // above the bars; an error means that they are gone, and the run with them
		return
	}
	fmt.Fprint(p.out, line)
}
