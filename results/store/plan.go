package store

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
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

// A Run is one way in which a record was made.
type Run struct {
	Provenance
	Started  string
	Finished *string // nil: it did not come to its end
}

// LatestRun returns the latest run of a part.
func (s *Store) LatestRun(part string) (run Run, found bool, err error) {
	return First[Run](s, `SELECT `+Columns[Run]()+` FROM run WHERE part = ? ORDER BY id DESC`, part)
}

// The parts of a run, which begin and end by themselves.
const (
	PartAnswers = "answers" // with verdicts and labels
	PartPairs   = "pairs"   // preferences, samples and grades
)

// BeginRun records the provenance of the run and returns its number. The same provenance is the same run, continued under a
// new number, so the highest number is the latest one regardless of the clock.
func (b Batch) BeginRun(p Provenance, now time.Time) (id int64, err error) {
	p.Part = cmp.Or(p.Part, PartAnswers)
	values := places(&p, true)
	err = b.tx.QueryRow(`SELECT coalesce(max(id), 0) FROM run WHERE (`+shapeOf(reflect.TypeOf(p)).names+`) =
		(?`+strings.Repeat(", ?", len(values)-1)+`)`, values...).Scan(&id)
	if err == nil && id == 0 {
		err = put(b, "run", p, "started", timestamp(now))
	} else if err == nil {
		err = b.tx.do(`UPDATE run SET id = (SELECT max(id) FROM run) + (id < (SELECT max(id) FROM run)), finished = NULL WHERE id = ?`, id)
	}
	if err == nil {
		err = b.tx.QueryRow(`SELECT max(id) FROM run`).Scan(&id)
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

// A Participant is a system or a judge, of answers or of pairs. Tables sort them by Position.
type Participant struct {
	Name   string
	Kind   string // systems: baseline, file, model, imported; judges: embedded, floor, file, model, imported, human
	Family string
	About  string
	Method string // of judges of pairs, as the next two
	Hinted bool   // told which answer is better
	// TrainedOn is data that the judge was trained on, by its configuration: data.ReleaseRows, a
	// set of pairs, or other data.
	TrainedOn string
}

// Named returns the index of the party with a name, -1 if there is none.
func Named(parties []Participant, name string) int {
	return slices.IndexFunc(parties, func(p Participant) bool { return p.Name == name })
}

// A PlanCell is the planned number of answers of a system in a scenario, or of a
// judge's verdicts on them, or of its labels of one kind; or of its preferences on a set in one order.
type PlanCell struct {
	Kind        string // KindAnswer, KindVerdict, KindPreference, or one of data.LabelKinds
	Judge       string // "" for answers
	System      string // system and scenario: "" for preferences
	Scenario    string
	Planned     int
	Fingerprint string // hash of all that the cells' content depends on
	Origin      string // FromConfig, FromPairs, or the import it came with
	Note        string // why what is missing was skipped; "" for what is still to come

	Method, Dataset, Order string // of preferences

	Work    string          // hash of which results there are to be; "": not said
	Repeats int             `db:"-"` // highest repeat there is to be; 0: any
	Again   map[string]bool `db:"-"` // answers that have one repeat more
	Sample  map[string]bool `db:"-"` // answers there are to be verdicts on; nil: all
}

// The origin of planned cells from a configuration: those of answers, verdicts and labels, and those of preferences.
const (
	FromConfig = "config"
	FromPairs  = "pairs"
)

// SetPlan replaces the plan's cells of one origin; of FromPairs it adds to them, as RetireCells ends the plan of a set. If the
// fingerprint of a cell has changed, its answers and verdicts are outdated and deleted, with the verdicts on the deleted answers; their
// calls are kept, so that no call is paid for twice. Cells that are no longer planned keep their rows, but reports do not show them until
// they are planned again.
func (b Batch) SetPlan(origin string, systems, judges []Participant, cells []PlanCell) error {
	role := RoleJudge
	first := 0 // the configuration's own come before the imported ones
	switch origin {
	case FromPairs:
		role = RolePairwise
	case FromConfig:
	default:
		first = importedPosition
	}
	if origin != FromPairs {
		b.tx.do(`UPDATE plan SET active = 0 WHERE origin = ?`, origin)
	}
	for i, p := range systems {
		put(b, "parties", p, "role", RoleSystem, "position", first+i)
	}
	for i, p := range judges {
		put(b, "parties", p, "role", role, "position", first+i)
	}
	for _, c := range cells {
		if err := b.cell(c, origin); err != nil {
			return fmt.Errorf("recording the plan: %w", err)
		}
	}
	return b.tx.failed
}

// importedPosition is the first position of imported systems and judges in tables.
const importedPosition = 1_000_000

// The roles of parties.
const (
	RoleSystem   = "system"
	RoleJudge    = "judge"
	RolePairwise = "pairwise"
)

func (b Batch) cell(c PlanCell, origin string) error {
	var recorded, work string // this cell's, if it is new
	err := b.tx.QueryRow(`SELECT coalesce(min(fingerprint), ?), coalesce(min(work), ?) FROM plan WHERE kind = ? AND judge = ? AND system = ?
		AND scenario = ? AND method = ? AND dataset = ? AND "order" = ?`, c.Fingerprint, c.Work, c.Kind, c.Judge, c.System, c.Scenario, c.Method,
		c.Dataset, c.Order).Scan(&recorded, &work)
	switch {
	case err != nil:
		return err
	case recorded != c.Fingerprint:
		b.dropCell(c)
	case work != c.Work:
		b.trimCell(c)
	}
	c.Origin = origin
	return put(b, "plan", c, "active", true)
}

// kind returns the kind of the results of a cell. Cells of labels have the kind of the labels in its place.
func (c PlanCell) kind() Kind {
	if k, is := data.First(Kinds, func(k Kind) bool { return k.Name == c.Kind }); is {
		return k
	}
	return kind(KindLabel)
}

// results returns the kind of the results of a cell and the condition for them: what the cell names of its party and its subjects. A
// cell of pairs without a set has those of all sets. called names the columns.
func (c PlanCell) results(called func(k Kind, column string) string) (k Kind, where string, args []any) {
	k = c.kind()
	var terms []string
	equal := func(column, value string) {
		if value != "" {
			terms = append(terms, called(k, column)+" = ?")
			args = append(args, value)
		}
	}
	within := called(k, "subject") + ` IN (SELECT id FROM `
	switch {
	case k.Name == KindAnswer:
		equal("party", c.System)
		equal("scenario", c.Scenario)
	case k.ofAnswers():
		equal("party", c.Judge)
		if k.Name == KindLabel {
			equal("variant", c.Kind)
		}
		if c.System != "" {
			terms = append(terms, within+`answers WHERE system = ? AND scenario = ?)`)
			args = append(args, c.System, c.Scenario)
		}
	default:
		equal("party", c.Judge)
		equal("variant", c.Method)
		equal("order", c.Order)
		if c.Dataset != "" {
			terms = append(terms, within+`pairs WHERE dataset = ?)`)
			args = append(args, c.Dataset)
		}
	}
	return k, strings.Join(append(terms, "true"), " AND "), args
}

// dropCell deletes the results of a cell; a batch of an import leaves those of all imports.
func (b Batch) dropCell(c PlanCell) {
	k, where, args := c.results(Kind.column)
	if b.origin != "" && k.Name != KindLabel {
		where += " AND origin = ''"
	}
	if k.Name == KindAnswer {
		b.dropAnswers(where, args...)
		return
	}
	b.tx.do(`DELETE FROM results AS r WHERE `+k.is()+` AND `+where, args...)
}

// dropAnswers deletes the answers that meet a condition, and what is about them. Imports with verdicts
// on them lose their marks, so that they can be imported again.
func (b Batch) dropAnswers(where string, args ...any) {
	these := ` FROM answers WHERE ` + where
	for _, text := range []string{
		`UPDATE plan SET fingerprint = '' WHERE kind = 'verdict' AND origin <> 'config' AND (judge, system, scenario) IN
			(SELECT v.judge, a.system, a.scenario FROM (SELECT id, system, scenario` + these + `) a JOIN verdicts v ON v.answer = a.id)`,
		`DELETE FROM attacks WHERE EXISTS (SELECT 1` + these + `)`,
		`DELETE FROM results WHERE kind IN ('verdict', 'label') AND subject IN (SELECT id` + these + `)`,
		`DELETE` + these,
	} {
		b.tx.do(text, args...)
	}
}

// trimCell deletes rows that a cell no longer needs: surplus repeats, and verdicts on
// answers outside the sample. Their calls are kept.
func (b Batch) trimCell(c PlanCell) {
	if c.Kind == KindAnswer && c.Repeats > 0 {
		b.dropAnswers(`system = ? AND scenario = ? AND repeat > ?`, c.System, c.Scenario, c.Repeats)
	}
	if c.Kind != KindVerdict {
		return // the labels of answers that are dropped go with them
	}
	// never nil, because null would be a list of NULL, and no row would be outside it
	list := func(set map[string]bool) asJSON {
		return asJSON{value: append([]string{}, slices.Sorted(maps.Keys(set))...)}
	}
	b.tx.do(`DELETE FROM results WHERE party = ? AND kind = 'verdict' AND subject IN (SELECT id FROM answers WHERE system = ? AND scenario = ?)
		AND (? > 0 AND repeat > ? + (subject IN (SELECT value FROM json_each(?))) OR ? AND subject NOT IN (SELECT value FROM json_each(?)))`,
		c.Judge, c.System, c.Scenario, c.Repeats, c.Repeats, list(c.Again), c.Sample != nil, list(c.Sample))
}

// A Batch writes rows in one transaction.
type Batch struct {
	tx     *writer
	origin string // the import that answers and verdicts come with
}

// Write runs do in one transaction: everything is recorded, or nothing.
func (s *Store) Write(do func(Batch) error) error {
	return s.inTransaction(func(tx *writer) error {
		if !tx.stale {
			tx.do(`DELETE FROM sums WHERE name = ?`, lastReport)
			tx.stale = true
		}
		return do(Batch{tx: tx})
	})
}

// Question records a question; position is its index in the set.
func (b Batch) Question(q data.Question, position int) error {
	return put(b, "questions", q, "position", position)
}

// Questions records a set of questions in their order. Those that an earlier set had come after them.
func (b Batch) Questions(set []data.Question) error {
	b.tx.do(`UPDATE questions SET position = max(position, ?)`, len(set))
	for i, q := range set {
		b.Question(q, i)
	}
	return b.tx.failed
}

// Answer records an answer, its size, and the ids of its calls. Labels of an earlier answer go.
func (b Batch) Answer(a data.Answer, size Size, calls []int64) error {
	put(b, "answers", answer{a, size, calls}, "origin", b.origin)
	b.tx.do(`DELETE FROM results WHERE kind = 'label' AND subject = ?`, a.ID)
	for _, l := range size.Labels {
		b.Labels(a.ID, l, nil)
	}
	return b.tx.failed
}

// Sources records the sources of a system that takes them from a file.
func (b Batch) Sources(system string, sets []data.PairSources) error {
	return b.tx.do(`UPDATE parties SET sources = ? WHERE role = ? AND name = ?`, asJSON{value: sets}, RoleSystem, system)
}

// LabelSource ends the source of an unplaced row that is labels, and no verdict.
const LabelSource = ", labels"

// An Unplaced is an imported row whose answer was not found.
type Unplaced struct {
	Judge, Source, System, Scenario, Aspect, Reason string
}

// Kind returns what the row would be: a verdict, or labels.
func (u Unplaced) Kind() string {
	if strings.HasSuffix(u.Source, LabelSource) {
		return KindLabel
	}
	return KindVerdict
}

// SetUnplaced replaces the unplaced rows of one origin.
func (b Batch) SetUnplaced(origin string, rows []Unplaced) error {
	b.tx.do(`DELETE FROM unplaced WHERE origin = ?`, origin)
	for _, u := range rows {
		put(b, "unplaced", u, "origin", origin)
	}
	return b.tx.failed
}

// TemplateTexts returns the texts of the scenarios, by id.
func (p Provenance) TemplateTexts() map[string]string {
	var templates map[string]string
	if json.Unmarshal([]byte(p.Templates), &templates) != nil {
		return nil
	}
	return templates
}

// KindRank sorts judges in tables: models and imported judges first, then judges without a model, then floors, then people.
var KindRank = map[string]int{"model": 0, "imported": 0, "file": 0, "embedded": 1, "floor": 2, "human": 3}

// PlannedParties returns the systems, judges or judges of pairs that the plan has, in the order of tables. Judges of labels alone are
// not among them.
func (s *Store) PlannedParties(role string) ([]Participant, error) {
	return Select[Participant](s, `SELECT `+Columns[Participant]()+` FROM parties WHERE role = ?1 AND (name, method) IN
		(SELECT iif(?1 = 'system', system, judge), method FROM plan WHERE active
			AND iif(?1 = 'pairwise', kind = 'preference', kind IN ('answer', 'verdict'))) ORDER BY position, name, method`, role)
}

// Unplaced returns the imported rows whose answers were not found, by judge and source.
func (s *Store) Unplaced() ([]Unplaced, error) {
	return Select[Unplaced](s, `SELECT `+Columns[Unplaced]()+` FROM unplaced ORDER BY judge, source`)
}

// Attacked returns the recorded attacks of judges, by judge.
func (s *Store) Attacked() ([]AttackedAnswer, error) {
	return Select[AttackedAnswer](s, `SELECT `+Columns[AttackedAnswer]()+` FROM attacks ORDER BY judge, position, answer`)
}

// SystemSources returns the recorded sources of the systems that take them from a file.
func (s *Store) SystemSources() (map[string][]data.PairSources, error) {
	return Lookup[string, []data.PairSources](s, `SELECT name, sources FROM parties WHERE role = ? AND sources <> ''`, RoleSystem)
}
