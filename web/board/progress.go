package board

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"html/template"
	"log"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"compqa/data"
	"compqa/results/dataset"
	"compqa/results/store"
	"compqa/results/table"
)

const (
	pollEvery  = time.Second      // how often records are looked at for changes
	window     = 30 * time.Second // over which rates are measured
	checkEvery = 5                // polls between two checks for counted rows that were deleted or replaced
)

// A Counter counts the results of records, and notifies those that watch.
type Counter struct {
	Waits func() []string // what the providers of a run in this process wait for; nil: unknown
	// Left is how long that run still takes, and each of its parties by name; nil: unknown.
	Left func() (whole time.Duration, parties map[string]time.Duration)

	log     *log.Logger
	records []*store.Tally
	polls   int

	mu      sync.Mutex
	number  int // of changes of the data
	state   Progress
	changed chan struct{} // closed when state changes
	past    []sample
	doneAt  map[int]int // what was done at each change; of several records, some of it twice
}

type sample struct {
	when    time.Time
	done    int
	parties []PartyProgress
}

// A Progress is how far a run is. It has no points: they are for the end of a run.
type Progress struct {
	Parties                []PartyProgress
	Done, Planned, Invalid int           // answers and verdicts
	Left                   time.Duration // that the run still takes; 0: unknown
	Waiting                []string      // parties that have not moved: what they take is not in Left
	Rate                   float64       // results a second, over half a minute
	Cost                   float64       // US dollars, of all calls, also of pairs and summaries
	Attempts, Repeated     int           // calls, with those that were made again
	Unpriced               int           // of Attempts: without a known price
	Calls                  Calls
	Changed                time.Time // when something was recorded last, as far as this process saw it
	Ended                  string    // when the latest run ended, as recorded; "": it has not
	Waits                  []string
	Reasons                []Reason // most frequent first
}

// A PartyProgress is how far one system's answers, or one judge's verdicts, are.
type PartyProgress struct {
	Kind, Name             string
	Planned, Done, Invalid int
	Model                  bool // a model is asked
	store.Attempts
	Left time.Duration // 0: unknown, or nothing is left
}

// Bar draws what is done, what is not valid, and what is pending. The row has the numbers.
func (y PartyProgress) Bar() template.HTML { return bar(y.Done, y.Invalid, y.Planned) }

// Bar returns the bar of the whole run.
func (p Progress) Bar() template.HTML { return bar(p.Done, p.Invalid, p.Planned) }

func bar(done, invalid, planned int) template.HTML {
	if planned == 0 {
		return ""
	}
	valid := 100 * float64(done-invalid) / float64(planned)
	failed := 100 * float64(invalid) / float64(planned)
	return template.HTML(fmt.Sprintf(`<svg class="progress" aria-hidden="true"><rect class="pending" width="100%%" height="14" rx="3"></rect>`+
		`<rect class="done" width="%.1f%%" height="14" rx="3"></rect><rect class="failed" x="%.1f%%" width="%.1f%%" height="14"></rect></svg>`,
		valid, valid, failed))
}

// A Reason is a status other than valid, and how often a party has it.
type Reason struct {
	Kind, Name string
	Status     data.Status
	Count      int
}

// Text returns the status in words.
func (r Reason) Text() string { return strings.ReplaceAll(string(r.Status), "_", " ") }

func newCounter(stores []*store.Store, log *log.Logger) (*Counter, error) {
	l := &Counter{log: log, changed: make(chan struct{}), doneAt: map[int]int{}}
	for _, s := range stores {
		tally, err := s.Tally()
		if err != nil {
			return nil, err
		}
		l.records = append(l.records, tally)
	}
	l.poll(context.Background())
	return l, nil
}

// poll reports whether a record changed since the last call.
func (l *Counter) poll(ctx context.Context) (fresh bool) {
	for _, c := range l.records {
		fresh = c.Changed(ctx) || fresh
	}
	return fresh
}

func (l *Counter) Close() {
	for _, c := range l.records {
		c.Close()
	}
}

// Watch counts whenever a record has changed, until ctx ends.
func (l *Counter) Watch(ctx context.Context) {
	tick := time.NewTicker(pollEvery)
	defer tick.Stop()
	for {
		if err := l.update(l.poll(ctx)); err != nil && ctx.Err() == nil {
			l.log.Printf("counting: %v", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// update counts again if the data changed, and publishes the state if it differs.
func (l *Counter) update(fresh bool) error {
	next := Progress{Changed: l.state.Changed} // nobody else changes the state
	l.polls++
	for _, c := range l.records {
		if fresh || !c.Counted() {
			if err := c.Count(); err != nil {
				return err
			}
		}
		if l.polls%checkEvery == 0 {
			if err := c.Check(); err != nil {
				return err
			}
		}
		if err := next.add(c); err != nil {
			return err
		}
	}
	if l.Waits != nil {
		next.Waits = l.Waits()
	}
	slices.SortStableFunc(next.Reasons, func(a, b Reason) int { return cmp.Compare(b.Count, a.Count) })
	now := time.Now()
	l.mu.Lock()
	defer l.mu.Unlock()
	if fresh {
		next.Changed = now
		l.number++
	}
	l.past = append(slices.DeleteFunc(l.past, func(s sample) bool { return now.Sub(s.when) > window }), sample{now, next.Done, next.Parties})
	if first := l.past[0]; next.Done > first.done {
		next.Rate = float64(next.Done-first.done) / now.Sub(first.when).Seconds()
	}
	next.estimate(l.past[0], now)
	if l.Left != nil {
		if left, parties := l.Left(); left > 0 { // the run knows which parties share a provider
			next.Left = left
			next.Waiting = nil
			for i, party := range next.Parties {
				next.Parties[i].Left = parties[party.Name]
			}
		}
	}
	if _, known := l.doneAt[l.number]; !known {
		l.doneAt[l.number] = next.Done
	}
	if fresh || fmt.Sprint(next) != fmt.Sprint(l.state) {
		l.state = next
		close(l.changed)
		l.changed = make(chan struct{})
	}
	return nil
}

// estimate says how long the run still takes, from what each party has done since a sample.
func (p *Progress) estimate(since sample, now time.Time) {
	var shares []store.Share
	elapsed := now.Sub(since.when)
	for i, party := range p.Parties {
		before := table.First(since.parties, func(y PartyProgress) bool { return y.Kind == party.Kind && y.Name == party.Name }).Done
		switch share := (store.Share{Queue: party.Kind + " " + party.Name, Planned: party.Planned, Before: before, New: party.Done - before}); {
		case party.Done >= party.Planned:
		case share.New <= 0:
			p.Waiting = append(p.Waiting, party.Name)
		default:
			shares = append(shares, share)
			p.Parties[i].Left = share.Left(elapsed)
		}
	}
	p.Left = store.TimeLeft(shares, elapsed).Round(time.Second)
}

// add adds the parties of a record.
func (p *Progress) add(counted *store.Tally) error {
	record, err := counted.Progress()
	if err != nil {
		return err
	}
	for _, planned := range record.Parties {
		party := PartyProgress{Kind: planned.Kind, Name: planned.Name, Planned: planned.Planned, Model: planned.Made == dataset.ModelKind,
			Attempts: record.Calls[store.Party{Kind: planned.Kind, Name: planned.Name}]}
		for row, n := range record.Rows {
			if row.Kind != party.Kind || row.Name != party.Name {
				continue
			}
			party.Done += n
			if row.Status != data.Valid {
				party.Invalid += n
				p.Reasons = append(p.Reasons, Reason{row.Kind, row.Name, row.Status, n})
			}
		}
		p.Parties = append(p.Parties, party)
		p.Done += party.Done
		p.Planned += party.Planned
		p.Invalid += party.Invalid
	}
	slices.SortFunc(p.Reasons, func(a, b Reason) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Name, b.Name), cmp.Compare(a.Status, b.Status))
	})
	for _, sum := range record.Calls {
		p.Attempts += sum.Number
		p.Repeated += sum.Repeated
		p.Cost += sum.Cost
		p.Unpriced += sum.Unpriced
	}
	if calls := callsOf(record.Times); calls.To.After(p.Calls.To) {
		p.Calls = calls // of the record that is being written
	}
	p.Ended = max(p.Ended, record.Ended)
	return nil
}

// Version returns the number of changes so far.
func (l *Counter) Version() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.number
}

// Since returns how much was recorded since a version.
func (l *Counter) Since(version int) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	if before, known := l.doneAt[version]; known {
		return l.state.Done - before
	}
	return 0
}

// Now returns the state, and a channel that is closed when it changes.
func (l *Counter) Now() (Progress, <-chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.state, l.changed
}

// WaitChange waits until the data differ from a version; false: ctx ended before.
func (l *Counter) WaitChange(ctx context.Context, version int) bool {
	for {
		_, changed := l.Now()
		if l.Version() != version {
			return true
		}
		select {
		case <-ctx.Done():
			return false
		case <-changed:
		}
	}
}

// Events sends the state of the run whenever it changes, as server-sent events. Each is
// complete, so that a browser that was away has missed nothing. figures is the number of the snapshot.
func (l *Counter) Events(w http.ResponseWriter, r *http.Request, figures func() int) {
	control := http.NewResponseController(w)
	control.SetReadDeadline(time.Time{}) // the server's would end the stream
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-store")
	for {
		now, changed := l.Now()
		values, status := now.Texts()
		text, _ := json.Marshal(map[string]any{"values": values, "status": status, "figures": figures(),
			"calls": now.Calls.Heights()}) // texts and numbers
		control.SetWriteDeadline(time.Now().Add(30 * time.Second))
		if _, err := fmt.Fprintf(w, "data: %s\n\n", text); err != nil || control.Flush() != nil {
			return
		}
		select {
		case <-r.Context().Done():
			return
		case <-changed:
		case <-time.After(15 * time.Second): // so that a closed connection is noticed
		}
	}
}
