package data

import (
	"bufio"
	"io"
	"strings"
)

// trecColumns recognises TREC's files of judgments (qrels) and of runs, and returns names for their columns. They have no header, and white
// space between columns. For other files, trecColumns returns nil.
func trecColumns(head string) (names []string) {
	lines := strings.Split(strings.TrimSpace(head), "\n")
	if len(head) >= mostHead {
		lines = lines[:len(lines)-1] // the last one may be cut
	}
	for _, line := range lines[:min(100, len(lines))] {
		fields := strings.Fields(line)
		var columns []string
		switch {
		case len(fields) == 4 && numbers(fields[1], fields[3]):
			columns = []string{"topic", "iter", "docid", "rel"}
		case len(fields) == 6 && numbers(fields[3], fields[4]):
			columns = []string{"topic", "iter", "docid", "rank", "runscore", "tag"}
		}
		if columns == nil || strings.ContainsAny(line, ",;|") || names != nil && len(names) != len(columns) {
			return nil
		}
		names = columns
	}
	if len(lines) < 3 {
		return nil
	}
	return names
}

func numbers(texts ...string) bool {
	for _, text := range texts {
		if _, number := Number(text); !number {
			return false
		}
	}
	return true
}

// trec yields the rows of a TREC file.
func trec(path string, text *bufio.Reader, names []string, yield func(Document, error) bool) {
	header := &Header{Names: names, Comma: ' '}
	header.number()
	for line := 1; ; line++ {
		row, err := text.ReadString('\n')
		d := Document{File: path, Line: line, Table: header, Cells: strings.Fields(row)}
		if len(d.Cells) > 0 {
			var fault error
			if len(d.Cells) != len(names) {
				fault = d.Errorf("%d columns; the first lines have %d", len(d.Cells), len(names))
			}
			if !yield(d, fault) {
				return
			}
		}
		if err == io.EOF {
			return
		} else if err != nil {
			yield(d, err)
			return
		}
	}
}
