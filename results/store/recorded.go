package store

import (
	"database/sql"
	"encoding/json"
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

// Plan are the plan's active cells.
func (s *Store) Plan() ([]PlanCell, error) { return s.cells(`true`) }

func (s *Store) cells(where string, args ...any) ([]PlanCell, error) {
	return Query(s, `SELECT kind, judge, system, scenario, planned, fingerprint, origin, note FROM plan WHERE active AND kind IN ('answer',
		'verdict') AND `+where+` ORDER BY kind, judge, system, scenario`, args, planCell)
}

func planCell(c *PlanCell) []any {
	return []any{&c.Kind, &c.Judge, &c.System, &c.Scenario, &c.Planned, &c.Fingerprint, &c.Origin, &c.Note}
}

// AnswerStatuses are the statuses of the recorded answers of a system in a scenario,
// by id.
func (s *Store) AnswerStatuses(system, scenario string) (map[string]data.Status, error) {
	return lookup(s, `SELECT id, status FROM answers WHERE system = ? AND scenario = ?`, []any{system, scenario},
		func(id *string, status *data.Status) []any { return []any{id, status} })
}

// answerPage is the number of answers that EachAnswer reads at a time.
const answerPage = 256

// EachAnswer calls each for every recorded answer of a system in a scenario, sorted by
// id. No query is open between pages, so a slow caller does not block checkpoints.
func (s *Store) EachAnswer(system, scenario string, each func(data.Answer) error) error {
	for last := ""; ; {
		page, err := answers.Load(s, `system = ? AND scenario = ? AND id > ?`, `id LIMIT ?`, system, scenario, last, answerPage)
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

// ScoredBy are the answers with a valid verdict of a judge whose name fits.
func (s *Store) ScoredBy(fits func(judge string) bool) (ids []string, err error) {
	judges, err := Query(s, `SELECT DISTINCT judge FROM plan WHERE kind = 'verdict' AND active`, nil,
		func(j *string) []any { return []any{j} })
	for _, judge := range judges {
		if err != nil || !fits(judge) {
			continue
		}
		var of []string
		of, err = Query(s, `SELECT DISTINCT answer FROM verdicts WHERE judge = ? AND status = ?`, []any{judge, data.Valid},
			func(id *string) []any { return []any{id} })
		ids = append(ids, of...)
	}
	return ids, err
}

// A VerdictKey identifies a verdict of a judge.
type VerdictKey struct {
	Answer string
	Repeat int
}

// VerdictStatuses are the statuses of a judge's recorded verdicts on the answers of a
// system in a scenario.
func (s *Store) VerdictStatuses(judge, system, scenario string) (map[VerdictKey]data.Status, error) {
	return lookup(s, `SELECT v.answer, v.repeat, v.status FROM answers a CROSS JOIN verdicts v ON v.judge = ? AND v.answer = a.id
		WHERE a.system = ? AND a.scenario = ?`, // CROSS: in this order
		[]any{judge, system, scenario}, func(k *VerdictKey, status *data.Status) []any { return []any{&k.Answer, &k.Repeat, status} })
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
// result; skipped ones do not count. ids are those of its answers.
func (s *Store) Invalid(c PlanCell, ids []string) (int, error) {
	list, err := json.Marshal(ids)
	if err != nil {
		return 0, err
	}
	if c.Kind != KindAnswer && c.Kind != KindVerdict {
		return s.invalidLabels(c, string(list))
	}
	query := `SELECT count(*) FROM answers WHERE id IN (SELECT value FROM json_each(?)) AND status IN ('valid', 'skipped')`
	if c.Kind == KindVerdict {
		query = `SELECT count(*) FROM verdicts WHERE answer IN (SELECT value FROM json_each(?)) AND judge = ? AND status IN ('valid', 'skipped')`
	}
	var fine int
	err = s.Db.QueryRow(query, string(list), c.Judge).Scan(&fine)
	return c.Planned - fine, WrapDBError("reading", s.Path, err)
}

func (s *Store) invalidLabels(c PlanCell, ids string) (int, error) {
	var fine int
	err := s.Db.QueryRow(`SELECT count(*) FROM labels WHERE answer IN (SELECT value FROM json_each(?)) AND judge = ? AND kind = ?
		AND status IN ('valid', 'skipped', 'empty')`, ids, c.Judge, c.Kind).Scan(&fine)
	return c.Planned - fine, WrapDBError("reading", s.Path, err)
}

// LabelCells are the plan's active cells of labels, in the order of judges, systems and scenarios.
func (s *Store) LabelCells() ([]PlanCell, error) {
	return Query(s, `SELECT kind, judge, system, scenario, planned, fingerprint, origin, note FROM plan WHERE active
		AND kind NOT IN ('answer', 'verdict', 'preference') ORDER BY judge, system, scenario, kind`, nil, planCell)
}

// LabelStatuses are the statuses of a judge's recorded labels of one kind on the answers of a
// system in a scenario, by answer.
func (s *Store) LabelStatuses(c PlanCell) (map[string]data.Status, error) {
	return lookup(s, `SELECT l.answer, l.status FROM labels l JOIN answers a ON a.id = l.answer WHERE l.judge = ? AND l.kind = ?
		AND a.system = ? AND a.scenario = ?`,
		[]any{c.Judge, c.Kind, c.System, c.Scenario}, func(id *string, status *data.Status) []any { return []any{id, status} })
}

// A Place is the system and the scenario of an answer.
type Place struct{ System, Scenario string }

// AnswerPlaces are the places of all recorded answers, by id.
func (s *Store) AnswerPlaces() (map[string]Place, error) {
	return lookup(s, `SELECT id, system, scenario FROM answers`, nil, func(id *string, p *Place) []any {
		return []any{id, &p.System,
			&p.Scenario}
	})
}

// LastConfig is the configuration of the latest run, JSON; "" if none has begun.
func (s *Store) LastConfig() (config string, err error) {
	err = s.Db.QueryRow(`SELECT config FROM run WHERE part = 'answers' ORDER BY id DESC LIMIT 1`).Scan(&config)
	if err == sql.ErrNoRows {
		return "", nil
	}
	return config, WrapDBError("reading", s.Path, err)
}

// Sources are the recorded sources of a system; nil: it does not take them from a file.
func (s *Store) Sources(system string) (sets []data.PairSources, err error) {
	const query = `SELECT sources FROM parties WHERE role = ? AND name = ? AND sources <> ''`
	texts, err := Query(s, query, []any{RoleSystem, system}, func(text *[]byte) []any { return []any{text} })
	if err != nil || len(texts) == 0 {
		return nil, err
	}
	return sets, json.Unmarshal(texts[0], &sets)
}
