package bench

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

// linesEvery is how often progress is told where there is no terminal.
const linesEvery = 5 * time.Second

// A progress tells how far a run is: a bar for each party on a terminal, a plain
// line every few seconds elsewhere.
type progress struct {
	mu      sync.Mutex
	parties []*party // in order of appearance
	byName  map[string]*party
	started time.Time
	bars    *mpb.Progress
	ticker  *time.Ticker
	out     io.Writer
	stop    chan struct{}
	stopped sync.WaitGroup
	seen    *watch // nil: no providers

}

// A party is one system's answers or one judge's verdicts.
type party struct {
	name    string
	lane    string // where its items are worked on
	planned int
	old     int // on record before
	new     int
	invalid int // of the new ones
	bar     *mpb.Bar
}

func newProgress(out io.Writer, p *plan, only string) *progress {
	pr := &progress{byName: map[string]*party{}, started: time.Now(), out: out, stop: make(chan struct{})}
	if only != onlyVerdicts {
		for _, c := range p.answers {
			if c.system != nil && c.Note == "" {
				pr.add(c.System, c.system.lane, c.Planned)
			}
		}
	}
	if only != onlyAnswers {
		for _, c := range p.verdicts {
			if c.Note == "" {
				pr.add(c.Judge, c.lane(), c.Planned)
			}
		}
	}
	if f, ok := out.(*os.File); ok && isatty.IsTerminal(f.Fd()) {
		pr.draw(f)
	} else {
		pr.tell()
	}
	return pr
}

// lane is where a cell is worked on: for pairwise judges, whose models may be at
// several providers, a lane of their own.
func (v *verdictCell) lane() string {
	if v.judge == nil {
		return v.Judge
	}
	return v.judge.lane
}

func (p *progress) add(name, lane string, planned int) {
	if p.byName[name] == nil {
		p.byName[name] = &party{name: name, lane: lane}
		p.parties = append(p.parties, p.byName[name])
	}
	p.byName[name].planned += planned
}

func (p *progress) draw(f *os.File) {
	p.bars = mpb.New(mpb.WithOutput(f), mpb.WithWidth(40))
	for _, y := range p.parties {
		y.bar = p.bars.AddBar(int64(y.planned),
			mpb.PrependDecorators(decor.Name(y.name, decor.WCSyncSpaceR), decor.CountersNoUnit("%d/%d", decor.WCSyncSpace)),
			mpb.AppendDecorators(decor.AverageSpeed(0, "%.0f/s", decor.WCSyncSpace),
				decor.OnComplete(decor.AverageETA(decor.ET_STYLE_GO, decor.WCSyncSpace), "done"),
				decor.Any(func(decor.Statistics) string { return p.trouble(y) })))
	}
}

// trouble says how many of a party's new results are not valid.
func (p *progress) trouble(y *party) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if y.invalid == 0 {
		return ""
	}
	return fmt.Sprintf(" %d not valid", y.invalid)
}

func (p *progress) tell() {
	p.ticker = time.NewTicker(linesEvery)
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
	if doing := p.seen.doing(); doing != "" {
		return p.totals() + "; " + doing
	}
	return p.totals()
}

// totals is how far the run is: cells, rate, what is not valid, what is spent,
// time left.
func (p *progress) totals() string {
	planned, done, fresh, invalid := 0, 0, 0, 0
	for _, y := range p.parties {
		planned, done, fresh, invalid = planned+y.planned, done+y.old+y.new, fresh+y.new, invalid+y.invalid
	}
	elapsed := time.Since(p.started).Seconds()
	text := fmt.Sprintf("%d of %d cells, %.1f/s", done, planned, float64(fresh)/elapsed)
	if invalid > 0 {
		text += fmt.Sprintf(", %d not valid", invalid)
	}
	if spent := p.seen.spent(); spent != "" {
		text += ", " + spent
	}
	if left := p.timeLeft(elapsed); left > 0 {
		text += fmt.Sprintf(", %s left", left.Round(time.Second))
	}
	return text
}

// timeLeft is what the slowest lane still takes at the rate of all its parties so
// far; 0 where nothing is left, or nothing can be said yet of one of them.
func (p *progress) timeLeft(elapsed float64) (longest time.Duration) {
	left, fresh := map[string]int{}, map[string]int{}
	for _, y := range p.parties {
		left[y.lane] += y.planned - y.old - y.new
		fresh[y.lane] += y.new
	}
	for lane, n := range left {
		switch {
		case n > 0 && fresh[lane] == 0:
			return 0
		case n > 0:
			longest = max(longest, time.Duration(float64(n)/float64(fresh[lane])*elapsed*float64(time.Second)))
		}
	}
	return longest
}

// recorded counts items that were on record before.
func (p *progress) recorded(name string, n int) {
	p.mu.Lock()
	y := p.byName[name]
	y.old += n
	p.mu.Unlock()
	if y.bar != nil {
		y.bar.IncrBy(n)
	}
}

// finished counts an item that this run has worked on.
func (p *progress) finished(name string, status data.Status) {
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

// close takes the bars down and returns the closing line.
func (p *progress) close() string {
	if p.bars != nil {
		for _, y := range p.parties {
			y.bar.Abort(false) // does nothing to a bar that is complete
		}
		p.seen.close()
		p.bars.Wait()
	} else {
		p.ticker.Stop()
		close(p.stop)
		p.stopped.Wait()
	}
	return p.line()
}
