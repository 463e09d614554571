package data

import (
	"strconv"
	"strings"
)

// GuardCell writes a CSV cell so that no spreadsheet executes it: a formula gets a ' in
// front. So does a text that looks like a guarded formula; the readers of this package
// remove one ' from such cells. Numbers stay numbers, and so does "-", which the tables
// use for "does not apply".
func GuardCell(cell string) string {
	if !formula(cell) || cell == "-" {
		return cell
	}
	if _, err := strconv.ParseFloat(cell, 64); err == nil {
		return cell
	}
	return "'" + cell
}

// plainCell is the text that GuardCell was given.
func plainCell(cell string) string {
	if cell[0] == '\'' && formula(cell) {
		return cell[1:]
	}
	return cell
}

// formula reports whether a spreadsheet may execute a cell, without quotes in front of it.
func formula(cell string) bool {
	cell = strings.TrimLeft(cell, "'")
	return cell != "" && strings.IndexByte("=+-@\t\r\n", cell[0]) >= 0
}
