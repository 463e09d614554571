package run

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/mattn/go-isatty"
	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"

	"compqa/data"
)

// LinesEvery is how often a line of progress is printed where there is no terminal.
const LinesEvery = 5 * time.Second

// A progress shows how far a run is: a bar for each party on a terminal, a line of text
// every few seconds elsewhere.
type progress struct {
	mu      sync.Mutex
	parties []*Party // in order of appearance
	byName  map[string]*Party
	started time.Time
	bars    *mpb.Progress
	ticker  *time.Ticker
	out     io.Writer
	stop    chan struct{}
	stopped sync.WaitGroup
	unit    string // what is counted
	watch   *watch // nil: no providers are shown
}

// A Party is one system's answers, one judge's verdicts, or the like.
type Party struct {
	Name     string
	Provider string // whose queue its items wait in
	Planned  int
	old      int // on record before
	new      int
	invalid  int // of the new ones
	bar      *mpb.Bar
}

// NewProgress begins to show how far some parties are; unit says what is counted. A
// party can be in the list several times. All methods that count do nothing on nil.
func NewProgress(out io.Writer, unit string, parties []Party) *progress {
	pr := &progress{byName: map[string]*Party{}, started: time.Now(), out: out, stop: make(chan struct{}), unit: unit}
	for _, y := range parties {
		if known := pr.byName[y.Name]; known != nil {
			known.Planned += y.Planned
			continue
		}
		pr.parties = append(pr.parties, &y)
		pr.byName[y.Name] = &y
	}
	if f, ok := out.(*os.File); ok && isatty.IsTerminal(f.Fd()) {
		pr.draw(f)
	} else {
		pr.print()
	}
	return pr
}

func (p *progress) draw(f *os.File) {
	p.bars = mpb.New(mpb.WithOutput(f), mpb.WithWidth(40))
	for _, y := range p.parties {
		y.bar = p.bars.AddBar(int64(y.Planned),
			mpb.PrependDecorators(decor.Name(y.Name, decor.WCSyncSpaceR), decor.CountersNoUnit("%d/%d", decor.WCSyncSpace)),
			mpb.AppendDecorators(decor.AverageSpeed(0, "%.0f/s", decor.WCSyncSpace),
				decor.OnComplete(decor.AverageETA(decor.ET_STYLE_GO, decor.WCSyncSpace), "done"),
				decor.Any(func(decor.Statistics) string { return p.invalid(y) })))
	}
}

// invalid says how many of a party's new results are not valid.
func (p *progress) invalid(y *Party) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if y.invalid == 0 {
		return ""
	}
	return fmt.Sprintf(" %d not valid", y.invalid)
}

func (p *progress) print() {
	p.ticker = time.NewTicker(LinesEvery)
	p.stopped.Go(func() {
		for {
			select {
			case <-p.ticker.C:
				fmt.Fprintln(p.out, p.line())
			case <-p.stop:
				return
			}
		}
	})
}

// line is the state of the whole run, with what providers are doing.
func (p *progress) line() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if doing := p.watch.doing(); doing != "" {
		return p.totals() + "; " + doing
	}
	return p.totals()
}

// totals is how far the run is: items, rate, what is not valid, what is spent,
// time left.
func (p *progress) totals() string {
	planned, done, fresh, invalid := 0, 0, 0, 0
	for _, y := range p.parties {
		planned, done, fresh, invalid = planned+y.Planned, done+y.old+y.new, fresh+y.new, invalid+y.invalid
	}
	elapsed := time.Since(p.started).Seconds()
	text := fmt.Sprintf("%d of %d %s, %.1f/s", done, planned, p.unit, float64(fresh)/elapsed)
	if invalid > 0 {
		text += fmt.Sprintf(", %d not valid", invalid)
	}
	if spent := p.watch.spent(); spent != "" {
		text += ", " + spent
	}
	if left := p.timeLeft(elapsed); left > 0 {
		text += fmt.Sprintf(", %s left", left.Round(time.Second))
	}
	return text
}

// timeLeft is how long the slowest queue still takes at its rate so far; 0 where nothing
// is left, or a queue has not finished anything yet.
func (p *progress) timeLeft(elapsed float64) (longest time.Duration) {
	left, fresh := map[string]int{}, map[string]int{}
	for _, y := range p.parties {
		left[y.Provider] += y.Planned - y.old - y.new
		fresh[y.Provider] += y.new
	}
	for provider, n := range left {
		switch {
		case n > 0 && fresh[provider] == 0:
			return 0
		case n > 0:
			longest = max(longest, time.Duration(float64(n)/float64(fresh[provider])*elapsed*float64(time.Second)))
		}
	}
	return longest
}

// recorded counts items that were on record before.
func (p *progress) recorded(name string, n int) {
	if p == nil {
		return
	}
	p.mu.Lock()
	y := p.byName[name]
	y.old += n
	p.mu.Unlock()
	if y.bar != nil {
		y.bar.IncrBy(n)
	}
}

// finished counts a result of this run.
func (p *progress) finished(name string, status data.Status) {
	if p == nil {
		return
	}
	p.mu.Lock()
	y := p.byName[name]
	y.new++
	if status != data.Valid && status != data.Skipped {
		y.invalid++
	}
	p.mu.Unlock()
	if y.bar != nil {
		y.bar.Increment()
	}
}

// Close removes the bars and returns the last line.
func (p *progress) Close() string {
	if p.bars != nil {
		for _, y := range p.parties {
			y.bar.Abort(false) // does nothing to a bar that is complete
		}
		p.watch.close()
		p.bars.Wait()
	} else {
		p.ticker.Stop()
		close(p.stop)
		p.stopped.Wait()
	}
	return p.line()
}

// Rough is a duration, rounded for people.
func Rough(d time.Duration) string {
	switch {
	case d == 0:
		return "-"
	case d < time.Minute:
		return fmt.Sprintf("%d s", max(1, int(d.Seconds()+0.5)))
	case d < 2*time.Hour:
		return fmt.Sprintf("%d min", int(d.Minutes()+0.5))
	}
	return fmt.Sprintf("%.0f h", d.Hours())
}
