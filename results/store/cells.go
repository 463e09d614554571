package store

import (
	"database/sql"
	"slices"
	"strings"
	"unique"

	"compqa/data"
)

// Imported returns the active cells of imported answers or verdicts. kind is KindAnswer or KindVerdict.
func (s *Store) Imported(kind string) ([]PlanCell, error) {
	return s.Plan(`kind = ? AND origin <> ?`, kind, FromConfig)
}

// Cells returns the active cells of answers and verdicts that have a given origin.
func (s *Store) Cells(origin string) ([]PlanCell, error) {
	return s.Plan(OfPoints+` AND origin = ?`, origin)
}

// SQL conditions to pass to Plan.
const (
	OfPoints = `kind IN ('answer', 'verdict')`
	OfLabels = `kind NOT IN ('answer', 'verdict', 'preference')`
	OfPairs  = `kind = 'preference'`
)

// Plan returns the active cells that meet an SQL condition, sorted by kind, judge, system, scenario, method, set and order.
func (s *Store) Plan(where string, args ...any) ([]PlanCell, error) {
	return Select[PlanCell](s, `SELECT `+Columns[PlanCell]()+` FROM plan WHERE active AND `+where+
		` ORDER BY kind, judge, system, scenario, method, dataset, "order"`, args...)
}

// answerPage is the number of answers that EachAnswer reads at a time.
const answerPage = 256

// EachAnswer calls each for every recorded answer of a system in a scenario, sorted by id. It reads page by page: no query is open while
// each runs, so a slow caller does not block checkpoints.
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

// ScoredBy returns the ids of answers with a valid verdict by any planned judge for whose name fits is true.
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

// A State is the status of a recorded result. Fingerprint is the hash of its inputs; it is "" for results whose cell has the fingerprint.
type State struct {
	Status      data.Status
	Fingerprint string
}

// States returns the states of the recorded results of a cell, by their keys.
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
		// The results share a few words, so keep one copy of each word in memory.
		for _, word := range []*string{&r.Party, &r.Kind, &r.Variant, &r.Order, &r.Judge} {
			*word = unique.Make(*word).Value()
		}
		r.Status = unique.Make(r.Status).Value()
		states[r.At] = r.State
		return nil
	})
	return states, err
}

// ResultsOf returns the recorded results of a cell, sorted by subject, party and the rest of the key. T's fields name the columns to read.
func ResultsOf[T any](s *Store, c PlanCell) ([]T, error) {
	k, where, args := c.results(func(k Kind, column string) string { return `"` + k.called(column) + `"` })
	return Select[T](s, `SELECT `+Columns[T]()+` FROM `+k.View+` WHERE `+where+k.inOrder(), args...)
}

// ImportHash returns the hash of an import's contents, or "" without such an import. The fingerprint of an imported cell is this hash,
// a slash, and the hash of the rubric.
func (s *Store) ImportHash(origin string) (string, error) {
	fingerprint, err := Value[string](s, `SELECT coalesce(min(fingerprint), '') FROM plan WHERE active AND origin = ?
		AND fingerprint <> ''`, origin)
	hash, _, _ := strings.Cut(fingerprint, "/")
	return hash, err
}

// Imported rows with the name of their import.
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

// brought calls each with all rows of an import, and with rows of other imports whose value in a column is one of values.
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

// EachBroughtAnswer calls each with the answers of an import, and with answers of other imports that have one of the ids.
func (s *Store) EachBroughtAnswer(origin string, ids []string, each func(BroughtAnswer) error) error {
	return brought(s, "answers", "id", origin, ids, each)
}

// EachBroughtVerdict calls each with the verdicts of an import, and with verdicts of other imports by one of the judges.
func (s *Store) EachBroughtVerdict(origin string, judges []string, each func(BroughtVerdict) error) error {
	return brought(s, "verdicts", "judge", origin, judges, each)
}

// PeopleSheets returns the number of imported score sheets that people gave for some answers, or for all answers if answers is nil.
func (s *Store) PeopleSheets(answers []string) (int, error) {
	return Value[int](s, `SELECT count(*) FROM verdicts WHERE (judge = 'human' OR judge >= 'human:' AND judge < 'human;') AND origin <> ''
		AND (?1 = 'null' OR answer IN (SELECT value FROM json_each(?1)))`, asJSON{value: answers})
}

// PeopleJudges returns the names of the people who have results of any kind.
func (s *Store) PeopleJudges() ([]string, error) {
	return Select[string](s, `SELECT DISTINCT party FROM (SELECT system AS party FROM answers UNION ALL SELECT party FROM results)
		WHERE `+Annotators("party")+` ORDER BY 1`)
}

// A LeftOut counts valid sheets of an annotator that are not part of the mean of people (the judge human).
type LeftOut struct {
	Judge  string
	Sheets int
}

// LeftOut returns, for each single person of an import, the number of valid sheets that are not part of the mean of people (the judge
// human). Either another import has the means for this system and scenario, or the answer has no mean.
func (s *Store) LeftOut(origin string) (list []LeftOut, err error) {
	return Select[LeftOut](s, `SELECT v.judge, count(*) FROM verdicts v CROSS JOIN answers a ON a.id = v.answer
		CROSS JOIN plan h ON h.kind = 'verdict' AND h.judge = 'human' AND h.system = a.system AND h.scenario = a.scenario AND h.active
		WHERE v.origin = ?1 AND `+Annotators("v.judge")+` AND v.judge <> 'human:adjudicated' AND v.status = 'valid' AND (h.origin <> ?1
			OR NOT EXISTS (SELECT 1 FROM verdicts o WHERE o.judge = 'human' AND o.answer = v.answer)) GROUP BY 1 ORDER BY 1`, origin)
}

// DropPeople deletes the results of people, their plan, and the means of people that were imported with these results. It returns the
// number of deleted results, without the means.
func (b Batch) DropPeople(judges []string) (n int, err error) {
	const listed = ` IN (SELECT value FROM json_each(?1))`
	list := asJSON{value: judges}
	for _, from := range []string{"plan WHERE judge", "results WHERE party"} { // the plan first, because its condition reads the verdicts
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

// DropSheets deletes a person's results of some kinds on some answers or pairs, and returns their number. With verdicts, it also deletes
// the means of people on these answers that came with the same import. The person's other results stay.
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
	// The plan no longer expects the deleted results, and has no fingerprint, so that the same file can be imported again.
	b.tx.do(`UPDATE plan SET fingerprint = '', planned = (SELECT count(*) FROM verdicts v JOIN answers a ON a.id = v.answer
		WHERE v.judge = plan.judge AND a.system = plan.system AND a.scenario = plan.scenario)
		WHERE kind = 'verdict' AND judge = ? AND origin <> 'config'`, judge)
	b.tx.do(`UPDATE plan SET planned = (SELECT count(*) FROM preferences r JOIN pairs q ON q.id = r.id
		WHERE r.judge = plan.judge AND r.method = plan.method AND r."order" = plan."order" AND q.dataset = plan.dataset)
		WHERE kind = 'preference' AND judge = ?`, judge)
	b.tx.do(`DELETE FROM plan WHERE kind IN ('verdict', 'preference') AND judge = ? AND planned = 0`, judge)
	return n, b.tx.failed
}

// MeansBeside returns the ids of answers that have a mean of people (judge human) from any source but the given import.
func (s *Store) MeansBeside(origin string) ([]string, error) {
	return Select[string](s, `SELECT answer FROM verdicts WHERE judge = 'human' AND origin <> ?`, origin)
}

// DropMeans deletes the recorded means of people (judge human) on some answers, so that they are computed from single sheets. It returns
// the number of deleted means.
func (b Batch) DropMeans(answers []string) (n int, err error) {
	return b.remove(`party = 'human' AND kind = 'verdict' AND subject IN (SELECT value FROM json_each(?1))`, asJSON{value: answers})
}

// Import replaces all rows of an import, in these steps: it deletes the import's verdicts, deletes the answers in gone with all results
// about them, and calls write, which writes the new rows. It then updates the plan of cells that other imports share: these keep rows of
// their own. systems and judges belong to the new rows.
func (b Batch) Import(origin string, systems, judges, gone []string, write func(Batch) error) error {
	b.origin = origin
	b.tx.do(`PRAGMA cache_size = -8000`) // KiB: verdicts enter their index at random
	shared := true                       // its present or earlier cells may have rows of other imports
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

// AnswerPlaces returns the system and scenario of each recorded answer, by id.
func (s *Store) AnswerPlaces() (map[string]Place, error) {
	return Lookup[string, Place](s, `SELECT id, system, scenario FROM answers`)
}

// Configs returns the different configurations (JSON) of the record's runs.
func (s *Store) Configs() ([]string, error) {
	return Select[string](s, `SELECT DISTINCT config FROM run WHERE config <> '' ORDER BY config`)
}

// LastConfig returns the configuration (JSON) of the latest run, or "" if no run has begun.
func (s *Store) LastConfig() (string, error) {
	return Value[string](s, `SELECT config FROM run WHERE part = 'answers' ORDER BY id DESC`)
}

// PairedConfig returns the configuration (JSON) with which pairs were judged last. It returns "" if no run had this configuration, as when
// pairs were imported into a run.
func (s *Store) PairedConfig() (string, error) {
	return Value[string](s, `SELECT config FROM run WHERE id = (SELECT max(id) FROM run WHERE part = 'pairs')
		AND config IN (SELECT config FROM run WHERE part = 'answers')`)
}

// Sources returns the recorded sources of a system, or nil if the system does not take sources from a file.
func (s *Store) Sources(system string) ([]data.PairSources, error) {
	return Value[[]data.PairSources](s, `SELECT sources FROM parties WHERE role = ? AND name = ? AND sources <> ''`, RoleSystem, system)
}

// A CellKey identifies a planned cell of answers, verdicts or labels.
type CellKey struct{ Kind, Judge, System, Scenario string }

// Key returns the key of the cell.
func (c PlanCell) Key() CellKey { return CellKey{c.Kind, c.Judge, c.System, c.Scenario} }

// Fingerprints returns the fingerprints of all recorded cells except those of preferences, planned now or not. A cell without a
// fingerprint here, or with another one than the plan now computes, has no usable rows.
func (s *Store) Fingerprints() (map[CellKey]string, error) {
	return Lookup[CellKey, string](s, `SELECT kind, judge, system, scenario, fingerprint FROM plan WHERE kind <> 'preference'`)
}

// lastReport names the row of the table sums that describes the last report. Every change of the record deletes the row.
const lastReport = "last report"

// A Reported describes the last report of a run.
type Reported struct {
	State   string // hash of everything that the tables depend on except answers and verdicts
	Summary string // as printed
}

// LastReport returns the last report, or zero if the record was changed since then.
func (s *Store) LastReport() (Reported, error) {
	return Value[Reported](s, `SELECT sum, text FROM sums WHERE name = ?`, lastReport)
}

// SetReport records that the reports are up to date.
func (s *Store) SetReport(r Reported) error {
	return s.inTransaction(func(tx *writer) error {
		tx.stale = false
		return put(Batch{tx: tx}, "sums", tableSum{lastReport, 0, r.State}, "text", r.Summary)
	})
}

// AnswerCells returns the active cells of answers, or all recorded cells if all is true, in the order of the tables.
func (s *Store) AnswerCells(all bool) ([]PlanCell, error) {
	return Select[PlanCell](s, `SELECT `+Columns[PlanCell]()+` FROM (SELECT p.*, s.position
		FROM plan p JOIN parties s ON s.role = 'system' AND s.name = p.system
		WHERE (p.active OR ?) AND p.kind = 'answer') ORDER BY position, system, scenario`, all)
}
