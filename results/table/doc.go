// Package table writes tables: as CSV for programs, as Markdown and on the terminal
// for people.
//
// A missing figure is an empty cell in CSV and a dash for people. NaN and infinities
// are errors.
package table
