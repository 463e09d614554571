package store

import (
	"database/sql"
	"database/sql/driver"
	"fmt"
	"strings"

	"compqa/data"
)

// keys are the columns of the keys of results.
var keys = map[string][]string{
	"answers":     {"id"},
	"verdicts":    {"judge", "answer", "repeat"},
	"labels":      {"answer", "judge", "kind"},
	"preferences": {"id", "judge", "method", "order"},
	"samples":     {"id", "judge", "order", "source", "sample"},
	"grades":      {"id", "judge", "method", "order", "grader"},
}

// An At is the place of a result: its table and its key.
type At struct {
	Table string
	Key   [5]any // in the order of keys
}

func at(table string, key ...any) At {
	a := At{Table: table}
	for i, value := range key {
		a.Key[i], _ = driver.DefaultParameterConverter.ConvertValue(value) // texts and numbers always convert
	}
	return a
}

// AnswerAt is the place of an answer.
func AnswerAt(id string) At { return at("answers", id) }

// VerdictAt is the place of a judge's verdict.
func VerdictAt(judge string, k VerdictKey) At { return at("verdicts", judge, k.Answer, k.Repeat) }

// LabelsAt is the place of a judge's labels of one kind.
func LabelsAt(answer, judge, kind string) At { return at("labels", answer, judge, kind) }

// At is the place of a preference.
func (k PreferenceKey) At() At { return at("preferences", k.ID, k.Judge, k.Method, k.Order) }

// At is the place of a sampled judgment.
func (j RecordedJudgment) At() At { return at("samples", j.ID, j.Judge, j.Order, j.Source, j.Sample) }

// At is the place of a grade.
func (g RecordedGrade) At() At { return at("grades", g.ID, g.Judge, g.Method, g.Order, g.Grader) }

func (a At) String() string {
	switch k := a.Key; a.Table {
	case "answers":
		return fmt.Sprintf("answer %v", k[0])
	case "verdicts":
		return fmt.Sprintf("verdict of %v on answer %v (repeat %v)", k[0], k[1], k[2])
	case "labels":
		return fmt.Sprintf("labels (%v) of %v on answer %v", k[2], k[1], k[0])
	case "preferences":
		return fmt.Sprintf("preference of %v (%v) on pair %v, order %v", k[1], k[2], k[0], k[3])
	case "samples":
		return fmt.Sprintf("judgment %v (%v) of %v on pair %v, order %v", k[4], k[3], k[1], k[0], k[2])
	default:
		return fmt.Sprintf("grade by %v of %v (%v) on pair %v, order %v", k[4], k[1], k[2], k[0], k[3])
	}
}

// A Row is a recorded result, by column.
type Row map[string]any

// Text is a column with a text.
func (r Row) Text(column string) string {
	text, _ := r[column].(string)
	return text
}

// Status is how the result ended.
func (r Row) Status() data.Status { return data.Status(r.Text("status")) }

// Row is the recorded result at a place; nil: there is none.
func (s *Store) Row(a At) (row Row, err error) {
	columns := keys[a.Table]
	err = s.Each(`SELECT rowid, * FROM `+a.Table+` WHERE "`+strings.Join(columns, `" = ? AND "`)+`" = ?`, a.Key[:len(columns)],
		func(rows *sql.Rows) error {
			names, err := rows.Columns()
			if err != nil {
				return err
			}
			values, places := make([]any, len(names)), make([]any, len(names))
			for i := range values {
				places[i] = &values[i]
			}
			if err := rows.Scan(places...); err != nil {
				return err
			}
			row = Row{}
			for i, name := range names {
				row[name] = values[i]
			}
			return nil
		})
	return row, err
}

// Comparing is a Batch that writes nothing. It hands over each result that it would write.
func Comparing(compare func(at At, row Row) error) Batch {
	return Batch{&writer{compare: func(table, columns string, values []any) error {
		row, a := Row{}, At{Table: table}
		for i, name := range strings.Split(columns, ",") {
			value, err := driver.DefaultParameterConverter.ConvertValue(values[i])
			if err != nil {
				return err
			}
			if is, ok := value.(bool); ok { // SQLite has numbers
				value = int64(count(is))
			}
			row[strings.Trim(name, "\" \n\t")] = value
		}
		for i, column := range keys[table] {
			a.Key[i] = row[column]
		}
		return compare(a, row)
	}}}
}
