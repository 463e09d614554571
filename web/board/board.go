// Package board serves the pages of results: the ranking, whether the judges can be trusted,
// and the answer behind each number. Static writes the same pages as files.
//
// Figures come from the same tables as the reports. Texts are read from the record when a page
// shows them. All pages work without script, and the state of a page is in its address.
package board

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"log"
	"math"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"compqa/data"
	"compqa/results/dataset"
	"compqa/results/report"
	"compqa/results/store"
	"compqa/results/table"
	"compqa/results/validation"
	"compqa/stats"
	"compqa/web/shell"
)

// A Board serves the pages of one or several records, which other processes may be writing.
type Board struct {
	Dirs  []string
	Log   *log.Logger // gets internal errors, which browsers never see
	Blind bool        // show numbers instead of people's names
	Live  *Counter    // counts results while they are recorded

	stores    []*store.Store
	current   atomic.Pointer[snapshot]
	fault     atomic.Pointer[string] // why the record cannot be loaded
	token     string                 // random part of the ETags of this process
	people    map[string]string      // shown names of people by name, if Blind
	replies   shell.Cache[reply]
	lists     shell.Cache[*listing]
	firstRead chan struct{} // closed after the first read of the records, which counting would slow down
	once      sync.Once
}

// Open opens the records in dirs. It returns an error if one does not exist yet.
func Open(dirs []string, l *log.Logger) (*Board, error) {
	b := &Board{Dirs: dirs, Log: l, token: rand.Text()[:8], firstRead: make(chan struct{})}
	for _, dir := range dirs {
		s, err := store.Open(dir)
		if err != nil {
			b.Close()
			return nil, err
		}
		b.stores = append(b.stores, s)
	}
	var err error
	b.Live, err = newCounter(b.stores, l)
	if err != nil {
		b.Close()
		return nil, err
	}
	return b, nil
}

// Close closes the records.
func (b *Board) Close() error {
	if b.Live != nil {
		b.Live.Close()
	}
	return errors.Join(data.Each(b.stores, (*store.Store).Close)...)
}

// A snapshot has the records as they were when they were loaded, and figures computed from them.
type snapshot struct {
	*dataset.Dataset
	scenarios []string
	report    *report.Report // nil while intervals and agreement are being computed
	number    int            // running number of the snapshot in this process
	version   int            // version of the data (Counter.Version)
	faults    []string       // errors for records that another program changed
	people    func() dataset.AnswerTotals
	pairs     func(record int, set string) (table.Document, error)
	askedOnce func() []askedPair
	texts     func() ([]store.TextOf, error) // texts of all answers in lower case; nil: too large to keep
	totals    []func() dataset.AnswerTotals  // totals by each judge
}

// Load reads the records and computes all tables. It publishes a first snapshot as soon as the rows are read, and the complete one after
// computing. It publishes a third one if the checksums of a record show changes by another program.
func (b *Board) Load() error {
	version := b.Live.Version()
	run, err := dataset.Load(b.Dirs...)
	if err != nil {
		return err
	}
	if b.Blind {
		if err := b.hideNames(run); err != nil {
			return err
		}
	}
	s := &snapshot{Dataset: dataset.New(run), number: 1, version: version}
	s.scenarios = s.Scenarios()
	if before := b.current.Load(); before != nil {
		s.number = before.number + 1
	}
	s.people = sync.OnceValue(func() dataset.AnswerTotals { return s.AnswerTotals(s.References()...) })
	s.askedOnce, s.texts = sync.OnceValue(s.askedPairs), sync.OnceValues(b.lowerTexts)
	for j := range s.Judges {
		s.totals = append(s.totals, sync.OnceValue(func() dataset.AnswerTotals { return s.AnswerTotals(j) }))
	}
	if before := b.current.Load(); before == nil || before.report == nil {
		b.current.Store(s)
	}
	b.once.Do(func() { close(b.firstRead) })
	whole := *s
	whole.number++
	whole.pairs = b.pairwiseDocuments(&whole)
	whole.report, err = report.Compute(s.Dataset)
	if err != nil {
		return err
	}
	b.current.Store(&whole)
	changed := whole
	for _, dir := range b.Dirs {
		if err := report.CheckSums(dir); err != nil {
			changed.faults = append(changed.faults, err.Error())
		}
	}
	if changed.faults != nil {
		changed.number++
		b.current.Store(&changed)
	}
	return nil
}

// hideNames replaces the names of people, in the run and among judges of pairs, by numbers.
func (b *Board) hideNames(run *dataset.Run) error {
	b.people = map[string]string{}
	number := func(name string) {
		if data.IsHuman(name) && name != data.Human && b.people[name] == "" {
			b.people[name] = fmt.Sprintf("%s:%d", data.Human, len(b.people)+1)
		}
	}
	for _, j := range run.Judges {
		number(j.Name)
	}
	for _, s := range b.stores {
		names, err := s.JudgesOfPairs()
		if err != nil {
			return err
		}
		for _, name := range names {
			number(name)
		}
	}
	run.Rename(b.people)
	return nil
}

// The wait between two loads of records that are being written is at least pause, and at least loadShare times the time that loading took.
const (
	pause     = 5 * time.Second
	loadShare = 10
)

// loadAny loads the records, or returns an error if nothing is recorded yet.
func (b *Board) loadAny() error {
	for _, s := range b.stores {
		some, err := s.HasPlan()
		if err != nil {
			return err
		}
		if some {
			return b.Load()
		}
	}
	return errors.New("nothing is recorded yet; this page shows the results of compqa run as they arrive")
}

// Watch loads the records, and again whenever they have changed, until ctx ends.
func (b *Board) Watch(ctx context.Context) {
	var watching sync.WaitGroup
	watching.Go(func() {
		select {
		case <-ctx.Done():
		case <-b.firstRead:
			b.Live.Watch(ctx)
		}
	})
	defer watching.Wait()
	for {
		version := b.Live.Version()
		started := time.Now()
		var fault *string
		if err := b.loadAny(); err != nil {
			fault = new(err.Error())
		} else if _, err := b.current.Load().texts(); err != nil { // read the texts now, so that the first search need not wait
			b.Log.Printf("texts of answers: %v", err)
		}
		b.fault.Store(fault)
		b.once.Do(func() { close(b.firstRead) })
		select {
		case <-ctx.Done():
			return
		case <-time.After(max(pause, loadShare*time.Since(started))):
		}
		if !b.Live.WaitChange(ctx, version) {
			return
		}
	}
}

// floor reports whether a judge is a baseline that does not read the answers.
func (s *snapshot) floor(judge int) bool {
	return judge >= 0 && s.Judges[judge].Kind == dataset.KindFloor
}

// hasNamedSystems reports whether answers come from named systems. Data that is only validated may have none.
func (s *snapshot) hasNamedSystems() bool {
	return len(s.Systems) != 1 || s.Systems[0].Name != validation.NoSystem || !report.IsValidation(s.Dataset)
}

// answer returns the index of an answer by id, or -1.
func (s *snapshot) answer(id string) int {
	index, found := slices.BinarySearchFunc(s.Answers, id, func(a dataset.AnswerRow, id string) int { return strings.Compare(a.ID, id) })
	if found {
		return index
	}
	return -1
}

// headline returns the judge whose points rank the systems, or the one shown next to people if people's points do. Before the report is
// computed, it returns the first judge that is not a baseline.
func (s *snapshot) headline() string {
	if s.report != nil && s.report.Leaderboard.Headline != "" {
		return s.report.BesidePeople()
	}
	return table.First(s.Judges, func(j store.Participant) bool { return j.Kind != dataset.KindFloor }).Name
}

// mean returns the total of an answer, or NaN if it has none.
func mean(t dataset.AnswerTotals, answer int) float64 {
	if total, ok := t.Of(answer); ok {
		return total
	}
	return math.NaN()
}

// figure turns a number into a Figure, and NaN into a missing one.
func figure(x float64) stats.Figure {
	if math.IsNaN(x) {
		return stats.Figure{}
	}
	return stats.Number(x)
}

// findAnswer returns an answer and the first record that has it.
func (b *Board) findAnswer(id string) (*store.Store, data.Answer, error) {
	for _, s := range b.stores {
		if a, found, err := s.Answer(id); found || err != nil {
			return s, a, err
		}
	}
	return nil, data.Answer{}, fmt.Errorf("answer %q: %w", id, fs.ErrNotExist)
}
