package store

import (
	"database/sql"
	"slices"
	"strings"
	"unique"

	"compqa/data"
)

// Imported returns the plan's active cells of imported answers, or verdicts.
func (s *Store) Imported(kind string) ([]PlanCell, error) {
	return s.Plan(`kind = ? AND origin <> ?`, kind, FromConfig)
}

// Cells returns the plan's active cells of answers and verdicts of one origin.
func (s *Store) Cells(origin string) ([]PlanCell, error) {
	return s.Plan(OfPoints+` AND origin = ?`, origin)
}

// Conditions of Plan.
const (
	OfPoints = `kind IN ('answer', 'verdict')`
	OfLabels = `kind NOT IN ('answer', 'verdict', 'preference')`
	OfPairs  = `kind = 'preference'`
)

// Plan returns the plan's active cells that meet a condition, by kind, judge, system, scenario, method, set and order.
func (s *Store) Plan(where string, args ...any) ([]PlanCell, error) {
	return Select[PlanCell](s, `SELECT `+Columns[PlanCell]()+` FROM plan WHERE active AND `+where+
		` ORDER BY kind, judge, system, scenario, method, dataset, "order"`, args...)
}

// answerPage is the number of answers that EachAnswer reads at a time.
const answerPage = 256

// EachAnswer calls each for every recorded answer of a system in a scenario, sorted by
// id. No query is open between pages, so a slow caller does not block checkpoints.
func (s *Store) EachAnswer(system, scenario string, each func(data.Answer) error) error {
	for last := ""; ; {
		page, err := Select[data.Answer](s, `SELECT `+Columns[data.Answer]()+` FROM answers
			WHERE system = ? AND scenario = ? AND id > ? ORDER BY id LIMIT ?`, system, scenario,
			last, answerPage)
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

// ScoredBy returns the answers with a valid verdict of a judge whose name fits.
func (s *Store) ScoredBy(fits func(judge string) bool) (map[string]bool, error) {
	judges, err := Select[string](s, `SELECT DISTINCT judge FROM plan WHERE kind = 'verdict' AND active`)
	if err != nil {
		return nil, err
	}
	fitting := asJSON{value: data.Where(judges, fits)}
	ids, err := Select[string](s, `SELECT DISTINCT answer FROM verdicts WHERE judge IN (SELECT value FROM json_each(?)) AND status = ?`,
		fitting, data.Valid)
	return data.Among(ids), err
}

// A State is the status of a recorded result, and the fingerprint of its inputs where its cell does not have it.
type State struct {
	Status      data.Status
	Fingerprint string
}

// States returns the states of the recorded results of a cell, by their places.
func (s *Store) States(c PlanCell) (map[At]State, error) {
	states := map[At]State{}
	if s == nil {
		return states, nil
	}
	type row struct {
		At
		State
	}
	columns := Columns[row]()
	if c.Kind == KindAnswer {
		columns = `'', 'answer', id, '', '', '', 0, status, ''`
	}
	k, where, args := c.results(Kind.column)
	query := `SELECT ` + columns + ` FROM ` + k.table() + ` r WHERE ` + k.is() + ` AND ` + where
	err := s.each(query, args, func(rows *sql.Rows) error {
		var r row
		if err := rows.Scan(places(&r, false)...); err != nil {
			return err
		}
		// The results of a cell share the few words that there are.
		for _, word := range []*string{&r.Party, &r.Kind, &r.Variant, &r.Order, &r.Judge} {
			*word = unique.Make(*word).Value()
		}
		r.Status = unique.Make(r.Status).Value()
		states[r.At] = r.State
		return nil
	})
	return states, err
}

// ResultsOf returns the recorded results of a cell, by subject, party and the rest of the key: the columns of the kind with the names of
// T's fields.
func ResultsOf[T any](s *Store, c PlanCell) ([]T, error) {
	k, where, args := c.results(func(k Kind, column string) string { return `"` + k.called(column) + `"` })
	return Select[T](s, `SELECT `+Columns[T]()+` FROM `+k.View+` WHERE `+where+k.inOrder(), args...)
}

// ImportHash returns the hash of an import's contents, "" without an import. The
// fingerprint of an imported cell is this hash, a slash, and the hash of the rubric.
func (s *Store) ImportHash(origin string) (string, error) {
	fingerprint, err := Value[string](s, `SELECT coalesce(min(fingerprint), '') FROM plan WHERE active AND origin = ?
		AND fingerprint <> ''`, origin)
	hash, _, _ := strings.Cut(fingerprint, "/")
	return hash, err
}

// Brought are rows with the imports that they came with.
type (
	BroughtAnswer struct {
		data.Answer
		Origin string
	}
	BroughtVerdict struct {
		data.Verdict
		Origin string
	}
)

// brought selects the rows that an import brought, and those by other imports with one of some values in a column.
func brought[T any](s *Store, table, column, origin string, values []string, each func(T) error) error {
	var failed error
	err := Each(s, `SELECT `+Columns[T]()+` FROM `+table+` WHERE origin = ? OR origin <> '' AND `+column+` IN (SELECT value
		FROM json_each(?))`, []any{origin, asJSON{value: values}}, func(row T) error {
		failed = each(row)
		return failed
	})
	if failed != nil || s == nil {
		return failed
	}
	return WrapDBError("reading", s.Path, err)
}

// EachBroughtAnswer calls each with the answers that an import brought, and those by other imports that have one of the ids.
func (s *Store) EachBroughtAnswer(origin string, ids []string, each func(BroughtAnswer) error) error {
	return brought(s, "answers", "id", origin, ids, each)
}

// EachBroughtVerdict calls each with the verdicts that an import brought, and those by other imports of one of the judges.
func (s *Store) EachBroughtVerdict(origin string, judges []string, each func(BroughtVerdict) error) error {
	return brought(s, "verdicts", "judge", origin, judges, each)
}

// PeopleSheets returns the number of imported score sheets of people on some answers; nil: on all.
func (s *Store) PeopleSheets(answers []string) (int, error) {
	return Value[int](s, `SELECT count(*) FROM verdicts WHERE (judge = 'human' OR judge >= 'human:' AND judge < 'human;') AND origin <> ''
		AND (?1 = 'null' OR answer IN (SELECT value FROM json_each(?1)))`, asJSON{value: answers})
}

// PeopleJudges returns the people who have results of any kind.
func (s *Store) PeopleJudges() ([]string, error) {
	return Select[string](s, `SELECT DISTINCT party FROM (SELECT system AS party FROM answers UNION ALL SELECT party FROM results)
		WHERE `+Annotators("party")+` ORDER BY 1`)
}

// A LeftOut is how many valid sheets of an annotator the sheets of data.Human do not contain.
type LeftOut struct {
	Judge  string
	Sheets int
}

// LeftOut returns the judges and the numbers of an import's valid sheets of single people that are not part of the sheets of the
// judge human: another source has these for the system and scenario, or none for the answer.
func (s *Store) LeftOut(origin string) (list []LeftOut, err error) {
	return Select[LeftOut](s, `SELECT v.judge, count(*) FROM verdicts v CROSS JOIN answers a ON a.id = v.answer
		CROSS JOIN plan h ON h.kind = 'verdict' AND h.judge = 'human' AND h.system = a.system AND h.scenario = a.scenario AND h.active
		WHERE v.origin = ?1 AND `+Annotators("v.judge")+` AND v.judge <> 'human:adjudicated' AND v.status = 'valid' AND (h.origin <> ?1
			OR NOT EXISTS (SELECT 1 FROM verdicts o WHERE o.judge = 'human' AND o.answer = v.answer)) GROUP BY 1 ORDER BY 1`, origin)
}

// DropPeople deletes the results of people with their plan, and the means of people that came with them, and counts the results.
func (b Batch) DropPeople(judges []string) (n int, err error) {
	const listed = ` IN (SELECT value FROM json_each(?1))`
	list := asJSON{value: judges}
	for _, from := range []string{"plan WHERE judge", "results WHERE party"} { // the plan first: it reads verdicts
		b.tx.do(`DELETE FROM `+from+` = 'human' AND kind = 'verdict' AND origin IN (SELECT origin FROM verdicts WHERE judge`+listed+`)`, list)
	}
	n, err = b.remove(`party`+listed, list)
	if err != nil {
		return 0, err
	}
	for _, from := range []string{"plan WHERE judge", "unplaced WHERE judge", "parties WHERE role <> '" + RoleSystem + "' AND name"} {
		b.tx.do(`DELETE FROM `+from+listed, list)
	}
	return n, b.tx.failed
}

// DropSheets deletes the results of some kinds that a person gave of some answers or pairs, with verdicts the means of people on these
// answers that came with them, and counts the results. What else the person judged stays, also of the same answers.
func (b Batch) DropSheets(judge string, subjects []string, kinds ...string) (n int, err error) {
	list := asJSON{value: subjects}
	const listed = ` IN (SELECT value FROM json_each(?2))`
	if slices.Contains(kinds, KindVerdict) {
		b.tx.do(`DELETE FROM results AS r WHERE party = 'human' AND kind = 'verdict' AND EXISTS (SELECT 1 FROM verdicts v
			WHERE v.answer = r.subject AND v.origin = r.origin AND v.judge = ?1 AND v.answer`+listed+`)`, judge, list)
	}
	n, err = b.remove(`party = ?1 AND subject`+listed+` AND kind IN (SELECT value FROM json_each(?3))`, judge, list, asJSON{value: kinds})
	if err != nil {
		return 0, err
	}
	// Nobody waits for what is deleted, and cells lose their marks, so that the same file can be imported again.
	b.tx.do(`UPDATE plan SET fingerprint = '', planned = (SELECT count(*) FROM verdicts v JOIN answers a ON a.id = v.answer
		WHERE v.judge = plan.judge AND a.system = plan.system AND a.scenario = plan.scenario)
		WHERE kind = 'verdict' AND judge = ? AND origin <> 'config'`, judge)
	b.tx.do(`UPDATE plan SET planned = (SELECT count(*) FROM preferences r JOIN pairs q ON q.id = r.id
		WHERE r.judge = plan.judge AND r.method = plan.method AND r."order" = plan."order" AND q.dataset = plan.dataset)
		WHERE kind = 'preference' AND judge = ?`, judge)
	b.tx.do(`DELETE FROM plan WHERE kind IN ('verdict', 'preference') AND judge = ? AND planned = 0`, judge)
	return n, b.tx.failed
}

// MeansBeside returns the answers with a mean of people (judge human) that came from elsewhere than an import.
func (s *Store) MeansBeside(origin string) ([]string, error) {
	return Select[string](s, `SELECT answer FROM verdicts WHERE judge = 'human' AND origin <> ?`, origin)
}

// DropMeans deletes the means of people (judge human) on answers, so that they are computed of single people's sheets, and counts them.
func (b Batch) DropMeans(answers []string) (n int, err error) {
	return b.remove(`party = 'human' AND kind = 'verdict' AND subject IN (SELECT value FROM json_each(?1))`, asJSON{value: answers})
}

// Import replaces what an import brought before: write writes its rows again. Of its earlier answers, those that are gone or
// have changed are deleted with everything about them. Rows of other imports stay, also in the same cells; cells that
// lose verdicts with the answers still plan them. Systems and judges come from the new rows.
func (b Batch) Import(origin string, systems, judges, gone []string, write func(Batch) error) error {
	b.origin = origin
	shared := true // there may be rows in its cells, or in cells that it had, that it does not bring
	if err := b.tx.QueryRow(`SELECT EXISTS (SELECT 1 FROM plan WHERE origin = ?)
		OR EXISTS (SELECT 1 FROM answers WHERE origin <> '' AND system IN (SELECT value FROM json_each(?)))
		OR EXISTS (SELECT 1 FROM verdicts WHERE origin <> '' AND judge IN (SELECT value FROM json_each(?)))`,
		origin, asJSON{value: systems}, asJSON{value: judges}).Scan(&shared); err != nil {
		return err
	}
	b.tx.do(`DELETE FROM results WHERE kind = 'verdict' AND origin = ?`, origin)
	b.dropAnswers(`id IN (SELECT value FROM json_each(?))`, asJSON{value: gone})
	if err := write(b); err != nil || !shared {
		return err
	}
	return b.tx.do(`UPDATE plan SET planned = n, origin = iif(active, plan.origin, f.origin), fingerprint = iif(active, fingerprint, ''),
			active = 1
		FROM (SELECT 'verdict' AS kind, v.judge, a.system, a.scenario, max(v.origin) AS origin, count(*) AS n
			FROM verdicts v JOIN answers a ON a.id = v.answer WHERE v.origin <> '' GROUP BY 2, 3, 4
			UNION ALL SELECT 'answer', '', system, scenario, max(origin), count(*) FROM answers WHERE origin <> '' GROUP BY 3, 4) f
		WHERE (NOT active OR fingerprint <> '') AND plan.kind = f.kind AND plan.judge = f.judge
			AND plan.system = f.system AND plan.scenario = f.scenario`)
}

// A Place is the system and the scenario of an answer.
type Place struct{ System, Scenario string }

// AnswerPlaces returns the places of all recorded answers, by id.
func (s *Store) AnswerPlaces() (map[string]Place, error) {
	return Lookup[string, Place](s, `SELECT id, system, scenario FROM answers`)
}

// Configs returns the configurations of all runs of the record, JSON.
func (s *Store) Configs() ([]string, error) {
	return Select[string](s, `SELECT DISTINCT config FROM run WHERE config <> '' ORDER BY config`)
}

// LastConfig returns the configuration of the latest run, JSON; "" if none has begun.
func (s *Store) LastConfig() (string, error) {
	return Value[string](s, `SELECT config FROM run WHERE part = 'answers' ORDER BY id DESC`)
}

// Sources returns the recorded sources of a system; nil: it does not take them from a file.
func (s *Store) Sources(system string) ([]data.PairSources, error) {
	return Value[[]data.PairSources](s, `SELECT sources FROM parties WHERE role = ? AND name = ? AND sources <> ''`, RoleSystem, system)
}

// A CellKey names a planned cell.
type CellKey struct{ Kind, Judge, System, Scenario string }

// Key returns the cell's name.
func (c PlanCell) Key() CellKey { return CellKey{c.Kind, c.Judge, c.System, c.Scenario} }

// Fingerprints returns those of all recorded cells, whether planned now or not. A cell that
// is not recorded, or has another fingerprint, has no rows.
func (s *Store) Fingerprints() (map[CellKey]string, error) {
	return Lookup[CellKey, string](s, `SELECT kind, judge, system, scenario, fingerprint FROM plan WHERE kind <> 'preference'`)
}

// lastReport is the name of the last report's row in the table sums, which has none after the record was changed.
const lastReport = "last report"

// Reported is the state and the summary of the last report of a run.
type Reported struct {
	State   string // hash of everything that the tables depend on except answers and verdicts
	Summary string // as printed
}

// LastReport returns the last report, if nothing was recorded since then.
func (s *Store) LastReport() (Reported, error) {
	return Value[Reported](s, `SELECT sum, text FROM sums WHERE name = ?`, lastReport)
}

// SetReport marks the reports as up to date.
func (s *Store) SetReport(r Reported) error {
	return s.inTransaction(func(tx *writer) error {
		tx.stale = false
		return put(Batch{tx: tx}, "sums", tableSum{lastReport, 0, r.State}, "text", r.Summary)
	})
}

// AnswerCells returns the active cells of answers, or all on record, in the order of the tables.
func (s *Store) AnswerCells(all bool) ([]PlanCell, error) {
	return Select[PlanCell](s, `SELECT `+Columns[PlanCell]()+` FROM (SELECT p.*, s.position
		FROM plan p JOIN parties s ON s.role = 'system' AND s.name = p.system
		WHERE (p.active OR ?) AND p.kind = 'answer') ORDER BY position, system, scenario`, all)
}
