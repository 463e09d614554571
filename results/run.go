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

// An AnswerRow is an answer without its texts.
type AnswerRow struct {
	ID, Question, Pair       string // the pair key is the cluster of every interval
	Object1, Object2, Aspect string
	System, Scenario         string
	Repeat                   int
	Status                   data.Status
	Reason                   string
	Size
	Cost *float64 // in the price list's currency; nil where nothing was paid for
}

// A Sheet is a verdict, its scores in the order of the rubric's criteria; nil
// unless it is valid.
type Sheet struct {
	Judge  int // index into Run.Judges
	Answer int // index into Run.Answers
	Repeat int
	Status data.Status
	Scores []float64
	Total  float64
	Reason string
	Cost   *float64
}

// scoreSlab is how many sheets' scores are allocated at once.
const scoreSlab = 1024

type reader struct {
	*Store
	run      *Run
	answerAt map[string]int
	interned map[string]string
	slab     []float64
}

// load reads one record into memory.
func (s *Store) load(dir string) (*Run, error) {
	r := &reader{Store: s, run: &Run{Dirs: []string{dir}}, answerAt: map[string]int{}, interned: map[string]string{}}
	for _, step := range []func() error{r.provenance, r.parties, r.plan, r.questions, r.answers, r.readings, r.sheets, r.unplaced, r.bills, r.attacks} {
		if err := step(); err != nil {
			return nil, fmt.Errorf("reading %s: %w", s.path, err)
		}
	}
	return r.run, nil
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

// costOf is a subquery: what the calls named in a row's column calls have cost;
// NULL where that is not known of every attempt.
const costOf = `(SELECT CASE WHEN count(cost) = count(*) THEN sum(cost) END FROM attempts WHERE call IN (SELECT value FROM json_each(calls)))`

func (r *reader) answers() error {
	return r.each(`SELECT a.id, a.question, a.object1, a.object2, a.aspect, a.system, a.scenario, a.repeat, a.status, a.reason, a.words, a.sentences,
			CASE WHEN calls = '[]' THEN NULL ELSE `+costOf+` END
		FROM answers a JOIN plan p ON p.kind = 'answer' AND p.judge = '' AND p.system = a.system AND p.scenario = a.scenario AND p.active ORDER BY a.id`, nil, func(rows *sql.Rows) error {
		var a AnswerRow
		if err := rows.Scan(&a.ID, &a.Question, &a.Object1, &a.Object2, &a.Aspect, &a.System, &a.Scenario, &a.Repeat, &a.Status, &a.Reason, &a.Words, &a.Sentences, &a.Cost); err != nil {
			return err
		}
		a.Pair = data.PairKey(a.Object1, a.Object2)
		for _, s := range []*string{&a.Question, &a.Pair, &a.Object1, &a.Object2, &a.Aspect, &a.System, &a.Scenario, &a.Reason} {
			*s = r.intern(*s)
		}
		a.Status = data.Status(r.intern(string(a.Status)))
		r.answerAt[a.ID] = len(r.run.Answers)
		r.run.Answers = append(r.run.Answers, a)
		return nil
	})
}

func (r *reader) sheets() error {
	planned := map[[3]string]bool{}
	for _, c := range r.run.Plan {
		if c.Kind == KindVerdict {
			planned[[3]string{c.Judge, c.System, c.Scenario}] = true
		}
	}
	for j, judge := range r.run.Judges {
		err := r.each(`SELECT answer, repeat, status, scores, total, reason, CASE WHEN calls = '[]' THEN NULL ELSE `+costOf+` END
			FROM verdicts WHERE judge = ? ORDER BY answer, repeat`, []any{judge.Name}, func(rows *sql.Rows) error {
			s := Sheet{Judge: j}
			var answer string
			var scores []byte
			var total *float64
			if err := rows.Scan(&answer, &s.Repeat, &s.Status, &scores, &total, &s.Reason, &s.Cost); err != nil {
				return err
			}
			at, ok := r.answerAt[answer]
			if !ok || !planned[[3]string{judge.Name, r.run.Answers[at].System, r.run.Answers[at].Scenario}] {
				return nil
			}
			s.Answer, s.Status, s.Reason = at, data.Status(r.intern(string(s.Status))), r.intern(s.Reason)
			if s.Status == data.Valid {
				if err := r.fill(&s, scores, total); err != nil {
					return fmt.Errorf("verdict of %s on %s: %w", judge.Name, answer, err)
				}
			}
			r.run.Sheets = append(r.run.Sheets, s)
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// fill reads the scores of a valid sheet; a sheet that is not complete is a
// fault of the record, never a zero.
func (r *reader) fill(s *Sheet, encoded []byte, total *float64) error {
	var scores data.Scores
	if err := json.Unmarshal(encoded, &scores); err != nil {
		return err
	}
	n := len(r.run.Rubric.Criteria)
	if len(r.slab) < n {
		r.slab = make([]float64, n*scoreSlab)
	}
	s.Scores, r.slab = r.slab[:n:n], r.slab[n:]
	for i, c := range r.run.Rubric.Criteria {
		points, ok := scores[c.ID]
		if !ok {
			return fmt.Errorf("it is recorded as valid but has no score for criterion %s", c.ID)
		}
		s.Scores[i] = points
	}
	if total == nil {
		return fmt.Errorf("it is recorded as valid but has no total")
	}
	s.Total = *total
	return nil
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
