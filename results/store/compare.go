package store

import (
	"database/sql/driver"
	"strings"
)

// A Row is a row of a table, by column.
type Row map[string]any

// Comparing is a Batch that writes nothing. It hands over each row that it would put.
func Comparing(compare func(table string, row Row) error) Batch {
	return Batch{tx: &writer{compare: func(table, columns string, values []any) error {
		row := Row{}
		for i, name := range strings.Split(columns, ",") {
			value, err := driver.DefaultParameterConverter.ConvertValue(values[i])
			if err != nil {
				return err
			}
			if is, ok := value.(bool); ok {
				value = map[bool]int64{true: 1}[is] // SQLite has numbers
			}
			row[strings.Trim(name, "\" ")] = value
		}
		return compare(table, row)
	}}}
}
