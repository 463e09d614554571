package store

// A CellKey names a planned cell.
type CellKey struct{ Kind, Judge, System, Scenario string }

// Key is the cell's name.
func (c PlanCell) Key() CellKey { return CellKey{c.Kind, c.Judge, c.System, c.Scenario} }

// Fingerprints are those of all recorded cells, whether planned now or not. A cell that
// is not recorded, or has another fingerprint, has no rows.
func (s *Store) Fingerprints() (map[CellKey]string, error) {
	return lookup[CellKey, string](s, `SELECT kind, judge, system, scenario, fingerprint FROM plan WHERE kind <> 'preference'`)
}

// lastReport is the name of the last report's row in the table sums, which has none after the
// record was changed.
const lastReport = "last report"

// Reported is the state and the summary of the last report of a run.
type Reported struct {
	State   string // hash of everything that the tables depend on except answers and verdicts
	Summary string // as printed
}

// LastReport is the last report, if nothing was recorded since then.
func (s *Store) LastReport() (Reported, error) {
	r, _, err := First[Reported](s, `SELECT sum, text FROM sums WHERE name = ?`, lastReport)
	return r, err
}

// SetReport marks the reports as up to date.
func (s *Store) SetReport(r Reported) error {
	return s.inTransaction(func(tx *writer) error {
		tx.stale = false
		return tx.put("sums", "name, rows, sum, text", lastReport, 0, r.State, r.Summary)
	})
}
