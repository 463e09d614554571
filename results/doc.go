// Package results holds what came out: the record of a run, and every table
// that is computed from it.
//
// The record (run.db, SQLite) is written first and computed from later. It is
// the only thing a report reads, so that anyone can compute the tables again
// without a model; it can be read by another process while a run writes it.
// An answer or a verdict rests on calls, a call on attempts; a raw reply is kept
// before anything is parsed from it.
//
// In every table planned = valid + the rest, a figure that could not be
// computed is an empty cell, and the same record gives the same bytes.
package results
