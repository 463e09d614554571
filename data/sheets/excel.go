// Package sheets reads the tables of Excel and Parquet files. It keeps the libraries for them apart, and knows nothing
// of what the tables mean.
package sheets

import (
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/xuri/excelize/v2"
)

// A Book is an open Excel file.
type Book struct{ file *excelize.File }

// OpenExcel opens an Excel file (.xlsx, .xlsm). most is the number of bytes to which it may unpack. The caller must have checked the sizes
// of its entries.
func OpenExcel(r io.Reader, most int64) (*Book, error) {
	file, err := excelize.OpenReader(r, excelize.Options{UnzipSizeLimit: most, UnzipXMLSizeLimit: 16 << 20, RawCellValue: true})
	if err != nil {
		return nil, fmt.Errorf("as an Excel file: %w", err)
	}
	return &Book{file}, nil
}

// Close removes temporary files that opening the file created.
func (b *Book) Close() error { return b.file.Close() }

// Sheets returns the names of all sheets but charts, and of those that are visible and not empty. If no sheet is, both lists are the same.
func (b *Book) Sheets() (all, filled []string) {
	for _, name := range b.file.GetSheetList() {
		rows, err := b.file.Rows(name)
		if err != nil { // the sheet is a chart
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

// Rows returns a function that reads the next row, with io.EOF after the last. Cells reach up to the last filled one. They are as stored (a
// percentage is a ratio), but dates are written as 2026-01-31. Empty rows are returned too, so that rows can be counted.
func (b *Book) Rows(sheet string) (func() ([]string, error), error) {
	rows, err := b.file.Rows(sheet)
	if err != nil {
		return nil, err
	}
	shown := rows // rows with dates as Excel shows them; the same as rows if the file has no dates
	if b.dated() {
		shown, err = b.file.Rows(sheet)
		if err != nil {
			return nil, err
		}
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
		cells, err := rows.Columns(excelize.Options{RawCellValue: true})
		if shown == rows || err != nil || !shown.Next() {
			return cells, err
		}
		texts, err := shown.Columns(excelize.Options{RawCellValue: false})
		for i := range min(len(texts), len(cells)) {
			x, fault := strconv.ParseFloat(cells[i], 64)
			if fault != nil || !dateText.MatchString(texts[i]) {
				continue
			}
			if day, fault := excelize.ExcelDateToTime(x, false); fault == nil {
				cells[i] = day.Format(time.DateOnly)
			}
		}
		return cells, err
	}, nil
}

// dateText matches a date as Excel displays it: 5-Jan, 05.01.2026, 1/5/26, Jan-26.
var dateText = regexp.MustCompile(`^(\d{1,4}[-/. ]\d{1,2}[-/. ]\d{1,4}|\d{1,2}[-/. ]+\pL{3,}.*|\pL{3,}[-/. ]+\d{2,4})( .*)?$`)

// dated reports whether a style of the file formats dates.
func (b *Book) dated() bool {
	for i := 0; ; i++ {
		style, err := b.file.GetStyle(i)
		if err != nil {
			return false
		}
		custom := ""
		if style.CustomNumFmt != nil {
			custom = strings.ToLower(*style.CustomNumFmt)
		}
		if style.NumFmt >= 14 && style.NumFmt <= 22 || style.NumFmt >= 27 && style.NumFmt <= 36 || strings.ContainsAny(custom, "dy") {
			return true
		}
	}
}
