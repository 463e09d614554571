package store

import "database/sql"

// A CellKey names a planned cell.
type CellKey struct{ Kind, Judge, System, Scenario string }

// Key is the cell's name.
func (c PlanCell) Key() CellKey { return CellKey{c.Kind, c.Judge, c.System, c.Scenario} }

// A Done cell has a result for each of its items, valid or not. A continued run does
// not need to read its rows.
type Done struct {
	Work    string // hash of the planned items; "" if the cell is not done
	Invalid int    // results that are neither valid nor skipped
}

// A RecordedCell is the state of a cell. A cell that is not recorded, or has another
// fingerprint, has no rows.
type RecordedCell struct {
	Fingerprint string
	Done
}

// RecordedCells are all recorded cells, whether planned now or not.
func (s *Store) RecordedCells() (map[CellKey]RecordedCell, error) {
	return lookup(s, `SELECT kind, judge, system, scenario, fingerprint, coalesce(work, ''), coalesce(invalid, 0)
		FROM plan LEFT JOIN done USING (kind, judge, system, scenario)`, nil, func(k *CellKey, c *RecordedCell) []any {
		return []any{&k.Kind, &k.Judge, &k.System, &k.Scenario, &c.Fingerprint, &c.Work, &c.Invalid}
	})
}

// Done marks a cell as done.
func (b Batch) Done(c CellKey, d Done) error {
	return b.tx.put("done", "kind, judge, system, scenario, work, invalid", c.Kind, c.Judge, c.System, c.Scenario, d.Work, d.Invalid)
}

// Reopen removes the done mark of a cell before its rows change; for answers also
// those of their verdicts.
func (b Batch) Reopen(c CellKey) error { return reopen(b.tx, c) }

func reopen(tx *writer, c CellKey) error {
	return tx.do(`DELETE FROM done WHERE system = ? AND scenario = ? AND (? = 'answer' OR kind = 'verdict' AND judge = ?)`,
		c.System, c.Scenario, c.Kind, c.Judge)
}

// Reported is the state and the summary of the last report of a run.
type Reported struct {
	State   string // hash of everything that the tables depend on except answers and verdicts
	Summary string // as printed
}

// LastReport is the last report, if nothing was recorded since then.
func (s *Store) LastReport() (Reported, error) {
	var r Reported
	err := s.Db.QueryRow(`SELECT state, summary FROM reported`).Scan(&r.State, &r.Summary)
	if err == sql.ErrNoRows {
		return r, nil
	}
	return r, WrapDBError("reading", s.Path, err)
}

// SetReport marks the reports as up to date.
func (s *Store) SetReport(r Reported) error {
	return s.inTransaction(func(tx *writer) error {
		tx.stale = false
		return tx.put("reported", "id, state, summary", 1, r.State, r.Summary)
	})
}
