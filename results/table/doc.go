// Package table writes tables as CSV, as Markdown and to the terminal.
//
// A missing figure is an empty cell in CSV and a dash elsewhere. NaN and infinities are errors.
package table
