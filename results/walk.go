package results

import (
	"context"
	"database/sql/driver"
	"fmt"
	"io"
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

func (f *foundRow) text(column int) string {
	v, ok := f.values[column].(string)
	f.check(column, ok)
	return v
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
