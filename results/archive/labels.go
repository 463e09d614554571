package archive

import (
	"database/sql"
	"encoding/json"

	"compqa/data"
	"compqa/results/store"
)

// A LabelsWithCalls is the recorded labels of one kind for a summary, with their calls.
type LabelsWithCalls struct {
	store.Labels
	Answer data.Answer // its text only where its claims are labelled
	Parsed data.Labels
	Calls  []RecordedCall
}

// EachLabels calls each for all labels of summaries in the tables, sorted by answer, judge and
// kind.
func EachLabels(s *store.Store, each func(LabelsWithCalls) error) error {
	read, err := newCallReader(s)
	if err != nil {
		return err
	}
	defer read.close()
	const query = `SELECT l.judge, l.kind, l.status, l.labels, l.reason, l.raw, l.calls, a.id, a.question, a.object1, a.object2, a.aspect,
		a.system, a.scenario, a.repeat, a.status, iif(l.kind = 'claims', a.text, ''), a.summary
		FROM labels l JOIN answers a ON a.id = l.answer
		JOIN plan p ON p.kind = l.kind AND p.judge = l.judge AND p.system = a.system AND p.scenario = a.scenario AND p.active
		ORDER BY l.answer, l.judge, l.kind`
	return s.Each(query, nil, func(rows *sql.Rows) error {
		var l LabelsWithCalls
		var calls, table []byte
		a := &l.Answer
		if err := rows.Scan(&l.Judge, &l.Kind, &l.Status, &l.Labels.Labels, &l.Reason, &l.Raw, &calls, &a.ID, &a.Question, &a.Object1,
			&a.Object2, &a.Aspect, &a.System, &a.Scenario, &a.Repeat, &a.Status, &a.Text, &table); err != nil {
			return err
		}
		if len(table) > 0 {
			if err := json.Unmarshal(table, &a.Table); err != nil {
				return Differ("answer %s: its table cannot be parsed: %w", a.ID, err)
			}
		}
		if l.Labels.Labels != "" {
			if err := json.Unmarshal([]byte(l.Labels.Labels), &l.Parsed); err != nil {
				return Differ("labels (%s) of %s on answer %s cannot be parsed: %w", l.Kind, l.Judge, a.ID, err)
			}
		}
		if l.Calls, err = read.of(calls); err != nil {
			return err
		}
		return each(l)
	})
}
