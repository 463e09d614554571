package results

import (
	"database/sql"

	"compqa/data"
)

// A RecordedJudgment is a sampled judgment on record.
type RecordedJudgment struct {
	ID, Judge, Order, Source string
	Sample                   int
	Fingerprint              string
	Status                   data.Status
	Choice                   data.Choice
	Text, Reason             string
}

// Judgment records a sampled judgment.
func (b Batch) Judgment(j RecordedJudgment, calls []string) error {
	_, err := b.tx.Exec(`INSERT OR REPLACE INTO judgments (id, judge, "order", source, sample, fingerprint, status, choice, text, reason, calls) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		j.ID, j.Judge, j.Order, j.Source, j.Sample, j.Fingerprint, j.Status, j.Choice, j.Text, j.Reason, keys(calls))
	return err
}

// Judgments are a judge's sampled judgments on record, by pair, order, source
// and sample.
func (s *Store) Judgments(judge string) ([]RecordedJudgment, error) {
	var all []RecordedJudgment
	err := s.each(`SELECT id, "order", source, sample, fingerprint, status, choice, text, reason FROM judgments WHERE judge = ? ORDER BY id, "order", source, sample`,
		[]any{judge}, func(rows *sql.Rows) error {
			j := RecordedJudgment{Judge: judge}
			err := rows.Scan(&j.ID, &j.Order, &j.Source, &j.Sample, &j.Fingerprint, &j.Status, &j.Choice, &j.Text, &j.Reason)
			all = append(all, j)
			return err
		})
	return all, fault("reading", s.path, err)
}

// A RecordedGrade is what a grader, a model or a person, makes of a rationale.
// Right is nil where the grader did not say whether the choice is right.
type RecordedGrade struct {
	PreferenceKey
	Grader      string
	Fingerprint string
	Status      data.Status
	Right       *bool
	Correctness int // 1 to 5; 0 unless Status is valid
	Consistency int // 1 to 3
	Reason      string
}

// Grade records a grade.
func (b Batch) Grade(g RecordedGrade, calls []string) error {
	var correctness, consistency *int
	if g.Status == data.Valid {
		correctness, consistency = &g.Correctness, &g.Consistency
	}
	_, err := b.tx.Exec(`INSERT OR REPLACE INTO grades (id, judge, method, "order", grader, fingerprint, status, right, correctness, consistency, reason, calls) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		g.ID, g.Judge, g.Method, g.Order, g.Grader, g.Fingerprint, g.Status, g.Right, correctness, consistency, g.Reason, keys(calls))
	return err
}

// Grades are all on record, in order of judge, method, pair, order and grader.
func (s *Store) Grades() ([]RecordedGrade, error) {
	var all []RecordedGrade
	err := s.each(`SELECT id, judge, method, "order", grader, fingerprint, status, right, coalesce(correctness, 0), coalesce(consistency, 0), reason FROM grades ORDER BY judge, method, id, "order", grader`,
		nil, func(rows *sql.Rows) error {
			var g RecordedGrade
			err := rows.Scan(&g.ID, &g.Judge, &g.Method, &g.Order, &g.Grader, &g.Fingerprint, &g.Status, &g.Right, &g.Correctness, &g.Consistency, &g.Reason)
			all = append(all, g)
			return err
		})
	return all, fault("reading", s.path, err)
}
