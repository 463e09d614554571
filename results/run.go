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

// slab is how many scores or costs are allocated at once.
const slab = 1 << 14

type reader struct {
	*Store
	run      *Run
	answerAt map[string]int
	interned map[string]string
	pairs    map[[2]string]string
	costs    *callCosts
	paid     []float64 // room for costs
	scored   map[string][]float64
	scores   []float64 // room for scores

	rescore Rescore // nil: verdicts are as recorded
	anew    Rereading
}

// loadRescored reads one record into memory, with its verdicts as rescore reads
// them, and says what came of that.
func (s *Store) loadRescored(dir string, rescore Rescore) (*Run, Rereading, error) {
	r := &reader{Store: s, rescore: rescore, run: &Run{Dirs: []string{dir}}, answerAt: map[string]int{}, interned: map[string]string{}, pairs: map[[2]string]string{}, scored: map[string][]float64{}}
	for _, step := range []func() error{r.provenance, r.parties, r.plan, r.questions, r.paidFor, r.answers, r.readings, r.sheets, r.unplaced, r.attacks} {
		if err := step(); err != nil {
			return nil, Rereading{}, fault("reading", s.path, err)
		}
	}
	sortChanges(r.run, r.anew.Changes)
	return r.run, r.anew, nil
}

func (r *reader) paidFor() (err error) {
	r.run.Bills, r.costs, err = r.readAttempts()
	return err
}

// cost is what the calls of a row have cost, nil where that is not known.
func (r *reader) cost(calls []byte) *float64 {
	sum, known := r.costs.of(calls)
	if !known {
		return nil
	}
	if len(r.paid) == 0 {
		r.paid = make([]float64, slab)
	}
	at := &r.paid[0]
	*at, r.paid = sum, r.paid[1:]
	return at
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

// internBytes is intern of what a row holds.
func (r *reader) internBytes(b []byte) string {
	if known, ok := r.interned[string(b)]; ok {
		return known
	}
	return r.intern(string(b))
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

func (r *reader) answers() error {
	return r.each(`SELECT a.id, a.question, a.object1, a.object2, a.aspect, a.system, a.scenario, a.repeat, a.status, a.reason, a.words, a.sentences, a.calls
		FROM answers a JOIN plan p ON p.kind = 'answer' AND p.judge = '' AND p.system = a.system AND p.scenario = a.scenario AND p.active ORDER BY a.id`, nil, func(rows *sql.Rows) error {
		var a AnswerRow
		var calls sql.RawBytes
		if err := rows.Scan(&a.ID, &a.Question, &a.Object1, &a.Object2, &a.Aspect, &a.System, &a.Scenario, &a.Repeat, &a.Status, &a.Reason, &a.Words, &a.Sentences, &calls); err != nil {
			return err
		}
		a.Cost = r.cost(calls)
		a.Pair = r.pairKey(a.Object1, a.Object2)
		for _, s := range []*string{&a.Question, &a.Object1, &a.Object2, &a.Aspect, &a.System, &a.Scenario, &a.Reason} {
			*s = r.intern(*s)
		}
		a.Status = data.Status(r.intern(string(a.Status)))
		r.answerAt[a.ID] = len(r.run.Answers)
		r.run.Answers = append(r.run.Answers, a)
		return nil
	})
}

// sheets reads the verdicts as they lie in the record, which is faster by far
// than in order, and sorts them.
func (r *reader) sheets() error {
	judges, planned, cellOf := r.verdictCells()
	raw := "''"
	if r.rescore != nil {
		raw = "raw"
	}
	err := r.each(`SELECT judge, answer, repeat, status, scores, total, reason, calls, `+raw+` FROM verdicts`, nil, func(rows *sql.Rows) error {
		var judge, answer, status, scores, reason, calls, raw sql.RawBytes
		var total *float64
		var s Sheet
		if err := rows.Scan(&judge, &answer, &s.Repeat, &status, &scores, &total, &reason, &calls, &raw); err != nil {
			return err
		}
		j, known := judges[string(judge)]
		at, placed := r.answerAt[string(answer)]
		if !known || !placed || !planned[j][cellOf[at]] {
			return nil
		}
		s.Judge, s.Answer, s.Status, s.Reason = j, at, data.Status(r.internBytes(status)), r.internBytes(reason)
		s.Cost = r.cost(calls)
		if r.rescore != nil {
			v, err := r.reread(r.run.Judges[j], data.Verdict{Answer: r.run.Answers[at].ID, Judge: r.run.Judges[j].Name, Repeat: s.Repeat,
				Status: s.Status, Total: total, Reason: s.Reason, Raw: string(raw)}, scores)
			if err == nil {
				scores, err = json.Marshal(v.Scores)
			}
			if err != nil {
				return fmt.Errorf("verdict of %s on %s: %w", judge, answer, err)
			}
			s.Status, s.Reason, total = v.Status, r.intern(v.Reason), v.Total
		}
		if s.Status == data.Valid {
			if err := r.fill(&s, scores, total); err != nil {
				return fmt.Errorf("verdict of %s on %s: %w", judge, answer, err)
			}
		}
		r.run.Sheets = append(r.run.Sheets, s)
		return nil
	})
	slices.SortFunc(r.run.Sheets, func(a, b Sheet) int {
		return cmp.Or(cmp.Compare(a.Judge, b.Judge), cmp.Compare(a.Answer, b.Answer), cmp.Compare(a.Repeat, b.Repeat))
	})
	return err
}

// verdictCells says which verdicts are planned: by a judge's index and the number
// of an answer's cell. It makes room for all of them.
func (r *reader) verdictCells() (judges map[string]int, planned []map[int]bool, cellOf []int) {
	judges, planned = map[string]int{}, make([]map[int]bool, len(r.run.Judges))
	for j, judge := range r.run.Judges {
		judges[judge.Name], planned[j] = j, map[int]bool{}
	}
	numbers, all := map[Place]int{}, 0
	number := func(p Place) int {
		n, ok := numbers[p]
		if !ok {
			n = len(numbers)
			numbers[p] = n
		}
		return n
	}
	for _, c := range r.run.Plan {
		if j, known := judges[c.Judge]; known && c.Kind == KindVerdict {
			planned[j][number(Place{c.System, c.Scenario})] = true
			all += c.Planned
		}
	}
	cellOf = make([]int, len(r.run.Answers))
	for i, a := range r.run.Answers {
		cellOf[i] = number(Place{a.System, a.Scenario})
	}
	r.run.Sheets = make([]Sheet, 0, all)
	return judges, planned, cellOf
}

// fill reads the scores of a valid sheet; a sheet that is not complete is a
// fault of the record, never a zero. Of sheets with the same scores, which there
// are many of among a million, all have the same slice.
func (r *reader) fill(s *Sheet, encoded []byte, total *float64) error {
	if total == nil {
		return fmt.Errorf("it is recorded as valid but has no total")
	}
	s.Total = *total
	if known, ok := r.scored[string(encoded)]; ok {
		s.Scores = known
		return nil
	}
	var scores data.Scores
	if err := json.Unmarshal(encoded, &scores); err != nil {
		return err
	}
	n := len(r.run.Rubric.Criteria)
	if len(r.scores) < n {
		r.scores = make([]float64, max(n, slab))
	}
	s.Scores, r.scores = r.scores[:n:n], r.scores[n:]
	for i, c := range r.run.Rubric.Criteria {
		points, ok := scores[c.ID]
		if !ok {
			return fmt.Errorf("it is recorded as valid but has no score for criterion %s", c.ID)
		}
		s.Scores[i] = points
	}
	r.scored[string(encoded)] = s.Scores
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
