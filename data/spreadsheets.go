package data

import (
	"encoding/json"
	"io"
	"iter"
)

// A Workbook is an open Excel file.
type Workbook interface {
	// Sheets are the names of all sheets, and of those with cells.
	Sheets() (all, filled []string)
	// Rows is a function that gives the rows of a sheet one after the other, io.EOF after the last.
	Rows(sheet string) (next func() ([]string, error), err error)
	Close() error
}

// Spreadsheets read Excel and Parquet files. Package bench/config sets them to data/sheets: what is not a command, like most
// tests, does not contain the two large libraries, and is linked in two thirds of the time.
var Spreadsheets struct {
	// Excel opens a file that unpacks to at most a number of bytes.
	Excel func(r io.Reader, most int64) (Workbook, error)
	// Parquet yields the rows of a file as JSON objects.
	Parquet func(r io.ReaderAt, size, most int64) iter.Seq2[json.RawMessage, error]
}
