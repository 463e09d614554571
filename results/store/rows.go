package store

import (
	"cmp"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"compqa/data"
)

// Provenance is everything that the results of a run depend on.
type Provenance struct {
	Part        string // PartAnswers or PartPairs; "" is the former
	Program     string // version
	Revision    string // commit the program was built from
	Config      string // resolved configuration, JSON
	Dataset     string
	DataHash    string
	Rubric      string // JSON
	RubricHash  string
	Templates   string // scenario id to text, JSON
	ReleaseHash string // "" without one
	Sources     string // where pairs are from, JSON; "" for answers
	Seed        int64
}

// The parts of a run, which begin and end by themselves.
const (
	PartAnswers = "answers" // with verdicts and labels
	PartPairs   = "pairs"   // preferences, samples and grades
)

// BeginRun records the provenance of the run and returns its number. The same
// provenance is the same run, continued under a new number, so the highest number is
// the latest one regardless of the clock.
func (b Batch) BeginRun(p Provenance, now time.Time) (id int64, err error) {
	p.Part = cmp.Or(p.Part, PartAnswers)
	err = b.tx.QueryRow(`SELECT id FROM run WHERE part = ? AND program = ? AND revision = ? AND config = ? AND dataset = ? AND data_hash = ?
		AND rubric_hash = ? AND templates = ? AND release_hash = ? AND sources = ? AND seed = ?`,
		p.Part, p.Program, p.Revision, p.Config, p.Dataset, p.DataHash, p.RubricHash, p.Templates, p.ReleaseHash, p.Sources, p.Seed).Scan(&id)
	switch err {
	case nil:
		err = b.tx.QueryRow(`UPDATE run SET id = (SELECT max(id) FROM run) + (id < (SELECT max(id) FROM run)), finished = NULL
			WHERE id = ? RETURNING id`,
			id).Scan(&id)
	case sql.ErrNoRows:
		err = b.tx.QueryRow(`INSERT INTO run (part, started, program, revision, config, dataset, data_hash, rubric, rubric_hash, templates,
			release_hash, sources, seed)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING id`, p.Part, timestamp(now), p.Program, p.Revision, p.Config, p.Dataset,
			p.DataHash,
			p.Rubric, p.RubricHash, p.Templates, p.ReleaseHash, p.Sources, p.Seed).Scan(&id)
	}
	if err != nil {
		return 0, fmt.Errorf("recording the run: %w", err)
	}
	return id, nil
}

// FinishRun records the end of the run.
func (s *Store) FinishRun(id int64, now time.Time) error {
	return s.inTransaction(func(tx *writer) error {
		return tx.do(`UPDATE run SET finished = ? WHERE id = ?`, timestamp(now), id)
	})
}

// A Participant is a system or a judge. Tables sort them by Position.
type Participant struct {
	Name   string
	Kind   string // systems: baseline, file, model, imported; judges: embedded, floor, file, model, imported, human
	Family string
	About  string
}

// A PlanCell is the planned number of answers of a system in a scenario, or of a
// judge's verdicts on them, or of its labels of one kind.
type PlanCell struct {
	Kind        string // KindAnswer, KindVerdict, or one of data.LabelKinds
	Judge       string // "" for answers
	System      string
	Scenario    string
	Planned     int
	Fingerprint string // hash of all that the cells' content depends on
	Origin      string // FromConfig, or the import it came with
	Note        string // why what is missing was skipped; "" for what is still to come

	Work    string          // hash of which results there are to be; "": not said
	Repeats int             // highest repeat there is to be; 0: any
	Again   map[string]bool // answers that have one repeat more
	Sample  map[string]bool // answers there are to be verdicts on; nil: all
}

// The kinds of planned cells, and the origin of those from a configuration.
const (
	KindAnswer  = "answer"
	KindVerdict = "verdict"
	KindLabel   = "label" // of parties and failures; cells have one of data.LabelKinds
	FromConfig  = "config"
	fromPairs   = "pairs"
)

// SetPlan replaces the plan's cells of one origin. If the fingerprint of a cell has
// changed, its answers and verdicts are outdated and deleted, with the verdicts on the
// deleted answers; their calls are kept, so that no call is paid for twice. Cells that
// are no longer planned keep their rows, but reports do not show them until they are
// planned again.
func (b Batch) SetPlan(origin string, systems, judges []Participant, cells []PlanCell) error {
	if err := b.tx.do(`UPDATE plan SET active = 0 WHERE origin = ?`, origin); err != nil {
		return err
	}
	first := 0 // the configuration's own come before the imported ones
	if origin != FromConfig {
		first = importedPosition
	}
	if err := putParties(b.tx, RoleSystem, systems, first); err != nil {
		return err
	}
	if err := putParties(b.tx, RoleJudge, judges, first); err != nil {
		return err
	}
	for _, c := range cells {
		if err := putCell(b.tx, c, origin); err != nil {
			return fmt.Errorf("recording the plan: %w", err)
		}
	}
	return nil
}

// importedPosition is the first position of imported systems and judges in tables.
const importedPosition = 1_000_000

// The roles of parties.
const (
	RoleSystem   = "system"
	RoleJudge    = "judge"
	RolePairwise = "pairwise"
)

func putParties(tx *writer, role string, parties []Participant, first int) error {
	for i, p := range parties {
		if err := putParty(tx, role, PairwiseJudge{Participant: p}, first+i); err != nil {
			return err
		}
	}
	return nil
}

func putParty(tx *writer, role string, p PairwiseJudge, position int) error {
	err := tx.put("parties", "role, name, method, position, kind, family, about, trained_on",
		role, p.Name, p.Method, position, p.Kind, p.Family, p.About, p.TrainedOn)
	if err != nil {
		return fmt.Errorf("recording the %s %s: %w", role, p.Name, err)
	}
	return nil
}

func putCell(tx *writer, c PlanCell, origin string) error {
	var recorded, work string
	err := tx.QueryRow(`SELECT fingerprint, work FROM plan WHERE kind = ? AND judge = ? AND system = ? AND scenario = ?`, c.Kind, c.Judge,
		c.System, c.Scenario).Scan(&recorded, &work)
	switch {
	case err == sql.ErrNoRows:
		err = nil
	case err == nil && recorded != c.Fingerprint:
		err = dropCell(tx, c)
	case err == nil && work != c.Work:
		err = trimCell(tx, c)
	}
	if err != nil {
		return err
	}
	return tx.do(`INSERT INTO plan (kind, judge, system, scenario, planned, fingerprint, origin, note, work, active) VALUES (?, ?, ?, ?, ?, ?,
		?, ?, ?, 1)
		ON CONFLICT DO UPDATE SET planned = excluded.planned, fingerprint = excluded.fingerprint,
			origin = excluded.origin, note = excluded.note, work = excluded.work, active = 1`,
		c.Kind, c.Judge, c.System, c.Scenario, c.Planned, c.Fingerprint, origin, c.Note, c.Work)
}

func dropCell(tx *writer, c PlanCell) error {
	const theirs = `answer IN (SELECT id FROM answers WHERE system = ? AND scenario = ?)`
	if c.Kind == KindVerdict {
		return verdicts.Delete(Batch{tx}, `judge = ? AND `+theirs, c.Judge, c.System, c.Scenario)
	}
	if c.Kind != KindAnswer {
		return labels.Delete(Batch{tx}, `judge = ? AND kind = ? AND `+theirs, c.Judge, c.Kind, c.System, c.Scenario)
	}
	b := Batch{tx}
	if err := errors.Join(verdicts.Delete(b, theirs, c.System, c.Scenario), labels.Delete(b, theirs, c.System, c.Scenario),
		answers.Delete(b, `system = ? AND scenario = ?`, c.System, c.Scenario)); err != nil {
		return err
	}
	return forgetImported(tx, c)
}

// forgetImported removes the marks of imports with verdicts on a cell's answers, so
// that they are imported again.
func forgetImported(tx *writer, c PlanCell) error {
	return tx.do(`UPDATE plan SET fingerprint = '' WHERE kind = 'verdict' AND system = ? AND scenario = ? AND origin <> ?`, c.System,
		c.Scenario, FromConfig)
}

// trimCell deletes rows that a cell no longer needs: surplus repeats, and verdicts on
// answers outside the sample. Their calls are kept.
func trimCell(tx *writer, c PlanCell) error {
	if c.Kind == KindAnswer {
		const beyond = `system = ? AND scenario = ? AND ? > 0 AND repeat > ?`
		judged, err := tx.Exec(`DELETE FROM verdicts WHERE answer IN (SELECT id FROM answers WHERE `+beyond+`)`, c.System, c.Scenario, c.Repeats,
			c.Repeats)
		if err != nil {
			return err
		}
		if err := tx.do(`DELETE FROM labels WHERE answer IN (SELECT id FROM answers WHERE `+beyond+`)`, c.System, c.Scenario, c.Repeats,
			c.Repeats); err != nil {
			return err
		}
		if err := tx.do(`DELETE FROM answers WHERE `+beyond, c.System, c.Scenario, c.Repeats, c.Repeats); err != nil {
			return err
		}
		if n, err := judged.RowsAffected(); err != nil || n == 0 {
			return err
		}
		return forgetImported(tx, c)
	}
	if c.Kind != KindVerdict {
		return nil // the labels of answers that are dropped go with them
	}
	sample, err := json.Marshal(slices.Sorted(maps.Keys(c.Sample)))
	if err != nil {
		return err
	}
	again, err := json.Marshal(slices.Sorted(maps.Keys(c.Again)))
	if err != nil {
		return err
	}
	return tx.do(`DELETE FROM verdicts WHERE judge = ? AND answer IN (SELECT id FROM answers WHERE system = ? AND scenario = ?)
		AND (? > 0 AND repeat > ? + (answer IN (SELECT value FROM json_each(?))) OR ? AND answer NOT IN (SELECT value FROM json_each(?)))`,
		c.Judge, c.System, c.Scenario, c.Repeats, c.Repeats, string(again), c.Sample != nil, string(sample))
}

// A Batch writes rows in one transaction.
type Batch struct {
	tx *writer
}

// Write runs do in one transaction: everything is recorded, or nothing.
func (s *Store) Write(do func(Batch) error) error {
	return s.inTransaction(func(tx *writer) error {
		if !tx.stale {
			if err := tx.do(`DELETE FROM sums WHERE name = ?`, lastReport); err != nil {
				return err
			}
			tx.stale = true
		}
		return do(Batch{tx})
	})
}

// Question records a question; position is its index in the set.
func (b Batch) Question(q data.Question, position int) error {
	arguments, err := json.Marshal(q.Arguments)
	if err != nil {
		return err
	}
	return b.tx.put("questions", "id, position, object1, object2, aspect, question, arguments",
		q.ID, position, q.Object1, q.Object2, q.Aspect, q.Text, string(arguments))
}

// A Size is the length of an answer and its other measurements, nil if there are
// none.
type Size struct {
	Words, Sentences int
	Reading          *Reading
	Labels           []Labels // made without a model, when the answer is recorded
}

// Labels are a judge's statements about an answer, other than points. A judge without a model
// has no reason, raw text or calls.
type Labels struct {
	Judge, Kind string
	Status      data.Status
	Labels      string // JSON
	Reason, Raw string
}

// Labels records the labels of an answer.
func (b Batch) Labels(answer string, l Labels, calls []int64) error {
	return labels.Put(b, labelRow{answer, l}, calls)
}

// Answer records an answer, its size, and the ids of its calls. Labels of an earlier answer go.
func (b Batch) Answer(a data.Answer, size Size, calls []int64) error {
	measured := make([]any, 8) // NULL without a reading
	if r := size.Reading; r != nil {
		measured = []any{r.Citations, r.Unknown, r.Generated, r.Choice, r.Cited[0], r.Cited[1], r.Made[0], r.Made[1]}
	}
	err := answers.putWith(b, a, "calls, words, sentences, citations, unknown, generated, choice, cited1, cited2, made1, made2",
		append([]any{ids(calls), size.Words, size.Sentences}, measured...)...)
	if err == nil {
		err = b.tx.do(`DELETE FROM labels WHERE answer = ?`, a.ID)
	}
	for _, l := range size.Labels {
		if err == nil {
			err = b.Labels(a.ID, l, nil)
		}
	}
	return err
}

// Sources records the sources of a system that takes them from a file.
func (b Batch) Sources(system string, sets []data.PairSources) error {
	text, err := json.Marshal(sets)
	if err != nil {
		return err
	}
	return b.tx.do(`UPDATE parties SET sources = ? WHERE role = ? AND name = ?`, string(text), RoleSystem, system)
}

// Verdict records a verdict and the ids of its calls. A valid verdict has all scores
// and a total; otherwise the scores are kept as parsed.
func (b Batch) Verdict(v data.Verdict, calls []int64) error { return verdicts.Put(b, v, calls) }

// LabelSource ends the source of an unplaced row that is labels, and no verdict.
const LabelSource = ", labels"

// An Unplaced is an imported row whose answer was not found.
type Unplaced struct {
	Judge, Source, System, Scenario, Aspect, Reason string
}

// SetUnplaced replaces the unplaced rows of one origin.
func (b Batch) SetUnplaced(origin string, rows []Unplaced) error {
	if err := b.tx.do(`DELETE FROM unplaced WHERE origin = ?`, origin); err != nil {
		return err
	}
	for _, u := range rows {
		if err := b.tx.put("unplaced", "origin, judge, source, system, scenario, aspect, reason",
			origin, u.Judge, u.Source, u.System, u.Scenario, u.Aspect, u.Reason); err != nil {
			return err
		}
	}
	return nil
}

// ids is the column calls of a result: ids of calls in JSON.
func ids(calls []int64) string {
	if len(calls) == 0 {
		return "[]"
	}
	text, _ := json.Marshal(calls) // numbers always encode
	return string(text)
}

// A Reading is the measurements of an answer's text about its arguments, made when the
// answer was recorded.
type Reading struct {
	Citations int          // numbers of arguments in square brackets
	Unknown   int          // of these, numbers that no argument of the question has
	Generated int          // [generated] tags
	Choice    data.Favours // of the answer's two objects; Neither where it says so, "" where it makes no choice
	Cited     [2]int       // sentences with a citation, by the object they speak for
	Made      [2]int       // sentences with nothing but a [generated] tag, likewise
}

// templates are the texts of the scenarios, by id.
func (p Provenance) TemplateTexts() map[string]string {
	var templates map[string]string
	if json.Unmarshal([]byte(p.Templates), &templates) != nil {
		return nil
	}
	return templates
}

// KindRank sorts judges in tables: models and imported judges first, then judges
// without a model, then floors, then people.
var KindRank = map[string]int{"model": 0, "imported": 0, "file": 0, "embedded": 1, "floor": 2, "human": 3}
