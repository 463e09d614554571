package run

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"compqa/bench/cli"

	"github.com/mattn/go-runewidth"

	"compqa/data"
	"compqa/llm/client"
	"compqa/results/store"
	"compqa/results/table"
)

// LinesEvery is the time between two lines of progress without a terminal. Tests that compare printed text change it.
var LinesEvery = 5 * time.Second

// redrawEvery is the time between two updates of the lines on a terminal.
const redrawEvery = 200 * time.Millisecond

// estimatedFrom is the running time after which progress shows the time left. Earlier, the first calls and waiting judges would make it
// wrong.
const estimatedFrom = time.Minute

// estimating is the text that progress shows before estimatedFrom.
const estimating = "estimating"

// partyWidth is the most columns that the name of a party takes.
const partyWidth = 24

// A progress shows how far a run is. On a terminal it has a line for each party, for each provider that is not idle, and for the whole run.
// Without a terminal, it prints one line with the providers and the whole run every few seconds.
type progress struct {
	mu      sync.Mutex
	parties []*Party // in order of appearance
	byName  map[string]*Party
	started time.Time
	out     io.Writer
	screen  *cli.Screen // nil: no terminal
	unit    string      // the word for what is counted
	clients map[string]client.Client
	budgets Budgets
	batches map[string]map[string]string // states of batches, by provider and label
}

// A Party counts the results of one system, judge or other participant.
type Party struct {
	Name     string
	Provider string // the provider whose queue its items wait in
	Planned  int
	old      int       // results that were on record before
	new      int       // results of this stage
	invalid  int       // results among the new ones that are not valid
	began    time.Time // when the first new result came
	latest   time.Time // when the latest new result came
}

// showProgress shows progress until end is called: how far the parties are, what providers do, and the costs. unit is the word for what is
// counted. Entries of parties with the same name are added up.
func (e *Engine) showProgress(out io.Writer, unit string, parties []Party) (end func()) {
	p := &progress{byName: map[string]*Party{}, started: time.Now(), out: out, unit: unit,
		clients: e.Clients, budgets: e.Budgets, batches: map[string]map[string]string{}}
	for _, y := range parties {
		if known := p.byName[y.Name]; known != nil {
			known.Planned += y.Planned
			continue
		}
		p.parties = append(p.parties, &y)
		p.byName[y.Name] = &y
	}
	every := LinesEvery
	if s, ok := out.(*cli.Screen); ok && s.Terminal() != nil {
		p.screen = s
		every = redrawEvery
	}
	stop := Every(every, func() { p.update(p.print) })
	e.progress = p
	e.shown.Store(p)
	return func() {
		stop()
		p.mu.Lock()
		defer p.mu.Unlock()
		p.print()
		if p.screen != nil { // the last state stays on the terminal
			p.screen.Draw(nil)
		}
		e.progress = nil
		e.shown.Store(nil)
	}
}

// party returns the party with a name. A party that was not announced is added at the end.
func (p *progress) party(name string) *Party {
	if p.byName[name] == nil {
		p.byName[name] = &Party{Name: name}
		p.parties = append(p.parties, p.byName[name])
	}
	return p.byName[name]
}

// Waits returns a line for each provider that is not idle, about its waits and batches. It returns nil if no progress is shown.
func (e *Engine) Waits() []string {
	p := e.shown.Load()
	if p == nil {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.states()
}

// Left returns the estimated time until the run ends, and until each party is done, by name. It returns zeros if no progress is shown or
// nothing is known.
func (e *Engine) Left() (whole time.Duration, parties map[string]time.Duration) {
	p := e.shown.Load()
	if p == nil {
		return 0, nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	elapsed := time.Since(p.started)
	parties = map[string]time.Duration{}
	for _, y := range p.parties {
		parties[y.Name] = p.share(y).Left(elapsed)
	}
	return p.timeLeft(elapsed.Seconds()).Round(time.Second), parties
}

// Every calls a function at regular intervals until end is called. end waits for a call in progress.
func Every(pause time.Duration, do func()) (end func()) {
	ticker := time.NewTicker(pause)
	stop := make(chan struct{})
	var calling sync.WaitGroup
	calling.Go(func() {
		defer ticker.Stop()
		for {
			select {
			case <-ticker.C:
				do()
			case <-stop:
				return
			}
		}
	})
	return func() { close(stop); calling.Wait() }
}

// print shows the current state.
func (p *progress) print() {
	states := p.states()
	if p.screen == nil {
		fmt.Fprintln(p.out, strings.Join(append([]string{p.totals()}, states...), "; "))
		return
	}
	p.screen.Draw(append(append(p.partyLines(), states...), p.totals()))
}

// partyLines returns a line for each party: results done and planned, the rate, and the time left. A party that is done shows the rate up
// to its last result.
func (p *progress) partyLines() []string {
	names := table.ShortNames(data.Each(p.parties, func(y *Party) string { return y.Name }), partyWidth)
	width := 0
	digits := 0
	for i, y := range p.parties {
		width = max(width, runewidth.StringWidth(names[i]))
		digits = max(digits, len(fmt.Sprint(y.Planned)))
	}
	var lines []string
	for i, y := range p.parties {
		done, elapsed, left := y.old+y.new, time.Since(p.started), "done"
		switch {
		case done >= y.Planned:
			elapsed = y.latest.Sub(p.started)
		case elapsed < estimatedFrom:
			left = estimating
		default:
			left = table.Rough(p.share(y).Left(elapsed))
		}
		line := fmt.Sprintf("%s  %*d/%-*d %9s  %s", runewidth.FillRight(names[i], width), digits, done, digits, y.Planned,
			cmp.Or(rate(y.new, elapsed.Seconds()), "-"), left)
		if y.invalid > 0 {
			line += fmt.Sprintf("  %d not valid", y.invalid)
		}
		lines = append(lines, line)
	}
	return lines
}

// states returns a line for each provider that is not idle, with its client's state and its batches.
func (p *progress) states() (lines []string) {
	for _, name := range slices.Sorted(maps.Keys(p.clients)) {
		states := slices.Sorted(maps.Values(p.batches[name]))
		if state := p.clients[name].State().String(); state != "" {
			states = slices.Insert(states, 0, state)
		}
		if states != nil {
			lines = append(lines, name+": "+strings.Join(states, "; "))
		}
	}
	return lines
}

// totals describes the whole run: items done, the rate, items that are not valid, money spent, and the time left.
func (p *progress) totals() string {
	planned := 0
	done := 0
	invalid := 0
	var asked, offline int // new ones
	for _, y := range p.parties {
		planned += y.Planned
		done += y.old + y.new
		invalid += y.invalid
		if y.Provider == Offline {
			offline += y.new
		} else {
			asked += y.new
		}
	}
	elapsed := time.Since(p.started).Seconds()
	text := fmt.Sprintf("%d of %d %s", done, planned, p.unit)
	switch {
	case asked > 0 && offline > 0:
		text += fmt.Sprintf(", %s asked and %s without a model", rate(asked, elapsed), rate(offline, elapsed))
	case asked+offline > 0:
		text += ", " + rate(asked+offline, elapsed)
	}
	if invalid > 0 {
		text += fmt.Sprintf(", %d not valid", invalid)
	}
	if spent := p.budgets.sums(); spent != "" {
		text += ", " + spent
	}
	if left := p.timeLeft(elapsed); left > 0 && elapsed >= estimatedFrom.Seconds() {
		text += fmt.Sprintf(", %s left", left.Round(time.Second))
	} else if done < planned && elapsed < estimatedFrom.Seconds() {
		text += ", " + estimating
	}
	return text
}

// rate formats n items in elapsed seconds as items per second. It returns "" for no items.
func rate(n int, elapsed float64) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("%.1f/s", float64(n)/elapsed)
}

// timeLeft returns the estimated time until the run ends; see store.TimeLeft.
func (p *progress) timeLeft(elapsed float64) time.Duration {
	return store.TimeLeft(data.Each(p.parties, p.share), time.Duration(elapsed*float64(time.Second)))
}

// share returns a party's part of the work, for store.TimeLeft.
func (p *progress) share(y *Party) store.Share {
	s := store.Share{Queue: y.Provider, Planned: y.Planned, Before: y.old, New: y.new}
	if y.new > 0 && len(p.batches[y.Provider]) == 0 { // results of a batch come all at once, so they have no rate
		s.Moving = time.Since(y.began)
	}
	return s
}

// update runs change under the lock. On a nil progress it does nothing.
func (p *progress) update(change func()) {
	if p != nil {
		p.mu.Lock()
		defer p.mu.Unlock()
		change()
	}
}

// recorded counts an item of a party that was on record before.
func (p *progress) recorded(name string) { p.update(func() { p.party(name).old++ }) }

// finished counts a new result of a party.
func (p *progress) finished(name string, status data.Status) {
	p.update(func() {
		party := p.party(name)
		party.new++
		party.latest = time.Now()
		if party.new == 1 {
			party.began = party.latest
		}
		if status.Retryable() {
			party.invalid++
		}
	})
}

// batch sets the text that describes a batch; "" removes it.
func (p *progress) batch(provider, label, text string) {
	p.update(func() {
		if p.batches[provider] == nil {
			p.batches[provider] = map[string]string{}
		}
		p.batches[provider][label] = text
		if text == "" {
			delete(p.batches[provider], label)
		}
	})
}

// say prints a notice about a provider.
func (p *progress) say(provider, text string) {
	p.update(func() { fmt.Fprintf(p.out, "provider %s %s\n", provider, text) })
}
