package store

import (
	"database/sql/driver"
	"strings"
)

// Comparing is a Batch that writes nothing. It hands over each result that it would put, with its place.
func Comparing(compare func(at At, now Recorded) error) Batch {
	return Batch{tx: &writer{compare: func(table, columns string, values []any) error {
		row := Recorded{}
		for i, name := range strings.Split(columns, ",") {
			row[strings.Trim(name, "\" ")] = columnValue(values[i])
		}
		return compare(row.at(kind(table)), row)
	}}}
}

// columnValue is a value as it is read from a column.
func columnValue(value any) any {
	value, _ = driver.DefaultParameterConverter.ConvertValue(value) // those of rows always convert
	if is, ok := value.(bool); ok {
		return map[bool]int64{true: 1}[is] // SQLite has numbers
	}
	return value
}
