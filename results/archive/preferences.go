package archive

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"strings"

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

// A RecordedCall is the result of a call.
type RecordedCall struct {
	Key    string
	Status data.Status
	Reply  string
	Raw    string
	Failed bool // one of its attempts had no reply
}

const endOfCall = `SELECT status, reply, EXISTS (SELECT 1 FROM attempts WHERE call = key AND status <> 'valid') FROM calls WHERE key = ?`

// bodyOfCall is endOfCall with the body, which has log-probabilities.
var bodyOfCall = strings.Replace(endOfCall, "reply,", "reply, raw,", 1)

// recordedCalls are the calls in a row's column calls. A call that is not recorded has no
// status.
func recordedCalls(find *sql.Stmt, calls []byte) ([]RecordedCall, error) {
	var keys []string
	if err := json.Unmarshal(calls, &keys); err != nil {
		return nil, err
	}
	list := make([]RecordedCall, len(keys))
	for i, key := range keys {
		list[i].Key = key
		if err := find.QueryRow(key).Scan(&list[i].Status, &list[i].Reply, &list[i].Raw, &list[i].Failed); err != nil && err != sql.ErrNoRows {
			return nil, err
		}
	}
	return list, nil
}

// EachPreference calls each for every preference in the tables, sorted by judge, method,
// pair and order.
func EachPreference(s *store.Store, each func(RecordedPreference) error) error {
	find, err := s.Db.Prepare(bodyOfCall)
	if err != nil {
		return store.WrapDBError("reading", s.Path, err)
	}
	defer find.Close()
	const text = `CASE WHEN q.%[1]s <> '' THEN q.%[1]s ELSE coalesce((SELECT text FROM answers WHERE id = q.answer_%[1]s), '') END`
	query := `SELECT p.id, p.judge, p.method, p."order", p.status, p.choice, p.rationale, p.calls, p.fingerprint, p.detail, q.dataset,
			q.question, ` + fmt.Sprintf(text, "a") + `, ` + fmt.Sprintf(text, "b") + `, q.label, q.cluster, q.domain, q.object1, q.object2, q.aspect,
			q.system_a, q.system_b, q.scenario, q.answer_a, q.answer_b
		FROM preferences p JOIN pairs q ON q.id = p.id AND q.active
		JOIN plan l ON l.kind = 'preference' AND l.judge = p.judge AND l.method = p.method AND l.dataset = q.dataset AND l."order" = p."order" AND l.active
		ORDER BY p.judge, p.method, p.id, p."order"`
	return s.Each(query, nil, func(rows *sql.Rows) error {
		var p RecordedPreference
		var calls []byte
		q := &p.Pair
		if err := rows.Scan(&p.ID, &p.Judge, &p.Method, &p.Order, &p.Status, &p.Choice, &p.Rationale, &calls, &p.Fingerprint, &p.Detail, &p.Dataset,
			&q.Question, &q.A, &q.B, &q.Label, &q.Cluster, &q.Domain, &q.Object1, &q.Object2, &q.Aspect,
			&q.SystemA, &q.SystemB, &q.Scenario, &q.AnswerA, &q.AnswerB); err != nil {
			return err
		}
		q.ID = p.ID
		if p.Calls, err = recordedCalls(find, calls); err != nil {
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
