package plan

import (
	"context"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"
	"sync"

	"compqa/bench/run"
	"compqa/data"
	"compqa/results/store"
)

// Sources makes the sources of a plan's answers and verdicts.
type Sources struct {
	Plan   *Plan
	Store  *store.Store // nil: nothing is on record
	engine *run.Engine  // nil: nothing is executed, and no cell waits until its answers are on record
	retry  bool
	before map[store.CellKey]string // fingerprints, as the record was when the command began
	// Assume is for estimates: answers that are not on record yet are taken to be there, with a text of assumed length.
	Assume bool
	reader Reader
	// Replays is for verifications: all tasks are to be done, also those whose results are on record.
	Replays bool
	notes   io.Writer // for lines about the tasks; nil: none
	Paired  *pairing  // of the last Stages; nil: they were not about pairs
}

// NewSources returns the work that a plan has left, given the record; retry also plans what failed before.
func NewSources(p *Plan, db *store.Store, retry bool) (*Sources, error) {
	before, err := db.Fingerprints()
	return &Sources{Plan: p, Store: db, retry: retry, before: before}, err
}

// cells are the answers, verdicts and labels, or those of the part that only names. Answers of one
// provider take turns, so that a local server does not change models all the time; models that are asked
// in batches are on their own. A judge takes up a cell as soon as its answers are on disk; in a verification, all judges of the same
// answers take turns, so that their texts are read once.
func (s *Sources) cells(only string) Stage {
	stage := Stage{Unit: UnitResults}
	var order []any
	groups := map[any][]*Cell{}
	answers := &unrecorded{cells: map[*Cell]bool{}, changed: make(chan struct{})}
	for _, c := range s.Plan.Cells() {
		if !does(only, c.Part()) || c.Note != "" {
			continue
		}
		stage.Parties = append(stage.Parties, run.Party{Name: c.By().Shown(), Provider: c.Provider, Planned: c.Planned})
		var group any = c.Party
		switch {
		case c.Of != nil && s.Replays:
			group = c.Of
		case c.Of == nil:
			// Where nothing is executed, nothing is waited for.
			answers.cells[c] = s.engine != nil
			if !c.Batch.On() {
				group = c.Provider
			}
		}
		if groups[group] == nil {
			order = append(order, group)
		}
		groups[group] = append(groups[group], c)
	}
	for _, group := range order {
		cells := groups[group]
		source := run.Source{Tasks: func(ctx context.Context) iter.Seq2[run.Task, error] {
			return func(yield func(run.Task, error) bool) {
				if s.Replays && cells[0].Of != nil {
					s.judgeTasks(cells, yield)
					return
				}
				for left := slices.Clone(cells); len(left) > 0; {
					index := answers.next(ctx, left)
					if index < 0 || !s.tasks(left[index], answers, yield) {
						return
					}
					left = slices.Delete(left, index, index+1)
				}
			}
		}}
		if c := cells[0]; c.Batch.On() {
			source.Batch = &run.BatchParty{Party: c.By(), Provider: c.Provider, Model: c.Model, Fallback: c.Batch.Fallback()}
		}
		stage.Sources = append(stage.Sources, source)
	}
	return stage
}

// unrecorded are the cells of answers that are not all on disk yet.
type unrecorded struct {
	mu      sync.Mutex
	cells   map[*Cell]bool
	changed chan struct{} // closed, and made anew, when a cell has been recorded
}

func (u *unrecorded) remove(c *Cell) {
	u.mu.Lock()
	defer u.mu.Unlock()
	delete(u.cells, c)
	close(u.changed)
	u.changed = make(chan struct{})
}

// ready is the place of the first cell whose tasks can begin, -1 if there is none before changed is closed.
func (u *unrecorded) ready(cells []*Cell) (index int, changed <-chan struct{}) {
	u.mu.Lock()
	defer u.mu.Unlock()
	return slices.IndexFunc(cells, func(c *Cell) bool { return !u.cells[c.Of] }), u.changed
}

// next is the place of the first cell whose tasks can begin; it waits for one. -1: the run stops before.
func (u *unrecorded) next(ctx context.Context, cells []*Cell) int {
	for {
		index, changed := u.ready(cells)
		if index >= 0 {
			return index
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return -1
		}
	}
}

// tasks yields the tasks of a cell and, of answers, what is to be done when they have ended.
func (s *Sources) tasks(c *Cell, left *unrecorded, yield func(run.Task, error) bool) bool {
	if c.Of != nil {
		return s.judgeTasks([]*Cell{c}, yield)
	}
	settle := func() {
		s.sync()
		left.remove(c)
	}
	return s.answerTasks(c, yield) && yield(run.Task{Cell: c.pending, Settle: settle}, nil)
}

// sync returns when all results so far are on disk.
func (s *Sources) sync() {
	if s.engine != nil {
		s.engine.Record.Sync()
	}
}

// current reports whether what is on record of a cell, if anything, is made with the same inputs as what is planned.
func (s *Sources) current(c store.PlanCell) bool {
	return !s.Replays && s.before[c.Key()] == c.Fingerprint
}

// statuses are those of a cell's results on record.
func (s *Sources) statuses(c *Cell) (statuses map[store.VerdictKey]data.Status, err error) {
	if !s.current(c.PlanCell) {
		return nil, nil
	}
	statuses, err = s.Store.Statuses(c.PlanCell)
	if err != nil {
		err = fmt.Errorf("reading the record: %w", err)
	}
	return statuses, err
}

func (s *Sources) answerTasks(c *Cell, yield func(run.Task, error) bool) bool {
	recorded, err := s.statuses(c)
	if err != nil {
		return yield(run.Task{}, err)
	}
	for _, it := range c.Items {
		t := run.Task{Party: c.By(), At: store.ResultAt(store.KindAnswer, it.ID), Group: c, Provider: c.Provider, Cell: c.pending,
			Recorded: store.State{Status: recorded[store.VerdictKey{Answer: it.ID, Repeat: 1}]},
			Do: func(ctx context.Context, ask run.Asker) (run.Item, error) {
				var a data.Answer
				if it.existing != nil {
					a = *it.existing
				} else {
					a = c.Contestant.Answer(ctx, ask, *it.Question, c.scenario, it.Repeat)
					a.Object1, a.Object2, a.Aspect = it.Question.Object1, it.Question.Object2, it.Question.Aspect
				}
				a.ID, a.Question, a.System, a.Scenario, a.Repeat = it.ID, it.Question.ID, c.System, c.Scenario, it.Repeat
				size := s.reader.SizeOf(*it.Question, a)
				return run.Item{Status: a.Status, Write: func(b store.Batch, calls []int64) error { return b.Answer(a, size, calls) }}, nil
			}}
		if s.Assume && c.Contestant.Calls != nil {
			t.Calls = c.Contestant.Calls(*it.Question)
		}
		if !yield(t, nil) {
			return false
		}
	}
	return true
}

// A judging is a cell of verdicts or labels with the statuses of those on record.
type judging struct {
	*Cell
	recorded map[store.VerdictKey]data.Status
}

func (j judging) task(answer string, repeat int) run.Task {
	t := run.Task{Party: j.By(), Group: j.Cell, Provider: j.Provider, At: store.ResultAt(store.KindLabel, answer, j.Judge, j.Kind),
		Recorded: store.State{Status: j.recorded[store.VerdictKey{Answer: answer, Repeat: repeat}]}}
	if j.Scorer != nil {
		t.At, t.Calls = store.ResultAt(store.KindVerdict, j.Judge, answer, repeat), j.Scorer.Calls
	}
	return t
}

// withoutTexts are the tasks of a cell where these need no text of an answer: the verdicts are of a file, or all are done.
func (j judging) withoutTexts() (tasks iter.Seq[run.Task], all bool) {
	if j.Scorer != nil && j.Scorer.Score == nil {
		return func(yield func(run.Task) bool) {
			for _, verdict := range j.Scorer.Existing {
				if !j.Of.has(verdict.Answer) {
					continue
				}
				t := j.task(verdict.Answer, verdict.Repeat)
				t.Do = func(context.Context, run.Asker) (run.Item, error) { return run.VerdictItem(verdict), nil }
				if !yield(t) {
					return
				}
			}
		}, true
	}
	done := func(yield func(run.Task) bool) {
		for key, status := range j.recorded {
			if status == data.Valid && j.Plans(key) && !yield(j.task(key.Answer, key.Repeat)) {
				return
			}
		}
	}
	n := 0
	for range done {
		n++
	}
	return done, n == j.Planned
}

// judgeTasks yields the verdicts or labels of cells about the same answers, whose texts are read once.
func (s *Sources) judgeTasks(cells []*Cell, yield func(run.Task, error) bool) bool {
	var left []judging
	for _, c := range cells {
		recorded, err := s.statuses(c)
		if err != nil {
			return yield(run.Task{}, err)
		}
		j := judging{c, recorded}
		tasks, all := j.withoutTexts()
		if !all {
			left = append(left, j)
			continue
		}
		for t := range tasks {
			if !yield(t, nil) {
				return false
			}
		}
	}
	if left == nil {
		return true
	}
	wanted := func(id string) bool { return slices.ContainsFunc(left, func(j judging) bool { return j.wants(id) }) }
	more := true
	err := s.eachAnswer(left[0].Of, wanted, func(a data.Answer) error {
		for _, j := range left {
			for repeat := 1; more && j.wants(a.ID) && repeat <= j.repeats(a.ID); repeat++ {
				t := j.task(a.ID, repeat)
				if t.Recorded.Status == data.Skipped && a.Status == data.Valid {
					t.Recorded.Status = "" // it was skipped because there was no answer
				}
				t.Do = func(ctx context.Context, ask run.Asker) (run.Item, error) {
					return s.judge(ctx, ask, j.Cell, a, repeat), nil
				}
				more = yield(t, nil)
			}
		}
		if !more {
			return run.ErrEnough
		}
		return nil
	})
	if err != nil && more {
		return yield(run.Task{}, fmt.Errorf("reading the record: %w", err))
	}
	return more
}

// judge has an answer scored or labelled.
func (s *Sources) judge(ctx context.Context, ask run.Asker, c *Cell, a data.Answer, repeat int) run.Item {
	q := s.Plan.Question(a)
	if c.Labeller != nil {
		if a.Status == data.Valid && s.Assume && a.Text == assumedText(a.ID) {
			a.Text, a.Table = assumedClaims(q)+" "+a.ID, assumedTable
		}
		l := c.Labeller.Label(ctx, ask, q, a, c.Kind)
		return run.Item{Status: l.Status, Write: func(b store.Batch, calls []int64) error { return b.Labels(a.ID, l, calls) }}
	}
	if c.Of.Contestant == nil {
		q.Arguments = nil // an imported answer may have been given with others
	}
	return run.VerdictItem(c.Scorer.Verdict(ctx, ask, s.Plan.Rubric, q, a, repeat))
}

// repeats is the number of results on an answer.
func (c *Cell) repeats(answer string) int {
	n := max(1, c.Repeats) // labels have none
	if c.Again[answer] {
		n++
	}
	return n
}

// Plans reports whether a result on record is one that is planned now: earlier runs may have made more.
func (c *Cell) Plans(key store.VerdictKey) bool {
	if c.Of == nil {
		return c.has(key.Answer)
	}
	return c.wants(key.Answer) && key.Repeat <= c.repeats(key.Answer)
}

// wants reports whether an answer is to be judged.
func (c *Cell) wants(id string) bool { return c.Of.has(id) && (c.wanted == nil || c.wanted[id]) }

// eachAnswer calls each for every recorded answer of a cell that is wanted and, in an estimate, also for those that are
// not made yet: in the order of the questions, so that more questions follow those of an earlier run with a limit.
func (s *Sources) eachAnswer(c *Cell, wanted func(id string) bool, each func(data.Answer) error) error {
	items := c.Items
	if c.Contestant == nil {
		items = data.Each(c.IDs, func(id string) Item { return Item{ID: id} })
	}
	kept := !s.Assume || c.Contestant == nil || s.current(c.PlanCell)
	for page := range slices.Chunk(items, answerPage) {
		page = data.Where(page, func(it Item) bool { return wanted(it.ID) })
		var recorded map[string]data.Answer
		if kept {
			var err error
			recorded, err = s.Store.Answers(data.Each(page, func(it Item) string { return it.ID }))
			if err != nil {
				return err
			}
		}
		for _, it := range page {
			a, known := recorded[it.ID]
			if known && s.Assume && s.retry && c.Contestant != nil && a.Status.Retryable() {
				known = false
			}
			switch q := it.Question; {
			case known:
			case !s.Assume:
				continue
			case it.existing != nil:
				a = *it.existing
			default:
				a = data.Answer{ID: it.ID, Question: q.ID, System: c.System, Scenario: c.Scenario, Repeat: it.Repeat,
					Object1: q.Object1, Object2: q.Object2, Aspect: q.Aspect, Status: data.Valid, Text: assumedText(it.ID)}
			}
			if err := each(a); err != nil {
				return err
			}
		}
	}
	return nil
}

// answerPage is the number of answers that eachAnswer reads at a time.
const answerPage = 256

// assumedText stands for an answer that is not there yet. No two are equal, as their verdicts would share a call.
func assumedText(id string) string {
	if len(id) >= len(AssumedText) {
		return id
	}
	return id + AssumedText[len(id):]
}

// AssumedText is as long as an answer is assumed to be.
var AssumedText = strings.Repeat("Some words. ", AssumedAnswer*BytesOfToken/12)

// assumedClaims is an answer of claims, about as long as AssumedText.
func assumedClaims(q data.Question) string {
	claim := q.Object1 + strings.Repeat(" has words", 10) + ". "
	return strings.Repeat(claim, len(AssumedText)/len(claim)+1)
}

const BytesOfToken = 4 // of English text

const AssumedAnswer = 400 // tokens of an answer: some 300 words

// assumedTable is a table of the size that estimates assume: eight rows with a value of 12 words
// for each object, and its quote.
var assumedTable = func() *data.ContrastTable {
	words := strings.TrimSpace(strings.Repeat("words ", 12))
	values := []data.ContrastValue{{Value: words, Evidence: []data.Evidence{{Source: "1", Quote: words}}}}
	t := &data.ContrastTable{}
	for i := range 8 {
		t.Rows = append(t.Rows, data.ContrastRow{Attribute: "words", Kind: data.RowContrast, Rank: i + 1, Object1: values, Object2: values})
	}
	return t
}()
