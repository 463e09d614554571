package sources

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"

	"compqa/data"
)

// tabled yields the rows of a table as objects of texts, by the names of columns. Columns are
// separated by commas, semicolons or tabs. Lines above the header that are not as wide as the table
// and empty rows are left out. Of columns with the same name the second is called "name (2)".
func tabled(path, text string, note func(string), yield func(document, error) bool) {
	comma, text := separator(text)
	rows, lazy := csv.NewReader(strings.NewReader(text)), false
	rows.Comma, rows.FieldsPerRecord = comma, -1
	if _, err := rows.ReadAll(); err != nil { // quotes that are not doubled
		lazy = true
	}
	rows = csv.NewReader(strings.NewReader(text))
	rows.Comma, rows.FieldsPerRecord, rows.LazyQuotes = comma, -1, lazy
	header, width, err := tableHeader(rows, text)
	if err != nil {
		yield(document{}, fmt.Errorf("%s: %w", path, err))
		return
	}
	if lazy && comma != '\t' {
		note(fmt.Sprintf("%s has quotes that are neither closed nor doubled; they were read as written", path))
	}
	var object []byte
	for {
		cells, err := rows.Read()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			yield(document{}, data.CSVError(path, err))
			return
		}
		if filled(cells) == 0 {
			continue
		}
		line, _ := rows.FieldPos(0)
		if filled(cells[min(width, len(cells)):]) > 0 {
			err = &data.LineError{Path: path, Line: line, Err: fmt.Errorf("%d cells, but the header has %d columns", len(cells), width)}
		}
		object = append(object[:0], '{')
		for i, cell := range cells[:min(width, len(cells))] {
			if i > 0 {
				object = append(object, ',')
			}
			object = append(gjson.AppendJSONString(object, header[i]), ':')
			object = gjson.AppendJSONString(object, cell)
		}
		value := gjson.ParseBytes(append(object, '}'))
		if !yield(document{path, line, value, value}, err) || err != nil {
			return
		}
	}
}

// filled counts the cells with text.
func filled(cells []string) (n int) {
	for _, cell := range cells {
		if strings.TrimSpace(cell) != "" {
			n++
		}
	}
	return n
}

// separator is the character between columns: the one that gives most rows the same number of
// columns, of at least two. A first line sep=; says it.
func separator(text string) (comma rune, rest string) {
	if after, found := strings.CutPrefix(text, "sep="); found && len(after) > 1 && strings.TrimSpace(after[1:min(len(after), 3)]) == "" {
		return rune(after[0]), strings.TrimLeft(after[1:], "\r\n")
	}
	best, most := ',', 0
	for _, comma := range []rune{',', ';', '\t'} {
		rows := csv.NewReader(strings.NewReader(text[:min(len(text), 1<<18)]))
		rows.Comma, rows.FieldsPerRecord, rows.LazyQuotes = comma, -1, true
		widths := map[int]int{}
		for range 100 {
			if cells, err := rows.Read(); err == nil && len(cells) > 1 {
				widths[len(cells)]++
			}
		}
		for width, n := range widths {
			if weight := 1000*n + width; weight > most {
				best, most = comma, weight
			}
		}
	}
	return best, text
}

// tableHeader reads the names of columns: the first row of which most cells have text, where the
// table has as many columns as most of its first rows.
func tableHeader(rows *csv.Reader, text string) (names []string, width int, err error) {
	ahead := csv.NewReader(strings.NewReader(text))
	ahead.Comma, ahead.FieldsPerRecord, ahead.LazyQuotes = rows.Comma, -1, rows.LazyQuotes
	widths := map[int]int{}
	for range 100 {
		if cells, err := ahead.Read(); err == nil {
			widths[len(cells)]++
		}
	}
	for w, n := range widths {
		if n > widths[width] || n == widths[width] && w > width {
			width = w
		}
	}
	for {
		cells, err := rows.Read()
		if err != nil {
			return nil, 0, errors.New("it is empty, or no line is a header: a header line is needed")
		}
		if n := filled(cells); 2*n <= width && width > 1 || n == 0 {
			continue
		}
		for i, cell := range cells {
			name := strings.Join(strings.Fields(cell), " ")
			if name == "" {
				name = "column " + strconv.Itoa(i+1)
			}
			for k := 2; slices.Contains(names, name); k++ {
				name = fmt.Sprintf("%s (%d)", strings.TrimSuffix(name, fmt.Sprintf(" (%d)", k-1)), k)
			}
			names = append(names, name)
		}
		return names, len(names), nil
	}
}
