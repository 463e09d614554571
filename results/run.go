package results

import (
	"cmp"
	"database/sql"
	"encoding/json"
	"fmt"
	"slices"

	"compqa/data"
	"compqa/rubric"
)

// A Run is what a record holds and its plan asks for, in memory and in a fixed
// order: what every table is computed from. Texts stay in the record.
type Run struct {
	Dirs      []string
	Made      []Provenance // latest of each record
	Rubric    rubric.Rubric
	Systems   []Party // in order of tables
	Judges    []Party // in order of tables; people last
	Plan      []PlanCell
	Questions []data.Question
	Answers   []AnswerRow // sorted by id
	Sheets    []Sheet     // sorted by judge (in order of tables), answer, repeat
	Unplaced  []Unplaced
	Bills     []Bill
	Attacked  []AttackedAnswer // of a single record
}

type reader struct {
	*Store
	run      *Run
	answerAt map[string]int
	interned map[string]string
	pairs    map[[2]string]string
	paid     *payments
	endings  map[Ending]*Ending

	rescore Rescore // nil: verdicts are as recorded
	anew    Rereading
}

// loadRescored reads one record into memory, with its verdicts as rescore reads
// them, and says what came of that.
func (s *Store) loadRescored(dir string, rescore Rescore) (*Run, Rereading, error) {
	r := s.newReader(dir, rescore)
	if err := r.rows(); err != nil {
		return nil, Rereading{}, fault("reading", s.path, err)
	}
	sortChanges(r.run, r.anew.Changes)
	return r.run, r.anew, nil
}

func (s *Store) newReader(dir string, rescore Rescore) *reader {
	return &reader{Store: s, rescore: rescore, run: &Run{Dirs: []string{dir}}, interned: map[string]string{}, pairs: map[[2]string]string{}, paid: newPayments(), endings: map[Ending]*Ending{}}
}

// rows reads everything, and what was paid first: answers and verdicts name the
// calls that they rest on.
func (r *reader) rows() error {
	for _, step := range []func() error{
		func() error { return r.readAttempts(r.paid) },
		r.provenance, r.parties, r.plan, r.questions, r.answers, r.readings, r.sheets, r.unplaced, r.attacks,
	} {
		if err := step(); err != nil {
			return err
		}
	}
	r.run.Bills = r.paid.sortedBills()
	r.run.sortSheets()
	return nil
}

// each runs a query and calls scan for each of its rows.
func (s *Store) each(query string, args []any, scan func(*sql.Rows) error) error {
	rows, err := s.db.Query(query, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := scan(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

func (r *reader) provenance() error {
	var p Provenance
	err := r.db.QueryRow(`SELECT program, revision, config, dataset, data_hash, rubric, rubric_hash, templates, release_hash, seed FROM run ORDER BY id DESC LIMIT 1`).
		Scan(&p.Program, &p.Revision, &p.Config, &p.Dataset, &p.DataHash, &p.Rubric, &p.RubricHash, &p.Templates, &p.ReleaseHash, &p.Seed)
	if err == sql.ErrNoRows {
		return fmt.Errorf("no run was ever begun in it")
	}
	if err != nil {
		return err
	}
	r.run.Made = []Provenance{p}
	return json.Unmarshal([]byte(p.Rubric), &r.run.Rubric)
}

// kindRank orders judges in tables: models and imported ones first, then those
// without a model, then floors, people last.
var kindRank = map[string]int{"model": 0, "imported": 0, "file": 0, "embedded": 1, "floor": 2, "human": 3}

func (r *reader) parties() error {
	for table, into := range map[string]*[]Party{"systems": &r.run.Systems, "judges": &r.run.Judges} {
		column := map[string]string{"systems": "system", "judges": "judge"}[table]
		err := r.each(`SELECT name, kind, family, about FROM `+table+` WHERE name IN (SELECT `+column+` FROM plan WHERE active) ORDER BY position, name`, nil, func(rows *sql.Rows) error {
			var p Party
			err := rows.Scan(&p.Name, &p.Kind, &p.Family, &p.About)
			*into = append(*into, p)
			return err
		})
		if err != nil {
			return err
		}
	}
	slices.SortStableFunc(r.run.Judges, func(a, b Party) int { return cmp.Compare(kindRank[a.Kind], kindRank[b.Kind]) })
	return nil
}

func (r *reader) plan() error {
	return r.each(`SELECT kind, judge, system, scenario, planned, fingerprint, origin, note FROM plan WHERE active ORDER BY kind, judge, system, scenario`, nil, func(rows *sql.Rows) error {
		var c PlanCell
		err := rows.Scan(&c.Kind, &c.Judge, &c.System, &c.Scenario, &c.Planned, &c.Fingerprint, &c.Origin, &c.Note)
		r.run.Plan = append(r.run.Plan, c)
		return err
	})
}

func (r *reader) questions() error {
	return r.each(`SELECT id, object1, object2, aspect, question, arguments FROM questions ORDER BY position, id`, nil, func(rows *sql.Rows) error {
		var q data.Question
		var arguments []byte
		if err := rows.Scan(&q.ID, &q.Object1, &q.Object2, &q.Aspect, &q.Text, &arguments); err != nil {
			return err
		}
		if err := json.Unmarshal(arguments, &q.Arguments); err != nil {
			return fmt.Errorf("arguments of question %s: %w", q.ID, err)
		}
		r.run.Questions = append(r.run.Questions, q)
		return nil
	})
}

// intern keeps one copy of a string that stands in many rows.
func (r *reader) intern(s string) string {
	if known, ok := r.interned[s]; ok {
		return known
	}
	r.interned[s] = s
	return s
}

// pairKey is data.PairKey, folded once for each two objects.
func (r *reader) pairKey(object1, object2 string) string {
	both := [2]string{object1, object2}
	key, ok := r.pairs[both]
	if !ok {
		key = data.PairKey(object1, object2)
		r.pairs[both] = key
	}
	return key
}

func (r *reader) unplaced() error {
	return r.each(`SELECT judge, source, system, scenario, aspect, reason FROM unplaced ORDER BY judge, source`, nil, func(rows *sql.Rows) error {
		var u Unplaced
		err := rows.Scan(&u.Judge, &u.Source, &u.System, &u.Scenario, &u.Aspect, &u.Reason)
		r.run.Unplaced = append(r.run.Unplaced, u)
		return err
	})
}

// Planned is how many answers, or verdicts of a judge, a system's cell is to
// have: what the plan says, and never fewer than are recorded.
func (run *Run) Planned(kind, judge, system, scenario string) int {
	for _, c := range run.Plan {
		if c.Kind == kind && c.Judge == judge && c.System == system && c.Scenario == scenario {
			return c.Planned
		}
	}
	return 0
}
