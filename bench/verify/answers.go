package verify

import (
	"cmp"
	"context"
	"slices"

	"compqa/bench/config"
	"compqa/bench/parties"
	"compqa/bench/plan"
	"compqa/data"
	"compqa/judges"
	"compqa/judges/scoring"
	"compqa/results/archive"
	"compqa/results/dataset"
	"compqa/results/store"
	"compqa/scenarios"
)

// A Recheck computes again what follows from the answers and replies of an
// exported record, and counts what could be checked.
type Recheck struct {
	Ctx     context.Context
	run     *dataset.Run
	replies bool // they are in the export
	remade  *remade
	set     []data.Question          // the questions of the run's set
	byPair  map[string]data.Question // what answers were answers to
	reader  plan.Reader
	again   *plan.Plan // the accepted plan

	labelCells []store.PlanCell
	labels     map[string][]store.RecordedLabels // by answer
	rests      []Rest                            // what nobody can recompute
	absent     []Rest                            // planned results of parties that were not run
	missing    []Rest                            // planned results that are missing beside others of their party
	counts
}

// Record is an archive.Checks.Record.
func (c *Recheck) Record(s *store.Store, record *dataset.Run, m archive.Manifest) error {
	c.run, c.replies = record, m.Replies
	c.verdicts, c.answers = len(record.Sheets), len(record.Answers)
	for _, sheet := range record.Sheets {
		if sheet.Status != data.Valid && !(record.Judges[sheet.Judge].Kind == config.KindModel && slices.Contains(archive.FromReply,
			sheet.Status)) {
			c.unread++
		}
	}
	for _, cell := range record.Plan {
		if cell.Kind == store.KindAnswer {
			c.plannedAnswers += cell.Planned
		} else {
			c.plannedVerdicts += cell.Planned
		}
	}
	if err := c.questions(); err != nil {
		return err
	}
	var err error
	if c.labels, err = s.Labels(); err != nil {
		return err
	}
	if c.remade, err = c.remake(s); err != nil {
		return err
	}
	for _, check := range []func(*store.Store) error{c.selected, c.each, c.planned, c.summaries, c.attacks, c.pairs, c.rest, c.covered} {
		if err := check(s); err != nil {
			return err
		}
	}
	return nil
}

// questions finds the set whose hash the record has: its questions, or those before the ones
// that imports added.
func (c *Recheck) questions() error {
	recorded, hash := c.run.Questions, c.run.Made[0].DataHash
	for n := len(recorded); c.set == nil; n-- {
		if n < 0 {
			return archive.Differ("the recorded questions do not match the recorded hash (%s)", hash)
		}
		if config.HashOf(recorded[:n]) == hash {
			c.set = recorded[:n]
		}
	}
	c.byPair = map[string]data.Question{}
	for _, q := range c.set {
		c.byPair[q.Pair()] = q
	}
	return nil
}

// selected checks the recorded questions against the configuration's selection of arguments:
// the built-in set is selected again, and others have no argument that is left out. Whether the
// arguments of a file are reversed cannot be seen without the file.
func (c *Recheck) selected(*store.Store) error {
	cfg := c.remade.plan.Config
	if cfg.Dataset == data.CQA50Name {
		set, err := cfg.LoadQuestions()
		if err != nil || config.HashOf(set) != config.HashOf(c.set) {
			return archive.Differ("the recorded questions are not those of %s with the configuration's arguments", cfg.Dataset)
		}
	}
	by := cfg.Arguments
	by.Reverse = false
	if again, err := by.Select(c.set); err != nil || config.HashOf(again) != config.HashOf(c.set) {
		return archive.Differ("the recorded questions have arguments that the configuration leaves out")
	}
	return nil
}

// answersAtOnce is the number of answers in memory.
const answersAtOnce = 256

// each checks every answer and the verdicts on it, several at once; the first
// difference is the first in the order of answers' ids.
func (c *Recheck) each(s *store.Store) error {
	cells := map[store.CellKey]*cellCheck{}
	for _, cell := range c.run.Plan {
		if cell.Kind != store.KindAnswer {
			continue
		}
		of := &cellCheck{Recheck: c, cell: cell}
		if err := of.prepare(); err != nil {
			return err
		}
		cells[cell.Key()] = of
	}
	var some []archive.AnswerWithCalls
	check := func() error {
		found, faults := make([]counts, len(some)), make([]error, len(some))
		dataset.SideBySide(len(some), func(i int) error {
			a := some[i].Answer
			of := cells[store.CellKey{Kind: store.KindAnswer, System: a.System, Scenario: a.Scenario}]
			checked := answerCheck{cellCheck: of, counts: &found[i], a: a}
			faults[i] = checked.check(some[i])
			return nil
		})
		for i := range some {
			if faults[i] != nil {
				return faults[i]
			}
			c.add(found[i])
		}
		some = some[:0]
		return c.Ctx.Err()
	}
	err := archive.EachAnswer(s, c.run, c.replies, func(recorded archive.AnswerWithCalls) error {
		if some = append(some, recorded); len(some) < answersAtOnce {
			return nil
		}
		return check()
	})
	return cmp.Or(err, check())
}

// A cellCheck has the systems and judges of the answers of one cell, if this version
// of compqa can make the same answers and verdicts again.
type cellCheck struct {
	*Recheck
	cell     store.PlanCell
	embedded []scorer
	live     map[string]parties.Judge // by name
	system   *parties.System          // nil: the answers cannot be derived again
	scenario scenarios.Scenario
}

func (c *cellCheck) prepare() error { return cmp.Or(c.scorers(), c.models()) }

// An answerCheck checks an answer and the verdicts on it.
type answerCheck struct {
	*cellCheck
	*counts
	a data.Answer
}

func (c *answerCheck) check(recorded archive.AnswerWithCalls) error {
	if err := c.identity(); err != nil {
		return err
	}
	if err := c.answered(recorded.Output); err != nil {
		return err
	}
	if err := c.measure(c.run.Answers[recorded.At]); err != nil {
		return err
	}
	for _, j := range c.embedded {
		if err := c.score(j, recorded.At); err != nil {
			return err
		}
	}
	for _, v := range recorded.Verdicts {
		if err := c.judged(v); err != nil {
			return err
		}
	}
	return nil
}

// identity checks what an answer is an answer to.
func (c *answerCheck) identity() error {
	a := c.a
	q, known := c.byPair[a.Pair()]
	if known && a.Question != q.ID {
		return archive.Differ("answer %s: it is recorded for the question %q, but has the objects of %q", a.ID, a.Question, q.ID)
	}
	_, generated := c.remade.systems[a.System]
	if c.cell.Origin == store.FromConfig && generated && (!known || a.Object1 != q.Object1 || a.Object2 != q.Object2 || a.Aspect != q.Aspect) {
		return archive.Differ("answer %s: no question of the run has its objects and aspect", a.ID)
	}
	if id := data.AnswerID(a.System, a.Scenario, a.Question,
		a.Repeat); c.cell.Origin == store.FromConfig && c.remade.systems[a.System].Kind != "" && a.ID != id {
		return archive.Differ("answer %s: its system, scenario, question and repeat give the id %s", a.ID, id)
	}
	return nil
}

// imported reports whether the answers came with an import.
func (c *cellCheck) imported() bool { return c.cell.Origin != store.FromConfig }

// question is the one that a judge had before it.
func (c *answerCheck) question() data.Question {
	q := c.remade.plan.Question(c.a)
	if c.imported() {
		q.Arguments = nil // the imported system had others, or none
	}
	return q
}

func (c *answerCheck) measure(row dataset.AnswerRow) error {
	a := c.a
	q, known := c.byPair[a.Pair()]
	if !known {
		q = data.QuestionOf(a)
	}
	size := c.reader.SizeOf(q, a)
	if size.Words != row.Words || size.Sentences != row.Sentences {
		return archive.Differ("answer %s: the record says %d words and %d sentences, but its text has %d and %d", a.ID, row.Words, row.Sentences,
			size.Words, size.Sentences)
	}
	if row.Reading != nil && *row.Reading != *size.Reading {
		return archive.Differ("answer %s: its citations or its choice are recorded as %+v, but its text has %+v", a.ID, *row.Reading,
			*size.Reading)
	}
	return c.label(size.Labels)
}

// label reads the claims of an answer again.
func (c *answerCheck) label(labels []store.Labels) error {
	var now []store.RecordedLabels
	if !c.imported() {
		for _, l := range labels {
			now = append(now, store.RecordedLabels{Labels: l, Calls: "[]"})
		}
	}
	then := slices.DeleteFunc(slices.Clone(c.labels[c.a.ID]), func(l store.RecordedLabels) bool { return l.Judge != data.OfflineClaims })
	if !slices.Equal(now, then) {
		return archive.Differ("answer %s: the labels of its claims differ from those computed from its text and its arguments", c.a.ID)
	}
	c.labelled += len(now)
	return nil
}

// A scorer is an embedded judge as it stands in the record.
type scorer struct {
	at    int // index into the run's judges
	name  string
	score scoring.Judge
}

// verdictCells are the planned verdicts of judges of some kinds on the cell's
// answers, with the judges' places.
func (c *cellCheck) verdictCells(kinds ...string) (cells []store.PlanCell, at []int) {
	for _, v := range c.run.Plan {
		if v.Kind != store.KindVerdict || v.System != c.cell.System || v.Scenario != c.cell.Scenario {
			continue
		}
		i := slices.IndexFunc(c.run.Judges, func(p store.Participant) bool { return p.Name == v.Judge })
		if i >= 0 && slices.Contains(kinds, c.run.Judges[i].Kind) {
			cells, at = append(cells, v), append(at, i)
		}
	}
	return cells, at
}

// madeBy reports whether verdicts on the cell's answers are of the judge with an
// identity. It compares fingerprints.
func (c *cellCheck) madeBy(identity string, v store.PlanCell) bool {
	made := config.HashOf(identity, c.run.Rubric, c.cell.Fingerprint)
	return v.Fingerprint == made || v.Fingerprint == config.HashOf(made, c.run.Made[0].Seed) // of a sample
}

// scorers finds the embedded judges that scored the answers.
func (c *cellCheck) scorers() error {
	cells, at := c.verdictCells(config.KindEmbedded, config.KindFloor)
	for i, v := range cells {
		if v.Origin != store.FromConfig {
			add(&c.Recheck.rests, Rest{store.KindVerdict, v.Judge, v.Planned, "its calibration is not in the export"})
			continue
		}
		here := slices.IndexFunc(judges.Embedded, func(e scoring.Embedded) bool { return c.madeBy(e.Identity(), v) })
		if here < 0 {
			return c.otherwise("verdicts of "+v.Judge+" on "+v.System, v)
		}
		if score, err := judges.Embedded[here].New(c.run.Rubric); err == nil {
			c.embedded = append(c.embedded, scorer{at[i], v.Judge, score})
		}
	}
	return nil
}

// score compares an embedded judge's verdict with what the judge says now.
func (c *answerCheck) score(j scorer, at int) error {
	a := c.a
	i, found := slices.BinarySearchFunc(c.run.Sheets, dataset.Sheet{Judge: j.at, Answer: at}, func(x, y dataset.Sheet) int {
		return cmp.Or(cmp.Compare(x.Judge, y.Judge), cmp.Compare(x.Answer, y.Answer))
	})
	if !found {
		return nil
	}
	sheet, now := c.run.Sheets[i], data.Verdict{Status: data.Skipped}
	if a.Status == data.Valid {
		now = scoring.Settle(c.run.Rubric, j.score(c.Ctx, c.question(), a, nil))
		c.scored++
	}
	if now.Status != sheet.Status {
		return archive.Differ("verdict of %s on answer %s: recorded as %s, but the judge gives %s", j.name, a.ID, sheet.Status, now.Status)
	}
	for k, criterion := range c.run.Rubric.Criteria {
		if now.Status == data.Valid && now.Scores[criterion.ID] != sheet.Scores[k] {
			return archive.Differ("verdict of %s on answer %s: criterion %s is recorded with %v points, but the judge gives %v", j.name, a.ID,
				criterion.ID, sheet.Scores[k], now.Scores[criterion.ID])
		}
	}
	return nil
}
