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

// A Provenance describes everything that the results of a run depend on.
type Provenance struct {
	Part        string // PartAnswers or PartPairs; "" means PartAnswers
	Program     string // version of the program
	Revision    string // commit from which the program was built
	Config      string // resolved configuration, JSON
	Dataset     string
	DataHash    string
	Rubric      string // JSON
	RubricHash  string
	Templates   string // prompt templates by scenario id, JSON
	ReleaseHash string // hash of the authors' data release; "" if the run does not use it
	Sources     string // where pairs are from, JSON; "" for answers
	Seed        int64
}

// A Run is a Provenance with the times of its run.
type Run struct {
	Provenance
	Started  string
	Finished *string // nil if the run has not ended
}

// LatestRun returns the latest run of a part (PartAnswers or PartPairs).
func (s *Store) LatestRun(part string) (run Run, found bool, err error) {
	return First[Run](s, `SELECT `+Columns[Run]()+` FROM run WHERE part = ? ORDER BY id DESC`, part)
}

// The parts of a run. Each begins and ends independently of the other.
const (
	PartAnswers = "answers" // with verdicts and labels
	PartPairs   = "pairs"   // preferences, samples and grades
)

// BeginRun records the provenance of a run and returns the run's number. A run with a recorded provenance continues that run, under a new
// number. So the highest number is always the latest run, whatever the clock says.
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

// A Participant is a system, a judge of answers, or a judge of pairs. Tables sort them by position.
type Participant struct {
	Name   string
	Kind   string // systems: baseline, file, model, imported; judges: embedded, floor, file, model, imported, human
	Family string
	About  string
	Method string // of judges of pairs, as are Hinted and TrainedOn
	Hinted bool   // the judge is told which answer is better
	// TrainedOn is the data that the judge was trained on, according to its configuration: data.ReleaseRows, a set of pairs, or other
	// data.
	TrainedOn string
}

// Named returns the index of the party with a name, or -1.
func Named(parties []Participant, name string) int {
	return slices.IndexFunc(parties, func(p Participant) bool { return p.Name == name })
}

// A PlanCell is a cell of the plan: how many results of one kind a party is to make. Answers belong to a system in a scenario, verdicts
// and labels those of a judge on these answers, and preferences those of a judge on a set of pairs in one order.
type PlanCell struct {
	Kind        string // KindAnswer, KindVerdict, KindPreference, or one of data.LabelKinds
	Judge       string // "" for answers
	System      string // as Scenario, "" for preferences
	Scenario    string
	Planned     int
	Fingerprint string // hash of everything that the cell's results depend on
	Origin      string // FromConfig, FromPairs, or the import it came with
	Note        string // why missing results were skipped; "" if they are still to come

	Method, Dataset, Order string // of preferences

	Work    string          // hash of which results are planned; "": not stated
	Repeats int             `db:"-"` // highest planned repeat; 0: no limit
	Again   map[string]bool `db:"-"` // answers with one repeat more than Repeats
	Sample  map[string]bool `db:"-"` // answers to judge; nil: all
}

// The origins of cells that are planned by a configuration. Imported cells have the name of their import instead.
const (
	FromConfig = "config" // answers, verdicts and labels
	FromPairs  = "pairs"  // preferences
)

// SetPlan replaces the cells of one origin; cells of FromPairs it adds instead, since RetireCells ends the plan of a set.
//
// If the fingerprint of a cell has changed, SetPlan deletes its outdated results, and with answers the verdicts on them. It keeps their
// calls, so that no call is paid twice. Cells that are no longer planned keep their results, but reports do not show them until they are
// planned again.
func (b Batch) SetPlan(origin string, systems, judges []Participant, cells []PlanCell) error {
	role := RoleJudge
	first := 0 // configured parties come before imported ones
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

// importedPosition is the position of the first imported system or judge in tables.
const importedPosition = 1_000_000

// The roles of parties.
const (
	RoleSystem   = "system"
	RoleJudge    = "judge"
	RolePairwise = "pairwise"
)

// cell records a cell of the plan. If its fingerprint has changed, cell first deletes all its results; if only its work has changed, those
// that are no longer planned.
func (b Batch) cell(c PlanCell, origin string) error {
	var recorded, work string // the new values, if the cell is new
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

// kind returns the kind of a cell's results. For labels, the field Kind has a label kind instead of KindLabel.
func (c PlanCell) kind() Kind {
	if k, is := data.First(Kinds, func(k Kind) bool { return k.Name == c.Kind }); is {
		return k
	}
	return kind(KindLabel)
}

// results returns the kind of a cell's results and the SQL condition, with arguments, that selects them. A cell of pairs without a set
// selects the results of all sets. called returns the column names, as Kind.column or quoted Kind.called do.
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

// dropCell deletes the results of a cell. Within Import, it keeps the results that came with any import.
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

// dropAnswers deletes the answers that meet an SQL condition, with all verdicts, labels and attacks on them. Imports of such verdicts lose
// their fingerprint, so that they can be imported again.
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

// trimCell deletes results that a cell no longer plans: surplus repeats, and verdicts on answers outside the sample. It keeps their calls.
func (b Batch) trimCell(c PlanCell) {
	if c.Kind == KindAnswer && c.Repeats > 0 {
		b.dropAnswers(`system = ? AND scenario = ? AND repeat > ?`, c.System, c.Scenario, c.Repeats)
	}
	if c.Kind != KindVerdict {
		return // dropAnswers deletes labels, too
	}
	// an empty list instead of nil: JSON null would be a list of one NULL, and NOT IN would then select no row
	list := func(set map[string]bool) asJSON {
		return asJSON{value: append([]string{}, slices.Sorted(maps.Keys(set))...)}
	}
	b.tx.do(`DELETE FROM results WHERE party = ? AND kind = 'verdict' AND subject IN (SELECT id FROM answers WHERE system = ? AND scenario = ?)
		AND (? > 0 AND repeat > ? + (subject IN (SELECT value FROM json_each(?))) OR ? AND subject NOT IN (SELECT value FROM json_each(?)))`,
		c.Judge, c.System, c.Scenario, c.Repeats, c.Repeats, list(c.Again), c.Sample != nil, list(c.Sample))
}

// Question records a question; position is its index in the set.
func (b Batch) Question(q data.Question, position int) error {
	return put(b, "questions", q, "position", position)
}

// Questions records a set of questions in order. Recorded questions of an earlier set are moved behind them.
func (b Batch) Questions(set []data.Question) error {
	b.tx.do(`UPDATE questions SET position = max(position, ?)`, len(set))
	for i, q := range set {
		b.Question(q, i)
	}
	return b.tx.failed
}

// Answer records an answer, its size with its labels, and the ids of its calls. It deletes the labels of an earlier answer with the same
// id.
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

// LabelSource is the suffix of Unplaced.Source for rows that are labels, not verdicts.
const LabelSource = ", labels"

// An Unplaced is an imported row whose answer was not found.
type Unplaced struct {
	Judge, Source, System, Scenario, Aspect, Reason string
}

// Kind returns KindLabel or KindVerdict, according to what the row contains.
func (u Unplaced) Kind() string {
	if strings.HasSuffix(u.Source, LabelSource) {
		return KindLabel
	}
	return KindVerdict
}

// SetUnplaced replaces the unplaced rows of an import.
func (b Batch) SetUnplaced(origin string, rows []Unplaced) error {
	b.tx.do(`DELETE FROM unplaced WHERE origin = ?`, origin)
	for _, u := range rows {
		put(b, "unplaced", u, "origin", origin)
	}
	return b.tx.failed
}

// TemplateTexts returns the prompt templates by scenario id.
func (p Provenance) TemplateTexts() map[string]string {
	var templates map[string]string
	if json.Unmarshal([]byte(p.Templates), &templates) != nil {
		return nil
	}
	return templates
}

// KindRank is the sort key of judges in tables, by kind. Models, imported judges and files come first, then judges without a model,
// baselines and people.
var KindRank = map[string]int{"model": 0, "imported": 0, "file": 0, "embedded": 1, "floor": 2, "human": 3}

// PlannedParties returns the active parties of a role, in the order of the tables. Judges that give only labels are not among them.
func (s *Store) PlannedParties(role string) ([]Participant, error) {
	return Select[Participant](s, `SELECT `+Columns[Participant]()+` FROM parties WHERE role = ?1 AND (name, method) IN
		(SELECT iif(?1 = 'system', system, judge), method FROM plan WHERE active
			AND iif(?1 = 'pairwise', kind = 'preference', kind IN ('answer', 'verdict'))) ORDER BY position, name, method`, role)
}

// Unplaced returns the imported rows whose answers were not found, by judge and source.
func (s *Store) Unplaced() ([]Unplaced, error) {
	return Select[Unplaced](s, `SELECT `+Columns[Unplaced]()+` FROM unplaced ORDER BY judge, source`)
}

// Attacked returns all recorded attacks, by judge.
func (s *Store) Attacked() ([]AttackedAnswer, error) {
	return Select[AttackedAnswer](s, `SELECT `+Columns[AttackedAnswer]()+` FROM attacks ORDER BY judge, position, answer`)
}

// SystemSources returns the recorded sources, by system, of systems that take sources from a file.
func (s *Store) SystemSources() (map[string][]data.PairSources, error) {
	return Lookup[string, []data.PairSources](s, `SELECT name, sources FROM parties WHERE role = ? AND sources <> ''`, RoleSystem)
}
