package archive

import (
	"database/sql"
	"fmt"

	"compqa/data"
	"compqa/results/store"
)

// A RecordedPreference is a recorded preference with its pair and its calls, in the order
// in which they were made.
type RecordedPreference struct {
	data.Preference
	Pair        data.Pair // with the texts of both answers
	Dataset     string
	Fingerprint string // hash of everything that it depends on
	Detail      string // details, JSON
	Calls       []RecordedCall
}

// EachPreference calls each for every preference in the tables, sorted by judge, method,
// pair and order.
func EachPreference(s *store.Store, each func(RecordedPreference) error) error {
	read, err := newCallReader(s)
	if err != nil {
		return err
	}
	defer read.close()
	const text = `CASE WHEN q.%[1]s <> '' THEN q.%[1]s ELSE coalesce((SELECT text FROM answers WHERE id = q.answer_%[1]s), '') END`
	query := `SELECT p.id, p.judge, p.method, p."order", p.status, p.choice, p.rationale, p.calls, p.fingerprint, p.detail, q.dataset,
			q.question, ` + fmt.Sprintf(text, "a") + `, ` + fmt.Sprintf(text, "b") + `, q.label, q.cluster, q.domain, q.object1, q.object2, q.aspect,
			q.system_a, q.system_b, q.scenario, q.answer_a, q.answer_b
		FROM preferences p JOIN pairs q ON q.id = p.id AND q.active
		JOIN plan l ON l.kind = 'preference' AND l.judge = p.judge AND l.method = p.method AND l.dataset = q.dataset AND l."order" = p."order"
			AND l.active
		ORDER BY p.judge, p.method, p.id, p."order"`
	return s.Each(query, nil, func(rows *sql.Rows) error {
		var p RecordedPreference
		var calls []byte
		q := &p.Pair
		if err := rows.Scan(&p.ID, &p.Judge, &p.Method, &p.Order, &p.Status, &p.Choice, &p.Rationale, &calls, &p.Fingerprint, &p.Detail,
			&p.Dataset,
			&q.Question, &q.A, &q.B, &q.Label, &q.Cluster, &q.Domain, &q.Object1, &q.Object2, &q.Aspect,
			&q.SystemA, &q.SystemB, &q.Scenario, &q.AnswerA, &q.AnswerB); err != nil {
			return err
		}
		q.ID = p.ID
		if p.Calls, err = read.of(calls); err != nil {
			return err
		}
		return each(p)
	})
}

// PairwiseMade are the configurations of the preferences, latest first, with their programs.
func PairwiseMade(s *store.Store) ([]store.Provenance, error) {
	return store.Query(s, `SELECT program, revision, config, seed FROM run WHERE part = 'pairs' ORDER BY id DESC`, nil,
		func(m *store.Provenance) []any { return []any{&m.Program, &m.Revision, &m.Config, &m.Seed} })
}
