package data

import (
	"archive/zip"
	"bufio"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"iter"
	"path"
	"regexp"
	"strings"
)

// A Workbook is an open Excel file.
type Workbook interface {
	// Sheets returns the names of all sheets, and of those that have cells.
	Sheets() (all, filled []string)
	// Rows returns a function that returns the next row of a sheet, and io.EOF after the last.
	Rows(sheet string) (next func() ([]string, error), err error)
	Close() error
}

// Spreadsheets holds the readers of Excel and Parquet files. Package bench/config sets them to data/sheets. So most tests and other
// packages need not link two large libraries, which takes a third off the time for linking.
var Spreadsheets struct {
	// Excel opens a file. most is the number of bytes to which it may unpack.
	Excel func(r io.Reader, most int64) (Workbook, error)
	// Parquet yields the rows of a file as JSON objects. most is the number of bytes to which the columns may unpack.
	Parquet func(r io.ReaderAt, size, most int64) iter.Seq2[json.RawMessage, error]
}

// A mergedRange is a rectangle of merged cells in a sheet. Its first cell has the value. Rows and columns count from 1.
type mergedRange struct{ fromRow, fromColumn, toRow, toColumn int }

var (
	mergedCell = regexp.MustCompile(`^<(?:\w+:)?mergeCell\s(?:[^>]*\s)?ref="([A-Z]{1,3})(\d{1,7}):([A-Z]{1,3})(\d{1,7})"`)
	mostMerged = 100_000 // limit of ranges in a sheet
)

// mergedRanges returns the merged cells of a sheet in an Excel file. It scans the file's XML tag by tag, because the library would build
// the whole sheet (33 s and 650 MB for 100,000 rows of 10 cells).
func mergedRanges(z *zip.Reader, sheet string) (ranges []mergedRange, err error) {
	target, err := sheetEntry(z, sheet)
	if err != nil || target == "" {
		return nil, err
	}
	r, err := z.Open(target)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	tags := bufio.NewReaderSize(io.LimitReader(r, MostEntry), 1<<16)
	for {
		text, err := tags.ReadSlice('>')
		if err == io.EOF {
			return ranges, nil
		} else if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			return nil, err
		}
		m := mergedCell.FindSubmatch(text[max(0, strings.LastIndexByte(string(text), '<')):])
		if m == nil {
			continue
		}
		var one mergedRange
		fmt.Sscan(string(m[2]), &one.fromRow)
		fmt.Sscan(string(m[4]), &one.toRow)
		one.fromColumn, one.toColumn = columnNumber(m[1]), columnNumber(m[3])
		ranges = append(ranges, one)
		if len(ranges) > mostMerged {
			return nil, fmt.Errorf("it has more than %d merged cells", mostMerged)
		}
	}
}

// columnNumber returns the number of a column, from 1: A is 1, AA is 27.
func columnNumber(letters []byte) (n int) {
	for _, letter := range letters {
		n = 26*n + int(letter-'A') + 1
	}
	return n
}

// sheetEntry returns the name of the zip entry that contains a sheet, or "" if it is not found.
func sheetEntry(z *zip.Reader, sheet string) (string, error) {
	var book struct {
		Sheets []struct {
			Name string `xml:"name,attr"`
			ID   string `xml:"http://schemas.openxmlformats.org/officeDocument/2006/relationships id,attr"`
		} `xml:"sheets>sheet"`
	}
	var links struct {
		Targets []struct {
			ID     string `xml:"Id,attr"`
			Target string `xml:"Target,attr"`
		} `xml:"Relationship"`
	}
	for name, into := range map[string]any{"xl/workbook.xml": &book, "xl/_rels/workbook.xml.rels": &links} {
		f, err := z.Open(name)
		if err != nil {
			return "", nil // entries with other names: merged cells stay unknown
		}
		err = xml.NewDecoder(io.LimitReader(f, 16<<20)).Decode(into)
		f.Close()
		if err != nil {
			return "", fmt.Errorf("%s: %w", name, err)
		}
	}
	for _, s := range book.Sheets {
		for _, link := range links.Targets {
			if s.Name == sheet && s.ID == link.ID {
				return path.Join("xl", strings.TrimPrefix(link.Target, "/xl/")), nil
			}
		}
	}
	return "", nil
}

// A mergedRows copies the value of merged cells into the cells below the first one, in the same column.
type mergedRows struct {
	starts map[int][]mergedRange // by first row
	active map[int]mergedRange   // ranges that reach into the current row, by column
	values map[int]string        // values of the active ranges, by column
	filled []int                 // row number of each cell that was filled
}

// newMergedRows indexes merged cells by their first row.
func newMergedRows(ranges []mergedRange) *mergedRows {
	m := &mergedRows{starts: map[int][]mergedRange{}, active: map[int]mergedRange{}, values: map[int]string{}}
	for _, one := range ranges {
		m.starts[one.fromRow] = append(m.starts[one.fromRow], one)
	}
	return m
}

// fill returns the cells of a row with the values of merged cells that begin in rows above. Rows must be passed in order.
func (m *mergedRows) fill(row int, cells []string) []string {
	for column, one := range m.active {
		if row > one.toRow {
			delete(m.active, column)
			continue
		}
		for len(cells) < column {
			cells = append(cells, "")
		}
		if cells[column-1] == "" && m.values[column] != "" {
			cells[column-1] = m.values[column]
			m.filled = append(m.filled, row)
		}
	}
	for _, one := range m.starts[row] {
		if one.toRow > row && one.fromColumn <= len(cells) {
			m.active[one.fromColumn] = one
			m.values[one.fromColumn] = cells[one.fromColumn-1]
		}
	}
	return cells
}

// spans returns the ranges that begin in a row and reach over several columns, except a title over the full width.
func (m *mergedRows) spans(row, width int) (spans []mergedRange) {
	return Where(m.starts[row], func(one mergedRange) bool {
		return one.toColumn > one.fromColumn && (one.fromColumn > 1 || one.toColumn < width)
	})
}

// say reports to note how merged cells below the header were read.
func (m *mergedRows) say(path string, header int, note func(string)) {
	across := 0
	for row, ranges := range m.starts {
		if row > header {
			across += len(Where(ranges, func(one mergedRange) bool { return one.toColumn > one.fromColumn }))
		}
	}
	if filled := len(Where(m.filled, func(row int) bool { return row > header })); filled > 0 {
		note(fmt.Sprintf("%s: %s below the first of merged cells read with its value", path, Plural(filled, "cell", "cells")))
	}
	if across > 0 {
		note(fmt.Sprintf("%s: %s over several columns below the header: the value counts in the first column alone", path,
			Plural(across, "merged cell", "merged cells")))
	}
}
