package bench

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"

	"compqa/bench/config"
	"compqa/data"
	"compqa/judges/text"
	"compqa/results/store"
)

// A cellSources makes the sources of a plan's answers and verdicts.
type cellSources struct {
	plan   *plan
	store  *store.Store // nil: nothing is on record
	record *store.Recorder
	retry  bool
	before map[store.CellKey]store.RecordedCell // as the record was when the command began
	// assume is for estimates: answers that are not on record yet are taken to be there,
	// with a text of assumed length. Without it, a cell waits until its answers are.
	assume bool
}

func newCellSources(p *plan, db *store.Store, retry bool) (*cellSources, error) {
	s := &cellSources{plan: p, store: db, retry: retry}
	if db == nil {
		return s, nil
	}
	var err error
	s.before, err = db.RecordedCells()
	return s, err
}

// complete reports whether the record says that a cell is complete.
func (s *cellSources) complete(c store.PlanCell) bool {
	done := s.before[c.Key()]
	return isDone(done, c) && !(s.retry && done.Invalid > 0)
}

// asksModels reports whether there is anything to ask a model. Where there is not, the
// costs so far need not be added up, which takes seconds over a large record.
func (s *cellSources) asksModels() bool {
	return slices.ContainsFunc(s.plan.answers, func(c answerCell) bool {
		return c.system != nil && c.system.Kind == config.KindModel && c.Note == "" && !s.complete(c.PlanCell)
	}) || slices.ContainsFunc(s.plan.verdicts, func(c verdictCell) bool {
		return c.judge.Kind == config.KindModel && c.Note == "" && !s.complete(c.PlanCell)
	})
}

// all are the sources of a run, or of the part that only names.
func (s *cellSources) all(only string) []Source {
	judged, verdicts := s.verdicts(only)
	done := func(cell *answerCell) {
		for _, ready := range judged[cell] {
			ready()
		}
	}
	var cells []*answerCell
	for i := range s.plan.answers {
		cell := &s.plan.answers[i]
		if cell.system == nil || only == onlyVerdicts || cell.Note != "" {
			done(cell)
			continue
		}
		cells = append(cells, cell)
	}
	var sources []Source
	for _, group := range groups(cells) {
		sources = append(sources, s.answers(group, done))
	}
	return append(sources, verdicts...)
}

// groups are the cells of each provider, which take turns, so that a local server does
// not change models all the time. Models that are asked in batches are on their own.
func groups(cells []*answerCell) (list [][]*answerCell) {
	at := map[string]int{}
	for _, cell := range cells {
		name := cell.system.provider
		if cell.system.batch {
			name += "\x00" + cell.System
		}
		if _, known := at[name]; !known {
			at[name], list = len(list), append(list, nil)
		}
		list[at[name]] = append(list[at[name]], cell)
	}
	return list
}

// answers is the source of the answers of some cells. done is called for each cell when
// its answers are on disk.
func (s *cellSources) answers(cells []*answerCell, done func(*answerCell)) Source {
	source := Source{Tasks: func(context.Context) iter.Seq2[Task, error] {
		return func(yield func(Task, error) bool) {
			for _, cell := range cells {
				tasks := func() bool { return s.answerTasks(cell, yield) }
				if !s.cell(cell.PlanCell, cell.system.provider, cell.outcome, true, yield, tasks, func() { s.record.Sync(); done(cell) }) {
					return
				}
			}
		}
	}}
	if system := cells[0].system; system.batch {
		source.Batch = &batchParty{partyOf(cells[0].PlanCell), system.provider, system.model}
	}
	return source
}

// cell yields the tasks of a cell, or where the record says that it is complete, one
// task that stands for all of them. after is called when the tasks have ended.
func (s *cellSources) cell(c store.PlanCell, provider string, o *outcome, unchanged bool, yield func(Task, error) bool, tasks func() bool, after func()) bool {
	if unchanged && s.complete(c) {
		o.complete(c.Planned, s.before[c.Key()].Invalid)
		recorded := Task{Party: partyOf(c), Provider: provider, Recorded: store.State{Status: data.Valid}, Count: c.Planned}
		return yield(recorded, nil) && yield(Task{Cell: o, Settle: after}, nil)
	}
	o.key = c.Key()
	o.counted.Store(true)
	return tasks() && yield(Task{Cell: o, Settle: func() {
		if have := int(o.have.Load()); have == c.Planned {
			done := store.Done{Work: c.Work, Invalid: have - int(o.fine.Load())}
			s.record.Put(func(b store.Batch) error { return b.Done(c.Key(), done) })
		}
		after()
	}}, nil)
}

// partyOf is whose items a planned cell holds.
func partyOf(c store.PlanCell) store.Party {
	if c.Kind == store.KindVerdict {
		return store.Party{Kind: c.Kind, Name: c.Judge}
	}
	return store.Party{Kind: c.Kind, Name: c.System}
}

// current reports whether what is on record of a cell, if anything, is made with the
// same inputs as what is planned.
func (s *cellSources) current(c store.PlanCell) bool {
	return s.store != nil && s.before[c.Key()].Fingerprint == c.Fingerprint
}

func (s *cellSources) answerTasks(cell *answerCell, yield func(Task, error) bool) bool {
	var recorded map[string]data.Status
	if s.current(cell.PlanCell) {
		var err error
		if recorded, err = s.store.AnswerStatuses(cell.System, cell.Scenario); err != nil {
			return yield(Task{}, fmt.Errorf("reading the record: %w", err))
		}
	}
	for _, it := range cell.items {
		if !yield(Task{Party: partyOf(cell.PlanCell), Provider: cell.system.provider, Cell: cell.outcome, Recorded: store.State{Status: recorded[it.id]},
			Do: func(ctx context.Context, ask Asker) (Item, error) { return cell.answer(ctx, ask, it), nil }}, nil) {
			return false
		}
	}
	return true
}

// answer has one item answered.
func (c *answerCell) answer(ctx context.Context, ask Asker, it item) Item {
	var a data.Answer
	if it.existing != nil {
		a = *it.existing
	} else {
		a = c.system.answer(ctx, ask, *it.question, c.scenario, it.repeat)
		a.Object1, a.Object2, a.Aspect = it.question.Object1, it.question.Object2, it.question.Aspect
	}
	a.ID, a.Question, a.System, a.Scenario, a.Repeat = it.id, it.question.ID, c.System, c.Scenario, it.repeat
	size := sizeOf(*it.question, a)
	return Item{a.Status, func(b store.Batch, calls []string) error { return b.Answer(a, size, calls) }}
}

// sizeOf is how long the comparison in an answer is, without its list of sources, and
// what else the reports need of the text. The objects are the answer's own: a recorded
// choice refers to their order.
func sizeOf(q data.Question, a data.Answer) store.Size {
	q.Object1, q.Object2 = a.Object1, a.Object2
	f := text.Outline(q, a.Text)
	choices := map[text.Choice]data.Favours{text.ChoseFirst: data.Object1, text.ChoseSecond: data.Object2, text.Undecided: data.Neither}
	return store.Size{Words: f.Words, Sentences: f.Sentences, Reading: &store.Reading{
		Citations: f.Citations, Unknown: f.CitationsOutOfRange, Generated: f.Generated, Choice: choices[f.Choice],
		Cited: [2]int{f.CitedFirst, f.CitedSecond}, Made: [2]int{f.GeneratedFirst, f.GeneratedSecond},
	}}
}

// A judgeCells is a judge's cells in the order in which their answers become complete.
type judgeCells struct {
	cells []*verdictCell
	ready chan *verdictCell // nil: all are
	taken int               // cells that were ready before
}

// next is the cell at a place, nil where the run stops before it is ready.
func (j *judgeCells) next(ctx context.Context, at int) *verdictCell {
	if j.ready != nil && at >= j.taken {
		select {
		case j.cells[at] = <-j.ready:
			j.taken++
		case <-ctx.Done():
			return nil
		}
	}
	return j.cells[at]
}

// verdicts are the sources of all judges, and for each cell of answers what is to be
// called when it is complete: a judge takes up a cell as soon as its answers are on
// disk.
func (s *cellSources) verdicts(only string) (complete map[*answerCell][]func(), sources []Source) {
	complete = map[*answerCell][]func(){}
	if only == onlyAnswers {
		return complete, nil
	}
	byJudge := map[*judge]*judgeCells{}
	var inOrder []*judgeCells
	for i := range s.plan.verdicts {
		v := &s.plan.verdicts[i]
		if v.Note != "" {
			continue
		}
		of := byJudge[v.judge]
		if of == nil {
			of = &judgeCells{}
			byJudge[v.judge], inOrder = of, append(inOrder, of)
		}
		of.cells = append(of.cells, v)
		complete[v.cell] = append(complete[v.cell], func() { of.ready <- v })
	}
	for _, of := range inOrder {
		if !s.assume {
			of.ready = make(chan *verdictCell, len(of.cells))
		}
		j := of.cells[0].judge
		source := Source{Tasks: func(ctx context.Context) iter.Seq2[Task, error] {
			return func(yield func(Task, error) bool) {
				for at := range of.cells {
					v := of.next(ctx, at)
					if v == nil {
						return
					}
					tasks := func() bool { return s.verdictTasks(v, yield) }
					if !s.cell(v.PlanCell, v.judge.provider, v.outcome, v.cell.outcome.fresh.Load() == 0, yield, tasks, func() {}) {
						return
					}
				}
			}
		}}
		if j.batch {
			source.Batch = &batchParty{partyOf(of.cells[0].PlanCell), j.provider, j.model}
		}
		sources = append(sources, source)
	}
	return complete, sources
}

func (s *cellSources) verdictTasks(v *verdictCell, yield func(Task, error) bool) bool {
	recorded := map[store.VerdictKey]data.Status{}
	if s.current(v.PlanCell) {
		var err error
		if recorded, err = s.store.VerdictStatuses(v.Judge, v.System, v.Scenario); err != nil {
			return yield(Task{}, fmt.Errorf("reading the record: %w", err))
		}
	}
	task := func(answer string, repeat int) Task {
		key := store.VerdictKey{Answer: answer, Repeat: repeat}
		return Task{Party: partyOf(v.PlanCell), Provider: v.judge.provider, Cell: v.outcome, Recorded: store.State{Status: recorded[key]}}
	}
	if v.judge.score == nil { // the verdicts of a file
		for _, verdict := range v.judge.existing {
			if !v.cell.has(verdict.Answer) {
				continue
			}
			t := task(verdict.Answer, verdict.Repeat)
			t.Do = func(context.Context, Asker) (Item, error) {
				return Item{verdict.Status, func(b store.Batch, _ []string) error { return b.Verdict(verdict, nil) }}, nil
			}
			if !yield(t, nil) {
				return false
			}
		}
		return true
	}
	more := true
	err := s.eachAnswer(v, func(a data.Answer) error {
		for repeat := 1; more && repeat <= v.judge.repeats; repeat++ {
			t := task(a.ID, repeat)
			if t.Recorded.Status == data.Skipped && a.Status == data.Valid {
				t.Recorded.Status = "" // it was skipped for want of an answer
			}
			t.Do = func(ctx context.Context, ask Asker) (Item, error) {
				q := s.plan.question(a)
				if v.cell.system == nil {
					q.Arguments = nil // an imported answer may have been given with others
				}
				verdict := v.judge.verdict(ctx, ask, s.plan.rubric, q, a, repeat)
				return Item{verdict.Status, func(b store.Batch, calls []string) error { return b.Verdict(verdict, calls) }}, nil
			}
			more = yield(t, nil)
		}
		if !more {
			return errEnough
		}
		return nil
	})
	if err != nil && more {
		return yield(Task{}, fmt.Errorf("reading the record: %w", err))
	}
	return more
}

// errEnough ends the reading of answers when no more tasks are wanted.
var errEnough = errors.New("no more tasks are wanted")

// eachAnswer calls each for every answer on record that is to be judged, and in an
// estimate also for those that are still to come.
func (s *cellSources) eachAnswer(v *verdictCell, each func(data.Answer) error) error {
	wanted := func(id string) bool { return v.cell.has(id) && (v.keep == nil || v.keep[id]) }
	seen := map[string]bool{}
	if !s.assume || v.cell.system == nil || s.current(v.cell.PlanCell) {
		err := s.store.EachAnswer(v.System, v.Scenario, func(a data.Answer) error {
			if !wanted(a.ID) || s.assume && s.retry && v.cell.system != nil && a.Status.Retryable() {
				return nil
			}
			seen[a.ID] = s.assume
			return each(a)
		})
		if err != nil {
			return err
		}
	}
	if !s.assume {
		return nil
	}
	for _, it := range v.cell.items {
		if !wanted(it.id) || seen[it.id] {
			continue
		}
		if err := each(it.assumed(v.cell)); err != nil {
			return err
		}
	}
	return nil
}

// assumed is an answer that is still to come, for estimates.
func (it item) assumed(cell *answerCell) data.Answer {
	if it.existing != nil {
		return *it.existing
	}
	q := it.question
	return data.Answer{ID: it.id, Question: q.ID, System: cell.System, Scenario: cell.Scenario, Repeat: it.repeat,
		Object1: q.Object1, Object2: q.Object2, Aspect: q.Aspect, Status: data.Valid, Text: assumedText}
}

// assumedText is as long as an answer is assumed to be.
var assumedText = strings.Repeat("Some words. ", assumedAnswer*bytesOfToken/12)
