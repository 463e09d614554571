// Package sheets reads the tables of Excel and Parquet files. It keeps the libraries for them apart, and knows nothing
// of what the tables mean.
package sheets

import (
	"fmt"
	"io"

	"github.com/xuri/excelize/v2"
)

// A Book is an Excel file.
type Book struct{ file *excelize.File }

// OpenExcel opens an Excel file (.xlsx, .xlsm). most is the size in bytes to which it may unpack; the caller has checked
// the sizes of its entries.
func OpenExcel(r io.Reader, most int64) (*Book, error) {
	file, err := excelize.OpenReader(r, excelize.Options{UnzipSizeLimit: most, UnzipXMLSizeLimit: 16 << 20, RawCellValue: true})
	if err != nil {
		return nil, fmt.Errorf("as an Excel file: %w", err)
	}
	return &Book{file}, nil
}

// Close removes what was unpacked to the disk.
func (b *Book) Close() error { return b.file.Close() }

// Sheets are the names of all sheets with cells, and of those that are neither hidden nor empty; if there are none, of all.
func (b *Book) Sheets() (all, filled []string) {
	for _, name := range b.file.GetSheetList() {
		rows, err := b.file.Rows(name)
		if err != nil { // a chart
			continue
		}
		all = append(all, name)
		if visible, err := b.file.GetSheetVisible(name); err == nil && visible && rows.Next() {
			filled = append(filled, name)
		}
		rows.Close()
	}
	if filled == nil {
		filled = all
	}
	return all, filled
}

// Rows returns a function that reads the next row: its cells up to the last that is filled, as they are stored (a
// percentage as a ratio). A row without cells is there too, so that rows can be counted. The end is io.EOF.
func (b *Book) Rows(sheet string) (func() ([]string, error), error) {
	rows, err := b.file.Rows(sheet)
	if err != nil {
		return nil, err
	}
	return func() ([]string, error) {
		if !rows.Next() {
			err := rows.Error()
			rows.Close()
			if err == nil {
				err = io.EOF
			}
			return nil, err
		}
		return rows.Columns(excelize.Options{RawCellValue: true})
	}, nil
}
