package sheets

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"unicode/utf8"

	"github.com/parquet-go/parquet-go"
)

// mostColumns is the largest number of columns of a file, as for tables in text files.
const mostColumns = 10000

// Parquet yields the rows of a Parquet file as JSON objects, with the columns in the file's order. most is the number of bytes to which the
// columns may unpack. An error is yielded last.
func Parquet(r io.ReaderAt, size, most int64) iter.Seq2[json.RawMessage, error] {
	return func(yield func(json.RawMessage, error) bool) {
		err := parquetRows(r, size, most, func(row json.RawMessage) bool { return yield(row, nil) })
		if err != nil {
			yield(nil, err)
		}
	}
}

// parquetRows reads rows until each returns false. The library panics on some damaged files; such a panic becomes an error.
func parquetRows(r io.ReaderAt, size, most int64, each func(json.RawMessage) bool) (err error) {
	inCaller := false
	defer func() {
		if inCaller {
			return // a panic in the caller is not the library's
		}
		if fault := recover(); fault != nil {
			err = fmt.Errorf("the Parquet file is damaged: %v", fault)
		}
	}()
	if err := footerFits(r, size); err != nil {
		return fmt.Errorf("the Parquet file is damaged: %w", err)
	}
	file, err := parquet.OpenFile(r, size, parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true))
	if err != nil {
		return fmt.Errorf("as a Parquet file: %w", err)
	}
	unpacked := int64(0)
	for _, group := range file.Metadata().RowGroups {
		for _, column := range group.Columns {
			unpacked += max(0, column.MetaData.TotalUncompressedSize)
		}
	}
	if unpacked > most {
		return fmt.Errorf("it unpacks to more than %d MiB", most>>20)
	}
	if n := len(file.Root().Columns()); n > mostColumns {
		return fmt.Errorf("it has %d columns; at most %d are read", n, mostColumns)
	}
	var names []string
	for _, column := range file.Root().Columns() {
		names = append(names, column.Name())
	}
	buffer := make([]parquet.Row, 1)
	for _, group := range file.RowGroups() {
		rows := parquet.NewRowGroupRowReader(group)
		defer rows.Close()
		for {
			n, err := rows.ReadRows(buffer)
			if n > 0 {
				var value any
				if err := file.Schema().Reconstruct(&value, buffer[0]); err != nil {
					return err
				}
				object, err := objectOf(names, value)
				if err != nil {
					return err
				}
				inCaller = true
				more := each(object)
				inCaller = false
				if !more {
					return nil
				}
			}
			if errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				return err
			}
		}
	}
	return nil
}

// objectOf returns a row as a JSON object, with its members in the order of names.
func objectOf(names []string, row any) (json.RawMessage, error) {
	members, _ := row.(map[string]any)
	object := []byte{'{'}
	for i, name := range names {
		key, err := json.Marshal(name)
		if err != nil {
			return nil, err
		}
		value, err := json.Marshal(plain(members[name]))
		if err != nil {
			return nil, fmt.Errorf("column %s: %w", name, err)
		}
		if i > 0 {
			object = append(object, ',')
		}
		object = append(append(append(object, key...), ':'), value...)
	}
	return append(object, '}'), nil
}

// plain converts a value to a form that JSON has. Bytes in UTF-8 become a string, NaN and infinite numbers null, and a Parquet list (a
// group "list" with "element" in each entry) a list.
func plain(value any) any {
	switch v := value.(type) {
	case []byte:
		if utf8.Valid(v) {
			return string(v)
		}
		return v
	case float32:
		return plain(float64(v))
	case float64:
		if v != v || v-v != 0 { // NaN or infinite
			return nil
		}
		return v
	case []any:
		list := make([]any, len(v))
		for i := range v {
			list[i] = plain(v[i])
		}
		return list
	case map[string]any:
		if list, ok := v["list"].([]any); ok && len(v) == 1 {
			elements := make([]any, len(list))
			for i, element := range list {
				elements[i] = plain(element)
				if group, ok := element.(map[string]any); ok && len(group) == 1 {
					for _, inner := range group {
						elements[i] = plain(inner)
					}
				}
			}
			return elements
		}
		members := make(map[string]any, len(v))
		for name, inner := range v {
			members[name] = plain(inner)
		}
		return members
	}
	return value
}
