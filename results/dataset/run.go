package dataset

import (
	"cmp"
	"database/sql"
	"encoding/json"
	"fmt"
	"slices"

	"golang.org/x/sync/errgroup"

	"compqa/data"
	"compqa/results/store"
	"compqa/rubric"
)

// A Run is the planned rows of a record, in memory and in a fixed order. All tables are
// computed from it. Texts stay in the record.
type Run struct {
	Dirs      []string
	Made      []store.Provenance // latest of each record
	Begun     string             // when the latest of them began
	Rubric    rubric.Rubric
	Systems   []store.Participant // in order of tables
	Judges    []store.Participant // in order of tables; people last
	Plan      []store.PlanCell
	Questions []data.Question
	Answers   []AnswerRow // sorted by id
	Sheets    []Sheet     // sorted by judge (in order of tables), answer, repeat
	Unplaced  []store.Unplaced
	// Adaptations have what was learnt about the models of the run.
	Adaptations []store.Adaptation
	Costs       []store.CostAccount
	Attacked    []store.AttackedAnswer // of a single record
	LabelPlan   []store.PlanCell       // labels of summaries
	Renamed     map[string]string      // by the name of a system here, its name in its record, where records differ
	Busy        map[string]float64     // seconds in which calls of systems with tables were under way
}

type Reader struct {
	*store.Store
	Run      *Run
	answerAt map[string]int
	interned map[string]string
	pairs    map[[2]string]string
	paid     *store.Accounts
	endings  map[endingKey]*Ending

	answerCalls, sheetCalls store.RowCalls

	rescore Rescore // nil: verdicts are as recorded
	anew    Rereading
}

// loadRescored reads one record into memory, with its verdicts parsed by rescore.
func loadRescored(s *store.Store, dir string, rescore Rescore) (*Run, Rereading, error) {
	r := newReader(s, dir, rescore)
	if err := r.rows(); err != nil {
		return nil, Rereading{}, store.WrapDBError("reading", s.Path, err)
	}
	sortChanges(r.Run, r.anew.Changes)
	return r.Run, r.anew, nil
}

func newReader(s *store.Store, dir string, rescore Rescore) *Reader {
	return &Reader{Store: s, rescore: rescore, Run: &Run{Dirs: []string{dir}}, interned: map[string]string{}, pairs: map[[2]string]string{},
		paid: store.NewAccounts(), endings: map[endingKey]*Ending{}}
}

// rows reads everything. Attempts are read beside the rest: they are a third of the
// time of loading a million verdicts.
func (r *Reader) rows() error {
	var work errgroup.Group
	work.Go(func() error { return r.ReadAttempts(r.paid) })
	work.Go(func() error {
		for _, step := range []func() error{r.provenance, r.parties, r.plan, r.questions, r.answers, r.claims, r.summaries, r.sheets, r.unplaced,
			r.adaptations, r.Attacks} {
			if err := step(); err != nil {
				return err
			}
		}
		return nil
	})
	if err := work.Wait(); err != nil {
		return err
	}
	for i := range r.Run.Answers {
		r.Run.Answers[i].Cost = r.paid.Costs.Of(r.answerCalls.Of(i))
	}
	for i := range r.Run.Sheets {
		r.Run.Sheets[i].Cost = r.paid.Costs.Of(r.sheetCalls.Of(i))
	}
	r.Run.Costs = r.paid.Sorted()
	r.Run.sortSheets()
	return nil
}

func (r *Reader) provenance() error {
	var p store.Provenance
	err := r.Db.QueryRow(`SELECT program, revision, config, dataset, data_hash, rubric, rubric_hash, templates, release_hash, seed, started
		FROM run WHERE part = 'answers' ORDER BY id DESC LIMIT 1`).
		Scan(&p.Program, &p.Revision, &p.Config, &p.Dataset, &p.DataHash, &p.Rubric, &p.RubricHash, &p.Templates, &p.ReleaseHash, &p.Seed,
			&r.Run.Begun)
	if err == sql.ErrNoRows {
		return fmt.Errorf("it contains no run")
	}
	if err != nil {
		return err
	}
	r.Run.Made = []store.Provenance{p}
	return json.Unmarshal([]byte(p.Rubric), &r.Run.Rubric)
}

func (r *Reader) parties() error {
	for role, into := range map[string]*[]store.Participant{store.RoleSystem: &r.Run.Systems, store.RoleJudge: &r.Run.Judges} {
		var err error
		*into, err = store.Query(r.Store, `SELECT name, kind, family, about FROM parties WHERE role = ? AND name IN (SELECT `+role+` FROM plan
			WHERE active AND kind IN ('answer', 'verdict')) ORDER BY position, name`, []any{role},
			func(p *store.Participant) []any { return []any{&p.Name, &p.Kind, &p.Family, &p.About} })
		if err != nil {
			return err
		}
	}
	slices.SortStableFunc(r.Run.Judges, compareJudges)
	return nil
}

// compareJudges sorts judges by kind, and people by name: the order in which their files were
// imported has no meaning.
func compareJudges(a, b store.Participant) int {
	if order := cmp.Compare(store.KindRank[a.Kind], store.KindRank[b.Kind]); order != 0 || a.Kind != KindHuman {
		return order
	}
	return cmp.Compare(a.Name, b.Name)
}

func (r *Reader) plan() (err error) {
	r.Run.Plan, err = r.Store.Plan()
	return err
}

func (r *Reader) questions() error {
	return r.Each(`SELECT id, object1, object2, aspect, question, arguments FROM questions ORDER BY position, id`, nil,
		func(rows *sql.Rows) error {
			var q data.Question
			var arguments []byte
			if err := rows.Scan(&q.ID, &q.Object1, &q.Object2, &q.Aspect, &q.Text, &arguments); err != nil {
				return err
			}
			if err := json.Unmarshal(arguments, &q.Arguments); err != nil {
				return fmt.Errorf("arguments of question %s: %w", q.ID, err)
			}
			r.Run.Questions = append(r.Run.Questions, q)
			return nil
		})
}

// intern returns the first copy of a string that occurs in many rows.
func (r *Reader) intern(s string) string {
	if known, ok := r.interned[s]; ok {
		return known
	}
	r.interned[s] = s
	return s
}

// pairKey is data.PairKey, computed once for each pair of objects.
func (r *Reader) pairKey(object1, object2 string) string {
	both := [2]string{object1, object2}
	key, ok := r.pairs[both]
	if !ok {
		key = data.PairKey(object1, object2)
		r.pairs[both] = key
	}
	return key
}

func (r *Reader) unplaced() (err error) {
	r.Run.Unplaced, err = store.Query(r.Store, `SELECT judge, source, system, scenario, aspect, reason FROM unplaced ORDER BY judge, source`,
		nil,
		func(u *store.Unplaced) []any {
			return []any{&u.Judge, &u.Source, &u.System, &u.Scenario, &u.Aspect, &u.Reason}
		})
	return err
}

func (r *Reader) adaptations() (err error) {
	r.Run.Adaptations, err = r.Store.Adaptations()
	return err
}

// Planned is the planned number of answers of a cell, or of a judge's verdicts.
func (run *Run) Planned(kind, judge, system, scenario string) int {
	for _, c := range run.Plan {
		if c.Kind == kind && c.Judge == judge && c.System == system && c.Scenario == scenario {
			return c.Planned
		}
	}
	return 0
}

// Attacks reads the attacks in the order of the tables.
func (r *Reader) Attacks() (err error) {
	r.Run.Attacked, err = store.Query(r.Store, `SELECT judge, attack, position, about, spoils, answer, pair, before, after FROM attacks
		ORDER BY judge, position, answer`, nil,
		func(a *store.AttackedAnswer) []any {
			return []any{&a.Judge, &a.Attack, &a.Position, &a.About, &a.Spoils, &a.Answer, &a.Pair, &a.Before, &a.After}
		})
	return err
}
