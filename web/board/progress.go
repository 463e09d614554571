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
	pollEvery  = time.Second      // time between two checks of the records for changes
	window     = 30 * time.Second // time over which rates are measured
	checkEvery = 5                // polls between two checks for deleted or replaced rows
)

// A Counter counts the results of records, and notifies its watchers of changes.
type Counter struct {
	Waits func() []string // returns what the providers wait for, if this process does the run; nil: unknown
	// Left returns how much time the run in this process still needs, as a whole and by party name; nil: unknown.
	Left func() (whole time.Duration, parties map[string]time.Duration)

	log     *log.Logger
	records []*store.Tally
	polls   int

	mu      sync.Mutex
	number  int // number of changes of the data so far
	state   Progress
	changed chan struct{} // closed when state changes
	past    []sample
	doneAt  map[int]int // number of results done, by number of changes
}

// A sample is the progress at some time, from which rates are computed.
type sample struct {
	when    time.Time
	done    int
	parties []PartyProgress
}

// A Progress says how far a run is. It has no points, which are only meaningful at the end.
type Progress struct {
	Parties                []PartyProgress
	Done, Planned, Invalid int           // numbers of answers and verdicts
	Left                   time.Duration // time that the run still needs; 0: unknown
	Waiting                []string      // parties without new results, whose time is not in Left
	Rate                   float64       // results per second, over the last half minute
	Cost                   float64       // US dollars, for all calls, including pairs and summaries
	Attempts, Repeated     int           // numbers of attempts at calls, and of repeated attempts
	Unpriced               int           // attempts without a known price
	Calls                  Calls
	Changed                time.Time // time of the last change that this process saw
	Ended                  string    // when the latest run ended; "" if it has not ended
	Waits                  []string
	Reasons                []Reason // the most frequent first
}

// A PartyProgress says how far one system's answers, or one judge's verdicts, are.
type PartyProgress struct {
	Kind, Name             string
	Planned, Done, Invalid int
	Model                  bool // the party asks a model
	store.Attempts
	Left time.Duration // 0: unknown, or nothing is left
}

// Bar draws the shares of valid, invalid and pending results. The row next to it has the numbers.
func (y PartyProgress) Bar() template.HTML { return bar(y.Done, y.Invalid, y.Planned) }

// Bar draws the bar of the whole run.
func (p Progress) Bar() template.HTML { return bar(p.Done, p.Invalid, p.Planned) }

// bar draws the shares of valid and invalid results among the planned ones.
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

// A Reason counts the results of a party that have a status other than valid.
type Reason struct {
	Kind, Name string
	Status     data.Status
	Count      int
}

// Text returns the status in words.
func (r Reason) Text() string { return strings.ReplaceAll(string(r.Status), "_", " ") }

// newCounter returns a Counter of records, which has counted nothing yet.
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

// poll reports whether any record has changed since the last call.
func (l *Counter) poll(ctx context.Context) (fresh bool) {
	for _, c := range l.records {
		fresh = c.Changed(ctx) || fresh
	}
	return fresh
}

// Close ends the counting; the records stay open.
func (l *Counter) Close() {
	for _, c := range l.records {
		c.Close()
	}
}

// Watch counts again whenever a record has changed, until ctx ends.
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

// update computes the progress, counting again if fresh says that the data changed. It updates the rate and the estimated time, and
// notifies watchers if the progress differs.
func (l *Counter) update(fresh bool) error {
	next := Progress{Changed: l.state.Changed} // only update changes the state, so it can be read without the lock
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
		if left, parties := l.Left(); left > 0 { // a better estimate, because the run knows which parties share a provider
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

// estimate estimates how much time the run still needs, from what each party has done since a sample.
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

// add adds the parties and counts of a record.
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
		p.Calls = calls // those of the record that is being written
	}
	p.Ended = max(p.Ended, record.Ended)
	return nil
}

// Version returns the number of changes of the data so far.
func (l *Counter) Version() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.number
}

// Since returns the number of results recorded since a version.
func (l *Counter) Since(version int) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	if before, known := l.doneAt[version]; known {
		return l.state.Done - before
	}
	return 0
}

// Now returns the progress, and a channel that is closed when it changes.
func (l *Counter) Now() (Progress, <-chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.state, l.changed
}

// WaitChange waits until the data has another version. It returns false if ctx ended first.
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

// Events sends the progress of the run, whenever it changes, as server-sent events. Each event is complete, so a browser that lost the
// connection misses nothing. figures returns the number of the present snapshot.
func (l *Counter) Events(w http.ResponseWriter, r *http.Request, figures func() int) {
	control := http.NewResponseController(w)
	control.SetReadDeadline(time.Time{}) // the server's deadline would end the stream
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-store")
	for {
		now, changed := l.Now()
		values, status := now.Texts()
		text, _ := json.Marshal(map[string]any{"values": values, "status": status, "figures": figures(),
			"calls": now.Calls.Heights()}) // no error, because the values are texts and numbers
		control.SetWriteDeadline(time.Now().Add(30 * time.Second))
		if _, err := fmt.Fprintf(w, "data: %s\n\n", text); err != nil || control.Flush() != nil {
			return
		}
		select {
		case <-r.Context().Done():
			return
		case <-changed:
		case <-time.After(15 * time.Second): // write now and then, to notice a closed connection
		}
	}
}
