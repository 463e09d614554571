package store

import (
	"database/sql/driver"
	"encoding/json"
	"fmt"

	"compqa/data"
)

// Results are the results of one kind: something that a party made about a subject, with a status, the
// reason for it, and the calls that it was read from. T is a row without its calls. Each kind names its
// columns once; rows are written and read by them.
type Results[T any] struct {
	table   string
	columns string         // without calls
	fields  func(*T) []any // places of the columns
}

// The kinds of results that have a status and calls of their own.
var (
	// Measurements of answers are written by Batch.Answer, and only read without their texts.
	answers = Results[data.Answer]{"answers", `id, question, object1, object2, aspect, system, scenario, repeat, status, reason, text,
		reasoning, summary`, func(a *data.Answer) []any {
		return []any{&a.ID, &a.Question, &a.Object1, &a.Object2, &a.Aspect, &a.System, &a.Scenario, &a.Repeat, &a.Status, &a.Reason,
			&a.Text, &a.Reasoning, asJSON{&a.Table, true}}
	}}
	verdicts = Results[data.Verdict]{"verdicts", "judge, answer, repeat, status, scores, total, reason, raw", func(v *data.Verdict) []any {
		return []any{&v.Judge, &v.Answer, &v.Repeat, &v.Status, asJSON{&v.Scores, false}, &v.Total, &v.Reason, &v.Raw}
	}}
	labels = Results[labelRow]{"labels", "answer, judge, kind, status, labels, reason, raw", func(l *labelRow) []any {
		return []any{&l.answer, &l.Judge, &l.Kind, &l.Status, &l.Labels.Labels, &l.Reason, &l.Raw}
	}}
	preferences = Results[preferenceRow]{"preferences", `id, judge, method, "order", status, choice, rationale, fingerprint, reason, detail`,
		func(p *preferenceRow) []any {
			return []any{&p.ID, &p.Judge, &p.Method, &p.Order, &p.Status, &p.Choice, &p.Rationale, &p.Fingerprint, &p.PreferenceAbout.Reason,
				&p.detail}
		}}
	samples = Results[RecordedJudgment]{"samples", `id, judge, "order", source, sample, fingerprint, status, choice, text, reason`,
		func(j *RecordedJudgment) []any {
			return []any{&j.ID, &j.Judge, &j.Order, &j.Source, &j.Sample, &j.Fingerprint, &j.Status, &j.Choice, &j.Text, &j.Reason}
		}}
	grades = Results[RecordedGrade]{"grades", `id, judge, method, "order", grader, fingerprint, status, right, correctness, consistency,
		reason`, func(g *RecordedGrade) []any {
		return []any{&g.ID, &g.Judge, &g.Method, &g.Order, &g.Grader, &g.Fingerprint, &g.Status, &g.Right, notZero{&g.Correctness},
			notZero{&g.Consistency}, &g.Reason}
	}}
)

// A labelRow is labels with their answer, and a preferenceRow a preference with its further data.
type (
	labelRow struct {
		answer string
		Labels
	}
	preferenceRow struct {
		data.Preference
		PreferenceAbout
		detail string // JSON
	}
)

// Put records a result, in place of one with the same key, with the ids of its calls.
func (r Results[T]) Put(b Batch, row T, calls []int64) error {
	return r.putWith(b, row, "calls", ids(calls))
}

// putWith is Put with further columns.
func (r Results[T]) putWith(b Batch, row T, columns string, values ...any) error {
	if err := b.tx.put(r.table, r.columns+", "+columns, append(r.fields(&row), values...)...); err != nil {
		return fmt.Errorf("recording %s: %w", r.table, err)
	}
	return nil
}

// Load reads the results that fit a condition, in an order.
func (r Results[T]) Load(s *Store, where, order string, args ...any) ([]T, error) {
	return Query(s, `SELECT `+r.columns+` FROM `+r.table+` WHERE `+where+` ORDER BY `+order, args, r.fields)
}

// Delete deletes the results that fit a condition. Their calls are kept.
func (r Results[T]) Delete(b Batch, where string, args ...any) error {
	return b.tx.do(`DELETE FROM `+r.table+` WHERE `+where, args...)
}

// asJSON is a column that has a value as JSON.
type asJSON struct {
	value    any
	optional bool // "" for null
}

// Scan is a sql.Scanner.
func (j asJSON) Scan(column any) error {
	text, is := column.(string)
	switch {
	case !is:
		return fmt.Errorf("a column of JSON has the type %T", column)
	case j.optional && text == "":
		return nil
	}
	return json.Unmarshal([]byte(text), j.value)
}

// Value is a driver.Valuer.
func (j asJSON) Value() (driver.Value, error) {
	text, err := json.Marshal(j.value)
	if j.optional && string(text) == "null" {
		return "", err
	}
	return string(text), err
}

// notZero is a column with a whole number, NULL for 0.
type notZero struct{ number *int }

// Scan is a sql.Scanner.
func (n notZero) Scan(column any) error {
	switch number := column.(type) {
	case nil:
		*n.number = 0
	case int64:
		*n.number = int(number)
	default:
		return fmt.Errorf("a column of whole numbers has the type %T", column)
	}
	return nil
}

// Value is a driver.Valuer.
func (n notZero) Value() (driver.Value, error) {
	if *n.number == 0 {
		return nil, nil
	}
	return int64(*n.number), nil
}
