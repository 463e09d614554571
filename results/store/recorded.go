package store

import (
	"database/sql"
	"fmt"
	"strings"

	"compqa/data"
)

// Imported are the plan's active cells of imported answers.
func (s *Store) Imported() ([]PlanCell, error) {
	return s.cells(`kind = 'answer' AND origin <> ?`, FromConfig)
}

// ImportedVerdicts are the plan's active cells of imported verdicts.
func (s *Store) ImportedVerdicts() ([]PlanCell, error) {
	return s.cells(`kind = 'verdict' AND origin <> ?`, FromConfig)
}

// Cells are the plan's active cells of one origin.
func (s *Store) Cells(origin string) ([]PlanCell, error) {
	return s.cells(`origin = ?`, origin)
}

func (s *Store) cells(where string, args ...any) ([]PlanCell, error) {
	var cells []PlanCell
	err := s.Each(`SELECT kind, judge, system, scenario, planned, fingerprint, origin, note FROM plan WHERE active AND `+where+` ORDER BY kind, judge, system, scenario`,
		args, func(rows *sql.Rows) error {
			var c PlanCell
			err := rows.Scan(&c.Kind, &c.Judge, &c.System, &c.Scenario, &c.Planned, &c.Fingerprint, &c.Origin, &c.Note)
			cells = append(cells, c)
			return err
		})
	return cells, err
}

// AnswerStatuses are the statuses of the recorded answers of a system in a scenario,
// by id.
func (s *Store) AnswerStatuses(system, scenario string) (map[string]data.Status, error) {
	statuses := map[string]data.Status{}
	err := s.Each(`SELECT id, status FROM answers WHERE system = ? AND scenario = ?`, []any{system, scenario}, func(rows *sql.Rows) error {
		var id string
		var status data.Status
		err := rows.Scan(&id, &status)
		statuses[id] = status
		return err
	})
	return statuses, err
}

// answerPage is the number of answers that EachAnswer reads at a time.
const answerPage = 256

// EachAnswer calls each for every recorded answer of a system in a scenario, sorted by
// id. No query is open between pages, so a slow caller does not block checkpoints.
func (s *Store) EachAnswer(system, scenario string, each func(data.Answer) error) error {
	for last := ""; ; {
		page, err := s.answerPage(system, scenario, last)
		if err != nil {
			return err
		}
		for _, a := range page {
			if err := each(a); err != nil {
				return err
			}
		}
		if len(page) < answerPage {
			return nil
		}
		last = page[len(page)-1].ID
	}
}

func (s *Store) answerPage(system, scenario, after string) ([]data.Answer, error) {
	var page []data.Answer
	err := s.Each(`SELECT id, question, object1, object2, aspect, repeat, status, text, reasoning, reason
		FROM answers WHERE system = ? AND scenario = ? AND id > ? ORDER BY id LIMIT ?`, []any{system, scenario, after, answerPage}, func(rows *sql.Rows) error {
		a := data.Answer{System: system, Scenario: scenario}
		err := rows.Scan(&a.ID, &a.Question, &a.Object1, &a.Object2, &a.Aspect, &a.Repeat, &a.Status, &a.Text, &a.Reasoning, &a.Reason)
		page = append(page, a)
		return err
	})
	return page, err
}

// A VerdictKey identifies a verdict of a judge.
type VerdictKey struct {
	Answer string
	Repeat int
}

// VerdictStatuses are the statuses of a judge's recorded verdicts on the answers of a
// system in a scenario.
func (s *Store) VerdictStatuses(judge, system, scenario string) (map[VerdictKey]data.Status, error) {
	statuses := map[VerdictKey]data.Status{}
	err := s.Each(`SELECT v.answer, v.repeat, v.status FROM answers a JOIN verdicts v ON v.judge = ? AND v.answer = a.id WHERE a.system = ? AND a.scenario = ?`,
		[]any{judge, system, scenario}, func(rows *sql.Rows) error {
			var k VerdictKey
			var status data.Status
			err := rows.Scan(&k.Answer, &k.Repeat, &status)
			statuses[k] = status
			return err
		})
	return statuses, err
}

// ImportHash is the hash of an import's contents, "" without an import. The
// fingerprint of an imported cell is this hash, a slash, and the hash of the rubric.
func (s *Store) ImportHash(origin string) (string, error) {
	var fingerprint *string
	err := s.Db.QueryRow(`SELECT min(fingerprint) FROM plan WHERE active AND origin = ?`, origin).Scan(&fingerprint)
	if err != nil || fingerprint == nil {
		return "", err
	}
	hash, _, _ := strings.Cut(*fingerprint, "/")
	return hash, nil
}

// Invalid is the number of planned answers or verdicts of a cell without a valid
// result; skipped ones do not count.
func (s *Store) Invalid(c PlanCell) (int, error) {
	query := `SELECT count(*) FROM answers WHERE system = ?1 AND scenario = ?2 AND status IN ('valid', 'skipped')`
	if c.Kind == KindVerdict {
		query = `SELECT count(*) FROM answers a JOIN verdicts v ON v.judge = ?3 AND v.answer = a.id WHERE a.system = ?1 AND a.scenario = ?2 AND v.status IN ('valid', 'skipped')`
	}
	var fine int
	if err := s.Db.QueryRow(query, c.System, c.Scenario, c.Judge).Scan(&fine); err != nil {
		return 0, fmt.Errorf("reading the record: %w", err)
	}
	return max(0, c.Planned-fine), nil
}

// A Place is the system and the scenario of an answer.
type Place struct{ System, Scenario string }

// AnswerPlaces are the places of all recorded answers, by id.
func (s *Store) AnswerPlaces() (map[string]Place, error) {
	places := map[string]Place{}
	err := s.Each(`SELECT id, system, scenario FROM answers`, nil, func(rows *sql.Rows) error {
		var id string
		var p Place
		err := rows.Scan(&id, &p.System, &p.Scenario)
		places[id] = p
		return err
	})
	return places, err
}

// Begun reports whether the record has a provenance.
func (s *Store) Begun() (bool, error) {
	var runs int
	err := s.Db.QueryRow(`SELECT count(*) FROM run`).Scan(&runs)
	return runs > 0, err
}
