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

// LinesEvery is the time between two lines of progress without a terminal. Tests, which compare what is printed, set it.
var LinesEvery = 5 * time.Second

// redrawEvery is the time between two updates of the lines on a terminal.
const redrawEvery = 200 * time.Millisecond

// estimatedFrom is the time after which a time left is shown. Before, the first calls, and judges that wait for answers, make it wrong.
const estimatedFrom = time.Minute

// estimating is shown in place of a time left until then.
const estimating = "estimating"

// partyWidth is the most columns that the name of a party takes.
const partyWidth = 24

// A progress shows how far a run is. On a terminal it has a line for each party, for each provider that is not idle, and for
// the whole run; elsewhere it prints the providers and the whole run in one line every few seconds.
type progress struct {
	mu      sync.Mutex
	parties []*Party // in order of appearance
	byName  map[string]*Party
	started time.Time
	out     io.Writer
	screen  *cli.Screen // a terminal; nil: none
	unit    string      // what is counted
	clients map[string]client.Client
	budgets Budgets
	batches map[string]map[string]string // states of batches by provider and label
}

// A Party is one system's answers, one judge's verdicts, or the like.
type Party struct {
	Name     string
	Provider string // whose queue its items wait in
	Planned  int
	old      int // on record before
	new      int
	invalid  int       // of the new ones
	began    time.Time // when the first new result came
	latest   time.Time // … and the latest one
}

// showProgress begins to show how far some parties are, what providers are doing, and the
// costs; unit says what is counted. A party can be in the list several times.
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
		if p.screen != nil { // the last state
			p.screen.Draw(nil)
		}
		e.progress = nil
		e.shown.Store(nil)
	}
}

// party returns the party with a name; one that was not announced comes last.
func (p *progress) party(name string) *Party {
	if p.byName[name] == nil {
		p.byName[name] = &Party{Name: name}
		p.parties = append(p.parties, p.byName[name])
	}
	return p.byName[name]
}

// Waits describe what providers wait for, and their batches, while progress is shown.
func (e *Engine) Waits() []string {
	p := e.shown.Load()
	if p == nil {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.states()
}

// Left returns how long the run still takes, and each of its parties by name, while progress is shown; 0: nothing is known.
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

// Every calls a function again and again, until end is called.
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

// print shows the state.
func (p *progress) print() {
	states := p.states()
	if p.screen == nil {
		fmt.Fprintln(p.out, strings.Join(append([]string{p.totals()}, states...), "; "))
		return
	}
	p.screen.Draw(append(append(p.partyLines(), states...), p.totals()))
}

// partyLines returns a line for each party: what is done, the rate, the time left. A party that is done keeps its rate.
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

// states describes each provider that is not idle, with its batches.
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

// totals returns how far the run is: items, rate, what is not valid, what is spent, time left.
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

// rate returns a number of items for each second, "" before the first.
func rate(n int, elapsed float64) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("%.1f/s", float64(n)/elapsed)
}

// timeLeft returns how long the run still takes; see store.TimeLeft.
func (p *progress) timeLeft(elapsed float64) time.Duration {
	return store.TimeLeft(data.Each(p.parties, p.share), time.Duration(elapsed*float64(time.Second)))
}

// share returns the party's part of the run.
func (p *progress) share(y *Party) store.Share {
	s := store.Share{Queue: y.Provider, Planned: y.Planned, Before: y.old, New: y.new}
	if y.new > 0 && len(p.batches[y.Provider]) == 0 { // results of a batch come all at once
		s.Moving = time.Since(y.began)
	}
	return s
}

// update changes what is shown; on nil it does nothing.
func (p *progress) update(change func()) {
	if p != nil {
		p.mu.Lock()
		defer p.mu.Unlock()
		change()
	}
}

// recorded counts an item that was on record before.
func (p *progress) recorded(name string) { p.update(func() { p.party(name).old++ }) }

// finished counts a result of this run.
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

// batch shows the state of a batch; "" removes it.
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
