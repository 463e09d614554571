package plan

import (
	"context"
	"fmt"
	"io"
	"iter"
	"strings"
	"sync"

	"compqa/bench/config"
	"compqa/bench/run"
	"compqa/data"
	"compqa/judges/faithful"
	"compqa/judges/text"
	"compqa/results/store"
)

// Sources makes the sources of a plan's answers and verdicts.
type Sources struct {
	Plan   *Plan
	Store  *store.Store // nil: nothing is on record
	Record *run.Recorder
	retry  bool
	before map[store.CellKey]string // fingerprints, as the record was when the command began
	// assume is for estimates: answers that are not on record yet are taken to be there,
	// with a text of assumed length. Without it, a cell waits until its answers are.
	Assume bool
	reader Reader
	// Replays is for verifications: all tasks are to be done, also those whose results are on record.
	Replays bool
	// Exhausted reports whether a budget is used up; nil: there is none.
	Exhausted func() bool
	Stopped   func(context.Context) bool // no more tasks may begin; nil: they may
	Complete  func() bool                // no call was left out because of a budget or a provider
	Notes     io.Writer                  // for lines about the tasks; nil: none
	paired    *pairing                   // of the last Stages
}

func NewSources(p *Plan, db *store.Store, retry bool) (*Sources, error) {
	s := &Sources{Plan: p, Store: db, retry: retry}
	if db == nil {
		return s, nil
	}
	var err error
	s.before, err = db.Fingerprints()
	return s, err
}

// All are the sources of a run, or of the part that only names.
func (s *Sources) All(only string) []run.Source {
	judged, judging := s.judging(only)
	done := func(cell *AnswerCell) {
		for _, ready := range judged[cell] {
			ready()
		}
	}
	var cells []*AnswerCell
	for i := range s.Plan.Answers {
		cell := &s.Plan.Answers[i]
		if cell.Contestant == nil || !does(only, OnlyAnswers) || cell.Note != "" {
			done(cell)
			continue
		}
		cells = append(cells, cell)
	}
	var sources []run.Source
	for _, group := range groups(cells) {
		sources = append(sources, s.answers(group, done))
	}
	return append(sources, judging...)
}

// groups are the cells of each provider, which take turns, so that a local server does
// not change models all the time. Models that are asked in batches are on their own.
func groups(cells []*AnswerCell) (list [][]*AnswerCell) {
	at := map[string]int{}
	for _, cell := range cells {
		name := cell.Contestant.Provider
		if cell.Contestant.Batch {
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
func (s *Sources) answers(cells []*AnswerCell, done func(*AnswerCell)) run.Source {
	source := run.Source{Tasks: func(context.Context) iter.Seq2[run.Task, error] {
		return func(yield func(run.Task, error) bool) {
			for _, cell := range cells {
				ended := run.Task{Cell: cell.pending, Settle: func() { s.sync(); done(cell) }}
				if !s.answerTasks(cell, yield) || !yield(ended, nil) {
					return
				}
			}
		}
	}}
	if system := cells[0].Contestant; system.Batch {
		source.Batch = &run.BatchParty{Party: partyOf(cells[0].PlanCell), Provider: system.Provider, Model: system.Model}
	}
	return source
}

// sync returns when all results so far are on disk.
func (s *Sources) sync() {
	if s.Record != nil {
		s.Record.Sync()
	}
}

// partyOf returns the party of the items of a planned cell.
func partyOf(c store.PlanCell) store.Party {
	switch c.Kind {
	case store.KindAnswer:
		return store.Party{Kind: c.Kind, Name: c.System}
	case store.KindVerdict:
		return store.Party{Kind: c.Kind, Name: c.Judge}
	}
	return store.Party{Kind: store.KindLabel, Name: c.Judge}
}

// current reports whether what is on record of a cell, if anything, is made with the
// same inputs as what is planned.
func (s *Sources) current(c store.PlanCell) bool {
	return s.Store != nil && !s.Replays && s.before[c.Key()] == c.Fingerprint
}

func (s *Sources) answerTasks(cell *AnswerCell, yield func(run.Task, error) bool) bool {
	var recorded map[string]data.Status
	if s.current(cell.PlanCell) {
		var err error
		if recorded, err = s.Store.AnswerStatuses(cell.System, cell.Scenario); err != nil {
			return yield(run.Task{}, fmt.Errorf("reading the record: %w", err))
		}
	}
	for _, it := range cell.Items {
		calls := 0
		if s.Assume && cell.Contestant.Calls != nil {
			calls = cell.Contestant.Calls(*it.Question)
		}
		if !yield(run.Task{Party: partyOf(cell.PlanCell), At: run.ResultAt("answers", it.ID), Group: cell, Provider: cell.Contestant.Provider,
			Cell: cell.pending, Recorded: store.State{Status: recorded[it.ID]}, Calls: calls,
			Do: func(ctx context.Context, ask run.Asker) (run.Item, error) {
				return cell.answer(ctx, ask, it, &s.reader), nil
			}}, nil) {
			return false
		}
	}
	return true
}

// answer answers one item.
func (c *AnswerCell) answer(ctx context.Context, ask run.Asker, it Item, r *Reader) run.Item {
	var a data.Answer
	if it.existing != nil {
		a = *it.existing
	} else {
		a = c.Contestant.Answer(ctx, ask, *it.Question, c.scenario, it.Repeat)
		a.Object1, a.Object2, a.Aspect = it.Question.Object1, it.Question.Object2, it.Question.Aspect
	}
	a.ID, a.Question, a.System, a.Scenario, a.Repeat = it.ID, it.Question.ID, c.System, c.Scenario, it.Repeat
	size := r.SizeOf(*it.Question, a)
	return run.Item{Status: a.Status, Write: func(b store.Batch, calls []int64) error { return b.Answer(a, size, calls) }}
}

// A Reader reads what the reports need of answers. Its zero value is ready.
type Reader struct {
	NoClaims  bool     // leave the claims out
	arguments sync.Map // *faithful.Arguments by question, so that they are read once
}

// SizeOf returns the measurements of an answer that the reports need: the length of the
// comparison without its list of sources, its citations and its choice, and the labels of its
// claims by the arguments of the question. The objects are those of the answer, because a
// recorded choice refers to their order.
func (r *Reader) SizeOf(q data.Question, a data.Answer) store.Size {
	own := q
	own.Object1, own.Object2 = a.Object1, a.Object2
	read := text.Analyse(own, a.Text)
	f := read.Features()
	unknown := f.CitationsOutOfRange
	if a.Table != nil {
		unknown = 0 // it cites its own sources, which may not be the question's arguments
	}
	choices := map[text.Choice]data.Favours{text.ChoseFirst: data.Object1, text.ChoseSecond: data.Object2, text.Undecided: data.Neither}
	size := store.Size{Words: f.Words, Sentences: f.Sentences, Reading: &store.Reading{
		Citations: f.Citations, Unknown: unknown, Generated: f.Generated, Choice: choices[f.Choice],
		Cited: [2]int{f.CitedFirst, f.CitedSecond}, Made: [2]int{f.GeneratedFirst, f.GeneratedSecond},
	}}
	if a.Status != data.Valid || len(q.Arguments) == 0 || r.NoClaims {
		return size
	}
	if q.Object1 != a.Object1 {
		read = text.Analyse(q, a.Text) // the arguments refer to the question's order
	}
	arguments, known := r.arguments.Load(q.ID)
	if !known {
		arguments, _ = r.arguments.LoadOrStore(q.ID, faithful.ReadArguments(q))
	}
	claims := arguments.(*faithful.Arguments).Label(read)
	for i := range claims.Claims {
		claims.Claims[i].Text = "" // it is in the answer
	}
	size.Labels = []store.Labels{{Judge: faithful.Name, Kind: faithful.Kind, Status: data.Valid, Labels: string(config.Encoded(claims))}}
	return size
}

// A judgedCell is the work of one judge, of verdicts or of labels, on the answers of one cell.
type judgedCell struct {
	cell  *AnswerCell
	batch *run.BatchParty // nil: its calls are not made in batches
	tasks func(yield func(run.Task, error) bool) bool
}

// A judgeCells is a judge's cells in the order in which their answers become complete.
type judgeCells struct {
	cells []*judgedCell
	ready chan *judgedCell // nil: all are
	taken int              // cells that were ready before
}

// next is the cell at a place, nil where the run stops before it is ready.
func (j *judgeCells) next(ctx context.Context, at int) *judgedCell {
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

// judging are the sources of all judges, and for each cell of answers what is to be called when it is
// complete: a judge takes up a cell as soon as its answers are on disk.
func (s *Sources) judging(only string) (complete map[*AnswerCell][]func(), sources []run.Source) {
	complete = map[*AnswerCell][]func(){}
	byJudge := map[any]*judgeCells{}
	var inOrder []*judgeCells
	add := func(judge any, c *judgedCell) {
		of := byJudge[judge]
		if of == nil {
			of = &judgeCells{}
			byJudge[judge], inOrder = of, append(inOrder, of)
		}
		of.cells = append(of.cells, c)
		complete[c.cell] = append(complete[c.cell], func() {
			if of.ready != nil {
				of.ready <- c
			}
		})
	}
	batch := func(batched bool, c store.PlanCell, provider, model string) *run.BatchParty {
		if !batched {
			return nil
		}
		return &run.BatchParty{Party: partyOf(c), Provider: provider, Model: model}
	}
	for i := range s.Plan.Verdicts {
		if v := &s.Plan.Verdicts[i]; v.Note == "" && does(only, OnlyVerdicts) {
			j := v.Scorer
			add(j, &judgedCell{v.Cell, batch(j.Batch, v.PlanCell, j.Provider, j.Model),
				func(yield func(run.Task, error) bool) bool { return s.verdictTasks(v, yield) }})
		}
	}
	for i := range s.Plan.Labels {
		if l := &s.Plan.Labels[i]; l.Note == "" && does(only, OnlySummaries) {
			j := l.Labeller
			add(j, &judgedCell{l.Cell, batch(j.Batch, l.PlanCell, j.Provider, j.Model),
				func(yield func(run.Task, error) bool) bool { return s.labelTasks(l, yield) }})
		}
	}
	for _, of := range inOrder {
		if !s.Assume {
			of.ready = make(chan *judgedCell, len(of.cells))
		}
		sources = append(sources, run.Source{Batch: of.cells[0].batch, Tasks: func(ctx context.Context) iter.Seq2[run.Task, error] {
			return func(yield func(run.Task, error) bool) {
				for at := range of.cells {
					if c := of.next(ctx, at); c == nil || !c.tasks(yield) {
						return
					}
				}
			}
		}})
	}
	return complete, sources
}

func (s *Sources) verdictTasks(v *VerdictCell, yield func(run.Task, error) bool) bool {
	recorded := map[store.VerdictKey]data.Status{}
	if s.current(v.PlanCell) {
		var err error
		if recorded, err = s.Store.VerdictStatuses(v.Judge, v.System, v.Scenario); err != nil {
			return yield(run.Task{}, fmt.Errorf("reading the record: %w", err))
		}
	}
	task := func(answer string, repeat int) run.Task {
		key := store.VerdictKey{Answer: answer, Repeat: repeat}
		return run.Task{Party: partyOf(v.PlanCell), At: run.ResultAt("verdicts", v.Judge, answer, repeat), Group: v, Provider: v.Scorer.Provider,
			Recorded: store.State{Status: recorded[key]}, Calls: v.Scorer.Calls}
	}
	if v.Scorer.Score == nil { // the verdicts of a file
		for _, verdict := range v.Scorer.Existing {
			if !v.Cell.has(verdict.Answer) {
				continue
			}
			t := task(verdict.Answer, verdict.Repeat)
			t.Do = func(context.Context, run.Asker) (run.Item, error) {
				return run.Item{Status: verdict.Status, Write: func(b store.Batch, _ []int64) error { return b.Verdict(verdict, nil) }}, nil
			}
			if !yield(t, nil) {
				return false
			}
		}
		return true
	}
	var valid []store.VerdictKey
	for key, status := range recorded {
		if status == data.Valid && v.wants(key.Answer) && key.Repeat <= v.repeats(key.Answer) {
			valid = append(valid, key)
		}
	}
	if len(valid) == v.Planned { // all are done, so that the texts of the answers need not be read
		for _, key := range valid {
			if !yield(task(key.Answer, key.Repeat), nil) {
				return false
			}
		}
		return true
	}
	more := true
	err := s.EachAnswer(v, func(a data.Answer) error {
		for repeat := 1; more && repeat <= v.repeats(a.ID); repeat++ {
			t := task(a.ID, repeat)
			if t.Recorded.Status == data.Skipped && a.Status == data.Valid {
				t.Recorded.Status = "" // it was skipped because there was no answer
			}
			t.Do = func(ctx context.Context, ask run.Asker) (run.Item, error) {
				q := s.Plan.Question(a)
				if v.Cell.Contestant == nil {
					q.Arguments = nil // an imported answer may have been given with others
				}
				verdict := v.Scorer.Verdict(ctx, ask, s.Plan.Rubric, q, a, repeat)
				if repeat > v.Scorer.Repeats && verdict.Status == data.Pending && s.Exhausted != nil && s.Exhausted() {
					verdict.Status, verdict.Reason = data.Skipped, "the budget does not cover a second verdict"
				}
				return run.Item{Status: verdict.Status, Write: func(b store.Batch, calls []int64) error { return b.Verdict(verdict, calls) }}, nil
			}
			more = yield(t, nil)
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

// repeats is the number of verdicts on an answer.
func (v *VerdictCell) repeats(answer string) int {
	if v.Again[answer] {
		return v.Scorer.Repeats + 1
	}
	return v.Scorer.Repeats
}

// wants reports whether an answer is to be judged.
func (v *VerdictCell) wants(id string) bool {
	return v.Cell.has(id) && (v.keep == nil || v.keep[id])
}

// EachAnswer calls each for every recorded answer that needs a verdict, and in an
// estimate also for answers that are not made yet.
func (s *Sources) EachAnswer(v *VerdictCell, each func(data.Answer) error) error {
	seen := map[string]bool{}
	if !s.Assume || v.Cell.Contestant == nil || s.current(v.Cell.PlanCell) {
		err := s.Store.EachAnswer(v.System, v.Scenario, func(a data.Answer) error {
			if !v.wants(a.ID) || s.Assume && s.retry && v.Cell.Contestant != nil && a.Status.Retryable() {
				return nil
			}
			seen[a.ID] = s.Assume
			return each(a)
		})
		if err != nil {
			return err
		}
	}
	if !s.Assume {
		return nil
	}
	for _, it := range v.Cell.Items {
		if !v.wants(it.ID) || seen[it.ID] {
			continue
		}
		if err := each(it.assumed(v.Cell)); err != nil {
			return err
		}
	}
	return nil
}

// assumed is an answer that is still to come, for estimates.
func (it Item) assumed(cell *AnswerCell) data.Answer {
	if it.existing != nil {
		return *it.existing
	}
	q := it.Question
	return data.Answer{ID: it.ID, Question: q.ID, System: cell.System, Scenario: cell.Scenario, Repeat: it.Repeat,
		Object1: q.Object1, Object2: q.Object2, Aspect: q.Aspect, Status: data.Valid, Text: AssumedText}
}

// AssumedText is as long as an answer is assumed to be.
var AssumedText = strings.Repeat("Some words. ", AssumedAnswer*BytesOfToken/12)

const BytesOfToken = 4 // of English text

const AssumedAnswer = 400 // tokens of an answer: some 300 words

// Parties are the systems and judges whose progress a run shows.
func (p *Plan) Parties(only string) (list []run.Party) {
	for _, c := range p.Answers {
		if does(only, OnlyAnswers) && c.Contestant != nil && c.Note == "" {
			list = append(list, run.Party{Name: c.System, Provider: c.Contestant.Provider, Planned: c.Planned})
		}
	}
	for _, c := range p.Verdicts {
		if does(only, OnlyVerdicts) && c.Note == "" {
			list = append(list, run.Party{Name: c.Judge, Provider: c.Scorer.Provider, Planned: c.Planned})
		}
	}
	for _, c := range p.Labels {
		if does(only, OnlySummaries) && c.Note == "" {
			list = append(list, run.Party{Name: partyOf(c.PlanCell).Shown(), Provider: c.Labeller.Provider, Planned: c.Planned})
		}
	}
	return list
}
