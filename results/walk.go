package results

import (
	"context"
	"database/sql/driver"
	"fmt"
	"io"
	"strings"
)

// A foundRow is a row as the driver hands it over. A column that is not of the kind
// asked for is a fault of the record; the first is kept.
type foundRow struct {
	values []driver.Value
	err    error
}

// walk is each for tables that may have a million rows: database/sql would lock,
// convert and copy for every column of them.
func (s *Store) walk(query string, each func(*foundRow) error) error {
	conn, err := s.db.Conn(context.Background())
	if err != nil {
		return err
	}
	defer conn.Close()
	return conn.Raw(func(of any) error {
		rows, err := of.(driver.QueryerContext).QueryContext(context.Background(), query, nil)
		if err != nil {
			return err
		}
		defer rows.Close()
		found := foundRow{values: make([]driver.Value, len(rows.Columns()))}
		for {
			err := rows.Next(found.values)
			if err == io.EOF {
				return nil
			}
			if err == nil {
				err = each(&found)
			}
			if found.err != nil {
				return found.err
			}
			if err != nil {
				return err
			}
		}
	})
}

// asOne is an expression for several texts of a row, which are then read as one:
// for each that is read by itself the driver takes a lock six times. What stands
// between them is in no name: it is neither UTF-8, nor text of a European code page.
// What a server has said may hold anything, and is read by itself (free).
//
// Whatever a column holds becomes text in this way: verify looks for what is none
// (checkTexts).
func asOne(columns ...string) string {
	return "concat_ws(CAST(x'ff00fe' AS TEXT), " + strings.Join(columns, ", ") + ")"
}

// readAsOne are the columns of each table that are read so, in the order in which
// their readers take them.
var readAsOne = map[string][]string{
	"answers":  {"id", "question", "object1", "object2", "aspect", "system", "scenario", "status", "calls"},
	"verdicts": {"judge", "answer", "status", "scores", "calls"},
	"readings": {"answer", "choice"},
	"attempts": {"call", "kind", "party", "provider", "model"},
}

const joint = "\xff\x00\xfe"

// texts takes apart what was joined, as many texts as into has room for. They are
// parts of the whole: who keeps one makes a copy.
func (f *foundRow) texts(column int, into []string) {
	rest, last := f.text(column), len(into)-1
	for i := range into[:last] {
		before, after, found := strings.Cut(rest, joint)
		f.split(column, found)
		into[i], rest = before, after
	}
	f.split(column, !strings.Contains(rest, joint))
	into[last] = rest
}

func (f *foundRow) split(column int, ok bool) {
	if !ok && f.err == nil {
		f.err = fmt.Errorf("a text of a row is not there, or cannot be told from others: %q", f.text(column))
	}
}

func (f *foundRow) text(column int) string {
	v, ok := f.values[column].(string)
	f.check(column, ok)
	return v
}

// free is an expression for a text that may hold anything, and is empty nearly always.
func free(column string) string { return "nullif(" + column + ", '')" }

// freeText is "" for NULL.
func (f *foundRow) freeText(column int) string {
	if f.values[column] == nil {
		return ""
	}
	return f.text(column)
}

func (f *foundRow) whole(column int) int {
	v, ok := f.values[column].(int64)
	f.check(column, ok)
	return int(v)
}

// wholeOr0 is 0 for NULL, and says so.
func (f *foundRow) wholeOr0(column int) (n int, known bool) {
	if f.values[column] == nil {
		return 0, false
	}
	return f.whole(column), true
}

func (f *foundRow) real(column int) float64 {
	v, ok := f.values[column].(float64)
	f.check(column, ok)
	return v
}

// realOr0 is 0 for NULL, and says so.
func (f *foundRow) realOr0(column int) (x float64, known bool) {
	if f.values[column] == nil {
		return 0, false
	}
	return f.real(column), true
}

func (f *foundRow) check(column int, ok bool) {
	if !ok && f.err == nil {
		f.err = fmt.Errorf("column %d of a row holds %v, of another kind", column+1, f.values[column])
	}
}
